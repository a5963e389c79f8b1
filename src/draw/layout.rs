//! Where everything of a channel stands in a picture: lines from the head down, and lanes beside them for the edges that
//! do not lead from one line to the next.
//!
//! Two things keep long channels readable. Rows that differ in nothing but their version share a line. And edges into
//! different entries share a lane wherever that says the same: a lane leads from each of its sources up to each of its
//! targets above, which is what chains of ranges ("from everything older") and growing lists of skips amount to.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::node::GraphNode;
use super::rows::{Rows, Sources};
use crate::upgrade::Field;

/// Fewer rows than this are not worth a line of their own kind.
const MIN_RUN: usize = 4;

/// How much of a channel is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Rows that differ in nothing but their version share a line.
    Collapsed,
    /// Every entry has its own line.
    Full,
}

/// Edges by one field that share a line from top to bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) field: Field,
    /// The rows that it leads from.
    pub(super) sources: Vec<Range<usize>>,
    /// The rows that it leads to, ascending, each with the field's value.
    pub(super) targets: Vec<(usize, String)>,
    /// Counted from the boxes outwards.
    pub(super) column: usize,
    /// Whether each source leads to each target, those below it too; else to those above it only.
    pub(super) is_mutual: bool,
}

/// A channel, laid out.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) nodes: Vec<GraphNode>,
    /// The rows of each line.
    pub(super) lines: Vec<Range<usize>>,
    /// Whether the row is replaced by the one above it.
    pub(super) is_replaced_above: Vec<bool>,
    /// Lanes on the left: `replaces` over other rows.
    pub(super) left: Vec<Lane>,
    /// Lanes on the right: `skips` and `skipRange`.
    pub(super) right: Vec<Lane>,
}

impl Layout {
    /// Lays out a channel; rows for which `is_marked` are shown by themselves.
    pub(super) fn new(rows: Rows, detail: Detail, is_marked: impl Fn(&GraphNode) -> bool) -> Self {
        let Rows { nodes, sources } = rows;
        let mut is_replaced_above = vec![false; nodes.len()];
        let mut lanes = Lanes::default();
        for sources in sources {
            if sources.field == Field::Replaces && sources.rows.first().map(|it| it.start) == Some(sources.target + 1) {
                is_replaced_above[sources.target + 1] = true;
            } else {
                lanes.add(sources);
            }
        }
        let lines = lines(&nodes, &lanes.all, &is_replaced_above, detail, is_marked);
        let (left, right): (Vec<Lane>, Vec<Lane>) = lanes.all.into_iter().partition(|it| it.field == Field::Replaces);
        let mut layout = Self { nodes, lines, is_replaced_above, left: Vec::new(), right: Vec::new() };
        layout.left = layout.in_columns(left);
        layout.right = layout.in_columns(right);
        layout
    }

    /// How many ends of lanes a picture shows.
    pub(super) fn n_ends(&self) -> usize {
        let lines = |first: usize, last: usize| self.line_of(last) - self.line_of(first) + 1;
        let of_lane =
            |lane: &Lane| lane.targets.len() + lane.sources.iter().map(|it| lines(it.start, it.end - 1)).sum::<usize>();
        self.left.iter().chain(&self.right).map(of_lane).sum()
    }

    /// The line that shows a row.
    pub(super) fn line_of(&self, row: usize) -> usize {
        self.lines.partition_point(|it| it.end <= row)
    }

    /// The lines that a lane passes: from its topmost end to its lowest.
    pub(super) fn span(&self, lane: &Lane) -> (usize, usize) {
        let rows = lane.sources.iter().flat_map(|it| [it.start, it.end - 1]).chain(lane.targets.iter().map(|it| it.0));
        let (low, high) = rows.fold((usize::MAX, 0), |(low, high), row| (low.min(row), high.max(row)));
        (self.line_of(low), self.line_of(high))
    }

    /// Gives every lane the innermost column that is free over its whole length; short ones come first.
    fn in_columns(&self, mut lanes: Vec<Lane>) -> Vec<Lane> {
        // What is inside one line is not seen.
        lanes.retain(|it| {
            let (top, bottom) = self.span(it);
            top < bottom
        });
        lanes.sort_by_cached_key(|it| {
            let (top, bottom) = self.span(it);
            (bottom - top, it.field, top)
        });
        // For each column what is taken, by its top: spans that do not meet.
        let mut taken: Vec<BTreeMap<usize, usize>> = Vec::new();
        for lane in &mut lanes {
            let (top, bottom) = self.span(lane);
            let is_free =
                |spans: &BTreeMap<usize, usize>| spans.range(..=bottom).next_back().is_none_or(|it| *it.1 < top);
            lane.column = taken.iter().position(is_free).unwrap_or(taken.len());
            if lane.column == taken.len() {
                taken.push(BTreeMap::new());
            }
            taken[lane.column].insert(top, bottom);
        }
        lanes
    }
}

/// Lanes while they grow.
#[derive(Debug, Default)]
struct Lanes {
    all: Vec<Lane>,
    /// Lanes by field and lowest source.
    by_bottom: HashMap<(Field, usize), Vec<usize>>,
    /// Mutual lanes by field and sources.
    mutual: HashMap<(Field, Vec<Range<usize>>), usize>,
}

impl Lanes {
    /// Adds edges into an entry to a lane that says the same already, or gives them their own. Entries come from the top
    /// down.
    fn add(&mut self, sources: Sources) {
        let Sources { target, field, value, rows, held } = sources;
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return };
        if rows.len() == 1 && first.len() == 1 && first.start == target {
            // It leads to itself.
            return;
        }
        let bottom = (field, last.end);
        let is_below = first.start > target;
        if !is_below {
            // What a range holds leads to every entry with the same range, above and below.
            let next = self.all.len();
            let at = *self.mutual.entry((field, held)).or_insert(next);
            match self.all.get_mut(at) {
                Some(lane) => {
                    lane.is_mutual = true;
                    // The first of them held all but its own row.
                    lane.sources = joined(&lane.sources, &rows);
                    lane.targets.push((target, value));
                }
                None => self.all.push(Lane {
                    field,
                    sources: rows,
                    targets: vec![(target, value)],
                    column: 0,
                    is_mutual: false,
                }),
            }
            return;
        }
        let same = self.by_bottom.get(&bottom).into_iter().flatten().copied().find(|&at| {
            let lane = &self.all[at];
            lane.sources[0].start > lane.targets[0].0 && is_tail(&lane.sources, target + 1, &rows)
        });
        match same {
            Some(at) => self.all[at].targets.push((target, value)),
            None => {
                self.by_bottom.entry(bottom).or_default().push(self.all.len());
                self.all.push(Lane {
                    field,
                    sources: rows,
                    targets: vec![(target, value)],
                    column: 0,
                    is_mutual: false,
                });
            }
        }
    }
}

/// The rows of two lists of ranges.
fn joined(a: &[Range<usize>], b: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut all = [a, b].concat();
    all.sort_unstable_by_key(|it| it.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for it in all {
        match joined.last_mut() {
            Some(last) if it.start <= last.end => last.end = last.end.max(it.end),
            _ => joined.push(it),
        }
    }
    joined
}

/// Whether `tail` is what of `all` lies at `from` or behind.
fn is_tail(all: &[Range<usize>], from: usize, tail: &[Range<usize>]) -> bool {
    let rest = &all[all.partition_point(|it| it.end <= from)..];
    rest.len() == tail.len() && rest.iter().zip(tail).all(|(a, b)| a.start.max(from) == b.start && a.end == b.end)
}

/// Which rows share a line.
fn lines(
    nodes: &[GraphNode],
    lanes: &[Lane],
    is_replaced_above: &[bool],
    detail: Detail,
    is_marked: impl Fn(&GraphNode) -> bool,
) -> Vec<Range<usize>> {
    // Heads, and what was asked for, are never lost in a line of many.
    let is_common: Vec<bool> = nodes.iter().map(|it| it.is_entry && !it.is_head && !is_marked(it)).collect();
    let marks = |row: usize| (nodes[row].is_skipped, nodes[row].is_deprecated, nodes[row].is_dead_end);
    // Where a lane begins or ends to touch rows, a new line begins.
    let mut is_break = vec![false; nodes.len() + 1];
    for lane in lanes {
        for range in &lane.sources {
            is_break[range.start] = true;
            is_break[range.end] = true;
        }
        for pair in lane.targets.windows(2).filter(|pair| pair[0].0 + 1 != pair[1].0) {
            is_break[pair[0].0 + 1] = true;
            is_break[pair[1].0] = true;
        }
        if let (Some(first), Some(last)) = (lane.targets.first(), lane.targets.last()) {
            is_break[first.0] = true;
            is_break[last.0 + 1] = true;
        }
    }
    let mut lines = Vec::new();
    let mut start = 0;
    while start < nodes.len() {
        let mut end = start + 1;
        let goes_on = |row: usize| {
            is_common[start] && is_common[row] && marks(start) == marks(row) && is_replaced_above[row] && !is_break[row]
        };
        while end < nodes.len() && goes_on(end) {
            end += 1;
        }
        if detail == Detail::Collapsed && end - start >= MIN_RUN {
            lines.push(start..end);
        } else {
            lines.extend((start..end).map(|row| row..row + 1));
        }
        start = end;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Catalog, Channel};
    use crate::fbc::Entry;
    use crate::version::Version;

    /// A channel of versions 1.0.0 up to 1.N.0, each of which replaces the one before; `change` makes it something else.
    fn layout(n: usize, change: impl Fn(usize, &mut Entry)) -> Layout {
        let mut catalog = Catalog::default();
        let mut entries = Vec::new();
        for minor in 0..n {
            let name = format!("p.v1.{minor}.0");
            catalog.versions.insert(name.clone(), Version::new(1, minor as u64, 0));
            let replaces = if minor == 0 { String::new() } else { format!("p.v1.{}.0", minor - 1) };
            let mut entry = Entry { name, replaces, ..Entry::default() };
            change(minor, &mut entry);
            entries.push(entry);
        }
        let channel = Channel { package: "p".to_owned(), name: "c".to_owned(), entries };
        Layout::new(Rows::new(&catalog, &channel), Detail::Collapsed, |_| false)
    }

    #[test]
    fn a_plain_chain_is_a_head_and_one_line() {
        let layout = layout(30, |_, _| {});
        assert_eq!(layout.lines, [0..1, 1..30]);
        assert!(layout.left.is_empty() && layout.right.is_empty());
    }

    #[test]
    fn ranges_over_everything_older_share_a_lane() {
        let layout = layout(30, |minor, entry| entry.skip_range = format!(">=1.0.0 <1.{minor}.0"));
        assert_eq!(layout.lines, [0..1, 1..29, 29..30]);
        assert_eq!(layout.right.len(), 1);
        assert_eq!(layout.right[0].targets.len(), 29);
    }

    #[test]
    fn ranges_that_hold_each_other_share_a_lane() {
        for n in [5, 2000] {
            let layout = layout(n, |_, entry| entry.skip_range = ">=0.0.0".to_owned());
            // The highest is only led up to, so it has a lane as in a chain.
            let mutual: Vec<&Lane> = layout.right.iter().filter(|it| it.is_mutual).collect();
            assert_eq!((layout.right.len(), mutual.len()), (2, 1), "{n}");
            assert_eq!(mutual[0].sources, std::slice::from_ref(&(0..n)));
            assert_eq!(mutual[0].targets.len(), n - 1);
            assert!(layout.n_ends() < n + 10);
        }
    }

    #[test]
    fn ranges_that_begin_at_different_versions_do_not() {
        let layout = layout(6, |minor, entry| {
            if minor > 3 {
                entry.skip_range = format!(">=1.{}.0 <1.{minor}.0", minor - 3);
            }
        });
        let lanes: Vec<_> = layout.right.iter().map(|it| (it.sources[0].clone(), it.targets[0].0)).collect();
        assert_eq!(lanes, [(1..4, 0), (2..5, 1)]);
        assert_ne!(layout.right[0].column, layout.right[1].column);
    }

    #[test]
    fn what_only_leads_to_a_skipped_entry_is_a_dead_end() {
        // The example of OLM's documentation: the head skips what replaces the rest.
        let layout = layout(5, |minor, entry| {
            if minor == 4 {
                entry.skips.push("p.v1.3.0".to_owned());
            }
        });
        let marks: Vec<_> = layout.nodes.iter().map(|it| (it.is_head, it.is_skipped, it.is_dead_end)).collect();
        assert_eq!(marks[0], (true, false, false));
        assert_eq!(marks[1], (false, true, false));
        assert_eq!(marks[2..], [(false, false, true); 3], "1.1.0 gets to 1.2.0, but from there nothing leads on");
    }

    #[test]
    fn several_heads_and_a_cycle_are_drawn_as_they_are() {
        let layout = layout(6, |minor, entry| match minor {
            3 => entry.replaces.clear(),
            0 => entry.replaces = "p.v1.2.0".to_owned(),
            _ => {}
        });
        let heads: Vec<usize> = (0..6).filter(|&row| layout.nodes[row].is_head).collect();
        assert_eq!(heads, [0]);
        let dead: Vec<usize> = (0..6).filter(|&row| layout.nodes[row].is_dead_end).collect();
        assert_eq!(dead, [3, 4, 5]);
        assert_eq!(layout.left.len(), 1, "the edge back up");
    }
}
