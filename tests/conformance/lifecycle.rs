//! `lifecycle/`: support and compatibility of versions by real lifecycle blobs, and the faults of blobs.

use std::path::Path;

use olmdex::calendar::Day;
use olmdex::json;
use olmdex::openshift::{Lifecycle, lifecycle_defects};
use serde::Deserialize;

use crate::inputs::shared;
use crate::outcome::{Case, Folder, Outcome};

pub(crate) const FOLDER: Folder = Folder { name: "lifecycle", run };

#[derive(Deserialize)]
struct Matching {
    package: String,
    version: String,
    date: String,
    openshift: String,
    support: serde_json::Value,
    compatibility: String,
}

#[derive(Deserialize)]
struct Validation {
    case: String,
    blob: serde_json::Value,
    findings: Vec<String>,
}

fn run(root: &Path) -> Vec<Case> {
    let folder = root.join("lifecycle");
    let lines = |name: &str| -> Vec<String> {
        let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    };
    let mut cases = Vec::new();
    let text = std::fs::read(shared(root, "lifecycle/real-lifecycles.yaml")).unwrap_or_default();
    let lifecycles = Lifecycle::read_all(&text).unwrap_or_default();
    for (number, line) in lines("matching.jsonl").into_iter().enumerate() {
        let id = format!("lifecycle/matching:{}", number + 1);
        cases.push(Case::run(id, || matching(&lifecycles, &line)));
    }
    for (number, line) in lines("validation.jsonl").into_iter().enumerate() {
        let Ok(recorded) = serde_json::from_str::<Validation>(&line) else {
            let id = format!("lifecycle/validation:{}", number + 1);
            cases.push(Case::run(id, || Outcome::NotRunnable("not a case".to_owned())));
            continue;
        };
        cases.push(Case::run(format!("lifecycle/validation/{}", recorded.case), || validation(&recorded)));
    }
    cases
}

fn matching(lifecycles: &[Lifecycle], line: &str) -> Outcome {
    let Ok(recorded) = serde_json::from_str::<Matching>(line) else {
        return Outcome::NotRunnable("not a case".to_owned());
    };
    let Some(day) = Day::parse(&recorded.date) else { return Outcome::NotRunnable("not a day".to_owned()) };
    let lifecycle = lifecycles.iter().find(|it| it.package == recorded.package).cloned().unwrap_or_default();
    let support = serde_json::to_value(lifecycle.support(&recorded.version, day)).unwrap_or_default();
    // The fact that extended support is an add-on comes from us.
    let mut support = support;
    support.as_object_mut().map(|it| it.remove("isAddOn"));
    let fit = lifecycle.fit(&recorded.version, &recorded.openshift).as_str().to_owned();
    Outcome::of_equal(&(support, fit), &(recorded.support, recorded.compatibility))
}

fn validation(recorded: &Validation) -> Outcome {
    let text = recorded.blob.to_string();
    let mut reader = json::Reader::new();
    let Ok(blob) = reader.read(&text) else { return Outcome::NotRunnable("not JSON".to_owned()) };
    let names =
        lifecycle_defects(blob).into_iter().map(|it| it.0.rule.name.trim_start_matches("lifecycle-").to_owned());
    let mut found: Vec<String> = names.collect();
    let mut expected = recorded.findings.clone();
    found.sort();
    expected.sort();
    Outcome::of_equal(&found, &expected)
}
