//! Good practice: the rules of a profile, and the changes that `validate --fix` makes and those that it must not make.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::{Answer, olmdex, scratch, write};

const DIGEST: &str = "sha256:abababababababababababababababababababababababababababababababab";

/// Two packages with the same mistakes; one has another mistake that no fix repairs.
fn catalog() -> String {
    let package = |name: &str| {
        format!(
            "# The package {name}.
schema: olm.package
name: {name}
defaultChannel: stable
---
schema: olm.channel
package: {name}
name: stable
entries:
  # The newest.
  - {{name: {name}.v1.1.0, replaces: {name}.v1.0.0, skipRange: \"\"}} # kept
  - name: {name}.v1.0.0
    replaces: \"\"
---
schema: olm.bundle
package: {name}
name: {name}.v1.0.0
image: quay.io/shop/{name}@{DIGEST} # of the build
properties:
- {{type: olm.package, value: {{packageName: {name}, version: 1.0.0}}}}
relatedImages:
- {{image: \"quay.io/shop/a@{DIGEST}\", name: a}} # a
- {{image: \"quay.io/shop/a@{DIGEST}\", name: a}}
- {{image: \"quay.io/shop/b:v1\", name: b}}
---
schema: olm.bundle
package: {name}
name: {name}.v1.1.0
image: quay.io/shop/{name}@{DIGEST}
properties:
- {{type: olm.package, value: {{packageName: {name}, version: 1.1.0}}}}
relatedImages:
- {{image: \"quay.io/shop/{name}@{DIGEST}\", name: own}}
"
        )
    };
    format!("{}---\n{}", package("foo"), package("bar"))
}

fn run(directory: &Path, options: &[&str]) -> Answer {
    olmdex(["validate", "catalog"]).args(options).in_directory(directory).answer()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// How often each rule of good practice is found.
fn practices(answer: &Answer) -> Vec<String> {
    let heads = answer.out();
    let mut ids: Vec<String> = heads.lines().filter_map(|it| Some(it.split_once("[W18")?.1[..2].to_owned())).collect();
    ids.sort();
    ids.dedup();
    ids
}

#[test]
fn practices_are_demanded_where_they_are_chosen() {
    let directory = scratch();
    let root = directory.path();
    write(root, "catalog/catalog.yaml", catalog());
    let found = |options: &[&str]| practices(&run(root, options));
    assert!(found(&[]).is_empty());
    for wide in ["ALL", "W", "W1"] {
        assert!(found(&["--select", wide]).is_empty(), "{wide}");
    }
    assert_eq!(found(&["--select", "W180", "--all"]), ["02", "03", "04", "06", "07", "08"]);
    assert_eq!(found(&["--profile", "disconnected"]), ["02", "03", "04"]);
    assert_eq!(found(&["--profile", "disconnected,community", "--all"]), ["02", "03", "04", "06", "07", "08"]);
    assert_eq!(found(&["--profile", "disconnected", "--ignore", "W1802,repeated-related-image"]), ["03"]);
    assert_eq!(found(&["--select", "W1804"]), ["04"]);
    run(root, &["--severity", "W1802=error"]).expect_code(1).expect_words("error[W1802]");
    // The file chooses, unless the command line does.
    write(root, "olmdex.toml", "[findings]\nprofile = ['konflux']\n");
    assert_eq!(found(&[]), ["02", "03", "04", "08", "16"]);
    assert_eq!(found(&["--profile", "disconnected"]), ["02", "03", "04"]);
    assert!(found(&["--no-config"]).is_empty());
    write(root, "olmdex.toml", "[findings]\nprofile = ['konfluks']\n");
    run(root, &[]).expect_code(2).expect_words("olmdex.toml:2:12").expect_words("did you mean `konflux`?");
}

#[test]
fn what_has_one_safe_answer_is_mended_and_no_other_line_is_touched() {
    let directory = scratch();
    let root = directory.path();
    let before = catalog();
    let path = write(root, "catalog/catalog.yaml", &before);
    // Findings that nobody chose, or that are known, are left alone.
    run(root, &["--fix", "--ignore", "ALL"]).expect_code(0);
    assert_eq!(read(&path), before);
    let dry = run(root, &["--profile", "disconnected", "--fix", "--dry-run"]);
    dry.expect_code(0).expect_words("-- {image: \"quay.io/shop/a@");
    assert_eq!(read(&path), before);

    let answer = run(root, &["--profile", "disconnected", "--fix", "--all"]);
    answer.expect_code(0).expect_words("wrote catalog/catalog.yaml");
    assert_eq!(practices(&answer), ["02"], "what has two answers stays");
    let after = read(&path);
    for name in ["foo", "bar"] {
        assert!(after.contains(&format!("- {{name: {name}.v1.1.0, replaces: {name}.v1.0.0}} # kept")), "{after}");
    }
    // Only the old lines with the mistakes are gone or changed: three in each package.
    let gone = before.lines().filter(|it| !after.lines().any(|line| line == *it)).count();
    assert_eq!(gone, 6, "{after}");
    assert_eq!(after.matches("# of the build").count(), 2);
    assert_eq!(after.matches(" # a\n").count(), 2);
    assert_eq!(after.matches("name: a}").count(), 2);
    assert_eq!(after.matches("name: \"\"").count() + after.matches("name: ''").count(), 2, "{after}");

    // There is nothing left to fix.
    run(root, &["--profile", "disconnected", "--fix", "--dry-run"]).expect_code(0);
    run(root, &["--profile", "disconnected", "--fix"]).expect_code(0);
    assert_eq!(read(&path), after);
}

#[test]
fn known_findings_are_not_mended() {
    let directory = scratch();
    let root = directory.path();
    let before = catalog();
    let path = write(root, "catalog/catalog.yaml", &before);
    let known = ["--profile", "disconnected", "--baseline", "known.json"];
    run(root, &[&known[..], &["--write-baseline"]].concat()).expect_code(0);
    run(root, &[&known[..], &["--fix"]].concat()).expect_code(0);
    assert_eq!(read(&path), before);
}

#[test]
fn nothing_outside_of_the_catalog_is_mended_and_nothing_but_files_is() {
    let directory = scratch();
    let root = directory.path();
    let before = catalog();
    let outside = write(root, "elsewhere/catalog.yaml", &before);
    let inside = write(root, "catalog/own.yaml", before.replace("foo", "moo").replace("bar", "baz"));
    std::os::unix::fs::symlink("../elsewhere/catalog.yaml", root.join("catalog/link.yaml")).unwrap();
    let text = read(&inside);
    run(root, &["--fix"]).expect_code(3).expect_words("is a symbolic link out of the catalog");
    assert_eq!((read(&outside), read(&inside)), (before, text), "all or none");
    olmdex(["build", "-q", "catalog", "-o", "c.db"]).in_directory(root).answer().expect_code(0);
    olmdex(["validate", "c.db", "--fix"])
        .in_directory(root)
        .answer()
        .expect_code(2)
        .expect_words("not a catalog in files");
    olmdex(["validate", "catalog", "--fix", "--compat", "opm"]).in_directory(root).answer().expect_code(2);
    olmdex(["validate", "catalog", "--dry-run"]).in_directory(root).answer().expect_code(2);
}

/// Each OpenShift has an index of its own.
#[test]
fn fragments_of_two_versions_of_openshift_are_not_one_index() {
    let directory = scratch();
    let text = format!(
        "schema: olm.package\nname: acorn\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: acorn\nname: stable\n\
         entries: [{{name: acorn.v1.0.0}}]\n---\nschema: olm.bundle\npackage: acorn\nname: acorn.v1.0.0\n\
         image: quay.io/shop/acorn@{DIGEST}\n\
         properties: [{{type: olm.package, value: {{packageName: acorn, version: 1.0.0}}}}]\n"
    );
    let paths = ["v4.18/acorn/catalog", "v4.19/acorn/catalog", "catalog-4.19", "next"];
    let releases = ["acorn-2.25/v4.19", "acorn-3.0-ea.1/v4.19", "acorn-1/v4.19", "acorn-2/v4.19"];
    for path in paths.iter().chain(&releases) {
        write(directory.path(), &format!("{path}/acorn/catalog.yaml"), &text);
    }
    let fragments = |paths: &[&str]| {
        let line = ["validate", "--pipeline", "konflux"];
        let told = olmdex(line.iter().chain(paths)).in_directory(directory.path()).answer().both();
        told.lines().filter(|line| line.contains("E1817")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(fragments(&paths[..2]), [""; 0]);
    // A path without a version may be for the same.
    assert_eq!(fragments(&paths[2..]).len(), 1);
    let together = fragments(&paths[..3]);
    // Releases lie side by side, and follow each other; numbers may be those of fragments.
    assert_eq!(fragments(&releases[..2]), [""; 0]);
    assert_eq!(fragments(&releases[2..]).len(), 1);
    assert!(matches!(&together[..], [only] if only.contains("fragment: v4.19/acorn/catalog/acorn")), "{together:?}");
}

#[test]
fn a_base_has_its_practices_too() {
    let directory = scratch();
    let test_registry = catalog().replace("quay.io/shop/b:v1", "quay.io/redhat-user-workloads/shop/b:v1");
    write(directory.path(), "catalog/foo.yaml", &test_registry);
    write(directory.path(), "plain/foo.yaml", catalog());
    let check = |options: &[&str]| {
        let options = [&["check", "catalog", "--strict", "--select", "W1820"], options].concat();
        olmdex(options).in_directory(directory.path()).answer()
    };
    assert!(check(&[]).expect_code(1).out().contains("W1820"));
    // Only what is new counts, and graphs have no images.
    check(&["--base", "catalog"]).expect_code(0);
    check(&["--base", "plain"]).expect_code(1);
    check(&["--only", "graph"]).expect_code(0);
}
