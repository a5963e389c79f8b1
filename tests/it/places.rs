//! Answers from an index point to the line of the entry, edge or property in question, in the present files of the
//! catalog.

use std::path::Path;
use std::sync::Arc;

use crate::support::older_index::downgrade;
use olmdex::fbc::Input;
use olmdex::index::query::BundleSelector;
use olmdex::index::{Builder, CatalogSpec, Index, Mode};

const YAML: &str = "\
# A comment, so that the document starts later.
schema: olm.package
name: till
defaultChannel: stable
---

# Another one.
schema: olm.channel
package: till
name: stable
entries:
- name: till.v1.1.0
  skipRange: '>=0.9.0 <1.1.0'
  skips:
  - till.v1.0.1
  replaces: till.v1.0.0
- name: till.v1.0.0
---
schema: olm.bundle
package: till
name: till.v1.0.0
image: quay.io/shop/till:v1.0.0
properties:
- {type: olm.package, value: {packageName: till, version: 1.0.0}}
---
schema: olm.bundle
package: till
name: till.v1.1.0
image: quay.io/shop/till:v1.1.0
properties:
- type: olm.package
  value: {packageName: till, version: 1.1.0}
- type: olm.label
  value: {label: red}
";

/// The same documents.
const JSON: &str = r#"{"schema": "olm.package", "name": "till", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "till", "name": "stable", "entries": [
  {"name": "till.v1.1.0", "skipRange": ">=0.9.0 <1.1.0", "skips": ["till.v1.0.1"], "replaces": "till.v1.0.0"},
  {"name": "till.v1.0.0"}]}
{"schema": "olm.bundle", "package": "till", "name": "till.v1.0.0", "image": "quay.io/shop/till:v1.0.0",
  "properties": [{"type": "olm.package", "value": {"packageName": "till", "version": "1.0.0"}}]} {"schema": "olm.bundle",
  "package": "till", "name": "till.v1.1.0", "image": "quay.io/shop/till:v1.1.0", "properties": [
    {"type": "olm.package", "value": {"packageName": "till", "version": "1.1.0"}},
    {"type": "olm.label", "value": {"label": "red"}}]}
"#;

fn build(path: &Path, catalogs: &[(&str, &str)]) {
    let mut builder = Builder::open(path).unwrap();
    for (name, text) in catalogs {
        let spec = CatalogSpec { name: (*name).to_owned(), ..CatalogSpec::default() };
        let import = builder.add_catalog(&spec, &Input::bytes(name, Arc::from(text.as_bytes())), Mode::Strict).unwrap();
        assert!(!import.refused, "{:?}", import.report.findings);
    }
    builder.finish().unwrap();
}

/// The places in a catalog of an index: entries, edges, properties and bundles, each with line and column.
fn places(path: &Path, catalog: &str) -> Vec<(String, u32, u32)> {
    let index = Index::open(path).unwrap();
    let catalogs = [catalog.to_owned()];
    let mut found = Vec::new();
    for channel in index.show_channel(&catalogs, "till", "stable").unwrap() {
        found.extend(channel.entry_list.into_iter().map(|it| (format!("entry {}", it.name), it.line, it.column)));
    }
    let package = Some("till".to_owned());
    for bundle in
        index.show_bundle(&BundleSelector { catalogs: catalogs.into(), package, ..Default::default() }).unwrap()
    {
        let source = bundle.source.unwrap();
        found.push((format!("bundle {}", bundle.row.bundle), source.line, source.column));
        for it in bundle.upgrades_from {
            assert_eq!(it.file, catalog);
            found.push((format!("{} {}", it.kind, it.bundle), it.line, it.column));
        }
        for it in bundle.properties {
            found.push((format!("{} of {}", it.kind, bundle.row.bundle), it.line.unwrap(), it.column.unwrap()));
        }
    }
    found
}

/// The text at a place, as far as it matters here.
fn text_at(text: &str, line: u32, column: u32) -> String {
    let line = text.lines().nth(line as usize - 1).unwrap();
    line.chars().skip(column as usize - 1).filter(|it| !matches!(it, '"' | '\'' | '{' | ' ')).collect()
}

fn expect_true(text: &str, places: &[(String, u32, u32)]) {
    assert_eq!(places.len(), 10, "{places:?}");
    for (what, line, column) in places {
        let at = text_at(text, *line, *column);
        let wanted = match what.split_once(' ').unwrap() {
            ("entry", name) => format!("name:{name}"),
            ("bundle", _) => "schema:olm.bundle".to_owned(),
            ("skipRange", _) => ">=0.9.0<1.1.0".to_owned(),
            ("replaces" | "skips", name) => name.to_owned(),
            (kind, _) => format!("type:{kind}"),
        };
        assert!(at.starts_with(&wanted), "{what} at {line}:{column}: {at}");
    }
}

#[test]
fn each_catalog_has_its_own_lines_of_the_same_documents() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    build(&path, &[("yaml", YAML), ("json", JSON)]);
    expect_true(YAML, &places(&path, "yaml"));
    expect_true(JSON, &places(&path, "json"));
    assert_ne!(places(&path, "yaml"), places(&path, "json"));
}

#[test]
fn texts_that_are_known_move_with_their_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    build(&path, &[("a", YAML), ("b", JSON)]);
    // The documents are not read again, but have other places.
    let yaml = format!("schema: example.com/first\nname: x\n---\n{YAML}");
    let json = format!("{{\"schema\": \"example.com/first\"}}\n\n  {JSON}");
    build(&path, &[("a", &yaml), ("b", &json)]);
    expect_true(&yaml, &places(&path, "a"));
    expect_true(&json, &places(&path, "b"));
    // Layouts that no catalog needs any more are gone.
    let count =
        |sql: &str| -> i64 { rusqlite::Connection::open(&path).unwrap().query_row(sql, [], |row| row.get(0)).unwrap() };
    assert_eq!(count("SELECT count(*) FROM layout"), 6);
    build(&path, &[("a", YAML), ("b", YAML)]);
    assert_eq!(
        count(
            "SELECT count(*) FROM layout
             WHERE id NOT IN (SELECT layout FROM catalog_document WHERE layout > 0 UNION
                              SELECT layout FROM document_source WHERE layout > 0)"
        ),
        0
    );
}

#[test]
fn an_older_index_learns_places_with_the_next_build() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    build(&path, &[("yaml", YAML)]);
    downgrade(&path, 2);
    Builder::open(&path).unwrap().finish().unwrap();
    let index = Index::open(&path).unwrap();
    let channel = index.show_channel(&[], "till", "stable").unwrap().remove(0);
    assert!(
        channel.entry_list.iter().all(|it| it.line == channel.source.as_ref().unwrap().line),
        "the document's line"
    );
    build(&path, &[("yaml", YAML)]);
    expect_true(YAML, &places(&path, "yaml"));
}
