//! Laws of versions and ranges for any text: nothing panics, keys have the order of versions, and printed values read
//! back.

use std::cmp::Ordering;

use olmdex::version::blang::Range;
use olmdex::version::masterminds::{Constraint, api_server_admits};
use olmdex::version::{Release, Version, VersionRelease};
use proptest::prelude::*;

/// Boundary values are frequent, so that versions of equal numbers are compared too.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..3u64, 2 => prop::sample::select(vec![9, 10, 255, 256, u64::MAX - 1, u64::MAX]), 1 => any::<u64>()]
}

fn identifiers() -> impl Strategy<Value = String> {
    let identifier = prop_oneof![
        3 => number().prop_map(|number| number.to_string()),
        3 => "[a-c-]{1,3}",
        1 => "[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,6}",
    ];
    prop::collection::vec(identifier, 1..4).prop_map(|list| list.join("."))
}

fn version_text() -> impl Strategy<Value = String> {
    let numbers = (number(), number(), number());
    let build = prop::option::of("[0-9A-Za-z-]{1,4}(\\.[0-9A-Za-z-]{1,4}){0,2}");
    (numbers, prop::option::of(identifiers()), build).prop_map(|((major, minor, patch), pre, build)| {
        let pre = pre.map(|pre| format!("-{pre}")).unwrap_or_default();
        let build = build.map(|build| format!("+{build}")).unwrap_or_default();
        format!("{major}.{minor}.{patch}{pre}{build}")
    })
}

fn version() -> impl Strategy<Value = Version> {
    version_text().prop_map(|text| Version::parse(&text).expect("the strategy makes valid versions only"))
}

fn release() -> impl Strategy<Value = Option<Release>> {
    prop::option::of(identifiers().prop_filter_map("too long for a release", |text| Release::parse(&text).ok()))
}

/// Ranges of both languages, with one place mutated.
fn mutated_range() -> impl Strategy<Value = String> {
    let item =
        ("(|=|==|!|!=|>|<|>=|=>|<=|=<|~|~>|\\^)( |\t)?", "v?(0|1|12|x|X|\\*)(\\.(0|1|x|\\*)){0,3}(-[a-z0-9.]{1,4})?");
    let item = item.prop_map(|(operator, version)| operator + &version);
    let separator = prop::sample::select(vec![" ", ", ", " || ", "||", " - ", "  "]);
    let items = prop::collection::vec((item, separator), 1..6);
    (items, any::<prop::sample::Index>(), "\\PC{0,2}|[ |<>=!x.0-9-]{0,2}", any::<bool>()).prop_map(
        |(items, place, insert, replaces)| {
            let mut chars: Vec<char> =
                items.into_iter().flat_map(|(a, b)| (a + b).chars().collect::<Vec<_>>()).collect();
            let at = place.index(chars.len());
            let end = if replaces { at + 1 } else { at };
            chars.splice(at..end, insert.chars());
            chars.into_iter().collect()
        },
    )
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![2 => any::<String>(), 2 => "[0-9x.|<>=!~^v, \t*+-]{0,24}", 4 => mutated_range(), 2 => version_text()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn no_text_panics(text in any_text(), version in version()) {
        let _ = Version::parse(&text).map_err(|error| error.to_string());
        let _ = Version::parse_tolerant(&text).map_err(|error| error.to_string());
        let _ = Release::parse(&text).map_err(|error| error.to_string());
        let _ = api_server_admits(&text);
        match Range::parse(&text) {
            Ok(range) => prop_assert!(range.contains(&version).is_ok() || range.has_empty_group()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
        match Constraint::parse(&text) {
            Ok(constraint) => drop(constraint.matches(&version)),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn a_printed_version_reads_back(text in version_text()) {
        let version = Version::parse(&text).unwrap();
        prop_assert_eq!(version.to_string(), &*text);
        prop_assert!(Version::parse_tolerant(&text).unwrap().is_identical(&version));
    }

    #[test]
    fn whatever_parses_prints_as_it_was(text in any_text()) {
        if let Ok(version) = Version::parse(&text) {
            prop_assert_eq!(version.to_string(), &*text);
        }
        if let Ok(release) = Release::parse(&text) {
            prop_assert_eq!(release.to_string(), &*text);
        }
    }

    #[test]
    fn keys_order_as_versions_do(a in version(), b in version()) {
        prop_assert_eq!(a.sort_key().cmp(&b.sort_key()), a.cmp_precedence(&b));
        prop_assert_eq!(a.sort_key() == b.sort_key(), a == b);
    }

    #[test]
    fn keys_order_as_versions_with_releases_do(a in (version(), release()), b in (version(), release())) {
        let [a, b] = [a, b].map(|(version, release)| VersionRelease { version, release });
        prop_assert_eq!(a.sort_key().cmp(&b.sort_key()), a.cmp_precedence(&b));
        if a != b {
            prop_assert!(!a.sort_key().starts_with(&b.sort_key()), "keys are prefix-free");
        }
    }

    #[test]
    fn both_languages_agree_with_the_order(a in version(), b in version()) {
        let order = a.cmp_precedence(&b);
        // A pre-release in the second item opens the gate of its group and admits everything.
        for (operator, expected) in [
            ("=", order == Ordering::Equal),
            ("!=", order != Ordering::Equal),
            (">", order == Ordering::Greater),
            (">=", order != Ordering::Less),
            ("<", order == Ordering::Less),
            ("<=", order != Ordering::Greater),
        ] {
            let constraint = Constraint::parse(&format!("{operator}{b} >=0.0.0-0")).unwrap();
            prop_assert_eq!(constraint.matches(&a), expected, "{} {} {}", a, operator, b);
            if !b.to_string().contains('x') {
                let range = Range::parse(&format!("{operator}{b}")).unwrap();
                prop_assert_eq!(range.contains(&a), Ok(expected), "{} {} {}", a, operator, b);
            }
        }
    }
}
