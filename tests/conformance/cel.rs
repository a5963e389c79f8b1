//! `cel/`: rules over properties, with their values or errors, and limits.

use std::fs;
use std::path::Path;

use olmdex::constraint::cel::{Rule, Value as CelValue, budget};
use serde_json::Value;

use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder = Folder { name: "cel/rules", run };

fn run(root: &Path) -> Vec<Case> {
    let read = |path: &Path| -> Option<Value> { serde_json::from_slice(&fs::read(path).ok()?).ok() };
    let mut cases = Vec::new();
    for (name, path) in entries(&root.join("cel"), "", ".json") {
        // The tables of versions are a folder of their own.
        if name.ends_with(".out.json") || name.starts_with("semver") {
            continue;
        }
        let (Some(Value::Array(asked)), Some(Value::Array(answers))) =
            (read(&path), read(&path.with_extension("out.json")))
        else {
            cases.push(Case::run(format!("cel/{name}"), || Outcome::NotRunnable("no answers".to_owned())));
            continue;
        };
        for (at, (asked, answer)) in asked.iter().zip(&answers).enumerate() {
            let id = format!("cel/{name}:{at} {}", asked["note"].as_str().unwrap_or_default());
            cases.push(Case::run(id, || rule(asked, answer)));
        }
    }
    cases
}

fn rule(asked: &Value, answer: &Value) -> Outcome {
    let text = asked["rule"].as_str().unwrap_or_default();
    let of = |list: &str| asked[list].as_array().cloned().unwrap_or_default();
    let kind = |it: &Value| it["type"].as_str().unwrap_or_default().to_owned();
    let mut properties: Vec<(String, String)> =
        of("properties").iter().map(|it| (kind(it), it["value"].to_string())).collect();
    let raw = |it: &Value| (kind(it), it["value"].as_str().unwrap_or_default().to_owned());
    properties.extend(of("rawProperties").iter().map(raw));
    let value = CelValue::properties(properties.iter().map(|(kind, value)| (kind.as_str(), value.as_str())));
    let fails = |key: &str| answer.get(key).is_some_and(Value::is_string);
    match Rule::compile(text) {
        Err(error) => {
            if fails("compileError") {
                Outcome::Passed
            } else {
                Outcome::Failed(format!("does not compile: {error}"))
            }
        }
        Ok(_) if fails("compileError") => Outcome::Failed(format!("compiles, but {}", answer["compileError"])),
        Ok(rule) => match rule.holds(&value, &budget(100_000_000)).expect("fuel enough") {
            Ok(holds) => {
                Outcome::of_equal(&Some(holds), &answer["predicate"].as_bool().filter(|_| !fails("evalError")))
            }
            Err(_) if fails("evalError") => Outcome::Passed,
            Err(error) => Outcome::Failed(format!("{error}, but {answer}")),
        },
    }
}
