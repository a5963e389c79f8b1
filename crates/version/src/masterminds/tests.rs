//! Tables of the specification's statements about constraints.

use super::*;

const RELEASES: &[&str] = &[
    "0.0.0", "0.0.1", "0.0.3", "0.1.0", "0.2.2", "0.2.3", "0.3.0", "0.9.9", "1.0.0", "1.1.0", "1.2.0", "1.2.3",
    "1.2.4", "1.3.0", "1.99.99", "2.0.0", "2.0.1", "2.3.0", "3.0.0",
];

fn matched<'a>(constraint: &str, versions: &[&'a str]) -> Vec<&'a str> {
    let constraint = Constraint::parse(constraint).unwrap();
    versions.iter().copied().filter(|text| constraint.matches(&Version::parse(text).unwrap())).collect()
}

#[test]
fn constraints_and_their_equivalents() {
    let cases = [
        ("*", ">=0.0.0"),
        ("1.2", "~1.2"),
        ("=1", ">=1.0.0, <2.0.0"),
        (">1", ">=2.0.0"),
        (">1.2", ">=1.3.0"),
        ("<=1", "<2.0.0"),
        ("<=1.2", "<1.3.0"),
        ("<=*", "<0.1.0"),
        (">*", ">0.0.0"),
        ("!=*", ">0.0.0"),
        ("!=1", "<1.0.0 || >=2.0.0"),
        ("!=1.2.x", "<1.2.0 || >=1.3.0"),
        ("~0.0.0", "*"),
        ("~0.0", ">=0.0.0 <0.1.0"),
        ("~1.2.3", ">=1.2.3 <1.3.0"),
        ("~> 1", ">=1.0.0 <2.0.0"),
        ("^*", "0.0.0"),
        ("^0", "<1.0.0"),
        ("^0.0", "<0.1.0"),
        ("^0.0.3", "0.0.3"),
        ("^0.2", ">=0.2.0 <0.3.0"),
        ("^0.2.3", ">=0.2.3 <0.3.0"),
        ("^1.2.x", ">=1.2.0 <2.0.0"),
        ("^1.2.3", ">=1.2.3 <2.0.0"),
        ("01.02.3", "=1.2.3"),
        ("1.x.3", "1"),
        ("x.2.3", "*"),
        ("v1.2.3+5", "1.2.3"),
        ("=>1.2.3 , =<2.0.0", "1.2.3 - 2.0.0"),
        ("1.2 - 1", ">=1.2.0 <2.0.0"),
        ("!=1.2.3, 1.0 - 2.0", ">=1.0.0 <2.1.0 !=1.2.3"),
        ("1.2.3||\t1.2.4\n", "1.2.3 || 1.2.4"),
        (">1 <1", ">3.0.0"),
    ];
    for (constraint, equivalent) in cases {
        assert_eq!(matched(constraint, RELEASES), matched(equivalent, RELEASES), "{constraint} is {equivalent}");
    }
}

#[test]
fn pre_releases_need_one_in_the_group() {
    const VERSIONS: &[&str] = &["1.2.0-rc.1", "1.2.3-0", "1.2.3-beta.2", "1.2.3", "1.3.0-alpha", "3.0.0-0"];
    let cases: &[(&str, &[&str])] = &[
        (">=1.2.0", &["1.2.3"]),
        (">=1.2.3-beta.2", &["1.2.3-beta.2", "1.2.3", "1.3.0-alpha", "3.0.0-0"]),
        (">=1.2.0, <1.3.0-0", &["1.2.3-0", "1.2.3-beta.2", "1.2.3"]),
        (">=1.2.0 || 1.2.3-beta.2", &["1.2.3-beta.2", "1.2.3"]),
        ("!=1.2.x-0", &["1.2.0-rc.1", "1.2.3-beta.2", "1.2.3", "1.3.0-alpha", "3.0.0-0"]),
        ("1.2.x-0 - 1.2", &["1.2.0-rc.1", "1.2.3-0", "1.2.3-beta.2", "1.2.3"]),
        // A numeric identifier over 64 bits is a word, and words are above numbers.
        ("<1.2.3-18446744073709551616 >=1.2.3-0", &["1.2.3-0"]),
    ];
    for (constraint, expected) in cases {
        assert_eq!(matched(constraint, VERSIONS), *expected, "{constraint}");
    }
}

#[test]
fn messages() {
    let many = vec!["1"; 33].join("||");
    let (long, long_pre) = ("1 ".repeat(257), format!("1.0.0-{}", "a".repeat(251)));
    let cases = [
        ("", r#"improper constraint: """#),
        (" ", r#"improper constraint: " ""#),
        ("\t", r#"improper constraint: "\t""#),
        ("1.2.3||", r#"improper constraint: """#),
        (">=1.0.0,", r#"improper constraint: ">=1.0.0,""#),
        (">=1.0.0<2.0.0", r#"improper constraint: ">=1.0.0<2.0.0""#),
        ("> = 1.0.0", r#"improper constraint: "> = 1.0.0""#),
        ("1.2.3.4", r#"improper constraint: "1.2.3.4""#),
        ("V1", r#"improper constraint: "V1""#),
        ("\u{2265}1", "improper constraint: \"\u{2265}1\""),
        ("1\u{a0}2", r#"improper constraint: "1\u00a02""#),
        ("!=1.2.3 1.0 - 2.0", r#"improper constraint: "!=1.2.3>= 1.0, <= 2.0 ""#),
        (">1.0 - 2.0", r#"improper constraint: ">>= 1.0, <= 2.0 ""#),
        ("1.0 - 2.0 - 3.0", r#"improper constraint: ">= 1.0, <= 2.0 - 3.0""#),
        ("1 -2", r#"improper constraint: "1 -2""#),
        ("xx", "constraint parser error"),
        ("1|2", "constraint parser error"),
        ("1.2.3-01", "constraint parser error"),
        ("18446744073709551616", "constraint parser error"),
        (&long_pre, "constraint parser error"),
        (&many, "too many constraint groups (max 32)"),
        (&long, "constraint string is too long (max 512 bytes)"),
    ];
    for (text, expected) in cases {
        assert_eq!(Constraint::parse(text).unwrap_err().to_string(), expected, "{text:?}");
    }
    // One byte less, and one group less, is fine.
    assert!(Constraint::parse(&long_pre[..256]).is_ok());
    assert!(Constraint::parse(&many[3..]).is_ok());
    assert!(Constraint::parse(&long[..512]).is_ok());
}
