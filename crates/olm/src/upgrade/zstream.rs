//! Z-streams: a channel in which every patch release of a minor version updates to the newest patch release of it
//! (OLM's "How do operator upgrades work"; `docs/behaviour/olm-classic.md` 6.4).
//!
//! The newest patch releases form the chain; each skips the earlier ones of its minor version, which stay as entries
//! that nothing leads to. Names that the channel only mentions, of releases that no longer exist, are kept as such: a
//! user who has one installed still has one way on.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

use super::check_graph::check_graph;
use super::rules;
use super::v1::bundle_version;
use olmdex_base::diag::{Finding, Rule};
use olmdex_fbc::Entry;
use olmdex_index::query::{NamesWithoutWay, PackageGraph};
use olmdex_version::blang::Range;
use olmdex_version::{Version, VersionRelease, version_in_name};

/// A channel as a z-stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZStream {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// Its minor versions, the highest first.
    pub streams: Vec<Stream>,
    /// Whether the channel is like that already.
    pub is_unchanged: bool,
    /// The entries, in the channel's order.
    #[serde(skip)]
    pub entries: Vec<Entry>,
    /// The findings about the new channel: versions of the old one without a way on, or with several.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

/// The patch releases of a minor version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stream {
    /// The minor version.
    pub minor: String,
    /// The newest patch release: the entry that all others update to.
    pub latest: String,
    /// The bundle that it replaces; empty if there is none.
    pub replaces: String,
    /// The names that it skips: the earlier patch releases, lowest first, then names that only mention releases.
    pub skips: Vec<String>,
    /// Its range, or empty. A range is kept if there was one, for this minor version only; in the lowest one also for
    /// all versions below.
    pub skip_range: String,
}

/// The reasons why there is no z-stream.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ZStreamError {
    /// The package has no such channel.
    #[error("package `{package}` has no channel `{channel}`")]
    NoChannel { package: String, channel: String },
    /// The order of patch releases is unknown.
    #[error("no version can be determined for {}", .0.join(", "))]
    NoVersion(Vec<String>),
    /// It cannot be decided which version is the newest.
    #[error("{} and {} have the same version", .0, .1)]
    SameVersion(String, String),
}

/// The rules that a z-stream must keep: a single way on for every name. (Only the latest releases are in the chain;
/// that is the purpose of a z-stream and needs no check.)
const INVARIANTS: [&Rule; 5] = [rules::NO_ORDER, rules::STRANDED, rules::AMBIGUOUS, rules::CIRCLE, rules::LOST];

/// Makes a z-stream of a channel.
///
/// # Errors
/// [`ZStreamError`]
pub fn z_stream(graph: &PackageGraph, channel: &str) -> Result<ZStream, ZStreamError> {
    let Some(old) = graph.channels.iter().find(|it| it.name == channel) else {
        let (package, channel) = (graph.package.clone(), channel.to_owned());
        return Err(ZStreamError::NoChannel { package, channel });
    };
    let streams = streams(&old.entries, &versions(graph, &old.entries)?)?;
    let entries = entries(&old.entries, &streams);
    Ok(ZStream {
        package: graph.package.clone(),
        channel: channel.to_owned(),
        streams,
        is_unchanged: *old.entries == *entries,
        findings: broken_invariants(graph, channel, &entries),
        entries,
    })
}

/// The minor versions of a channel's entries, the highest first.
fn streams(entries: &[Entry], versions: &HashMap<&str, VersionRelease>) -> Result<Vec<Stream>, ZStreamError> {
    let minors = by_minor(entries, versions)?;
    // The newest release of each minor version, ascending. The code below works with indexes into this list.
    let chain: Vec<(&VersionRelease, &str)> =
        minors.values().filter_map(|it| it.last_key_value().map(|(version, name)| (*version, *name))).collect();
    let ranged: BTreeSet<&str> =
        entries.iter().filter(|it| !it.skip_range.is_empty()).map(|it| it.name.as_str()).collect();
    let (mut mentioned, oldest) = mentioned(entries, versions, &chain);
    let mut streams = Vec::new();
    for (at, (&(major, minor), releases)) in minors.iter().enumerate() {
        let (version, latest) = chain[at];
        let earlier = releases.values().filter(|it| **it != latest).map(|it| (*it).to_owned());
        let mentioned: BTreeSet<String> = mentioned.remove(&at).unwrap_or_default();
        let replaces = match at.checked_sub(1) {
            Some(before) => chain[before].1.to_owned(),
            None => oldest.clone().unwrap_or_default(),
        };
        let skip_range = match at {
            0 => lowest_range(entries, versions, version).unwrap_or_default(),
            // Nothing is earlier than the first release of a minor version.
            _ if ranged.contains(latest) && version.version > Version::new(major, minor, 0) => {
                format!(">={major}.{minor}.0 <{}", version.version)
            }
            _ => String::new(),
        };
        streams.push(Stream {
            minor: format!("{major}.{minor}"),
            latest: latest.to_owned(),
            skips: earlier.chain(mentioned.into_iter().filter(|it| it != &replaces)).collect(),
            replaces,
            skip_range,
        });
    }
    streams.reverse();
    Ok(streams)
}

/// The releases of a minor version, ascending, with the names of their entries.
type Releases<'e> = BTreeMap<&'e VersionRelease, &'e str>;

/// The releases of each minor version.
fn by_minor<'e>(
    entries: &'e [Entry],
    versions: &'e HashMap<&str, VersionRelease>,
) -> Result<BTreeMap<(u64, u64), Releases<'e>>, ZStreamError> {
    let mut minors: BTreeMap<(u64, u64), Releases<'_>> = BTreeMap::new();
    for entry in entries {
        let version = &versions[entry.name.as_str()];
        let minor = minors.entry((version.version.major(), version.version.minor())).or_default();
        if let Some(other) = minor.insert(version, &entry.name).filter(|it| *it != entry.name) {
            return Err(ZStreamError::SameVersion(other.to_owned(), entry.name.clone()));
        }
    }
    Ok(minors)
}

/// The findings about a channel of these entries.
fn broken_invariants(graph: &PackageGraph, channel: &str, entries: &[Entry]) -> Vec<Finding> {
    let mut before = graph.clone();
    before.channels.retain(|it| it.name == channel);
    let mut after = before.clone();
    for it in &mut after.channels {
        it.entries = entries.into();
    }
    let mut findings = check_graph(&after, Some(&before), &NamesWithoutWay::new());
    findings.retain(|it| INVARIANTS.contains(&it.rule));
    findings
}

/// The versions of a channel's entries: from their bundles, or else from the ends of their names.
fn versions<'g>(
    graph: &'g PackageGraph,
    entries: &'g [Entry],
) -> Result<HashMap<&'g str, VersionRelease>, ZStreamError> {
    let mut versions = HashMap::new();
    for bundle in &graph.bundles {
        if let Some(version) = bundle.package_property.as_deref().and_then(|it| bundle_version(it, false).ok()) {
            versions.entry(bundle.name.as_str()).or_insert(version.value);
        }
    }
    let mut unknown = Vec::new();
    for entry in entries.iter().filter(|it| !versions.contains_key(it.name.as_str())).collect::<Vec<_>>() {
        match version_in_name(&entry.name) {
            Some(version) => {
                versions.insert(&entry.name, VersionRelease::from_build_metadata(version));
            }
            None => unknown.push(entry.name.clone()),
        }
    }
    if unknown.is_empty() { Ok(versions) } else { Err(ZStreamError::NoVersion(unknown)) }
}

/// The range of the lowest entry that has one, for versions below another: a user with a release that the channel never
/// had can still enter the channel.
fn lowest_range(entries: &[Entry], versions: &HashMap<&str, VersionRelease>, below: &VersionRelease) -> Option<String> {
    let ranged = entries.iter().filter(|it| Range::parse(&it.skip_range).is_ok());
    let lowest = ranged.min_by_key(|it| &versions[it.name.as_str()])?;
    let narrowed = lowest.skip_range.split("||").map(|part| format!("{} <{}", part.trim(), below.version));
    let narrowed = narrowed.collect::<Vec<_>>().join(" || ");
    Range::parse(&narrowed).is_ok().then_some(narrowed)
}

/// Names that entries mention and the channel does not list, by the place in the chain of the entry that is to lead on
/// from them; and the name that the whole chain replaces, if there is one.
///
/// A name with a known version goes to the lowest entry of the chain above it. Any other name goes to the entry of the
/// stream that mentions it.
fn mentioned(
    entries: &[Entry],
    versions: &HashMap<&str, VersionRelease>,
    chain: &[(&VersionRelease, &str)],
) -> (BTreeMap<usize, BTreeSet<String>>, Option<String>) {
    let listed: BTreeSet<&str> = entries.iter().map(|it| it.name.as_str()).collect();
    let mut place_of: BTreeMap<&str, usize> = BTreeMap::new();
    let mut oldest = None;
    for entry in entries {
        let version = &versions[entry.name.as_str()];
        let of_entry = chain.partition_point(|it| it.0 < version).min(chain.len() - 1);
        for name in entry.skips.iter().chain([&entry.replaces]).filter(|it| !it.is_empty()) {
            if listed.contains(name.as_str()) {
                continue;
            }
            let known = versions.get(name.as_str()).cloned();
            let known = known.or_else(|| version_in_name(name).map(VersionRelease::from_build_metadata));
            let above = known.map(|it| chain.partition_point(|latest| *latest.0 <= it)).filter(|it| *it < chain.len());
            let place = above.unwrap_or(of_entry);
            let lowest = place_of.entry(name).or_insert(place);
            *lowest = place.min(*lowest);
            if place == 0 && name == &entry.replaces {
                oldest = Some(name.clone());
            }
        }
    }
    let mut mentioned: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for (name, place) in place_of {
        mentioned.entry(place).or_default().insert(name.to_owned());
    }
    (mentioned, oldest)
}

/// The channel's entries in their order: the newest of each stream with its edges, all others bare.
fn entries(old: &[Entry], streams: &[Stream]) -> Vec<Entry> {
    let mut seen = BTreeSet::new();
    let once = old.iter().filter(|it| seen.insert(&it.name));
    let latest: HashMap<&str, &Stream> = streams.iter().map(|it| (it.latest.as_str(), it)).collect();
    once.map(|entry| match latest.get(entry.name.as_str()) {
        None => Entry { name: entry.name.clone(), ..Entry::default() },
        Some(stream) => Entry {
            name: entry.name.clone(),
            replaces: stream.replaces.clone(),
            // In another order they say the same.
            skips: if is_same(&entry.skips, &stream.skips) { entry.skips.clone() } else { stream.skips.clone() },
            skip_range: stream.skip_range.clone(),
        },
    })
    .collect()
}

/// Whether two lists have the same names, whatever their order.
fn is_same(one: &[String], other: &[String]) -> bool {
    let sorted = |it: &[String]| it.iter().cloned().collect::<BTreeSet<String>>();
    one.len() == other.len() && sorted(one) == sorted(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use olmdex_index::query::{GraphBundle, GraphChannel};

    /// Entries as `name < replaces, skips … (range)`, with the versions that their names end with.
    fn graph(entries: &[(&str, &str, &[&str], &str)]) -> PackageGraph {
        let bundles = entries.iter().map(|it| GraphBundle {
            name: it.0.to_owned(),
            package_property: version_in_name(it.0).map(|it| format!(r#"{{"packageName":"p","version":"{it}"}}"#)),
            ..GraphBundle::default()
        });
        let bundles = bundles.collect();
        let entries = entries.iter().map(|(name, replaces, skips, range)| Entry {
            name: (*name).to_owned(),
            replaces: (*replaces).to_owned(),
            skips: skips.iter().map(|it| (*it).to_owned()).collect(),
            skip_range: (*range).to_owned(),
        });
        let channel = GraphChannel { name: "c".to_owned(), entries: entries.collect(), places: Default::default() };
        PackageGraph {
            package: "p".to_owned(),
            default_channel: "c".to_owned(),
            channels: vec![channel],
            bundles,
            ..PackageGraph::default()
        }
    }

    fn words(entries: &[Entry]) -> Vec<String> {
        let words = entries.iter().map(|it| {
            let mut text = it.name.clone();
            for (mark, value) in [(" < ", &it.replaces), (" - ", &it.skips.join(" ")), (" ~ ", &it.skip_range)] {
                if !value.is_empty() {
                    text.push_str(mark);
                    text.push_str(value);
                }
            }
            text
        });
        words.collect()
    }

    #[test]
    fn patch_releases_lead_to_the_latest_of_their_minor() {
        let old = graph(&[
            ("p.v1.0.0", "", &[], ""),
            ("p.v1.0.1", "p.v1.0.0", &[], ""),
            ("p.v1.1.0", "p.v1.0.1", &[], ""),
            ("p.v1.0.2", "p.v1.0.1", &[], ""),
            ("p.v1.1.1", "p.v1.1.0", &["p.v1.0.2"], ""),
        ]);
        let new = z_stream(&old, "c").unwrap();
        assert_eq!(
            words(&new.entries),
            ["p.v1.0.0", "p.v1.0.1", "p.v1.1.0", "p.v1.0.2 - p.v1.0.0 p.v1.0.1", "p.v1.1.1 < p.v1.0.2 - p.v1.1.0"]
        );
        assert!(new.findings.is_empty(), "{:?}", new.findings);
        // A second run changes nothing.
        let mut again = old;
        again.channels[0].entries = new.entries.into();
        assert!(z_stream(&again, "c").unwrap().is_unchanged);
    }

    #[test]
    fn what_says_the_same_stays() {
        let old = graph(&[
            ("p.v1.0.0", "", &[], ""),
            ("p.v1.0.1", "", &[], ""),
            ("p.v1.0.2", "", &["p.v1.0.1", "p.v1.0.0"], ""),
        ]);
        let new = z_stream(&old, "c").unwrap();
        assert!(new.is_unchanged, "{:?}", words(&new.entries));
    }

    #[test]
    fn releases_that_are_gone_stay_as_names() {
        let old = graph(&[
            ("p.v1.1.0", "p.v1.0.9", &["p.v1.0.5", "p.old"], ""),
            ("p.v1.1.3", "p.v1.1.0", &["p.v1.1.1"], ">=1.0.0 <1.1.3"),
            ("p.v1.2.0", "p.v1.1.3", &[], ""),
        ]);
        let new = z_stream(&old, "c").unwrap();
        assert_eq!(
            words(&new.entries),
            [
                "p.v1.1.0",
                "p.v1.1.3 < p.v1.0.9 - p.v1.1.0 p.old p.v1.0.5 p.v1.1.1 ~ >=1.0.0 <1.1.3 <1.1.3",
                "p.v1.2.0 < p.v1.1.3"
            ]
        );
        assert!(new.findings.is_empty(), "{:?}", new.findings);
    }

    #[test]
    fn what_cannot_be_ordered_is_refused() {
        let old = graph(&[("p.one", "", &[], ""), ("p.v1.0.0", "p.one", &[], "")]);
        assert_eq!(z_stream(&old, "c").unwrap_err(), ZStreamError::NoVersion(vec!["p.one".to_owned()]));
        assert!(matches!(z_stream(&old, "d").unwrap_err(), ZStreamError::NoChannel { .. }));
        let mut twice = graph(&[("p.v1.0.0", "", &[], ""), ("q.v1.0.0", "p.v1.0.0", &[], "")]);
        assert!(matches!(z_stream(&twice, "c").unwrap_err(), ZStreamError::SameVersion(..)));
        twice.channels[0].entries = Vec::new().into();
        assert!(z_stream(&twice, "c").unwrap().entries.is_empty());
    }
}
