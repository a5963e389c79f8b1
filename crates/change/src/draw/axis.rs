//! A package on one axis: each bundle in one row, the highest version on top, and each channel as a track beside the
//! rows.
//!
//! A track runs over the rows that an upgrade between entries of its channel crosses, and stops elsewhere. An upgrade
//! may also lead from a version of another channel, after a change of channels: by a `skipRange`, or because an entry
//! names that version. A gap is a place that none of these crosses.

use std::collections::HashMap;
use std::ops::Range;

use super::catalog::{Catalog, Channel};
use super::node::GraphNode;
use super::rows::{Rows, Sources};
use olmdex_olm::upgrade::Field;
use olmdex_version::{Version, blang};

/// A package on its axis.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub(super) package: String,
    /// The rows, the highest version first, then names that no drawn channel lists.
    pub(super) rows: Vec<Row>,
    /// The tracks, the default channel first, then by the versions of the heads.
    pub(super) tracks: Vec<Track>,
    /// Row by row, whether a gap is below it: the next row is a version too, and no upgrade leads from that row or from
    /// one further below to this row or one above.
    pub(super) is_gap_below: Vec<bool>,
    /// The edges that lead to each row; only for a single channel.
    pub(super) sources: Vec<Sources>,
}

/// A bundle.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) name: String,
    /// Empty if the catalog has no such bundle.
    pub(super) version: String,
    pub(super) is_deprecated: bool,
    /// Whether a drawn channel lists it; if not, an entry only mentions it.
    pub(super) is_entry: bool,
    /// The tracks whose head it is.
    pub(super) head_of: Vec<usize>,
    /// Whether it is a dead end in every channel that lists it.
    pub(super) is_dead_end: bool,
    /// Whether it is skipped in every channel that lists it.
    pub(super) is_skipped: bool,
}

/// A channel beside the rows.
#[derive(Debug, Clone)]
pub(super) struct Track {
    pub(super) channel: String,
    pub(super) is_default: bool,
    pub(super) is_deprecated: bool,
    /// Its entries by row.
    pub(super) entries: Vec<(usize, EntryMark)>,
    /// Row by row, whether an upgrade leads from below it to this row or above.
    crosses_below: Vec<bool>,
}

/// How many upgrades lead over the line below each row.
#[derive(Debug)]
struct Crossings(Vec<i64>);

impl Crossings {
    fn new(n_rows: usize) -> Self {
        Self(vec![0; n_rows + 1])
    }

    /// Adds an upgrade from one row up to another.
    fn add(&mut self, bottom: usize, top: usize) {
        if bottom > top {
            self.0[top] += 1;
            self.0[bottom] -= 1;
        }
    }

    /// Row by row, whether an upgrade crosses the line below it.
    fn below(&self) -> Vec<bool> {
        let mut n = 0;
        let is_crossed = self.0.iter().map(|it| {
            n += it;
            n > 0
        });
        is_crossed.collect()
    }
}

impl Track {
    /// Whether an upgrade crosses the line between a row and the one below it.
    pub(super) fn crosses_below(&self, row: usize) -> bool {
        self.crosses_below.get(row).copied().unwrap_or_default()
    }

    /// Its entries in these rows.
    pub(super) fn within(&self, rows: &Range<usize>) -> &[(usize, EntryMark)] {
        let start = self.entries.partition_point(|it| it.0 < rows.start);
        let end = self.entries.partition_point(|it| it.0 < rows.end);
        &self.entries[start..end]
    }
}

/// The position of an entry in its channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EntryMark {
    /// No other entry replaces or skips it.
    Head,
    /// Upgrades lead on from it.
    Entry,
    /// An entry skips it by name.
    Skipped,
    /// OLM Classic cannot upgrade from it to a head.
    DeadEnd,
    /// An entry mentions it, but the channel does not list it.
    Mentioned,
}

impl EntryMark {
    fn of(node: &GraphNode) -> Self {
        match node {
            GraphNode { is_entry: false, .. } => Self::Mentioned,
            GraphNode { is_head: true, .. } => Self::Head,
            GraphNode { is_dead_end: true, .. } => Self::DeadEnd,
            GraphNode { is_skipped: true, .. } => Self::Skipped,
            _ => Self::Entry,
        }
    }
}

impl Axis {
    /// The channels of one package, in the order in which they are drawn.
    pub(super) fn new(catalog: &Catalog, channels: &[&Channel]) -> Self {
        let package = channels.first().map(|it| it.package.clone()).unwrap_or_default();
        let mut all: Vec<Rows> = channels.iter().map(|it| Rows::new(catalog, it)).collect();
        let (rows, places) = merged(catalog, &all);
        let mut axis = Self { package, tracks: Vec::new(), is_gap_below: Vec::new(), sources: Vec::new(), rows };
        // Rows with a version come first, and descend.
        let versions: Vec<&Version> = axis.rows.iter().map_while(|it| catalog.versions.get(&it.name)).collect();
        let ascending: Vec<&Version> = versions.into_iter().rev().collect();
        let mut crossings = Crossings::new(axis.rows.len());
        for ((channel, rows), places) in channels.iter().zip(&all).zip(&places) {
            axis.add(catalog, (channel, rows, places), &ascending, &mut crossings);
        }
        let is_crossed = crossings.below();
        let is_gap = |(row, is_crossed): (usize, &bool)| {
            let has_next = axis.rows.get(row + 1).is_some_and(|it| it.is_entry) && axis.rows[row].is_entry;
            has_next && !is_crossed
        };
        axis.is_gap_below = is_crossed.iter().take(axis.rows.len()).enumerate().map(is_gap).collect();
        if let [only] = &mut all[..] {
            axis.sources = std::mem::take(&mut only.sources);
        }
        axis
    }

    /// Adds the track of a channel, whose rows are at these places; `crossings` are those of all channels.
    fn add(
        &mut self,
        catalog: &Catalog,
        (channel, rows, places): (&Channel, &Rows, &[usize]),
        ascending: &[&Version],
        crossings: &mut Crossings,
    ) {
        let track = self.tracks.len();
        let mut entries: Vec<(usize, EntryMark)> =
            places.iter().zip(&rows.nodes).map(|(place, node)| (*place, EntryMark::of(node))).collect();
        // A name that is listed twice is drawn once.
        entries.sort_unstable();
        entries.dedup_by_key(|it| it.0);
        for (row, mark) in &entries {
            if *mark == EntryMark::Head {
                self.rows[*row].head_of.push(track);
            }
        }
        let mut own = Crossings::new(self.rows.len());
        for it in &rows.sources {
            let top = places[it.target];
            let lowest = |is_so: &dyn Fn(usize) -> bool| {
                it.rows
                    .iter()
                    .rev()
                    .find_map(|range| range.clone().rev().find(|row| is_so(*row)))
                    .map(|row| places[row])
            };
            // The lowest entry decides how far down the upgrade reaches. A replaced name right below is an entrance.
            let is_entrance = |row: usize| it.field == Field::Replaces && row == it.target + 1;
            own.add(lowest(&|row| rows.nodes[row].is_entry || is_entrance(row)).unwrap_or(top), top);
            crossings.add(lowest(&|row| self.rows[places[row]].is_entry).unwrap_or(top), top);
        }
        let place_of: HashMap<&str, usize> =
            rows.nodes.iter().map(|it| it.name.as_str()).zip(places.iter().copied()).collect();
        for entry in channel.entries.iter().filter(|it| !it.skip_range.is_empty()) {
            let (Some(&top), Ok(range)) = (place_of.get(entry.name.as_str()), blang::Range::parse(&entry.skip_range))
            else {
                continue;
            };
            let Some(lowest) = range.spans_of(ascending).first().map(|it| ascending.len() - 1 - it.start) else {
                continue;
            };
            crossings.add(lowest, top);
        }
        self.tracks.push(Track {
            channel: channel.name.clone(),
            is_default: catalog.is_default(channel),
            is_deprecated: catalog.is_deprecated(channel),
            entries,
            crosses_below: own.below(),
        });
    }

    /// The common beginning of the names of most bundles before their version; empty if most have none.
    pub(super) fn prefix(&self) -> &str {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for row in self.rows.iter().filter(|it| !it.version.is_empty()) {
            *counts.entry(row.name.strip_suffix(row.version.as_str()).unwrap_or_default()).or_default() += 1;
        }
        let most = counts.into_iter().max_by(|a, b| (a.1, b.0).cmp(&(b.1, a.0)));
        most.map(|it| it.0).unwrap_or_default()
    }
}

/// The rows of all channels, and for each channel the row of each of its own rows.
fn merged(catalog: &Catalog, all: &[Rows]) -> (Vec<Row>, Vec<Vec<usize>>) {
    if let [only] = all {
        // The rows keep their order, so ranges of them stay ranges.
        let rows = only.nodes.iter().map(row_of).collect();
        return (rows, vec![(0..only.nodes.len()).collect()]);
    }
    let mut number_of: HashMap<&str, usize> = HashMap::new();
    let mut rows: Vec<Row> = Vec::new();
    for node in all.iter().flat_map(|it| &it.nodes) {
        let number = *number_of.entry(&node.name).or_insert(rows.len());
        match rows.get_mut(number) {
            None => rows.push(row_of(node)),
            Some(row) if node.is_entry => {
                row.is_dead_end = node.is_dead_end && (row.is_dead_end || !row.is_entry);
                row.is_skipped = node.is_skipped && (row.is_skipped || !row.is_entry);
                row.is_entry = true;
            }
            Some(_) => {}
        }
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| {
        let key = |at: usize| (rows[at].is_entry, catalog.versions.get(&rows[at].name));
        key(b).cmp(&key(a))
    });
    let mut place_of = vec![0; rows.len()];
    for (place, &number) in order.iter().enumerate() {
        place_of[number] = place;
    }
    let places = all.iter().map(|it| it.nodes.iter().map(|node| place_of[number_of[node.name.as_str()]]).collect());
    let places = places.collect();
    let mut rows: Vec<Option<Row>> = rows.into_iter().map(Some).collect();
    let rows = order.into_iter().filter_map(|number| rows[number].take()).collect();
    (rows, places)
}

fn row_of(node: &GraphNode) -> Row {
    Row {
        name: node.name.clone(),
        version: node.version.clone(),
        is_deprecated: node.is_deprecated,
        is_entry: node.is_entry,
        head_of: Vec::new(),
        is_dead_end: node.is_entry && node.is_dead_end,
        is_skipped: node.is_entry && node.is_skipped,
    }
}
