//! The head of a channel and the chain of `replaces` below it (`docs/behaviour/fbc.md` 3.3).

use std::collections::{HashMap, HashSet};

use olmdex_fbc::Entry;

/// The defects of a channel's graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphDefect {
    /// Every entry is replaced or skipped by one.
    NoHead,
    /// These entries are neither replaced nor skipped; sorted.
    SeveralHeads(Vec<String>),
    /// Following `replaces` from the head comes back: from the first visit to the same name again.
    Cycle(Vec<String>),
    /// These entries are neither on the chain nor skipped; sorted.
    Stranded(Vec<String>),
}

/// The head of a channel: the one entry that no entry (itself included) replaces or skips. Ranges do not count.
///
/// # Errors
/// [`GraphDefect::NoHead`] or [`GraphDefect::SeveralHeads`].
pub fn head(entries: &[Entry]) -> Result<&Entry, GraphDefect> {
    let mut has_incoming: HashSet<&str> = HashSet::new();
    for entry in entries {
        has_incoming.insert(&entry.replaces);
        has_incoming.extend(entry.skips.iter().map(String::as_str));
    }
    // The empty name of an absent `replaces` makes no edge.
    if entries.iter().all(|it| it.replaces.is_empty() && !it.skips.iter().any(String::is_empty)) {
        has_incoming.remove("");
    }
    let mut heads = entries.iter().filter(|it| !has_incoming.contains(it.name.as_str()));
    match (heads.next(), heads.next()) {
        (None, _) => Err(GraphDefect::NoHead),
        (Some(head), None) => Ok(head),
        (Some(first), Some(second)) => {
            let mut names: Vec<String> = [first, second].into_iter().chain(heads).map(|it| it.name.clone()).collect();
            names.sort();
            Err(GraphDefect::SeveralHeads(names))
        }
    }
}

/// Checks head and chain of a channel that has entries, each name once.
///
/// # Errors
/// The first [`GraphDefect`] in the order of the real tool.
pub fn check_chain(entries: &[Entry]) -> Result<(), GraphDefect> {
    let by_name: HashMap<&str, &Entry> = entries.iter().map(|it| (it.name.as_str(), it)).collect();
    let skipped: HashSet<&str> = entries.iter().flat_map(|it| &it.skips).map(String::as_str).collect();
    let mut current = head(entries)?;
    let mut chain = vec![current.name.as_str()];
    let mut visited: HashSet<&str> = chain.iter().copied().collect();
    loop {
        let replaces = current.replaces.as_str();
        if replaces.is_empty() || skipped.contains(replaces) {
            break;
        }
        if !visited.insert(replaces) {
            let first = chain.iter().position(|it| *it == replaces).unwrap_or_default();
            let cycle = chain[first..].iter().copied().chain([replaces]).map(str::to_owned).collect();
            return Err(GraphDefect::Cycle(cycle));
        }
        chain.push(replaces);
        match by_name.get(replaces) {
            Some(next) => current = next,
            None => break,
        }
    }
    let mut stranded: Vec<String> = entries
        .iter()
        .map(|it| it.name.as_str())
        .filter(|it| !visited.contains(it) && !skipped.contains(it))
        .map(str::to_owned)
        .collect();
    if stranded.is_empty() {
        return Ok(());
    }
    stranded.sort();
    stranded.dedup();
    Err(GraphDefect::Stranded(stranded))
}

impl GraphDefect {
    /// The real tool's words.
    pub fn opm_text(&self) -> String {
        match self {
            Self::NoHead => "no channel head found in graph".to_owned(),
            Self::SeveralHeads(names) => format!("multiple channel heads found in graph: {}", names.join(", ")),
            Self::Cycle(names) => format!("detected cycle in replaces chain of upgrade graph: {}", names.join(" -> ")),
            Self::Stranded(names) => format!("channel contains one or more stranded bundles: {}", names.join(", ")),
        }
    }
}
