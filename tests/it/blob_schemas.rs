//! The JSON Schemas of blobs and properties in `schema/`: good blobs pass, and values that the rules forbid do not.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::{Path, PathBuf};

use crate::support::schema::{misfits, read};
use serde_json::{Value, json};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("schema")
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
    // A place in a good blob, and a value that it must not have.
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
            // The checker must know every word of the schema, whatever the value.
            misfits(&path, &json!({}));
        }
    }
    assert!(n_files >= 15);
}
