//! The layout of a channel in a picture: lines from the highest version down, and lanes for the edges.
//!
//! A line may show several rows ([`super::fold`]). Edges then lead from line to line: an edge within a line is
//! invisible, and an edge of a line belongs to some of its rows.

use std::collections::BTreeMap;
use std::ops::Range;

use super::axis::Axis;
use super::axis::Row;
use super::fold::fold;
use super::lanes::{Ends, Lane, Lanes, Words, in_columns, joined};
use super::rows::Sources;
use olmdex_olm::upgrade::Field;

/// How much of a package is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Unimportant versions share a line if there are too many to look at.
    Collapsed,
    /// Every entry has its own line.
    Full,
}

/// A package, laid out.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) axis: Axis,
    /// The rows of each line.
    pub(super) lines: Vec<Range<usize>>,
    /// Edges that do not lead from one line to the next; only of a single channel.
    pub(super) lanes: Vec<Lane>,
}

impl Layout {
    /// Lays out a package in at most so many lines, or with a line for every row. Rows for which `is_marked` holds are
    /// shown by themselves if possible.
    pub(super) fn new(axis: Axis, max_lines: Option<usize>, is_marked: impl Fn(&Row) -> bool) -> Self {
        let lines = match max_lines {
            Some(max) => fold(&axis, max, is_marked),
            None => (0..axis.rows.len()).map(|row| row..row + 1).collect(),
        };
        let mut lanes = Lanes::default();
        for mut ends in on_lines(&axis, &lines) {
            let below = ends.target + 1;
            if ends.field == Field::Replaces && ends.sources.first().map(|it| it.start) == Some(below) {
                // The track shows this edge.
                ends.sources[0].start += 1;
                ends.sources.retain(|it| !it.is_empty());
            }
            lanes.add(ends);
        }
        Self { lanes: in_columns(lanes.all), axis, lines }
    }

    /// The number of marks in a picture: entries on tracks, and ends of lanes.
    pub(super) fn n_marks(&self) -> usize {
        let on_tracks =
            |lines: &Range<usize>| self.axis.tracks.iter().filter(|it| !it.within(lines).is_empty()).count();
        self.lines.iter().map(on_tracks).sum::<usize>() + self.lanes.iter().map(Lane::n_ends).sum::<usize>()
    }

    /// How many rows share a line with another one.
    pub(super) fn n_folded(&self) -> usize {
        self.lines.iter().map(ExactSizeIterator::len).filter(|it| *it > 1).sum()
    }
}

/// The edges that lead to each line: by line, then `replaces`, `skips`, `skipRange`.
fn on_lines(axis: &Axis, lines: &[Range<usize>]) -> impl Iterator<Item = Ends> {
    let line_of: Vec<usize> =
        lines.iter().enumerate().flat_map(|(line, rows)| std::iter::repeat_n(line, rows.len())).collect();
    let on_line = |it: &Range<usize>| line_of[it.start]..line_of[it.end - 1] + 1;
    let mut all: BTreeMap<(usize, Field), Ends> = BTreeMap::new();
    for it in &axis.sources {
        let target = line_of[it.target];
        let ends = all.entry((target, it.field)).or_insert_with(|| Ends {
            target,
            field: it.field,
            sources: Vec::new(),
            held: Vec::new(),
            words: Words::default(),
        });
        ends.sources.extend(it.rows.iter().map(on_line));
        ends.held.extend(it.held.iter().map(on_line));
        ends.words.add(|| words(&axis.rows, it));
    }
    all.into_values().map(|mut ends| {
        ends.held = joined(ends.held.iter());
        // An edge within the line is invisible.
        let around = joined(ends.sources.iter()).into_iter().flat_map(|it| {
            let at = ends.target.clamp(it.start, it.end);
            [it.start..at, (at + usize::from(it.contains(&ends.target)))..it.end]
        });
        ends.sources = around.filter(|it| !it.is_empty()).collect();
        ends
    })
}

/// Describes the edges that lead to an entry by a field; of many names only the first are listed.
fn words(rows: &[Row], sources: &Sources) -> String {
    const MAX: usize = 4;
    let (name, field) = (&rows[sources.target].name, sources.field.as_str());
    if !sources.value.is_empty() {
        return format!("{name} {field} {}", sources.value);
    }
    let names: Vec<&str> = sources.each().take(MAX).map(|row| rows[row].name.as_str()).collect();
    let n_more = sources.len() - names.len();
    let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
    format!("{name} {field} {}{more}", names.join(", "))
}
