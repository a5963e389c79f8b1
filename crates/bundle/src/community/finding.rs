//! Findings of the checks: first without a place, then with one.

use super::file::RepositoryFile;
use olmdex_base::diag::{Finding, Place, Rule};
use olmdex_fbc::Spot;

/// The check of a file that cannot be read: such a file fails no check of the pipelines, it stops them.
pub(super) const LOAD: &str = "load";

/// A finding without a remedy.
pub(super) fn finding(rule: &'static Rule, message: impl Into<String>) -> Finding {
    Finding { rule, message: message.into(), place: None, help: None, package: None, check: None }
}

/// A finding with its remedy.
pub(super) fn advised(rule: &'static Rule, message: impl Into<String>, help: impl Into<String>) -> Finding {
    Finding { help: Some(help.into()), ..finding(rule, message) }
}

/// The finding of a check, at a spot of a file; without a file, at the beginning of the file in `shown`.
pub(super) fn placed(
    finding: Finding,
    check: &'static str,
    file: Option<&RepositoryFile>,
    spot: &Spot,
    shown: &str,
) -> Finding {
    let place = file.map_or_else(|| Place::at_line(shown, 1), |file| file.place(spot));
    Finding { place: Some(place), check: Some(check), ..finding }
}
