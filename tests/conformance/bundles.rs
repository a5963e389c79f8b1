//! `authoring/bundles` and `authoring/bad-bundles`: bundle directories with what opm renders of them.
//!
//! A folder has `dirs/` and `expected.jsonl`, or is an archive of both. A refusal must be a refusal; our words are our
//! own. `authoring/bundle-mutants` has its directories beside `expected.jsonl`: bundles with random changes.

use std::path::Path;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::command::olmdex;
use crate::inputs::unpack;
use crate::outcome::{Case, Folder, Outcome};

pub(crate) const FOLDER: Folder = Folder {
    name: "authoring/bundles",
    run: |root| ["bundles", "bad-bundles"].into_iter().flat_map(|area| run(root, area)).collect(),
};

pub(crate) const MUTANTS: Folder =
    Folder { name: "authoring/bundle-mutants", run: |root| unpacked(root, "bundle-mutants", mutants) };

/// A mutant, whether the real tool renders it, and the digest of the output.
#[derive(Deserialize)]
struct Mutant {
    dir: String,
    ok: bool,
    sha256: Option<String>,
}

/// A directory with the answers of the real tool.
#[derive(Deserialize)]
struct Expected {
    id: String,
    json: Option<Exchange>,
    migrated: Option<Exchange>,
    yaml: Option<Exchange>,
}

#[derive(Deserialize)]
struct Exchange {
    exit: i32,
    sha256: String,
    stderr: String,
}

const TEMPLATE: &str = "quay.io/example/{{.Package}}/{{.Name}}:v{{.Version}}";

fn run(root: &Path, area: &str) -> Vec<Case> {
    unpacked(root, area, cases)
}

/// Runs the cases of an area, which is a folder or an archive.
pub(crate) fn unpacked(root: &Path, area: &str, cases: impl Fn(&Path, &str) -> Vec<Case>) -> Vec<Case> {
    let folder = root.join("authoring").join(area);
    let archive = root.join("authoring").join(format!("{area}.tar.zst"));
    if folder.is_dir() {
        return cases(&folder, area);
    }
    if !archive.is_file() {
        return Vec::new();
    }
    match unpack(&archive) {
        Ok(scratch) => cases(scratch.path(), area),
        Err(error) => vec![Case::run(format!("authoring/{area}"), || Outcome::NotRunnable(error.to_string()))],
    }
}

fn cases(folder: &Path, area: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(folder.join("expected.jsonl")).expect("a readable recording");
    let mut cases = Vec::new();
    for line in text.lines() {
        let expected: Expected = serde_json::from_str(line).expect("a recording");
        let id = &expected.id;
        let forms: [(&str, &Option<Exchange>, &[&str]); 3] = [
            ("json", &expected.json, &["-o", "json"]),
            ("migrated", &expected.migrated, &["-o", "json", "--migrate", "--alpha-image-ref-template", TEMPLATE]),
            ("yaml", &expected.yaml, &["-o", "yaml"]),
        ];
        for (form, exchange, options) in forms {
            let Some(exchange) = exchange else { continue };
            cases.push(Case::run(format!("authoring/{area}/{id} {form}"), || {
                check(&folder.join("dirs"), id, options, exchange)
            }));
        }
    }
    cases
}

fn check(dirs: &Path, id: &str, options: &[&str], expected: &Exchange) -> Outcome {
    let answer = olmdex(dirs, &[&["render", id], options].concat()).expect("the program starts");
    if expected.exit != 0 {
        let is_refused = answer.exit_code != 0 && answer.stdout.is_empty();
        return if is_refused {
            Outcome::Passed
        } else {
            Outcome::Failed(format!("expected a refusal: {}", expected.stderr))
        };
    }
    if answer.exit_code != 0 {
        return Outcome::Failed(format!("exit code {}: {}", answer.exit_code, answer.stderr));
    }
    let found: String = Sha256::digest(&answer.stdout).iter().map(|byte| format!("{byte:02x}")).collect();
    Outcome::of_equal(&found, &expected.sha256)
}

fn mutants(folder: &Path, area: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(folder.join("expected.jsonl")).expect("a readable recording");
    let case = |line: &str| {
        let Mutant { dir, ok, sha256 } = serde_json::from_str(line).expect("a recording");
        let exit = i32::from(!ok);
        let expected = Exchange { exit, sha256: sha256.unwrap_or_default(), stderr: String::new() };
        Case::run(format!("authoring/{area}/{dir}"), || check(folder, &dir, &["-o", "json"], &expected))
    };
    text.lines().map(case).collect()
}
