//! Configurations of oc-mirror among other files: where `check` finds them, and with what it compares them.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::{Answer, olmdex, scratch, write};

const SHOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/recorded/authoring/imageset/small/shop");

/// A configuration with these packages.
fn configuration(packages: &str) -> String {
    format!(
        "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: quay.io/a/shop:v1\n    packages: [{packages}]\n"
    )
}

fn check(directory: &Path, args: &[&str]) -> Answer {
    olmdex([&["check"], args].concat()).in_directory(directory).answer()
}

#[test]
fn configurations_are_found_among_manifests() {
    let directory = scratch();
    let root = directory.path();
    let subscription = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: till, namespace: a}\nspec: {name: till, channel: stable, source: b, sourceNamespace: c}\n";
    write(root, "gitops/cluster/subscription.yaml", subscription);
    write(root, "gitops/mirror/good.yaml", configuration("{name: till}"));
    write(root, "gitops/mirror/double.yml", configuration("{name: till, name: till}"));
    write(root, "gitops/mirror/broken.yaml", "kind: ImageSetConfiguration\nmirror: {\n");
    let answer = check(root, &["gitops", "-o", "json"]);
    let out = answer.expect_code(1).out();
    let rules: Vec<&str> = out.lines().filter_map(|line| line.trim().strip_prefix("\"rule\": ")).collect();
    assert_eq!(rules, ["\"E2101\",", "\"E2102\","], "{out}");
    check(root, &["gitops"]).expect_code(1).expect_words("1 cluster object, 3 ImageSetConfigurations");
    // Nothing but configurations is a source, too, and so are standard input and one of Windows.
    check(root, &["gitops/mirror"]).expect_code(1).expect_words("checked 3 ImageSetConfigurations: 2 errors");
    let stdin = olmdex(["check", "-"]).stdin(configuration("{name: a}, {name: a}").replace('\n', "\r\n"));
    stdin.answer().expect_code(1).expect_words("E2108").expect_words(":6:27");
}

#[test]
fn configurations_of_a_repository_of_catalogs_are_parts_of_it() {
    let directory = scratch();
    let root = directory.path();
    write(
        root,
        "Dockerfile",
        "FROM scratch\nADD catalog /configs\nLABEL operators.operatorframework.io.index.configs.v1=/configs\n",
    );
    let blobs = "---\n{schema: olm.package, name: a, defaultChannel: b}\n---\n{schema: olm.channel, package: a, name: b, entries: [{name: a.v1}]}\n---\n{schema: olm.bundle, package: a, name: a.v1, image: 'quay.io/a/b:v1', properties: [{type: olm.package, value: {packageName: a, version: 1.0.0}}]}\n";
    write(root, "catalog/a.yaml", blobs);
    write(root, "mirror/imageset.yaml", configuration("{nam: a}"));
    let answer = check(root, &["."]);
    answer.expect_code(1).expect_words("E2105").expect_words("imageset").expect_words("did you mean `name`?");
}

#[test]
fn a_base_is_found_by_path() {
    let directory = scratch();
    let root = directory.path();
    write(root, "new/mirror/imageset.yaml", configuration("{name: till}"));
    write(root, "old/mirror/imageset.yaml", configuration("{name: till}, {name: ledger}"));
    let with = format!("quay.io/a/shop:v1={SHOP}");
    let lost = "clusters that run package `ledger` get no upgrades";
    let run = |args: &[&str]| check(root, &[args, &["--with", &with]].concat());
    run(&["new", "--base", "old"]).expect_code(1).expect_words(lost).expect_words("2 images go");
    let file = "new/mirror/imageset.yaml";
    run(&[file, "--base", "old/mirror/imageset.yaml"]).expect_code(1).expect_words(lost);
    // A new file loses nothing.
    std::fs::create_dir(root.join("empty")).unwrap();
    run(&[file, "--base", "empty"]).expect_code(0);
    // A state that oc-mirror refuses tells nothing.
    write(root, "bad.yaml", configuration("{name: till}, {name: till}"));
    run(&[file, "--base", "bad.yaml"]).expect_code(0).expect_words("the configuration before the change");
    // The next catalog of the same repository takes the place of the last one.
    write(root, "moved.yaml", configuration("{name: till}").replace("shop:v1", "shop:v2"));
    let both = ["moved.yaml", "--base", "old/mirror/imageset.yaml", "--with"];
    let next = format!("quay.io/a/shop:v2={SHOP}");
    run(&[&both[..], &[&next]].concat()).expect_code(1).expect_words(lost);
    // Without its catalog before the change, nothing is compared.
    let alone = check(root, &[&both[..], &[&next]].concat());
    alone.expect_code(0).expect_words("catalog `quay.io/a/shop:v1` before the change");
}

#[test]
fn names_in_files_are_plain_in_messages() {
    let directory = scratch();
    let text = configuration("{name: \"a\\u001b[31m\"}, {\"\\u001b[31mb\": c}");
    write(directory.path(), "x.yaml", text);
    let answer = check(directory.path(), &["x.yaml", "--with", SHOP]);
    answer.expect_code(1);
    assert!(!answer.out().contains('\u{1b}') && answer.out().contains("E2105"), "{}", answer.out());
    write(directory.path(), "y.yaml", configuration("{name: \"a\\u001b[31m\"}"));
    let answer = check(directory.path(), &["y.yaml", "--with", SHOP]);
    assert!(!answer.out().contains('\u{1b}') && answer.out().contains("E2117"), "{}", answer.out());
}
