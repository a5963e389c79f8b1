//! Heads with versions before them, in the words of a configuration, which has only ranges.

use std::collections::BTreeSet;

use super::catalog::Catalog;
use super::configuration::{Channel, Operator, Package, Range};
use super::filter::{FilterVersion, NamelessError, PackageExtent, filter};
use super::repair::Request;
use super::repair::survivors;

/// An equivalent request by ranges, and the packages of which ranges keep more or less than heads with the versions
/// before them.
///
/// # Errors
/// If the operator asks for something that no catalog could have.
pub(super) fn as_ranges(catalog: &Catalog, operator: &Operator) -> Result<(Operator, Vec<String>), NamelessError> {
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
