//! The queries of an index for the engines: a package whole, and the names between two ends of its graph.

use std::collections::BTreeSet;

use super::answer::PackageView;
use super::installed::InstalledBundle;
use super::shortest_path::first_steps;
use super::v1::bundle_version;
use olmdex_index::query::{BundleVersion, EdgeScope, Filter, PackageGraph, PackageVersions, Reach};
use olmdex_index::{Index, IndexError, LightIndex};

impl PackageView {
    /// All data about a package in the catalogs of a filter; no graphs if they have none.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn read(index: &LightIndex, filter: &Filter, package: &str) -> Result<Self, IndexError> {
        let graphs = index.package_graphs(filter, package)?;
        Ok(Self::new(package, graphs, &index.catalog_ranks(filter)?))
    }

    /// The names on the ways from the installed bundle to some names, in these catalogs and channels; in all of them if
    /// none are named. They are not looked up if one way is wanted and its first step may be its last: that search is
    /// shorter than the query.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn names_between(
        &self,
        index: &Index,
        catalogs: &[String],
        channels: &[String],
        from: &InstalledBundle,
        to: &BTreeSet<String>,
        at_most: u16,
    ) -> Result<Reach, IndexError> {
        let first = first_steps(self, channels, from);
        if at_most == 1 && !first.is_disjoint(to) {
            return Ok(Reach::Unknown);
        }
        let (catalogs, channels) = (catalogs.to_vec(), channels.to_vec());
        let scope = EdgeScope { catalogs, package: self.package.clone(), channels };
        self.last_reach.or_ask((scope, first, to.clone()), |(scope, first, to)| index.names_between(scope, first, to))
    }
}

/// A package in the catalogs of a filter, with the versions of its bundles.
pub(super) fn package_versions(
    index: &LightIndex,
    filter: &Filter,
    package: &str,
) -> Result<Vec<PackageVersions>, IndexError> {
    let graphs = index.package_versions(filter, package)?;
    if graphs.iter().all(|it| it.is_valid) {
        return Ok(graphs);
    }
    // A bundle may have several versions, or none that OLM reads: all of its properties decide.
    Ok(index.package_graphs(filter, package)?.into_iter().map(with_versions).collect())
}

fn with_versions(graph: PackageGraph) -> PackageVersions {
    let PackageGraph { catalog, package, default_channel, is_valid, channels, bundles, .. } = graph;
    let mut known = BTreeSet::new();
    let mut versions = Vec::new();
    for bundle in bundles {
        let version = bundle.package_property.as_deref().and_then(|it| bundle_version(it, false).ok());
        // The first bundle of a name that has a version counts.
        if let Some(version) = version.filter(|_| known.insert(bundle.name.clone())) {
            let version = version.value.to_build_metadata().to_string();
            versions.push(BundleVersion { name: bundle.name, version, release: String::new() });
        }
    }
    PackageGraph { catalog, package, default_channel, is_valid, channels, bundles: versions, deprecations: Vec::new() }
}
