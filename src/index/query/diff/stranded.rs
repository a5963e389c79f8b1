//! Versions that a new catalog leaves without a way out.
//!
//! A way out is any edge to another version, also from a name that is only mentioned by `replaces` or `skips`, and for a
//! version that is in no channel any more also a `skipRange` that holds it. What it deliberately does not do: it does not
//! ask whether OLM would take that way.

use std::collections::BTreeMap;

use super::Subject;
use super::facts::Facts;
use super::thing::Thing;
use crate::version::Version;
use crate::version::blang::Range;

/// A version without a way out.
pub(super) struct Stranded {
    pub(super) bundle: Thing,
    /// The channels that had it.
    pub(super) old_channels: String,
    /// The channels that still have it.
    pub(super) new_channels: Option<String>,
}

pub(super) fn find(old: &Facts, new: &Facts) -> Vec<Stranded> {
    let (was, is) = (channels_of(old), channels_of(new));
    let mut found = Vec::new();
    for (name @ (package, bundle), channels) in &was {
        let owned = ((*package).to_owned(), (*bundle).to_owned());
        if new.ways_out.contains(&owned) {
            continue;
        }
        let is_stranded = match is.contains_key(name) {
            true => old.ways_out.contains(&owned) && !new.heads.contains(&owned),
            false => !old.versions.get(&owned).is_some_and(|it| is_skipped(package, &it.upstream, new)),
        };
        if is_stranded {
            found.push(Stranded {
                bundle: Thing::new(Subject::Bundle, package, "", bundle),
                old_channels: channels.join(", "),
                new_channels: is.get(name).map(|it| it.join(", ")),
            });
        }
    }
    found
}

/// Package and bundle to the channels that list it.
fn channels_of(facts: &Facts) -> BTreeMap<(&str, &str), Vec<&str>> {
    let mut channels: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for thing in facts.things.keys().filter(|it| it.subject == Subject::Entry) {
        channels.entry((&thing.package, &thing.bundle)).or_default().push(&thing.channel);
    }
    channels
}

/// Whether a `skipRange` of the package holds the version.
fn is_skipped(package: &str, version: &str, facts: &Facts) -> bool {
    let Ok(version) = Version::parse(version) else { return false };
    let ranges = facts.skip_ranges.get(package);
    ranges
        .into_iter()
        .flatten()
        .any(|range| Range::parse(range).is_ok_and(|range| range.contains(&version).unwrap_or(false)))
}
