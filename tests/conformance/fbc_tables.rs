//! `fbc/03-validate/*.observed.txt`: many one-line cases of image references and package names.

use std::fs;
use std::path::Path;

use crate::command::olmdex;
use crate::outcome::{Case, Folder, Outcome};

pub(crate) const FOLDER: Folder = Folder { name: "fbc/03-validate/tables", run };

fn run(root: &Path) -> Vec<Case> {
    let directory = root.join("fbc/03-validate");
    let read = |name: &str| fs::read_to_string(directory.join(name)).unwrap_or_default();
    let images = read("image-refs.observed.txt");
    let names = read("pkgname.observed.txt");
    let images = images.lines().map(|line| Case::run(format!("fbc/03-validate/image-refs {line}"), || image(line)));
    let names = names.lines().map(|line| Case::run(format!("fbc/03-validate/pkgname {line}"), || package_name(line)));
    images.chain(names).collect()
}

/// `'reference' length => PASSED` or the reason.
fn image(line: &str) -> Outcome {
    let parsed = line.rsplit_once(" => ").and_then(|(left, verdict)| {
        let (quoted, len) = left.rsplit_once(' ')?;
        let text = unquote(quoted)?;
        // The table cuts long references; those cannot be run.
        (text.chars().count() == len.parse::<usize>().ok()?).then_some((text, verdict))
    });
    let Some((text, verdict)) = parsed else { return Outcome::NotRunnable(format!("cannot read the line {line:?}")) };
    let found = match olmdex::check::check_image(&text) {
        Ok(()) => "PASSED".to_owned(),
        Err(error) => error.to_string(),
    };
    Outcome::of_equal(&found.as_str(), &verdict)
}

/// A Python literal.
fn unquote(quoted: &str) -> Option<String> {
    let inner = quoted.strip_prefix('\'')?.strip_suffix('\'')?;
    Some(inner.replace("\\n", "\n").replace("\\t", "\t"))
}

/// `'name' message`, where `|` stands for a line end. An accepted name fails later, since there are no entries.
fn package_name(line: &str) -> Outcome {
    let Some((name, expected)) = line.strip_prefix('\'').and_then(|it| it.split_once("' ")) else {
        return Outcome::NotRunnable(format!("cannot read the line {line:?}"));
    };
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let blobs = [
        serde_json::json!({"schema": "olm.package", "name": name, "defaultChannel": "stable"}),
        serde_json::json!({"schema": "olm.channel", "package": name, "name": "stable", "entries": []}),
    ];
    fs::write(scratch.path().join("a.json"), format!("{}\n{}\n", blobs[0], blobs[1])).expect("a catalog");
    let answer = olmdex(scratch.path(), &["validate", "--compat", "opm", "."]).expect("the program starts");
    // The table cuts long messages.
    let found = answer.stderr.trim_end().replace('\n', "|");
    if !expected.is_empty() && found.starts_with(expected) {
        Outcome::Passed
    } else {
        Outcome::of_equal(&found.as_str(), &expected)
    }
}
