//! Checks of the upgrade graphs of many packages of an index, while the next ones are being read.
//!
//! What it deliberately does not do: no rules; [`check_graph()`] has them.

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::check_graph::check_graph;
use crate::diag::Finding;
use crate::index::query::{EdgeScope, Filter, NamesWithoutWay, PackageGraph};
use crate::index::{Index, IndexError};

/// How many packages are read at a time.
const BATCH: usize = 16;

/// The number of entries from which on the index is asked which names edges lead on from. For fewer it takes longer to ask than to
/// follow every one.
const MANY_ENTRIES: usize = 1000;

/// What of a package is checked.
struct Material {
    graphs: Vec<PackageGraph>,
    old: Option<PackageGraph>,
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
    let old = old.map(|it| it.package_graphs(&Filter::default(), package)).transpose()?;
    let old = old.and_then(|it| it.into_iter().next());
    let graphs = index.package_graphs(filter, package)?;
    let n_entries: usize = graphs.iter().flat_map(|it| &it.channels).map(|it| it.entries.len()).sum();
    let mut without_way = NamesWithoutWay::new();
    if n_entries >= MANY_ENTRIES {
        let catalogs = filter.catalogs.clone();
        let scope = EdgeScope { catalogs, package: package.to_owned(), channels: Vec::new() };
        without_way = index.names_without_way(&scope)?;
    }
    Ok(Material { graphs, old, without_way })
}

fn check(material: &Material) -> Option<Vec<Finding>> {
    let Material { graphs, old, without_way } = material;
    if graphs.is_empty() {
        // A package that is gone is one without channels.
        let old = old.as_ref()?;
        let gone = PackageGraph { package: old.package.clone(), ..PackageGraph::default() };
        return Some(check_graph(&gone, Some(old), &NamesWithoutWay::new()));
    }
    Some(graphs.iter().flat_map(|it| check_graph(it, old.as_ref(), without_way)).collect())
}
