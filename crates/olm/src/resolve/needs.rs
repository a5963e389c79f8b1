//! The needs of operators: the others that OLM would install together with them.

use std::collections::{BTreeMap, BTreeSet};

use super::closure::{BundleName, ClosureError, bare_world, closure, partial_closure};
use super::conflict::Named;
use super::demand::demands;
use super::indexed::IndexRows;
use super::resolution::Options;
use olmdex_index::LightIndex;

/// An operator that others need.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// The catalog in the index.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The channel; empty if it is not known.
    pub channel: String,
    /// The bundle.
    pub bundle: String,
    /// The demands that bring it, each with its operator.
    pub because: Vec<String>,
    /// Packages that would do as well, and are preferred less.
    pub others: Vec<String>,
}

/// The needs of operators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// The dependencies that have to be there as well.
    pub dependencies: Vec<Dependency>,
    /// Demands that nothing meets.
    pub missing: Vec<String>,
}

/// Finds the needs of bundles in catalogs of the index, given by catalog, package and name.
///
/// # Errors
/// [`ClosureError`].
pub fn needs(
    index: &LightIndex,
    bundles: &[(String, String, String)],
    options: &Options,
) -> Result<Needs, ClosureError> {
    let mut needs = Needs::default();
    let mut found: BTreeMap<(String, String, String), Dependency> = BTreeMap::new();
    let mut add = |key: (String, String, String), channel: &str, because: Vec<String>| {
        let (catalog, package, bundle) = key.clone();
        let entry = found.entry(key).or_insert_with(|| Dependency {
            catalog,
            package,
            channel: channel.to_owned(),
            bundle,
            because: Vec::new(),
            others: Vec::new(),
        });
        for it in because {
            if !entry.because.contains(&it) {
                entry.because.push(it);
            }
        }
    };
    for (catalog, package, bundle) in bundles {
        let target = BundleName { catalog, package, bundle };
        match closure(index, target, options)? {
            Some(together) => {
                for it in together.into_iter().filter(|it| !it.because.is_empty()) {
                    add((it.catalog, it.package, it.bundle), &it.channel, it.because);
                }
            }
            None => {
                let partial = partial_closure(index, target, options)?;
                needs.missing.extend(partial.missing.iter().cloned());
                if partial.missing.is_empty() {
                    needs.missing.push(format!(
                        "OLM cannot install {bundle} with all its requirements, although some operator provides each \
                        of them"
                    ));
                }
                for (of, name, dependency) in partial.bundles {
                    add((of, name, dependency), "", vec![format!("{bundle} requires it, directly or not")]);
                }
            }
        }
    }
    others(index, &mut found, bundles, options)?;
    needs.dependencies = found.into_values().collect();
    needs.missing.sort();
    needs.missing.dedup();
    Ok(needs)
}

/// Notes which packages would have met the demands, too.
fn others(
    index: &LightIndex,
    found: &mut BTreeMap<(String, String, String), Dependency>,
    bundles: &[(String, String, String)],
    options: &Options,
) -> Result<(), ClosureError> {
    if found.is_empty() {
        return Ok(());
    }
    let world = bare_world(index, &[])?;
    let rows = IndexRows::new(index, &world);
    let demanders: BTreeSet<(String, String, String)> = bundles.iter().chain(found.keys()).cloned().collect();
    for (catalog, package, bundle) in demanders {
        let own = demands(&world, &rows, options, &package, &bundle)?;
        for demand in own.into_iter().filter(|it| it.bundle.catalog == catalog).flat_map(|it| it.demands) {
            let Some(first) = demand.met.first() else { continue };
            let key = (first.catalog.clone(), first.package.clone(), first.name.clone());
            let Some(dependency) = found.get_mut(&key) else { continue };
            for it in &demand.met {
                let text = if it.catalog == first.catalog {
                    it.package.clone()
                } else {
                    format!("{} of {}", it.package, it.catalog)
                };
                if (&it.package, &it.catalog) != (&first.package, &first.catalog) && !dependency.others.contains(&text)
                {
                    dependency.others.push(text);
                }
            }
        }
    }
    Ok(())
}

/// Requirements of kept bundles for which no provider is kept although a catalog has one, because a range leaves it
/// out. Bundles are given by catalog, package and name.
///
/// # Errors
/// [`ClosureError`].
pub fn left_out(
    index: &LightIndex,
    demanders: &[(String, String, String)],
    kept: &BTreeSet<(String, String, String)>,
    options: &Options,
) -> Result<Vec<String>, ClosureError> {
    let world = bare_world(index, &[])?;
    let rows = IndexRows::new(index, &world);
    let mut found = Vec::new();
    for (catalog, package, bundle) in demanders {
        let own = demands(&world, &rows, options, package, bundle)?;
        for demand in own.into_iter().filter(|it| it.bundle.catalog == *catalog).flat_map(|it| it.demands) {
            let is_kept = |it: &Named| kept.contains(&(it.catalog.clone(), it.package.clone(), it.name.clone()));
            if let Some(first) = demand.met.first().filter(|_| !demand.met.iter().any(is_kept)) {
                found.push(format!("{bundle} requires {}, but {} is left out", demand.text, first.name));
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}
