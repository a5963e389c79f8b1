//! Findings as a Code Quality report, which GitLab shows beside the lines of a merge request.

use super::fingerprint::fingerprints;
use super::{Finding, Severity};
use olmdex_text::json::Tree;

/// The report as JSON.
///
/// # Errors
/// If it cannot be written.
pub fn report(findings: &[Finding], out: &mut impl std::io::Write) -> std::io::Result<()> {
    let prints = fingerprints(findings.iter());
    let issues = Tree::list(findings.iter().zip(prints).map(|(finding, print)| issue(finding, print)));
    serde_json::to_writer_pretty(&mut *out, &issues)?;
    writeln!(out)
}

/// A problem, in the fields that GitLab reads.
fn issue(finding: &Finding, fingerprint: String) -> Tree {
    let help = finding.help.as_ref().map(|help| format!("; help: {help}")).unwrap_or_default();
    // GitLab demands a place, so a finding about a catalog as a whole is at its beginning.
    let (path, begin) = finding.place.as_ref().map_or((".", 1), |place| (place.file.as_ref(), place.line));
    // It compares paths with those of the merge request, which are relative to the repository.
    let path = path.strip_prefix("./").unwrap_or(path);
    let severity = match finding.rule.severity {
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Note => "info",
    };
    Tree::object()
        .with("description", format!("{}{help}", finding.message))
        .with("check_name", format!("{} {}", finding.rule.id, finding.rule.name))
        .with("fingerprint", fingerprint)
        .with("severity", severity)
        .with("location", Tree::object().with("path", path).with("lines", Tree::object().with("begin", begin.max(1))))
}
