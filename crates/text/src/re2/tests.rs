use super::*;

/// Patterns with texts that they match and texts that they do not.
const TAKEN: &[(&str, &[&str], &[&str])] = &[
    ("", &["", "a"], &[]),
    ("a|b|", &["", "x"], &[]),
    ("^(a|bc|)$", &["a", "bc", ""], &["b", "ac"]),
    ("^a*$", &["", "aaa"], &["b", "ab"]),
    ("^(?:a*)*$", &["", "aaa"], &["b"]),
    ("^(|a)+$", &["", "aa"], &["b"]),
    ("^a+?b??$", &["a", "aab"], &["b", "abb"]),
    ("^a{2}$", &["aa"], &["a", "aaa"]),
    ("^a{2,}$", &["aa", "aaaa"], &["a"]),
    ("^a{1,3}$", &["a", "aaa"], &["", "aaaa"]),
    ("^(ab|c){2,3}$", &["abab", "cab", "ccc"], &["ab", "cccc"]),
    ("^x{0}$", &[""], &["x"]),
    ("^x{0,1}y{1,}$", &["y", "xyy"], &["xx"]),
    ("a{1000}", &[], &["a"]),
    // Not counts, so text.
    ("^a{,2}$", &["a{,2}"], &["a", "aa"]),
    ("^a{$", &["a{"], &["a"]),
    ("^a{01}$", &["a{01}"], &["a"]),
    ("^a{1,2$", &["a{1,2"], &["a"]),
    ("^{a}$", &["{a}"], &["a"]),
    ("^a{2}{", &["aa{"], &["aa"]),
    // ASCII only.
    (r"^\d$", &["7"], &["٣", "a"]),
    (r"^\w+$", &["aZ_9"], &["é", "-"]),
    (r"^\W$", &["é", "-"], &["_"]),
    (r"^\s$", &[" ", "\t", "\n", "\r", "\u{c}"], &["\u{b}", "\u{a0}"]),
    (r"\bfoo\b", &["a foo", "é foo", "éfoo"], &["foox", "_foo"]),
    (r"^\B.$", &["-", "é"], &["a"]),
    (r"^[[:alpha:]]+$", &["aZ"], &["é", "1", ""]),
    (r"^[[:^alpha:]]+$", &["é", "1"], &["a"]),
    (r"^[[:space:]]$", &["\u{b}", " "], &["a"]),
    (r"^[[:word:][:punct:]]+$", &["a_-!"], &[" "]),
    // Classes.
    ("^[[a]$", &["[", "a"], &["]"]),
    ("^[]a]$", &["]", "a"], &["["]),
    ("^[^]a]$", &["[", "\n"], &["]", "a"]),
    ("^[a-]$", &["a", "-"], &["b"]),
    ("^[-a]$", &["a", "-"], &["b"]),
    ("^[+--]$", &["+", ",", "-"], &["."]),
    ("^[a&&b]$", &["a", "&", "b"], &["c", "a&&b"]),
    ("^[a~~b]$", &["a", "~"], &["c"]),
    (r"^[\d-z]$", &["5", "-", "z"], &["a"]),
    (r"^[\w.]+$", &["a.b"], &["a-b"]),
    (r"^[^\d\s]$", &["a"], &["1", " "]),
    (r"^[\]\-\\]$", &["]", "-", "\\"], &["a"]),
    ("^[[:foo]$", &["[", ":", "f", "o"], &["]"]),
    ("^[a-c&]$", &["b", "&"], &["d"]),
    ("^[ ]$", &[" "], &[""]),
    // Escapes.
    (r"^\Qa.b*\E+$", &["a.b*", "a.b***"], &["axb", "a.b*a.b*"]),
    (r"^\Qa.b", &["a.bc"], &["axb"]),
    (r"^\Q\E$", &[""], &["a"]),
    (r"^\101\x41\x{41}\x{1F600}$", &["AAA😀"], &["AAA"]),
    (r"^\07\08$", &["\u{7}\u{0}8"], &["78"]),
    (r"^\a\f\n\r\t\v$", &["\u{7}\u{c}\n\r\t\u{b}"], &["a"]),
    (r"^\.\_\!\ \#$", &["._! #"], &["a"]),
    (r"^\12$", &["\n"], &["12"]),
    // Not the edges of a word.
    (r"^\<a\>$", &["<a>"], &["a"]),
    // Flags.
    ("(?i)^straße$", &["STRAßE", "Straẞe"], &["STRASSE"]),
    ("(?i)k", &["K", "\u{212a}"], &["x"]),
    (r"(?i)^\w$", &["ſ", "\u{212a}"], &["é"]),
    ("(?i)^[^k]$", &["x"], &["K", "k", "\u{212a}"]),
    ("a(?i)b|c", &["aB", "C"], &["AB"]),
    ("(?:a(?i)b)c", &["aBc"], &["aBC"]),
    ("(?i:a)b", &["Ab"], &["AB"]),
    ("(?i)a(?-i)b", &["Ab"], &["AB"]),
    ("(?)a(?:)", &["a"], &["b"]),
    ("a(?i)*", &["", "aa"], &[]),
    ("^.$", &["a", "é"], &["\n", ""]),
    ("(?s)^.$", &["\n"], &[""]),
    ("(?s-i:.)", &["\n"], &[""]),
    ("^b", &["b"], &["a\nb"]),
    ("(?m)^b", &["b", "a\nb"], &["ab"]),
    ("a$", &["a"], &["a\n", "a\nb"]),
    ("(?m)a$", &["a", "a\nb"], &["ab"]),
    (r"(?m)\Ab\z", &["b"], &["a\nb", "b\n"]),
    ("(?U)^a*$", &["aa"], &["b"]),
    ("^*a", &["a", "ba"], &["b"]),
    ("$^", &[""], &["a"]),
    // Names.
    ("^(?P<n>a)(?<m_1>b)$", &["ab"], &["a"]),
    ("^(?P<n>a)(?P<n>b)$", &["ab"], &["a"]),
    (r"^\pN+$", &["1٣½"], &["a"]),
    (r"^\PN$", &["a"], &["1"]),
    (r"^\p{Greek}+$", &["αΩ"], &["a"]),
    (r"^\p{^Greek}$", &["a"], &["α"]),
    (r"^\P{^Greek}$", &["α"], &["a"]),
    (r"^[\p{Lu}\p{Nd}]+$", &["A1É"], &["a"]),
    (r"^[^\PL]$", &["a"], &["1"]),
    (r"(?i)^\p{Lu}$", &["a", "A"], &["1"]),
    (r"^\p{Any}$", &["a", "\n"], &[""]),
    (r"^\p{Letter}$", &["a"], &["1"]),
    (r"^\p{Old_Italic}$", &["𐌀"], &["a"]),
    (r"^\p{lu}$", &["A"], &["a"]),
    ("é+", &["éé"], &["e"]),
    (r"^v?(\d+)\.(\d+)(?:\.(\d+))?(-[a-z0-9.]+)?$", &["v4.18", "4.18.0-rc.1"], &["4", "4.18."]),
];

const REFUSED: &[(&str, PatternErrorKind)] = &[
    ("a**", PatternErrorKind::RepeatOperator),
    ("a*+", PatternErrorKind::RepeatOperator),
    ("a+*?", PatternErrorKind::RepeatOperator),
    ("a???", PatternErrorKind::RepeatOperator),
    ("a{1}{2}", PatternErrorKind::RepeatOperator),
    ("*a", PatternErrorKind::RepeatArgument),
    ("a|*", PatternErrorKind::RepeatArgument),
    ("(+)", PatternErrorKind::RepeatArgument),
    ("(?i)*", PatternErrorKind::RepeatArgument),
    (r"\Q\E*", PatternErrorKind::RepeatArgument),
    ("{1}", PatternErrorKind::RepeatArgument),
    ("x{1001}", PatternErrorKind::RepeatCount),
    ("x{2,1}", PatternErrorKind::RepeatCount),
    ("x{1,99999999999999999999}", PatternErrorKind::RepeatCount),
    ("((x{100}){100}){2}", PatternErrorKind::RepeatCount),
    ("(x{30}){34,}", PatternErrorKind::RepeatCount),
    ("[a", PatternErrorKind::Bracket),
    ("[]", PatternErrorKind::Bracket),
    ("[^]", PatternErrorKind::Bracket),
    ("[a-", PatternErrorKind::Bracket),
    ("[b-a]", PatternErrorKind::ClassRange),
    ("[a--b]", PatternErrorKind::ClassRange),
    ("[[:foo:]]", PatternErrorKind::ClassRange),
    (r"\p{Foo}", PatternErrorKind::ClassRange),
    (r"\p{Alphabetic}", PatternErrorKind::ClassRange),
    (r"\p{Grek}", PatternErrorKind::ClassRange),
    (r"\p{Script=Greek}", PatternErrorKind::ClassRange),
    (r"\p{}", PatternErrorKind::ClassRange),
    (r"\p{Greek", PatternErrorKind::ClassRange),
    (r"\p", PatternErrorKind::ClassRange),
    (r"\pX", PatternErrorKind::ClassRange),
    (r"[a-\d]", PatternErrorKind::Escape),
    ("(a", PatternErrorKind::Parenthesis),
    ("(a|b", PatternErrorKind::Parenthesis),
    ("a)", PatternErrorKind::UnexpectedParenthesis),
    ("(?x)a", PatternErrorKind::PerlSyntax),
    ("(?=a)", PatternErrorKind::PerlSyntax),
    ("(?!a)", PatternErrorKind::PerlSyntax),
    ("(?-)", PatternErrorKind::PerlSyntax),
    ("(?i-)", PatternErrorKind::PerlSyntax),
    ("(?-i-s)", PatternErrorKind::PerlSyntax),
    ("(?#a)", PatternErrorKind::PerlSyntax),
    ("(?P=n)", PatternErrorKind::PerlSyntax),
    ("(?", PatternErrorKind::PerlSyntax),
    ("(?<=a)", PatternErrorKind::NamedCapture),
    ("(?P<n", PatternErrorKind::NamedCapture),
    ("(?P<>a)", PatternErrorKind::NamedCapture),
    ("(?P<a b>a)", PatternErrorKind::NamedCapture),
    ("a\\", PatternErrorKind::TrailingBackslash),
    (r"(a)\1", PatternErrorKind::Escape),
    (r"\8", PatternErrorKind::Escape),
    (r"\C", PatternErrorKind::Escape),
    (r"\Z", PatternErrorKind::Escape),
    (r"\G", PatternErrorKind::Escape),
    (r"\u0041", PatternErrorKind::Escape),
    (r"\h", PatternErrorKind::Escape),
    (r"\E", PatternErrorKind::Escape),
    (r"\é", PatternErrorKind::Escape),
    (r"\x4", PatternErrorKind::Escape),
    (r"\x{}", PatternErrorKind::Escape),
    (r"\x{110000}", PatternErrorKind::Escape),
    (r"[\b]", PatternErrorKind::Escape),
];

#[test]
fn what_go_takes_matches_what_it_matches_there() {
    for (pattern, matched, unmatched) in TAKEN {
        let parsed = Pattern::parse(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        for text in *matched {
            assert!(parsed.is_match(text), "{pattern} does not match {text:?}");
        }
        for text in *unmatched {
            assert!(!parsed.is_match(text), "{pattern} matches {text:?}");
        }
    }
}

#[test]
fn what_go_refuses_is_refused() {
    for (pattern, kind) in REFUSED {
        match Pattern::parse(pattern) {
            Ok(_) => panic!("{pattern} is taken"),
            Err(error) => assert_eq!(error.kind, *kind, "{pattern}: {error}"),
        }
    }
    let error = Pattern::parse("a**").unwrap_err();
    assert_eq!(error.to_string(), "error parsing regexp: invalid nested repetition operator: `**`");
}

#[test]
fn deep_and_large_patterns_are_bounded() {
    let nested = |n: usize| format!("{}a{}", "(".repeat(n), ")".repeat(n));
    assert!(Pattern::parse(&nested(999)).unwrap().is_match("a"));
    assert_eq!(Pattern::parse(&nested(1000)).unwrap_err().kind, PatternErrorKind::Depth);
    let bare = format!("{}a{}", "(?:".repeat(20_000), ")".repeat(20_000));
    assert!(Pattern::parse(&bare).unwrap().is_match("a"));
    let large = format!("({}){{1000}}", "ab".repeat(2000));
    assert_eq!(Pattern::parse(&large).unwrap_err().kind, PatternErrorKind::TooLarge);
    assert!(Pattern::parse(&r"\pL".repeat(5000)).is_ok());
    assert!(Pattern::parse(&format!("[{}]", r"\pL".repeat(30_000))).is_ok());
    assert!(Pattern::parse(&"(".repeat(100_000)).is_err());
    assert!(Pattern::parse(&"a|".repeat(50_000)).unwrap().is_match(""));
}

#[test]
fn work_is_linear_and_counted() {
    let pattern = Pattern::parse("^(a+)+$").unwrap();
    assert!(!pattern.is_match(&format!("{}b", "a".repeat(50_000))));
    let mut budget = 1000;
    assert_eq!(pattern.is_match_within(&"a".repeat(50_000), &mut budget), None);
    let mut budget = 1000;
    assert_eq!(pattern.is_match_within("aaa", &mut budget), Some(true));
    assert!(budget > 900);
}
