//! The data of a package that checks of upgrade graphs need: its channels, and the versions of its bundles.

use super::Filter;
use super::upgrade::{PackageGraph, add_bundles};
use crate::{IndexError, LightIndex};

/// A package in one catalog with the versions of its bundles.
pub type PackageVersions = PackageGraph<BundleVersion>;

/// A bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BundleVersion {
    /// Its name.
    pub name: String,
    /// The version that its first `olm.package` property with a value states, as it is written there; empty if none
    /// does.
    pub version: String,
    /// And its release; empty if it states none.
    pub release: String,
}

// Without order, which would cost as much as the rest.
const VERSIONS: &str = "
SELECT cd.catalog, b.name, b.version, b.release
FROM bundle b
CROSS JOIN catalog_document cd ON cd.document = b.document
WHERE b.package = ?1";

impl LightIndex {
    /// The channels of a package in the catalogs of the filter, by catalog, with its bundles in no order. The filter's
    /// package and channel are ignored.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn package_versions(&self, filter: &Filter, package: &str) -> Result<Vec<PackageVersions>, IndexError> {
        let bundle = |row: &rusqlite::Row<'_>| {
            Ok((row.get::<_, i64>(0)?, BundleVersion { name: row.get(1)?, version: row.get(2)?, release: row.get(3)? }))
        };
        self.packages_with(filter, package, |graphs| {
            add_bundles(graphs, self.rows(VERSIONS, [package], bundle)?);
            Ok(())
        })
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[("versions of a package's bundles", VERSIONS)];
