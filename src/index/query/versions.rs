//! What checks of upgrade graphs need of a package: its channels, and the versions of its bundles.
//!
//! What it deliberately does not do: places, images and properties of bundles, and deprecations, which take most of the time that
//! [`Index::package_graphs`] takes.

use std::collections::BTreeMap;

use super::Filter;
use super::upgrade::PackageGraph;
use crate::index::{Index, IndexError};

/// A package in one catalog with the versions of its bundles.
pub type PackageVersions = PackageGraph<BundleVersion>;

/// A bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BundleVersion {
    /// Its name.
    pub name: String,
    /// The version that its first `olm.package` property with a value states, as it is written there; empty if none does.
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

pub(super) const STATEMENTS: &[(&str, &str)] = &[("versions of a package's bundles", VERSIONS)];

impl Index {
    /// The channels of a package in the catalogs of the filter, by catalog, with its bundles in no order. The filter's package and
    /// channel are not looked at.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn package_versions(&self, filter: &Filter, package: &str) -> Result<Vec<PackageVersions>, IndexError> {
        let mut found: BTreeMap<i64, PackageVersions> = BTreeMap::new();
        let order = self.add_packages(filter, package, &mut found)?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        self.add_channels(package, &mut found)?;
        let bundle = |row: &rusqlite::Row<'_>| {
            Ok((row.get::<_, i64>(0)?, BundleVersion { name: row.get(1)?, version: row.get(2)?, release: row.get(3)? }))
        };
        for (id, bundle) in self.rows(VERSIONS, [package], bundle)? {
            if let Some(graph) = found.get_mut(&id) {
                graph.bundles.push(bundle);
            }
        }
        Ok(order.into_iter().filter_map(|id| found.remove(&id)).collect())
    }
}
