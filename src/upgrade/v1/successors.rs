//! Which bundles may follow the installed one (`spec/olm-v1.md` 2.5).

use std::collections::{BTreeSet, HashMap};

use super::catalog::Catalog;
use super::property::explicit_version;
use super::resolve::Installed;
use crate::upgrade::permit::{Field, Permit};
use crate::version::{Version, VersionRelease};

/// The entries (channel and place in it) that the installed bundle has edges to, in order.
///
/// Given channels restrict the edges too: one that exists only in another channel does not count.
fn entries_after(
    catalog: &Catalog,
    installed: &Installed,
    version: Option<&Version>,
    channels: &[String],
) -> BTreeSet<(usize, usize)> {
    let lookup = &catalog.lookup;
    let named = lookup.successors.get(&installed.name).map_or(&[][..], Vec::as_slice);
    let in_range = lookup.ranged.iter().filter(|(number, at)| holds(catalog, (*number, *at), version));
    let counts = |number: usize| channels.is_empty() || channels.contains(&catalog.channels[number].name);
    named.iter().chain(in_range).copied().filter(|(number, _)| counts(*number)).collect()
}

/// Whether the range of an entry holds a version. An empty group of a range, on which the real system crashes, contains
/// nothing.
fn holds(catalog: &Catalog, (number, at): (usize, usize), version: Option<&Version>) -> bool {
    let range = catalog.channels[number].ranges[at].as_ref();
    range.zip(version).is_some_and(|(range, version)| range.contains(version).unwrap_or(false))
}

/// The edges from the installed bundle in the channels that count, by the name of the bundle that they lead to.
#[must_use]
pub fn permits<'c>(catalog: &'c Catalog, installed: &Installed, channels: &[String]) -> HashMap<&'c str, Vec<Permit>> {
    // Ranges are asked about the version as it is written; a release plays no part.
    let version = Version::parse(&installed.version).ok();
    let mut found: HashMap<&str, Vec<Permit>> = HashMap::new();
    for (number, at) in entries_after(catalog, installed, version.as_ref(), channels) {
        let channel = &catalog.channels[number];
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
        if holds(catalog, (number, at), version.as_ref()) {
            add(Field::SkipRange, &entry.skip_range);
        }
    }
    found
}

/// The candidates that edges from the installed bundle lead to, by their places: [`permits`] without the reasons.
pub(super) fn successor_places(catalog: &Catalog, installed: &Installed, channels: &[String]) -> Vec<usize> {
    let version = Version::parse(&installed.version).ok();
    let entries = entries_after(catalog, installed, version.as_ref(), channels).into_iter();
    let name = |(number, at): (usize, usize)| &catalog.channels[number].entries[at].name;
    entries.filter_map(|it| catalog.lookup.candidates.get(name(it)).copied()).collect()
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
