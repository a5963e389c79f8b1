//! Which bundles may follow the installed one (`spec/olm-v1.md` 2.5).

use std::collections::{BTreeSet, HashMap};

use super::catalog::Catalog;
use super::property::explicit_version;
use super::resolve::Installed;
use crate::upgrade::permit::{Field, Permit};
use crate::version::blang::Range;
use crate::version::{Version, VersionRelease};

/// The edges from the installed bundle in the channels that count, by the name of the bundle that they lead to.
///
/// Given channels restrict the edges too: one that exists only in another channel does not count.
#[must_use]
pub fn permits<'c>(catalog: &'c Catalog, installed: &Installed, channels: &[String]) -> HashMap<&'c str, Vec<Permit>> {
    // Ranges are asked about the version as it is written; a release plays no part.
    let version = Version::parse(&installed.version).ok();
    let lookup = &catalog.lookup;
    let named = lookup.successors.get(&installed.name).map_or(&[][..], Vec::as_slice);
    // An empty group of a range, on which the real system crashes, contains nothing.
    let holds = |range: &Range| version.as_ref().is_some_and(|it| range.contains(it).unwrap_or(false));
    let in_range =
        lookup.ranged.iter().filter(|(channel, at)| catalog.channels[*channel].ranges[*at].as_ref().is_some_and(holds));
    let places: BTreeSet<(usize, usize)> = named.iter().chain(in_range).copied().collect();
    let mut found: HashMap<&str, Vec<Permit>> = HashMap::new();
    for (number, at) in places {
        let channel = &catalog.channels[number];
        if !channels.is_empty() && !channels.contains(&channel.name) {
            continue;
        }
        let entry = &channel.entries[at];
        let mut add = |field: Field, value: &str| {
            found.entry(&entry.name).or_default().push(Permit {
                channel: channel.name.clone(),
                entry: entry.name.clone(),
                field,
                value: value.to_owned(),
                file: channel.file.clone(),
                line: channel.line,
            });
        };
        if entry.replaces == installed.name {
            add(Field::Replaces, &entry.replaces);
        }
        if entry.skips.contains(&installed.name) {
            add(Field::Skips, &installed.name);
        }
        if channel.ranges[at].as_ref().is_some_and(holds) {
            add(Field::SkipRange, &entry.skip_range);
        }
    }
    found
}

/// The candidates that edges from the installed bundle lead to, by their places: [`permits`] without the reasons.
pub(super) fn successor_places(catalog: &Catalog, installed: &Installed, channels: &[String]) -> Vec<usize> {
    let version = Version::parse(&installed.version).ok();
    let lookup = &catalog.lookup;
    let named = lookup.successors.get(&installed.name).map_or(&[][..], Vec::as_slice);
    let holds = |range: &Range| version.as_ref().is_some_and(|it| range.contains(it).unwrap_or(false));
    let in_range =
        lookup.ranged.iter().filter(|(channel, at)| catalog.channels[*channel].ranges[*at].as_ref().is_some_and(holds));
    let places = named.iter().chain(in_range).filter_map(|&(number, at)| {
        let channel = &catalog.channels[number];
        let counts = channels.is_empty() || channels.contains(&channel.name);
        if counts { lookup.candidates.get(&channel.entries[at].name).copied() } else { None }
    });
    places.collect()
}

/// Version and release of the installed bundle (`spec/olm-v1.md` 1.4.8).
pub(super) fn installed_version(installed: &Installed) -> Result<VersionRelease, String> {
    match &installed.release {
        None => Version::parse(&installed.version)
            .map(VersionRelease::from_build_metadata)
            .map_err(|error| format!("failed to get version and release of installed bundle: {error}")),
        Some(release) => explicit_version(&installed.version, release)
            .map_err(|error| format!("failed to parse installed bundle version and release: {error}")),
    }
}
