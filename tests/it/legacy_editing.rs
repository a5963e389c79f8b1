//! Maintenance of legacy files: opm's rules, its words if others parse them, and no half-done work.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::legacy::{legacy_file, query};
use crate::support::{olmdex, program, scratch};

/// Channels with their entries, as in the rendered catalog.
fn channels(path: &Path) -> String {
    let answer = olmdex(["render", "-q"]).arg(path).answer();
    answer.expect_code(0);
    let mut lines = Vec::new();
    for blob in serde_json::Deserializer::from_slice(&answer.stdout).into_iter::<serde_json::Value>() {
        let blob = blob.unwrap();
        if blob["schema"] != "olm.channel" {
            continue;
        }
        for entry in blob["entries"].as_array().unwrap() {
            let skips = entry["skips"].as_array().map(|it| it.iter().filter_map(|it| it.as_str()).collect::<Vec<_>>());
            lines.push(format!(
                "{} {} replaces {} skips {}",
                blob["name"].as_str().unwrap(),
                entry["name"].as_str().unwrap(),
                entry["replaces"].as_str().unwrap_or("-"),
                skips.unwrap_or_default().join(",")
            ));
        }
    }
    lines.join("\n")
}

#[test]
fn deprecating_truncates_as_opm_does() {
    // Images, bundles that stay, the catalog afterwards.
    let cases = [
        (
            "1.1.0",
            "p.v1.1.0\np.v1.2.0\np.v1.3.0\np.v1.4.0",
            "beta p.v1.2.0 replaces p.v1.1.0 skips \nstable p.v1.2.0 replaces p.v1.1.0 skips \n\
             stable p.v1.3.0 replaces p.v1.2.0 skips \nstable p.v1.4.0 replaces p.v1.3.0 skips p.v1.2.0",
        ),
        (
            "1.2.0",
            "p.v1.2.0\np.v1.3.0\np.v1.4.0",
            "stable p.v1.3.0 replaces p.v1.2.0 skips \nstable p.v1.4.0 replaces p.v1.3.0 skips p.v1.2.0",
        ),
        (
            "1.3.0",
            "p.v1.0.0\np.v1.1.0\np.v1.2.0\np.v1.3.0\np.v1.4.0",
            "beta p.v1.0.0 replaces - skips \nbeta p.v1.1.0 replaces p.v1.0.0 skips \n\
             beta p.v1.2.0 replaces p.v1.1.0 skips \nstable p.v1.4.0 replaces p.v1.3.0 skips ",
        ),
    ];
    for (version, bundles, expected) in cases {
        let directory = scratch();
        let path = legacy_file(directory.path(), "truncation", "");
        let before = std::fs::read(&path).unwrap();
        let out = directory.path().join("out.db");
        let image = format!("example.com/p:v{version}");
        let run = olmdex(["legacy", "deprecate-truncate", "-b", &image]).arg(&path).arg("-o").arg(&out).answer();
        run.expect_code(0);
        // A channel whose head is deprecated goes, and is named (first-use e5).
        let is_named = run.both().contains("package `p` no longer has channel `beta`");
        assert_eq!(is_named, !expected.contains("beta"), "{version}: {}", run.both());
        assert_eq!(query(&out, "SELECT name FROM operatorbundle ORDER BY name"), bundles, "{version}");
        assert_eq!(channels(&out), expected, "{version}");
        assert_eq!(query(&out, "PRAGMA foreign_key_check"), "", "{version}");
        assert_eq!(query(&out, "SELECT operatorbundle_name FROM deprecated"), format!("p.v{version}"));
        assert!(before == std::fs::read(&path).unwrap(), "{version}: the input was changed");
        // In place, the result is the same.
        olmdex(["legacy", "deprecate-truncate", "-b", &image, "--in-place"]).arg(&path).answer().expect_code(0);
        assert_eq!(channels(&path), expected, "{version} in place");
    }
}

#[test]
fn the_head_of_a_default_channel_goes_only_with_its_package() {
    let directory = scratch();
    let path = legacy_file(directory.path(), "truncation", "");
    let out = directory.path().join("out.db");
    let run =
        |args: &[&str]| olmdex(["legacy", "deprecate-truncate"]).arg(&path).arg("-o").arg(&out).args(args).answer();
    let head = "example.com/p:v1.4.0";
    run(&["-b", head]).expect_code(1).expect_words(
        "error deprecating bundle example.com/p:v1.4.0: Bundle deprecation causing default channel removal",
    );
    run(&["-b", head, "--allow-package-removal"]).expect_code(1).expect_words(
        "cannot deprecate default channel head from package without removing all other channel heads in package p: must \
         deprecate example.com/p:v1.2.0, head of channel beta",
    );
    run(&["-b", "example.com/x:1,example.com/y:1"])
        .expect_code(1)
        .expect_words("target bundlepaths for deprecation missing from registry: [example.com/x:1 example.com/y:1]");
    assert!(!out.exists(), "a refused step writes nothing");
    run(&["-b", "example.com/p:v1.4.0,example.com/p:v1.2.0", "--allow-package-removal"]).expect_code(0);
    assert_eq!(query(&out, "SELECT count(*) FROM operatorbundle"), "0");
    assert_eq!(query(&out, "SELECT count(*) FROM package"), "0");
    run(&["-b", "example.com/x:1,example.com/p:v1.1.0", "--permissive"]).expect_code(0);
    assert_eq!(query(&out, "SELECT operatorbundle_name FROM deprecated"), "p.v1.1.0");
}

#[test]
fn removing_and_pruning_packages() {
    let directory = scratch();
    let path = legacy_file(directory.path(), "two-packages", "");
    let out = directory.path().join("out.db");
    let run = |args: &[&str]| olmdex(["legacy"]).args(args).arg(&path).arg("-o").arg(&out).answer();
    run(&["rm", "-p", "bar,absent"]).expect_code(4).expect_words(
        "error deleting packages from database: error removing operator package absent: no package found for packagename \
         absent",
    );
    run(&["rm", "-p", "fop"]).expect_code(4).expect_words("did you mean `foo`? `--permissive` skips it");
    assert!(!out.exists(), "a refused step writes nothing");
    for part in ["foo@1.1.0", "foo@v1.1.0", "foo/beta", "foo.v1.1.0"] {
        let run = |verb: &str| olmdex(["legacy", verb]).arg(&path).arg(part).arg("-O").arg(&out).answer();
        run("rm")
            .expect_code(2)
            .expect_words("is a part of package `foo`, and this command removes whole packages only");
        run("prune")
            .expect_code(0)
            .expect_words("is a part of package `foo`, and this command keeps whole packages only");
        assert_eq!(query(&out, "SELECT name FROM package"), "foo", "{part}");
        std::fs::remove_file(&out).unwrap();
    }
    run(&["rm", "-p", "bar@9.9.9,foo.v1.1.0", "--permissive"])
        .expect_code(0)
        .expect_words("this command removes whole packages only");
    assert_eq!(query(&out, "SELECT count(*) FROM package"), "2");
    std::fs::remove_file(&out).unwrap();
    run(&["rm", "-p", "bar,absent", "--permissive"]).expect_code(0);
    assert_eq!(query(&out, "SELECT name FROM package"), "foo");
    // The bundle without a channel goes too, and a dependency of the removed bundle stays as long as somebody provides
    // it.
    assert_eq!(query(&out, "SELECT name FROM operatorbundle ORDER BY name"), "foo.v1.0.0\nfoo.v1.1.0");
    assert_eq!(query(&out, "SELECT kind FROM api"), "Foo");
    assert_eq!(query(&out, "SELECT count(*) FROM dependencies"), "0");
    assert_eq!(query(&out, "SELECT name FROM sqlite_schema WHERE type = 'trigger'").lines().count(), 2);
    run(&["prune", "-p", "bar"]).expect_code(0);
    assert_eq!(query(&out, "SELECT name FROM package"), "bar");
    assert_eq!(query(&out, "SELECT kind FROM api"), "Foo", "required still");
    run(&["prune", "-p", ""]).expect_code(0);
    assert_eq!(query(&out, "SELECT count(*) FROM package"), "0");
    run(&["prune-stranded"]).expect_code(0);
    assert_eq!(query(&out, "SELECT count(*) FROM operatorbundle"), "3");
    assert_eq!(query(&out, "PRAGMA foreign_key_check").lines().count(), 1, "rows of nobody stay unless they must go");
}

#[test]
fn a_bundle_of_two_packages_stays_with_the_other() {
    let directory = scratch();
    let more = "INSERT INTO channel_entry VALUES (9, 'alpha', 'bar', 'foo.v1.0.0', NULL, 0)";
    let path = legacy_file(directory.path(), "two-packages", more);
    let out = directory.path().join("out.db");
    // Its property still names the removed package, so it goes after all, as in opm.
    olmdex(["legacy", "rm", "-p", "foo"]).arg(&path).arg("-o").arg(&out).answer().expect_code(0);
    assert_eq!(query(&out, "SELECT name FROM operatorbundle ORDER BY name"), "bar.v0.1.0");
    assert_eq!(query(&out, "SELECT operatorbundle_name FROM channel_entry"), "bar.v0.1.0");
}

#[test]
fn only_legacy_files_are_replaced() {
    let directory = scratch();
    let path = legacy_file(directory.path(), "two-packages", "");
    let other = crate::support::write(directory.path(), "notes.txt", "precious");
    olmdex(["legacy", "prune-stranded"]).arg(&path).arg("-o").arg(&other).answer().expect_code(2);
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
    olmdex(["legacy", "prune-stranded"]).arg(&path).answer().expect_code(2);
    olmdex(["legacy", "rm", "-p", "foo", "--in-place"]).arg(&other).answer().expect_code(3);
}

#[test]
fn a_killed_step_leaves_the_old_file_or_the_new_one() {
    let directory = scratch();
    let big = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
               INSERT INTO operatorbundle (name, bundle, bundlepath, version) SELECT 'x.v' || i, zeroblob(40000), 'i', '1.0.0' FROM n";
    let path = legacy_file(directory.path(), "two-packages", big);
    for in_place in [false, true] {
        for milliseconds in [1, 3, 6, 12, 25] {
            let out = directory.path().join("out.db");
            let _ = std::fs::remove_file(&out);
            let mut command = program();
            command.args(["legacy", "prune", "-q", "-p", "foo"]).arg(&path);
            if in_place {
                command.arg("--in-place")
            } else {
                command.arg("-o").arg(&out)
            };
            let mut child = command.spawn().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(milliseconds));
            let _ = child.kill();
            child.wait().unwrap();
            let result = if in_place { &path } else { &out };
            if result.exists() {
                olmdex(["legacy", "prune-stranded", "-q"])
                    .arg(result)
                    .arg("-o")
                    .arg(directory.path().join("after.db"))
                    .answer()
                    .expect_code(0);
                assert_eq!(query(result, "PRAGMA integrity_check"), "ok");
            }
        }
    }
    // A killed process leaves a workspace, which is used again.
    olmdex(["legacy", "prune", "-p", "foo"])
        .arg(&path)
        .arg("-o")
        .arg(directory.path().join("out.db"))
        .answer()
        .expect_code(0);
    let left = std::fs::read_dir(directory.path()).unwrap().map(|it| it.unwrap().file_name());
    let left: Vec<_> = left.filter(|it| it.to_string_lossy().starts_with('.')).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_output_that_is_the_input_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = scratch();
    let path = legacy_file(directory.path(), "two-packages", "");
    let at = |name: &str| directory.path().join(name);
    std::os::unix::fs::symlink(&path, at("link.db")).unwrap();
    std::fs::hard_link(&path, at("hard.db")).unwrap();
    std::fs::create_dir(at("sub")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let before = std::fs::read(&path).unwrap();
    let verbs: [(&[&str], &str); 5] = [
        (&["legacy", "rm", "-p", "foo"], "--in-place"),
        (&["legacy", "prune", "-p", "foo"], "--in-place"),
        (&["legacy", "prune-stranded"], "--in-place"),
        (&["legacy", "deprecate-truncate", "-b", "example.com/foo:v1.0.0"], "--in-place"),
        (&["export", "--legacy"], "name another file"),
    ];
    for (verb, help) in verbs {
        for name in ["legacy.db", "link.db", "hard.db", "sub/../legacy.db"] {
            let answer = olmdex(verb.iter().copied()).arg(&path).arg("-o").arg(at(name)).answer();
            answer.expect_code(2).expect_words("is the input").expect_words(help);
            assert!(before == std::fs::read(&path).unwrap(), "{verb:?} {name}: the input was changed");
        }
    }
    let names = std::fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(names, 4, "nothing was written");
}

#[test]
fn a_catalog_is_not_migrated_into_itself() {
    let directory = scratch();
    let root = directory.path().join("catalog");
    crate::support::write(&root, "p/catalog.json", "{\"schema\": \"x\", \"name\": \"y\"}");
    std::os::unix::fs::symlink(&root, directory.path().join("link")).unwrap();
    for out in ["catalog/new", "catalog/p/q/../new", "link/new", "catalog"] {
        let out = directory.path().join(out);
        let answer = olmdex(["migrate"]).arg(&root).arg(&out).answer();
        answer.expect_code(2).expect_words("lies inside the input catalog").expect_words("outside");
    }
    assert_eq!(std::fs::read_dir(&root).unwrap().count(), 1, "nothing was written");
    olmdex(["migrate"]).arg(&root).arg(directory.path().join("catalog-new")).answer().expect_code(0);
}

#[test]
fn names_of_packages_to_keep_that_are_not_there_are_told() {
    let directory = scratch();
    let path = legacy_file(directory.path(), "two-packages", "");
    let out = directory.path().join("out.db");
    let nothing = "no package kept: all packages are removed";
    // Names, the expected words, the forbidden words, the remaining packages.
    let cases: [(&str, &[&str], &[&str], &str); 4] = [
        ("foo", &[], &["warning"], "foo"),
        ("fop", &["no package `fop` to keep", "did you mean `foo`?", nothing], &[], ""),
        ("foo,strange", &["no package `strange` to keep"], &["did you mean", nothing], "foo"),
        ("", &[nothing], &["no package `"], ""),
    ];
    for (names, said, unsaid, stays) in cases {
        let prune = || olmdex(["legacy", "prune", "-p", names]).arg(&path).arg("-o").arg(&out);
        if said.iter().any(|it| it.contains("no package `")) {
            prune().answer().expect_code(4).expect_words(said[0]).expect_words("--permissive");
            assert!(!out.exists(), "{names}: a refused step writes nothing");
        }
        let answer = prune().arg("--permissive").answer();
        answer.expect_code(0);
        for words in said {
            answer.expect_words(words);
        }
        for words in unsaid {
            assert!(!answer.both().contains(words), "{names}: {}", answer.both());
        }
        assert_eq!(query(&out, "SELECT name FROM package"), stays, "{names}");
        std::fs::remove_file(&out).unwrap();
    }
}

#[test]
fn what_is_no_legacy_file_gets_words_and_help() {
    let directory = scratch();
    let path = legacy_file(directory.path(), "two-packages", "");
    let index = directory.path().join("index.db");
    olmdex(["build", "-q", "-o"]).arg(&index).arg(&path).answer().expect_code(0);
    let verbs: [&[&str]; 3] =
        [&["legacy", "rm", "--in-place", "-p", "foo"], &["legacy", "prune-stranded", "--in-place"], &["doctor"]];
    for verb in verbs {
        let answer = olmdex(verb.iter().copied()).arg(&index).answer();
        answer.expect_code(3).expect_words("is an olmdex index").expect_words("--to legacy -O legacy.db");
        let answer = olmdex(verb.iter().copied()).arg(directory.path().join("absent.db")).answer();
        answer.expect_code(3).expect_words("no such file").expect_words("help: name a legacy SQLite file that exists");
    }
}
