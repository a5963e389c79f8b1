//! `oci`: images with opm's rendering of them.
//!
//! opm may follow links out of the image, hang, or refuse a well-formed image. Ours differs on purpose then
//! (`docs/behaviour/serving.md` A.9), as the table below states.

use std::path::Path;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::command::olmdex;
use crate::inputs::{records, shared};
use crate::outcome::{Case, Folder, Outcome};

pub(crate) const FOLDER: Folder = Folder { name: "oci", run };

/// An image with the answer of the real tool.
#[derive(Deserialize)]
struct Recorded {
    case: String,
    exit: i32,
    stdout: Option<String>,
    stdout_sha256: Option<String>,
    #[serde(default)]
    stderr: Option<String>,
}

/// Our answer if it differs on purpose.
enum Ours {
    /// It renders the same as another case.
    As(&'static str),
    /// It renders this package and no other.
    Package(&'static str),
    /// It refuses.
    Refuses,
}

const DELIBERATE: &[(&str, Ours)] = &[
    // Links are followed inside the image, as in a container.
    ("symlink-absolute", Ours::Package("data")),
    ("symlink-configs-absolute", Ours::Package("c")),
    ("hostile-symlink-read", Ours::Refuses),
    ("hostile-symlink-read-rel", Ours::Refuses),
    // It is taken as `/configs`.
    ("label-escape", Ours::As("fbc-gzip")),
    // Pipes and devices are skipped.
    ("hostile-fifo", Ours::As("fbc-gzip")),
    ("hostile-no-device", Ours::As("fbc-gzip")),
    // A digest that opm cannot compute.
    ("sha512", Ours::As("fbc-gzip")),
    // Clusters serve the catalog.
    ("sqlite-and-fbc", Ours::As("fbc-gzip")),
    // A database without a catalog is read.
    ("artifact-sqlite", Ours::As("sqlite")),
];

fn run(root: &Path) -> Vec<Case> {
    let folder = root.join("oci");
    let Ok(text) = std::fs::read_to_string(folder.join("cases.jsonl")) else { return Vec::new() };
    let recorded: Vec<Recorded> = text.lines().map(|line| serde_json::from_str(line).expect("a recording")).collect();
    let everywhere = recorded_in(root);
    let mut cases: Vec<Case> =
        recorded.iter().map(|it| Case::run(format!("oci/{}", it.case), || check(root, it, &everywhere))).collect();
    cases.extend(recorded.iter().filter(|it| it.case == "sqlite-and-fbc").map(|it| {
        Case::run(format!("oci/{} as opm", it.case), || {
            let archive = archive_of(root, &it.case);
            rendered_with(root, &["--compat", "opm", &archive], it.stdout.as_deref(), it.stdout_sha256.as_deref())
        })
    }));
    for form in ["fbc-gzip.dir", "fbc-gzip.docker.tar", "fbc-gzip.oci.tar"] {
        let path = shared(root, &format!("oci/formats/{form}"));
        if path.exists() {
            let expected = everywhere.iter().find(|it| it.case == "fbc-gzip");
            cases.push(Case::run(format!("oci/formats/{form}"), || {
                rendered(path.parent().expect("a directory"), form, expected.and_then(|it| it.stdout.as_deref()), None)
            }));
        }
    }
    cases
}

/// The archive of a case.
fn archive_of(root: &Path, case: &str) -> String {
    shared(root, &format!("oci/{case}.oci.tar.zst")).display().to_string()
}

/// A case of this record or of another one, since answers refer to other cases.
fn recorded_in(root: &Path) -> Vec<Recorded> {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    let [whole, sample] = records().map(|it| read(&it.join("oci/cases.jsonl")));
    let lines = read(&root.join("oci/cases.jsonl"));
    let all = [&lines, &whole, &sample];
    all.iter().flat_map(|it| it.lines()).map(|line| serde_json::from_str(line).expect("a recording")).collect()
}

fn check(root: &Path, recorded: &Recorded, all: &[Recorded]) -> Outcome {
    let archive = archive_of(root, &recorded.case);
    match DELIBERATE.iter().find(|it| it.0 == recorded.case).map(|it| &it.1) {
        None if recorded.exit == 0 => {
            rendered(root, &archive, recorded.stdout.as_deref(), recorded.stdout_sha256.as_deref())
        }
        None | Some(Ours::Refuses) => refused(root, &archive, recorded.stderr.as_deref().unwrap_or_default()),
        Some(Ours::As(other)) => match all.iter().find(|it| it.case == *other) {
            Some(it) => rendered(root, &archive, it.stdout.as_deref(), it.stdout_sha256.as_deref()),
            None => Outcome::NotRunnable(format!("the case {other} is absent")),
        },
        Some(Ours::Package(name)) => {
            let blob = format!("\"schema\": \"olm.package\",\n    \"name\": \"{name}\"");
            let answer =
                olmdex(root, &["render", "-q", "--platform", "linux/amd64", &archive]).expect("the program starts");
            let text = String::from_utf8_lossy(&answer.stdout);
            if answer.exit_code == 0 && text.matches("\"schema\"").count() == 1 && text.contains(&blob) {
                Outcome::Passed
            } else {
                Outcome::Failed(format!("exit code {}: {text}{}", answer.exit_code, answer.stderr))
            }
        }
    }
}

fn rendered(folder: &Path, archive: &str, stdout: Option<&str>, sha256: Option<&str>) -> Outcome {
    rendered_with(folder, &["--image-template", "REF", archive], stdout, sha256)
}

fn rendered_with(folder: &Path, more: &[&str], stdout: Option<&str>, sha256: Option<&str>) -> Outcome {
    let args = [&["render", "-q", "--platform", "linux/amd64"], more].concat();
    let answer = olmdex(folder, &args).expect("the program starts");
    if answer.exit_code != 0 {
        return Outcome::Failed(format!("exit code {}: {}", answer.exit_code, answer.stderr));
    }
    match (stdout, sha256) {
        (_, Some(sha256)) => {
            let found: String = Sha256::digest(&answer.stdout).iter().map(|byte| format!("{byte:02x}")).collect();
            Outcome::of_equal(&found, &sha256.to_owned())
        }
        (expected, None) => {
            let found = String::from_utf8_lossy(&answer.stdout).into_owned();
            Outcome::of_equal(&found, &expected.unwrap_or_default().to_owned())
        }
    }
}

fn refused(folder: &Path, archive: &str, why: &str) -> Outcome {
    let answer = olmdex(folder, &["render", "-q", "--platform", "linux/amd64", archive]).expect("the program starts");
    match (answer.exit_code, answer.stdout.is_empty()) {
        (1 | 3 | 5, true) => Outcome::Passed,
        (code, _) => Outcome::Failed(format!("expected a refusal, not exit code {code}: {why}")),
    }
}
