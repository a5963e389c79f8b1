//! The findings about the upgrades of a package, and the differences between two catalogs.

use std::collections::BTreeSet;

use super::error::AskError;
use super::hint::guess;
use olmdex_base::diag::{Finding, Rule};
use olmdex_index::Index;
use olmdex_index::query::{Change, Filter, NestedChanges, Side};
use olmdex_olm::upgrade::{self, check_catalog, check_packages, diff};

/// The findings about the upgrades of a package in these catalogs, all of them if none is named.
///
/// # Errors
/// If the index cannot be read.
pub fn package_findings(index: &Index, catalogs: &[String], package: &str) -> Result<Vec<Finding>, AskError> {
    let filter = Filter { catalogs: catalogs.to_vec(), ..Filter::default() };
    let found = check_packages(index, &filter, None, &[package.to_owned()])?;
    Ok(found.into_iter().flatten().flatten().collect())
}

/// The findings of these rules about a package: of its upgrades, and of its documents if a rule of `validate` is among
/// them. Without rules, all findings about its upgrades.
///
/// # Errors
/// If the index cannot be read.
pub fn findings_of_rules(
    index: &Index,
    catalog: &str,
    package: &str,
    rules: &[&Rule],
) -> Result<Vec<Finding>, AskError> {
    let is_of_upgrades = |rule: &&Rule| upgrade::rules::ALL.iter().any(|it| it.id == rule.id);
    let mut found = Vec::new();
    if rules.is_empty() || rules.iter().any(is_of_upgrades) {
        found = package_findings(index, &[catalog.to_owned()], package)?;
    }
    if !rules.iter().all(is_of_upgrades) {
        let documents = index.packages_input(catalog, std::iter::once(package))?;
        found.extend(check_catalog(&documents, None).findings);
    }
    found.retain(|it| rules.is_empty() || rules.iter().any(|rule| rule.id == it.rule.id));
    Ok(found)
}

/// The findings about a catalog of an index, those about its upgrades included.
///
/// # Errors
/// If the index cannot be read.
pub fn catalog_findings(index: &Index, catalog: &str) -> Result<Vec<Finding>, AskError> {
    let mut found = check_catalog(&index.catalog_input(catalog)?, None).findings;
    let filter = Filter::of_catalog(catalog);
    let packages: Vec<String> = index.packages(&filter)?.into_iter().map(|it| it.package).collect();
    found.extend(check_packages(index, &filter, None, &packages)?.into_iter().flatten().flatten());
    Ok(found)
}

/// The differences between two catalogs: sorted by package, and in a package from the whole to its parts; only in these
/// packages, if any are named.
///
/// # Errors
/// If an index has no such catalog, or cannot be read.
pub fn changes(
    old: Side<'_>,
    new: Side<'_>,
    packages: &[String],
    nested: NestedChanges,
) -> Result<Vec<Change>, AskError> {
    Ok(diff(old, new, packages, nested)?)
}

/// Which of the differences are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct DifferenceWish {
    /// Only those that break something.
    pub breaking: bool,
    /// Also include the contents of added and removed packages, channels and bundles.
    pub details: bool,
}

/// The wanted differences between two catalogs.
#[derive(Debug)]
pub struct Differences {
    /// The changes.
    pub changes: Vec<Change>,
    /// How many were found that are not wanted.
    pub n_ignored: usize,
    /// How many of the wanted changes are parts of others, and are left out.
    pub n_details: usize,
    /// The invalid packages, if the question is about breaking changes: a break in them cannot be recognised.
    pub unchecked: BTreeSet<String>,
}

impl Differences {
    /// Whether there are no wanted differences, as far as that is known.
    pub fn is_same(&self) -> bool {
        self.changes.is_empty() && self.n_details == 0
    }
}

/// The wanted differences between two catalogs; `is_omitted` leaves out more.
///
/// # Errors
/// The errors of [`changes`], and [`AskError::NoPackageInEither`].
pub fn differences(
    old: Side<'_>,
    new: Side<'_>,
    packages: &[String],
    wish: DifferenceWish,
    is_omitted: impl Fn(&Change) -> bool,
) -> Result<Differences, AskError> {
    packages.iter().try_for_each(|package| must_be_in_either(old, new, package))?;
    let mut found = changes(old, new, packages, NestedChanges::Told)?;
    let n_found = found.len();
    found.retain(|it| (it.breaking || !wish.breaking) && !is_omitted(it));
    let n_all = found.len();
    if !wish.details {
        found.retain(|it| !it.detail);
    }
    let unchecked = if wish.breaking { invalid_packages(old, new, packages)? } else { BTreeSet::new() };
    let n_details = n_all - found.len();
    Ok(Differences { changes: found, n_ignored: n_found - n_all, n_details, unchecked })
}

/// The packages that one of the catalogs has, and that are invalid there.
fn invalid_packages(old: Side<'_>, new: Side<'_>, packages: &[String]) -> Result<BTreeSet<String>, AskError> {
    let mut found = BTreeSet::new();
    for side in [old, new] {
        let rows = side.index.packages(&Filter::of_catalog(side.catalog))?.into_iter();
        let rows = rows.filter(|it| !it.is_valid).map(|it| it.package);
        found.extend(rows.filter(|it| packages.is_empty() || packages.contains(it)));
    }
    Ok(found)
}

/// A package that neither catalog has is more likely a slip than intended.
///
/// # Errors
/// [`AskError::NoPackageInEither`]; if an index cannot be read.
pub fn must_be_in_either(old: Side<'_>, new: Side<'_>, package: &str) -> Result<(), AskError> {
    let mut names = Vec::new();
    for side in [old, new] {
        names.extend(side.index.packages(&Filter::of_catalog(side.catalog))?.into_iter().map(|it| it.package));
    }
    if names.iter().any(|name| name == package) {
        return Ok(());
    }
    names.sort();
    names.dedup();
    let help = guess(package, &names, "`olmdex list packages -i SOURCE` shows what there is");
    Err(AskError::NoPackageInEither { package: package.to_owned(), help })
}
