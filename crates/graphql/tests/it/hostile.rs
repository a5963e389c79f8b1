//! Queries that want to end the stack, the memory or the patience.

use std::time::{Duration, Instant};

use olmdex_graphql::Limits;

use crate::documents::{Blobs, asked, asked_within};

const DEPTH: &str = "query exceeds maximum depth of 10";
const ALIASES: &str = "query exceeds maximum alias count of 50";
const FIELDS: &str = "query exceeds maximum field count of 500";
const COST: &str = "query exceeds maximum cost of 4000000";
const NESTED: &str = "query exceeds maximum nesting of 64";

fn blobs() -> Blobs {
    Blobs::read(include_str!("catalog.jsonl"))
}

fn repeated(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect()
}

#[test]
fn depth_is_an_answer_and_ends_no_stack() {
    let blobs = blobs();
    let nest = |n: usize, open: &str, inner: &str, close: &str| open.repeat(n) + inner + &close.repeat(n);
    let unused = "{ __typename } fragment F on Query ";
    for (query, expected) in [
        (nest(100_000, "{a", "", "}"), DEPTH),
        (nest(100_000, "{a", "", ""), "Expected Name, found EOF"),
        (nest(50_000, "{...", "{a}", "}"), DEPTH),
        (
            format!("{{ customthings(limit: {}) {{ n }} }}", nest(100_000, "[", "", "]")),
            "Expected type \\\"Int\\\", found [[[",
        ),
        (format!("{{ customthings(limit: {}) {{ n }} }}", nest(50_000, "{a: ", "1", "}")), "found {a: {a: {a: "),
        (format!("query($a: {} = {}) {{ x }}", nest(50_000, "[", "Int", "]"), nest(50_000, "[", "", "]")), NESTED),
        (format!("{unused}{}", nest(50_000, "{a", "", "}")), "Fragment \\\"F\\\" is never used."),
        (format!("{unused}{}", nest(50_000, "{...", "{a}", "}")), NESTED),
        (format!("type A {{ b: {} }}", nest(50_000, "[", "Int", "]")), "ObjectDefinition"),
    ] {
        let answer = asked(&blobs, &query);
        assert!(answer.contains(expected), "{}: {}", &query[..60], &answer[..answer.len().min(300)]);
    }
}

#[test]
fn limits_hold_at_their_borders() {
    let blobs = blobs();
    let aliases = |n: usize| format!("{{ {} }}", repeated(n, |it| format!("a{it}: __typename ")));
    let fields = |n: usize| format!("{{ {} }}", "__typename ".repeat(n));
    let of_two = |n: usize| format!("query A {{ ...F }} query B {{ ...F }} fragment F on Query {}", fields(n));
    for (query, expected) in [
        (aliases(50), "a49"),
        (aliases(51), ALIASES),
        (fields(500), "{\"data\":{\"__typename\":\"Query\"}}"),
        (fields(501), FIELDS),
        // Each operation counts a fragment again.
        (of_two(250), "Must provide operation name"),
        (of_two(251), FIELDS),
    ] {
        assert!(asked(&blobs, &query).contains(expected), "{query}");
    }
}

#[test]
fn fragments_are_no_way_around_the_limits() {
    let blobs = blobs();
    let doubling = repeated(300, |it| {
        format!("fragment F{it} on Query {{ ...F{} ...G{it} }} fragment G{it} on Query {{ ...F{} }} ", it + 1, it + 1)
    });
    let chain = repeated(40, |it| format!("...F{} ", 40 - it))
        + &repeated(1, |_| "...F0 } ".to_owned())
        + &repeated(40, |it| format!("fragment F{it} on Query {{ a: __typename ...F{} }} ", it + 1))
        + "fragment F40 on Query { __typename }";
    for (query, expected) in [
        ("{ ...A } fragment A on Query { ...A }".to_owned(), "Cannot spread fragment \\\"A\\\" within itself."),
        (
            "{ ...A } fragment A on Query { ...B } fragment B on Query { __typename ...A }".to_owned(),
            "Cannot spread fragment \\\"A\\\" within itself via B.",
        ),
        (
            "{ ...A } fragment A on Query { summary { ...B } } fragment B on CatalogSummary { schemas { ...A } ...B }"
                .to_owned(),
            "Cannot spread fragment \\\"A\\\" within itself via B.",
        ),
        (format!("{{ __typename }} {doubling} fragment F300 on Query {{ __typename }}"), NESTED),
        (format!("{{ {chain}"), "\"a\":\"Query\""),
        (
            format!(
                "{{ __typename }} fragment F on Query {}",
                (0..12).fold("{b}".to_owned(), |it, _| format!("{{a{it} a{it}}}"))
            ),
            COST,
        ),
        (format!("{{ __typename }} fragment F on Query {{ {} }}", "a ".repeat(45_000)), COST),
        (
            repeated(490, |it| format!("query A{it} {{ ...F }} ")) + "fragment F on Query { __typename }",
            "Must provide operation name",
        ),
    ] {
        let start = Instant::now();
        let answer = asked(&blobs, &query);
        assert!(answer.contains(expected), "{}: {}", &query[..60.min(query.len())], &answer[..answer.len().min(300)]);
        assert!(start.elapsed() < Duration::from_secs(60));
    }
}

#[test]
fn long_texts_are_taken_in_one_go() {
    let blobs = blobs();
    for (query, expected) in [
        (format!("{{ a(b: \"{}\") }}", "x".repeat(1 << 20)), "Cannot query field \\\"a\\\""),
        (format!("{{ a(b: \"\"\"{}\"\"\") }}", "\n  é".repeat(200_000)), "Cannot query field \\\"a\\\""),
        (format!("{{ a(b: \"{} }}", "\\u00e9".repeat(100_000)), "Unterminated string."),
        ("\u{FEFF}".repeat(100_000) + "{ __typename }", "Query"),
        (format!("{{{}a}}", "\u{FEFF}".repeat(30_000)), "Unexpected character \\\"\\\\\\\\uFFFD\\\"."),
        ("\r\n".repeat(100_000) + "{ a", "(100001:4) Expected Name, found EOF"),
        ("#é\n".repeat(50_000) + "{ __typename }", "Query"),
        (format!("{{ a {}}}", "@foo ".repeat(20_000)), "Unknown directive \\\"foo\\\"."),
        (format!("{{ customthings({}) {{ n }} }}", "limit: 1 ".repeat(10_000)), "only one argument named"),
        (format!("{{ {} }}", "a".repeat(1 << 20)), "Cannot query field"),
        (format!("query({}) {{ __typename }}", repeated(8_000, |it| format!("$v{it}: Int "))), "is never used."),
    ] {
        let start = Instant::now();
        let answer = asked(&blobs, &query);
        assert!(answer.contains(expected), "{}", &answer[..answer.len().min(300)]);
        assert!(start.elapsed() < Duration::from_secs(60), "{}", &answer[..answer.len().min(100)]);
    }
}

#[test]
fn time_cost_and_size_have_an_end() {
    let blobs = blobs();
    let query = "{ __schema { types { name fields { name type { name fields { name args { name } } } } } } }";
    let limits = Limits::default();
    for (limits, expected) in [
        (limits, "\"data\":{"),
        (Limits { steps: 100, ..limits }, "query exceeds maximum cost of 100"),
        (Limits { bytes: 200, ..limits }, "query exceeds maximum answer size of 200 bytes"),
        (Limits { steps: 4_000_000, time: Duration::ZERO, ..limits }, "\"data\":{"),
    ] {
        let answer = asked_within(&blobs, query, limits);
        // Only a few steps are done before the clock is checked.
        assert!(answer.contains(expected) || answer.contains("context deadline exceeded"), "{answer}");
    }
    let late = Limits { time: Duration::ZERO, ..limits };
    let expected = "{\"data\":null,\"errors\":[{\"message\":\"context deadline exceeded\",\"locations\":[]}]}";
    assert_eq!(asked_within(&blobs, "{ olmpackages { name } }", late), expected);
}
