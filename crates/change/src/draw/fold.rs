//! The rows of a package that share a line, so that a package of any size stays readable.
//!
//! Rows get lines of their own in the order of their worth: those of a marked path, the newest ones, heads, both sides
//! of a gap that no upgrade crosses, the beginnings of dead ends or deprecated versions, the newest of each minor
//! version, the oldest. Runs of other rows share a line, in their place.

use std::collections::BTreeMap;
use std::ops::Range;

use super::axis::{Axis, Row};
use olmdex_version::Version;

/// The number of newest rows that come before all others except for those of a path.
const NEWEST: usize = 5;

/// The worth of an ordinary row.
const PLAIN: u8 = 7;

/// The rows of each line, in at most so many lines unless there are more heads. `is_marked` recognises the rows of a
/// path.
pub(super) fn fold(axis: &Axis, max_lines: usize, is_marked: impl Fn(&Row) -> bool) -> Vec<Range<usize>> {
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
