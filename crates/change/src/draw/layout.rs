//! The layout of a channel in a picture: lines from the highest version down, and lanes for the edges.
//!
//! A line may show several rows ([`fold`]). Edges then lead from line to line: an edge within a line is
//! invisible, and an edge of a line belongs to some of its rows.

use std::collections::BTreeMap;
use std::ops::Range;

use super::axis::{Axis, Row};
use super::lanes::{Ends, Lane, Lanes, Words, in_columns, joined};
use super::rows::Sources;
use olmdex_olm::upgrade::Field;
use olmdex_version::Version;

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

/// The number of newest rows that come before all others except for those of a path.
const NEWEST: usize = 5;

/// The worth of an ordinary row.
const PLAIN: u8 = 7;

/// The rows of each line, in at most so many lines unless there are more heads. `is_marked` recognises the rows of a
/// path.
///
/// Rows get lines of their own in the order of their worth: those of a marked path, the newest ones, heads, both sides
/// of a gap that no upgrade crosses, the beginnings of dead ends or deprecated versions, the newest of each minor
/// version, the oldest. Runs of other rows share a line, in their place.
fn fold(axis: &Axis, max_lines: usize, is_marked: impl Fn(&Row) -> bool) -> Vec<Range<usize>> {
    let n = axis.rows.len();
    if n <= max_lines {
        return (0..n).map(|row| row..row + 1).collect();
    }
    let mut order: Vec<usize> = (0..n).collect();
    let worth = worth(axis, is_marked);
    order.sort_by_key(|&row| worth[row]);
    // Runs of rows without a line of their own, from their first row to the one behind their last.
    let mut runs: BTreeMap<usize, usize> = BTreeMap::from([(0, n)]);
    let mut n_lines = 1;
    // Ordinary rows stay together, however much room there is.
    for row in order.into_iter().filter(|&row| worth[row] < PLAIN) {
        let Some((&start, &end)) = runs.range(..=row).next_back() else { continue };
        let parts = [(start, row), (row + 1, end)];
        let n_parts = parts.iter().filter(|it| it.0 < it.1).count();
        // The row and the remains of its run replace the run.
        if n_lines + n_parts > max_lines {
            continue;
        }
        n_lines += n_parts;
        runs.remove(&start);
        runs.extend(parts.into_iter().filter(|it| it.0 < it.1));
    }
    let mut lines = Vec::new();
    let mut next = 0;
    for (start, end) in runs {
        lines.extend((next..start).map(|row| row..row + 1));
        lines.push(start..end);
        next = end;
    }
    lines.extend((next..n).map(|row| row..row + 1));
    lines
}

/// The worth of a line of its own for each row; lower numbers are worth more.
fn worth(axis: &Axis, is_marked: impl Fn(&Row) -> bool) -> Vec<u8> {
    let rows = &axis.rows;
    let minors: Vec<Option<(u64, u64)>> = rows
        .iter()
        .map(|it| Version::parse(&it.version).ok().map(|version| (version.major(), version.minor())))
        .collect();
    let differs = |row: usize, has: fn(&Row) -> bool| row > 0 && has(&rows[row]) != has(&rows[row - 1]);
    let is_beside_gap = |row: usize| axis.is_gap_below[row] || row > 0 && axis.is_gap_below[row - 1];
    let last_entry = rows.iter().rposition(|it| it.is_entry);
    let worth = |row: usize| match &rows[row] {
        it if is_marked(it) => 0,
        it if row < NEWEST && it.is_entry => 1,
        it if it.head_of.contains(&0) => 2,
        it if !it.head_of.is_empty() => 3,
        it if !it.is_entry => PLAIN,
        _ if is_beside_gap(row) => 4,
        _ if differs(row, |it| it.is_dead_end) || differs(row, |it| it.is_deprecated) => 5,
        _ if row > 0 && minors[row].is_some() && minors[row] != minors[row - 1] => 6,
        _ if Some(row) == last_entry => 6,
        _ => PLAIN,
    };
    (0..rows.len()).map(worth).collect()
}
