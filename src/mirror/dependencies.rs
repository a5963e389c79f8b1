//! What a configuration lacks: the operators that OLM would install together with those that are kept.
//!
//! What it deliberately does not do: it decides nothing itself; [`crate::resolve`] does.

use std::collections::{BTreeMap, BTreeSet};

use super::configuration::{Channel, Operator, Package, Range};
use crate::fbc::Entry;
use crate::index::query::Filter;
use crate::index::{Index, IndexError};
use crate::resolve::{
    BundleName, ClosureError, IndexRows, Named, Options, bare_world, closure, demands, partial_closure,
};

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
    /// Who demands what.
    pub because: Vec<String>,
    /// Packages that would do as well, and are preferred less.
    pub others: Vec<String>,
}

/// What operators need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// What is to be mirrored besides.
    pub dependencies: Vec<Dependency>,
    /// Demands that nothing meets.
    pub missing: Vec<String>,
}

/// Finds what bundles need: of catalogs of the index, given by catalog, package and name.
///
/// # Errors
/// [`ClosureError`].
pub fn needs(index: &Index, bundles: &[(String, String, String)], options: &Options) -> Result<Needs, ClosureError> {
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
                        "{bundle} cannot be installed with everything it requires, though something provides each part"
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
    index: &Index,
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
            let Some(first) = demand.candidates.first() else { continue };
            let key = (first.catalog.clone(), first.package.clone(), first.name.clone());
            let Some(dependency) = found.get_mut(&key) else { continue };
            for it in &demand.candidates {
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

/// What kept bundles require of which nothing is kept, though a catalog has it: a range leaves it out. Bundles are given by catalog, package and
/// name.
///
/// # Errors
/// [`ClosureError`].
pub fn left_out(
    index: &Index,
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
            if let Some(first) = demand.candidates.first().filter(|_| !demand.candidates.iter().any(is_kept)) {
                found.push(format!("{bundle} requires {}, and {} is left out", demand.text, first.name));
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The head of a channel, and whether it is the default one, by which a dependency is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The channel.
    pub channel: String,
    /// The version of the bundle.
    pub version: String,
    /// Whether the bundle is the head of the channel.
    pub is_head: bool,
    /// Whether the channel is the default one of its package.
    pub is_default: bool,
}

/// Where a dependency is, and how it is asked for.
///
/// # Errors
/// If the index is damaged.
pub fn place(index: &Index, dependency: &Dependency) -> Result<Place, IndexError> {
    let filter = Filter {
        catalogs: vec![dependency.catalog.clone()],
        package: Some(dependency.package.clone()),
        ..Filter::default()
    };
    let entries = index.entries(&filter)?;
    let package = index.packages(&filter)?.into_iter().next();
    let default = package.map(|it| it.default_channel).unwrap_or_default();
    let channels: Vec<String> =
        entries.iter().filter(|it| it.bundle == dependency.bundle).map(|it| it.channel.clone()).collect();
    let channel = match dependency.channel.as_str() {
        "" => channels.iter().find(|it| **it == default).or(channels.first()).cloned().unwrap_or_default(),
        known => known.to_owned(),
    };
    let of_channel = entries.iter().filter(|it| it.channel == channel).map(|it| Entry {
        name: it.bundle.clone(),
        replaces: it.replaces.clone(),
        skips: it.skips.clone(),
        skip_range: it.skip_range.clone(),
    });
    let of_channel: Vec<Entry> = of_channel.collect();
    let is_head = super::graph::heads(&of_channel).contains(&dependency.bundle.as_str());
    let bundles = index.bundles(&filter)?;
    let version =
        bundles.into_iter().find(|it| it.bundle == dependency.bundle).map(|it| it.version).unwrap_or_default();
    Ok(Place { is_default: channel == default, channel, version, is_head })
}

/// Puts a dependency into what is asked of its catalog. Gives whether that changes anything.
pub fn ask_for(operator: &mut Operator, dependency: &Dependency, place: &Place) -> bool {
    // Everything is taken already, or the head of each channel.
    if operator.packages.is_empty() && (operator.full || place.is_head) {
        return false;
    }
    if operator.packages.is_empty() {
        return false;
    }
    let range =
        if place.is_head || operator.full { Range::default() } else { Range::new(&place.version, &place.version) };
    let channel = Channel { name: place.channel.clone(), range, ..Channel::default() };
    match operator.packages.iter_mut().find(|it| it.name == dependency.package) {
        None => {
            let default_channel = if place.is_default { String::new() } else { place.channel.clone() };
            operator.packages.push(Package {
                name: dependency.package.clone(),
                default_channel,
                range: Range::default(),
                channels: vec![channel],
                ..Package::default()
            });
            true
        }
        Some(package) if package.channels.is_empty() || package.channels.iter().any(|it| it.name == place.channel) => {
            false
        }
        Some(package) => {
            let range = if package.range.is_empty() { channel.range } else { Range::default() };
            package.channels.push(Channel { range, ..channel });
            true
        }
    }
}
