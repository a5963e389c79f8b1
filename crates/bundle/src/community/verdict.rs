//! The result of a check of the pipelines: in their words and in ours.

use super::file::RepositoryFile;
use olmdex_base::diag::{Finding, Place, Rule, Severity};
use olmdex_fbc::Spot;

/// The result of a check for an operator or one of its versions.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckResult {
    /// The name of the check in the pipelines.
    pub check: &'static str,
    /// The version's directory, if it is about one.
    pub version: Option<String>,
    /// Their words.
    pub theirs: String,
    /// Ours, with the place.
    pub finding: Finding,
}

impl CheckResult {
    /// Whether the change would be refused.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        self.finding.rule.severity == Severity::Error
    }
}

/// A finding in words that are not yet anybody's.
pub(super) struct Wording {
    pub(super) rule: &'static Rule,
    pub(super) message: String,
    pub(super) help: Option<String>,
    pub(super) theirs: String,
}

impl Wording {
    pub(super) fn new(rule: &'static Rule, message: impl Into<String>, theirs: impl Into<String>) -> Self {
        Self { rule, message: message.into(), help: None, theirs: theirs.into() }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The result of a check, at a spot of a file; without a spot, at the beginning of the file in `shown`.
    pub(super) fn at(
        self,
        check: &'static str,
        version: Option<&str>,
        file: Option<&RepositoryFile>,
        spot: &Spot,
        shown: &str,
    ) -> CheckResult {
        let place = file.map_or_else(|| Place::at_line(shown, 1), |it| it.place(spot));
        let finding = Finding {
            rule: self.rule,
            message: self.message,
            place: Some(place),
            help: self.help,
            package: None,
            check: None,
        };
        CheckResult { check, version: version.map(str::to_owned), theirs: self.theirs, finding }
    }
}
