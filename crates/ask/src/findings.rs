//! What is wrong with the upgrades of a package, and what differs between two catalogs.

use super::error::AskError;
use olmdex_base::diag::Finding;
use olmdex_index::Index;
use olmdex_index::query::{Change, Filter, Side};
use olmdex_olm::upgrade::{check_packages, diff};

/// What is wrong with the upgrades of a package in these catalogs, all of them if none is named.
///
/// # Errors
/// If the index cannot be read.
pub fn package_findings(index: &Index, catalogs: &[String], package: &str) -> Result<Vec<Finding>, AskError> {
    let filter = Filter { catalogs: catalogs.to_vec(), ..Filter::default() };
    let found = check_packages(index, &filter, None, &[package.to_owned()])?;
    Ok(found.into_iter().flatten().flatten().collect())
}

/// What differs between two catalogs: sorted by package, and in a package from the whole to its parts;
/// only in these packages, if any are named.
///
/// # Errors
/// If an index has no such catalog, or cannot be read.
pub fn changes(old: Side<'_>, new: Side<'_>, packages: &[String]) -> Result<Vec<Change>, AskError> {
    Ok(diff(old, new, packages)?)
}
