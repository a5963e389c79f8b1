//! What a change makes of a catalog: new errors, and users without a way on.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::documents::{FileEdit, PackageDocuments};
use super::error::EditError;
use super::sides::{AFTER, BEFORE, before_and_after, is_known};
use crate::diag::Finding;
use crate::fbc::Input;
use crate::index::query::Filter;
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
    let (index, errors) = before_and_after(input, &after)?;
    let packages = [package.to_owned()];
    let of = |catalog: &str| Filter { catalogs: vec![catalog.to_owned()], ..Filter::default() };
    // The older catalog of both is the one that is.
    let checked = |catalog: &str| -> Result<Vec<Finding>, EditError> {
        let found = check_packages(&index, &of(catalog), Some(&index), &packages)?;
        Ok(found.into_iter().next().flatten().unwrap_or_default())
    };
    let is_package_gone = index.packages(&of(AFTER))?.iter().all(|it| it.package != package);
    let before = checked(BEFORE)?;
    let upgrades = if is_package_gone { Vec::new() } else { checked(AFTER)? };
    let upgrades = upgrades.into_iter().filter(|it| !is_known(it, &before)).collect();
    Ok(Verdict { errors, upgrades, is_package_gone })
}
