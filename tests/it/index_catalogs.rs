//! Several catalogs in one index.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use olmdex::diag::Severity;
use olmdex::fbc::Input;
use olmdex::index::query::{BundleSelector, Filter, SearchQuery};
use olmdex::index::{Builder, CatalogSpec, Index, Kind, ListIndex, Mode, Outcome};

use crate::support::shared;

#[test]
fn catalogs_share_what_is_equal() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let catalogs = [("first", "shop/in"), ("second", "help/my-catalog"), ("third", "shop/in")];
    share(&catalogs.map(|(name, path)| (name, fixtures.join(path))), "receipt");
}

#[test]
#[ignore = "needs ../shared/catalogs"]
fn real_catalogs_share_what_is_equal() {
    let names = ["community-v4.12", "community-v4.16", "community-v4.20"];
    share(&names.map(|name| (name, shared("catalogs").join(name))), "operator");
}

/// Builds an index of the catalogs, asks it for everything and for a word, and removes the catalogs again.
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

    // Without its catalogs the index is empty.
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

/// The rows of the view of images whose references have a text in them.
fn image_rows(connection: &rusqlite::Connection, text: &str) -> Vec<[String; 5]> {
    connection
        .prepare("SELECT catalog, image, package, bundle, version FROM v_image WHERE instr(image, ?1) > 0")
        .unwrap()
        .query_map([text], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]))
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

#[test]
fn images_in_memory_are_those_of_the_tables() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let catalogs =
        [("b", "shop/in"), ("a", "catalogs/all-that-an-index-holds"), ("c", "shop/in"), ("d", "catalogs/kiln")];
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    let mut builder = Builder::open(&path).unwrap();
    for (name, path) in catalogs {
        let spec = CatalogSpec { name: name.to_owned(), ..CatalogSpec::default() };
        builder.add_catalog(&spec, &Input::directory(&fixtures.join(path)).unwrap(), Mode::Strict).unwrap();
    }
    builder.finish().unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let users = Index::open(&path).unwrap().image_users().unwrap();
    let mut n_found = 0;
    for text in ["", "quay.io", "till", "1.0", "@sha256:", "Quay", "%", "nothing"] {
        let rows = image_rows(&connection, text);
        let references: BTreeSet<&str> = rows.iter().map(|it| it[1].as_str()).filter(|it| !it.is_empty()).collect();
        let found = users.find(text);
        assert!(found.references.iter().eq(references), "{text}");
        assert_eq!(users.references(text), found.references, "{text}");
        let packages: BTreeSet<&str> = rows.iter().map(|it| it[2].as_str()).collect();
        assert!(found.packages.iter().map(|it| &it.0).eq(packages), "{text}");
        for (package, n_bundles) in &found.packages {
            let of_package = || rows.iter().filter(|it| it[2] == *package);
            let places: BTreeSet<_> = of_package().map(|it| (it[0].clone(), package.clone(), it[3].clone())).collect();
            assert_eq!((places.len(), &users.places_in(package, text)), (*n_bundles, &places), "{text}: {package}");
            // A bundle of several catalogs is in the first of them.
            let mut expected: BTreeMap<[&str; 3], &str> = BTreeMap::new();
            for [catalog, image, _, bundle, version] in of_package() {
                let first = expected.entry([image, bundle, version]).or_insert(catalog);
                *first = (*first).min(catalog);
            }
            let users = users.of_package(package, text);
            let given = users.iter().map(|it| ([&*it.reference, &*it.bundle, &*it.version], &*it.catalog));
            assert_eq!(given.collect::<BTreeMap<_, _>>(), expected, "{text}: {package}");
            assert_eq!(users.len(), expected.len(), "{text}: {package}");
            n_found += users.len();
        }
    }
    assert!(n_found > 50, "{n_found}");
}

/// The lists of one catalog or of several, as an index in memory has them.
fn lists<K: Kind>(mut builder: Builder<K>, catalogs: &[(&str, &Input)]) -> (bool, [String; 4]) {
    let mut has_errors = false;
    for (name, input) in catalogs {
        let spec = CatalogSpec { name: (*name).to_owned(), ..CatalogSpec::default() };
        let import = builder.add_catalog(&spec, input, Mode::Tolerant).unwrap();
        has_errors |= import.report.has_other_errors
            || !import.report.broken_packages.is_empty()
            || import.report.findings.iter().any(|it| it.rule.severity == Severity::Error);
    }
    let (index, all) = (builder.into_index().unwrap(), Filter::default());
    let index: &ListIndex = index.as_ref();
    let rows = [
        format!("{:#?}", index.catalogs(&all).unwrap()),
        format!("{:#?}", index.packages(&all).unwrap()),
        format!("{:#?}", index.channels(&all).unwrap()),
        format!("{:#?}", index.bundles(&all).unwrap()),
    ];
    (has_errors, rows)
}

/// Compares an index for lists with a whole one, for each catalog without errors below a directory.
fn expect_equal_lists(directories: &[PathBuf]) -> usize {
    let mut n_compared = 0;
    let mut before: Option<Input> = None;
    for directory in directories {
        let Ok(input) = Input::directory(directory) else { continue };
        let (has_errors, expected) = lists(Builder::in_memory(), &[("one", &input)]);
        if has_errors {
            continue;
        }
        let found = lists(Builder::for_lists(), &[("one", &input)]);
        assert_eq!(found, (false, expected), "{}", directory.display());
        if let Some(other) = before.replace(input.clone()) {
            let both = [("one", &input), ("two", &other), ("three", &input)];
            let expected = lists(Builder::in_memory(), &both);
            assert_eq!(lists(Builder::for_lists(), &both), expected, "{}", directory.display());
        }
        n_compared += 1;
    }
    n_compared
}

#[test]
fn lists_need_no_whole_index() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let below = |directory: &str, inner: &str| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(fixtures.join(directory)).unwrap();
        let mut found: Vec<PathBuf> = entries.map(|it| it.unwrap().path().join(inner)).collect();
        found.sort();
        found
    };
    let mut catalogs = below("catalogs", "");
    catalogs.extend(below("rules", "in"));
    catalogs.extend(["shop/in", "help/my-catalog"].map(|it| fixtures.join(it)));
    assert!(expect_equal_lists(&catalogs) > 20);
}

#[test]
#[ignore = "needs ../shared/catalogs"]
fn lists_of_real_catalogs_need_no_whole_index() {
    let names = ["community-v4.12", "community-v4.16", "community-v4.20"];
    assert!(expect_equal_lists(&names.map(|name| shared("catalogs").join(name))) > 0);
}
