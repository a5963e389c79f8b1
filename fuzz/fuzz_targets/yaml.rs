//! YAML to JSON and back: composed values are JSON, rewritten ones read as the same, and nothing panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmdex::json::{Paths, Reader, decode_utf8, write_compact};
use olmdex::yaml;

fuzz_target!(|text: &[u8]| {
    let mut composed = Vec::new();
    if yaml::to_json(text, &mut composed).is_err() {
        return;
    }
    let composed = decode_utf8(&composed).into_owned();
    let mut reader = Reader::new();
    // Only depth and size can stop the second reader.
    let Ok(value) = reader.read(&composed) else { return };
    let mut normal = Vec::new();
    write_compact(value, &mut normal);
    let mut written = Vec::new();
    if yaml::write(value, &mut written).is_ok() {
        let mut back = Vec::new();
        yaml::to_json(&written, &mut back).expect("what is written can be read");
        let back = decode_utf8(&back).into_owned();
        let mut again = Vec::new();
        write_compact(Reader::new().read(&back).expect("what is composed is JSON"), &mut again);
        // Characters that libyaml takes for line breaks come back as blanks or newlines, as in opm. Minus zero comes
        // back as the integer that it is written as.
        if !normal.windows(2).any(|it| it == b"-0" || it == b"\\r" || it == [0xC2, 0x85] || it == b"\\u") {
            assert_eq!(decode_utf8(&again), decode_utf8(&normal), "{}", decode_utf8(&written));
        }
    }
    let mut paths = Paths::default();
    paths.add(&["a".into(), 0.into(), "b".into()]);
    let _ = yaml::locate_all(text, &paths);
});
