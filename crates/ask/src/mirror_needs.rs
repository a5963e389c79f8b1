//! The dependencies of the operators that a mirror keeps.

use std::collections::BTreeSet;

use super::error::AskError;
use olmdex_compose::mirror::{self, Catalog, FilterVersion, Filtered, Operator, PackageExtent, ask_for, heads};
use olmdex_fbc::Entry;
use olmdex_index::Index;
use olmdex_index::query::BundlePlace;
use olmdex_olm::resolve::{Options, left_out, needs};

/// The part of a catalog that a mirror keeps.
#[derive(Debug)]
pub struct KeptOperators<'q> {
    /// The name of the catalog in the index.
    pub name: &'q str,
    /// Its name for people.
    pub shown: &'q str,
    /// The catalog, as filters see it.
    pub catalog: &'q Catalog,
    /// The wanted part.
    pub operator: &'q Operator,
}

/// The dependencies of what a mirror keeps.
#[derive(Debug, Default)]
pub struct MirrorNeeds {
    /// For each catalog the wanted part with its dependencies; `None` if that is no more than before.
    pub operators: Vec<Option<Operator>>,
    /// The remarks about dependencies, in their order.
    pub remarks: Vec<MirrorRemark>,
}

/// A remark about a dependency, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MirrorRemark {
    /// It was added.
    Added(String),
    /// Nothing meets the requirement, or only a catalog that is not mirrored.
    Missing(String),
}

/// Adds the dependencies of the heads of the kept channels. The index has all catalogs.
///
/// # Errors
/// If there is no resolution, or the index cannot be read.
pub fn mirror_needs(
    index: &Index,
    kept: &[KeptOperators<'_>],
    release: FilterVersion,
    options: &Options,
) -> Result<MirrorNeeds, AskError> {
    let mut heads = BTreeSet::new();
    for it in kept {
        if let Ok(filtered) = mirror::filter(it.catalog, it.operator, release) {
            it.add_heads(&filtered, &mut heads);
        }
    }
    let found = needs(index, &Vec::from_iter(heads), options)?;
    let mut operators: Vec<Operator> = kept.iter().map(|it| it.operator.clone()).collect();
    let mut is_changed = vec![false; operators.len()];
    let remarks = found.missing.into_iter().map(MirrorRemark::Missing).collect();
    let mut answer = MirrorNeeds { remarks, ..MirrorNeeds::default() };
    for dependency in &found.dependencies {
        let (catalog, package, bundle) = (&dependency.catalog, &dependency.package, &dependency.bundle);
        let place = index.channel_place(catalog, package, bundle, &dependency.channel)?;
        let because = dependency.because.join("; ");
        let Some(at) = kept.iter().position(|it| it.name == catalog) else {
            answer.remarks.push(MirrorRemark::Missing(format!(
                "{because}: {bundle} of catalog `{catalog}` meets the requirement, but the configuration does not have \
                it"
            )));
            continue;
        };
        if ask_for(&mut operators[at], package, &place) {
            is_changed[at] = true;
            let mut text =
                format!("added package `{package}`, channel `{}`, of {}: {because}", place.channel, kept[at].shown);
            if !dependency.others.is_empty() {
                text.push_str(&format!("; preferred to {}", dependency.others.join(", ")));
            }
            answer.remarks.push(MirrorRemark::Added(text));
        }
    }
    answer.operators = operators.into_iter().zip(is_changed).map(|(it, changed)| changed.then_some(it)).collect();
    Ok(answer)
}

/// The dependencies that the ranges of a configuration leave out, in words.
///
/// # Errors
/// If there is no resolution, or the index cannot be read.
pub fn left_out_of_mirror(
    index: &Index,
    kept: &[KeptOperators<'_>],
    release: FilterVersion,
    options: &Options,
) -> Result<Vec<String>, AskError> {
    let (mut heads, mut bundles) = (BTreeSet::new(), BTreeSet::new());
    for it in kept {
        let Ok(filtered) = mirror::filter(it.catalog, it.operator, release) else { continue };
        let of_catalog = mirror::bundles(it.catalog, &filtered);
        bundles
            .extend(of_catalog.map(|(package, bundle)| (it.name.to_owned(), package.to_owned(), bundle.name.clone())));
        it.add_heads(&filtered, &mut heads);
    }
    Ok(left_out(index, &Vec::from_iter(heads), &bundles, options)?)
}

impl KeptOperators<'_> {
    /// Adds the heads of the kept channels.
    fn add_heads(&self, filtered: &Filtered, found: &mut BTreeSet<BundlePlace>) {
        for (package, extent) in &filtered.packages {
            let (Ok(extent), Some(facts)) = (extent, self.catalog.packages.get(package)) else { continue };
            for channel in &facts.channels {
                let is_kept = |entry: &&Entry| match extent {
                    PackageExtent::Whole => true,
                    PackageExtent::Part(part) => {
                        part.channels.get(&channel.name).is_some_and(|kept| kept.contains(&entry.name))
                    }
                };
                let entries: Vec<_> = channel.entries.iter().filter(is_kept).cloned().collect();
                let has = |bundle: &&&str| facts.bundles.iter().any(|it| it.name == **bundle);
                let place = |head: &&str| (self.name.to_owned(), package.clone(), (*head).to_owned());
                found.extend(heads(&entries).iter().filter(has).map(place));
            }
        }
    }
}
