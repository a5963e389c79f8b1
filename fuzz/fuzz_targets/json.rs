//! Reading JSON: rewritten values read as the same, the parts are in the text, and nothing panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmdex::json::{Paths, Reader, Value, decode_utf8, locate_all, write_compact, write_pretty};

fuzz_target!(|text: &[u8]| {
    let text = decode_utf8(text);
    let mut reader = Reader::new();
    let Ok(value) = reader.read(&text) else { return };
    let mut compact = Vec::new();
    write_compact(value, &mut compact);
    let compact = String::from_utf8(compact).expect("JSON is text");
    let mut again = Vec::new();
    write_compact(Reader::new().read(&compact).expect("what is written can be read"), &mut again);
    assert_eq!(compact.as_bytes(), again);
    let mut pretty = Vec::new();
    write_pretty(value, 4, 0, &mut pretty);
    let pretty = String::from_utf8(pretty).expect("JSON is text");
    again.clear();
    write_compact(Reader::new().read(&pretty).expect("what is written can be read"), &mut again);
    assert_eq!(compact.as_bytes(), again);
    let mut open: Vec<Value<'_>> = vec![value];
    while let Some(value) = open.pop() {
        assert!(text.get(value.offset()..value.end()).is_some());
        let _ = (value.as_str(), value.as_f64(), value.as_bool(), value.get_field("name"), value.get("name"));
        open.extend(value.items());
        open.extend(value.members().map(|(_, member)| member));
    }
    let mut paths = Paths::default();
    paths.add(&["a".into(), 0.into(), "b".into()]);
    let _ = locate_all(&text, &paths);
});
