//! Several catalogs in one index.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::{Path, PathBuf};

use olmdex::fbc::Input;
use olmdex::index::query::{BundleSelector, Filter, SearchQuery};
use olmdex::index::{Builder, CatalogSpec, Index, Mode, Outcome};

use crate::support::shared;

#[test]
fn catalogs_share_what_is_equal() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let catalogs = [("first", "shop/in"), ("second", "help/my-catalog"), ("third", "shop/in")];
    share(&catalogs.map(|(name, path)| (name, fixtures.join(path))), "receipt");
}

#[test]
#[ignore = "needs real catalogs"]
fn real_catalogs_share_what_is_equal() {
    let names = ["community-v4.12", "community-v4.16", "community-v4.20"];
    share(&names.map(|name| (name, shared("catalogs").join(name))), "operator");
}

/// Builds an index of the catalogs, asks it for all that they have and for a word, and takes them out again.
fn share(catalogs: &[(&str, PathBuf)], word: &str) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    let build = |path: &PathBuf| {
        let mut builder = Builder::open(path).unwrap();
        for (name, path) in catalogs {
            let spec = CatalogSpec { name: (*name).to_owned(), ..CatalogSpec::default() };
            let input = Input::directory(path).unwrap();
            let import = builder.add_catalog(&spec, &input, Mode::Strict).unwrap();
            assert!(!import.refused, "{name}: {:?}", import.report.findings.first());
        }
        builder.finish().unwrap()
    };
    assert_eq!(build(&path), Outcome::Written);
    assert_eq!(build(&path), Outcome::Unchanged);
    let again = directory.path().join("again.db");
    build(&again);
    assert!(std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap());

    let index = Index::open(&path).unwrap();
    let info = index.info(None, &|_, _| Vec::new()).unwrap();
    assert!(info.documents < info.references, "{} of {}", info.documents, info.references);
    let bundles = index.bundles(&Filter::default()).unwrap();
    let total: u64 = info.catalogs.iter().map(|it| it.bundles).sum();
    assert_eq!(bundles.len() as u64, total);
    for bundle in bundles.iter().step_by(50) {
        let selector = BundleSelector {
            catalogs: vec![bundle.catalog.clone()],
            name: Some(bundle.bundle.clone()),
            ..BundleSelector::default()
        };
        let details = index.show_bundle(&selector).unwrap();
        assert!(details.iter().any(|it| it.row == *bundle), "{}", bundle.bundle);
    }
    assert!(!index.search(&SearchQuery { words: word.to_owned(), ..SearchQuery::default() }).unwrap().is_empty());

    // Without its catalogs nothing is left.
    let mut builder = Builder::open(&path).unwrap();
    for (name, _) in catalogs {
        builder.remove_catalog(name).unwrap();
    }
    builder.finish().unwrap();
    let empty = Index::open(&path).unwrap().info(None, &|_, _| Vec::new()).unwrap();
    assert_eq!((empty.documents, empty.references, empty.document_bytes), (0, 0, 0));
    let connection = rusqlite::Connection::open(&path).unwrap();
    let tables: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search%' AND name NOT LIKE 'sqlite%'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for table in tables.iter().filter(|it| !["meta", "refinery_schema_history"].contains(&it.as_str())) {
        let n: i64 = connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(n, 0, "{table}");
    }
}
