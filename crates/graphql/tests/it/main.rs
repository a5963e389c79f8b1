//! Queries and their answers, which graphql-go 0.8.1 gave under catalogd's schema generation; where it has no order,
//! ours is by name. The words of errors are those of `async-graphql`. Then the limits on hostile queries.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod documents;
mod hostile;
mod mutations;

use documents::{Blobs, asked, recorded};
use serde_json::Value;

/// Whether a recorded answer without errors is ours, too. Where it has errors, ours has some, in other words and
/// perhaps at other places, and the same data.
fn check(case: &Value, ours: &str) -> Result<(), String> {
    let theirs = case["answer"].as_str().unwrap();
    let is_same = match (serde_json::from_str::<Value>(theirs), serde_json::from_str::<Value>(ours)) {
        (Ok(theirs), Ok(ours)) if theirs.get("errors").is_some() => {
            ours["errors"].as_array().is_some_and(|errors| !errors.is_empty()) && ours["data"] == theirs["data"]
        }
        _ => ours == theirs,
    };
    if is_same { Ok(()) } else { Err(format!("{}\n  theirs {theirs}\n  ours   {ours}", case["query"])) }
}

/// Refused by graphql-go, but answered by `async-graphql`: it does not look at the types of some variables, at lists of
/// variables, and at fields below two places with one name, reads `null` and remarks that have more than ASCII, and
/// takes fragments without a type below lists.
const LENIENT: &[&str] = &[
    "query Q($a: Int! = 3) { customthings(limit: $a) { n } }",
    "query Q($a: String) { customthings(limit: $a) { n } }",
    "query Q($a: Boolean) { customthings { n @skip(if: $a) } }",
    "{ # é\n summary { totalSchemas } }",
    "{ customthings(limit: null) { n } }",
    "query($x: Int) { customthings(limit: [$x]) { n } }",
    "{ olmbundles { ... { name } } }",
    "{ olmbundles { ... @include(if: false) { name } ... on OlmBundle { image } } }",
    "{ __schema { ... { queryType { name } } } }",
    "{ x: olmbundles { n: name } ... on Query { x: olmbundles { n: image } } }",
    "{ ... on Query { customthings { n ... on CustomThing { n: f } } } }",
    "{ a: customthings { x: n } ...F } fragment F on Query { a: customthings { x: f } }",
];

/// Answered by graphql-go, but refused by `async-graphql`, as the specification of GraphQL says.
const STRICT: &[&str] =
    &["{ ... \"on\" Query { __typename } }", "{ customthings { n @skip(if: true) @skip(if: false) } }"];

/// About the types that every schema has: `async-graphql` has other words, newer fields, and the type `ID`.
const OWN_WORDS: &[&str] = &[
    "{ __schema { directives { name args { name defaultValue type { kind name ofType { name } } } locations onField onFragment onOperation description } } }",
    "{ __type(name: \"__TypeKind\") { enumValues { name description isDeprecated deprecationReason } } }",
    "{ __type(name: \"__Type\") { fields(includeDeprecated: true) { name args { name defaultValue } } } }",
    "{ __type(name: \"__Directive\") { fields(includeDeprecated: true) { name isDeprecated deprecationReason } } }",
    "{ __schema { mutationType { name } subscriptionType { name } types { name } } }",
    "{ __schema { types { fields { type { ofType { ofType { ofType { name } } } } } } } }",
    "{ __type(name: \"__Schema\") { description fields { name description type { kind ofType { kind name } } } } }",
    "{ __type(name: \"__InputValue\") { description fields { name description } } }",
    "{ __type(name: \"__EnumValue\") { description } a: __type(name: \"__Field\") { description } b: __type(name: \"__Directive\") { description } c: __type(name: \"__DirectiveLocation\") { description kind } }",
    "{ a: __type(name: \"String\") { description } b: __type(name: \"Int\") { description } c: __type(name: \"Float\") { description } d: __type(name: \"Boolean\") { description } e: __type(name: \"ID\") { name } }",
    // `async-graphql` has a type `Float` even if no field has numbers with a fraction.
    "{ floats { schema } }",
];

/// The answers that are wrong. Queries that are listed must have another answer than the recorded one.
fn unexpected<'c>(cases: impl Iterator<Item = (&'c Value, String)>) -> String {
    let mut wrong = String::new();
    for (case, ours) in cases {
        let query = case["query"].as_str().unwrap();
        let is_listed = [LENIENT, STRICT, OWN_WORDS].iter().any(|list| list.contains(&query));
        match check(case, &ours) {
            Err(why) if !is_listed => wrong = wrong + &why + "\n",
            Ok(()) if is_listed => wrong = wrong + query + " is no longer different\n",
            _ => {}
        }
    }
    wrong
}

#[test]
fn queries_are_answered_as_graphql_go_answers_them() {
    let blobs = Blobs::read(include_str!("catalog.jsonl"));
    let cases = recorded(include_str!("answers.jsonl"));
    assert!(cases.len() > 150);
    let wrong = unexpected(cases.iter().map(|case| (case, asked(&blobs, case["query"].as_str().unwrap()))));
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn schemas_and_values_are_those_of_catalogd() {
    let cases = recorded(include_str!("schemas.jsonl"));
    let wrong = unexpected(cases.iter().map(|case| {
        let texts: Vec<String> = case["blobs"].as_array().unwrap().iter().map(Value::to_string).collect();
        (case, asked(&Blobs::read(&texts.join("\n")), case["query"].as_str().unwrap()))
    }));
    assert!(wrong.is_empty(), "{wrong}");
}

/// A shallow form of the first query of tools; the usual form is deeper than catalogd allows.
#[test]
fn a_tool_learns_all_types() {
    let blobs = Blobs::read(include_str!("catalog.jsonl"));
    let query = "query IntrospectionQuery { __schema { queryType { name } types { ...FullType } directives { name locations } } }
        fragment FullType on __Type { kind name fields(includeDeprecated: true) { name type { ...TypeRef } } }
        fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }";
    let answer: Value = serde_json::from_str(&asked(&blobs, query)).unwrap();
    let types = answer["data"]["__schema"]["types"].as_array().unwrap();
    let names: Vec<&str> = types.iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert!(names.is_sorted());
    // One more than graphql-go has: `ID`.
    assert_eq!(names.len(), 22, "{names:?}");
    let usual = query.replace("ofType { kind name }", "ofType { kind name ofType { ofType { ofType { name } } } }");
    assert!(asked(&blobs, &usual).contains("query exceeds maximum depth of 10"));
}
