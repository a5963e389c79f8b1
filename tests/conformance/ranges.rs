//! `ranges/*.json`: whether a version matches, the messages about refused ranges, the crashes of the real library, and
//! the ranges that the API server accepts.

use std::fs;
use std::path::Path;

use olmdex::version::Version;
use olmdex::version::blang::Range;
use olmdex::version::masterminds::{Constraint, api_server_admits};
use serde::Deserialize;

use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder = Folder { name: "ranges", run };

/// A row of any of the tables; its fields depend on the table.
#[derive(Deserialize)]
struct Row {
    range: String,
    version: Option<String>,
    matches: Option<bool>,
    error: Option<String>,
    panic: Option<String>,
    admitted: Option<bool>,
    parses: Option<bool>,
}

fn run(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, path) in entries(&root.join("ranges"), "", ".json") {
        let check = match name.as_str() {
            name if name.starts_with("blang") => blang,
            name if name.starts_with("masterminds") => masterminds,
            name if name.starts_with("spec-version-admission") => admission,
            _ => |_: &Row| Outcome::NotRunnable("an unknown kind of table".to_owned()),
        };
        let rows = fs::read(&path)
            .map_err(|error| error.to_string())
            .and_then(|bytes| serde_json::from_slice::<Vec<Row>>(&bytes).map_err(|error| error.to_string()));
        match rows {
            Ok(rows) => cases.extend(rows.iter().map(|row| Case::run(id(&name, row), || check(row)))),
            Err(error) => cases.push(Case::run(format!("ranges/{name}"), || Outcome::NotRunnable(error))),
        }
    }
    cases
}

/// The range is quoted as in JSON, so that the id has no line ends.
fn id(file: &str, row: &Row) -> String {
    let range = serde_json::Value::from(row.range.as_str());
    let version = row.version.as_deref().map(|version| format!("@{version}")).unwrap_or_default();
    format!("ranges/{file}:{range}{version}")
}

fn blang(row: &Row) -> Outcome {
    let answer = |version: &str| -> Result<bool, String> {
        let range = Range::parse(&row.range).map_err(|error| error.to_string())?;
        let version = Version::parse(version).map_err(|error| error.to_string())?;
        range.contains(&version).map_err(|error| error.to_string())
    };
    if row.panic.is_some() {
        // The range must be accepted, and its evaluation must fail with an error.
        return match (Range::parse(&row.range), row.version.as_deref().map(answer)) {
            (Ok(_), Some(Err(_))) => Outcome::Passed,
            (parsed, answer) => Outcome::Failed(format!("expected an evaluation error, got {parsed:?}, {answer:?}")),
        };
    }
    compare(row, answer, Range::parse(&row.range).err().map(|error| error.to_string()))
}

fn masterminds(row: &Row) -> Outcome {
    let answer = |version: &str| -> Result<bool, String> {
        let constraint = Constraint::parse(&row.range).map_err(|error| error.to_string())?;
        let version = Version::parse(version).map_err(|error| error.to_string())?;
        Ok(constraint.matches(&version))
    };
    compare(row, answer, Constraint::parse(&row.range).err().map(|error| error.to_string()))
}

fn compare(row: &Row, answer: impl Fn(&str) -> Result<bool, String>, refusal: Option<String>) -> Outcome {
    match (&row.version, row.matches, &row.error) {
        (Some(version), Some(matches), None) => Outcome::of_equal(&answer(version), &Ok(matches)),
        (None, None, Some(_)) => Outcome::of_equal(&refusal, &row.error),
        _ => Outcome::NotRunnable("neither an answer nor an error".to_owned()),
    }
}

fn admission(row: &Row) -> Outcome {
    let actual = (api_server_admits(&row.range), Constraint::parse(&row.range).is_ok());
    match (row.admitted, row.parses) {
        (Some(admitted), Some(parses)) => Outcome::of_equal(&actual, &(admitted, parses)),
        (Some(admitted), None) => Outcome::of_equal(&actual.0, &admitted),
        _ => Outcome::NotRunnable("no verdict".to_owned()),
    }
}
