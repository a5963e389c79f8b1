//! The differences between two catalogs, with the upgrades that are lost.

use super::classic::Package;
use super::loss::lost_upgrades;
use super::package_view::package_versions;
use olmdex_index::IndexError;
use olmdex_index::query::{Change, Filter, LostUpgrade, NestedChanges, Side, diff_with};

/// The differences between two catalogs, sorted by package, and in a package from the whole to its parts; only in these
/// packages, if any are named. Breaking differences are packages and channels that are gone, versions that lose their
/// upgrade in a channel, and bundles with other content under the same name.
///
/// # Errors
/// [`IndexError::NoSuchCatalog`] if an index has no such catalog, or if one is damaged.
pub fn diff(
    old: Side<'_>,
    new: Side<'_>,
    packages: &[String],
    nested: NestedChanges,
) -> Result<Vec<Change>, IndexError> {
    diff_with(old, new, packages, nested, &|package| lost(old, new, package))
}

fn lost(old: Side<'_>, new: Side<'_>, package: &str) -> Result<Vec<LostUpgrade>, IndexError> {
    let graph = |side: Side<'_>| {
        let filter = Filter { catalogs: vec![side.catalog.to_owned()], ..Filter::default() };
        Ok::<_, IndexError>(package_versions(side.index, &filter, package)?.into_iter().next())
    };
    // A package that is gone or new says so itself.
    let (Some(old), Some(new)) = (graph(old)?, graph(new)?) else { return Ok(Vec::new()) };
    Ok(lost_upgrades(&Package::of_versions(&old), &Package::of_versions(&new)))
}
