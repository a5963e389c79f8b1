//! Lifecycles in an index: the rows agree with the blobs, older indexes get them, and findings are repeated.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;
use std::sync::Arc;

use crate::support::older_index::downgrade;
use crate::support::{olmdex, scratch, write};
use olmdex::fbc::Input;
use olmdex::index::query::{Filter, SqlLimits, SqlValue};
use olmdex::index::{Builder, CatalogSpec, Index, Mode};
use olmdex::openshift::Lifecycle;

const REAL: &str = include_str!("../../fixtures/recorded/lifecycle/real-lifecycles.yaml");

/// A lifecycle with all cases that the rows must distinguish: absent values, no platform, a platform without versions,
/// and values of another form.
const ODD: &str = r#"{"schema":"io.openshift.operators.lifecycles.v1alpha1","package":"odd","versions":[
{"name":"1.0","phases":[{"name":"Full support","startDate":"2026-01-01","endDate":"2026-02-01"},{"name":"x","startDate":"soon","endDate":"2026-03-01"}]},
{"name":"1.1","phases":[],"platformCompatibility":[]},
{"name":"none","phases":[],"platformCompatibility":[{"name":"openshift","versions":[]},{"name":"openshift","versions":["4.18","4.19"]},{"name":"other","versions":["1"]}]},
{"name":"1.0","phases":[]},
{"name":"99999999999999999.1","phases":[]}]}"#;

const SHOP: &str = r#"{"schema":"olm.package","name":"odd","defaultChannel":"stable"}
{"schema":"olm.channel","package":"odd","name":"stable","entries":[{"name":"odd.v1.0.3"}]}
{"schema":"olm.bundle","package":"odd","name":"odd.v1.0.3","image":"registry.example.com/odd:v1.0.3","properties":[{"type":"olm.package","value":{"packageName":"odd","version":"1.0.3"}}]}
"#;

fn build(path: &Path, name: &str, text: &str) -> Vec<String> {
    let mut builder = Builder::open(path).unwrap();
    let spec = CatalogSpec { name: name.to_owned(), ..CatalogSpec::default() };
    let input = Input::bytes("catalog.yaml", Arc::from(text.as_bytes()));
    let import = builder.add_catalog(&spec, &input, Mode::Strict).unwrap();
    assert!(!import.refused, "{:?}", import.report.findings);
    builder.finish().unwrap();
    import.report.findings.iter().map(|it| format!("{}: {}", it.rule.id, it.message)).collect()
}

fn read(text: &str) -> Vec<Lifecycle> {
    Lifecycle::read_all(text.as_bytes()).unwrap()
}

fn held(path: &Path) -> Vec<Lifecycle> {
    let all = Index::open(path).unwrap().lifecycles(&Filter::default()).unwrap();
    all.into_iter().map(|it| it.1).collect()
}

#[test]
fn rows_say_what_blobs_say() {
    let directory = scratch();
    let path = directory.path().join("index.db");
    build(&path, "real", REAL);
    let expected = read(REAL);
    assert!(!expected.is_empty());
    assert_eq!(held(&path), expected);
    build(&path, "odd", ODD);
    assert_eq!(held(&path)[0], read(ODD)[0], "by the names of catalogs");
}

#[test]
fn older_indexes_get_the_rows() {
    let directory = scratch();
    let path = directory.path().join("index.db");
    build(&path, "a", &format!("{ODD}\n{SHOP}"));
    for version in [6, 5, 4, 3, 2, 1] {
        downgrade(&path, version);
        assert!(Index::open(&path).is_err());
        Builder::open(&path).unwrap().finish().unwrap();
        assert_eq!(held(&path), read(ODD), "from {version}");
    }
    // Without its catalog nothing of it remains.
    let mut builder = Builder::open(&path).unwrap();
    builder.remove_catalog("a").unwrap();
    builder.finish().unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    for table in ["lifecycle_version", "lifecycle_phase", "lifecycle_platform"] {
        let n: i64 = connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(n, 0, "{table}");
    }
}

#[test]
fn what_was_found_is_found_again() {
    let directory = scratch();
    let path = directory.path().join("index.db");
    let text = format!("{ODD}\n{ODD}\n{SHOP}").replace("\"1.0\"", "\"1.2\"").replace("99999999999999999.1", "2.0");
    let first = build(&path, "a", &text);
    assert!(
        first.iter().any(|it| it.starts_with("W1618")) && first.iter().any(|it| it.starts_with("W1619")),
        "{first:?}"
    );
    // The texts are known: nothing is parsed, and the rows must be the same.
    assert_eq!(build(&path, "a", &text), first);
    assert_eq!(build(&path, "b", &text), first);
}

#[test]
fn views_join_bundles_with_their_minor_version() {
    let directory = scratch();
    let path = directory.path().join("index.db");
    build(&path, "a", &format!("{ODD}\n{SHOP}"));
    let mut index = Index::open(&path).unwrap();
    let sql = "SELECT b.bundle, l.phase, l.end_date FROM v_bundle b JOIN v_lifecycle l ON l.catalog = b.catalog
               AND l.package = b.package AND substr(b.version_key, 1, length(l.minor_key)) = l.minor_key";
    let result = index.sql(sql, SqlLimits::default()).unwrap();
    let texts = |row: &Vec<SqlValue>| row.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = result.rows.iter().map(texts).collect();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert!(rows[0].contains("odd.v1.0.3") && rows[0].contains("2026-02-01"), "{rows:?}");
}

#[test]
fn lifecycles_from_files_stand_behind_those_of_catalogs() {
    let directory = scratch();
    let root = directory.path();
    write(root, "shop/catalog.json", SHOP);
    write(root, "own/catalog.json", format!("{ODD}\n{SHOP}"));
    write(root, "outside.yaml", ODD.replace("2026-02-01", "2027-02-01"));
    let run = |arguments: &[&str]| olmdex(arguments.iter().copied()).in_directory(root).answer();
    run(&["build", "shop", "own", "--lifecycles", "outside.yaml", "-o", "all.db"])
        .expect_code(0)
        .expect_words("the files and catalog `own` differ about the lifecycle of `odd`: olmdex uses the catalog");
    let bundles = run(&["list", "bundles", "odd", "-i", "all.db", "-o", "json"]).out();
    let bundles: serde_json::Value = serde_json::from_str(&bundles).unwrap();
    let of = |catalog: &str| {
        let items = bundles["items"].as_array().unwrap().iter();
        items.filter(|it| it["catalog"] == catalog).map(|it| it["supportEnds"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((of("own"), of("shop")), (vec!["2026-02-01"], vec!["2027-02-01"]));
    // A catalog of lifecycles alone does not make names ambiguous.
    run(&["updates", "odd@1.0.3", "-i", "all.db", "--catalog", "own"]).expect_code(0);
    let packages = run(&["list", "packages", "-i", "all.db", "-o", "csv", "--no-headers"]).out();
    assert_eq!(packages.lines().count(), 2, "{packages}");
    // A file with anything but lifecycles is refused.
    write(root, "mixed.yaml", format!("{ODD}\n{SHOP}"));
    run(&["build", "shop", "--lifecycles", "mixed.yaml", "-o", "mixed.db"])
        .expect_code(3)
        .expect_words("this document is not a lifecycle");
    assert!(!root.join("mixed.db").exists());
    run(&["build", "lifecycles=shop", "--lifecycles", "outside.yaml", "-o", "mixed.db"]).expect_code(2);
}
