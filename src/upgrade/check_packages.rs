//! Checks of the upgrade graphs of many packages of an index, while the next ones are being read.
//!
//! What it deliberately does not do: no rules; [`super::check_graph()`] has them.

use std::collections::BTreeSet;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::check_graph::check_package;
use super::classic::Package;
use super::v1::bundle_version;
use crate::diag::Finding;
use crate::index::query::{BundleVersion, EdgeScope, Filter, NamesWithoutWay, PackageGraph, PackageVersions};
use crate::index::{Index, IndexError};

/// How many packages are read at a time.
const BATCH: usize = 16;

/// The number of entries from which on the index is asked which names edges lead on from. For fewer it takes longer to ask than to
/// follow every one.
const MANY_ENTRIES: usize = 1000;

/// What of a package is checked.
struct Material {
    graphs: Vec<PackageVersions>,
    old: Option<PackageVersions>,
    without_way: NamesWithoutWay,
}

/// What is wrong with the upgrades of these packages in the catalogs of a filter, package by package. With `old`, what is installed
/// from that index must have a way on. `None` stands for a package that neither has.
///
/// # Errors
/// If an index cannot be read.
pub fn check_packages(
    index: &Index,
    filter: &Filter,
    old: Option<&Index>,
    packages: &[String],
) -> Result<Vec<Option<Vec<Finding>>>, IndexError> {
    let mut found = Vec::with_capacity(packages.len());
    let mut ready: Vec<Material> = Vec::new();
    let mut batches = packages.chunks(BATCH);
    loop {
        let batch = batches.next();
        let mut findings = Vec::new();
        let read = rayon::in_place_scope(|scope| {
            let (ready, findings) = (&ready, &mut findings);
            scope.spawn(move |_| *findings = ready.par_iter().map(check).collect());
            batch.into_iter().flatten().map(|it| read(index, filter, old, it)).collect::<Result<Vec<_>, _>>()
        })?;
        found.append(&mut findings);
        if batch.is_none() {
            return Ok(found);
        }
        ready = read;
    }
}

fn read(index: &Index, filter: &Filter, old: Option<&Index>, package: &str) -> Result<Material, IndexError> {
    let old = old.map(|it| versions(it, &Filter::default(), package)).transpose()?;
    let old = old.and_then(|it| it.into_iter().next());
    let graphs = versions(index, filter, package)?;
    let n_entries: usize = graphs.iter().flat_map(|it| &it.channels).map(|it| it.entries.len()).sum();
    let mut without_way = NamesWithoutWay::new();
    if n_entries >= MANY_ENTRIES {
        let catalogs = filter.catalogs.clone();
        let scope = EdgeScope { catalogs, package: package.to_owned(), channels: Vec::new() };
        without_way = index.names_without_way(&scope)?;
    }
    Ok(Material { graphs, old, without_way })
}

/// A package in the catalogs of a filter, with the versions of its bundles.
fn versions(index: &Index, filter: &Filter, package: &str) -> Result<Vec<PackageVersions>, IndexError> {
    let graphs = index.package_versions(filter, package)?;
    if graphs.iter().all(|it| it.is_valid) {
        return Ok(graphs);
    }
    // A bundle may have several versions, or none that OLM reads: all that it says of them decides.
    Ok(index.package_graphs(filter, package)?.into_iter().map(with_versions).collect())
}

fn with_versions(graph: PackageGraph) -> PackageVersions {
    let PackageGraph { catalog, package, default_channel, is_valid, channels, bundles, .. } = graph;
    let mut known = BTreeSet::new();
    let mut versions = Vec::new();
    for bundle in bundles {
        let version = bundle.package_property.as_deref().and_then(|it| bundle_version(it, false).ok());
        // Of bundles of one name the first that has a version counts.
        if let Some(version) = version.filter(|_| known.insert(bundle.name.clone())) {
            let version = version.value.to_build_metadata().to_string();
            versions.push(BundleVersion { name: bundle.name, version, release: String::new() });
        }
    }
    PackageGraph { catalog, package, default_channel, is_valid, channels, bundles: versions, deprecations: Vec::new() }
}

fn check(material: &Material) -> Option<Vec<Finding>> {
    let Material { graphs, old, without_way } = material;
    if graphs.is_empty() {
        // A package that is gone is one without channels.
        let old = old.as_ref()?;
        let gone = Package { name: old.package.clone(), ..Package::default() };
        return Some(check_package("", &gone, Some(&Package::of_versions(old)), &NamesWithoutWay::new()));
    }
    let old = old.as_ref().map(Package::of_versions);
    let found = |it: &PackageVersions| check_package(&it.catalog, &Package::of_versions(it), old.as_ref(), without_way);
    Some(graphs.iter().flat_map(found).collect())
}
