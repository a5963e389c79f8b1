//! Findings of the checks: first without a place, then with one.

use super::file::RepositoryFile;
use olmdex_base::diag::{Finding, Place};
use olmdex_fbc::Spot;

/// The check of a file that cannot be read: such a file fails no check of the pipelines, it stops them.
pub(super) const LOAD: &str = "load";

/// The finding of a check, at a spot of a file; without a file, at the beginning of the file in `shown`.
pub(super) fn placed(
    finding: Finding,
    check: &'static str,
    file: Option<&RepositoryFile>,
    spot: &Spot,
    shown: &str,
) -> Finding {
    let place = file.map_or_else(|| Place::at_line(shown, 1), |file| file.place(spot));
    finding.at(place).check(check)
}
