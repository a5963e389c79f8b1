//! The configuration that keeps the same as a request of the command line, or as a file in an old version.

use std::collections::BTreeSet;

use super::catalog::Catalog;
use super::configuration::{Channel, Configuration, Operator, Package, Range};
use super::filter::{FilterVersion, NamelessError, PackageExtent, filter};
use super::outputs::configuration;
use super::place::OutputError;
use super::repair::{Request, survivors};
use super::verify::verify;

/// The configuration that keeps the same of catalogs, as YAML, and the requests that it does not express, in words. The
/// catalogs come with the requests for them.
///
/// # Errors
/// [`OutputError`]
pub fn equivalent<'c>(
    asked: &Configuration,
    catalogs: impl IntoIterator<Item = (&'c Catalog, &'c Operator)>,
) -> Result<(String, Vec<String>), OutputError> {
    let (mut operators, mut losses) = (Vec::new(), Vec::new());
    for (catalog, operator) in catalogs {
        if operator.previous == 0 {
            operators.push(operator.clone());
            continue;
        }
        let (ranged, inexact) = as_ranges(catalog, operator)?;
        losses.extend(inexact.into_iter().map(|package| {
            format!(
                "package `{package}`: version ranges in a configuration keep other versions than `--previous` does; \
                `-o json` writes the catalog itself"
            )
        }));
        operators.push(ranged);
    }
    let written = Configuration { operators, ..asked.clone() };
    verify(&written).map_err(OutputError::Configuration)?;
    // The reader of the file has reported the fate of these already.
    let is_reported = |field: &str| [".minbundle", ".originalref"].iter().any(|it| field.to_lowercase().ends_with(it));
    let old_fields = written.old_fields.iter().filter(|field| !is_reported(field));
    losses.extend(old_fields.map(|field| {
        format!("`{field}` is a field of v1alpha2 that v2alpha1 does not have: olmdex does not write it")
    }));
    Ok((configuration(&written).to_yaml(), losses))
}

/// An equivalent request by ranges, and the packages of which ranges keep more or less than heads with the versions
/// before them.
///
/// # Errors
/// If the operator asks for something that no catalog could have.
fn as_ranges(catalog: &Catalog, operator: &Operator) -> Result<(Operator, Vec<String>), NamelessError> {
    let release = FilterVersion::default();
    let kept = filter(catalog, operator, release)?;
    let names: Vec<&String> = match operator.packages.as_slice() {
        [] => catalog.packages.keys().filter(|it| !it.is_empty()).collect(),
        asked => asked.iter().map(|it| &it.name).collect(),
    };
    let mut ranged = Operator { previous: 0, packages: Vec::new(), ..operator.clone() };
    for name in names {
        let mut package = Request::of(operator, name).package;
        if let (Some(facts), Some(Ok(PackageExtent::Part(part)))) =
            (catalog.packages.get(name), kept.packages.get(name))
            && package.range.is_empty()
        {
            let versions = facts.versions();
            let asked = std::mem::take(&mut package.channels);
            for (channel, entries) in &part.channels {
                let own = asked.iter().find(|it| it.name == *channel);
                let lowest = entries.iter().filter_map(|it| versions.get(it.as_str())).min();
                let range = match (own.filter(|it| !it.range.is_empty()), lowest) {
                    (Some(own), _) => own.range.clone(),
                    (None, Some(lowest)) if entries.len() > 1 => Range::new(&lowest.to_string(), ""),
                    (None, _) => Range::default(),
                };
                let min_bundle = own.map(|it| it.min_bundle.clone()).unwrap_or_default();
                package.channels.push(Channel { name: channel.clone(), range, min_bundle });
            }
        }
        ranged.packages.push(package);
    }
    let differs = |package: &Package| {
        let facts = catalog.packages.get(&package.name)?;
        let of = |operator: &Operator| -> BTreeSet<(String, BTreeSet<String>)> {
            survivors(&package.name, facts, &Request::of(operator, &package.name), release).into_iter().collect()
        };
        (of(operator) != of(&ranged)).then(|| package.name.clone())
    };
    let inexact = ranged.packages.iter().filter_map(differs).collect();
    Ok((ranged, inexact))
}
