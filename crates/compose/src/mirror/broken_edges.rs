//! Repairs what the real filter leaves invalid (`docs/behaviour/authoring.md` D.3, the steps 5 to 7).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::catalog::{Catalog, PackageFacts};
use super::filter::{Filtered, PackageExtent, Part};
use olmdex_fbc::Entry;
use olmdex_version::Version;

/// A repair that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CatalogRepair {
    /// The default channel was not kept.
    Default {
        package: String,
        /// The old one; empty if the package had none.
        old: String,
        /// The new one.
        new: String,
    },
    /// A deprecation of a channel that is not kept was left out.
    Deprecation { package: String, channel: String },
    /// An entry without a bundle was left out, and its neighbours joined.
    Entry { package: String, channel: String, entry: String },
    /// A bundle that is in no channel was left out.
    Bundle { package: String, bundle: String },
    /// Nothing is left of a package.
    Nothing { package: String },
}

impl fmt::Display for CatalogRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default { package, old, new } if old.is_empty() => {
                write!(f, "package `{package}` has no default channel: `{new}` becomes the default")
            }
            Self::Default { package, old, new } => {
                write!(f, "the default channel `{old}` of package `{package}` is empty: `{new}` becomes the default")
            }
            Self::Deprecation { package, channel } => {
                write!(
                    f,
                    "left out the deprecation of channel `{channel}` of package `{package}`, which the configuration \
                    does not keep"
                )
            }
            Self::Entry { package, channel, entry } => write!(
                f,
                "left out the entry `{entry}` of channel `{channel}` of package `{package}`, which has no bundle, and \
                connected its neighbours"
            ),
            Self::Bundle { package, bundle } => {
                write!(f, "left out the bundle `{bundle}` of package `{package}`, which is in no kept channel")
            }
            Self::Nothing { package } => {
                write!(f, "left out package `{package}`: the range includes none of its versions")
            }
        }
    }
}

/// Repairs the kept packages, and returns the repairs that it made.
pub fn mend(catalog: &Catalog, filtered: &mut Filtered) -> Vec<CatalogRepair> {
    let mut repairs = Vec::new();
    let mut empty = Vec::new();
    for (name, kept) in &mut filtered.packages {
        let (Ok(PackageExtent::Part(part)), Some(facts)) = (kept, catalog.packages.get(name)) else { continue };
        if mend_package(name, facts, part, &mut repairs).is_none() {
            repairs.push(CatalogRepair::Nothing { package: name.clone() });
            empty.push(name.clone());
        }
    }
    for name in empty {
        filtered.packages.remove(&name);
    }
    repairs
}

/// Repairs a package; `None` if nothing is left of it.
pub(super) fn mend_package(
    name: &str,
    facts: &PackageFacts,
    part: &mut Part,
    repairs: &mut Vec<CatalogRepair>,
) -> Option<()> {
    entries(name, facts, part, repairs);
    part.channels.retain(|_, kept| !kept.is_empty());
    if !part.channels.contains_key(&part.default_channel) && facts.is_there {
        let new = (*ranked_channels(facts, part).first()?).to_owned();
        let old = std::mem::replace(&mut part.default_channel, new.clone());
        repairs.push(CatalogRepair::Default { package: name.to_owned(), old, new });
    }
    for channel in &facts.deprecated_channels {
        if part.asked.contains(channel) && !part.channels.contains_key(channel) {
            repairs.push(CatalogRepair::Deprecation { package: name.to_owned(), channel: channel.clone() });
        }
    }
    part.asked = part.channels.keys().cloned().collect();
    let listed: BTreeSet<&String> = part.channels.values().flatten().collect();
    let stray: Vec<String> = part.bundles.iter().filter(|it| !listed.contains(it)).cloned().collect();
    for bundle in stray {
        part.bundles.remove(&bundle);
        repairs.push(CatalogRepair::Bundle { package: name.to_owned(), bundle });
    }
    Some(())
}

/// The channels that are kept and not empty: the one with the highest version first; among equal ones the catalog's
/// default channel, then the one whose head in the catalog is highest, then the first by name.
pub(super) fn ranked_channels<'p>(facts: &PackageFacts, part: &'p Part) -> Vec<&'p str> {
    let versions = facts.versions();
    let highest = |names: &mut dyn Iterator<Item = &str>| -> Option<Version> {
        names.filter_map(|it| versions.get(it)).max().map(|it| (*it).clone())
    };
    let key = |name: &str, kept: &BTreeSet<String>| {
        let of_kept = highest(&mut kept.iter().map(String::as_str));
        let of_all = facts.channel(name).and_then(|it| highest(&mut it.entries.iter().map(|it| it.name.as_str())));
        (of_kept, name == facts.default_channel, of_all)
    };
    let kept = part.channels.iter().filter(|it| !it.1.is_empty());
    let mut ranked: Vec<_> = kept.map(|(name, kept)| (key(name, kept), name.as_str())).collect();
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    ranked.into_iter().map(|it| it.1).collect()
}

/// Takes entries without a bundle out of channels. An entry that replaced one now replaces its target, and skips it
/// with everything that it skipped.
fn entries(name: &str, facts: &PackageFacts, part: &mut Part, repairs: &mut Vec<CatalogRepair>) {
    let bundles: BTreeSet<&str> = facts.bundles.iter().map(|it| it.name.as_str()).collect();
    for channel in &facts.channels {
        let Some(kept) = part.channels.get_mut(&channel.name) else { continue };
        let gone: BTreeMap<&str, &Entry> = channel
            .entries
            .iter()
            .filter(|it| kept.contains(&it.name) && !bundles.contains(it.name.as_str()))
            .map(|it| (it.name.as_str(), it))
            .collect();
        if gone.is_empty() {
            continue;
        }
        for entry in gone.keys() {
            kept.remove(*entry);
            let (package, channel) = (name.to_owned(), channel.name.clone());
            repairs.push(CatalogRepair::Entry { package, channel, entry: (*entry).to_owned() });
        }
        let relinked = part.relinked.entry(channel.name.clone()).or_default();
        for entry in channel.entries.iter().filter(|it| kept.contains(&it.name)) {
            let mut new = entry.clone();
            let mut seen = BTreeSet::new();
            while let Some(below) = gone.get(new.replaces.as_str())
                && seen.insert(below.name.as_str())
            {
                for skipped in std::iter::once(&below.name).chain(&below.skips) {
                    if !new.skips.contains(skipped) && *skipped != new.name {
                        new.skips.push(skipped.clone());
                    }
                }
                new.replaces = below.replaces.clone();
            }
            if new != *entry {
                relinked.insert(entry.name.clone(), new);
            }
        }
    }
}
