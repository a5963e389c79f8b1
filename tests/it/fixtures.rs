//! The hand-written catalogs of `fixtures/`: the program's output for each equals its `out/` folder, byte for byte.
//!
//! The names of the files in `out/` choose the commands that run in the case's folder.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::{Path, PathBuf};

use crate::support::olmdex;
use crate::support::recording::expect_recorded;
use olmdex::check;

/// The content of each file of an `out` folder: the arguments, and whether standard error belongs to it too.
const OUTPUTS: &[(&str, &[&str], bool)] = &[
    ("findings.txt", &["validate", "in"], false),
    ("findings-practice.txt", &["validate", "in", "--select", "W18"], false),
    ("findings-fragments.txt", &["validate", "in/one", "in/two", "--select", "E18"], false),
    ("findings-openshifts.txt", &["check", "in/v4.17", "in/v4.18", "in/v4.19", "--select", "W1821"], false),
    ("findings-template.txt", &["check", "in/template.yaml", "in/catalog", "--select", "W1822"], false),
    ("findings-2030.txt", &["validate", "in", "--date", "2030-01-01"], false),
    ("validate.txt", &["validate", "in"], true),
    ("validate.json", &["validate", "in", "-o", "json"], false),
    ("validate.sarif", &["validate", "in", "-o", "sarif"], false),
    ("validate.github", &["validate", "in", "-o", "github"], false),
    ("opm.txt", &["validate", "in", "--compat", "opm"], true),
    ("render.json", &["render", "in"], false),
    ("render.yaml", &["render", "in", "-o", "yaml"], false),
];

/// All cases below a folder, sorted: folders that hold an `in`. `tests/conformance` runs the recorded answers of the
/// real systems.
fn cases(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        if folder.ends_with("recorded") {
            continue;
        }
        if folder.join("in").exists() {
            found.push(folder);
            continue;
        }
        let entries = std::fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
        open.extend(entries.filter(|it| it.is_dir()));
    }
    found.sort();
    found
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

#[test]
fn every_case_gives_what_it_shows() {
    let mut outputs = Vec::new();
    for case in cases(&fixtures()) {
        for (name, arguments, with_stderr) in OUTPUTS {
            let path = case.join("out").join(name);
            if !path.exists() {
                continue;
            }
            let answer = olmdex(*arguments).in_directory(&case).answer();
            let mut found = answer.out();
            if *with_stderr {
                found.push_str(&answer.err());
            }
            outputs.push((path, found));
        }
    }
    expect_recorded("fixtures", &outputs);
}

#[test]
fn every_rule_has_a_case_in_which_it_is_found() {
    for rule in check::all_rules().into_iter().chain(check::practice::rules::ALL.iter().copied()) {
        let out = fixtures().join("rules").join(rule.id).join("out");
        // Rules of good practice, of several catalogs and of a day have files of their own.
        let names =
            ["findings-practice", "findings-fragments", "findings-openshifts", "findings-template", "findings-2030"];
        let own = names.iter().map(|name| out.join(format!("{name}.txt"))).rfind(|path| path.exists());
        let findings = own.unwrap_or_else(|| out.join("findings.txt"));
        let text = std::fs::read_to_string(&findings).unwrap_or_default();
        let head = format!("{}[{}]", rule.severity.word(), rule.id);
        assert!(text.contains(&head), "{} does not show {head}", findings.display());
        // Some broken rules make other things impossible to judge, or break other rules by nature, so they may have
        // other findings.
        let others = text.lines().filter(|it| it.starts_with("error[") || it.starts_with("warning["));
        let others: Vec<&str> = others.filter(|it| !it.starts_with(&head)).collect();
        let may_have_others = ["E0002", "E0004", "E0314", "W1805"].contains(&rule.id);
        assert!(may_have_others || others.is_empty(), "{} shows more than {head}: {others:?}", findings.display());
    }
}

#[test]
fn no_case_is_without_output() {
    for case in cases(&fixtures()) {
        let files = std::fs::read_dir(case.join("out")).map(|it| it.count()).unwrap_or_default();
        assert!(files > 0, "{} has no out/", case.display());
        for entry in std::fs::read_dir(case.join("out")).unwrap() {
            let name = entry.unwrap().file_name();
            assert!(OUTPUTS.iter().any(|(it, ..)| *it == name), "nobody writes {name:?} of {}", case.display());
        }
    }
}
