//! The time that authors wait: from a key in an editor to its findings, and for the catalog of a template of 100
//! bundles. An argument chooses one of the two: `key` or `template`.
//!
//! `cargo bench --bench authoring`.

#![allow(clippy::unwrap_used, reason = "a failure ends it")]
#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

#[path = "../tests/it/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use serde_json::json;

use support::editor::{Editor, uri};
use support::{olmdex, scratch, write};

const PACKAGE: &str = "schema: olm.package\nname: till\ndefaultChannel: stable\n";

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    for (name, measure) in [("key", key as fn()), ("template", template)] {
        if chosen.is_empty() || chosen.iter().any(|it| it == name) {
            measure();
        }
    }
}

/// A package with one channel whose document has about so many lines.
fn long_channel(n_lines: usize) -> String {
    let mut text = format!("{PACKAGE}---\nschema: olm.channel\npackage: till\nname: stable\nentries:\n");
    let n = n_lines / 2;
    for at in 0..n {
        text.push_str(&format!("- name: till.v1.{at}.0\n"));
        if at > 0 {
            text.push_str(&format!("  replaces: till.v1.{}.0\n", at - 1));
        }
    }
    for at in 0..n {
        let property = format!("{{type: olm.package, value: {{packageName: till, version: 1.{at}.0}}}}");
        let image = format!("quay.io/shop/till:v1.{at}.0");
        text.push_str(&format!("---\n{{schema: olm.bundle, package: till, name: till.v1.{at}.0, image: '{image}', properties: [{property}]}}\n"));
    }
    text
}

/// A catalog of about so many lines, in YAML: one package with one channel.
fn large(n_lines: usize) -> String {
    let n = n_lines / 57;
    let mut text = format!("{PACKAGE}---\nschema: olm.channel\npackage: till\nname: stable\nentries:\n");
    for at in 0..n {
        text.push_str(&format!("- name: till.v1.{at}.0\n"));
        if at > 0 {
            text.push_str(&format!("  replaces: till.v1.{}.0\n  skipRange: '>=1.0.0 <1.{at}.0'\n", at - 1));
        }
    }
    for at in 0..n {
        let image = format!("quay.io/shop/till:v1.{at}.0");
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: till\nname: till.v1.{at}.0\nimage: {image}\nproperties:\n"
        ));
        text.push_str(&format!("- type: olm.package\n  value:\n    packageName: till\n    version: 1.{at}.0\n"));
        for api in 0..6 {
            let group = format!("tills{api}.shop.example.com");
            text.push_str(&format!("- type: olm.gvk\n  value:\n    group: {group}\n    kind: Till\n    version: v1\n"));
        }
        text.push_str("relatedImages:\n");
        for part in 0..6 {
            text.push_str(&format!("- name: part-{part}\n  image: quay.io/shop/part-{part}:v1.{at}.0\n"));
        }
    }
    text
}

/// Prints the time from a key to its findings.
fn key() {
    let directory = scratch();
    for (name, text) in [
        ("5", large(5_000)),
        ("20", large(20_000)),
        ("80", large(80_000)),
        ("one channel", long_channel(10_000)),
        ("one channel", long_channel(20_000)),
    ] {
        let path = write(directory.path(), &format!("{}/catalog.yaml", text.len()), &text);
        let mut editor = Editor::initialized(directory.path(), &[], &[]);
        let of = uri(&path);
        let start = Instant::now();
        editor.open(&of, 1, &text);
        let said = editor.findings(&of, 1);
        assert!(said.iter().any(|it| it["diagnostics"] == json!([])), "{said:?}");
        let first = start.elapsed();
        for what in ["kind: Till", "- name: till.v1.40.0"] {
            let Some(line) = text.lines().position(|it| it.contains(what)) else { continue };
            let column = text.lines().nth(line).unwrap().len();
            let at = json!({"line": line, "character": column});
            let change = json!({"range": {"start": at, "end": at}, "text": "x"});
            let mut times: Vec<Duration> = (2..32)
                .map(|version| {
                    let document = json!({"uri": of, "version": version});
                    let start = Instant::now();
                    let edit = json!({"textDocument": document, "contentChanges": [change]});
                    editor.tell("textDocument/didChange", edit);
                    editor.findings(&of, version);
                    start.elapsed()
                })
                .collect();
            times.sort();
            let n = text.lines().count();
            let (median, longest) = (times[15], times[29]);
            println!(
                "{name}: {n} lines, a key in `{what}`: median {median:?}, longest {longest:?}; opened in {first:?}"
            );
        }
        editor.shut_down();
    }
}

/// Prints the time for a semver template of 100 bundles, each with a ClusterServiceVersion of 30 KB and a definition of
/// 60 KB.
fn template() {
    let directory = scratch();
    let root = directory.path();
    let mut template = "schema: olm.semver\ngenerateMinorChannels: true\nstable:\n  bundles:\n".to_owned();
    for minor in 0..100 {
        let mut csv = format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: till.v1.{minor}.0\nspec:\n  version: 1.{minor}.0\n  customresourcedefinitions:\n    owned:\n    - {{name: tills.example.com, kind: Till, version: v1}}\n  description: |\n"
        );
        let mut definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: tills.example.com}\nspec:\n  group: example.com\n  names: {kind: Till, plural: tills}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n".to_owned();
        for line in 0..500 {
            csv.push_str(&format!("    Line {line} of what version {minor} of the till can do for a shop.\n"));
            definition.push_str(&format!("          field{line}:\n            type: string\n            description: What field {line} of the till is for, in one line of words.\n"));
        }
        let annotations = "annotations: {operators.operatorframework.io.bundle.package.v1: till}\n";
        write(root, &format!("operators/till/1.{minor}.0/manifests/csv.yaml"), csv);
        write(root, &format!("operators/till/1.{minor}.0/manifests/crd.yaml"), definition);
        write(root, &format!("operators/till/1.{minor}.0/metadata/annotations.yaml"), annotations);
        template.push_str(&format!("  - image: quay.io/org/till:v1.{minor}.0\n"));
    }
    write(root, "template.yaml", template);
    let render = |args: &[&str]| {
        let start = Instant::now();
        let render = ["template", "render", "template.yaml", "--migrate-level", "all"];
        let answer = olmdex(render).args(args).in_directory(root).answer();
        (answer.expect_code(0).out(), start.elapsed())
    };
    write(root, "catalog.json", render(&["--bundles", "operators"]).0);
    olmdex(["build", "-q", "c=catalog.json", "-o", "index.db"]).in_directory(root).answer().expect_code(0);
    for args in [["--bundles", "operators"], ["--from", "index.db"], ["--from", "catalog.json"]] {
        let mut times: Vec<Duration> = (0..9).map(|_| render(&args).1).collect();
        times.sort();
        println!("{args:?}: median {:?}, best {:?}", times[4], times[0]);
    }
}
