//! Package-manifest directories as sources: their conversion, their faults, and content that somebody may plant in one.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::{Answer, TempDir, olmdex, scratch, write};

const MANIFEST: &str = "packageName: till
channels:
- name: stable
  currentCSV: till.v3
- name: old
  currentCSV: till.v1
defaultChannel: stable
";

fn csv(name: &str, rest: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: {name}, annotations: {{olm.skipRange: '<3.0.0'}}}}\nspec:\n{rest}"
    )
}

/// Three versions in a chain, one of them skipped, and a fourth that no channel reaches.
fn till() -> TempDir {
    let directory = scratch();
    let root = directory.path();
    write(root, "till.package.yaml", MANIFEST);
    write(root, "1.0.0/till.yaml", csv("till.v1", "  version: 1.0.0\n"));
    write(root, "2.0.0/till.yaml", csv("till.v2", "  version: 2.0.0\n  replaces: till.v1\n"));
    write(
        root,
        "deep/er/3.0.0/till.yaml",
        csv("till.v3", "  version: 3.0.0\n  replaces: till.v1\n  skips: [till.v2]\n"),
    );
    write(root, "4.0.0/till.yaml", csv("till.v4", "  version: 4.0.0\n"));
    write(root, ".git/config", "[core]\n");
    directory
}

fn render(directory: &Path) -> Answer {
    olmdex(["render", "-o", "yaml"]).arg(directory).answer()
}

fn validate(directory: &Path) -> Answer {
    olmdex(["validate", "--all"]).arg(directory).answer()
}

#[test]
fn a_package_manifest_directory_is_a_source_like_any_other() {
    let directory = till();
    let out = render(directory.path()).expect_code(0).out();
    assert!(out.contains("defaultChannel: stable\n"), "{out}");
    let channel = "entries:\n- name: till.v3\n  replaces: till.v1\n  skipRange: <3.0.0\n  skips:\n  - till.v2\n- name: till.v1\n  skipRange: <3.0.0\n- name: till.v2\n  skipRange: <3.0.0\nname: stable\n";
    assert!(out.contains(channel), "{out}");
    assert!(!out.contains("name: till.v4"), "{out}");
    let answer = validate(directory.path());
    answer.expect_code(0).expect_words("W1117").expect_words("4.0.0/till.yaml:3:18").expect_words("3 bundles: valid");
    let path = olmdex(["path", "till@1.0.0", "-i"]).arg(directory.path()).answer();
    path.expect_code(0).expect_words("3.0.0");
    // An archive of it gives the same.
    let tar = directory.path().join("till.tar");
    let mut command = std::process::Command::new("tar");
    let root = directory.path();
    let done =
        command.arg("-cf").arg(&tar).arg("-C").arg(root).args(["till.package.yaml", "1.0.0", "2.0.0", "4.0.0", "deep"]);
    assert!(done.status().unwrap().success());
    assert_eq!(render(&tar).expect_code(0).out(), out);
    // opm sees a catalog that is not valid.
    olmdex(["validate", "--compat", "opm"]).arg(root).answer().expect_code(1);
}

#[test]
fn rules_of_the_manifest_are_errors_with_places() {
    let heads = "[{name: a, currentCSV: till.v1}, {name: b, currentCSV: till.v3}]";
    let cases = [
        ("channels: [{name: a, currentCSV: till.v1}]\n".to_owned(), "E1112", "the package has no name"),
        ("packageName: till\n".to_owned(), "E1112", "the package has no channels"),
        (format!("packageName: till\nchannels: {heads}\n"), "E1113", "no default channel"),
        (format!("packageName: till\ndefaultChannel: c\nchannels: {heads}\n"), "E1113", "till.package.yaml:2:17"),
        ("packageName: till\nchannels: [{currentCSV: till.v1}]\n".to_owned(), "E1112", "till.package.yaml:2:12"),
        ("packageName: till\nchannels: [{name: a}]\n".to_owned(), "E1112", "channel `a` has no head"),
        (
            format!("packageName: till\ndefaultChannel: a\nchannels: {heads}\n").replace("name: b", "name: a"),
            "E1114",
            "listed twice",
        ),
        ("packageName: till\nchannels: [{name: a, currentCSV: till.v9}]\n".to_owned(), "E1115", "`till.v9`"),
    ];
    for (manifest, rule, words) in cases {
        let directory = till();
        write(directory.path(), "till.package.yaml", &manifest);
        validate(directory.path()).expect_code(1).expect_words(rule).expect_words(words);
        // An incomplete bundle is not printed at all.
        assert!(render(directory.path()).expect_code(1).stdout.is_empty());
    }
    let directory = till();
    write(directory.path(), "2.0.0/other.package.yaml", MANIFEST);
    write(directory.path(), "5.0.0/till.yaml", csv("till.v1", "  version: 5.0.0\n"));
    write(
        directory.path(),
        "6.0.0/till.yaml",
        csv("till.v6", "  customresourcedefinitions: {owned: [{name: a.b, version: v1, kind: A}]}\n"),
    );
    let answer = validate(directory.path());
    answer.expect_code(1).expect_words("E1111").expect_words("E1116").expect_words("E1118");
}

#[test]
fn links_pipes_and_devices_are_passed_over() {
    let directory = till();
    let outside = scratch();
    write(outside.path(), "secret.yaml", csv("secret.v1", "  version: 9.9.9\n"));
    let root = directory.path();
    for (target, link) in [
        (outside.path().join("secret.yaml").to_str().unwrap(), "1.0.0/secret.yaml"),
        ("/dev/zero", "1.0.0/zero.yaml"),
        ("nowhere", "1.0.0/nowhere.yaml"),
        (outside.path().to_str().unwrap(), "9.0.0"),
    ] {
        std::os::unix::fs::symlink(target, root.join(link)).unwrap();
    }
    assert!(std::process::Command::new("mkfifo").arg(root.join("2.0.0/pipe.yaml")).status().unwrap().success());
    std::fs::File::create(root.join("2.0.0/large.yaml")).unwrap().set_len(65 << 20).unwrap();
    let answer = validate(root);
    answer.expect_code(0).expect_words("1.0.0/secret.yaml").expect_words("larger than 64 MiB");
    assert!(!render(root).expect_code(0).out().contains("secret"));
    // A manifest outside of the directory makes nothing of it.
    let linked = till();
    std::fs::remove_file(linked.path().join("till.package.yaml")).unwrap();
    write(outside.path(), "till.package.yaml", MANIFEST);
    std::os::unix::fs::symlink(outside.path().join("till.package.yaml"), linked.path().join("till.package.yaml"))
        .unwrap();
    validate(linked.path()).expect_code(1).expect_words("till.package.yaml:1:1");
}

#[test]
fn hostile_files_end_with_words() {
    let deep = format!("kind: A\nspec: {}1{}\n", "[".repeat(5_000), "]".repeat(5_000));
    let bomb = "kind: A\na: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\n";
    let odd: [&[u8]; 6] =
        [b"\xff\xfe\x00", b"{", b"packageName: [", b"packageName: 3\nchannels: a\n", b"kind: [a]", b"--- x\nkind: A\n"];
    for text in odd.into_iter().chain([deep.as_bytes(), bomb.as_bytes()]) {
        let directory = till();
        write(directory.path(), "2.0.0/hostile.yaml", text);
        write(directory.path(), "a.package.yaml", text);
        validate(directory.path()).expect_words("bundles: ");
        let only = scratch();
        write(only.path(), "a.package.yaml", text);
        write(only.path(), "1.0.0/a.yaml", text);
        validate(only.path()).expect_code(1);
    }
    // A circle of versions ends.
    let directory = till();
    write(directory.path(), "1.0.0/till.yaml", csv("till.v1", "  version: 1.0.0\n  replaces: till.v3\n"));
    validate(directory.path()).expect_code(1);
}

#[test]
fn a_catalog_beside_which_a_manifest_lies_is_a_catalog() {
    let directory = scratch();
    write(directory.path(), "till.package.yaml", MANIFEST);
    write(directory.path(), "till/catalog.yaml", "schema: olm.package\nname: till\n");
    validate(directory.path()).expect_code(1).expect_words("till.package.yaml:1:1");
}
