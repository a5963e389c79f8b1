//! Old commands of opm and oc-mirror end in commands of ours, and these do what the old ones did.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use tar::EntryType;

use crate::support::image::{CONFIGS, Layer, image};
use crate::support::legacy::legacy_file;
use crate::support::registry::Registry;
use crate::support::{Answer, olmdex, scratch};

const DATABASE: &str = "operators.operatorframework.io.index.database.v1";

fn run(root: &Path, args: &[&str]) -> Answer {
    let home = root.to_str().unwrap();
    olmdex(args).in_directory(root).env("HOME", home).env("XDG_CACHE_HOME", &format!("{home}/cache")).answer()
}

/// A run under the name of another program.
fn run_as(name: &str, root: &Path, args: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_olmdex"));
    command.arg0(name).args(args).current_dir(root).env("HOME", root).env("XDG_CACHE_HOME", root.join("cache"));
    let output = command.output().unwrap();
    Answer { code: output.status.code(), stdout: output.stdout, stderr: output.stderr }
}

/// A registry with the index images `files` and `legacy` of the packages `foo` and `bar`, and a bundle of `foo`.
fn registry(root: &Path) -> Registry {
    let registry = Registry::start();
    let file = legacy_file(root, "two-packages", "");
    let bytes = std::fs::read(&file).unwrap();
    let layer = Layer::new().directory("database").entry(EntryType::Regular, "database/index.db", "", &bytes);
    registry.add("org/index", "legacy", image((DATABASE, "/database/index.db"), &[layer.finish()]));
    let text = run(root, &["render", "-q", "legacy.db"]).out();
    let layer = Layer::new().directory("configs").file("configs/catalog.json", &text);
    registry.add("org/index", "files", image((CONFIGS, "/configs"), &[layer.finish()]));
    let key = "operators.operatorframework.io.bundle";
    let annotations = format!("annotations: {{{key}.package.v1: foo, {key}.channels.v1: stable}}\n");
    let csv =
        "kind: ClusterServiceVersion\nmetadata: {name: foo.v1.2.0}\nspec: {version: 1.2.0, replaces: foo.v1.1.0}\n";
    let layer = Layer::new().file("manifests/csv.yaml", csv).file("metadata/annotations.yaml", &annotations);
    registry.add("org/foo", "v1.2.0", image((&format!("{key}.package.v1"), "foo"), &[layer.finish()]));
    registry
}

/// The commands that take the place of an old one, for index images in files, and for legacy ones if they are others.
fn instead(root: &Path, line: &str) -> [Vec<String>; 2] {
    let answer = run(root, &["explain", "-o", "json", line]);
    let answer: serde_json::Value = serde_json::from_slice(&answer.expect_code(0).stdout).unwrap();
    let explained = &answer["items"][0];
    let next = |explained: &serde_json::Value| {
        explained["next"].as_array().into_iter().flatten().map(|it| it.as_str().unwrap().to_owned()).collect()
    };
    [next(explained), next(&explained["others"][0])]
}

/// Runs commands one after another in a shell.
fn run_all(root: &Path, commands: &[String]) {
    assert!(!commands.is_empty());
    for command in commands {
        let command = command.replace("CHANNEL", "stable").replacen("olmdex", env!("CARGO_BIN_EXE_olmdex"), 1);
        let mut shell = Command::new("sh");
        shell.arg("-ec").arg(&command).current_dir(root).env("HOME", root).env("XDG_CACHE_HOME", root.join("cache"));
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    for left in ["index.db", "index.db-journal"] {
        let _ = std::fs::remove_file(root.join(left));
    }
    let _ = std::fs::remove_dir_all(root.join("catalog"));
}

/// The packages and bundles of an image.
fn bundles(root: &Path, image: &str) -> String {
    run(root, &["list", "bundles", "-o", "name", "--plain-http", "-i", &format!("docker://{image}")])
        .expect_code(0)
        .out()
}

#[test]
fn index_images_of_both_kinds_are_changed_as_opm_index_changed_them() {
    let directory = scratch();
    let root = directory.path();
    let registry = registry(root);
    let host = &registry.address;
    let foo = "bar.v0.1.0";
    for (verb, options, files, legacy, has, lacks) in [
        ("prune", "-p foo", 0, 1, "foo.v1.0.0", Some(foo)),
        ("prune", "--packages=foo,bar", 0, 1, "foo.v1.0.0", None),
        ("rm", "-o bar", 0, 1, "foo.v1.1.0", Some(foo)),
        ("add", &format!("-b {host}/org/foo:v1.2.0 --mode replaces"), 1, 0, "foo.v1.2.0", None),
        ("prune-stranded", "", 1, 0, "foo.v1.0.0", None),
        (
            "deprecatetruncate",
            "-b example.com/foo:v1.1.0 --allow-package-removal",
            9,
            0,
            "bar.v0.1.0",
            Some("foo.v1.0.0"),
        ),
    ] {
        for (kind, which) in [("files", files), ("legacy", legacy), ("legacy", files)] {
            // The lines about files that an unknown name stands for are not run; those for legacy images may be others.
            if which > 1 || (verb == "prune-stranded" && which == 1) {
                continue;
            }
            let target = format!("{host}/out/{verb}:{kind}-{which}");
            let line =
                format!("opm index {verb} -f {host}/org/index:{kind} {options} -t {target} -c podman --use-http");
            let lines = instead(root, &line);
            run_all(root, &lines[which]);
            let found = bundles(root, &target);
            assert!(found.contains(has), "{line}\n{found}");
            assert!(lacks.is_none_or(|name| !found.contains(name)), "{line}\n{found}");
            if which == legacy && kind == "legacy" {
                run(root, &["doctor", &format!("docker://{target}"), "--plain-http"]);
                let content = registry.content.lock().unwrap();
                assert!(content.blobs.values().any(|it| String::from_utf8_lossy(it).contains(DATABASE)));
            }
        }
    }
    let new = instead(root, &format!("opm index add -b {host}/org/foo:v1.2.0 -t {host}/out/new:v1 --use-http"));
    // The bundle replaces one that a new catalog does not have.
    let refused = run(root, &new[0][0].split(' ').skip(1).collect::<Vec<_>>());
    assert!(matches!(refused.code, Some(0 | 1)), "{}", refused.both());
    let export = instead(root, &format!("opm index export -i {host}/org/index:files -p foo -f there --use-http"));
    run_all(root, &export[0]);
    assert!(root.join("there/foo/catalog.json").exists());
}

/// The line that a user reported (mirrors R10).
#[test]
fn the_values_of_the_old_line_are_those_of_the_new_one() {
    let directory = scratch();
    let root = directory.path();
    let lines = instead(root, "opm index prune -f IMAGE -p a,b -t TARGET");
    assert_eq!(lines[0], ["olmdex mirror filter -p a -p b -i docker://IMAGE --into docker://TARGET --full"]);
    assert_eq!(
        lines[1],
        ["olmdex legacy prune docker://IMAGE a b -O index.db", "olmdex image push index.db docker://TARGET"]
    );
    for (line, expected) in [
        ("$ opm registry prune -d b.db -p 'a b'", "olmdex legacy prune b.db 'a b' --in-place"),
        ("sudo /usr/bin/opm registry rm -o a,b", "olmdex legacy rm bundles.db a b --in-place"),
        ("opm registry serve -d x.db -p 5", "olmdex serve x.db --port 5"),
        ("opm alpha list bundles q.io/o/i:v1 a", "olmdex list bundles a -i docker://q.io/o/i:v1"),
        ("opm alpha list channels ./files", "olmdex list channels -i ./files"),
        (
            "opm index prune \\\n  -f q.io/i \\\n  -p a -t l/i",
            "olmdex mirror filter -p a -i docker://q.io/i --into docker://l/i --full",
        ),
        ("oc-mirror list operators --catalog q.io/i:v1", "olmdex list packages -i docker://q.io/i:v1"),
        ("oc mirror list operators --catalog=q.io/i --package a", "olmdex list channels a -i docker://q.io/i"),
        (
            "oc-mirror list operators --catalog q.io/i --package=a --channel=s",
            "olmdex list bundles a/s -i docker://q.io/i",
        ),
        ("oc-mirror list operators --catalog oci:///tmp/x", "olmdex list packages -i oci:/tmp/x"),
        // An option cannot be smuggled in as a value.
        ("opm registry rm -d --in-place -o a", "olmdex legacy rm bundles.db a --in-place"),
        ("opm registry rm -o '$(touch x)'", "olmdex legacy rm bundles.db '$(touch x)' --in-place"),
        ("opm registry rm -o=--dry-run,a", "olmdex legacy rm bundles.db a --in-place"),
    ] {
        assert_eq!(instead(root, line)[0], [expected], "{line}");
    }
    for (line, words) in [
        ("oc-mirror list releases --channel stable-4.20", "Releases of OpenShift are in no catalog"),
        ("oc-mirror list updates isc.yaml", "olmdex mirror filter -c isc.yaml --explain"),
        ("oc-mirror list operators --catalogs --version=4.20", "redhat-operator-index:v4.20"),
    ] {
        run(root, &["explain", line]).expect_code(0).expect_words(words);
    }
    // A sentence that begins like a command is a message.
    let message = run(root, &["explain", "opm index prune only supports sqlite-based catalogs"]);
    message.expect_code(0).expect_words("The image is a file-based catalog");
    run(root, &["explain", "opm index frobnicate -f x"]).expect_code(1);
}

#[test]
fn under_the_old_names_the_program_lists_and_says_what_to_type() {
    let directory = scratch();
    let root = directory.path();
    legacy_file(root, "two-packages", "");
    run(root, &["export", "legacy.db", "--to", "files", "-O", "catalog.d"]).expect_code(0);
    for source in ["legacy.db", "catalog.d"] {
        let packages = run_as("/usr/bin/opm", root, &["alpha", "list", "packages", source]);
        packages.expect_code(0).expect_words("NAME").expect_words("DEFAULT CHANNEL");
        let ours = run(root, &["list", "packages", "-i", source, "--compat", "opm"]);
        assert_eq!(packages.out(), ours.out());
        let bundles = run_as("opm", root, &["alpha", "list", "bundles", source, "foo"]);
        bundles.expect_code(0).expect_words("foo.v1.1.0");
        assert!(!bundles.out().contains("bar"), "{}", bundles.both());
    }
    let line = "olmdex mirror filter -p a -i docker://q.io/o/i:v1 --into docker://l/i:v2 --full";
    let words = ["index", "prune", "-f", "q.io/o/i:v1", "-p", "a", "-t", "l/i:v2"];
    for name in ["opm", "/bin/opm", "olmdex"] {
        let answer = run_as(name, root, &words);
        answer.expect_code(2).expect_words("`opm index prune`");
        assert!(answer.err().lines().any(|it| it.trim() == line), "{}", answer.both());
    }
    let json = run_as("opm", root, &[&words[..], &["--log-format", "json"]].concat()).expect_code(2).err();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["help"].as_str().unwrap().contains(line), "{json}");
    run_as("opm", root, &["registry", "rm", "-d", "legacy.db", "-o", "foo"])
        .expect_code(2)
        .expect_words("olmdex legacy rm legacy.db foo --in-place");
    run_as("oc-mirror", root, &["list", "operators", "--catalog", "q.io/i"])
        .expect_code(2)
        .expect_words("olmdex list packages -i docker://q.io/i");
    run(root, &["list", "operators", "-i", "legacy.db"]).expect_code(0);
}
