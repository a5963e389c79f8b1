//! Texts that were written to tell the scanners apart.

use super::{compare, to_json};

/// Texts that this scanner reads.
const READ: &[&str] = &[
    "",
    "\n",
    "# c\n",
    "a",
    "a: b",
    "a: b\n",
    "---\na: b\n",
    "--- # c\n- a\n",
    "# c\n---\na: 1\n",
    "a:\n",
    "a:\nb:\n",
    "-\n",
    "-\n-\n",
    "a:\n- b\n- c\nd: e\n",
    "a:\n  - b\n  -\n  - c: d\n    e:\n    - f\n",
    "- - a\n  - b\n- - - c\n",
    "-   a: 1\n    b: 2\n",
    "- a:\n  - b\n- c\n",
    "a:\n-\n-\nb: c\n",
    "a:\n  b:\n    c:\nd: e\n",
    "a:\n  b:\n  - c\n  -\nd:\n",
    "a : b\n",
    "\"a\" : b\n'a': b\n",
    "a: b # c\n# d\n  # e\nf: g\n",
    "a: b#c\n",
    "a: 'b' # c\n",
    "a: b c  d   \n",
    "a: b\n  c\n",
    "a: b\n\n\n  c\n d\n",
    "a: b\n  # c\nd: e\n",
    "a\nb\n",
    "a\n\n b\n",
    "- a\n b\n- c\n",
    "a: x:y\nb: http://c/d\ne: -f\ng: --\nh: -1\n",
    "a: 'it''s'\nb: ''\nc: \"\"\nd: ''''\n",
    "a: 'x\n  y\n\n  z'\n",
    "a: \"x \\\n  y\\\n\n z\"\n",
    "a: \"\\0\\a\\b\\t\\n\\v\\f\\r\\e\\ \\\"\\\\\\N\\_\\L\\P\\x41\\u263a\\U0001F600\"\n",
    "a: \"\\\t\"\n",
    "a: \"x\ty\t\n\tz\"\n",
    "a: 'x  \n   y  '\n",
    "a: \" \n b\"\n",
    "a: |\n  b\n   c\n\n  d\n",
    "a: |-\n  b\n\n\nc: d\n",
    "a: |+\n  b\n\n\nc: d\n",
    "a: |2\n   b\n",
    "a: |2-\n   b\n",
    "a: |-2\n   b\n",
    "a: |\nb: c\n",
    "a: >\n  b\n  c\n\n  d\n   e\n  f\n\n   g\n\n\n  h\n",
    "a: >-\n\n  b\n",
    "a: >+\n  b\n\n",
    "a: | # c\n  b\n",
    "- |\n a\n- >\n b\n",
    "|\n a\n",
    "|1\n a\n",
    "a: |\n  b\n # c\nd: e\n",
    "a: |\n  b\n  # c\nd: e\n",
    "a: |\n  b\n  \tc\td\n",
    "a: |\n  x",
    "a: |+\n  x",
    "a: |\n",
    "a: |+\n\n\n",
    "a: |\n     \nb: c\n",
    "a: []\nb: {}\n",
    "a: [b, 'c', \"d\", [e, {f: g}], {h: [i]}]\n",
    "a: {b: c, \"d\":e, 'f' : g, h: [], i: {}}\n",
    "a: [b, c,]\n",
    "a: {b: c,}\n",
    "[a, b] # c\n",
    "{a: b}\n",
    "- [a]\n- {b: c}\n",
    "a: [b c d , e:f ]\n",
    "a: [-1, -b]\n",
    "a: [ ]\n",
    "a: é\né: [ü, {ö: 1}]\n",
    "é: 😀 # x\nb: [😀, c]\n",
    "a: [x#y]\n",
    "a: b\n\n \n  \n# c\n",
    "a: b\n   ",
    "a:   \n   b: c\n",
    "a: #c\n  b\n",
    "a:\n  |\n  b\n",
    "a:\n  'b'\n",
    "a:\n  [b]\n",
    "a: -\u{a0}b\n",
    "a: ---\n",
    "- ---\n",
    "a: b ...\n",
    "'a b': c\n",
    "a: ''\nb: ' '\n",
    "a: <<\n",
    "- <<\n",
    "a: b:c:d\n",
];

/// Texts that are left to libyaml.
const DECLINED: &[&str] = &[
    "a: &b c\n",
    "a: *b\n",
    "a: !b c\n",
    "<<: {a: b}\n",
    "{<<: {a: b}}\n",
    "a: \"b\\'c\"\n",
    "a: \"b\\/c\"\n",
    "a: [b?c]\n",
    "a: {b?: c}\n",
    "a: [b:, c]\n",
    "a: [!b,c d]\n",
    "---\n\u{feff}a: b\n",
    "? a\n: b\n",
    "a:\tb\n",
    "\ta: b\n",
    "a: b\t\n",
    "a: b\n\tc\n",
    "%YAML 1.1\n---\na\n",
    "a: b\r\n",
    "a: \u{85}\n",
    "a: \u{2028}b\n",
    "a: \u{feff}b\n",
    "a: \u{7f}\n",
    "a: \u{1}\n",
    "a: b: c\n",
    "a: b\nc\n",
    "a: b\n c: d\n",
    "a:\n  b\n  c: d\n",
    "- a\nb: c\n",
    "a: b\n- c\n",
    "a: - b\n",
    "a: [b\n",
    "a: [b,\n c]\n",
    "a: [b: c]\n",
    "a: {b}\n",
    "a: {b: }\n",
    "a: [b] c\n",
    "[a]: b\n",
    "a: 'b' c\n",
    "a: 'b'#c\n",
    "a: 'b\n",
    "a: \"\\q\"\n",
    "a: \"\\ud800\"\n",
    "a: \"\\x4\"\n",
    "a: |0\n",
    "a: |#c\n b\n",
    "a: |x\n",
    "a: |\n\tb\n",
    "a: |\n  \tb\n",
    "a: |\n    \n  b\n",
    "a: |\n   \n  \n  b\n",
    "a: b\n---\nc\n",
    "a: b\n...\n",
    "'a\n b': c\n",
    "a: @b\n",
    "a: `b\n",
    "a: %b\n",
    "a: ,b\n",
    "a: ]b\n",
    "---\n",
    "--- a\n",
    "...\n",
    "a: 'b\n---\nc'\n",
    "a: [b ,, c]\n",
    "a: [, b]\n",
    "a: [#c\n]\n",
    "a: [b #c]\n",
    "a: [b::]\n",
    "a: [?b]\n",
    "a: {b: c: d}\n",
    "\"a\":b\n",
    "a: [-]\n",
    "a: {'b'}\n",
    "a: [a]b\n",
    ": a\n",
    "a: :b\n",
    "&a b: c\n",
    "  a: b\nc: d\n",
    "  - a\n- b\n",
    "a:\n  b: c\n d: e\n",
    "a: |\n  b\n c: d\n",
    "- a:b:\n    c\n  d",
];

#[test]
fn what_is_told_is_what_libyaml_tells() {
    for text in READ {
        assert!(compare(text.as_bytes()), "{text:?}");
        let marked = format!("---\n{text}");
        compare(marked.as_bytes());
        let inside: String = format!("x:\n{text}").lines().map(|line| format!("  {line}\n")).collect();
        compare(inside.as_bytes());
    }
    let long = "k".repeat(500);
    assert!(compare(format!("{long}: a\n").as_bytes()));
    assert!(!compare(format!("k{long}: a\n").as_bytes()));
    assert!(!compare(format!("{{k{long}: a}}\n").as_bytes()));
    assert!(!compare(b"a: \xff\n"));
}

#[test]
fn what_is_rare_or_wrong_is_declined() {
    for text in DECLINED {
        assert!(!compare(text.as_bytes()), "{text:?}");
    }
    let deep = "- ".repeat(600);
    assert!(!compare(format!("{deep}a\n").as_bytes()));
    assert!(!compare("[".repeat(600).as_bytes()));
}

#[test]
fn scalars_that_are_too_long_for_a_token_are_left_to_libyaml() {
    let long = "x".repeat(33 << 20);
    let lines = "  0123456789abcdef0123456789abcdef\n".repeat(33 << 15);
    let texts = [format!("a: {long}\n"), format!("a: \"{long}\"\n"), format!("a: |\n{lines}"), format!("a:\n{lines}")];
    for text in &texts {
        assert!(!compare(text.as_bytes()), "{:?} of {} bytes", &text[..8], text.len());
    }
    // The scanner of libyaml sees each run of letters without its middle.
    let half = &long[..20 << 20];
    assert!(to_json(format!("a: \"{half}-{half}\"\n").as_bytes(), &mut Vec::new()).is_err());
}
