//! A catalog before and after a change, in one index: common documents are read once.

use super::error::EditError;
use olmdex_base::diag::{Finding, FindingSet, Severity};
use olmdex_fbc::Input;
use olmdex_index::{Builder, CatalogSpec, Index, Mode};
use olmdex_olm::upgrade::cut_advice;

/// The name of the catalog before the change. It comes first by name, so a check takes it as the older catalog.
pub const BEFORE: &str = "now";

/// The name of the catalog as it would be.
pub const AFTER: &str = "then";

/// An index in memory of a catalog before and after a change, and the new errors of the latter.
///
/// # Errors
/// If the index cannot be built.
pub fn before_and_after(before: &Input, after: &Input) -> Result<(Index, Vec<Finding>), EditError> {
    let mut builder = Builder::in_memory().advised_by(cut_advice);
    let mut add = |name: &str, input: &Input| {
        let spec = CatalogSpec { name: name.to_owned(), ..CatalogSpec::default() };
        Ok::<_, EditError>(builder.add_catalog(&spec, input, Mode::Tolerant)?.report.findings)
    };
    let known: FindingSet = add(BEFORE, before)?.into_iter().collect();
    let mut errors = add(AFTER, after)?;
    errors.retain(|it| it.rule.severity == Severity::Error && !known.has(it));
    Ok((builder.into_index()?, errors))
}
