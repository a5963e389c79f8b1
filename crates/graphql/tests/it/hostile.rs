//! Queries that want to end the stack, the memory or the patience.

use std::time::{Duration, Instant};

use olmdex_graphql::Limits;

use crate::documents::{Blobs, asked, asked_within};

const DEPTH: &str = "query exceeds maximum depth of 10";
const ALIASES: &str = "query exceeds maximum alias count of 50";
const FIELDS: &str = "query exceeds maximum field count of 500";
const COST: &str = "query exceeds maximum cost of 500000";
const NESTED: &str = "query exceeds maximum nesting of 64";
const TOKENS: &str = "query exceeds maximum token count of 15000";
const SELECTIONS: &str = "query exceeds maximum selection count of 5000";
const SIZE: &str = "query exceeds maximum length in bytes of 100000";
const CYCLE: &str = DEPTH;
const NAME: &str = "query exceeds maximum length of a name of 256";
const DIRECTIVES: &str = "query exceeds maximum directive count of 16";
const ARGUMENTS: &str = "query exceeds maximum argument count of 16";
const OPEN: &str = "query has a string without an end";

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
    let list = |n: usize, inner: &str| nest(n, "[", inner, "]");
    for (query, expected) in [
        (nest(100_000, "{a", "", "}"), SIZE),
        (nest(30_000, "{a", "", "}"), NESTED),
        (nest(49_000, "{a", "", ""), NESTED),
        (nest(64, "{a", "", "}"), DEPTH),
        (nest(11, "{a", "", "}"), DEPTH),
        (nest(15_000, "{...", "{a}", "}"), NESTED),
        (nest(63, "{...", "{a}", "}"), DEPTH),
        (format!("{{ customthings(limit: {}) {{ n }} }}", list(40_000, "")), NESTED),
        (format!("{{ customthings(limit: {}) {{ n }} }}", list(62, "")), "Invalid value for argument"),
        (format!("{{ customthings(limit: {}) {{ n }} }}", nest(15_000, "{a: ", "1", "}")), NESTED),
        (format!("{{ customthings(limit: {}) {{ n }} }}", nest(62, "{a: ", "1", "}")), "Invalid value for argument"),
        (format!("query($a: {} = {}) {{ x }}", list(20_000, "Int"), list(20_000, "")), NESTED),
        (format!("query($a: {} = {}) {{ x }}", list(63, "Int"), list(63, "1.5")), "Invalid default value"),
        (format!("query($a: {} = {}) {{ x }}", list(63, "Foo"), list(63, "1")), "of a type that no argument has"),
        (format!("{unused}{}", nest(30_000, "{a", "", "}")), NESTED),
        (format!("{unused}{}", nest(11, "{a", "", "}")), DEPTH),
        (format!("{unused}{}", nest(10, "{a", "", "}")), "is never used"),
        (format!("{unused}{}", nest(60, "{...", "{a}", "}")), DEPTH),
        (format!("type A {{ b: {} }}", list(60, "Int")), "query parse error"),
        // A string that hides what is behind it, if a reader takes the first two marks for a string of its own.
        (format!("{{ a(b: [\"\"\" \"{}) }}", list(40_000, "")), OPEN),
        (format!("{{ a(b: \"\n{}) }}", list(40_000, "")), OPEN),
        (format!("# \"\r{}", nest(30_000, "{a", "", "}")), NESTED),
        (format!("{{ a(b: \"\"\"\\\"\"\"{}\"\"\") }}", "[".repeat(40_000)), "Unknown field"),
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
        (of_two(250), "query has more than one operation"),
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
    let doubled = |n: usize| {
        repeated(n, |it| format!("fragment F{it} on Query {{ ...F{} ...F{} }} ", it + 1, it + 1))
            + &format!("fragment F{n} on Query {{ __typename }}")
    };
    let wide = |n: usize| {
        repeated(n, |it| format!("fragment F{it} on Query {{ {} }} ", format!("...F{} ", it + 1).repeat(40)))
            + &format!("fragment F{n} on Query {{ __typename }}")
    };
    let chain = |n: usize| {
        repeated(n, |it| format!("...F{} ", n - it))
            + "...F0 } "
            + &repeated(n, |it| format!("fragment F{it} on Query {{ a: __typename ...F{} }} ", it + 1))
            + &format!("fragment F{n} on Query {{ __typename }}")
    };
    for (query, expected) in [
        ("{ ...A } fragment A on Query { ...A }".to_owned(), CYCLE),
        ("{ ...A } fragment A on Query { ...B } fragment B on Query { __typename ...A }".to_owned(), CYCLE),
        (
            "{ ...A } fragment A on Query { summary { ...B } } fragment B on CatalogSummary { schemas { ...A } ...B }"
                .to_owned(),
            CYCLE,
        ),
        ("{ __typename } fragment A on Query { ...B } fragment B on Query { ...A }".to_owned(), CYCLE),
        (format!("{{ __typename }} {doubling} fragment F300 on Query {{ __typename }}"), DEPTH),
        (format!("{{ __typename }} {}", doubled(30)), DEPTH),
        (format!("{{ __typename }} {}", wide(8)), SELECTIONS),
        (format!("{{ ...F0 }} {}", wide(8)), SELECTIONS),
        (format!("{{ ...F0 }} {}", doubled(4)), "{\"data\":{\"__typename\":\"Query\"}}"),
        (format!("{{ ...F0 }} {}", doubled(10)), DEPTH),
        // A fragment that was spread before is as deep as any other.
        (format!("{{ {}", chain(40)), DEPTH),
        (format!("{{ {}", chain(8)), "\"a\":\"Query\""),
        (format!("{{ {} }} fragment F on Query {{ __typename }}", "...F ".repeat(3_000)), SELECTIONS),
        (format!("{{ {} }} fragment F on Query {{ __typename }}", "...F ".repeat(2_400)), "\"Query\""),
        (format!("{{ __typename }} fragment F on Query {{ {} }}", "a ".repeat(45_000)), TOKENS),
        (format!("{{ __typename }} fragment F on Query {{ {} }}", "a ".repeat(14_000)), SELECTIONS),
        (
            repeated(490, |it| format!("query A{it} {{ ...F }} ")) + "fragment F on Query { __typename }",
            "query has more than one operation",
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
        (format!("{{ a(b: \"{}\") }}", "x".repeat(1 << 20)), SIZE),
        (format!("{{ a(b: \"{}\") }}", "x".repeat(99_000)), "Unknown field \\\"a\\\""),
        (format!("{{ a(b: \"\"\"{}\"\"\") }}", "\n  é".repeat(19_000)), "Unknown field \\\"a\\\""),
        (format!("{{ a(b: \"{} }}", "\\u00e9".repeat(16_000)), OPEN),
        (format!("{{ a(b: \"{}\") }}", "\\ud800".repeat(16_000)), "query parse error"),
        (format!("{{ customthings(limit: \"{}\") {{ n }} }}", "x".repeat(99_000)), "Invalid value for argument"),
        (format!("{{ customthings(limit: {}) {{ n }} }}", "9".repeat(99_000)), NAME),
        (format!("{{ customthings(limit: {}) {{ n }} }}", "9".repeat(256)), "\"errors\""),
        (format!("{{ customthings(limit: 1e{}) {{ n }} }}", "9".repeat(200)), "\"errors\""),
        ("\u{FEFF}".repeat(4_000) + "{ __typename }", "Query"),
        ("\u{FEFF}".repeat(30_000) + "{ __typename }", TOKENS),
        ("\r\n".repeat(49_000) + "{ a", "query parse error"),
        ("#é\n".repeat(24_000) + "{ __typename }", "Query"),
        (" ".repeat(99_900) + "{ __typename }", "Query"),
        (format!("{{ {}}}", "__typename ".repeat(450)) + &" ".repeat(90_000), "Query"),
        (format!("{{ a {}}}", "@foo ".repeat(6_000)), DIRECTIVES),
        (format!("query {} {{ a }}", "@foo ".repeat(6_000)), "Unknown directive"),
        (format!("{{ a {}}}", "@foo ".repeat(19_000)), TOKENS),
        (format!("{{ customthings({}) {{ n }} }}", "limit: 1 ".repeat(4_000)), ARGUMENTS),
        (format!("{{ customthings({}) {{ n }} }}", "limit: 1 ".repeat(16)), "There can only be one argument named"),
        (format!("{{ {} }}", "a".repeat(90_000)), NAME),
        (format!("{{ {} }}", "a".repeat(256)), "Unknown field"),
        (format!("query({}) {{ __typename }}", repeated(3_000, |it| format!("$v{it}: Int "))), "is not used"),
        (format!("query($a: Int) {{ customthings(limit: [{}]) {{ n }} }}", "$a ".repeat(7_000)), "data"),
        (format!("{{ {} }}", repeated(49, |it| format!("a: olmbundles(limit: {it}) {{ name }} "))), "conflict"),
        // Each of the nine sets has all these conflicts.
        (
            format!(
                "{} a({}) {} {}",
                "{...".repeat(8) + "{",
                repeated(16, |it| format!("b{it}: 1 ")),
                "a ".repeat(450),
                "}".repeat(9)
            ),
            "conflict",
        ),
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
        (Limits { bytes: 2_000, ..limits }, "query exceeds maximum answer size of 2000"),
        (Limits { steps: 100, ..limits }, "query exceeds maximum cost of 100"),
        (Limits { bytes: 200, ..limits }, "query exceeds maximum answer size of 200"),
        (Limits { steps: 4_000_000, time: Duration::ZERO, ..limits }, "\"data\":{"),
    ] {
        let answer = asked_within(&blobs, query, limits);
        // Only a few steps are done before the clock is checked.
        assert!(answer.contains(expected) || answer.contains("context deadline exceeded"), "{answer}");
    }
    let late = Limits { time: Duration::ZERO, ..limits };
    let expected = "{\"data\":null,\"errors\":[{\"message\":\"context deadline exceeded\"}]}";
    assert_eq!(asked_within(&blobs, "{ olmpackages { name } }", late), expected);
}

/// A catalog that is as large as a schema may be, lists that are long, and values that are.
#[test]
fn large_catalogs_are_no_way_around_the_limits() {
    let keys = repeated(19_000, |it| format!("\"k{it}\":1,"));
    let list = repeated(120_000, |it| format!("{}{{\"a\":{it},\"b\":null}}", if it > 0 { "," } else { "" }));
    let text = "x".repeat(1 << 20);
    let blobs = [
        format!("{{{keys}\"schema\":\"keys\"}}"),
        format!("{{\"list\":[{list}],\"schema\":\"list\"}}"),
        format!("{{\"text\":\"{text}\",\"schema\":\"text\"}}"),
        format!("{{\"list\":[{{\"a\":1}}{}],\"schema\":\"nulls\"}}", ",null".repeat(50_000)),
    ];
    let blobs = Blobs::read(&blobs.join("\n"));
    let names = "name ".repeat(100);
    let typenames = "__typename ".repeat(400);
    let aliases = |n: usize, part: &str| repeated(n, |it| format!("a{it}: {part} "));
    for (query, expected) in [
        ("{ lists { list { a } } }".to_owned(), "{\"a\":119999}"),
        ("{ lists { list { a b __typename } } }".to_owned(), COST),
        (format!("{{ lists {{ list {{ {typenames} }} }} }}"), COST),
        (format!("{{ {} }}", aliases(2, "lists { list { a } }")), COST),
        (format!("{{ texts {{ {} }} }}", aliases(30, "text")), "xxxx"),
        (format!("{{ texts {{ {} }} }}", aliases(40, "text")), "query exceeds maximum answer size"),
        (format!("{{ {} }}", aliases(40, "texts { text }")), "query exceeds maximum answer size"),
        ("{ nullss { list { a } } }".to_owned(), "[{\"a\":1},null,null"),
        ("{ __schema { types { fields { name } } } }".to_owned(), "\"k18999\""),
        (format!("{{ __schema {{ types {{ fields {{ {names} }} }} }} }}"), COST),
        (format!("{{ __schema {{ types {{ fields {{ {typenames} }} }} }} }}"), COST),
        (format!("{{ __schema {{ types {{ fields {{ {} }} }} }} }}", aliases(50, "type { name description }")), COST),
        ("{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }".to_owned(), "data"),
        (format!("{{ {} }}", "__schema { types { fields { name } } } ".repeat(120)), COST),
        (format!("{{ {} }}", "__type(name: \"Int\") { name } ".repeat(240)), "\"Int\""),
    ] {
        let start = Instant::now();
        let answer = asked(&blobs, &query);
        let shown = &answer[..answer.len().min(300)];
        assert!(answer.contains(expected), "{}: {shown}", &query[..60.min(query.len())]);
        assert!(start.elapsed() < Duration::from_secs(60), "{:?} {}", start.elapsed(), &query[..60.min(query.len())]);
    }
}
