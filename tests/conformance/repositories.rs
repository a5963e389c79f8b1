//! `authoring/static-checks`: repositories of one operator with the findings of the pipelines' checks.
//!
//! Checks, levels and graphs must be equal, and so must the words, unless the real ones depend on chance, as they do
//! for sets and for the edge that closes a loop. If a real check crashes, ours refuses.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::bundles::unpacked;
use crate::command::olmdex;
use crate::outcome::{Case, Folder, Outcome};

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
    let mut checks: Vec<&String> = expected.keys().chain(found.keys()).collect();
    checks.sort();
    checks.dedup();
    for check in checks {
        let (wanted, given) = (verdicts(check, expected.get(check)), verdicts(check, found.get(check)));
        if wanted != given {
            differences.push(format!("{what} {check}: expected {wanted:?}\n     got {given:?}"));
        }
    }
}

/// Levels with words, sorted.
fn verdicts(check: &str, value: Option<&Value>) -> Vec<String> {
    let mut all: Vec<String> = match value {
        None => Vec::new(),
        // The real check crashed.
        Some(Value::String(_)) => vec!["Fail EXC IndexError".to_owned()],
        Some(value) => {
            let pair = |it: &Value| {
                let level = it[0].as_str().unwrap_or_default();
                // Chance decides which edge closes a loop, and which of several wrong names comes first.
                let is_chance = check == "check_upgrade_graph_loop";
                let text = if is_chance { "" } else { it[1].as_str().unwrap_or_default() };
                format!("{level} {}", without_order(text))
            };
            value.as_array().into_iter().flatten().map(pair).collect()
        }
    };
    all.sort();
    all
}

/// A text in which the items of a set are sorted.
fn without_order(text: &str) -> String {
    let (Some(start), Some(end)) = (text.find('{'), text.rfind('}')) else { return text.to_owned() };
    if start > end {
        return text.to_owned();
    }
    let mut items: Vec<&str> = text[start + 1..end].split(", ").collect();
    items.sort_unstable();
    format!("{}{{{}}}{}", &text[..start], items.join(", "), &text[end + 1..])
}
