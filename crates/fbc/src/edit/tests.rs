use proptest::prelude::*;

use super::*;

const CHANNEL: &str = "\
---
# the channel
schema: olm.channel
name: 'stable' # quoted
package: kiln
entries:
  # the first
  - name: kiln.v1.0.0
  - name: kiln.v1.0.1 # good
    replaces: kiln.v1.0.0
    skips: [a, b]

  # the last
  - name: \"kiln.v1.1.0\"
    replaces: kiln.v1.0.1
x-note: |
  kept
";

/// A text, the expected result, and how it is reached; or the reason why it is written anew.
#[test]
fn lines_that_do_not_change_stay() {
    let entry = |name: &str, more: &str| format!(r#"{{"name":"{name}"{more}}}"#);
    let channel = |entries: &[String]| {
        format!(
            r#"{{"schema":"olm.channel","name":"stable","package":"kiln","entries":[{}],"x-note":"kept\n"}}"#,
            entries.join(",")
        )
    };
    let (first, second, third) = (
        entry("kiln.v1.0.0", ""),
        entry("kiln.v1.0.1", r#","replaces":"kiln.v1.0.0","skips":["a","b"]"#),
        entry("kiln.v1.1.0", r#","replaces":"kiln.v1.0.1""#),
    );
    let cases: Vec<(String, Vec<(&str, &str)>)> = vec![
        (channel(&[first.clone(), second.clone(), third.clone()]), vec![]),
        (
            channel(&[first.clone(), second.clone(), entry("kiln.v1.1.0", r#","replaces":"kiln.v1.0.0""#)]),
            vec![("    replaces: kiln.v1.0.1\n", "    replaces: kiln.v1.0.0\n")],
        ),
        (
            channel(&[first.clone(), second.clone(), entry("kiln.v1.1.0", "")]),
            vec![("    replaces: kiln.v1.0.1\n", "")],
        ),
        (
            channel(&[
                first.clone(),
                second.clone(),
                entry("kiln.v1.1.0", r#","replaces":"kiln.v1.0.1","skips":["x"]"#),
            ]),
            vec![("    replaces: kiln.v1.0.1\n", "    replaces: kiln.v1.0.1\n    skips:\n      - x\n")],
        ),
        (
            channel(&[entry("kiln.v1.0.0", r#","skipRange":"<1.0.0""#), second.clone(), third.clone()]),
            vec![("  - name: kiln.v1.0.0\n", "  - name: kiln.v1.0.0\n    skipRange: <1.0.0\n")],
        ),
        (
            channel(&[
                first.clone(),
                entry("kiln.v1.0.1", r#","replaces":"kiln.v1.0.0","skips":["a"]"#),
                third.clone(),
            ]),
            vec![("[a, b]", "[a]")],
        ),
        (
            channel(&[first.clone(), third.clone()]),
            vec![("  - name: kiln.v1.0.1 # good\n    replaces: kiln.v1.0.0\n    skips: [a, b]\n", "")],
        ),
        (channel(&[second.clone(), third.clone()]), vec![("  # the first\n  - name: kiln.v1.0.0\n", "")]),
        (
            channel(&[first.clone(), second.clone(), third.clone(), entry("kiln.v1.2.0", r#","replaces":"y""#)]),
            vec![(
                "    replaces: kiln.v1.0.1\n",
                "    replaces: kiln.v1.0.1\n  - name: kiln.v1.2.0\n    replaces: \"y\"\n",
            )],
        ),
        (
            channel(&[entry("new", ""), first.clone(), second.clone(), third.clone()]),
            vec![("  - name: kiln.v1.0.0\n", "  - name: new\n  - name: kiln.v1.0.0\n")],
        ),
        (
            channel(&[first, second, third]).replace("\"stable\"", "\"it's\""),
            vec![("'stable' # quoted", "'it''s' # quoted")],
        ),
    ];
    for ending in ["\n", "\r\n"] {
        for (new, changes) in &cases {
            let text = CHANNEL.replace('\n', ending);
            let edited = edit_document(text.as_bytes(), Syntax::Yaml, new).unwrap();
            let mut expected = CHANNEL.to_owned();
            for (from, to) in changes {
                assert_eq!(expected.matches(from).count(), 1, "{from}");
                expected = expected.replace(from, to);
            }
            assert_eq!(edited.rewritten, None, "{new}");
            assert_eq!(edited.text, expected.replace('\n', ending), "{new}");
        }
    }
}

#[test]
fn what_cannot_be_changed_in_place_is_written_anew_and_says_so() {
    for (text, new, words) in [
        ("a: &x {b: 1}\nc: *x\n", r#"{"a":{"b":2},"c":{"b":1}}"#, "anchor"),
        ("a: &x\n  b: 1\nc: *x\n", r#"{"a":{"b":1},"c":{"b":2}}"#, "anchor"),
        ("a: {b: 1,\n  c: 2}\n", r#"{"a":{"b":2,"c":2}}"#, "several lines"),
        ("x: {a: 1}\n<<: {b: 2}\n", r#"{"x":{"a":1},"b":3}"#, "merge key"),
    ] {
        let edited = edit_document(text.as_bytes(), Syntax::Yaml, new).unwrap();
        assert!(edited.rewritten.is_some_and(|it| it.contains(words)), "{text}: {:?}", edited.rewritten);
        assert_eq!(value_of(&edited.text, Syntax::Yaml), value_of(new, Syntax::Json), "{text}");
    }
}

#[test]
fn json_keeps_its_white_space() {
    let text = "{\n  \"schema\": \"x\",\n  \"entries\" : [\n    { \"name\": \"a\" },\n    { \"name\": \"b\",   \"skips\": [ ] }\n  ]\n}";
    for (new, from, to) in [
        (r#"{"schema":"x","entries":[{"name":"a"},{"name":"b","skips":[]}]}"#, "", ""),
        (r#"{"schema":"x","entries":[{"name":"b","skips":[]}]}"#, "{ \"name\": \"a\" },\n    ", ""),
        (r#"{"schema":"x","entries":[{"name":"a"},{"name":"b","skips":["c"]}]}"#, "[ ]", "[\n      \"c\"\n    ]"),
        (
            r#"{"schema":"x","entries":[{"name":"a"},{"name":"b","skips":[]},{"name":"c"}]}"#,
            "[ ] }",
            "[ ] },\n    {\n      \"name\": \"c\"\n    }",
        ),
        (
            r#"{"schema":"x","entries":[{"name":"a","replaces":"z"},{"name":"b","skips":[]}]}"#,
            "{ \"name\": \"a\" }",
            "{ \"name\": \"a\", \"replaces\": \"z\" }",
        ),
    ] {
        let edited = edit_document(text.as_bytes(), Syntax::Json, new).unwrap();
        assert_eq!(edited, Edited { text: text.replacen(from, to, 1), rewritten: None }, "{new}");
    }
}

/// JSON of two to three levels with few names, so that two of them have much in common.
fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (0..3_i64).prop_map(Into::into),
        prop::sample::select(vec!["", "a", "yes", "1.0", "it's", "a: b", "x #y", "- z", "two\nlines", "ü", "[", "\t"])
            .prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::btree_map(prop::sample::select(vec!["name", "b", "c", "yes"]), inner, 0..4).prop_map(
                |it| it
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            ),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_change_says_what_it_should(old in value(), new in value()) {
        let (old, new) = (serde_json::json!({"k": old, "z": 1}).to_string(), serde_json::json!({"k": new, "z": 1}).to_string());
        let mut reader = Reader::new();
        let mut yaml = Vec::new();
        yaml::write(reader.read(&old).unwrap(), &mut yaml).unwrap();
        for (text, syntax) in [(old.as_bytes(), Syntax::Json), (&yaml, Syntax::Yaml)] {
            let edited = edit_document(text, syntax, &new).unwrap();
            prop_assert_eq!(value_of(&edited.text, syntax), value_of(&new, Syntax::Json));
            if old == new {
                prop_assert_eq!(edited, Edited { text: String::from_utf8(text.to_vec()).unwrap(), rewritten: None });
            }
        }
    }
}

#[test]
fn anchors_and_aliases_stay_where_they_are() {
    for (text, new, expected) in [
        // A list that two share is changed once.
        ("a: &x # both\n- 1\nb: *x\n", r#"{"a":[1,{"k":2}],"b":[1,{"k":2}]}"#, "a: &x # both\n- 1\n- k: 2\nb: *x\n"),
        (
            "a: &x [1, &y 2]\nb: *x\nc: [*y]\n",
            r#"{"a":[1,2,3],"b":[1,2,3],"c":[2,4]}"#,
            "a: &x [1, &y 2, 3]\nb: *x\nc: [*y, 4]\n",
        ),
        // A node with an anchor is changed inside.
        (
            "- &x\n  a: 1 # one\n  b: 2\n- *x\n",
            r#"[{"a":1,"b":3},{"a":1,"b":3}]"#,
            "- &x\n  a: 1 # one\n  b: 3\n- *x\n",
        ),
        ("a: &x 'q'\nb: *x\n", r#"{"a":"r","b":"r"}"#, "a: &x 'r'\nb: *x\n"),
        // Keys that a merge key brings in stay, and so do the others of the mapping.
        (
            "- &x {s: c}\n- <<: *x\n  e:\n  - 1\n",
            r#"[{"s":"c"},{"s":"c","e":[1,2]}]"#,
            "- &x {s: c}\n- <<: *x\n  e:\n  - 1\n  - 2\n",
        ),
        // Brackets over several lines get an item at their end.
        ("a: [\n  1, # one\n  2,\n]\n", r#"{"a":[1,2,3]}"#, "a: [\n  1, # one\n  2, 3,\n]\n"),
        ("a: []\n", r#"{"a":[1]}"#, "a: [1]\n"),
    ] {
        let edited = edit_document(text.as_bytes(), Syntax::Yaml, new).unwrap();
        assert_eq!((edited.text.as_str(), edited.rewritten), (expected, None), "{text}");
    }
    // An alias that no longer has the right value cannot stay.
    for (text, new) in [
        ("a: &x\n- 1\nb: *x\n", r#"{"a":[1,2],"b":[1]}"#),
        ("- &x {s: c}\n- <<: *x\n  e: 1\n", r#"[{"s":"c"},{"s":"d","e":1}]"#),
        ("a: !!str 5\n", r#"{"a":"6"}"#),
    ] {
        let edited = edit_document(text.as_bytes(), Syntax::Yaml, new).unwrap();
        assert!(edited.rewritten.is_some_and(|it| it.contains("anchor")), "{text}");
        assert_eq!(value_of(&edited.text, Syntax::Yaml), value_of(new, Syntax::Json), "{text}");
    }
}
