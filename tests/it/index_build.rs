//! Building an index: stored, shared and replaced data, and the treatment of files that are not an index.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::older_index::downgrade;
use olmdex::fbc::Input;
use olmdex::file::FileError;
use olmdex::index::query::{BundleSelector, Filter, SearchQuery};
use olmdex::index::{Builder, CatalogSpec, Import, Index, IndexError, Mode, NotAnIndex, Outcome};

/// A package with every kind of data of which an index keeps more than the text.
const FOO: &str = include_str!("../../fixtures/catalogs/all-that-an-index-holds/catalog.json");

const BAR: &str = r#"
{"schema":"olm.package","name":"bar","defaultChannel":"alpha"}
{"schema":"olm.channel","package":"bar","name":"alpha","entries":[{"name":"bar.v1.0.0"}]}
{"schema":"olm.bundle","package":"bar","name":"bar.v1.0.0","image":"quay.io/bar/bundle:v1","properties":[
  {"type":"olm.package","value":{"packageName":"bar","version":"1.0.0"}},
  {"type":"olm.gvk","value":{"group":"bar.example.com","version":"v1","kind":"Bar"}}]}
"#;

/// A package whose channel lists a missing bundle.
const BROKEN: &str = r#"
{"schema":"olm.package","name":"broken","defaultChannel":"alpha"}
{"schema":"olm.channel","package":"broken","name":"alpha","entries":[{"name":"broken.v1.0.0"}]}
"#;

fn input(text: &str) -> Input {
    Input::bytes("catalog.json", Arc::from(text.as_bytes()))
}

fn spec(name: &str) -> CatalogSpec {
    CatalogSpec { name: name.to_owned(), source: "test".to_owned(), ..CatalogSpec::default() }
}

fn build(path: &Path, catalogs: &[(&str, &str)]) -> (Outcome, Vec<Import>) {
    let mut builder = Builder::open(path).unwrap();
    let imports =
        catalogs.iter().map(|(name, text)| builder.add_catalog(&spec(name), &input(text), Mode::Strict).unwrap());
    let imports = imports.collect();
    (builder.finish().unwrap(), imports)
}

fn directory() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    (directory, path)
}

fn names_in(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(directory).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// One number.
fn number(index: &mut Index, sql: &str) -> i64 {
    match index.sql(sql, Default::default()).unwrap().rows[0][0] {
        olmdex::index::query::SqlValue::Integer(number) => number,
        ref other => panic!("{other:?}"),
    }
}

fn foreign_keys_hold(path: &Path) {
    let connection = rusqlite::Connection::open(path).unwrap();
    let broken: Vec<String> = connection
        .prepare("PRAGMA foreign_key_check")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(broken.is_empty(), "{broken:?}");
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

#[test]
fn everything_of_a_bundle_is_stored() {
    let (_directory, path) = directory();
    build(&path, &[("a", FOO)]);
    foreign_keys_hold(&path);
    let index = Index::open(&path).unwrap();
    let selector = BundleSelector { name: Some("foo.v2.0.0".to_owned()), ..BundleSelector::default() };
    let bundle = index.show_bundle(&selector).unwrap().pop().unwrap();
    assert_eq!(bundle.row.version, "2.0.0");
    assert_eq!(bundle.row.channels, ["stable"]);
    assert_eq!(bundle.row.display_name, "Foo Operator");
    assert_eq!(bundle.other_deprecations, ["olm.package foo: use bar"]);
    assert_eq!(bundle.description, "Runs a zebra in the cloud.");
    assert_eq!(bundle.categories, ["Zoo", "Cloud"]);
    assert_eq!(bundle.architectures, ["arm64"]);
    assert_eq!(bundle.operating_systems, ["linux"]);
    assert_eq!(bundle.max_openshift_version, "4.20");
    let features: BTreeMap<_, _> =
        [("disconnected", "true"), ("fips-compliant", "true")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
    assert_eq!(bundle.features, features);
    assert_eq!(bundle.provides.len() + bundle.requires.len(), 2);
    assert_eq!(bundle.required_packages[0].range, ">=1.0.0");
    assert_eq!(bundle.constraints[0].0.get(), r#"{"cel":{"rule":"true"},"failureMessage":"no"}"#);
    assert_eq!(bundle.related_images[0].image, "quay.io/foo/operator:2");
    assert_eq!(bundle.properties.len(), 7);
    let edges: Vec<(&str, &str)> =
        bundle.upgrades_from.iter().map(|it| (it.bundle.as_str(), it.kind.as_str())).collect();
    assert_eq!(edges, [("foo.v1.0.0", "skipRange"), ("foo.v1.1.0", "replaces"), ("foo.v1.1.0", "skipRange")]);
    assert_eq!(bundle.source.unwrap().line, 12);

    let selector = BundleSelector {
        package: Some("foo".to_owned()),
        version: Some("1.0.0".to_owned()),
        ..BundleSelector::default()
    };
    let bundle = index.show_bundle(&selector).unwrap().pop().unwrap();
    assert_eq!(bundle.row.deprecation.as_deref(), Some("too old"));
    assert_eq!(bundle.upgrades_to.len(), 2);

    let package = index.show_package(&[], "foo").unwrap().pop().unwrap();
    assert_eq!(package.row.head, "foo.v2.0.0");
    assert_eq!(package.row.deprecation.as_deref(), Some("use bar"));
    assert_eq!((package.row.channels, package.row.bundles), (1, 3));
    assert_eq!(package.description, "All about foo.");
    assert_eq!(package.icon_mediatype.as_deref(), Some("image/svg+xml"));
    let channel = index.show_channel(&[], "foo", "stable").unwrap().pop().unwrap();
    assert_eq!(channel.entry_list[1].skips, ["foo.v0.9.0"]);
}

#[test]
fn documents_come_back_in_their_order() {
    let mut builder = Builder::in_memory();
    builder.add_catalog(&spec("a"), &input(FOO), Mode::Tolerant).unwrap();
    let index = builder.into_index().unwrap();
    let mut texts = Vec::new();
    index
        .documents::<IndexError>(&Filter::default(), |head, text| {
            texts.push(format!("{} {text}", head.schema));
            Ok(())
        })
        .unwrap();
    assert_eq!(texts.len(), 7);
    assert!(texts[0].starts_with("olm.package {\"defaultChannel\":\"stable\",\"description\":"), "{}", texts[0]);
    assert_eq!(
        texts[6],
        "example.unknown {\"big\":1000,\"name\":\"x\",\"package\":\"foo\",\"schema\":\"example.unknown\"}"
    );
}

#[test]
fn words_apis_images_and_features_are_found() {
    let (_directory, path) = directory();
    build(&path, &[("a", FOO), ("b", BAR)]);
    let index = Index::open(&path).unwrap();
    let found = |query: SearchQuery| -> Vec<(String, String)> {
        index.search(&query).unwrap().into_iter().map(|it| (it.package, it.version.unwrap_or_default())).collect()
    };
    let foo = vec![("foo".to_owned(), "2.0.0".to_owned())];
    for words in ["zebra", "ZEBRA cloud", "animal foo", "foo inc zeb", "Deep OR"] {
        let expected = if words == "Deep OR" { Vec::new() } else { foo.clone() };
        assert_eq!(found(SearchQuery { words: words.to_owned(), ..SearchQuery::default() }), expected, "{words}");
    }
    let provides = |text| vec![olmdex::index::query::ApiPattern::parse(text)];
    assert_eq!(found(SearchQuery { provides: provides("foo.example.com//foo"), ..SearchQuery::default() }), foo);
    assert_eq!(found(SearchQuery { provides: provides("v2/Foo"), ..SearchQuery::default() }), foo);
    assert_eq!(found(SearchQuery { images: vec!["operator:2".to_owned()], ..SearchQuery::default() }), foo);
    let features = vec![("disconnected".to_owned(), Some("true".to_owned()))];
    assert_eq!(found(SearchQuery { features, ..SearchQuery::default() }), foo);
    assert_eq!(found(SearchQuery::default()), []);
    assert_eq!(found(SearchQuery { words: "\"".to_owned(), ..SearchQuery::default() }), []);
}

/// People ask for the version that they would install.
#[test]
fn a_package_is_found_by_the_values_of_its_default_head() {
    let (_directory, path) = directory();
    let bundle = |version: &str, feature: &str| {
        format!(
            r#"{{"schema":"olm.bundle","package":"p","name":"p.v{version}","image":"q.io/p:{version}","properties":[
  {{"type":"olm.package","value":{{"packageName":"p","version":"{version}"}}}},
  {{"type":"olm.csv.metadata","value":{{"annotations":{{"features.operators.openshift.io/{feature}":"true"}}}}}}]}}"#
        )
    };
    let package = r#"{"schema":"olm.package","name":"p","defaultChannel":"c"}
{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1.0.0"},{"name":"p.v2.0.0","replaces":"p.v1.0.0"}]}
{"schema":"olm.channel","package":"p","name":"d","entries":[{"name":"p.v3.0.0"}]}"#;
    let bundles = [bundle("1.0.0", "cni"), bundle("2.0.0", "csi"), bundle("3.0.0", "cnf")].concat();
    build(&path, &[("a", &format!("{package}{bundles}"))]);
    let index = Index::open(&path).unwrap();
    for (feature, found, listed) in [("csi", Some("2.0.0"), 1), ("cni", None, 1), ("cnf", None, 1), ("none", None, 0)] {
        let query = SearchQuery { features: vec![SearchQuery::feature(feature)], ..SearchQuery::default() };
        let hit = index.search(&query).unwrap().pop();
        assert_eq!(hit.as_ref().and_then(|it| it.version.as_deref()), found, "{feature}");
        assert_eq!(index.matches(&query).unwrap().len(), usize::from(found.is_some()), "{feature}");
        // A list of bundles is about each of them.
        assert_eq!(index.matching(&query).unwrap().unwrap().len(), listed, "{feature}");
        let facets = index.facets().unwrap();
        assert_eq!(facets.iter().any(|it| it.value == feature), found.is_some(), "{feature}");
        // Words may be those of any version, and the package must fit.
        let words = SearchQuery { images: vec!["p:1.0.0".to_owned()], ..query };
        assert_eq!(index.search(&words).unwrap().len(), usize::from(found.is_some()), "{feature}");
    }
}

/// Ranges over everything make quadratic edges; a small catalog must not become a huge index.
#[test]
fn a_channel_with_too_many_edges_by_range_says_so() {
    let catalog = |n_entries: usize| {
        let mut text = r#"{"schema":"olm.package","name":"p","defaultChannel":"c"}"#.to_owned();
        let entries = (0..n_entries).map(|it| {
            let replaces = if it > 0 { format!(r#","replaces":"p.v1.{}.0""#, it - 1) } else { String::new() };
            format!(r#"{{"name":"p.v1.{it}.0","skipRange":">=1.0.0"{replaces}}}"#)
        });
        let entries = entries.collect::<Vec<_>>().join(",");
        text.push_str(&format!(r#"{{"schema":"olm.channel","package":"p","name":"c","entries":[{entries}]}}"#));
        for it in 0..n_entries {
            let property = format!(r#"{{"type":"olm.package","value":{{"packageName":"p","version":"1.{it}.0"}}}}"#);
            text.push_str(&format!(
                r#"{{"schema":"olm.bundle","package":"p","name":"p.v1.{it}.0","image":"q.io/p:{it}","properties":[{property}]}}"#
            ));
        }
        text
    };
    for (n_entries, left_out, edges) in [(500, vec![], 500 * 499 + 499), (600, vec!["p/c".to_owned()], 599)] {
        let (_directory, path) = directory();
        let (_, imports) = build(&path, &[("a", &catalog(n_entries))]);
        assert_eq!(imports[0].without_range_edges, left_out, "{n_entries}");
        let mut index = Index::open(&path).unwrap();
        assert_eq!(number(&mut index, "SELECT count(*) FROM edge"), edges, "{n_entries}");
    }
}

#[test]
fn catalogs_share_documents_and_graphs() {
    let (_directory, path) = directory();
    build(&path, &[("a", FOO), ("b", FOO), ("c", &format!("{FOO}{BAR}"))]);
    let mut index = Index::open(&path).unwrap();
    assert_eq!(number(&mut index, "SELECT count(*) FROM document"), 10);
    assert_eq!(number(&mut index, "SELECT count(*) FROM graph"), 2);
    assert_eq!(number(&mut index, "SELECT count(*) FROM catalog_document"), 24);
    assert_eq!(number(&mut index, "SELECT count(*) FROM v_bundle WHERE package = 'foo'"), 9);
    let info = index.info(None, &|_, _| Vec::new()).unwrap();
    assert_eq!((info.references, info.documents), (24, 10));
}

#[test]
fn the_same_catalog_in_another_layout_is_the_same_documents() {
    let (_directory, path) = directory();
    build(&path, &[("a", FOO)]);
    let pretty = FOO.replace("\"schema\":", " \"schema\" :  ");
    let (_, imports) = build(&path, &[("a", &pretty)]);
    assert_eq!((imports[0].counts.new, imports[0].changed), (0, true));
    foreign_keys_hold(&path);
    // Its texts are known now, so it changes nothing any more.
    assert_eq!(build(&path, &[("a", &pretty)]).0, Outcome::Unchanged);
}

#[test]
fn nothing_new_leaves_the_file_alone() {
    let (_directory, path) = directory();
    assert_eq!(build(&path, &[("a", FOO), ("b", BAR)]).0, Outcome::Written);
    let before = (fs::read(&path).unwrap(), fs::metadata(&path).unwrap().modified().unwrap());
    let (outcome, imports) = build(&path, &[("b", BAR), ("a", FOO)]);
    assert_eq!(outcome, Outcome::Unchanged);
    assert!(imports.iter().all(|it| !it.changed));
    assert_eq!(imports[1].counts.bundles, 3);
    assert_eq!((fs::read(&path).unwrap(), fs::metadata(&path).unwrap().modified().unwrap()), before);
    assert_eq!(names_in(path.parent().unwrap()), ["index.db"]);
    // Other labels are a change.
    let mut builder = Builder::open(&path).unwrap();
    let labels = [("x".to_owned(), "y".to_owned())].into();
    let import = builder.add_catalog(&CatalogSpec { labels, ..spec("a") }, &input(FOO), Mode::Strict).unwrap();
    assert!(import.changed);
    assert_eq!(builder.finish().unwrap(), Outcome::Written);
    foreign_keys_hold(&path);
}

#[test]
fn findings_of_known_documents_are_reported_again() {
    let (_directory, path) = directory();
    let text = BAR.replace("\"v1\",\"kind\":\"Bar\"", "\"\",\"kind\":\"Bar\"");
    let (_, first) = build(&path, &[("a", &text)]);
    assert_eq!(first[0].report.findings.len(), 1, "{:?}", first[0].report);
    let (outcome, again) = build(&path, &[("a", &text)]);
    assert_eq!((outcome, &again[0].report.findings), (Outcome::Unchanged, &first[0].report.findings));
    let (_, more) = build(&path, &[("a", &format!("{text}{FOO}"))]);
    assert_eq!(more[0].report.findings, first[0].report.findings);
}

#[test]
fn replaced_and_removed_catalogs_leave_nothing() {
    let (_directory, path) = directory();
    build(&path, &[("a", FOO), ("b", &format!("{FOO}{BAR}"))]);
    build(&path, &[("b", BAR)]);
    foreign_keys_hold(&path);
    let mut builder = Builder::open(&path).unwrap();
    builder.remove_catalog("a").unwrap();
    match builder.remove_catalog("zzz") {
        Err(IndexError::NoSuchCatalog { known, .. }) => assert_eq!(known, ["b"]),
        other => panic!("{other:?}"),
    }
    builder.finish().unwrap();
    foreign_keys_hold(&path);
    let mut index = Index::open(&path).unwrap();
    for (table, expected) in
        [("document", 3), ("graph", 1), ("image", 1), ("text", 0), ("profile", 2), ("entry", 1), ("finding", 0)]
    {
        assert_eq!(number(&mut index, &format!("SELECT count(*) FROM {table}")), expected, "{table}");
    }
    assert!(index.search(&SearchQuery { words: "zebra".to_owned(), ..SearchQuery::default() }).unwrap().is_empty());
    // The file is as compact as one that was built directly.
    assert_eq!(number(&mut index, "SELECT freelist_count FROM pragma_freelist_count"), 0);
}

#[test]
fn the_bytes_do_not_depend_on_threads() {
    let (directory, _) = directory();
    let catalog = directory.path().join("catalog");
    for number in 0..40 {
        let name = format!("p{number}");
        let dir = catalog.join(&name);
        fs::create_dir_all(&dir).unwrap();
        fs::write(
            dir.join("catalog.json"),
            FOO.replace("foo", &name).replace("zebra", &format!("zebra {}", number / 3)),
        )
        .unwrap();
    }
    let files: Vec<Vec<u8>> = [1, 2, 3, 8]
        .into_iter()
        .map(|threads| {
            let path = directory.path().join(format!("{threads}.db"));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            // The program starts work from outside of the pool; here it starts inside, which must make no difference.
            pool.install(|| {
                let mut builder = Builder::open(&path).unwrap();
                let input = Input::directory(&catalog).unwrap();
                builder.add_catalog(&spec("a"), &input, Mode::Strict).unwrap();
                builder.finish().unwrap();
            });
            fs::read(&path).unwrap()
        })
        .collect();
    assert!(files.windows(2).all(|pair| pair[0] == pair[1]));
    let path = directory.path().join("outside.db");
    let mut builder = Builder::open(&path).unwrap();
    builder.add_catalog(&spec("a"), &Input::directory(&catalog).unwrap(), Mode::Strict).unwrap();
    builder.finish().unwrap();
    assert!(fs::read(&path).unwrap() == files[0]);
}

#[test]
fn a_catalog_with_errors_is_refused() {
    let (_directory, path) = directory();
    build(&path, &[("a", FOO)]);
    let before = fs::read(&path).unwrap();
    let mut builder = Builder::open(&path).unwrap();
    let import = builder.add_catalog(&spec("b"), &input(&format!("{BAR}{BROKEN}")), Mode::Strict).unwrap();
    assert!(import.refused && !import.changed);
    assert!(matches!(builder.finish(), Err(IndexError::Refused { name }) if name == "b"));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(names_in(path.parent().unwrap()), ["index.db"]);
}

#[test]
fn broken_packages_are_left_out_or_marked() {
    let (_directory, path) = directory();
    let text = format!("{BAR}{BROKEN}");
    let mut builder = Builder::open(&path).unwrap();
    let import = builder.add_catalog(&spec("a"), &input(&text), Mode::KeepGoing).unwrap();
    assert_eq!(import.left_out, ["broken".to_owned()].into());
    builder.finish().unwrap();
    foreign_keys_hold(&path);
    let index = Index::open(&path).unwrap();
    let names: Vec<String> = index.packages(&Filter::default()).unwrap().into_iter().map(|it| it.package).collect();
    assert_eq!(names, ["bar"]);

    let mut builder = Builder::in_memory();
    builder.add_catalog(&spec("a"), &input(&text), Mode::Tolerant).unwrap();
    let index = builder.into_index().unwrap();
    let marks: Vec<(String, bool)> =
        index.packages(&Filter::default()).unwrap().into_iter().map(|it| (it.package, it.is_valid)).collect();
    assert_eq!(marks, [("bar".to_owned(), true), ("broken".to_owned(), false)]);
}

#[test]
fn a_single_build_is_made_at_a_time() {
    let (_directory, path) = directory();
    let first = Builder::open(&path).unwrap();
    assert!(matches!(Builder::open(&path), Err(IndexError::File(FileError::Busy { .. }))));
    drop(first);
    // A killed process leaves a workspace, which is used again.
    let left = path.with_file_name(".index.db.olmdex");
    crate::support::left_workspace(&left);
    fs::write(left.join("new"), b"half an index").unwrap();
    build(&path, &[("a", FOO)]);
    assert_eq!(names_in(path.parent().unwrap()), ["index.db"]);
    foreign_keys_hold(&path);
}

/// The annotation `description` is a sentence; the field of that name has paragraphs.
#[test]
fn summaries_are_kept_and_older_indexes_get_them() {
    let (_directory, path) = directory();
    let text = r#"{"schema": "olm.package", "name": "till", "defaultChannel": "c"}
{"schema": "olm.channel", "package": "till", "name": "c", "entries": [{"name": "till.v1.0.0"}]}
{"schema": "olm.bundle", "package": "till", "name": "till.v1.0.0", "image": "quay.io/a/till:1", "properties": [
  {"type": "olm.package", "value": {"packageName": "till", "version": "1.0.0"}},
  {"type": "olm.csv.metadata", "value": {"description": "Main features: many", "annotations": {"description": " Counts money. "}}}]}"#;
    build(&path, &[("a", text), ("b", FOO)]);
    let expect = |from: &str| {
        let index = Index::open(&path).unwrap();
        let heads: Vec<(String, String)> = index
            .packages(&Filter::default())
            .unwrap()
            .iter()
            .map(|row| (index.head_summary(row).unwrap(), index.head_description(row).unwrap()))
            .collect();
        assert!(heads.contains(&("Counts money.".to_owned(), "Counts money.".to_owned())), "{from}: {heads:?}");
        assert_eq!(heads.iter().filter(|head| head.0.is_empty()).count(), heads.len() - 1, "{from}: {heads:?}");
    };
    expect("a new index");
    for version in [10, 8, 7, 1] {
        downgrade(&path, version);
        assert_eq!(Builder::open(&path).unwrap().finish().unwrap(), Outcome::Written);
        expect(&format!("schema {version}"));
    }
}

#[test]
fn an_index_with_an_older_schema_is_migrated_and_never_misread() {
    let (_directory, path) = directory();
    build(&path, &[("a", FOO)]);
    let rows = |path: &Path| -> Vec<String> {
        let connection = rusqlite::Connection::open(path).unwrap();
        let sql = "SELECT 'graph', json_array(id, channel, head, range_edges) FROM graph
                   UNION ALL SELECT 'node', json_array(graph, number, name) FROM node
                   UNION ALL SELECT type, name FROM sqlite_schema ORDER BY 1, 2";
        let mut statement = connection.prepare(sql).unwrap();
        let rows =
            statement.query_map([], |row| Ok(format!("{} {}", row.get::<_, String>(0)?, row.get::<_, String>(1)?)));
        rows.unwrap().map(Result::unwrap).collect()
    };
    let current = rows(&path);
    let downgrade = || downgrade(&path, 1);
    downgrade();
    let old = fs::read(&path).unwrap();
    let error = Index::open(&path).unwrap_err();
    assert!(matches!(&error, IndexError::NotAnIndex { reason: NotAnIndex::Older { found: 1 }, .. }), "{error}");
    assert!(error.help().unwrap().contains("build --migrate -O"));
    assert_eq!(fs::read(&path).unwrap(), old);
    // The only task is to migrate.
    assert_eq!(Builder::open(&path).unwrap().finish().unwrap(), Outcome::Written);
    assert_eq!(rows(&path), current);
    // The search finds words without reading the catalogs again.
    let found = Index::open(&path).unwrap().search(&SearchQuery { words: "foo".to_owned(), ..SearchQuery::default() });
    assert_eq!(found.unwrap().len(), 1);
    assert_eq!(Builder::open(&path).unwrap().finish().unwrap(), Outcome::Unchanged);
    // With an unchanged catalog.
    downgrade();
    build(&path, &[("a", FOO)]);
    assert_eq!(rows(&path), current);
    assert_eq!(Index::open(&path).unwrap().packages(&Filter::default()).unwrap().len(), 1);
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let (directory, good) = directory();
    build(&good, &[("a", FOO)]);
    let good = fs::read(&good).unwrap();
    let edited = |at: usize, bytes: &[u8]| {
        let mut copy = good.clone();
        copy[at..at + bytes.len()].copy_from_slice(bytes);
        copy
    };
    let path = directory.path().join("other.db");
    let sqlite = |sql: &str| {
        let _ = fs::remove_file(&path);
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        fs::read(&path).unwrap()
    };
    let legacy = sqlite(
        "CREATE TABLE operatorbundle (name); CREATE TABLE channel_entry (entry_id); CREATE TABLE schema_migrations (version, dirty);",
    );
    let foreign = sqlite("CREATE TABLE document (id)");
    type Expected = fn(&NotAnIndex) -> bool;
    let cases: Vec<(&str, Vec<u8>, Expected)> = vec![
        ("empty", Vec::new(), |it| *it == NotAnIndex::Empty),
        ("text", b"hello".to_vec(), |it| *it == NotAnIndex::NotSqlite),
        ("short", good[..60].to_vec(), |it| matches!(it, NotAnIndex::Truncated { .. })),
        ("cut", good[..good.len() / 2].to_vec(), |it| matches!(it, NotAnIndex::Truncated { .. })),
        ("newer", edited(60, &99_u32.to_be_bytes()), |it| *it == NotAnIndex::Newer { found: 99 }),
        ("legacy", legacy, |it| *it == NotAnIndex::Legacy),
        ("foreign", foreign, |it| *it == NotAnIndex::Foreign),
    ];
    for (name, bytes, is_expected) in cases {
        fs::write(&path, &bytes).unwrap();
        for error in [Index::open(&path).unwrap_err(), Builder::open(&path).unwrap_err()] {
            assert!(matches!(&error, IndexError::NotAnIndex { reason, .. } if is_expected(reason)), "{name}: {error}");
            assert!(error.help().is_some());
        }
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name}");
    }
    assert!(matches!(
        Index::open(directory.path()).unwrap_err(),
        IndexError::NotAnIndex { reason: NotAnIndex::NotAFile, .. }
    ));
    assert!(matches!(Index::open(&directory.path().join("none")).unwrap_err(), IndexError::Read { .. }));
    let missing = Builder::open(&directory.path().join("no/such")).unwrap_err();
    assert!(matches!(missing, IndexError::File(FileError::Io { .. })), "{missing}");
    assert_eq!(names_in(directory.path()), ["index.db", "other.db"]);
}

/// A destroyed page, whichever it is, leads to an answer or an error, never to a panic.
#[test]
fn damaged_pages_are_errors() {
    let (directory, good) = directory();
    build(&good, &[("a", &format!("{FOO}{BAR}"))]);
    let good = fs::read(&good).unwrap();
    let path = directory.path().join("damaged.db");
    let mut n_damaged = 0;
    for page in 0..good.len() / 4096 {
        let mut bytes = good.clone();
        let start = page * 4096 + if page == 0 { 100 } else { 0 };
        bytes[start..(page + 1) * 4096].fill(0xA5);
        fs::write(&path, &bytes).unwrap();
        let questions = || -> Result<(), IndexError> {
            let index = Index::open(&path)?;
            index.catalogs(&Filter::default())?;
            index.packages(&Filter::default())?;
            index.bundles(&Filter::default())?;
            index.show_package(&[], "foo")?;
            index.show_bundle(&BundleSelector { package: Some("foo".to_owned()), ..BundleSelector::default() })?;
            index.search(&SearchQuery { words: "foo".to_owned(), ..SearchQuery::default() })?;
            index.documents::<IndexError>(&Filter::default(), |_, _| Ok(()))
        };
        let rebuild = || -> Result<Outcome, IndexError> {
            let mut builder = Builder::open(&path)?;
            builder.add_catalog(&spec("b"), &input(BAR), Mode::Strict)?;
            builder.finish()
        };
        match questions() {
            Ok(()) | Err(IndexError::NotAnIndex { .. }) => {}
            Err(other) => panic!("page {page}: {other:?}"),
        }
        n_damaged += usize::from(questions().is_err());
        if rebuild().is_err() {
            assert_eq!(fs::read(&path).unwrap(), bytes, "page {page}");
        }
    }
    assert!(n_damaged > 10, "{n_damaged}");
}

#[test]
fn words_leave_the_index_with_the_last_document_that_has_them() {
    let (_directory, path) = directory();
    let catalog = |word: &str| {
        format!(
            "{{\"schema\":\"olm.package\",\"name\":\"{word}\",\"defaultChannel\":\"alpha\",\"description\":\"shared {word}\"}}"
        )
    };
    let (one, two) = (catalog("kettle"), catalog("teapot"));
    let both = format!("{one}\n{two}");
    let found = |words: &str| -> i64 {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.query_row("SELECT count(*) FROM search WHERE search MATCH ?1", [words], |row| row.get(0)).unwrap()
    };
    let add = |name: &str, text: &str| {
        let mut builder = Builder::open(&path).unwrap();
        builder.add_catalog(&spec(name), &Input::bytes(name, text.as_bytes().into()), Mode::Tolerant).unwrap();
        builder.finish().unwrap();
    };
    let remove = |name: &str| {
        let mut builder = Builder::open(&path).unwrap();
        builder.remove_catalog(name).unwrap();
        builder.finish().unwrap();
    };
    add("a", &one);
    add("b", &both);
    assert_eq!((found("kettle"), found("teapot"), found("shared")), (1, 1, 2));
    remove("b");
    assert_eq!((found("kettle"), found("teapot"), found("shared")), (1, 0, 1));
    // A reused number is not found by the old words.
    add("c", &catalog("samovar"));
    assert_eq!((found("samovar"), found("teapot"), found("shared")), (1, 0, 2));
    remove("a");
    remove("c");
    assert_eq!((found("samovar"), found("kettle"), found("shared")), (0, 0, 0));
}
