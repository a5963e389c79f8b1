//! The graph of a channel as oc-mirror's filter sees it: its head, and the walk from there through a range
//! (`docs/behaviour/authoring.md` D.3).
//!
//! What it deliberately does not do: it looks at no `skipRange`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use olmdex_fbc::Entry;
use olmdex_version::Quoted;

/// What is wrong with a channel's graph, all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphError(pub Vec<GraphFault>);

/// One thing that is wrong with a channel's graph.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphFault {
    /// It has no entries.
    NoEntries,
    /// An entry stands twice.
    Duplicate(String),
    /// An entry replaces itself.
    ReplacesItself(String),
    /// An entry skips itself.
    SkipsItself(String),
    /// Each entry is replaced or skipped by one.
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

/// What an entry replaces and skips.
fn targets(entry: &Entry) -> impl Iterator<Item = &str> {
    std::iter::once(entry.replaces.as_str()).filter(|it| !it.is_empty()).chain(entry.skips.iter().map(String::as_str))
}

/// The names of the entries that nobody replaces or skips, sorted.
#[must_use]
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
/// What is not sound about it.
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

/// Whether edges are left over when all that can be are taken away, from the head downwards. (Edges of an entry to itself are
/// told by name.)
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

/// What a walk has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk<'c> {
    /// The members of the chain that are kept, from the new head down.
    pub chain: Vec<&'c str>,
    /// Names that these skip and that are in the range.
    pub skipped: Vec<&'c str>,
}

/// Walks from the head of a sound channel along `replaces`, and keeps the part of that chain that has all in the range that can
/// be had: from the lowest member above which nothing is added, to the highest below which nothing is left.
#[must_use]
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
    // What is in the range up to a member, from the tail upwards.
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
