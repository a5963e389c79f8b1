//! The answers of `images`, `updates` and `search` about incomplete catalogs, and the explanations of messages.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use olmdex::ask::{DepsQuestion, RequiringCatalog, Target, unmet_requirements};
use olmdex::fbc::Input;
use olmdex::index::query::Filter;
use olmdex::index::{CatalogSpec, Mode};
use olmdex::version::Release;

use crate::support::catalog::Catalog;
use crate::support::{Answer, TempDir, olmdex, scratch, write};

fn run(catalog: &str, args: &[&str]) -> (TempDir, Answer) {
    let dir = scratch();
    write(dir.path(), "c.yaml", catalog);
    let answer = olmdex(args).args(["-i", "c=c.yaml"]).in_directory(dir.path()).answer();
    (dir, answer)
}

fn needs(package: &str) -> String {
    format!("{{type: olm.package.required, value: {{packageName: {package}, versionRange: \">=1.0.0\"}}}}")
}

/// B13: one missing dependency hides nothing else, at any depth.
#[test]
fn images_are_listed_without_what_is_missing() {
    let one = |catalog: Catalog, package: &str, properties: &[&str]| {
        let entry = format!("{{name: {package}.v1.0.0}}");
        catalog.package(package, "s").channel(package, "s", &[&entry]).bundle(package, "1.0.0", properties)
    };
    let (a, b, nowhere) = (needs("a"), needs("b"), needs("nowhere"));
    let catalog = one(Catalog::default(), "shop", &[&a, &nowhere]);
    let catalog = one(one(catalog, "a", &[&b]), "b", &[&nowhere]).yaml();
    let (_dir, answer) = run(&catalog, &["images", "shop", "--with-deps"]);
    answer.expect_code(1);
    for package in ["shop", "a", "b"] {
        answer.expect_words(&format!("quay.io/x/{package}:1.0.0"));
    }
    answer
        .expect_words("shop.v1.0.0 requires")
        .expect_words("b.v1.0.0 requires")
        .expect_words("no operator provides that");
    // The suggested command is about this version, not another.
    answer.expect_words("olmdex resolve --install shop@shop.v1.0.0");
    let (_dir, answer) = run(&catalog, &["resolve", "--install", "shop@shop.v1.0.0"]);
    answer.expect_code(1);
}

/// B10: a ClusterExtension with several channels uses the existing ones.
#[test]
fn a_channel_that_does_not_exist_leaves_the_others() {
    let catalog =
        Catalog::default().package("p", "s").channel("p", "s", &["{name: p.v1.0.0}"]).bundle("p", "1.0.0", &[]);
    let catalog = catalog.yaml();
    for (channels, code) in [(&["s", "gone"][..], 0), (&["gone", "s"], 0), (&["gone"], 4), (&["gone", "away"], 4)] {
        let mut args = vec!["updates", "p", "--olm", "v1"];
        channels.iter().for_each(|it| args.extend(["--channel", it]));
        let (_dir, answer) = run(&catalog, &args);
        answer.expect_code(code).expect_words("no channel `gone`");
        assert_eq!(answer.out().contains("installs p.v1.0.0"), code == 0, "{}", answer.both());
    }
    let (_dir, answer) = run(&catalog, &["updates", "p", "--olm", "classic", "--channel", "gone"]);
    answer.expect_code(4);
}

/// B10: all bad segments of a release are named.
#[test]
fn every_bad_segment_of_a_release_is_named() {
    for (text, expected) in [
        ("..", "0: Prerelease is empty\nsegment 1: Prerelease is empty\nsegment 2: Prerelease is empty"),
        ("1..2", "1: Prerelease is empty"),
    ] {
        let error = Release::parse(text).unwrap_err().to_string();
        assert_eq!(error, format!("invalid release \"{text}\": segment {expected}"));
    }
}

/// B14: the older annotation counts if the newer one is not understandable.
#[test]
fn the_older_annotation_of_features_is_not_forgotten() {
    const OLDER: &str = r#""operators.openshift.io/infrastructure-features": "[\"disconnected\", \"fips\"]""#;
    for (newer, is_found) in [
        ("", true),
        ("\"true\"", true),
        ("\"True\"", true),
        ("\" true\"", true),
        ("\"ture\"", true),
        ("\"\"", true),
        ("\"false\"", false),
        ("\"False\"", false),
    ] {
        let newer = if newer.is_empty() {
            String::new()
        } else {
            format!(", \"features.operators.openshift.io/disconnected\": {newer}")
        };
        let metadata = format!("{{type: olm.csv.metadata, value: {{annotations: {{{OLDER}{newer}}}}}}}");
        let catalog = Catalog::default().package("p", "s").channel("p", "s", &["{name: p.v1.0.0}"]).bundle(
            "p",
            "1.0.0",
            &[&metadata],
        );
        let catalog = catalog.yaml();
        let (_dir, answer) = run(&catalog, &["search", "--feature", "disconnected=true"]);
        assert_eq!(answer.code == Some(0), is_found, "{newer}: {}", answer.both());
        let (_dir, answer) = run(&catalog, &["search", "--feature", "fips-compliant=true"]);
        answer.expect_code(0);
    }
}

/// B15: an unknown message gets a next step too.
#[test]
fn an_unknown_message_leads_somewhere() {
    let answer = olmdex(["explain-message", "the installplan sneezed"]).answer();
    answer.expect_code(1).expect_words("This message is unknown.").expect_words("kubectl get installplans -A");
}

/// The findings of `check --closure` are those of `deps` for each bundle by itself.
#[test]
fn a_requirement_is_unmet_for_the_catalog_if_it_is_for_the_bundle() {
    let mut n_unmet = 0;
    for catalog in [
        "fixtures/dependencies/nothing-meets/v4.20",
        "fixtures/dependencies/no-way-out/catalog",
        "fixtures/dependencies/deprecated-api/catalog",
        "fixtures/catalogs/misspelt-constraint",
        "fixtures/catalogs/circle",
        "fixtures/shop/in",
    ] {
        let input = Input::directory(Path::new(catalog)).unwrap();
        let mut builder = olmdex::ask::builder();
        let spec = CatalogSpec { name: "c".to_owned(), ..CatalogSpec::default() };
        builder.add_catalog(&spec, &input, Mode::Tolerant).unwrap();
        let index = builder.into_index().unwrap();
        let mut by_bundle: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        for row in index.bundles(&Filter::default()).unwrap() {
            let target = Target { package: row.package.clone(), bundle: row.bundle.clone() };
            let found = DepsQuestion::default().of_bundle(&index, &target).unwrap();
            for it in found.items.into_iter().flat_map(|it| it.requires).filter(|it| it.provided_by.is_empty()) {
                by_bundle.entry((row.package.clone(), it.requirement)).or_default().insert(row.bundle.clone());
            }
        }
        let asked = [RequiringCatalog { name: "c".to_owned(), input }];
        let found = unmet_requirements(&asked).unwrap().items.into_iter().filter_map(|it| it.unmet);
        let found: BTreeMap<(String, String), usize> =
            found.map(|it| ((it.package, it.requirement), it.n_versions)).collect();
        let expected: BTreeMap<(String, String), usize> =
            by_bundle.into_iter().map(|(key, bundles)| (key, bundles.len())).collect();
        assert_eq!(found, expected, "{catalog}");
        n_unmet += found.len();
    }
    assert!(n_unmet >= 5, "{n_unmet}");
}
