//! Replaces mode: heads are the highest versions, and channels follow `replaces` and `skips` from there
//! (`docs/behaviour/legacy-index.md` 2.2 and 4.3).

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::chain::Chain;
use super::stored::BundleColumns;
use crate::refusal::AddRefusal;
use olmdex_text::tally;
use olmdex_version::Version;

/// A bundle of the package, stored or new.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) channels: BTreeSet<String>,
    /// The default channel that it names, or empty.
    pub(super) default_channel: String,
    pub(super) is_new: bool,
}

/// A package that is written anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rebuilt {
    pub(super) default_channel: String,
    pub(super) chains: Vec<Chain>,
    /// Bundles that were gone through, as often as they were.
    pub(super) visited: Vec<String>,
}

/// Compares as the real tool ranks heads: if versions are equal, the one with build metadata is higher, then the one
/// whose build metadata is higher, compared like a pre-release.
pub(super) fn cmp_with_build(a: &Version, b: &Version) -> Ordering {
    let by_build = || {
        let ranked = |it: &Version| Version::parse(&format!("0.0.0-{}", it.build()));
        match (a.build().is_empty(), b.build().is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => match (ranked(a), ranked(b)) {
                (Ok(a), Ok(b)) => a.cmp_precedence(&b),
                // Numbers with leading zeros, which only build metadata may have.
                _ => a.build().cmp(b.build()),
            },
        }
    };
    a.cmp_precedence(b).then_with(by_build)
}

/// Makes the channels of a package with these members. `known` has every bundle that a chain can lead to.
pub(super) fn rebuild(
    package: &str,
    members: &[Member],
    known: &BTreeMap<String, BundleColumns>,
) -> Result<Rebuilt, AddRefusal> {
    let mut versions: BTreeMap<&str, Version> = BTreeMap::new();
    for member in members {
        let text = known.get(&member.name).map(|it| it.version.as_str()).unwrap_or_default();
        let parsed = Version::parse(if text.is_empty() { "0.0.0-z" } else { text });
        let wrong = |_| AddRefusal::Version { bundle: member.name.clone(), version: text.to_owned() };
        versions.insert(&member.name, parsed.map_err(wrong)?);
    }
    let heads = heads(package, members, &versions)?;
    let default_channel = default_channel(package, members, &versions, &heads)?;
    let mut chains = Vec::new();
    let mut visited = Vec::new();
    for (channel, head) in &heads {
        // A channel whose head is deprecated no longer exists.
        if !known.get(head).is_some_and(|it| it.is_deprecated) {
            chains.push(chain(package, channel, head, known, &mut visited)?);
        }
    }
    if !chains.iter().any(|it| it.channel == default_channel) {
        let channels = chains.iter().map(|it| it.channel.clone()).collect();
        return Err(AddRefusal::UnknownDefault { package: package.to_owned(), default: default_channel, channels });
    }
    let held: HashMap<&str, HashSet<&str>> =
        chains.iter().map(|it| (it.channel.as_str(), it.bundles().collect())).collect();
    for member in members.iter().filter(|it| it.is_new) {
        for channel in &member.channels {
            tally::step(1);
            if !held.get(channel.as_str()).is_some_and(|it| it.contains(member.name.as_str())) {
                return Err(AddRefusal::Pruned {
                    bundle: member.name.clone(),
                    package: package.to_owned(),
                    channel: channel.clone(),
                    head: heads.get(channel).cloned().unwrap_or_default(),
                });
            }
        }
    }
    Ok(Rebuilt { default_channel, chains, visited })
}

/// The highest version of each channel.
fn heads(
    package: &str,
    members: &[Member],
    versions: &BTreeMap<&str, Version>,
) -> Result<BTreeMap<String, String>, AddRefusal> {
    let mut channels: BTreeMap<&String, Vec<&str>> = BTreeMap::new();
    for member in members {
        for channel in &member.channels {
            tally::step(1);
            channels.entry(channel).or_default().push(&member.name);
        }
    }
    let mut heads = BTreeMap::new();
    for (channel, of_channel) in channels {
        let place = format!(" in channel `{channel}`");
        if let Some(head) = highest(package, &place, of_channel.into_iter(), versions)? {
            heads.insert(channel.clone(), head.to_owned());
        }
    }
    Ok(heads)
}

/// The one of the highest version.
fn highest<'a>(
    package: &str,
    place: &str,
    names: impl Iterator<Item = &'a str>,
    versions: &BTreeMap<&str, Version>,
) -> Result<Option<&'a str>, AddRefusal> {
    let mut best: Option<(&str, &Version)> = None;
    let mut equal: Option<&str> = None;
    for name in names {
        let Some(version) = versions.get(name) else { continue };
        match best.map_or(Ordering::Greater, |it| cmp_with_build(version, it.1)) {
            Ordering::Less => {}
            Ordering::Equal => equal = Some(name),
            Ordering::Greater => (best, equal) = (Some((name, version)), None),
        }
    }
    match (best, equal) {
        (Some((first, version)), Some(second)) => Err(AddRefusal::SameHighest {
            package: package.to_owned(),
            place: place.to_owned(),
            first: first.to_owned(),
            second: second.to_owned(),
            version: version.to_string(),
        }),
        (best, _) => Ok(best.map(|it| it.0)),
    }
}

/// The default channel that the highest version names, of those that name one.
fn default_channel(
    package: &str,
    members: &[Member],
    versions: &BTreeMap<&str, Version>,
    heads: &BTreeMap<String, String>,
) -> Result<String, AddRefusal> {
    // A version below 0.0.0 does not count.
    let zero = Version::new(0, 0, 0);
    let has_say = |it: &&Member| versions.get(it.name.as_str()).is_some_and(|it| *it >= zero);
    highest(package, "", members.iter().filter(has_say).map(|it| it.name.as_str()), versions)?;
    let mut top = &zero;
    let mut default = String::new();
    for member in members.iter().filter(has_say) {
        let Some(version) = versions.get(member.name.as_str()) else { continue };
        if cmp_with_build(version, top).is_ge() {
            top = version;
            if !member.default_channel.is_empty() {
                default.clone_from(&member.default_channel);
            }
        }
    }
    let mut channels = heads.keys();
    if let (Some(only), None) = (channels.next(), channels.next())
        && default.is_empty()
    {
        return Ok(only.clone());
    }
    if heads.contains_key(&default) {
        return Ok(default);
    }
    let (package, channels) = (package.to_owned(), heads.keys().cloned().collect());
    Err(match default.is_empty() {
        true => AddRefusal::NoDefault { package, channels },
        false => AddRefusal::UnknownDefault { package, default, channels },
    })
}

/// Follows the edges from the head.
fn chain(
    package: &str,
    channel: &str,
    head: &str,
    known: &BTreeMap<String, BundleColumns>,
    visited: &mut Vec<String>,
) -> Result<Chain, AddRefusal> {
    let mut chain = Chain::begin(channel, head);
    let mut seen = BTreeSet::from([head]);
    let (mut name, mut row, mut depth) = (head, 0, 1);
    while let Some((key, current)) = known.get_key_value(name) {
        visited.push(key.clone());
        if current.is_deprecated {
            break;
        }
        for skipped in &current.skips {
            chain.skip(key, skipped, depth);
            depth += 1;
        }
        let replaces = current.replaces.as_str();
        if replaces.is_empty() {
            break;
        }
        let (package, channel) = (package.to_owned(), channel.to_owned());
        if !seen.insert(replaces) {
            return Err(AddRefusal::Cycle { package, channel, bundle: key.clone(), replaces: replaces.to_owned() });
        }
        if !known.contains_key(replaces) {
            let replaces = replaces.to_owned();
            return Err(AddRefusal::ReplacesMissing { package, channel, bundle: key.clone(), replaces });
        }
        row = chain.replace(row, replaces, depth);
        depth += 1;
        name = replaces;
    }
    Ok(chain)
}
