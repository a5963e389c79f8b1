//! Checks of the upgrade graphs of many packages of an index, while the next ones are being read.

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::check_graph::{About, check_package, only_new};
use super::classic::Package;
use super::package_view::package_versions;
use olmdex_base::diag::Finding;
use olmdex_index::query::{EdgeScope, Filter, NamesWithoutWay, PackageVersions};
use olmdex_index::{IndexError, MayHaveEdges};

/// The number of packages that are read at a time.
const BATCH: usize = 16;

/// The number of entries of a package from which on the whole index is asked which names edges lead on from. For fewer
/// it takes longer to ask than to follow every one.
pub const MANY_ENTRIES: usize = 1000;

/// A package in one state.
#[derive(Default)]
struct State {
    graphs: Vec<PackageVersions>,
    without_way: NamesWithoutWay,
}

/// The parts of a package that are checked.
struct Material {
    now: State,
    old: Option<State>,
}

/// The findings about the upgrades of these packages in the catalogs of a filter, package by package. With `old`, only
/// findings that are new since that state, and what has been lost since. `None` stands for a package that neither has.
///
/// # Errors
/// If an index cannot be read.
pub fn check_packages<I: MayHaveEdges>(
    index: &I,
    filter: &Filter,
    old: Option<&I>,
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

fn read<I: MayHaveEdges>(index: &I, filter: &Filter, old: Option<&I>, package: &str) -> Result<Material, IndexError> {
    let old = old.map(|it| state(it, &Filter::default(), package)).transpose()?;
    Ok(Material { now: state(index, filter, package)?, old })
}

fn state<I: MayHaveEdges>(index: &I, filter: &Filter, package: &str) -> Result<State, IndexError> {
    let graphs = package_versions(index, filter, package)?;
    let n_entries: usize = graphs.iter().flat_map(|it| &it.channels).map(|it| it.entries.len()).sum();
    let mut without_way = NamesWithoutWay::new();
    if let Some(index) = index.whole()
        && n_entries >= MANY_ENTRIES
    {
        let catalogs = filter.catalogs.clone();
        let scope = EdgeScope { catalogs, package: package.to_owned(), channels: Vec::new() };
        without_way = index.names_without_way(&scope)?;
    }
    Ok(State { graphs, without_way })
}

fn check(material: &Material) -> Option<Vec<Finding>> {
    let Material { now, old } = material;
    let was = old.as_ref().and_then(|it| it.graphs.first().map(|graph| (graph, &it.without_way)));
    let of_old = was.map(|it| Package::of_versions(it.0));
    if now.graphs.is_empty() {
        // A package that is gone is one without channels.
        let gone = Package { name: of_old.as_ref()?.name.clone(), ..Package::default() };
        return Some(findings(check_package("", &gone, of_old.as_ref(), &NamesWithoutWay::new())));
    }
    // The findings that the older state had already.
    let known = was
        .zip(of_old.as_ref())
        .map(|((graph, without_way), package)| check_package(&graph.catalog, package, None, without_way));
    let mut found = Vec::new();
    for graph in &now.graphs {
        let package = Package::of_versions(graph);
        let of_graph = check_package(&graph.catalog, &package, of_old.as_ref(), &now.without_way);
        found.extend(match &known {
            Some(known) => only_new(of_graph, known),
            None => of_graph,
        });
    }
    Some(findings(found))
}

fn findings(found: Vec<About>) -> Vec<Finding> {
    found.into_iter().map(|it| it.finding).collect()
}
