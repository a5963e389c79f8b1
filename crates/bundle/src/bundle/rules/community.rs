//! Whether a bundle with APIs that Kubernetes 1.22 removed keeps away from OpenShift 4.9 (`docs/behaviour/authoring.md`
//! B.8).

use std::fs;
use std::io::Read as _;
use std::path::Path;

use super::options::Options;
use super::problem::{At, Problem};
use super::removed_apis::Removed;
use super::service_version::{Csv, KIND};
use super::table as rules;
use olmdex_base::diag::Rule;
use olmdex_text::json::{Kind, Reader};
use olmdex_version::Version;

const LABEL: &str = "com.redhat.openshift.versions";
const MAX_VERSION: &str = "olm.maxOpenShiftVersion";

/// No Dockerfile is larger.
const MAX_DOCKERFILE: u64 = 1 << 20;

/// Checks the bundle, if it has removed APIs.
pub(super) fn check(csv: &Csv<'_>, removed: &Removed, options: &Options) -> Vec<Problem> {
    if removed.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Problem> = max_version(csv).into_iter().collect();
    let Some(path) = &options.index_path else {
        // The real validator takes the errors so far for warnings as well, and forgets other warnings.
        found.retain(|problem| problem.rule == rules::OPENSHIFT_RANGE);
        let again = found.iter().map(|error| problem(rules::OPENSHIFT_UNKNOWN, error.at.clone(), &error.message, ""));
        let repeated: Vec<Problem> = again.map(Problem::tool_only).collect();
        let message =
            "the OpenShift versions of the bundle are unknown, and it has APIs that OpenShift 4.9 does not serve";
        let help = "name the Dockerfile with `--optional-values index-path=FILE`, or move to served APIs";
        found.push(problem(rules::OPENSHIFT_UNKNOWN, removed.at(), message, help));
        found.extend(repeated);
        return found;
    };
    found.extend(dockerfile(path, removed.at()));
    found
}

fn problem(rule: &'static Rule, at: At, message: impl Into<String>, help: impl Into<String>) -> Problem {
    Problem::new(rule, at, message, help).reported_as(KIND)
}

/// Whether the annotation keeps clusters with the bundle from reaching 4.9.
fn max_version(csv: &Csv<'_>) -> Option<Problem> {
    let key = "olm.properties";
    let at = csv.at_annotation(key);
    let error = |message: &str| {
        let help = "set `olm.maxOpenShiftVersion` to `4.8` among the properties, or move to served APIs";
        Some(problem(rules::OPENSHIFT_RANGE, at.clone(), message, help))
    };
    let text = csv.annotation(key).unwrap_or_default();
    if text.is_empty() {
        return error("the bundle has APIs that OpenShift 4.9 does not serve, but does not keep clusters below 4.9");
    }
    let Some(value) = listed_max_version(&text) else {
        return error("the annotation `olm.properties` is not a list of properties with string values");
    };
    let Some(value) = value else {
        return error("the annotation `olm.properties` has no `olm.maxOpenShiftVersion`");
    };
    let Ok(version) = Version::parse_tolerant(&value) else {
        return error(&format!("`olm.maxOpenShiftVersion` is not a version: `{value}`"));
    };
    let cut = Version::new(version.major(), version.minor(), 0);
    if version.cmp_precedence(&cut).is_ne() {
        let message = format!("`olm.maxOpenShiftVersion` is `{value}`, but only major and minor count");
        let help = format!("write `{}.{}`", version.major(), version.minor());
        return Some(problem(rules::OPENSHIFT_UNKNOWN, at, message, help));
    }
    if version.cmp_precedence(&Version::new(4, 9, 0)).is_ge() {
        return error(&format!("`olm.maxOpenShiftVersion` is `{value}`, but 4.9 does not serve the bundle's APIs"));
    }
    None
}

/// The value of the property, if the text is a list of properties whose values are texts.
fn listed_max_version(text: &str) -> Option<Option<String>> {
    let mut reader = Reader::new();
    let list = reader.read(text).ok().filter(|it| matches!(it.kind(), Kind::Array | Kind::Null))?;
    let mut found = None;
    for item in list.items() {
        let word = |key: &str| match item.get_field(key) {
            None => Some(String::new()),
            Some(value) if value.is_null() => Some(String::new()),
            Some(value) => value.as_str().map(|it| it.into_owned()),
        };
        if !matches!(item.kind(), Kind::Object | Kind::Null) {
            return None;
        }
        let (kind, value) = (word("type")?, word("value")?);
        if kind == MAX_VERSION && found.is_none() {
            found = Some(value);
        }
    }
    Some(found)
}

/// Whether the label of the Dockerfile ends below 4.9.
fn dockerfile(path: &Path, at: At) -> Option<Problem> {
    let shown = path.display();
    let error = |message: String| {
        let help = format!("set `LABEL {LABEL}=\"v4.6-v4.8\"`, or move to served APIs");
        Some(problem(rules::OPENSHIFT_RANGE, at.clone(), message, help))
    };
    let text = match read(path) {
        Ok(text) => text,
        Err(why) => return error(format!("index-path names `{shown}`, which {why}")),
    };
    let Some(line) = text.split('\n').find(|line| line.contains(LABEL)) else {
        return error(format!("`{shown}` has no label `{LABEL}`, so the bundle goes to every OpenShift version"));
    };
    let parts: Vec<&str> = line.split('=').collect();
    let without_value = || error(format!("the label in `{shown}` has no value"));
    let Some(range) = parts.get(1) else { return without_value() };
    let clean = |text: &str| text.replace(['\'', '"', 'v'], "");
    let too_high = |text: &str| match Version::parse_tolerant(text) {
        Err(_) => error(format!("the label in `{shown}` has no version: `{text}`")),
        Ok(version) if version.cmp_precedence(&Version::new(4, 9, 0)).is_ge() => {
            error(format!("the label in `{shown}` includes {text}, but 4.9 does not serve the bundle's APIs"))
        }
        Ok(_) => None,
    };
    if let Some(exact) = parts.get(2).filter(|exact| !exact.is_empty()) {
        return too_high(&clean(exact));
    }
    let range = clean(range);
    if range.len() <= 1 {
        return without_value();
    }
    match range.split('-').nth(1) {
        Some(end) => too_high(end),
        None => error(format!("the label in `{shown}` has no upper bound: `{range}`")),
    }
}

/// Reads a Dockerfile. The error says what is wrong with it.
fn read(path: &Path) -> Result<String, &'static str> {
    let absent = |_| "does not exist";
    // Opening a pipe would wait for a writer.
    if !fs::metadata(path).map_err(absent)?.is_file() {
        return Err("is not a file");
    }
    let mut text = Vec::new();
    fs::File::open(path).and_then(|file| file.take(MAX_DOCKERFILE).read_to_end(&mut text)).map_err(absent)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
