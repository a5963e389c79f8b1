//! Queries and their answers, which graphql-go 0.8.1 gave under catalogd's schema generation; where it has no order,
//! ours is by name. Then the limits on hostile queries.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod documents;
mod hostile;
mod mutations;

use documents::{Blobs, asked, recorded};
use serde_json::Value;

#[test]
fn queries_are_answered_as_graphql_go_answers_them() {
    let blobs = Blobs::read(include_str!("catalog.jsonl"));
    let cases = recorded(include_str!("answers.jsonl"));
    assert!(cases.len() > 150);
    for case in cases {
        let query = case["query"].as_str().unwrap();
        assert_eq!(asked(&blobs, query), case["answer"].as_str().unwrap(), "{query}");
    }
}

#[test]
fn schemas_and_values_are_those_of_catalogd() {
    for case in recorded(include_str!("schemas.jsonl")) {
        let texts: Vec<String> = case["blobs"].as_array().unwrap().iter().map(Value::to_string).collect();
        let blobs = Blobs::read(&texts.join("\n"));
        assert_eq!(asked(&blobs, case["query"].as_str().unwrap()), case["answer"].as_str().unwrap(), "{case}");
    }
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
    assert_eq!(names.len(), 21, "{names:?}");
    let usual = query.replace("ofType { kind name }", "ofType { kind name ofType { ofType { ofType { name } } } }");
    assert!(asked(&blobs, &usual).contains("query exceeds maximum depth of 10"));
}
