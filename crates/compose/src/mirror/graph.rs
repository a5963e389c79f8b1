//! The graph of a channel in the view of oc-mirror's filter: its head, and the walk from there through a range
//! (`docs/behaviour/authoring.md` D.3).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use olmdex_fbc::Entry;
use olmdex_version::{Quoted, Version};

/// The faults of a channel's graph, all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphError(pub Vec<GraphFault>);

/// One fault of a channel's graph.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphFault {
    /// It has no entries.
    NoEntries,
    /// An entry occurs twice.
    Duplicate(String),
    /// An entry replaces itself.
    ReplacesItself(String),
    /// An entry skips itself.
    SkipsItself(String),
    /// Another entry replaces or skips each of the entries.
    NoHead,
    /// Several entries are replaced and skipped by none.
    SeveralHeads(Vec<String>),
    /// Edges lead round.
    Cycle,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, fault) in self.0.iter().enumerate() {
            let separator = if idx == 0 { "" } else { "\n" };
            write!(f, "{separator}{fault}")?;
        }
        Ok(())
    }
}

impl fmt::Display for GraphFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEntries => f.write_str("channel has no entries"),
            Self::Duplicate(name) => write!(f, "duplicate channel entry {}", Quoted(name)),
            Self::ReplacesItself(name) => write!(f, "invalid channel entry {}: replaces itself", Quoted(name)),
            Self::SkipsItself(name) => write!(f, "invalid channel entry {}: skips itself", Quoted(name)),
            Self::NoHead => f.write_str("no channel heads found"),
            Self::SeveralHeads(names) => write!(f, "multiple channel heads found: [{}]", names.join(" ")),
            Self::Cycle => f.write_str("detected a cycle in the upgrade graph of the channel"),
        }
    }
}

/// The names that an entry replaces and skips.
fn targets(entry: &Entry) -> impl Iterator<Item = &str> {
    std::iter::once(entry.replaces.as_str()).filter(|it| !it.is_empty()).chain(entry.skips.iter().map(String::as_str))
}

/// The names of the entries that no other entry replaces or skips, sorted.
pub fn heads(entries: &[Entry]) -> Vec<&str> {
    let below: BTreeSet<&str> = entries.iter().flat_map(targets).collect();
    let mut heads: Vec<&str> = entries.iter().map(|it| it.name.as_str()).filter(|it| !below.contains(it)).collect();
    heads.sort_unstable();
    heads.dedup();
    heads
}

/// The head of a channel whose graph is sound.
///
/// # Errors
/// The faults of the graph.
pub fn head(entries: &[Entry]) -> Result<&str, GraphError> {
    if entries.is_empty() {
        return Err(GraphError(vec![GraphFault::NoEntries]));
    }
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for entry in entries {
        if !seen.insert(&entry.name) {
            faults.push(GraphFault::Duplicate(entry.name.clone()));
        }
        if entry.replaces == entry.name {
            faults.push(GraphFault::ReplacesItself(entry.name.clone()));
        }
        if entry.skips.contains(&entry.name) {
            faults.push(GraphFault::SkipsItself(entry.name.clone()));
        }
    }
    let heads = heads(entries);
    match heads.as_slice() {
        [] => faults.push(GraphFault::NoHead),
        [only] => {
            if has_cycle(entries, only) {
                faults.push(GraphFault::Cycle);
            }
            if faults.is_empty() {
                return Ok(only);
            }
        }
        _ => faults.push(GraphFault::SeveralHeads(heads.iter().map(ToString::to_string).collect())),
    }
    Err(GraphError(faults))
}

/// Whether edges remain after all removable ones are taken away, from the head downwards. (An edge of an entry to
/// itself is recognised by its name.)
fn has_cycle(entries: &[Entry], head: &str) -> bool {
    let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for entry in entries {
        let below = targets(entry).filter(|it| *it != entry.name);
        edges.entry(&entry.name).or_default().extend(below);
    }
    let mut n_above: BTreeMap<&str, usize> = BTreeMap::new();
    for below in edges.values().flatten() {
        *n_above.entry(below).or_default() += 1;
    }
    let mut open = VecDeque::from([head]);
    while let Some(name) = open.pop_front() {
        for below in edges.remove(name).unwrap_or_default() {
            if let Some(n_above) = n_above.get_mut(below) {
                *n_above -= 1;
                if *n_above == 0 {
                    open.push_back(below);
                }
            }
        }
    }
    edges.values().any(|it| !it.is_empty())
}

/// The way down from the head of a sound channel, version by version: the entry that each replaces, or, if that is not
/// in the channel, the highest version that it skips.
pub fn chain<'c>(entries: &'c [Entry], head: &'c str, versions: &BTreeMap<&str, &Version>) -> Vec<&'c str> {
    let by_name: BTreeMap<&str, &Entry> = entries.iter().map(|it| (it.name.as_str(), it)).collect();
    let mut chain = Vec::new();
    let mut seen = BTreeSet::new();
    let mut next = Some(head);
    while let Some(name) = next.filter(|it| seen.insert(*it)) {
        chain.push(name);
        next = by_name.get(name).copied().and_then(|entry| {
            let replaced = Some(entry.replaces.as_str()).filter(|it| by_name.contains_key(it));
            let skipped = entry.skips.iter().map(String::as_str).filter(|it| by_name.contains_key(it));
            replaced.or_else(|| skipped.max_by_key(|it| versions.get(it).copied()))
        });
    }
    chain
}

/// The result of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk<'c> {
    /// The members of the chain that are kept, from the new head down.
    pub chain: Vec<&'c str>,
    /// Names that these skip and that are in the range.
    pub skipped: Vec<&'c str>,
}

/// Walks from the head of a sound channel along `replaces`, and keeps the part of that chain that has every reachable
/// version in the range: from the lowest member above which nothing is added, to the highest below which nothing is
/// left.
pub fn walk<'c>(entries: &'c [Entry], head: &'c str, is_in_range: impl Fn(&str) -> bool) -> Walk<'c> {
    let by_name: BTreeMap<&str, &Entry> = entries.iter().map(|it| (it.name.as_str(), it)).collect();
    let mut chain = Vec::new();
    let mut seen = BTreeSet::new();
    let mut next = head;
    while !next.is_empty() && seen.insert(next) {
        chain.push(next);
        next = by_name.get(next).map_or("", |it| it.replaces.as_str());
    }
    let skips = |name: &str| by_name.get(name).map_or(&[] as &[String], |it| &it.skips).iter().map(String::as_str);
    // For each member, the number of names in the range up to it, from the tail upwards.
    let mut counts = vec![0_usize; chain.len()];
    let mut counted = BTreeSet::new();
    let mut count = 0;
    for (idx, name) in chain.iter().enumerate().rev() {
        for name in std::iter::once(*name).chain(skips(name)) {
            if is_in_range(name) && counted.insert(name) {
                count += 1;
            }
        }
        counts[idx] = count;
    }
    if count == 0 {
        return Walk::default();
    }
    let start = counts.iter().rposition(|it| *it == count).unwrap_or_default();
    let end = counts.iter().position(|it| *it == 0).unwrap_or(chain.len());
    let chain: Vec<&str> = chain.get(start..end).unwrap_or_default().to_vec();
    let skipped = chain.iter().flat_map(|it| skips(it)).filter(|it| is_in_range(it)).collect();
    Walk { chain, skipped }
}
