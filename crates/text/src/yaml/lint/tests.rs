//! Cases for the linter. yamllint 1.38 said what is expected.

use super::lint;
use crate::tally::assert_grows_with_input;

/// Texts, and yamllint's problems with them. `{word}` stands for a word of 90 letters.
const CASES: &[(&str, &str)] = &[
    // anchors
    ("---\na: &x 1\nb: *x\nc: *y\n--- \nd: *x\n", "4:4 anchors, 5:4 trailing-spaces, 6:4 anchors"),
    // braces
    ("---\na: { b: 1 }\nc: { }\nd: {}\n", "2:5 braces, 2:10 braces, 3:5 braces"),
    // brackets
    ("---\na: [ 1 ]\nb: [  ]\nc: [\n  2\n]\n", "2:5 brackets, 2:7 brackets, 3:6 brackets"),
    // colons
    ("---\na:  b\nc : d\n?  e\n:  f\n", "2:4 colons, 3:2 colons, 4:3 colons, 5:3 colons"),
    ("---\nx: &x y\n*x : y\n*x  : z\n", "4:4 colons"),
    // commas
    ("---\na: [1 ,2,  3 , 4\n    , 5]\n", "2:6 commas, 2:8 commas, 2:11 commas, 2:13 commas, 3:4 commas"),
    // comments
    ("#!/bin/sh\n---\n#c\na: b # c\nd: \"e\"#f\n#!x\n##\n##x\n", ""),
    ("---\na: |  #c\n  # x\n #d\nb: c #e", "5:8 new-line-at-end-of-file"),
    // comments-indentation
    ("---\na:\n  b: c\n\n    # x\n  # y\n# z\n  # w\nd:\n# v\n  - e  # i\n       # u\n  # t\n", ""),
    ("  # a\n---\na: |\n  b\n # c\n  # d\ne: f\n", ""),
    // document-start
    ("# c\na: b\n---\nc: d\n...\n%YAML 1.2\n---\nd: yes\ne: True\n", ""),
    ("# c\n", ""),
    ("", ""),
    // empty-lines
    ("\n---\n\n\na: b\n\n\n\nc: d\n\n", "1:1 empty-lines, 8:1 empty-lines, 10:1 empty-lines"),
    ("\n", ""),
    ("\n\n", "2:1 empty-lines"),
    ("---\na: b\n\n\r\n\n\r\n\n\r\nc: d\n", "5:1 empty-lines, 7:1 empty-lines"),
    // hyphens
    ("---\n-  a\n- - b\n-   &x c\n-  # c\n  d\n", "2:3 hyphens, 4:4 hyphens"),
    // indentation
    ("---\na:\n   b: 1\nc:\n  d: 1\n", "5:3 indentation"),
    ("---\na:\n- b\nc:\n  - d\ne:\n   - f\n", "7:4 indentation"),
    ("---\na: {b: c,\n    d: e,\n  f: [\n  g\n    ]}\n", "4:3 indentation, 6:5 indentation"),
    ("---\na: {\nb: c\n}\nd:\n  e: f\n", "6:3 indentation"),
    ("---\na: {b:\n  c}\nd:\n  e: f\n", "5:3 indentation"),
    ("---\n- &x\n  a: b\n- !t\n   c: d\n- e: &y\n    f: &y !t\n   \n- g\n", "5:4 indentation, 8:1 trailing-spaces"),
    ("---\n? a:\n    b\n:\n   c\n? [d,\n    e]\n: - f\n  - g\n", "5:4 indentation, 7:5 indentation"),
    ("---\na:\n  b: \"c\nd\"\n  e: |\n       f\ng:\n    h\n", "8:5 indentation"),
    // key-duplicates
    (
        "---\na: 1\n\"a\": 2\n<<: {c: 1, c: 2}\n<<: [{d: 1}, {d: 1}]\n? a\n&x b: 1\nb: 2\n",
        "3:1 key-duplicates, 4:12 key-duplicates, 6:3 key-duplicates",
    ),
    ("---\na:\n- b: c\n  b: d\na: e\n", "4:3 key-duplicates, 5:1 key-duplicates"),
    // line-length
    ("---\n# {word}{word}\n# {word} {word}\na:\n  - {word}{word}\nb: {word}{word}\nc: [\n  {word}{word}]\n", ""),
    // new lines
    ("---\na: b", "2:5 new-line-at-end-of-file"),
    ("---\r\na: b\r\n", "1:4 new-lines"),
    ("---\na: b\r\n", ""),
    // trailing-spaces
    (
        "---\na: b \nb: |\n  c\t\n  \nd: e\u{A0}\nf: g \r\n",
        "2:5 trailing-spaces, 4:4 trailing-spaces, 5:1 trailing-spaces, 7:5 trailing-spaces",
    ),
    // truthy
    ("---\na: yes\nb: \"no\"\nc: !!str on\nOff: &x TRUE\ntrue: y\n", ""),
    // disable
    ("---\n# yamllint disable\na:  b \n# yamllint enable\nc:  d\n", "5:4 colons"),
    (
        "---\n# yamllint disable rule:colons rule:unknown\na:  b \n# yamllint enable rule:colons\nc:  d\n",
        "3:6 trailing-spaces, 5:4 colons",
    ),
    ("---\na:  b   # yamllint disable\nc:  d\n# yamllint enable rule:colons\ne:  f \n", "5:4 colons"),
    ("---\n# yamllint disable  rule:colons\n#yamllint disable\n# yamllint disable colons\na:  b\n", "5:4 colons"),
    (
        "---\na:  b  # yamllint disable-line\na:  b  # yamllint disable-line rule:colons\n\
         # yamllint disable-line\nb:  c \n# yamllint disable-line rule:colons\nd:  c \n",
        "3:1 key-duplicates, 7:6 trailing-spaces",
    ),
    ("# yamllint disable-file\na:  b: [\n", ""),
    ("#yamllint disable-file \r\n\ta\n", ""),
    ("\n# yamllint disable-file\na:  b\n", "1:1 empty-lines, 3:4 colons"),
    // syntax errors
    ("---\na: b: c \nd:  e \n", "2:5 syntax, 3:6 trailing-spaces"),
    ("---\n     a: b: c\nd:  \n", "2:6 indentation, 2:10 syntax, 3:3 trailing-spaces"),
    ("a: [ b,,c ]  \n", "1:5 brackets, 1:8 syntax, 1:9 commas, 1:10 brackets, 1:12 trailing-spaces"),
    ("---\na: b\t\n", "2:5 syntax"),
    ("---\na:\tb  # c\td\n", "2:3 syntax"),
    ("---\na: |\t# x\n  b\n", "2:5 syntax"),
    ("---\na: |# x\n  b\n", "2:5 syntax"),
    ("---\n- a\nb: c\n", "3:1 syntax"),
    ("---\na: b\n...\nc: d\n", "4:1 syntax"),
    ("%YAML 2.0\n---\na: b\n", "1:1 syntax"),
    ("%YAML 1.1\n%YAML 1.1\n---\n", "2:1 syntax"),
    ("%TAG !a! b\n%TAG !a! c\n---\n", "2:1 syntax"),
    ("---\na: !x!y b\n", "2:4 syntax"),
    ("---\na: \"x\\qy\"\n", "2:7 syntax"),
    ("---\na: \"b", "2:6 syntax"),
    ("---\na: {b: c?d}\n", "2:9 syntax"),
    ("---\na: &x &y b\n", "2:7 syntax"),
    ("---\na: *x b\n", "2:4 anchors, 2:7 syntax"),
    ("---\na: {b c}\n", ""),
    ("---\n[a]: b\n{c}\n", "4:1 syntax"),
    ("---\na: @b\n# yamllint disable\n", "2:4 syntax"),
    ("---\nmeta# x\ty\nb: c\n", "2:8 syntax"),
    // encodings
    ("\u{FEFF}---\na: b\n", ""),
    ("---\n\u{FEFF}a: b\n", ""),
    ("---\na: \"b\r c\"\ne:  f\n", "4:4 colons"),
    ("---\na: b\u{85}\n\u{2028}\nc:  d\n\n", "5:1 empty-lines, 6:4 colons"),
    // documents
    ("--- a\n--- |\n  x\n...\n# c\n---\n- !a,b c\n- ! d\n- !<e,f>  g\n", ""),
    // broken structure
    ("---\n:\n- a\n", "2:1 syntax, 2:1 indentation"),
    ("---\nx: 1\ny: 2\n- a\nx: 2\n", "4:1 syntax"),
    ("---\na:\n   - b: c\n   d:\n     e\n   f:\n", "4:4 syntax, 5:6 indentation, 6:4 indentation"),
];

/// Texts in other encodings.
const ENCODED: &[(&[u8], &str)] = &[
    (b"\xFF\xFEa\x00:\x00 \x00 \x00b\x00\n\x00", "1:4 colons"),
    (b"\xFE\xFF\x00a\x00\n", ""),
    (b"\x00a\x00\n", ""),
    (b"a\x00\x00\x00\n\x00\x00\x00", ""),
];

/// Texts at which yamllint ends with a traceback, and where this linter tells why.
const UNREADABLE: &[(&[u8], &str)] = &[
    (b"a:  b\nb: \xFF\n", "2:4 syntax"),
    (b"a: \x07\n", "1:4 syntax"),
    (b"\xFF\xFEa\x00\n\x00\x00\xD8b\x00", "2:1 syntax"),
    (b"\xFE\xFF\x00a\x00", "1:2 syntax"),
    (b"\x00\x00\x00a\x00\x11\x00\x00", "1:2 syntax"),
];

fn told(text: &[u8]) -> String {
    let told = lint(text).into_iter();
    let told = told.map(|problem| format!("{}:{} {}", problem.line, problem.column, problem.rule.unwrap_or("syntax")));
    told.collect::<Vec<_>>().join(", ")
}

#[test]
fn tells_what_yamllint_tells() {
    for (text, problems) in CASES {
        let text = text.replace("{word}", &"x".repeat(90));
        let told = told(text.as_bytes());
        // Where there is an error of syntax, yamllint leaves out one other problem.
        if problems.contains("syntax") {
            let all: Vec<&str> = told.split(", ").collect();
            assert!(problems.split(", ").all(|problem| all.contains(&problem)), "{text:?}: {told}");
        } else {
            assert_eq!(told, *problems, "{text:?}");
        }
    }
    for (text, problems) in ENCODED.iter().chain(UNREADABLE) {
        assert_eq!(told(text), *problems, "{text:?}");
    }
}

#[test]
fn messages_have_numbers_and_names() {
    let messages: Vec<String> =
        lint(b"---\na:\n b: x\n b: *y\nc:\n  d\n\n").into_iter().map(|problem| problem.message).collect();
    let expected = [
        "duplication of key \"b\" in mapping",
        "found undeclared alias \"y\"",
        "wrong indentation: expected 1 but found 2",
        "too many blank lines (1 > 0)",
    ];
    assert_eq!(messages.iter().map(String::as_str).collect::<std::collections::BTreeSet<_>>(), expected.into());
}

#[test]
fn nesting_has_a_limit() {
    let nested = |open: &str, close: &str, depth| [&*open.repeat(depth), "a", &close.repeat(depth), "\n"].concat();
    assert_eq!(told(nested("[", "]", 256).as_bytes()), "");
    assert_eq!(told(nested("[", "]", 257).as_bytes()), "1:257 syntax");
    assert_eq!(told(nested("- ", "", 10_000).as_bytes()), "");
    assert!(told(nested("- ", "", 10_001).as_bytes()).ends_with("1:20001 syntax"));
}

#[test]
fn the_problems_of_a_file_have_a_limit() {
    for line in ["a: 1 \n", "- a:  1\n"] {
        let found = lint(line.repeat(20_000).as_bytes());
        assert_eq!(found.len(), 10_001);
        assert!(found.last().is_some_and(|last| last.message.contains("more than 10000 problems")), "{line}");
    }
}

#[test]
fn the_work_grows_with_the_text() {
    let of = |text: String| move || drop(lint(text.as_bytes()));
    for part in [
        "[",
        "{",
        "]",
        "[],",
        "[[],",
        "? ",
        "- ",
        "-\n",
        "a\n",
        "a: b\n",
        "a:\n- b:\n",
        "a:",
        "a: &x !t\n",
        "- *x\n",
        ",",
        "\n",
        "\r\n",
        "\r",
        "\t\n",
        " ",
        "#\n",
        "#\t\n",
        "#",
        "'",
        "\"\n",
        "|\n a\n",
        "---\n",
        "...\n",
        "%TAG !a! b\n",
        "- !a,b c\n",
        "\u{FEFF}",
        "# yamllint disable rule:colons\n",
        "  # yamllint disable-line\n",
        "[a, b], ",
        "\u{85}",
    ] {
        assert_grows_with_input(1 << 13, |size| of(part.repeat(size / part.len())));
    }
    assert_grows_with_input(1 << 13, |size| of((0..size / 8).map(|number| format!("k{number:05}:\n")).collect()));
    assert_grows_with_input(1 << 13, |size| of((0..size / 8).map(|number| format!("- &a{number:05}\n")).collect()));
    assert_grows_with_input(1 << 13, |size| of(["[".repeat(250), "a,".repeat(size / 2)].concat()));
    assert_grows_with_input(1 << 14, |size| of((0..size.isqrt()).map(|depth| " ".repeat(depth) + "a:\n").collect()));
}
