use super::*;

fn json(text: &str) -> String {
    let mut out = b"[".to_vec();
    match to_json(text.as_bytes(), &mut out) {
        Ok(_) => String::from_utf8(out.split_off(1)).unwrap(),
        Err(error) => {
            assert_eq!(out, b"[", "the output is as before");
            format!("! {error}")
        }
    }
}

#[test]
fn composes() {
    let cases = [
        ("a: 1\nb: [x, 'y', \"z\\n\"]\n", r#"{"a":1,"b":["x","y","z\n"]}"#),
        ("a: {}\nb: []\nc:\n", r#"{"a":{},"b":[],"c":null}"#),
        ("a: 1\na: 2\n", r#"{"a":1,"a":2}"#),
        ("foo\n", r#""foo""#),
        ("a: b\n  c\n", r#"{"a":"b c"}"#),
        ("a: b\n...\nc: d\n", r#"{"a":"b"}"#),
        ("{a: b} {c: d}\n", r#"{"a":"b"}"#),
        ("\u{FEFF}a: 1\n", r#"{"a":1}"#),
        ("\u{FF41}: 1\n", "{\"\u{FF41}\":1}"),
        ("a: |\n  x", r#"{"a":"x\n"}"#),
        (
            "- 9007199254740993\n- 18446744073709551615\n- 18446744073709551616\n",
            "[9007199254740993,18446744073709551615,18446744073709552000]",
        ),
        ("- 1e21\n- 1e-7\n- -0.0\n- 4.10\n- 1.0\n", "[1e+21,1e-7,-0,4.1,1]"),
        ("- 2020-01-02\n- !!binary aGVsbG8=\n- !x 1\n- ! 1\n- !!str 1\n", r#"["2020-01-02","hello","1","1","1"]"#),
        // Keys.
        (
            "0x10: a\n1.5: b\ny: c\n'y': d\n2020-01-02: e\n1e7: f\n",
            r#"{"16":"a","1.5":"b","true":"c","y":"d","2020-01-02":"e","1e+07":"f"}"#,
        ),
        ("? a\n: b\n? |\n  c\n: d\n", r#"{"a":"b","c\n":"d"}"#),
        (".inf: 1\n", r#"{".inf":1}"#),
        // Anchors.
        ("a: &x 1\nb: *x\n*x : c\n", r#"{"a":1,"b":1,"1":"c"}"#),
        (
            "a: &x [1, {b: 2}]\nb: *x\nc: [*x, *x]\n",
            r#"{"a":[1,{"b":2}],"b":[1,{"b":2}],"c":[[1,{"b":2}],[1,{"b":2}]]}"#,
        ),
        ("&k a: *k\n", r#"{"a":"a"}"#),
        ("a: &x 1\nb: &x 2\nc: *x\n", r#"{"a":1,"b":2,"c":2}"#),
        ("a: &x\nb: *x\n", r#"{"a":null,"b":null}"#),
        // Merges.
        ("b: &b {x: 1, z: 9}\nm: {x: 3, <<: *b}\n", r#"{"b":{"x":1,"z":9},"m":{"x":3,"x":1,"z":9}}"#),
        ("b: &b {x: 1}\nm: {<<: *b, x: 3}\n", r#"{"b":{"x":1},"m":{"x":1,"x":3}}"#),
        ("b: &b {x: 1}\nm: {<<: [*b, {x: 7, q: 1}]}\n", r#"{"b":{"x":1},"m":{"x":7,"q":1,"x":1}}"#),
        ("\"<<\": lit\n!!merge '<<': {a: b}\n", r#"{"<<":"lit","a":"b"}"#),
        ("<<: {}\na: 1\n<<: [{}, {}]\n<<: []\nb: 2\n", r#"{"a":1,"b":2}"#),
        ("<<: &m {x: &y [1]}\na: *m\nb: *y\n", r#"{"x":[1],"a":{"x":[1]},"b":[1]}"#),
        (
            "<<: &l [{a: &y {p: 1}}, {a: 2, <<: {c: *y}}]\nd: *l\ne: *y\n",
            r#"{"a":2,"c":{"p":1},"a":{"p":1},"d":[{"a":{"p":1}},{"a":2,"c":{"p":1}}],"e":{"p":1}}"#,
        ),
        ("a: <<\n- <<\n", "! yaml: line 1: did not find expected key"),
        ("[<<]\n", r#"["<<"]"#),
        ("{a: !<x> , b: '!<y>,'}\n", r#"{"a":"","b":"!<y>,"}"#),
    ];
    for (text, expected) in cases {
        assert_eq!(json(text), expected, "{text}");
    }
}

#[test]
fn tells_null_documents() {
    for text in ["", "\n", "# c\n", "---\n", "null\n", "~\n", "--- # c\n"] {
        let mut out = Vec::new();
        assert_eq!(to_json(text.as_bytes(), &mut out), Ok(Document::Null), "{text:?}");
        assert_eq!(out, b"null");
    }
    assert_eq!(to_json(b"''\n", &mut Vec::new()), Ok(Document::Value));
    assert_eq!(to_json(b"[null]\n", &mut Vec::new()), Ok(Document::Value));
}

#[test]
fn words_errors_as_go_yaml_does() {
    let cases = [
        ("schema: c\na:\n\tb: 1\n", "yaml: line 3: found character that cannot start any token"),
        ("schema: c\n  a: b\n", "yaml: line 2: mapping values are not allowed in this context"),
        ("a: b: c\n", "yaml: mapping values are not allowed in this context"),
        ("a: [\n", "yaml: line 1: did not find expected node content"),
        ("a: \"\u{1}\"\n", "yaml: control characters are not allowed"),
        ("%YAML 1.2\n---\na\n", "yaml: found incompatible YAML document"),
        ("%YAML 1.2\n", "yaml: found incompatible YAML document"),
        ("# c\n%TAG ! x\n%YAML 1.2\n", "yaml: line 2: found incompatible YAML document"),
        ("%YAML 1.1\n", "yaml: line 1: did not find expected <document start>"),
        ("a: !!int abc\n", "yaml: cannot decode !!str `abc` as a !!int"),
        ("a: {<<: 3}\n", "yaml: map merge requires map or sequence of maps as the value"),
        ("a: &l [{}]\n<<: *l\n", "yaml: map merge requires map or sequence of maps as the value"),
        ("<<: [[]]\n", "yaml: map merge requires map or sequence of maps as the value"),
        ("v: .inf\n", "json: unsupported value: +Inf"),
        ("[-.inf, .nan]\n", "json: unsupported value: -Inf"),
        ("~: x\n", "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"x\""),
        ("a: .nan\n~: 1\n", "unsupported map key of type: %!s(<nil>), key: <nil>, value: 1"),
        ("18446744073709551615: 1\n", "unsupported map key of type: uint64, key: 0xffffffffffffffff, value: 1"),
        ("{{ .a }}: 1\n", "yaml: invalid map key: map[interface {}]interface {}{\".a\":interface {}(nil)}"),
        ("? [a, 1]\n: b\n", "yaml: invalid map key: []interface {}{\"a\", 1}"),
        ("a: &a [*a]\n", "yaml: anchor 'a' value contains itself"),
        ("a: *b\n", "yaml: unknown anchor 'b' referenced"),
        ("a: !!int x\nb: *b\n", "yaml: unknown anchor 'b' referenced"),
        ("a: !!int x\nb: [\n", "yaml: line 2: did not find expected node content"),
        ("a: .nan\nb: !!int x\n", "yaml: cannot decode !!str `x` as a !!int"),
        ("---\n[!<x>,1]\n", "yaml: line 2: did not find expected whitespace or line break"),
        ("a: b\n[!<x>,1]\n", "yaml: line 3: could not find expected ':'"),
        ("[!<x>,1]\n", "yaml: did not find expected whitespace or line break"),
    ];
    for (text, expected) in cases {
        assert_eq!(json(text), format!("! {expected}"), "{text}");
    }
    let bytes: [(&[u8], &str); 4] = [
        (b"a: \xFF\n", "yaml: invalid leading UTF-8 octet"),
        (b"a: \xC3(\n", "yaml: invalid trailing UTF-8 octet"),
        (b"a: \xC3", "yaml: incomplete UTF-8 octet sequence"),
        (b"a: \xED\xA0\x80\n", "yaml: invalid Unicode character"),
    ];
    for (text, expected) in bytes {
        assert_eq!(to_json(text, &mut Vec::new()).unwrap_err().to_string(), expected);
    }
}

#[test]
fn knows_the_true_place() {
    for (text, line, column) in
        [("a: [\n", 2, 1), ("a: é\nb: é\u{1}\n", 2, 5), ("a: !!int x\n", 1, 4), ("é: *b\n", 1, 4)]
    {
        let error = to_json(text.as_bytes(), &mut Vec::new()).unwrap_err();
        assert_eq!((error.line, error.column), (Some(line), Some(column)), "{text}");
    }
}

#[test]
fn limits_depth_before_the_scanner_gets_slow() {
    let nested = |levels: usize| format!("{}{}\n", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(json(&nested(MAX_DEPTH)).len(), 2 * MAX_DEPTH);
    assert_eq!(json(&nested(MAX_DEPTH + 1)), "! yaml: exceeded max depth of 10000");
    assert_eq!(json(&"[".repeat(200_000)), "! yaml: exceeded max depth of 10000");
    assert_eq!(json(&"? ".repeat(100_000)), "! yaml: exceeded max depth of 10000");
    assert_eq!(json(&"- ".repeat(100_000)), "! yaml: exceeded max depth of 10000");
    let deep = format!("- &a {}{}\n- {}*a{}\n", "[".repeat(6000), "]".repeat(6000), "[".repeat(5000), "]".repeat(5000));
    assert_eq!(json(&deep), "! yaml: exceeded max depth of 10000");
}

#[test]
fn limits_aliases() {
    let mut laughs = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for n in 1..10 {
        let aliases = vec![format!("*a{}", n - 1); 9].join(", ");
        laughs.push_str(&format!("a{n}: &a{n} [{aliases}]\n"));
    }
    assert_eq!(json(&laughs), "! yaml: document contains excessive aliasing");
    let long = format!("a: &a '{}'\nb: [{}]\n", "x".repeat(1 << 20), vec!["*a"; 300].join(", "));
    assert_eq!(json(&long), format!("! yaml: {}", crate::json::EXPANDS_TOO_FAR));
    let harmless = format!("a: &a [1, 2]\nb: [{}]\n", vec!["*a"; 1000].join(", "));
    assert!(!json(&harmless).starts_with('!'));
}

#[test]
fn documents_of_an_input_share_what_aliases_may_add() {
    let of =
        |n_copies: usize| format!("a: &a '{}'\nb: [1, {}]\n", "x".repeat(1 << 20), vec!["*a"; n_copies].join(", "));
    let expansion = Expansion::default();
    let read = |text: &str| to_json_within(text.as_bytes(), &mut Vec::new(), &expansion);
    // The first copy is as long as the document.
    assert_eq!(read(&of(129)), Ok(Document::Value));
    for _ in 0..10 {
        assert_eq!(read(&of(1)), Ok(Document::Value), "twice its size costs nothing");
    }
    assert_eq!(read(&of(129)), Ok(Document::Value));
    let error = read(&of(3)).unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (YamlErrorKind::Limit, crate::json::EXPANDS_TOO_FAR));
    assert_eq!(read(&of(1)), Ok(Document::Value), "what needs none of it is read");
    let merged = format!("a: &a {{x: '{}'}}\n{}", "x".repeat(1 << 20), "b: {<<: *a}\n".repeat(4));
    assert!(read(&merged).is_err(), "merge keys are charged too");
}

#[test]
fn what_stands_behind_the_first_document_is_noticed() {
    for (text, line) in [
        ("a: 1\n", None),
        ("a: 1\n# end\n", None),
        ("a: 1\n...\n# end\n", None),
        ("---\na: 1\n...\n...\n", None),
        ("a: 1\n...\nb: 2\n", Some(3)),
        ("{a: 1}\n{b: 2}\n", Some(2)),
        ("{a: 1}\n\n  ]\n", Some(3)),
        ("\u{feff}{\"a\": 1}\n{\"b\": 2}\n", Some(2)),
    ] {
        let mut out = Vec::new();
        assert_eq!(
            to_json_and_rest(text.as_bytes(), &mut out, None, &Expansion::default()),
            Ok((Document::Value, line)),
            "{text:?}"
        );
    }
}

/// The differences between libyaml 0.1.4, as go-yaml has it, and the library: Y1 to Y6. The verdicts are opm's.
#[test]
fn reads_as_libyaml_0_1_4() {
    let cases = [
        // Y1: a question mark ends a plain scalar in brackets.
        ("{u: http://h/p?q=1}\n", "! yaml: did not find expected ',' or '}'"),
        ("a:\n  {u: http://h/p?q=1}\n", "! yaml: line 1: did not find expected ',' or '}'"),
        ("- [a?b]\n", "! yaml: did not find expected ',' or ']'"),
        ("- [a: b?c]\n", "! yaml: did not find expected ',' or ']'"),
        ("- {a?b: c}\n", "! yaml: did not find expected ',' or '}'"),
        ("- [a\n ?b]\n", "! yaml: line 1: did not find expected ',' or ']'"),
        ("- [\"a?b\", '?', {\"c?\": d}]\n- a?b\n- ?c\n", r#"[["a?b","?",{"c?":"d"}],"a?b","?c"]"#),
        ("[{? a : b}]\n", r#"[{"a":"b"}]"#),
        // Y2 and Y3: escapes.
        (r#""a\/b""#, "! yaml: found unknown escape character"),
        ("- 1\n- \"a\\/b\"\n", "! yaml: line 2: found unknown escape character"),
        (r#"["a\\/b", 'a\/b', a\/b]"#, r#"["a\\/b","a\\/b","a\\/b"]"#),
        (r#""it\'s""#, r#""it's""#),
        (r#"["it\'s", 'it\', it\'s, "\\", '\''', "\'"]"#, r#"["it's","it\\","it\\'s","\\","\\'","'"]"#),
        ("- \"\\'\"\n- |\n  \\'\n# \\'\n- 'x\\'\n- 'y\\'\n", r#"["'","\\'\n","x\\","y\\"]"#),
        // Y4: a colon before a comma or a bracket is text.
        ("[a:, b]\n", r#"["a:","b"]"#),
        ("{a:}\n", r#"{"a:":null}"#),
        ("[a:, {b:}, c:]\n", r#"["a:",{"b:":null},"c:"]"#),
        ("[a:[b]]\n", "! yaml: did not find expected ',' or ']'"),
        ("{\"a\":[1], 'b':{}, c: [d:, e]}\n", r#"{"a":[1],"b":{},"c":["d:","e"]}"#),
        ("[&a b:, *a ]\n", r#"["b:","b:"]"#),
        // Y5: a comma is a part of a tag.
        ("[!!str, b]\n", r#"["b"]"#),
        ("{x: [!!int, 5], w: '!!int, 5', z: [!a, 'b, c', d]}\n", r#"{"x":["5"],"w":"!!int, 5","z":["b, c","d"]}"#),
        ("[!a[b c]\n", r#"["c"]"#),
        // Y6: a byte order mark that is not the first character is text.
        ("---\n\u{feff}a: b\nc: d\n", "{\"\u{feff}a\":\"b\",\"c\":\"d\"}"),
        ("# c\n\u{feff}a: b\n", "{\"\u{feff}a\":\"b\"}"),
        ("a: b\n\u{feff}c: \u{feff}\n", "{\"a\":\"b\",\"\u{feff}c\":\"\u{feff}\"}"),
        ("---\n\u{feff}{a: b, c: d}\n", "! yaml: line 2: mapping values are not allowed in this context"),
    ];
    for (text, expected) in cases {
        assert_eq!(json(text), expected, "{text}");
    }
}

/// Y7: a value that JSON lacks is forgotten if a later member has its key.
#[test]
fn what_json_lacks_may_be_overwritten() {
    for (text, expected) in [
        ("k: .inf\nk: 1\n", r#"{"k":null    ,"k":1}"#),
        ("k: [-.inf, {a: .nan}]\nk: x\n", r#"{"k":[null    ,{"a":null    }],"k":"x"}"#),
        ("b: &b {x: .inf}\nb: {<<: *b, x: 1}\n", r#"{"b":{"x":null    },"b":{"x":null    ,"x":1}}"#),
        ("k: 1\nk: .inf\n", "! json: unsupported value: +Inf"),
        ("k: .inf\nK: 1\n", "! json: unsupported value: +Inf"),
        ("a: {k: .inf}\nb: {k: 1}\n", "! json: unsupported value: +Inf"),
        ("? [.inf, -.inf]\n: 1\n", "! yaml: invalid map key: []interface {}{+Inf, -Inf}"),
    ] {
        assert_eq!(json(text), expected, "{text}");
    }
}

/// Finding S19: each anchor was remembered, up to seven million of them.
#[test]
fn anchors_are_charged_while_they_are_read() {
    let text = format!("a:\n{}", (0..1_200_000).map(|at| format!("- &{at:x} 1\n")).collect::<String>());
    let error = to_json(text.as_bytes(), &mut Vec::new()).unwrap_err();
    assert_eq!(error.message, crate::json::EXPANDS_TOO_FAR);
}
