//! The answers of `lock`, `outdated` and `renovate`, and the changes of a catalog since it was locked.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::support::{TempDir, olmdex, scratch};

const SHOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/shop/in");

/// A directory with a copy of the shop's catalog.
fn shop() -> TempDir {
    let directory = scratch();
    let copied = std::process::Command::new("cp").arg("-r").arg(SHOP).arg(directory.path().join("shop")).status();
    assert!(copied.unwrap().success());
    directory
}

fn run(directory: &TempDir, line: &str) -> crate::support::Answer {
    olmdex(line.split('~').flat_map(|it| it.split(' ').filter(|it| !it.is_empty())))
        .in_directory(directory.path())
        .answer()
}

/// Changes a file of the catalog.
fn change(directory: &TempDir, file: &str, from: &str, to: &str) {
    let path = directory.path().join("shop").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// File, old text and new text of changes; the findings afterwards.
type Case = (&'static [(&'static str, &'static str, &'static str)], &'static [&'static str]);

#[test]
fn what_happens_to_a_catalog_is_found() {
    const PACKAGE: &str = "till/package.yaml";
    // The changes after till is locked at 1.1.0 of its stable channel, and the findings about them.
    let cases: &[Case] = &[
        (&[], &[]),
        (&[(PACKAGE, "# ", "#  ")], &[]),
        (&[(PACKAGE, "name: till.v1.1.0\nimage", "name: till.v1.1.5\nimage")], &["bundle-gone"]),
        (&[(PACKAGE, "version: 1.1.0", "version: 1.1.1")], &["content-changed"]),
        (&[(PACKAGE, "till-bundle@sha256:2222", "till-bundle@sha256:3232")], &["content-changed", "image-changed"]),
        (&[(PACKAGE, "replaces: till.v1.0.0\n  skips:\n  - till.v1.0.1", "replaces: till.v1.0.0")], &["edge-changed"]),
        (&[("till/deprecations.yaml", "name: till.v1.0.0", "name: till.v1.1.0")], &["deprecated"]),
        (
            &[(
                PACKAGE,
                "  skips:\n  - till.v1.0.1\n",
                "  skips:\n  - till.v1.0.1\n- name: till.v1.2.0\n  replaces: till.v1.1.0\n",
            )],
            &["newer-head"],
        ),
    ];
    for (changes, wanted) in cases {
        let directory = shop();
        run(&directory, "lock till -i shop").expect_code(0);
        for (file, from, to) in *changes {
            if *from != "# " {
                change(&directory, file, from, to);
            }
        }
        let answer = run(&directory, "lock verify -i shop --no-headers");
        let found: Vec<String> =
            answer.out().lines().map(|it| it.split_whitespace().nth(3).unwrap().to_owned()).collect();
        assert_eq!(found, *wanted, "{changes:?}: {}", answer.both());
        answer.expect_code(i32::from(!wanted.is_empty()));
        let ignored = run(
            &directory,
            &format!("lock verify -i shop --ignore bundle-gone,{}", wanted.join(",")).replace(",~", ""),
        );
        if !wanted.is_empty() {
            ignored.expect_code(0);
        }
    }
}

#[test]
fn a_lock_is_written_only_if_it_changes_and_says_the_same_each_time() {
    let directory = shop();
    let path = directory.path().join("operators.lock");
    run(&directory, "lock till ledger -i shop").expect_code(0).expect_words("wrote operators.lock: 2 operators");
    let first = read(&path);
    let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&path.metadata().unwrap());
    let before = inode(&path);
    run(&directory, "lock ledger/stable till/stable -i shop").expect_code(0).expect_words("is up to date");
    assert_eq!((read(&path), inode(&path)), (first.clone(), before));
    // An index of the same catalog gives the same answer, whatever the order of its files.
    run(&directory, "build shop=shop -o shop.db").expect_code(0);
    std::fs::rename(directory.path().join("shop/till"), directory.path().join("shop/a-till")).unwrap();
    run(&directory, "lock till ledger -i shop").expect_code(0).expect_words("is up to date");
    run(&directory, "lock verify -i shop.db").expect_code(0).expect_words("2 operators: as locked");
    run(&directory, "lock till --dry-run -i shop").expect_code(0).expect_words("-package = \"ledger\"");
    assert_eq!(read(&path), first);
}

#[test]
fn an_update_goes_where_olm_goes() {
    let directory = shop();
    let path = directory.path().join("operators.lock");
    run(&directory, "lock till/stable@1.0.0 ledger/stable@1.0.0 -i shop").expect_code(0);
    // The requested range allows nothing else.
    run(&directory, "lock update -i shop")
        .expect_code(0)
        .expect_words("the next version is till.v1.1.0, which is not in `1.0.0`");
    let text = read(&path).replace("constraint = \"1.0.0\"\n", "");
    std::fs::write(&path, &text).unwrap();
    run(&directory, "outdated -i shop").expect_code(1).expect_words("1.1.0");
    run(&directory, "lock update till --precise 1.2.0 -i shop").expect_code(1).expect_words("OLM cannot reach it");
    run(&directory, "lock update till --precise 7.0.0 -i shop").expect_code(1).expect_words("no version 7.0.0");
    assert_eq!(read(&path), text);
    run(&directory, "lock update till -i shop").expect_code(0).expect_words("till.v1.1.0");
    let updated = read(&path);
    assert!(
        updated.contains("bundle = \"till.v1.1.0\"") && updated.contains("bundle = \"ledger.v1.0.0\""),
        "{updated}"
    );
    run(&directory, "lock update -i shop").expect_code(0);
    assert!(read(&path).contains("bundle = \"ledger.v1.1.0\""));
    run(&directory, "lock update tilll -i shop").expect_code(4).expect_words("did you mean `till`?");
}

#[test]
fn dependencies_are_locked_with_their_reasons() {
    let directory = shop();
    let path = directory.path().join("operators.lock");
    // The newest ledger needs something that no package provides.
    let catalog = "ledger/catalog.json";
    let ledger = r#"{"gvk": {"group": "ledgers.shop.example.com", "version": "v1", "kind": "Ledger"}}"#;
    let pages = ledger.replace("Ledger", "Pages");
    change(&directory, catalog, ledger, &pages);
    run(&directory, "lock ledger --with-deps -i shop").expect_code(1).expect_words("warning: ledger: ");
    run(&directory, "lock till --with-deps -i shop").expect_code(0);
    let locked = read(&path);
    assert!(
        locked.contains("bundle = \"ledger.v1.0.0\"") && locked.contains("required-by = [\n  \"till\",\n]"),
        "{locked}"
    );
    run(&directory, "lock verify -i shop").expect_code(0);
    // The newest bundle would not work.
    run(&directory, "lock update -i shop").expect_code(0);
    assert_eq!(read(&path), locked);
    change(&directory, catalog, &pages, ledger);
    run(&directory, "lock update till -i shop").expect_code(0);
    assert!(read(&path).contains("bundle = \"ledger.v1.0.0\""));
    run(&directory, "lock update -i shop").expect_code(0).expect_words("ledger.v1.1.0");
    assert!(read(&path).contains("bundle = \"ledger.v1.1.0\""));
}

#[test]
fn what_cannot_be_locked_is_refused_in_words() {
    let directory = shop();
    let path = directory.path().join("operators.lock");
    for (line, code, words) in [
        ("lock -i shop", 2, "nothing to lock"),
        ("lock tilll -i shop", 4, "did you mean `till`?"),
        ("lock till/stabel -i shop", 4, "did you mean `stable`?"),
        ("lock till@9.0.0 -i shop", 1, "no version of channel `stable` is in `9.0.0`"),
        ("lock till@>=1 -i shop", 2, "is not a version range"),
        ("lock till@>=9 --olm v1 -i shop", 1, "no bundles found"),
        ("lock verify -i shop", 3, "`operators.lock` does not exist"),
        ("renovate till ledger -i shop", 2, "one package per file"),
        ("renovate till --installed 9.0.0 -i shop", 4, "no version `9.0.0`"),
        ("renovate till --installed till.v9.0.0 -i shop", 0, "\"releases\": []"),
    ] {
        run(&directory, line).expect_code(code).expect_words(words);
        assert!(!path.exists(), "{line}");
    }
    std::fs::write(&path, "precious").unwrap();
    run(&directory, "lock till -i shop").expect_code(3).expect_words("is not a lock");
    assert_eq!(read(&path), "precious");
    std::fs::remove_file(&path).unwrap();
    run(&directory, "lock till -i shop").expect_code(0);
    let text = read(&path);
    for (from, to, code, words) in [
        ("version = 1", "version = 7", 3, "version 7 of the lock file format"),
        ("[[operator]]", "<<<<<<< HEAD\n[[operator]]", 3, "conflict marker"),
        ("catalog = \"shop\"", "catalog = \"mall\"", 4, "-i mall=SOURCE"),
        ("bundle = ", "bundel = ", 3, "unknown field"),
    ] {
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        for verb in ["verify", "update"] {
            run(&directory, &format!("lock {verb} -i shop")).expect_code(code).expect_words(words);
        }
        run(&directory, "outdated -i shop").expect_code(code).expect_words(words);
    }
}

#[test]
fn renovate_reads_what_is_printed() {
    let directory = shop();
    let read_json = |line: &str| -> serde_json::Value {
        serde_json::from_str(&run(&directory, line).expect_code(0).out()).unwrap()
    };
    let all = read_json("renovate till -i shop");
    let versions = |value: &serde_json::Value| -> Vec<String> {
        value["releases"].as_array().unwrap().iter().map(|it| it["version"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(versions(&all), ["1.0.0", "1.1.0", "1.2.0"]);
    assert_eq!(all["tags"], serde_json::json!({"candidate": "1.2.0", "stable": "1.1.0"}));
    // Three cases of deprecation: the bundle; one of its two channels; its only channel.
    let deprecated: Vec<bool> =
        all["releases"].as_array().unwrap().iter().map(|it| it.get("isDeprecated").is_some()).collect();
    assert_eq!(deprecated, [true, false, true]);
    assert_eq!(all["releases"][1]["digest"], format!("sha256:{}", "2".repeat(64)));
    for (line, wanted) in [
        ("renovate till/stable -i shop", &["1.0.0", "1.1.0"][..]),
        ("renovate till --lag 1 -i shop", &["1.0.0", "1.1.0"]),
        ("renovate till --lag 7 -i shop", &[]),
        ("renovate till/stable --installed 1.0.0 -i shop", &["1.1.0"]),
        ("renovate till/stable --installed 1.1.0 -i shop", &[]),
        ("renovate till/candidate --installed 1.0.0 --next -i shop", &["1.2.0"]),
        // OLM v1 refuses bundles that require APIs.
        ("renovate till --installed 1.0.0 --olm v1 --next -i shop", &[]),
        ("renovate ledger --installed 1.0.0 --olm v1 -i shop", &[]),
    ] {
        assert_eq!(versions(&read_json(line)), wanted, "{line}");
    }
    run(&directory, "renovate till till/stable --into versions -i shop").expect_code(0);
    assert!(
        directory.path().join("versions/till.json").exists()
            && directory.path().join("versions/till/stable.json").exists()
    );
}
