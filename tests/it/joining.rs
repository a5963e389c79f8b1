//! A bundle, and the catalog that it is to join.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::{olmdex, scratch, write};

/// A catalog of two versions; the second replaces the first, which carries a definition.
fn catalog() -> tempfile::TempDir {
    let directory = scratch();
    let definition = definition("integer");
    let data = {
        use std::io::Write as _;
        let mut child = std::process::Command::new("base64")
            .arg("-w0")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(definition.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    let text = format!(
        "schema: olm.package
name: till
defaultChannel: stable
---
schema: olm.channel
package: till
name: stable
entries:
- {{name: till.v1.0.0}}
- {{name: till.v1.1.0, replaces: till.v1.0.0}}
---
schema: olm.bundle
package: till
name: till.v1.0.0
image: quay.io/example/till:v1.0.0
properties:
- {{type: olm.package, value: {{packageName: till, version: 1.0.0}}}}
- {{type: olm.gvk, value: {{group: shop.example.com, version: v1, kind: Till}}}}
---
schema: olm.bundle
package: till
name: till.v1.1.0
image: quay.io/example/till:v1.1.0
properties:
- {{type: olm.package, value: {{packageName: till, version: 1.1.0}}}}
- {{type: olm.gvk, value: {{group: shop.example.com, version: v1, kind: Till}}}}
- {{type: olm.bundle.object, value: {{data: {data}}}}}
"
    );
    write(directory.path(), "catalog.yaml", text);
    directory
}

fn definition(kind: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: tills.shop.example.com}}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {{kind: Till, plural: tills}}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{size: {{type: {kind}}}}}}}}}}}}}
"
    )
}

/// A bundle with a name, a version, additional fields of `spec`, and channels.
fn bundle(directory: &Path, (name, version): (&str, &str), spec: &str, channels: &str) {
    let csv = format!(
        "apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {{name: {name}}}
spec:
  version: {version}
{spec}"
    );
    write(directory, "manifests/csv.yaml", csv);
    let annotations = format!(
        "annotations:
  operators.operatorframework.io.bundle.package.v1: till
  operators.operatorframework.io.bundle.channels.v1: {channels}
"
    );
    write(directory, "metadata/annotations.yaml", annotations);
}

/// The findings of a case about joining, as `RULE line`.
fn joined(directory: &Path) -> Vec<String> {
    let catalog = catalog();
    let answer = olmdex(["bundle", "validate", "-o", "json", "--select", "E12,W12,E09,W09", "--with"])
        .arg(catalog.path())
        .arg(directory)
        .answer();
    let value: serde_json::Value = serde_json::from_str(&answer.out()).unwrap();
    let items = value["items"].as_array().unwrap();
    items.iter().map(|it| format!("{} {}", it["rule"].as_str().unwrap(), it["message"].as_str().unwrap())).collect()
}

/// Name and version, additional fields of `spec`, channels, and the beginnings of the findings.
type Case = ((&'static str, &'static str), &'static str, &'static str, &'static [&'static str]);

#[test]
fn what_a_catalog_says_to_a_bundle() {
    let cases: [Case; 10] = [
        (("till.v1.2.0", "1.2.0"), "  replaces: till.v1.1.0\n", "stable", &[]),
        (("till.v1.1.0", "1.1.0"), "  replaces: till.v1.0.0\n", "stable", &["E1201 package `till` of the catalog"]),
        (
            ("till.v1.1.0-b", "1.1.0+b"),
            "  replaces: till.v1.1.0\n",
            "stable",
            &["E1202 the catalog already has version 1.1.0"],
        ),
        (
            ("till.v1.2.0", "1.2.0"),
            "  replaces: till.v1.1.5\n",
            "stable",
            &[
                "E1207 till/stable would have 2 heads",
                "W1205 the bundle replaces `till.v1.1.5`",
                "W1208 in till/stable, 2 versions",
            ],
        ),
        (
            ("till.v1.2.0", "1.2.0"),
            "  replaces: till.v1.0.0\n",
            "stable",
            &["E1207 till/stable would have 2 heads", "W1208 in till/stable, `till.v1.1.0` would have no upgrade"],
        ),
        (
            ("till.v1.2.0", "1.2.0"),
            "  skips: [till.v1.1.0, till.v1.0.9]\n",
            "stable",
            &["W1206 the bundle skips `till.v1.0.9`"],
        ),
        (
            ("till.v1.2.0", "1.2.0"),
            "  replaces: till.v1.1.0\n",
            "stable,fast",
            &["W1204 package `till` has no channel `fast`"],
        ),
        (
            ("till.v1.2.0", "1.2.0"),
            "  replaces: till.v1.1.0\n  customresourcedefinitions:\n    required:\n    - {name: as.example.com, version: v1, kind: A}\n    - {name: tills.shop.example.com, version: v1, kind: Till}\n",
            "stable",
            &["E1209 the bundle needs example.com/v1/A"],
        ),
        (
            ("till.v1.2.0", "1.2.0"),
            "  replaces: till.v1.1.0\n  apiservicedefinitions:\n    required:\n    - {name: bs, group: example.com, version: v1, kind: B}\n",
            "stable",
            &["E1209 the bundle needs example.com/v1/B"],
        ),
        (("till.v1.2.0", "1.2.0"), "  replaces: [a]\n", "\" \"", &[]),
    ];
    for (name, spec, channels, wanted) in cases {
        let directory = scratch();
        bundle(directory.path(), name, spec, channels);
        let mut found = joined(directory.path());
        found.sort();
        let is_same =
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(it, wanted)| it.starts_with(wanted));
        assert!(is_same, "{name:?} {spec} {channels}\n{found:#?}");
    }
}

#[test]
fn packages_that_are_needed_are_looked_for() {
    for (dependency, wanted) in [
        ("{packageName: till, version: '>=1.0.0'}", ""),
        ("{packageName: till, version: '>=2.0.0'}", "E1210 the bundle needs `till` >=2.0.0"),
        ("{packageName: tills, version: '>=1.0.0'}", "E1210 the bundle needs package `tills`"),
    ] {
        let directory = scratch();
        bundle(directory.path(), ("till.v1.2.0", "1.2.0"), "  replaces: till.v1.1.0\n", "stable");
        let text = format!("dependencies:\n- type: olm.package\n  value: {dependency}\n");
        write(directory.path(), "metadata/dependencies.yaml", text);
        let found = joined(directory.path());
        assert!(found.iter().all(|it| !wanted.is_empty() && it.starts_with(wanted)), "{found:?}");
        assert_eq!(found.is_empty(), wanted.is_empty(), "{found:?}");
    }
}

#[test]
fn constraints_are_met_by_one_bundle_or_by_none() {
    let version = |range: &str| format!("package: {{packageName: till, versionRange: '{range}'}}");
    let api = |kind: &str| format!("gvk: {{group: shop.example.com, version: v1, kind: {kind}}}");
    for (constraint, is_met) in [
        (version(">=1.0.0"), true),
        (version(">=2.0.0"), false),
        (format!("any: {{constraints: [{{{}}}, {{{}}}]}}", version(">=2.0.0"), version("1.1.0")), true),
        (format!("all: {{constraints: [{{{}}}, {{{}}}]}}", version(">=1.0.0"), version("1.1.0")), true),
        (format!("all: {{constraints: [{{{}}}, {{{}}}]}}", version("1.0.0"), version("1.1.0")), false),
        (format!("all: {{constraints: [{{{}}}, {{{}}}]}}", version(">=1.0.0"), api("Nothing")), false),
        ("cel: {rule: \"properties.exists(p, p.type == 'olm.package')\"}".to_owned(), true),
        ("cel: {rule: \"properties.exists(p, p.type == 'certified')\"}".to_owned(), false),
    ] {
        let directory = scratch();
        bundle(directory.path(), ("till.v1.2.0", "1.2.0"), "  replaces: till.v1.1.0\n", "stable");
        let text =
            format!("dependencies:\n- type: olm.constraint\n  value: {{failureMessage: missing, {constraint}}}\n");
        write(directory.path(), "metadata/dependencies.yaml", text);
        let found = joined(directory.path());
        let is_found = found.iter().any(|it| it.starts_with("E1211 the bundle needs "));
        assert_eq!((found.len(), is_found), (usize::from(!is_met), !is_met), "{constraint}: {found:?}");
    }
}

#[test]
fn a_definition_is_compared_with_that_of_what_is_replaced() {
    let directory = scratch();
    bundle(directory.path(), ("till.v1.2.0", "1.2.0"), "  replaces: till.v1.1.0\n", "stable");
    write(directory.path(), "manifests/crd.yaml", definition("integer"));
    assert_eq!(joined(directory.path()), Vec::<String>::new());
    write(directory.path(), "manifests/crd.yaml", definition("string"));
    let found = joined(directory.path());
    assert!(found.iter().any(|it| it.starts_with("E0901 OLM v1 refuses tills.shop.example.com")), "{found:?}");
}

#[test]
fn a_bundle_that_cannot_join_says_so() {
    let directory = scratch();
    write(directory.path(), "manifests/a.yaml", "kind: A\n");
    write(directory.path(), "metadata/annotations.yaml", "annotations: {a: b}\n");
    let catalog = catalog();
    let answer = olmdex(["bundle", "validate", "--with"]).arg(catalog.path()).arg(directory.path()).answer();
    answer.expect_code(1).expect_words("was not compared with the catalog");
    olmdex(["bundle", "validate", "--with", "nowhere"]).arg(directory.path()).answer().expect_code(3);
}
