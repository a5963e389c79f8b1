//! A channel in rows: its entries, highest version first, and the edges to each, as ranges of rows.
//!
//! Ranges are necessary because an entry with a `skipRange` may be reached from every other one: ten thousand of them
//! would have fifty million edges, but have ten thousand ranges.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::catalog::{Catalog, Channel};
use super::node::GraphNode;
use olmdex_olm::upgrade::Field;
use olmdex_version::{Version, blang};

/// The edges that lead to an entry by one of its fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sources {
    /// The row of the entry.
    pub(super) target: usize,
    pub(super) field: Field,
    /// The value of `replaces` or `skipRange`; empty for `skips`.
    pub(super) value: String,
    /// The rows of its sources: ranges in order, none of which touches the next.
    pub(super) rows: Vec<Range<usize>>,
    /// The same with the entry itself, if its own range holds it.
    pub(super) held: Vec<Range<usize>>,
}

impl Sources {
    /// How many rows it leads from.
    pub(super) fn len(&self) -> usize {
        self.rows.iter().map(ExactSizeIterator::len).sum()
    }

    /// The rows of its sources, one by one.
    pub(super) fn each(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().flat_map(Clone::clone)
    }
}

/// A channel in rows.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// Entries, highest version first, then names that are only mentioned.
    pub(super) nodes: Vec<GraphNode>,
    /// The edges that lead to them: by target, then `replaces`, `skips`, `skipRange`.
    pub(super) sources: Vec<Sources>,
}

impl Rows {
    pub(super) fn new(catalog: &Catalog, channel: &Channel) -> Self {
        let versions: Vec<Option<&Version>> = channel.entries.iter().map(|it| catalog.versions.get(&it.name)).collect();
        let mut order: Vec<usize> = (0..channel.entries.len()).collect();
        order.sort_by(|&a, &b| versions[b].cmp(&versions[a]));
        let named = channel.entries.iter().flat_map(|it| it.skips.iter().chain([&it.replaces]));
        let left: BTreeSet<&str> = named.map(String::as_str).filter(|it| !it.is_empty()).collect();
        let skipped: BTreeSet<&str> =
            channel.entries.iter().flat_map(|it| it.skips.iter().map(String::as_str)).collect();
        let node = |name: &str, is_entry: bool| GraphNode {
            name: name.to_owned(),
            version: catalog.versions.get(name).map(ToString::to_string).unwrap_or_default(),
            is_entry,
            is_head: is_entry && !left.contains(name),
            is_skipped: skipped.contains(name),
            is_deprecated: catalog.deprecated_in(&channel.package).bundles.contains(name),
            is_dead_end: false,
            is_marked: catalog.marked.as_deref() == Some(name),
        };
        let mut nodes: Vec<GraphNode> = order.iter().map(|&idx| node(&channel.entries[idx].name, true)).collect();
        let listed: BTreeSet<&str> = channel.entries.iter().map(|it| it.name.as_str()).collect();
        nodes.extend(left.iter().filter(|it| !listed.contains(*it)).map(|it| node(it, false)));
        let mut row_of: HashMap<&str, usize> = HashMap::new();
        for (row, node) in nodes.iter().enumerate() {
            row_of.entry(&node.name).or_insert(row);
        }
        // Rows without a version come last, so that the others form a descending list.
        let ascending: Vec<&Version> = order.iter().rev().filter_map(|&idx| versions[idx]).collect();
        let mut sources = Vec::new();
        for (target, &idx) in order.iter().enumerate() {
            let entry = &channel.entries[idx];
            let rows_of = |names: &[String]| -> Vec<Range<usize>> {
                let rows: BTreeSet<usize> = names.iter().filter_map(|it| row_of.get(it.as_str()).copied()).collect();
                ranges(rows.into_iter())
            };
            let mut add = |field: Field, value: &str, held: Vec<Range<usize>>| {
                // A range that holds its own entry's version is no step.
                let rows = if field == Field::SkipRange { without(&held, target) } else { held.clone() };
                if !rows.is_empty() {
                    sources.push(Sources { target, field, value: value.to_owned(), rows, held });
                }
            };
            if !entry.replaces.is_empty() {
                add(Field::Replaces, &entry.replaces, rows_of(std::slice::from_ref(&entry.replaces)));
            }
            add(Field::Skips, "", rows_of(&entry.skips));
            let Ok(range) = blang::Range::parse(&entry.skip_range) else { continue };
            let n_versions = ascending.len();
            let held = range.spans_of(&ascending).into_iter().rev();
            let held = held.map(|it| n_versions - it.end..n_versions - it.start);
            add(Field::SkipRange, &entry.skip_range, held.collect());
        }
        let mut rows = Self { nodes, sources };
        rows.mark_dead_ends(channel, &order);
        rows
    }

    /// Marks the entries that OLM Classic cannot take to a head: it goes only to entries in the chain of replacement
    /// from a head down that are not skipped. `entry_of` has the place in the channel for each row that is an entry.
    fn mark_dead_ends(&mut self, channel: &Channel, entry_of: &[usize]) {
        let row_of: HashMap<&str, usize> =
            self.nodes.iter().enumerate().rev().map(|(row, it)| (it.name.as_str(), row)).collect();
        let mut is_in_chain = vec![false; self.nodes.len()];
        let mut reaches_head = vec![false; self.nodes.len()];
        let heads: Vec<usize> = (0..self.nodes.len()).filter(|&row| self.nodes[row].is_head).collect();
        for &head in &heads {
            let mut at = Some(head);
            while let Some(row) = at.filter(|&row| !std::mem::replace(&mut is_in_chain[row], true)) {
                let replaces = entry_of.get(row).map_or("", |&idx| channel.entries[idx].replaces.as_str());
                at = row_of.get(replaces).copied();
            }
            reaches_head[head] = true;
        }
        let mut sources_of: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (at, sources) in self.sources.iter().enumerate() {
            sources_of[sources.target].push(at);
        }
        // For each row the next unvisited one at or behind it, so that a row is visited once, and not once for each
        // range.
        let mut skips: Vec<usize> = (0..=self.nodes.len()).collect();
        let mut open = heads;
        while let Some(target) = open.pop() {
            let is_taken = is_in_chain[target] && !self.nodes[target].is_skipped;
            for &at in sources_of[target].iter().filter(|_| is_taken) {
                for rows in &self.sources[at].rows {
                    let mut row = rows.start;
                    while row < rows.end {
                        if skips[row] == row {
                            skips[row] = row + 1;
                            if !std::mem::replace(&mut reaches_head[row], true) {
                                open.push(row);
                            }
                        }
                        skips[row] = skips[skips[row]];
                        row = skips[row];
                    }
                }
            }
        }
        drop(row_of);
        for (node, reaches) in self.nodes.iter_mut().zip(reaches_head) {
            node.is_dead_end = !reaches;
        }
    }
}

/// Ranges without one row.
fn without(all: &[Range<usize>], row: usize) -> Vec<Range<usize>> {
    let cut = all.iter().flat_map(|it| {
        let is_in = it.contains(&row);
        let first = if is_in { it.start..row } else { it.clone() };
        [first, if is_in { row + 1..it.end } else { 0..0 }]
    });
    cut.filter(|it| !it.is_empty()).collect()
}

/// Rows in ascending order as ranges.
fn ranges(rows: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for row in rows {
        match all.last_mut() {
            Some(last) if last.end == row => last.end += 1,
            _ => all.push(row..row + 1),
        }
    }
    all
}
