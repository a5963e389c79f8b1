//! Which rows of a channel share a line, so that a channel of any length can be looked at.
//!
//! First what is repeated: rows that differ in nothing but their version, and z-streams, the patch releases of a minor
//! version of which only the newest is treated otherwise. If that leaves too many lines, the newest ones stay, those below
//! are put together by minor version, further below by major version, and what is still left in equal parts.
//!
//! What it deliberately does not do: no words and no places, and it never changes the order of rows.

use std::ops::Range;

use super::lanes::{Ends, Lane, Lanes, Words};
use super::node::GraphNode;
use super::rows::Sources;
use olmdex_olm::upgrade::Field;
use olmdex_version::Version;

/// Fewer rows than this are not worth a line of their own kind.
const MIN_RUN: usize = 3;

/// The rows of each line. Rows for which `is_marked`, and heads, have lines of their own as long as there are few of them.
pub(super) fn fold(
    nodes: &[GraphNode],
    sources: &[Sources],
    max_lines: usize,
    is_marked: impl Fn(&GraphNode) -> bool,
) -> Vec<Range<usize>> {
    let is_own: Vec<bool> = nodes.iter().map(|it| it.is_head || is_marked(it)).collect();
    let versions: Vec<Option<Version>> = nodes.iter().map(|it| Version::parse(&it.version).ok()).collect();
    let minor = |row: usize| versions[row].as_ref().map(|it| (it.major(), it.minor()));
    let major = |row: usize| versions[row].as_ref().map(|it| (it.major(), 0));
    let lines = Runs::new(nodes, sources, &is_own, &minor).lines();
    let is_entry = |row: usize| nodes[row].is_entry;
    shrunk(lines, max_lines, &is_own, &|row| (is_entry(row), minor(row)), &|row| (is_entry(row), major(row)))
}

/// Where runs of rows end. Each list says of a row whether it begins something else than the row above.
struct Runs<'r> {
    nodes: &'r [GraphNode],
    is_own: &'r [bool],
    /// The next row, from each on, that is marked otherwise than the one above it.
    marks: Vec<usize>,
    /// … at which an edge begins or ends to touch rows.
    edges: Vec<usize>,
    /// … the same, but for edges that stay within a minor version.
    outer_edges: Vec<usize>,
    /// … that is replaced by the row above, where that row is not, or the other way round.
    chain: Vec<usize>,
    /// … of another minor version.
    minors: Vec<usize>,
}

impl<'r> Runs<'r> {
    fn new(
        nodes: &'r [GraphNode],
        sources: &[Sources],
        is_own: &'r [bool],
        minor: &dyn Fn(usize) -> Option<(u64, u64)>,
    ) -> Self {
        let n = nodes.len();
        let is_link =
            |it: &Sources| it.field == Field::Replaces && it.rows.first().map(|rows| rows.start) == Some(it.target + 1);
        let mut is_replaced_above = vec![false; n];
        let mut n_replacing = vec![0; n];
        for it in sources.iter().filter(|it| it.field == Field::Replaces) {
            it.each().for_each(|row| n_replacing[row] += 1);
            is_replaced_above[it.target + 1..].iter_mut().take(usize::from(is_link(it))).for_each(|it| *it = true);
        }
        let lanes = |keep: &dyn Fn(&Sources) -> bool| {
            let mut lanes = Lanes::default();
            for it in sources.iter().filter(|it| keep(it)) {
                let (sources, held) = (it.rows.clone(), it.held.clone());
                lanes.add(Ends { target: it.target, field: it.field, sources, held, words: Words::default() });
            }
            lanes.all
        };
        let edges = touched(n, &lanes(&|it| !is_link(it)), |_| true);
        // Where a whole minor version replaces the same entry, its lowest release stands next to that by chance.
        let is_lonely_link = |it: &Sources| is_link(it) && n_replacing[it.target + 1] == 1;
        let is_outer = |(low, high): (usize, usize)| minor(low).is_none() || minor(low) != minor(high);
        let outer_edges = touched(n, &lanes(&|it| !is_lonely_link(it)), is_outer);
        let next = |is_so: &dyn Fn(usize) -> bool| {
            let mut next = vec![n; n + 3];
            for row in (1..n).rev() {
                next[row] = if is_so(row) { row } else { next[row + 1] };
            }
            next
        };
        Self {
            nodes,
            is_own,
            marks: next(&|row| marks(&nodes[row]) != marks(&nodes[row - 1]) || is_own[row] || is_own[row - 1]),
            edges: next(&|row| edges[row]),
            outer_edges: next(&|row| outer_edges[row]),
            chain: next(&|row| is_replaced_above[row] != is_replaced_above[row - 1]),
            minors: next(&|row| minor(row).is_none() || minor(row) != minor(row - 1)),
        }
    }

    fn lines(&self) -> Vec<Range<usize>> {
        let mut lines = Vec::new();
        let mut start = 0;
        while start < self.nodes.len() {
            let end = self.end_of_equals(start).max(self.end_of_stream(start));
            let end = if end - start < MIN_RUN { start + 1 } else { end };
            lines.push(start..end);
            start = end;
        }
        lines
    }

    /// The end of rows that differ in nothing but their version.
    fn end_of_equals(&self, start: usize) -> usize {
        self.marks[start + 1].min(self.edges[start + 1]).min(self.chain[start + 2])
    }

    /// The end of the patch releases of a minor version, of which the first may be the newest that the others lead to.
    fn end_of_stream(&self, start: usize) -> usize {
        let [first, second, ..] = &self.nodes[start..] else { return start + 1 };
        let is_newest = marks(second) == (true, first.is_deprecated, second.is_dead_end, first.is_entry);
        if self.is_own[start] || self.is_own[start + 1] || !(is_newest || marks(first) == marks(second)) {
            return start + 1;
        }
        self.minors[start + 1].min(self.outer_edges[start + 2]).min(self.marks[start + 2])
    }
}

/// The rows at which lanes begin or end to touch rows, of the lanes with a span that counts.
fn touched(n: usize, lanes: &[Lane], counts: impl Fn((usize, usize)) -> bool) -> Vec<bool> {
    let mut is_touched = vec![false; n + 1];
    for lane in lanes.iter().filter(|it| counts(it.span())) {
        for range in &lane.sources {
            is_touched[range.start] = true;
            is_touched[range.end] = true;
        }
        for (at, target) in lane.targets.iter().enumerate() {
            is_touched[*target] |= at == 0 || lane.targets[at - 1] + 1 != *target;
            is_touched[target + 1] |= lane.targets.get(at + 1) != Some(&(target + 1));
        }
    }
    is_touched
}

fn marks(node: &GraphNode) -> (bool, bool, bool, bool) {
    (node.is_skipped, node.is_deprecated, node.is_dead_end, node.is_entry)
}

/// What rows have in common, for example their minor version.
type Kin = (bool, Option<(u64, u64)>);

/// Lines put together until there are at most so many.
fn shrunk(
    lines: Vec<Range<usize>>,
    max: usize,
    is_own: &[bool],
    minor: &dyn Fn(usize) -> Kin,
    major: &dyn Fn(usize) -> Kin,
) -> Vec<Range<usize>> {
    if lines.len() <= max {
        return lines;
    }
    let is_own = |line: &Range<usize>| line.len() == 1 && is_own[line.start];
    let has_few_own = lines.iter().filter(|it| is_own(it)).count() <= max / 5;
    let may_merge = |it: &Range<usize>, kin: &dyn Fn(usize) -> Kin| {
        !(has_few_own && is_own(it)) && kin(it.start) == kin(it.end - 1)
    };
    let merged = |lines: &[Range<usize>], kin: &dyn Fn(usize) -> Kin| {
        let mut merged: Vec<Range<usize>> = Vec::new();
        for line in lines {
            match merged.last_mut() {
                Some(last) if may_merge(last, kin) && may_merge(line, kin) && kin(last.start) == kin(line.start) => {
                    last.end = line.end;
                }
                _ => merged.push(line.clone()),
            }
        }
        merged
    };
    let mut rest = lines;
    let mut shown: Vec<Range<usize>> = rest.drain(..max * 2 / 5).collect();
    for (kin, n_shown) in [(minor, max * 3 / 10), (major, max / 6)] {
        let n_free = max - shown.len();
        // As much as can be of what is finer.
        let n_finer = (0..=n_free).rev().find(|&it| it + merged(&rest[it..], kin).len() <= n_free);
        shown.extend(rest.drain(..n_finer.unwrap_or(0)));
        rest = merged(&rest, kin);
        if n_finer.is_some() {
            break;
        }
        shown.extend(rest.drain(..n_shown));
    }
    let n_each = rest.len().div_ceil((max - shown.len()).max(1)).max(1);
    shown.extend(rest.chunks(n_each).map(|it| it[0].start..it[it.len() - 1].end));
    shown
}
