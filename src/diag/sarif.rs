//! Findings as SARIF 2.1.0, which code-scanning services take.

use serde::Serialize;

use super::{Finding, Rule, Severity};

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
    column_kind: &'static str,
    results: Vec<ResultObject<'a>>,
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
    rules: Vec<Descriptor<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor<'a> {
    id: &'a str,
    name: &'a str,
    short_description: Text<'a>,
    full_description: Text<'a>,
    default_configuration: Configuration,
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

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
}

/// The whole log as one line of JSON-serialisable data. `rules` are all rules that were applied.
pub fn log<'a>(findings: &'a [Finding], rules: &'a [&'static Rule], version: &'static str) -> impl Serialize + 'a {
    let index_of = |rule: &Rule| rules.iter().position(|it| it.id == rule.id).unwrap_or_default();
    let results = findings
        .iter()
        .map(|finding| {
            let text = match &finding.help {
                Some(help) => format!("{}\nhelp: {help}", finding.message),
                None => finding.message.clone(),
            };
            let locations = finding
                .place
                .iter()
                .map(|place| Location {
                    physical_location: PhysicalLocation {
                        artifact_location: ArtifactLocation { uri: uri(&place.file) },
                        region: Region { start_line: place.line.max(1), start_column: place.column.max(1) },
                    },
                })
                .collect();
            ResultObject {
                rule_id: finding.rule.id,
                rule_index: index_of(finding.rule),
                level: level(finding.rule.severity),
                message: OwnedText { text },
                locations,
            }
        })
        .collect();
    let rules = rules
        .iter()
        .map(|rule| Descriptor {
            id: rule.id,
            name: rule.name,
            short_description: Text { text: rule.summary },
            full_description: Text { text: rule.explanation },
            default_configuration: Configuration { level: level(rule.severity) },
        })
        .collect();
    Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver: Driver { name: "olmdex", semantic_version: version, rules } },
            column_kind: "unicodeCodePoints",
            results,
        }],
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// A path as a URI reference: what is not allowed there is percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'@' | b'+' | b'=' | b',' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    // A relative path whose first segment looks like a scheme is still a path: colons are encoded above.
    if path.starts_with('/') { format!("file://{out}") } else { out }
}
