//! The bundles that may follow the installed one (`docs/behaviour/olm-v1.md` 2.5).

use std::collections::{BTreeSet, HashMap};

use super::catalog::{BestEntry, BestFirst, Catalog, EntryPlace, rank, within};
use super::property::explicit_version;
use crate::upgrade::target::{Field, NamedVersion, Permit};
use olmdex_base::diag::Place;
use olmdex_version::{Holding, Version, VersionRelease};

/// The entries that the installed bundle has edges to, in order.
///
/// Given channels restrict the edges too: one that exists only in another channel does not count.
fn entries_after(
    catalog: &Catalog,
    installed: &NamedVersion,
    version: Option<&Version>,
    counting: Option<&[usize]>,
) -> BTreeSet<EntryPlace> {
    let lookup = &catalog.lookup;
    let named = lookup.successors.get(&installed.name).map_or(&[][..], Vec::as_slice);
    let in_range = version.into_iter().flat_map(|it| lookup.holding.all(it)).map(|place| lookup.ranged[place as usize]);
    let in_range = in_range.filter(|place| counts(counting, place.channel));
    within(named, counting).chain(in_range).collect()
}

/// Whether a channel is among those that count, which are in order.
fn counts(counting: Option<&[usize]>, channel: usize) -> bool {
    counting.is_none_or(|numbers| numbers.binary_search(&channel).is_ok())
}

/// Whether the range of an entry holds a version. A range with an empty group, on which the real system crashes,
/// contains nothing.
fn holds(catalog: &Catalog, place: EntryPlace, version: Option<&Version>) -> bool {
    let range = catalog.entry(place).range.as_ref();
    range.zip(version).is_some_and(|(range, version)| range.contains(version).unwrap_or(false))
}

/// The edges from the installed bundle in the channels that count, by the name of the bundle that they lead to.
pub fn permits<'c>(
    catalog: &'c Catalog,
    installed: &NamedVersion,
    channels: &[String],
) -> HashMap<&'c str, Vec<Permit>> {
    // Ranges are asked about the version as it is written; a release plays no part.
    let version = Version::parse(&installed.version).ok();
    let mut found: HashMap<&str, Vec<Permit>> = HashMap::new();
    for place in entries_after(catalog, installed, version.as_ref(), catalog.counting(channels).as_deref()) {
        let name = catalog.entry(place).fields.name.as_str();
        add_permits(catalog, installed, version.as_ref(), place, found.entry(name).or_default());
    }
    found
}

/// The edges from the installed bundle to one other, in the channels that count: [`permits`] of one.
pub(in crate::upgrade) fn permits_to(
    catalog: &Catalog,
    bundle: &str,
    installed: &NamedVersion,
    channels: &[String],
) -> Vec<Permit> {
    let entries = catalog.lookup.entries.get(bundle).map_or(&[][..], Vec::as_slice);
    let entries: Vec<EntryPlace> = within(entries, catalog.counting(channels).as_deref()).collect();
    permits_of(catalog, installed, &entries)
}

/// The fields of some entries that lead from the installed bundle, in their order.
pub(in crate::upgrade) fn permits_of(
    catalog: &Catalog,
    installed: &NamedVersion,
    entries: &[EntryPlace],
) -> Vec<Permit> {
    let version = Version::parse(&installed.version).ok();
    let mut permits = Vec::new();
    for &place in entries {
        add_permits(catalog, installed, version.as_ref(), place, &mut permits);
    }
    permits
}

fn add_permits(
    catalog: &Catalog,
    installed: &NamedVersion,
    version: Option<&Version>,
    place: EntryPlace,
    permits: &mut Vec<Permit>,
) {
    let channel = &catalog.channels[place.channel];
    let (at, entry) = (place.entry, &catalog.entry(place).fields);
    let mut add = |field: Field, value: &str, at: Place| {
        permits.push(Permit::new(&channel.name, &entry.name, field, value, at));
    };
    if entry.replaces == installed.name {
        add(Field::Replaces, &entry.replaces, channel.places.replaces(at));
    }
    if let Some(item) = entry.skips.iter().position(|it| *it == installed.name) {
        add(Field::Skips, &installed.name, channel.places.skip(at, item));
    }
    if holds(catalog, place, version) {
        add(Field::SkipRange, &entry.skip_range, channel.places.skip_range(at));
    }
}

/// The candidates that edges from the installed bundle lead to, by their places: [`permits`] without the reasons.
pub(super) fn successor_places(catalog: &Catalog, installed: &NamedVersion, counting: Option<&[usize]>) -> Vec<usize> {
    let version = Version::parse(&installed.version).ok();
    let entries = entries_after(catalog, installed, version.as_ref(), counting).into_iter();
    entries.filter_map(|it| catalog.candidate_of(it)).collect()
}

/// The best allowed candidate with an entry whose range holds the installed bundle. The search goes from the best down,
/// since a way of ten thousand steps cannot look at all of ten thousand candidates at each.
pub(super) fn best_in_range(
    catalog: &Catalog,
    installed: &NamedVersion,
    counting: Option<&[usize]>,
    is_allowed: impl Fn(usize) -> bool,
) -> Option<usize> {
    let lookup = &catalog.lookup;
    let BestFirst { entries, holding } = lookup.best.get_or_init(|| {
        let ranged = lookup.ranged.iter().filter_map(|it| Some((*it, catalog.candidate_of(*it)?)));
        let mut ranged: Vec<(EntryPlace, usize)> = ranged.collect();
        ranged.sort_by_key(|it| (rank(&catalog.candidates[it.1]), it.1));
        let ranges = ranged.iter().filter_map(|it| catalog.entry(it.0).range.as_ref());
        let holding = Holding::new((0_u32..).zip(ranges));
        let best = |&(place, candidate): &(EntryPlace, usize)| BestEntry { channel: place.channel, candidate };
        BestFirst { entries: ranged.iter().map(best).collect(), holding }
    });
    let version = Version::parse(&installed.version).ok()?;
    let mut lists: Vec<&[u32]> = holding.nodes_of(&version).map(|it| holding.list(it)).collect();
    loop {
        lists.retain(|it| !it.is_empty());
        let next = lists.iter_mut().min_by_key(|it| it[0])?;
        let BestEntry { channel, candidate } = entries[next[0] as usize];
        *next = &next[1..];
        if counts(counting, channel) && is_allowed(candidate) {
            return Some(candidate);
        }
    }
}

/// The candidates that entries replacing or skipping the installed bundle lead to.
pub(super) fn named_places(catalog: &Catalog, installed: &NamedVersion, counting: Option<&[usize]>) -> Vec<usize> {
    entries_after(catalog, installed, None, counting).into_iter().filter_map(|it| catalog.candidate_of(it)).collect()
}

/// Version and release of the installed bundle (`docs/behaviour/olm-v1.md` 1.4.8).
pub(in crate::upgrade) fn installed_version(installed: &NamedVersion) -> Result<VersionRelease, String> {
    match &installed.release {
        None => Version::parse(&installed.version)
            .map(VersionRelease::from_build_metadata)
            .map_err(|error| format!("failed to get version and release of installed bundle: {error}")),
        Some(release) => explicit_version(&installed.version, release)
            .map_err(|error| format!("failed to parse installed bundle version and release: {error}")),
    }
}
