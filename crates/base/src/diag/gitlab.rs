//! Findings as a Code Quality report, which GitLab shows beside the lines of a merge request.

use serde::Serialize;

use super::fingerprint::fingerprints;
use super::{Finding, Severity};

/// A problem, in the fields that GitLab reads.
#[derive(Debug, Serialize)]
struct CodeQualityIssue<'f> {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location<'f>,
}

#[derive(Debug, Serialize)]
struct Location<'f> {
    path: &'f str,
    lines: Lines,
}

#[derive(Debug, Serialize)]
struct Lines {
    begin: usize,
}

/// The report as JSON.
///
/// # Errors
/// If it cannot be written.
pub fn report(findings: &[Finding], out: &mut impl std::io::Write) -> std::io::Result<()> {
    let prints = fingerprints(findings.iter());
    let issue = |(finding, fingerprint)| issue(finding, fingerprint);
    let issues: Vec<_> = findings.iter().zip(prints).map(issue).collect();
    serde_json::to_writer_pretty(&mut *out, &issues)?;
    writeln!(out)
}

fn issue(finding: &Finding, fingerprint: String) -> CodeQualityIssue<'_> {
    let help = finding.help.as_ref().map(|help| format!("; help: {help}")).unwrap_or_default();
    // GitLab demands a place, so a finding about a catalog as a whole is at its beginning.
    let (path, begin) = finding.place.as_ref().map_or((".", 1), |place| (place.file.as_ref(), place.line as usize));
    CodeQualityIssue {
        description: format!("{}{help}", finding.message),
        check_name: format!("{} {}", finding.rule.id, finding.rule.name),
        fingerprint,
        severity: match finding.rule.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Note => "info",
        },
        location: Location { path, lines: Lines { begin: begin.max(1) } },
    }
}
