//! `fbc/03-validate/skiprange-*`: the ranges that catalogs may have in `skipRange`.
//!
//! Tables (`skiprange-*.observed.txt`) give, per line, a range and the versions of a fixed list that are in it, or the
//! error, or the crash. Folders (`skiprange-*/`) are catalogs with the findings of `validate`; only the ranges in them
//! are judged here.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use olmdex::version::Version;
use olmdex::version::blang::Range;
use serde_json::{Deserializer, Value};

use crate::observed;
use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder = Folder { name: "fbc/03-validate/skiprange", run };

fn run(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, path) in entries(&root.join("fbc/03-validate"), "skiprange-", "") {
        let id = format!("fbc/03-validate/{name}");
        if path.is_dir() {
            cases.push(Case::run(format!("{id}#ranges"), || catalog(&path)));
        } else if name.ends_with(".observed.txt") {
            match fs::read_to_string(&path) {
                Ok(text) => cases.extend(table(&id, &text)),
                Err(error) => cases.push(Case::run(id, || Outcome::NotRunnable(error.to_string()))),
            }
        }
    }
    cases
}

/// The content of the table for one range.
enum Recorded<'a> {
    Members(BTreeSet<&'a str>),
    Error(&'a str),
    Panic,
}

fn table(id: &str, text: &str) -> Vec<Case> {
    let rows: Vec<(&str, Option<(String, Recorded<'_>)>)> = text.lines().map(|line| (line, row(line))).collect();
    // The table lists only members, so the tested versions are those that any line lists.
    let versions: BTreeSet<&str> = rows
        .iter()
        .filter_map(|(_, row)| match row {
            Some((_, Recorded::Members(members))) => Some(members),
            _ => None,
        })
        .flatten()
        .copied()
        .collect();
    let cases = rows.iter().map(|(line, row)| match row {
        Some((range, recorded)) => {
            Case::run(format!("{id}:{}", Value::from(range.as_str())), || judge(range, recorded, &versions))
        }
        None => Case::run(format!("{id}:{line}"), || Outcome::NotRunnable("an unknown kind of line".to_owned())),
    });
    cases.collect()
}

/// `"range": version…`, `"range" ERR message`, or `"range":"range" PANIC message`.
fn row(line: &str) -> Option<(String, Recorded<'_>)> {
    let mut quoted = Deserializer::from_str(line).into_iter::<String>();
    let range = quoted.next()?.ok()?;
    let rest = line.get(quoted.byte_offset()..)?;
    let recorded = if let Some(message) = rest.strip_prefix(" ERR ") {
        Recorded::Error(message)
    } else if rest.contains(" PANIC ") {
        Recorded::Panic
    } else {
        let members: BTreeSet<&str> = rest.strip_prefix(':')?.split_whitespace().collect();
        if members.iter().any(|member| Version::parse(member).is_err()) {
            return None;
        }
        Recorded::Members(members)
    };
    Some((range, recorded))
}

fn judge(range: &str, recorded: &Recorded<'_>, versions: &BTreeSet<&str>) -> Outcome {
    let parsed = Range::parse(range).map_err(|error| error.to_string());
    let members = |range: &Range| -> Result<BTreeSet<String>, String> {
        let mut members = BTreeSet::new();
        for text in versions {
            let version = Version::parse(text).map_err(|error| error.to_string())?;
            if range.contains(&version).map_err(|error| error.to_string())? {
                members.insert((*text).to_owned());
            }
        }
        Ok(members)
    };
    match recorded {
        Recorded::Members(expected) => {
            let expected = Ok(expected.iter().map(|&member| member.to_owned()).collect());
            Outcome::of_equal(&parsed.and_then(|range| members(&range)), &expected)
        }
        Recorded::Error(message) => Outcome::of_equal(&parsed.err().as_deref(), &Some(*message)),
        Recorded::Panic => match parsed.map(|range| members(&range)) {
            Ok(Err(_)) => Outcome::Passed,
            other => Outcome::Failed(format!("expected an evaluation error, got {other:?}")),
        },
    }
}

/// Our findings must name every range of the catalog that does not parse, and no other.
fn catalog(case: &Path) -> Outcome {
    let recorded = fs::read_to_string(case.join("observed.txt"))
        .map_err(|error| error.to_string())
        .and_then(|text| observed::parse(&text));
    let exchanges = match recorded {
        Ok(exchanges) => exchanges,
        Err(error) => return Outcome::NotRunnable(error),
    };
    let Some(answer) = exchanges
        .iter()
        .filter(|exchange| exchange.command.ends_with("-o json"))
        .find_map(|exchange| serde_json::from_str::<Value>(&exchange.stdout).ok())
    else {
        return Outcome::NotRunnable("no JSON verdict".to_owned());
    };
    let message = answer.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
    let complaints: BTreeSet<String> =
        message.lines().filter_map(|line| Some(line.split_once("invalid skipRange ")?.1.to_owned())).collect();

    let Ok(text) = fs::read_to_string(case.join("in/catalog.json")) else {
        return Outcome::NotRunnable("no catalog.json".to_owned());
    };
    let mut ours = BTreeSet::new();
    for document in Deserializer::from_str(&text).into_iter::<Value>() {
        let Ok(document) = document else { return Outcome::NotRunnable("catalog.json is not JSON".to_owned()) };
        for entry in document.get("entries").and_then(Value::as_array).into_iter().flatten() {
            let range = entry.get("skipRange").and_then(Value::as_str).unwrap_or_default();
            if let Some(error) = Range::parse(range).err().filter(|_| !range.is_empty()) {
                ours.insert(format!("{}: {error}", Value::from(range)));
            }
        }
    }
    Outcome::of_equal(&ours, &complaints)
}
