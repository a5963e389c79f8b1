//! `authoring/templates` and `fbc/09-templates`: templates with opm's rendering of them from real images.
//!
//! Images are given as the directories that they were built from. A refusal must be a refusal; our words are our own.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::bundles::unpacked;
use crate::command::{Answer, olmdex};
use crate::inputs::{shared, shared_in_area};
use crate::observed::{self, Exchange};
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const AUTHORING: Folder =
    Folder { name: "authoring/templates", run: |root| unpacked(root, "templates", authoring) };
pub(crate) const COMMANDS: Folder = Folder { name: "fbc/09-templates", run: commands };

#[derive(Deserialize)]
struct Expected {
    #[serde(rename = "type")]
    kind: String,
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    args: Vec<String>,
    exit: i32,
    sha256: String,
    #[serde(default)]
    stderr: String,
}

fn authoring(folder: &Path, area: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in ["community", "hand"] {
        let bundle_of = |directory: &str| {
            shared_in_area(folder, area, &format!("{kind}/bundles/{directory}")).display().to_string()
        };
        for (name, path) in entries(&folder.join(kind).join("cases"), "", "") {
            let own = path.join("images.json");
            let table = if own.is_file() { own } else { shared_in_area(folder, area, &format!("{kind}/images.json")) };
            let Ok(text) = fs::read_to_string(path.join("expected.json")) else { continue };
            let expected: Expected = serde_json::from_str(&text).expect("a recording");
            let images: Map<String, Value> =
                serde_json::from_str(&fs::read_to_string(&table).expect("a table of images")).expect("an object");
            let given: Vec<String> = images
                .iter()
                .filter_map(|(image, directory)| Some(format!("--bundle={image}={}", bundle_of(directory.as_str()?))))
                .collect();
            for run in &expected.runs {
                let id = format!("authoring/{area}/{kind}/{name} {}", run.args.join(" "));
                cases.push(Case::run(id, || check(&path, &expected.kind, &given, run)));
            }
        }
    }
    cases
}

fn check(case: &Path, kind: &str, given: &[String], run: &Run) -> Outcome {
    let mut words = vec!["template", "render", kind, "template.yaml"];
    words.extend(given.iter().chain(&run.args).map(String::as_str));
    let answer = olmdex(case, &words).expect("the program starts");
    if run.exit != 0 {
        return refused(&answer, &run.stderr);
    }
    if answer.exit_code != 0 {
        return Outcome::Failed(format!("exit code {}: {}", answer.exit_code, answer.stderr));
    }
    let found: String = Sha256::digest(&answer.stdout).iter().map(|byte| format!("{byte:02x}")).collect();
    Outcome::of_equal(&found, &run.sha256)
}

fn refused(answer: &Answer, expected: &str) -> Outcome {
    if answer.exit_code != 0 && answer.exit_code != 70 && answer.stdout.is_empty() {
        return Outcome::Passed;
    }
    Outcome::Failed(format!("expected a refusal: {expected}\ngot exit code {}: {}", answer.exit_code, answer.stderr))
}

/// Recorded commands, whose images are in directories with their labels.
fn commands(root: &Path) -> Vec<Case> {
    let folder = root.join("fbc/09-templates");
    let mut given = Vec::new();
    for (_, path) in entries(&shared(root, "fbc/09-templates/images"), "", "") {
        let Ok(text) = fs::read_to_string(path.join("image.json")) else { continue };
        let image: Value = serde_json::from_str(&text).expect("an image");
        let text = |key: &str| image[key].as_str().unwrap_or_default().to_owned();
        // An image that is not a bundle by its labels is not one by its directory either.
        let root = path.join("root");
        let reference = format!("localhost:5055/{}:{}", text("name"), text("tag"));
        given.push(format!("--bundle={reference}={}", if root.is_dir() { root } else { path }.display()));
    }
    let mut cases = Vec::new();
    for (name, path) in entries(&folder, "", "") {
        let Ok(text) = fs::read_to_string(path.join("observed.txt")) else { continue };
        let id = format!("fbc/09-templates/{name}");
        match observed::parse(&text) {
            Ok(exchanges) => {
                for exchange in exchanges {
                    let id = format!("{id} {}", exchange.command);
                    cases.push(Case::run(id, || command(&path, &given, &exchange)));
                }
            }
            Err(error) => cases.push(Case::run(id, || Outcome::NotRunnable(error))),
        }
    }
    cases
}

fn command(case: &Path, given: &[String], exchange: &Exchange) -> Outcome {
    let words: Vec<&str> = exchange.command.split_whitespace().filter(|it| *it != "--use-http").collect();
    let mut arguments: Vec<&str> = match words.as_slice() {
        ["opm", "alpha", "render-template", rest @ ..] => [&["template", "render"], rest].concat(),
        ["opm", "alpha", "convert-template", rest @ ..] => [&["template", "convert"], rest].concat(),
        _ => return Outcome::NotRunnable(format!("no such command: {}", exchange.command)),
    };
    if arguments[1] == "render" {
        arguments.extend(given.iter().map(String::as_str));
    }
    let answer = olmdex(case, &arguments).expect("the program starts");
    if exchange.exit_code != 0 {
        return refused(&answer, &exchange.stderr);
    }
    if answer.exit_code != 0 {
        return Outcome::Failed(format!("exit code {}: {}", answer.exit_code, answer.stderr));
    }
    // The recording does not show whether the last line had an end, and leaves out blank lines.
    let found = String::from_utf8_lossy(&answer.stdout).into_owned();
    Outcome::of_equal(&found.trim_end(), &exchange.stdout.trim_end())
}
