//! `authoring/template-edits`: templates before and after the pipelines have added a bundle.
//!
//! Values must be equal; and, more than the pipelines do, every old line must stay.

use std::fs;
use std::path::Path;

use olmdex::json::{Reader, write_compact};
use olmdex::yaml;
use serde::Deserialize;

use crate::bundles::unpacked;
use crate::command::olmdex;
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder =
    Folder { name: "authoring/template-edits", run: |root| unpacked(root, "template-edits", cases) };

#[derive(Deserialize)]
struct Recorded {
    #[serde(rename = "type")]
    kind: String,
    package: String,
    release_config: serde_json::Value,
    image: String,
    bundle: String,
    #[serde(default = "yes")]
    ok: bool,
}

fn yes() -> bool {
    true
}

fn cases(folder: &Path, area: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, path) in entries(folder, "", "") {
        let Ok(text) = fs::read_to_string(path.join("case.json")) else { continue };
        let recorded: Recorded = serde_json::from_str(&text).expect("a recording");
        cases.push(Case::run(format!("authoring/{area}/{name}"), || check(&path, &recorded)));
    }
    cases
}

fn check(case: &Path, recorded: &Recorded) -> Outcome {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let operator = scratch.path().join("operators").join(&recorded.package);
    let template = recorded.release_config["template_name"].as_str().unwrap_or_default().to_owned();
    let write = |relative: &str, text: &str| {
        let path = operator.join(relative);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    };
    // JSON is YAML.
    let mapping = serde_json::json!({"template_name": template, "type": recorded.kind, "catalog_names": ["v4.20"]});
    write("ci.yaml", &serde_json::json!({"fbc": {"enabled": true, "catalog_mapping": [mapping]}}).to_string());
    write("1/release-config.yaml", &serde_json::json!({"catalog_templates": [recorded.release_config]}).to_string());
    write("1/metadata/annotations.yaml", "annotations: {}\n");
    let csv = serde_json::json!({"kind": "ClusterServiceVersion", "metadata": {"name": recorded.bundle}});
    write("1/manifests/x.clusterserviceversion.yaml", &csv.to_string());
    let before = fs::read_to_string(case.join("before.yaml")).ok();
    if let Some(before) = &before {
        write(&format!("catalog-templates/{template}"), before);
    }
    let bundle = operator.join("1").display().to_string();
    let words = ["release", &bundle, "--image", &recorded.image, "--templates-only"];
    let answer = olmdex(scratch.path(), &words).expect("the program starts");
    if (answer.exit_code == 0) != recorded.ok {
        return Outcome::Failed(format!("exit code {}: {}", answer.exit_code, answer.stderr));
    }
    if !recorded.ok {
        return Outcome::Passed;
    }
    let found = fs::read_to_string(operator.join("catalog-templates").join(&template)).unwrap_or_default();
    let expected = fs::read_to_string(case.join("after.yaml")).expect("an answer");
    let (found_value, expected_value) = (value(&found), value(&expected));
    if found_value.is_none() || found_value != expected_value {
        return Outcome::Failed(format!("expected {expected_value:?}\n     got {found_value:?}"));
    }
    let mut rest = found.lines();
    // A list or object in brackets is changed in its line.
    let may_change = |line: &str| line.contains(['[', '{']) || line.trim().is_empty();
    match before.iter().flat_map(|it| it.lines()).find(|line| !may_change(line) && !rest.any(|it| it == *line)) {
        Some(line) => Outcome::Failed(format!("the line {line:?} was changed\n{}", answer.stderr)),
        None => Outcome::Passed,
    }
}

/// The value of the one document of a text, with sorted keys.
fn value(text: &str) -> Option<String> {
    for chunk in yaml::split(text.as_bytes(), 1) {
        let mut json = Vec::new();
        if yaml::to_json(&chunk.ok()?.text, &mut json).ok()? == yaml::Document::Null {
            continue;
        }
        let json = String::from_utf8(json).ok()?;
        let (mut reader, mut out) = (Reader::new(), Vec::new());
        write_compact(reader.read(&json).ok()?, &mut out);
        return String::from_utf8(out).ok();
    }
    None
}
