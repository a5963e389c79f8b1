//! How large a file is when OLM has packed it: gzip, and base64 around it.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

/// Length of the packed file in bytes.
pub(super) fn compressed(text: &[u8]) -> u64 {
    let mut counter = GzEncoder::new(Vec::new(), Compression::default());
    // Writing into memory does not fail; without a result the size is 0.
    let packed = counter.write_all(text).and_then(|()| counter.finish()).map_or(0, |it| it.len() as u64);
    packed.div_ceil(3) * 4
}
