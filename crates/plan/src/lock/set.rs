//! A set of operators, pinned together with their dependencies.

use std::collections::BTreeMap;

use super::error::LockError;
use super::file::{Lock, LockedOperator};
use super::pin::{Ask, catalogs, fill, pin};
use olmdex_index::Index;
use olmdex_index::query::Filter;
use olmdex_olm::resolve::{Options, needs};
use olmdex_olm::upgrade::Olm;

/// Pins operators; with their dependencies, if options for resolving are given. Also returns the demands that nothing
/// meets.
///
/// # Errors
/// [`LockError`]
pub fn lock_all(
    index: &Index,
    of: &[String],
    asks: &[Ask],
    lists_images: bool,
    dependencies: Option<&Options>,
) -> Result<(Lock, Vec<String>), LockError> {
    let (mut operators, mut missing) = (Vec::new(), Vec::new());
    for ask in asks {
        operators.extend(pin_each(index, of, ask, lists_images, &mut missing)?);
    }
    if let Some(options) = dependencies {
        missing.extend(add_dependencies(index, &mut operators, options)?.missing);
    }
    let mut lock = Lock { catalogs: catalogs(index, &operators)?, operators };
    lock.sort();
    lock.operators.dedup();
    Ok((lock, missing))
}

/// Pins an operator in each catalog that has its package: a Subscription names one of them. A catalog that cannot meet
/// the request is left out, as long as another one can.
fn pin_each(
    index: &Index,
    of: &[String],
    ask: &Ask,
    lists_images: bool,
    missing: &mut Vec<String>,
) -> Result<Vec<LockedOperator>, LockError> {
    let filter = Filter { catalogs: of.to_vec(), ..Filter::default() };
    let graphs = match ask.olm {
        Olm::Classic if ask.installed.is_none() => index.package_graphs(&filter, &ask.package)?,
        // A ClusterExtension takes the best of all catalogs, and what is installed is of one.
        Olm::Classic | Olm::V1 => Vec::new(),
    };
    if graphs.len() < 2 {
        return Ok(vec![pin(index, of, ask, lists_images)?]);
    }
    let (mut pinned, mut refused) = (Vec::new(), Vec::new());
    for graph in &graphs {
        match pin(index, std::slice::from_ref(&graph.catalog), ask, lists_images) {
            Ok(operator) => pinned.push(operator),
            Err(error @ (LockError::NoBundle { .. } | LockError::Unknown { .. })) => {
                refused.push((&graph.catalog, error));
            }
            Err(error) => return Err(error),
        }
    }
    if pinned.is_empty()
        && let Some((_, error)) = refused.pop()
    {
        return Err(error);
    }
    missing.extend(refused.iter().map(|(catalog, error)| format!("catalog `{catalog}`: {error}")));
    Ok(pinned)
}

/// The needs of operators.
pub(super) struct Needed {
    /// The dependencies, with the bundles that OLM would install now.
    pub(super) dependencies: Vec<LockedOperator>,
    /// Demands that nothing meets.
    pub(super) missing: Vec<String>,
}

/// Adds the needs of the operators that OLM Classic installs, and removes those that nobody has any more. A dependency
/// that was locked before stays at its bundle.
pub(super) fn add_dependencies(
    index: &Index,
    operators: &mut Vec<LockedOperator>,
    options: &Options,
) -> Result<Needed, LockError> {
    // OLM v1 installs no dependencies.
    let roots: Vec<LockedOperator> =
        operators.iter().filter(|it| it.required_by.is_empty() && it.olm == Olm::Classic).cloned().collect();
    let mut needed: BTreeMap<(String, String), LockedOperator> = BTreeMap::new();
    let mut missing = Vec::new();
    for root in &roots {
        let bundle = (root.catalog.clone(), root.package.clone(), root.bundle.clone());
        let needs = needs(index, &[bundle], options)?;
        missing.extend(needs.missing.iter().map(|it| format!("{}: {it}", root.package)));
        for dependency in needs.dependencies {
            let (catalog, package) = (dependency.catalog, dependency.package);
            let place = index.channel_place(&catalog, &package, &dependency.bundle, &dependency.channel)?;
            let found = needed.entry((catalog.clone(), package.clone())).or_insert_with(|| {
                let mut it = root.clone();
                (it.package, it.catalog) = (package, catalog);
                (it.channel, it.constraint, it.bundle) = (place.channel, String::new(), dependency.bundle.clone());
                (it.required_by, it.because) = (Vec::new(), Vec::new());
                it
            });
            found.required_by.push(root.package.clone());
            found.because.extend(dependency.because);
        }
    }
    let before: Vec<LockedOperator> = operators.extract_if(.., |it| !it.required_by.is_empty()).collect();
    let mut dependencies = Vec::new();
    for ((catalog, package), mut new) in needed {
        let is_it = |it: &&LockedOperator| (&it.catalog, &it.package) == (&catalog, &package);
        if roots.iter().any(|it| is_it(&it)) {
            continue;
        }
        for list in [&mut new.required_by, &mut new.because] {
            list.sort();
            list.dedup();
        }
        fill(index, &mut new)?;
        dependencies.push(new.clone());
        operators.push(match before.iter().find(is_it) {
            Some(old) => LockedOperator { required_by: new.required_by, because: new.because, ..old.clone() },
            None => new,
        });
    }
    missing.sort();
    missing.dedup();
    Ok(Needed { dependencies, missing })
}
