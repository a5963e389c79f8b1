//! Long texts as they are stored: compressed where that pays.

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};

/// SHA-256.
pub(super) type Digest = [u8; 32];

/// The digest of some bytes.
pub(super) fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

/// As it is.
const PLAIN: u8 = 0;
/// zstd.
const ZSTD: u8 = 1;

/// Below this many bytes compression gains nothing.
const MIN_COMPRESSED: usize = 128;

/// As fast as level 1 on catalogs, and smaller.
const LEVEL: i32 = 3;

/// No document is larger: the reader's limit.
const MAX_SIZE: usize = u32::MAX as usize;

/// A text as a row holds it.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) codec: u8,
    pub(super) size: usize,
    pub(super) bytes: Vec<u8>,
}

/// Compresses one text after another.
pub(super) struct Compressor(Option<zstd::bulk::Compressor<'static>>);

impl Compressor {
    pub(super) fn new() -> Self {
        // Fails only without memory; then texts are stored as they are.
        Self(zstd::bulk::Compressor::new(LEVEL).ok())
    }

    pub(super) fn store(&mut self, text: &[u8]) -> Stored {
        if text.len() >= MIN_COMPRESSED
            && let Some(Ok(bytes)) = self.0.as_mut().map(|it| it.compress(text))
            && bytes.len() < text.len()
        {
            return Stored { codec: ZSTD, size: text.len(), bytes };
        }
        Stored { codec: PLAIN, size: text.len(), bytes: text.to_vec() }
    }
}

/// The text of a row; `None` if the row is damaged.
pub(super) fn load(codec: i64, size: i64, bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let size = usize::try_from(size).ok().filter(|&size| size <= MAX_SIZE)?;
    match u8::try_from(codec).ok()? {
        PLAIN => Some(Cow::Borrowed(bytes)),
        // The buffer grows as the frame yields, so that a lie about the size costs nothing.
        ZSTD => {
            use std::io::Read as _;
            let mut text = Vec::with_capacity(size.min(bytes.len().saturating_mul(64)));
            let decoder = zstd::stream::read::Decoder::new(bytes).ok()?;
            decoder.take(size as u64 + 1).read_to_end(&mut text).ok()?;
            (text.len() == size).then_some(Cow::Owned(text))
        }
        _ => None,
    }
}
