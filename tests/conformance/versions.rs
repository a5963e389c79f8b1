//! `cel/semver*.out.json`: strict and tolerant readings of versions, with a few ranges and their members.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use olmdex::version::blang::Range;
use olmdex::version::{Version, VersionError};
use serde::Deserialize;

use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder = Folder { name: "cel/semver", run };

/// One text, under the name of the reading, with its result.
#[derive(Deserialize)]
struct Row {
    strict: Option<String>,
    tolerant: Option<String>,
    range: Option<String>,
    parsed: Option<String>,
    #[serde(rename = "in")]
    members: Option<BTreeMap<String, bool>>,
    error: Option<String>,
}

fn run(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, path) in entries(&root.join("cel"), "semver", ".out.json") {
        let rows = fs::read(&path)
            .map_err(|error| error.to_string())
            .and_then(|bytes| serde_json::from_slice::<Vec<Row>>(&bytes).map_err(|error| error.to_string()));
        match rows {
            Ok(rows) => cases.extend(rows.iter().enumerate().map(|(at, row)| case(&format!("cel/{name}:{at}"), row))),
            Err(error) => cases.push(Case::run(format!("cel/{name}"), || Outcome::NotRunnable(error))),
        }
    }
    cases
}

fn case(id: &str, row: &Row) -> Case {
    let text = |how, text: &str| format!("{id}:{how} {}", serde_json::Value::from(text));
    match row {
        Row { strict: Some(version), .. } => {
            Case::run(text("strict", version), || reading(row, Version::parse(version)))
        }
        Row { tolerant: Some(version), .. } => {
            Case::run(text("tolerant", version), || reading(row, Version::parse_tolerant(version)))
        }
        Row { range: Some(range), .. } => Case::run(text("range", range), || membership(row, range)),
        _ => Case::run(id, || Outcome::NotRunnable("an unknown kind of row".to_owned())),
    }
}

fn reading(row: &Row, actual: Result<Version, VersionError>) -> Outcome {
    let actual = actual.map(|version| version.to_string()).map_err(|error| error.to_string());
    match (&row.parsed, &row.error) {
        (Some(version), None) => Outcome::of_equal(&actual, &Ok(version.clone())),
        (None, Some(error)) => Outcome::of_equal(&actual, &Err(error.clone())),
        _ => Outcome::NotRunnable("neither a version nor an error".to_owned()),
    }
}

fn membership(row: &Row, range: &str) -> Outcome {
    let parsed = Range::parse(range).map_err(|error| error.to_string());
    let asked = match (&row.members, &row.error) {
        (_, Some(error)) => return Outcome::of_equal(&parsed.err().as_ref(), &Some(error)),
        (Some(members), None) => members,
        // A range that was read without a question about it.
        (None, None) => return Outcome::of_equal(&parsed.err(), &None),
    };
    let answer = parsed.and_then(|range| {
        asked
            .keys()
            .map(|text| {
                let version = Version::parse(text).map_err(|error| error.to_string())?;
                Ok((text.clone(), range.contains(&version).map_err(|error| error.to_string())?))
            })
            .collect()
    });
    Outcome::of_equal(&answer, &Ok(asked.clone()))
}
