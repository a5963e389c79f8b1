//! Findings as SARIF 2.1.0, which code-scanning services take, with all that GitHub asks for: help, regions with an
//! end, fingerprints, paths relative to the directory in which the program ran.

use serde::Serialize;

use super::fingerprint::fingerprints;
use super::region::end_column;
use super::{Finding, Place, Rule, Severity};
use olmdex_text::encoding::percent::{IN_REFERENCE, encoded};

/// A source that could not be opened. It is a result too, since an empty log looks like a clean catalog.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The source, as the user named it.
    pub source: String,
    /// Why.
    pub message: String,
    /// The rule that the result is of.
    pub rule: &'static Rule,
    /// The code with which the program ends.
    pub exit_code: u8,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<ResultObject<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<u8>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: OwnedText,
    locations: Vec<Location>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: Vec<Descriptor<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor<'a> {
    id: &'a str,
    name: &'a str,
    short_description: Text<'a>,
    full_description: Text<'a>,
    help: OwnedText,
    help_uri: String,
    default_configuration: Configuration,
    properties: Properties,
}

#[derive(Serialize)]
struct Properties {
    tags: [&'static str; 1],
    precision: &'static str,
    #[serde(rename = "problem.severity")]
    problem_severity: &'static str,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultObject<'a> {
    rule_id: &'a str,
    rule_index: usize,
    level: &'static str,
    message: OwnedText,
    locations: Vec<Location>,
    partial_fingerprints: Fingerprints,
}

#[derive(Serialize)]
struct Fingerprints {
    /// Changes when the way it is made does.
    #[serde(rename = "ruleAndSubject/v2")]
    rule_and_subject: String,
}

#[derive(Serialize)]
struct OwnedText {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

impl Location {
    fn of(place: &Place) -> Self {
        let (line, column) = (place.line.max(1), place.column.max(1));
        let region = Region {
            start_line: line,
            start_column: column,
            end_line: line,
            end_column: end_column(place).map(|it| it.max(column + 1)),
        };
        let artifact_location = ArtifactLocation { uri: uri(&place.file) };
        Self { physical_location: PhysicalLocation { artifact_location, region } }
    }
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    /// The first column behind it. Without it, a region goes to the end of its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
}

/// The whole log as one line of JSON-serialisable data. `rules` are all rules that were applied, `failures` the sources
/// that could not be opened.
pub fn log<'a>(
    findings: &'a [Finding],
    failures: &'a [Failure],
    rules: &'a [&'static Rule],
    version: &'static str,
) -> impl Serialize + 'a {
    let mut rules = rules.to_vec();
    for rule in failures.iter().map(|it| it.rule) {
        if !rules.iter().any(|it| it.id == rule.id) {
            rules.push(rule);
        }
    }
    let index_of = |rule: &Rule| rules.iter().position(|it| it.id == rule.id).unwrap_or_default();
    let failed: Vec<Finding> = failures.iter().map(as_finding).collect();
    let prints = fingerprints(findings.iter().chain(&failed));
    let results = findings
        .iter()
        .chain(&failed)
        .zip(prints)
        .map(|(finding, rule_and_subject)| {
            let text = match &finding.help {
                Some(help) => format!("{}\nhelp: {help}", finding.message),
                None => finding.message.clone(),
            };
            let locations = finding.place.iter().map(Location::of).collect();
            ResultObject {
                rule_id: finding.rule.id,
                rule_index: index_of(finding.rule),
                level: level(finding.rule.severity),
                message: OwnedText { text },
                locations,
                partial_fingerprints: Fingerprints { rule_and_subject },
            }
        })
        .collect();
    let invocation = Invocation {
        execution_successful: failures.is_empty(),
        exit_code: failures.first().map(|it| it.exit_code),
        tool_execution_notifications: failed
            .iter()
            .map(|it| Notification {
                level: "error",
                message: OwnedText { text: it.message.clone() },
                locations: it.place.iter().map(Location::of).collect(),
            })
            .collect(),
    };
    let rules = rules
        .iter()
        .map(|rule| Descriptor {
            id: rule.id,
            name: rule.name,
            short_description: Text { text: rule.summary },
            full_description: Text { text: rule.explanation },
            help: OwnedText { text: format!("{}\n\nExample that breaks it:\n\n{}", rule.explanation, rule.example) },
            help_uri: rule.help_uri(),
            default_configuration: Configuration { level: level(rule.severity) },
            properties: Properties { tags: ["olm"], precision: "high", problem_severity: level(rule.severity) },
        })
        .collect();
    Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver { name: "olmdex", semantic_version: version, information_uri: super::HOME, rules },
            },
            invocations: [invocation],
            column_kind: "unicodeCodePoints",
            results,
        }],
    }
}

fn as_finding(failure: &Failure) -> Finding {
    failure.rule.finding(&*failure.message).at(Place::at_line(&failure.source, 1))
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// A path as a URI reference: characters that are not allowed there are percent-encoded. Code scanning looks up
/// relative paths from the root of the repository, character by character.
fn uri(path: &str) -> String {
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    let out = encoded(path, IN_REFERENCE);
    // A relative path whose first segment looks like a scheme is still a path: colons are encoded above.
    if path.starts_with('/') { format!("file://{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_references() {
        for (path, reference) in [
            ("catalog/a b.yaml", "catalog/a%20b.yaml"),
            ("./catalog/x.yaml", "catalog/x.yaml"),
            (".//x.yaml", "x.yaml"),
            ("../x.yaml", "../x.yaml"),
            ("a:b.yaml", "a%3Ab.yaml"),
            ("<stdin>", "%3Cstdin%3E"),
            ("/tmp/ü.yaml", "file:///tmp/%C3%BC.yaml"),
        ] {
            assert_eq!(uri(path), reference);
        }
    }
}
