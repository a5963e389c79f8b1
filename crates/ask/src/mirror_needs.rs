//! The dependencies of the operators that a mirror keeps.

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use super::error::AskError;
use super::mirror_catalog::MirrorCatalog;
use olmdex_compose::mirror::{self, FilterVersion, Filtered, Operator, PackageExtent, ask_for, heads};
use olmdex_fbc::Entry;
use olmdex_index::query::BundlePlace;
use olmdex_index::{Builder, CatalogSpec, Index, IndexError, Mode};
use olmdex_olm::resolve::{Options, left_out, needs};

/// A remark about a dependency, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MirrorRemark {
    /// It was added.
    Added(String),
    /// Nothing meets the requirement, or only a catalog that is not mirrored.
    Missing(String),
}

/// Adds to catalogs the dependencies of the heads of their kept channels.
///
/// # Errors
/// If there is no resolution, or an index cannot be read.
pub fn with_mirror_needs(
    catalogs: Vec<MirrorCatalog>,
    release: FilterVersion,
    options: &Options,
) -> Result<(Vec<MirrorCatalog>, Vec<MirrorRemark>), AskError> {
    let Some(first) = catalogs.first() else { return Ok((catalogs, Vec::new())) };
    let (index, names) = index_of(first, &catalogs)?;
    let (operators, mut remarks) = added(&index, &kept(&catalogs, &names), release, options)?;
    let each = catalogs.into_iter().zip(operators).map(|(catalog, operator)| match operator {
        Some(operator) => catalog.with(operator),
        None => Ok(catalog),
    });
    let catalogs = each.collect::<Result<Vec<_>, _>>()?;
    // A range of the configuration may leave out a dependency; the ranges do not change.
    let left_out = left_out_of_mirror(&index, &kept(&catalogs, &names), release, options)?;
    remarks.extend(left_out.into_iter().map(MirrorRemark::Missing));
    Ok((catalogs, remarks))
}

/// An index of all catalogs, and their names in it: the one that they come from, or else one that is made.
fn index_of(first: &MirrorCatalog, catalogs: &[MirrorCatalog]) -> Result<(Rc<Index>, Vec<String>), IndexError> {
    let path = |catalog: &MirrorCatalog| catalog.index.as_ref().map(|(index, _)| Path::to_owned(index.path()));
    if let Some((index, _)) = &first.index
        && catalogs.iter().all(|catalog| path(catalog) == path(first))
    {
        let names = catalogs.iter().filter_map(|catalog| Some(catalog.index.as_ref()?.1.clone()));
        return Ok((Rc::clone(index), names.collect()));
    }
    let mut builder = Builder::in_memory();
    for catalog in catalogs {
        let (name, source) = (catalog.name.clone(), catalog.operator.catalog.clone());
        let spec = CatalogSpec { name, source, ..CatalogSpec::default() };
        match &catalog.index {
            Some((index, name)) => builder.add_catalog(&spec, &index.catalog_input(name)?, Mode::Tolerant)?,
            None => builder.add_catalog(&spec, &catalog.input, Mode::Tolerant)?,
        };
    }
    let names = catalogs.iter().map(|catalog| catalog.name.clone()).collect();
    Ok((Rc::new(builder.into_index()?), names))
}

/// A catalog, and its name in the index of all.
struct KeptOperators<'q> {
    name: &'q str,
    of: &'q MirrorCatalog,
}

fn kept<'q>(catalogs: &'q [MirrorCatalog], names: &'q [String]) -> Vec<KeptOperators<'q>> {
    catalogs.iter().zip(names).map(|(of, name)| KeptOperators { name, of }).collect()
}

/// For each catalog the wanted part with its dependencies, `None` if that is no more than before, and the remarks about
/// them.
fn added(
    index: &Index,
    kept: &[KeptOperators<'_>],
    release: FilterVersion,
    options: &Options,
) -> Result<(Vec<Option<Operator>>, Vec<MirrorRemark>), AskError> {
    let mut heads = BTreeSet::new();
    for it in kept {
        if let Ok(filtered) = mirror::filter(&it.of.catalog, &it.of.operator, release) {
            it.add_heads(&filtered, &mut heads);
        }
    }
    let found = needs(index, &Vec::from_iter(heads), options)?;
    let mut operators: Vec<Operator> = kept.iter().map(|it| it.of.operator.clone()).collect();
    let mut is_changed = vec![false; operators.len()];
    let mut remarks: Vec<MirrorRemark> = found.missing.into_iter().map(MirrorRemark::Missing).collect();
    for dependency in &found.dependencies {
        let (catalog, package, bundle) = (&dependency.catalog, &dependency.package, &dependency.bundle);
        let place = index.channel_place(catalog, package, bundle, &dependency.channel)?;
        let because = dependency.because.join("; ");
        let Some(at) = kept.iter().position(|it| it.name == catalog) else {
            remarks.push(MirrorRemark::Missing(format!(
                "{because}: {bundle} of catalog `{catalog}` meets the requirement, but the configuration does not have \
                it"
            )));
            continue;
        };
        if ask_for(&mut operators[at], package, &place) {
            is_changed[at] = true;
            let mut text =
                format!("added package `{package}`, channel `{}`, of {}: {because}", place.channel, kept[at].of.name);
            if !dependency.others.is_empty() {
                text.push_str(&format!("; preferred to {}", dependency.others.join(", ")));
            }
            remarks.push(MirrorRemark::Added(text));
        }
    }
    Ok((operators.into_iter().zip(is_changed).map(|(it, changed)| changed.then_some(it)).collect(), remarks))
}

/// The dependencies that the ranges of a configuration leave out, in words.
fn left_out_of_mirror(
    index: &Index,
    kept: &[KeptOperators<'_>],
    release: FilterVersion,
    options: &Options,
) -> Result<Vec<String>, AskError> {
    let (mut heads, mut bundles) = (BTreeSet::new(), BTreeSet::new());
    for it in kept {
        let Ok(filtered) = mirror::filter(&it.of.catalog, &it.of.operator, release) else { continue };
        let of_catalog = mirror::bundles(&it.of.catalog, &filtered);
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
            let (Ok(extent), Some(facts)) = (extent, self.of.catalog.packages.get(package)) else { continue };
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
