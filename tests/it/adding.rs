//! `edit add`: the edges of the ClusterServiceVersion, the form of the other bundles, and packages that are new.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::{Answer, olmdex, scratch, write};

const CATALOG: &str = "schema: olm.package
name: till
defaultChannel: stable
---
schema: olm.channel
package: till
name: stable
entries:
- {name: till.v1.0.0}
- {name: till.v1.1.0, replaces: till.v1.0.0}
---
schema: olm.bundle
package: till
name: till.v1.0.0
image: quay.io/example/till:v1.0.0
properties:
- {type: olm.package, value: {packageName: till, version: 1.0.0}}
- {type: olm.csv.metadata, value: {displayName: Till}}
---
schema: olm.bundle
package: till
name: till.v1.1.0
image: quay.io/example/till:v1.1.0
properties:
- {type: olm.package, value: {packageName: till, version: 1.1.0}}
- {type: olm.csv.metadata, value: {displayName: Till}}
";

fn catalog(text: &str) -> tempfile::TempDir {
    let directory = scratch();
    write(directory.path(), "till/catalog.yaml", text);
    directory
}

/// A bundle of version 1.2.0 with this annotation and additional fields of `spec`.
fn bundle(range: &str, spec: &str) -> tempfile::TempDir {
    let directory = scratch();
    let csv = format!(
        "apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {{name: till.v1.2.0, annotations: {{olm.skipRange: '{range}'}}}}
spec: {{version: 1.2.0, {spec}}}
"
    );
    write(directory.path(), "manifests/csv.yaml", csv);
    let annotations = "annotations:
  operators.operatorframework.io.bundle.package.v1: till
  operators.operatorframework.io.bundle.channels.v1: stable
";
    write(directory.path(), "metadata/annotations.yaml", annotations);
    directory
}

fn add(bundle: &Path, catalog: &Path, options: &[&str]) -> Answer {
    let arguments = ["edit", "add", "--channel", "stable", "--image", "quay.io/example/till:v1.2.0", "-i"];
    olmdex(arguments).arg(catalog).arg(bundle).args(options).answer()
}

/// The lines of the entry that the catalog has got.
fn entry(catalog: &Path) -> String {
    let text = std::fs::read_to_string(catalog.join("till/catalog.yaml")).unwrap();
    let lines = text.lines().skip_while(|it| !it.contains("name: till.v1.2.0")).take_while(|it| *it != "---");
    lines.map(|it| it.trim().trim_start_matches("- ")).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_edges_of_the_service_version_are_taken() {
    for (range, spec, wanted) in [
        ("", "", "name: till.v1.2.0 replaces: till.v1.1.0"),
        (">=1.0.0 <1.2.0", "", "name: till.v1.2.0 replaces: till.v1.1.0 skipRange: '>=1.0.0 <1.2.0'"),
        (
            "",
            "replaces: till.v1.0.0, skips: [till.v1.1.0]",
            "name: till.v1.2.0 replaces: till.v1.0.0 skips: till.v1.1.0",
        ),
    ] {
        let (catalog, bundle) = (catalog(CATALOG), bundle(range, spec));
        add(bundle.path(), catalog.path(), &[]).expect_code(0);
        assert_eq!(entry(catalog.path()).replace('"', "'"), wanted, "{range} {spec}");
        // The catalog has the same findings about the bundle.
        let empty = scratch();
        write(empty.path(), "till/catalog.yaml", CATALOG);
        let select = ["bundle", "validate", "--select", "E12,W1205,W1208", "--with"];
        let said = olmdex(select).arg(empty.path()).arg(bundle.path()).answer();
        assert!(!said.out().contains("E12"), "{}", said.out());
    }
}

#[test]
fn what_bundle_validate_refuses_is_refused_and_nothing_is_written() {
    let (catalog, bundle) = (catalog(CATALOG), bundle("", "replaces: till.v1.0.5"));
    let select = ["bundle", "validate", "--select", "E12,W12", "--with"];
    let said = olmdex(select).arg(catalog.path()).arg(bundle.path()).answer();
    let answer = add(bundle.path(), catalog.path(), &[]);
    for rule in ["W1205", "E1207", "W1208"] {
        assert!(said.out().contains(rule), "{rule}: {}", said.out());
        answer.expect_words(rule);
    }
    answer.expect_code(1).expect_words("nothing was written");
    assert_eq!(std::fs::read_to_string(catalog.path().join("till/catalog.yaml")).unwrap(), CATALOG);
}

#[test]
fn options_take_the_place_of_what_is_stated_and_say_so() {
    let (catalog, bundle) = (catalog(CATALOG), bundle("<1.2.0", "replaces: till.v1.0.5"));
    let answer = add(bundle.path(), catalog.path(), &["--replaces", "till.v1.1.0"]);
    answer.expect_code(0).expect_words("`replaces: till.v1.0.5` of the ClusterServiceVersion is not used");
    assert_eq!(
        entry(catalog.path()).replace(['"', '\''], ""),
        "name: till.v1.2.0 replaces: till.v1.1.0 skipRange: <1.2.0"
    );
    // An existing entry keeps its edges.
    let answer = add(bundle.path(), catalog.path(), &["--replace"]);
    answer.expect_code(0).expect_words("`replaces: till.v1.0.5` of the ClusterServiceVersion is not used");
    assert!(entry(catalog.path()).contains("replaces: till.v1.1.0"));
}

#[test]
fn the_bundle_has_the_form_of_the_others() {
    let text = |catalog: &Path| std::fs::read_to_string(catalog.join("till/catalog.yaml")).unwrap();
    let (with_metadata, bundle) = (catalog(CATALOG), bundle("", ""));
    add(bundle.path(), with_metadata.path(), &[]).expect_code(0);
    assert!(text(with_metadata.path()).matches("olm.csv.metadata").count() == 3, "{}", text(with_metadata.path()));
    assert!(!text(with_metadata.path()).contains("olm.bundle.object"));

    let asked = catalog(CATALOG);
    add(bundle.path(), asked.path(), &["--migrate-level", "none"]).expect_code(0);
    assert!(text(asked.path()).contains("olm.bundle.object"));

    // `{}`, a text that is not an object, would not be a bundle object.
    let objects = CATALOG.replace(
        "{type: olm.csv.metadata, value: {displayName: Till}}",
        "{type: olm.bundle.object, value: {data: eyJraW5kIjoiQSJ9}}",
    );
    let with_objects = catalog(&objects);
    add(bundle.path(), with_objects.path(), &[]).expect_code(0);
    assert_eq!(text(with_objects.path()).matches("olm.bundle.object").count(), 3);
    assert!(!text(with_objects.path()).contains("olm.csv.metadata"));
}

#[test]
fn a_package_that_is_new_is_begun() {
    let other = CATALOG.replace("till", "shop");
    let bundle = bundle("", "");
    // In a file of its own, beside the others.
    let catalog = scratch();
    write(catalog.path(), "shop/catalog.yaml", &other);
    add(bundle.path(), catalog.path(), &[]).expect_code(4).expect_words("`--create-package` creates the package");
    add(bundle.path(), catalog.path(), &["--create-package", "--dry-run"]).expect_code(0);
    assert!(!catalog.path().join("till").exists());
    add(bundle.path(), catalog.path(), &["--create-package"]).expect_code(0);
    assert_eq!(std::fs::read_to_string(catalog.path().join("shop/catalog.yaml")).unwrap(), other);
    let text = std::fs::read_to_string(catalog.path().join("till/catalog.yaml")).unwrap();
    assert!(text.contains("defaultChannel: stable") && text.contains("olm.csv.metadata"), "{text}");
    olmdex(["validate"]).arg(catalog.path()).answer().expect_code(0);
    // In the one file of the catalog.
    let file = catalog.path().join("one.yaml");
    std::fs::write(&file, &other).unwrap();
    add(bundle.path(), &file, &["--create-package"]).expect_code(0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with(&other) && text.contains("name: till\n"), "{text}");
    olmdex(["validate"]).arg(&file).answer().expect_code(0);
    // JSON stays JSON.
    let catalog = scratch();
    write(catalog.path(), "shop.json", "{\"schema\": \"olm.package\", \"name\": \"shop\", \"defaultChannel\": \"a\"}");
    add(bundle.path(), catalog.path(), &["--create-package"]).expect_code(0);
    assert!(std::fs::read_to_string(catalog.path().join("till.json")).unwrap().starts_with('{'));
}

#[test]
fn a_skip_range_that_a_catalog_refuses_is_refused_in_a_bundle() {
    let validate = |range: &str| {
        let bundle = bundle(range, "");
        olmdex(["bundle", "validate", "--select", "E1052"]).arg(bundle.path()).answer().out()
    };
    for range in [">=0.9.0, <1.0.0", "1.0", ">1.0.0 || || <2.0.0", "latest"] {
        let out = validate(range);
        let first = out.lines().next().unwrap_or_default();
        assert!(first.starts_with("error[E1052]") && first.contains("olm.skipRange"), "{range}: {out}");
    }
    for range in ["", ">=0.9.0 <1.0.0", "<1.0.0 || >=2.0.0", "1.x"] {
        assert_eq!(validate(range), "", "{range}");
    }
}
