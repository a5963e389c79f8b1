//! Ignore files: nothing panics or takes for ever, whatever the patterns and the names.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmdex::fbc::Ignore;

fuzz_target!(|data: (&[u8], &[u8], &[u8])| {
    let (outer, inner, path) = data;
    let path: Vec<Vec<u8>> = path.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect();
    let mut ignore = Ignore::default();
    let _ = ignore.add_file(&[], outer);
    let _ = ignore.add_file(&path[..1], inner);
    let _ = ignore.hides(&path);
});
