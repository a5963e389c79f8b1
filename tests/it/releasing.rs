//! `release` into templates with anchors and aliases.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::{olmdex, scratch, write};

/// Releases version 1.1.0 into a template, and returns the messages and the template.
fn release(kind: &str, template: &str, channels: &str) -> (String, String) {
    let directory = scratch();
    let operator = directory.path().join("operators/shop");
    let put = |name: &str, text: &str| write(&operator, name, text);
    std::fs::create_dir_all(&operator).unwrap();
    let mapping = format!("{{template_name: t.yaml, type: {kind}, catalog_names: [v4.20]}}");
    put("ci.yaml", &format!("fbc: {{enabled: true, catalog_mapping: [{mapping}]}}\n"));
    put("catalog-templates/t.yaml", template);
    let wanted = format!("{{template_name: t.yaml, channels: [{channels}], replaces: shop.v1.0.0}}");
    put("1.1.0/release-config.yaml", &format!("catalog_templates: [{wanted}]\n"));
    put("1.1.0/metadata/annotations.yaml", "annotations: {}\n");
    let csv = "apiVersion: v1\nkind: ClusterServiceVersion\nmetadata: {name: shop.v1.1.0}\n";
    put("1.1.0/manifests/shop.clusterserviceversion.yaml", csv);
    let bundle = operator.join("1.1.0");
    let arguments = ["release", "--image", "q.io/shop:v1.1.0", "--templates-only"];
    let answer = olmdex(arguments).arg(Path::new(&bundle)).answer();
    answer.expect_code(0);
    let after = std::fs::read_to_string(operator.join("catalog-templates/t.yaml")).unwrap();
    (answer.err(), after)
}

#[test]
fn only_lines_that_must_change_do() {
    let basic = "# The shop.
schema: olm.template.basic
entries:
- schema: olm.package
  name: shop
  defaultChannel: stable
- &channel
  schema: olm.channel
  package: shop
  name: stable
  entries: &entries # both have them
  - name: shop.v1.0.0 # the first
- <<: *channel
  name: fast
  entries: *entries
- schema: olm.bundle
  image: &image q.io/shop:v1.0.0
- {schema: note, image: *image}
";
    let (said, after) = release("olm.template.basic", basic, "stable");
    let entry = "  - name: shop.v1.0.0 # the first\n  - name: shop.v1.1.0\n    replaces: shop.v1.0.0\n";
    let end = "- {schema: note, image: *image}\n- schema: olm.bundle\n  image: q.io/shop:v1.1.0\n";
    let expected =
        basic.replace("  - name: shop.v1.0.0 # the first\n", entry).replace("- {schema: note, image: *image}\n", end);
    assert_eq!(after, expected, "{said}");
    assert!(!said.contains("drops its comments"), "{said}");

    let semver = "schema: olm.semver # by version
stable: &stream
  bundles:
  - image: &first q.io/shop:v1.0.0 # the first
fast:
  bundles: [image: *first]
";
    let (said, after) = release("olm.semver", semver, "fast");
    let expected = semver.replace("[image: *first]", "[image: *first, {image: \"q.io/shop:v1.1.0\"}]");
    assert_eq!(after, expected);
    assert!(!said.contains("drops its comments"), "{said}");

    // A stream with two roles is changed once.
    let shared =
        "schema: olm.semver\nstable: &stream\n  bundles:\n  - image: q.io/shop:v1.0.0 # the first\nfast: *stream\n";
    let (_, after) = release("olm.semver", shared, "fast");
    assert_eq!(after, shared.replace("# the first\n", "# the first\n  - image: q.io/shop:v1.1.0\n"));
}
