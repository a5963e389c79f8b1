//! The JSON Schemas of blobs and properties in `schema/`: good blobs pass, and what the rules forbid does not.
//!
//! The checker here knows the part of JSON Schema that those files use, and refuses a file that uses more; a library for
//! all of it would be the largest dependency of the whole project.
#![allow(clippy::unwrap_used)] // in what its tests share, a failure is a failed test

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("schema")
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Why a value does not fit the schema of a file, with the place in the value; nothing if it fits.
fn misfits(file: &Path, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(file, &read(file), value, "", &mut found);
    found
}

fn fits(file: &Path, schema: &Value, value: &Value) -> bool {
    let mut found = Vec::new();
    check(file, schema, value, "", &mut found);
    found.is_empty()
}

fn check(file: &Path, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let schema = schema.as_object().unwrap();
    let mut refusals: Vec<String> = Vec::new();
    let mut refuse = |what: &str| refusals.push(format!("{at}: {what}"));
    let number = |it: &Value| usize::try_from(it.as_u64().unwrap()).unwrap();
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    for (keyword, rule) in schema {
        match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "contentEncoding" | "then" | "minContains" => {}
            "type" => {
                let is_type = match rule.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "number" => value.is_number(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "null" => value.is_null(),
                    other => panic!("type {other}"),
                };
                if !is_type {
                    refuse(&format!("is no {rule}"));
                }
            }
            "const" if value != rule => refuse(&format!("is not {rule}")),
            "enum" if !rule.as_array().unwrap().contains(value) => refuse(&format!("is none of {rule}")),
            "const" | "enum" => {}
            "minLength" if value.as_str().is_some_and(|it| it.chars().count() < number(rule)) => refuse("is too short"),
            "maxLength" if value.as_str().is_some_and(|it| it.chars().count() > number(rule)) => refuse("is too long"),
            "minItems" if value.is_array() && items.len() < number(rule) => refuse("has too few items"),
            "minLength" | "maxLength" | "minItems" => {}
            "pattern" => {
                // There is no library of regular expressions here, but each pattern has its own judge.
                let is_right = match (rule.as_str().unwrap(), value.as_str()) {
                    (_, None) => true,
                    (it, Some(text)) if it.starts_with("^(0|[1-9]") => olmdex::version::Version::parse(text).is_ok(),
                    ("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", Some(text)) => {
                        let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
                        is_edge(text.chars().next())
                            && is_edge(text.chars().last())
                            && text.chars().all(|c| is_edge(Some(c)) || c == '-')
                    }
                    (_, Some(text)) => text.split('.').count() >= 2,
                };
                if !is_right {
                    refuse(&format!("does not match {rule}"));
                }
            }
            "required" => {
                for key in rule.as_array().unwrap() {
                    if value.as_object().is_some_and(|it| !it.contains_key(key.as_str().unwrap())) {
                        refuse(&format!("lacks {key}"));
                    }
                }
            }
            "contains" if value.is_array() => {
                let n_found = items.iter().filter(|it| fits(file, rule, it)).count();
                let least = schema.get("minContains").map_or(1, number);
                let most = schema.get("maxContains").map_or(usize::MAX, number);
                if !(least..=most).contains(&n_found) {
                    refuse(&format!("has {n_found} of what it must contain"));
                }
            }
            "contains" | "maxContains" => {}
            "not" if fits(file, rule, value) => refuse("is what it must not be"),
            "not" => {}
            "oneOf" | "anyOf" => {
                let n_fitting = rule.as_array().unwrap().iter().filter(|it| fits(file, it, value)).count();
                if n_fitting == 0 || (keyword == "oneOf" && n_fitting > 1) {
                    refuse(&format!("fits {n_fitting} of {keyword}"));
                }
            }
            "allOf" => rule.as_array().unwrap().iter().for_each(|it| check(file, it, value, at, found)),
            "if" if fits(file, rule, value) => check(file, &schema["then"], value, at, found),
            "if" => {}
            "$ref" => {
                let (name, inside) = rule.as_str().unwrap().split_once('#').unwrap_or((rule.as_str().unwrap(), ""));
                let target = if name.is_empty() { file.to_owned() } else { file.parent().unwrap().join(name) };
                let document = read(&target);
                let part = document.pointer(inside).unwrap_or_else(|| panic!("{rule} leads nowhere"));
                check(&target, part, value, at, found);
            }
            "properties" => {
                for (key, inner) in rule.as_object().unwrap() {
                    if let Some(member) = value.get(key) {
                        check(file, inner, member, &format!("{at}/{key}"), found);
                    }
                }
            }
            "additionalProperties" => {
                for (key, member) in value.as_object().into_iter().flatten() {
                    check(file, rule, member, &format!("{at}/{key}"), found);
                }
            }
            "items" => {
                for (idx, item) in items.iter().enumerate() {
                    check(file, rule, item, &format!("{at}/{idx}"), found);
                }
            }
            other => panic!("{}: `{other}` is not known here", file.display()),
        }
    }
    found.append(&mut refusals);
}

/// The schema of a blob: its own, or that of all blobs.
fn schema_of(blob: &Value) -> PathBuf {
    let own = directory().join(format!("blob/{}.json", blob["schema"].as_str().unwrap()));
    if own.exists() { own } else { directory().join("blob/meta.json") }
}

/// The blobs of the shop, as they are rendered.
fn shop() -> Vec<Value> {
    let rendered = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/shop/out/render.json");
    let text = std::fs::read_to_string(rendered).unwrap();
    serde_json::Deserializer::from_str(&text).into_iter().map(Result::unwrap).collect()
}

#[test]
fn the_shop_fits() {
    let blobs = shop();
    assert!(blobs.len() > 8);
    for blob in blobs {
        for file in [schema_of(&blob), directory().join("blob/meta.json")] {
            let found = misfits(&file, &blob);
            assert!(found.is_empty(), "{}: {found:?}\n{blob:#}", file.display());
        }
    }
}

#[test]
fn what_the_rules_forbid_does_not_fit() {
    let of = |schema: &str| shop().into_iter().find(|it| it["schema"] == schema).unwrap();
    // A place in a good blob, and what must not stand there.
    let cases: &[(&str, &str, Value)] = &[
        ("olm.package", "/name", json!("")),
        ("olm.package", "/name", json!("Foo_Bar")),
        ("olm.package", "/name", json!(1)),
        ("olm.package", "/defaultChannel", json!("")),
        ("olm.package", "/properties", json!([{"type": "", "value": 1}])),
        ("olm.package", "/properties", json!([{"type": "a", "value": null}])),
        ("olm.package", "/icon", json!({"mediatype": "image/png"})),
        ("olm.channel", "/package", json!("")),
        ("olm.channel", "/entries", json!([])),
        ("olm.channel", "/entries/0/name", json!("")),
        ("olm.channel", "/entries/0/replaces", json!("")),
        ("olm.channel", "/entries/0/skips", json!(["a", ""])),
        ("olm.channel", "/entries/0/skipRange", json!(1.0)),
        ("olm.bundle", "/image", json!("")),
        ("olm.bundle", "/relatedImages/0/image", json!("")),
        ("olm.bundle", "/properties", json!([])),
        ("olm.bundle", "/properties/0/value/version", json!("1.0")),
        ("olm.bundle", "/properties/0/value/packageName", json!(null)),
        ("olm.bundle", "/properties/1/value", json!({"group": "a", "version": "v1"})),
        ("olm.bundle", "/properties/1", json!({"type": "olm.bundle.object", "value": {"data": 1}})),
        ("olm.bundle", "/properties/1", json!({"type": "olm.constraint", "value": {"all": {"constraints": []}}})),
        ("olm.bundle", "/properties/1", json!({"type": "olm.constraint", "value": {"gvk": {}, "cel": {"rule": "a"}}})),
        ("olm.bundle", "/properties/1", json!({"type": "olm.csv.metadata", "value": {"keywords": "a"}})),
        ("olm.bundle", "/properties/1", json!({"type": "olm.package.required", "value": {"packageName": "a"}})),
        ("olm.deprecations", "/entries/0/message", json!("")),
        ("olm.deprecations", "/entries/0/reference", json!({"schema": "olm.bundle"})),
        ("olm.deprecations", "/entries/0/reference", json!({"schema": "olm.package", "name": "a"})),
        ("olm.deprecations", "/entries/0/reference", json!({"schema": "other", "name": "a"})),
    ];
    for (schema, at, wrong) in cases {
        let mut blob = of(schema);
        let file = schema_of(&blob);
        let (above, last) = at.rsplit_once('/').unwrap();
        let parent = blob.pointer_mut(above).unwrap();
        match parent {
            Value::Array(items) => items[last.parse::<usize>().unwrap()] = wrong.clone(),
            other => other[last] = wrong.clone(),
        }
        assert!(!misfits(&file, &blob).is_empty(), "{schema}{at}: {wrong} fits");
    }
}

#[test]
fn unknown_fields_fit() {
    for mut blob in shop() {
        blob["x-added-by-somebody"] = json!({"any": ["thing"]});
        assert!(misfits(&schema_of(&blob), &blob).is_empty());
    }
}

#[test]
fn every_schema_says_what_it_is_and_where_it_comes_from() {
    let mut n_files = 0;
    for folder in ["blob", "property"] {
        for entry in std::fs::read_dir(directory().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let schema = read(&path);
            n_files += 1;
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{}", path.display());
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(
                schema["$id"].as_str().unwrap().ends_with(&format!("/schema/{folder}/{name}")),
                "{}",
                path.display()
            );
            assert!(schema["description"].as_str().is_some_and(|it| it.len() > 20), "{}", path.display());
            // Whatever it is checked against, the checker must know every word of it.
            misfits(&path, &json!({}));
        }
    }
    assert!(n_files >= 15);
}
