//! `authoring/static-checks`: repositories of one operator with the findings of the pipelines' checks.
//!
//! Graphs must be equal, and for each version and check, levels and the names in texts are compared as
//! [`crate::verdicts`] says. A finding about a required field names that field on both sides. Chance decides which edge
//! closes a loop, so texts about loops are not compared. If a real check crashes, ours refuses.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::bundles::unpacked;
use crate::command::olmdex;
use crate::outcome::{Case, Folder, Outcome};
use crate::verdicts::{self, Verdict};

pub(crate) const FOLDER: Folder =
    Folder { name: "authoring/static-checks", run: |root| unpacked(root, "static-checks", cases) };

#[derive(Deserialize)]
struct Recorded {
    #[serde(default)]
    id: String,
    operator: String,
    bundles: BTreeMap<String, BTreeMap<String, Value>>,
    operator_checks: BTreeMap<String, Value>,
    update_graph: BTreeMap<String, Value>,
    heads: BTreeMap<String, String>,
    default_channel: Option<String>,
}

fn cases(folder: &Path, area: &str) -> Vec<Case> {
    let text = fs::read_to_string(folder.join("expected.jsonl")).expect("a recording");
    let case = |line: &str| {
        let recorded: Recorded = serde_json::from_str(line).expect("a recording");
        Case::run(format!("authoring/{area}/{}", recorded.id), || check(&folder.join("repos"), &recorded))
    };
    text.lines().map(case).collect()
}

fn check(repositories: &Path, recorded: &Recorded) -> Outcome {
    let words = ["repo", "check", &recorded.id, "--compat", "operator-pipelines"];
    let answer = olmdex(repositories, &words).expect("the program starts");
    let Ok(found) = serde_json::from_slice::<Recorded>(&answer.stdout) else {
        return Outcome::Failed(format!("no answer: {}", answer.stderr));
    };
    let mut differences = Vec::new();
    if found.operator != recorded.operator {
        differences.push(format!("operator {}", found.operator));
    }
    if found.bundles.keys().ne(recorded.bundles.keys()) {
        differences.push(format!("bundles {:?}", found.bundles.keys()));
    }
    for (version, expected) in &recorded.bundles {
        let none = BTreeMap::new();
        compare(version, expected, found.bundles.get(version).unwrap_or(&none), &mut differences);
    }
    compare("operator", &recorded.operator_checks, &found.operator_checks, &mut differences);
    if sorted(&found.update_graph) != sorted(&recorded.update_graph) {
        differences.push(format!("graph: expected {:?}\n     got {:?}", recorded.update_graph, found.update_graph));
    }
    if found.heads != recorded.heads {
        differences.push(format!("heads: expected {:?}, got {:?}", recorded.heads, found.heads));
    }
    if found.default_channel != recorded.default_channel {
        differences.push(format!("default: expected {:?}, got {:?}", recorded.default_channel, found.default_channel));
    }
    if differences.is_empty() { Outcome::Passed } else { Outcome::Failed(differences.join("\n")) }
}

/// Edges without their order; an operator without edges, or with a crash, is left out.
fn sorted(graph: &BTreeMap<String, Value>) -> BTreeMap<&String, BTreeMap<String, Vec<String>>> {
    let mut sorted = BTreeMap::new();
    for (channel, edges) in graph {
        let Ok(mut edges) = serde_json::from_value::<BTreeMap<String, Vec<String>>>(edges.clone()) else { continue };
        edges.values_mut().for_each(|it| it.sort());
        sorted.insert(channel, edges);
    }
    sorted.retain(|_, edges| !edges.is_empty());
    sorted
}

fn compare(
    what: &str,
    expected: &BTreeMap<String, Value>,
    found: &BTreeMap<String, Value>,
    differences: &mut Vec<String>,
) {
    let (wanted, given) = (verdicts(expected), verdicts(found));
    let of_checks = verdicts::differences(&given, &wanted, "");
    differences.extend(of_checks.into_iter().map(|difference| format!("{what}: {difference}")));
}

/// The findings of all checks.
fn verdicts(checks: &BTreeMap<String, Value>) -> Vec<Verdict> {
    let mut all = Vec::new();
    for (check, value) in checks {
        // The real check crashed.
        if value.is_string() {
            all.push(Verdict::new(format!("Fail {check} "), ""));
        }
        for item in value.as_array().into_iter().flatten() {
            let text = if check == "check_upgrade_graph_loop" { "" } else { item[1].as_str().unwrap_or_default() };
            let level = item[0].as_str().unwrap_or_default();
            let field = if check == "check_required_fields" { field(text) } else { "" };
            all.push(Verdict::new(format!("{level} {check} {field}"), text));
        }
    }
    all
}

/// The field that a text is about: in our words the first in quotes, in those of the pipelines the last word.
fn field(text: &str) -> &str {
    text.split('`').nth(1).or_else(|| text.split(' ').next_back()).unwrap_or_default()
}
