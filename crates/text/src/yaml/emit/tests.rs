use libyaml_safer::{Emitter, Event, MappingStyle, ScalarStyle, SequenceStyle};

use super::*;
use crate::json::Reader;
use crate::yaml::to_json;

fn yaml(json: &str) -> String {
    let mut out = b"x".to_vec();
    let mut reader = Reader::new();
    let (value, _) = reader.read_at(json, 0).unwrap();
    match write(value, &mut out) {
        Ok(()) => String::from_utf8(out.split_off(1)).unwrap(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn writes() {
    let long = "word ".repeat(20);
    let long = long.trim_end();
    let cases = [
        ("{}".to_owned(), "{}\n"),
        ("[]".to_owned(), "[]\n"),
        ("null".to_owned(), "null\n"),
        (r#""a\nb\n""#.to_owned(), "|\n  a\n  b\n"),
        (r#"{"b":1,"a":2,"b":3}"#.to_owned(), "a: 2\nb: 3\n"),
        (
            r#"{"a":[],"b":{},"c":[[1,[]],[{"x":1,"y":[2]}]],"d":{"e":{"f":null}}}"#.to_owned(),
            "a: []\nb: {}\nc:\n- - 1\n  - []\n- - x: 1\n    \"y\":\n    - 2\nd:\n  e:\n    f: null\n",
        ),
        (
            r#"[1,1.0,-0.0,1e21,1e20,1e-7,123456789012,12345678.9,9007199254740993,18446744073709551615]"#.to_owned(),
            "- 1\n- 1\n- 0\n- 1e+21\n- 1e+20\n- 1e-07\n- 123456789012\n- 1.23456789e+07\n- 9007199254740992\n- 1.8446744073709552e+19\n",
        ),
        (
            r#"{"a":"x\n","b":"\n","c":"\n\n","d":"x\n\n","e":"x\ny","f":" x\n"}"#.to_owned(),
            "a: |\n  x\nb: |2+\n\nc: |2+\n\n\nd: |+\n  x\n\ne: |-\n  x\n  y\nf: |2\n   x\n",
        ),
        (
            r#"{"k\nl":1,"k\nm\n":[1,{"a":2}],"k\nn":{"a":1,"b":2}}"#.to_owned(),
            "? |-\n  k\n  l\n: 1\n? |\n  k\n  m\n: - 1\n  - a: 2\n? |-\n  k\n  n\n: a: 1\n  b: 2\n",
        ),
        (
            r#"{"a":"é😀\t\u0000\u0001\u001b\"\\\u2028\ufeff"}"#.to_owned(),
            "a: \"é\\U0001F600\\t\\0\\x01\\e\\\"\\\\\\L\\uFEFF\"\n",
        ),
        (r#"{"a":"x\u2028y","b":"\u2028"}"#.to_owned(), "a: 'x\u{2028}  y'\nb: '\u{2028}'\n"),
        ("{\"a\":\"x\u{85}y\"}".to_owned(), "a: x y\n"),
        ("{\"a\u{85}b\":1}".to_owned(), "yaml: line 1: did not find expected ',' or '}'"),
        ("{\"z\":[{\"a\u{85}b\":1}]}".to_owned(), "yaml: line 1: did not find expected ',' or '}'"),
        ("{\"y\":\"\u{85}\u{85}\",\"z\":{\"\u{85}\":1}}".to_owned(), "yaml: line 2: did not find expected ',' or '}'"),
        ("{\"y\":\"\u{85}\u{85}\",\"\u{85}\":1}".to_owned(), "yaml: line 3: did not find expected ',' or '}'"),
        (
            r#"{"\ufeffk":"\ufeff.v1 \u00e9\u00a0\"\ud83d\ude00"}"#.to_owned(),
            "\"\\uFEFF\\x6B\": \"\\uFEFF\\x2E\\x76\\x31\\x20\\xE9\\_\\\"\\U0001F600\"\n",
        ),
        (r#"{"a":"b\ufeff.v1"}"#.to_owned(), "a: \"b\\uFEFF.v1\"\n"),
        ("{\"a\":\"x\u{7F}y\"}".to_owned(), "yaml: control characters are not allowed"),
        ("{\"x\u{80}y\":1}".to_owned(), "yaml: control characters are not allowed"),
        ("{\"a\":\"\u{1FFFE}\"}".to_owned(), "a: \"\\U0001FFFE\"\n"),
        (
            format!(r#"{{"a":"{long}"}}"#),
            "a: word word word word word word word word word word word word word word word word\n  word word word word\n",
        ),
        (
            format!(r#"{{"a":"\t{long}  b"}}"#),
            "a: \"\\tword word word word word word word word word word word word word word word word\n  word word word word  b\"\n",
        ),
    ];
    for (json, expected) in cases {
        assert_eq!(yaml(&json), expected, "{json}");
    }
}

/// The same document by the library's emitter, which has the same rules as go-yaml's.
fn by_library(value: Value<'_>, emitter: &mut Emitter<'_>) {
    let scalar = |text: &str, style| Event::scalar(None, None, text, true, true, style);
    match value.kind() {
        Kind::Array => {
            emitter.emit(Event::sequence_start(None, None, true, SequenceStyle::Block)).unwrap();
            value.items().for_each(|item| by_library(item, emitter));
            emitter.emit(Event::sequence_end()).unwrap();
        }
        Kind::Object => {
            emitter.emit(Event::mapping_start(None, None, true, MappingStyle::Block)).unwrap();
            let mut members: Vec<_> =
                value.members().map(|(key, value)| Entry { key: key.as_str().unwrap(), value }).collect();
            sort_by_key(&mut members, 0, |entry| &entry.key);
            keep_last_of_equal(&mut members, 0);
            for entry in members {
                emitter.emit(scalar(&entry.key, requested(&entry.key))).unwrap();
                by_library(entry.value, emitter);
            }
            emitter.emit(Event::mapping_end()).unwrap();
        }
        Kind::PlainString | Kind::EscapedString => {
            let text = value.as_str().unwrap();
            emitter.emit(scalar(&text, requested(&text))).unwrap();
        }
        _ => emitter.emit(scalar(value.raw(), ScalarStyle::Plain)).unwrap(),
    }
}

/// The style that go-yaml asks the emitter for.
fn requested(text: &str) -> ScalarStyle {
    use crate::yaml::scalar::{Scalar, resolve_plain};
    match resolve_plain(text) {
        _ if text.contains('\n') => ScalarStyle::Literal,
        Scalar::Str(_) => ScalarStyle::Plain,
        _ => ScalarStyle::DoubleQuoted,
    }
}

/// A small generator, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn text(&mut self) -> String {
        const PIECES: [&str; 32] = [
            "\r",
            "\u{1}",
            "b",
            "\n\n",
            "é",
            "#",
            ":",
            "-",
            "\"",
            "\\",
            "\t",
            "?",
            ",",
            "[",
            "---",
            "...",
            "1",
            "~",
            "\u{A0}",
            "0",
            "|",
            ">",
            "%",
            "{",
            "\n",
            "'",
            "  ",
            "a",
            " ",
            "word",
            "word word word word",
            "longer-words-without-any-blank-in-them",
        ];
        // Half the texts are prose, which is wrapped.
        let (most, kinds) = [(6, 32), (40, 4), (40, 7), (12, 32)][self.roll(4) as usize];
        (0..self.roll(most)).map(|_| PIECES[(31 - self.roll(kinds)) as usize]).collect()
    }

    fn json(&mut self, depth: u64, out: &mut Vec<u8>) {
        match self.roll(if depth == 0 { 4 } else { 7 }) {
            0 => out.extend_from_slice(b"null"),
            1..=3 => crate::json::write_string(&self.text(), out),
            4 => {
                out.push(b'[');
                for idx in 0..self.roll(4) {
                    out.extend_from_slice(if idx == 0 { b"" } else { b"," });
                    self.json(depth - 1, out);
                }
                out.push(b']');
            }
            _ => {
                out.push(b'{');
                for idx in 0..self.roll(4) {
                    out.extend_from_slice(if idx == 0 { b"" } else { b"," });
                    crate::json::write_string(&self.text(), out);
                    out.push(b':');
                    self.json(depth - 1, out);
                }
                out.push(b'}');
            }
        }
    }
}

#[test]
fn agrees_with_the_library_and_reads_back() {
    let mut dice = Dice(1);
    for round in 0..20_000 {
        let mut json = Vec::new();
        dice.json(4, &mut json);
        let json = String::from_utf8(json).unwrap();
        let mut reader = Reader::new();
        let (value, _) = reader.read_at(&json, 0).unwrap();
        let mut ours = Vec::new();
        write(value, &mut ours).unwrap();

        let mut theirs = Vec::new();
        let mut emitter = Emitter::new();
        emitter.set_output_string(&mut theirs);
        emitter.set_unicode(true);
        emitter.emit(Event::stream_start(libyaml_safer::Encoding::Utf8)).unwrap();
        emitter.emit(Event::document_start(None, &[], true)).unwrap();
        by_library(value, &mut emitter);
        emitter.emit(Event::document_end(true)).unwrap();
        emitter.flush().unwrap();
        drop(emitter);
        let (ours, theirs) = (String::from_utf8(ours).unwrap(), String::from_utf8(theirs).unwrap());
        assert_eq!(ours, theirs, "round {round}: {json}");

        let mut back = Vec::new();
        to_json(ours.as_bytes(), &mut back).unwrap();
        let back = String::from_utf8(back).unwrap();
        let mut again = Reader::new();
        let (again, _) = again.read_at(&back, 0).unwrap();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        crate::json::write_compact(value, &mut a);
        crate::json::write_compact(again, &mut b);
        assert_eq!(String::from_utf8(a), String::from_utf8(b), "round {round}");
    }
}

/// An attack: each word and each line of a deep text begins with the blanks of all its levels.
#[test]
fn deep_texts_that_wrap_everywhere_are_refused() {
    let n = 4_000;
    for text in ["a ".repeat(100_000), "a\\n".repeat(100_000), "a\\u2028".repeat(100_000), "a\u{2028}".repeat(100_000)]
    {
        let written = yaml(&format!("{}\"{text}\"{}", "{\"a\":".repeat(n), "}".repeat(n)));
        assert_eq!(written, crate::json::EXPANDS_TOO_FAR);
        let flat = yaml(&format!("{{\"a\":\"{text}\"}}"));
        assert!(flat.len() < 16 * text.len(), "{} bytes", flat.len());
    }
}

#[test]
fn texts_longer_than_a_token_are_refused() {
    for (text, is_written) in [("a".repeat(31 << 20), true), ("a".repeat(33 << 20), false)] {
        for document in [format!("{{\"a\":\"{text}\"}}"), format!("{{\"{text}\":1}}")] {
            let written = yaml(&document);
            assert_eq!(written != crate::json::EXPANDS_TOO_FAR, is_written, "{} bytes", document.len());
        }
    }
}
