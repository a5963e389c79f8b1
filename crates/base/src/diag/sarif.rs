//! Findings as SARIF 2.1.0, which code-scanning services take, with all that GitHub asks for: help, regions with an
//! end, fingerprints, paths relative to the directory in which the program ran.

use super::fingerprint::fingerprints;
use super::region::end_column;
use super::{Finding, Place, Rule, Severity};
use olmdex_text::encoding::percent::{IN_REFERENCE, encoded};
use olmdex_text::json::Tree;

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

/// A place of a result.
fn location(place: &Place) -> Tree {
    let (line, column) = (place.line.max(1), place.column.max(1));
    // Without the first column behind it, a region goes to the end of its line.
    let end = end_column(place).map(|end| end.max(column + 1));
    let region = Tree::object().with("startLine", line).with("startColumn", column).with("endLine", line);
    let artifact = Tree::object().with("uri", uri(&place.file));
    let physical = Tree::object().with("artifactLocation", artifact).with("region", region.with_some("endColumn", end));
    Tree::object().with("physicalLocation", physical)
}

fn locations(finding: &Finding) -> Tree {
    Tree::list(finding.place.iter().map(location))
}

fn text(text: impl Into<Tree>) -> Tree {
    Tree::object().with("text", text)
}

fn result(finding: &Finding, rule_index: usize, print: String) -> Tree {
    let message = match &finding.help {
        Some(help) => format!("{}\nhelp: {help}", finding.message),
        None => finding.message.clone(),
    };
    Tree::object()
        .with("ruleId", finding.rule.id)
        .with("ruleIndex", rule_index)
        .with("level", level(finding.rule.severity))
        .with("message", text(message))
        .with("locations", locations(finding))
        // Its name changes when the way it is made does.
        .with("partialFingerprints", Tree::object().with("ruleAndSubject/v2", print))
}

fn descriptor(rule: &Rule) -> Tree {
    let properties = Tree::object().with("tags", Tree::list(["olm"])).with("precision", "high");
    Tree::object()
        .with("id", rule.id)
        .with("name", rule.name)
        .with("shortDescription", text(rule.summary))
        .with("fullDescription", text(rule.explanation))
        .with("help", text(format!("{}\n\nExample that breaks it:\n\n{}", rule.explanation, rule.example)))
        .with("helpUri", rule.help_uri())
        .with("defaultConfiguration", Tree::object().with("level", level(rule.severity)))
        .with("properties", properties.with("problem.severity", level(rule.severity)))
}

fn invocation(failures: &[Failure], failed: &[Finding]) -> Tree {
    let notification = |finding: &Finding| {
        let notification = Tree::object().with("level", "error").with("message", text(&finding.message));
        notification.with("locations", locations(finding))
    };
    let notifications = (!failed.is_empty()).then(|| Tree::list(failed.iter().map(notification)));
    Tree::object()
        .with("executionSuccessful", failures.is_empty())
        .with_some("exitCode", failures.first().map(|failure| u32::from(failure.exit_code)))
        .with_some("toolExecutionNotifications", notifications)
}

/// The whole log. `rules` are all rules that were applied, `failures` the sources that could not be opened.
pub fn log(findings: &[Finding], failures: &[Failure], rules: &[&'static Rule], version: &'static str) -> Tree {
    let mut rules = rules.to_vec();
    for rule in failures.iter().map(|it| it.rule) {
        if !rules.iter().any(|it| it.id == rule.id) {
            rules.push(rule);
        }
    }
    let index_of = |rule: &Rule| rules.iter().position(|it| it.id == rule.id).unwrap_or_default();
    let failed: Vec<Finding> = failures.iter().map(as_finding).collect();
    let all = || findings.iter().chain(&failed);
    let results = all().zip(fingerprints(all())).map(|(finding, print)| result(finding, index_of(finding.rule), print));
    let driver = Tree::object()
        .with("name", "olmdex")
        .with("semanticVersion", version)
        .with("informationUri", super::HOME)
        .with("rules", Tree::list(rules.iter().map(|rule| descriptor(rule))));
    let run = Tree::object()
        .with("tool", Tree::object().with("driver", driver))
        .with("invocations", Tree::list([invocation(failures, &failed)]))
        .with("columnKind", "unicodeCodePoints")
        .with("results", Tree::list(results));
    Tree::object()
        .with("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
        .with("version", "2.1.0")
        .with("runs", Tree::list([run]))
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
