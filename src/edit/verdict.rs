//! What a change makes of a catalog: new errors, and users without a way on.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::documents::{FileEdit, PackageDocuments};
use super::error::EditError;
use crate::diag::{Finding, Severity};
use crate::fbc::Input;
use crate::index::query::Filter;
use crate::index::{Builder, CatalogSpec, Index, Mode};
use crate::upgrade::check_packages;

/// What a change makes of a catalog.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// Errors that the catalog did not have before.
    pub errors: Vec<Finding>,
    /// What is wrong with upgrades that was not before: who is stranded, above all.
    pub upgrades: Vec<Finding>,
    /// Whether the whole package goes.
    pub is_package_gone: bool,
}

/// Looks at the files that are changed, as they were and as they would be.
///
/// # Errors
/// If an index cannot be built of them.
pub fn judge(input: &Input, edits: &[FileEdit], package: &PackageDocuments) -> Result<Verdict, EditError> {
    let (files, package) = (package.files(), package.package.as_str());
    let texts: BTreeMap<usize, Arc<[u8]>> = edits.iter().map(|it| (it.file, Arc::from(it.after.as_bytes()))).collect();
    // What other files have stays what it is.
    let (after, input) = (input.with_texts(&texts).only(&files), &input.only(&files));
    let ((old, known), (new, found)) = (index_and_findings(input, package)?, index_and_findings(&after, package)?);
    let is_known = |finding: &Finding, known: &[Finding]| {
        known.iter().any(|it| it.rule.id == finding.rule.id && it.message == finding.message)
    };
    let is_new = |it: &Finding| it.rule.severity == Severity::Error && !is_known(it, &known);
    let errors = found.into_iter().filter(is_new).collect();
    let packages = [package.to_owned()];
    let checked = |index: &Index| -> Result<Option<Vec<Finding>>, EditError> {
        Ok(check_packages(index, &Filter::default(), Some(&old), &packages)?.into_iter().next().flatten())
    };
    let is_package_gone = new.package_names()?.iter().all(|it| it != package);
    let before = checked(&old)?.unwrap_or_default();
    let upgrades = if is_package_gone { Vec::new() } else { checked(&new)?.unwrap_or_default() };
    let upgrades = upgrades.into_iter().filter(|it| !is_known(it, &before)).collect();
    Ok(Verdict { errors, upgrades, is_package_gone })
}

/// An index in memory of the files that have a package, with what the checks found on the way into it.
fn index_and_findings(input: &Input, package: &str) -> Result<(Index, Vec<Finding>), EditError> {
    let mut builder = Builder::in_memory();
    let spec = CatalogSpec { name: package.to_owned(), ..CatalogSpec::default() };
    let import = builder.add_catalog(&spec, input, Mode::Tolerant)?;
    Ok((builder.into_index()?, import.report.findings))
}
