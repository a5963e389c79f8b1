//! Where everything of a channel stands in a picture: lines from the head down, and lanes beside them for the edges that
//! do not lead from one line to the next.
//!
//! A line may show several rows ([`super::fold`]). Edges then lead from line to line: what stays within a line is not seen,
//! and an edge of a line is one of some of its rows.

use std::collections::BTreeMap;
use std::ops::Range;

use super::fold::fold;
use super::lanes::{Ends, Lane, Lanes, Words, in_columns, joined};
use super::node::GraphNode;
use super::rows::{Rows, Sources};
use olmdex_olm::upgrade::Field;

/// How much of a channel is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What is repeated shares a line, and so do older versions if there are too many lines to look at.
    Collapsed,
    /// Every entry has its own line.
    Full,
}

/// A channel, laid out.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) nodes: Vec<GraphNode>,
    /// The rows of each line.
    pub(super) lines: Vec<Range<usize>>,
    /// Of each line, whether the one above it replaces it.
    pub(super) is_replaced_above: Vec<bool>,
    /// Of each line, whether each of its rows replaces the next.
    pub(super) is_chain: Vec<bool>,
    /// Lanes on the left: `replaces` over other lines.
    pub(super) left: Vec<Lane>,
    /// Lanes on the right: `skips` and `skipRange`.
    pub(super) right: Vec<Lane>,
}

impl Layout {
    /// Lays out a channel in at most so many lines, or with a line for every row. Rows for which `is_marked` are shown by
    /// themselves if that can be.
    pub(super) fn new(rows: Rows, max_lines: Option<usize>, is_marked: impl Fn(&GraphNode) -> bool) -> Self {
        let Rows { nodes, sources } = rows;
        let lines = match max_lines {
            Some(max) => fold(&nodes, &sources, max, is_marked),
            None => (0..nodes.len()).map(|row| row..row + 1).collect(),
        };
        let n_links = |line: &Range<usize>| {
            let is_inside = |it: &&Sources| it.field == Field::Replaces && line.contains(&it.target);
            let first = sources.partition_point(|it| it.target < line.start);
            let inside = sources[first..].iter().take_while(|it| it.target < line.end).filter(is_inside);
            inside.filter(|it| it.rows.first().map(|rows| rows.start) == Some(it.target + 1)).count()
        };
        let is_chain =
            lines.iter().map(|it| it.len() > 1 && n_links(&(it.start..it.end - 1)) == it.len() - 1).collect();
        let mut is_replaced_above = vec![false; lines.len()];
        let mut lanes = Lanes::default();
        for mut ends in on_lines(&nodes, &lines, &sources) {
            let below = ends.target + 1;
            if ends.field == Field::Replaces && ends.sources.first().map(|it| it.start) == Some(below) {
                is_replaced_above[below] = true;
                ends.sources[0].start += 1;
                ends.sources.retain(|it| !it.is_empty());
            }
            lanes.add(ends);
        }
        let (left, right): (Vec<Lane>, Vec<Lane>) = lanes.all.into_iter().partition(|it| it.field == Field::Replaces);
        Self { nodes, lines, is_replaced_above, is_chain, left: in_columns(left), right: in_columns(right) }
    }

    /// How many ends of lanes a picture shows.
    pub(super) fn n_ends(&self) -> usize {
        self.left.iter().chain(&self.right).map(Lane::n_ends).sum()
    }

    /// The line that shows a row.
    pub(super) fn line_of(&self, row: usize) -> usize {
        self.lines.partition_point(|it| it.end <= row)
    }

    /// How many entries share a line with another one.
    pub(super) fn n_folded(&self) -> usize {
        self.lines.iter().map(ExactSizeIterator::len).filter(|it| *it > 1).sum()
    }
}

/// What leads to each line: by line, then `replaces`, `skips`, `skipRange`.
fn on_lines(nodes: &[GraphNode], lines: &[Range<usize>], sources: &[Sources]) -> impl Iterator<Item = Ends> {
    let line_of: Vec<usize> =
        lines.iter().enumerate().flat_map(|(line, rows)| std::iter::repeat_n(line, rows.len())).collect();
    let on_line = |it: &Range<usize>| line_of[it.start]..line_of[it.end - 1] + 1;
    let mut all: BTreeMap<(usize, Field), Ends> = BTreeMap::new();
    for it in sources {
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
        ends.words.add(|| words(nodes, it));
    }
    all.into_values().map(|mut ends| {
        ends.held = joined(ends.held.iter());
        // What stays within the line is not seen.
        let around = joined(ends.sources.iter()).into_iter().flat_map(|it| {
            let at = ends.target.clamp(it.start, it.end);
            [it.start..at, (at + usize::from(it.contains(&ends.target)))..it.end]
        });
        ends.sources = around.filter(|it| !it.is_empty()).collect();
        ends
    })
}

/// What leads to an entry by a field, in words; of many names the first.
fn words(nodes: &[GraphNode], sources: &Sources) -> String {
    const MAX: usize = 8;
    let (name, field) = (&nodes[sources.target].name, sources.field.as_str());
    if !sources.value.is_empty() {
        return format!("{name} {field} {}", sources.value);
    }
    let names: Vec<&str> = sources.each().take(MAX).map(|row| nodes[row].name.as_str()).collect();
    let n_more = sources.len() - names.len();
    let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
    format!("{name} {field} {}{more}", names.join(", "))
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Catalog, Channel};
    use olmdex_fbc::Entry;
    use olmdex_version::Version;

    /// A channel of versions 1.0.0 up to 1.N.0, each of which replaces the one before; `change` makes it something else.
    fn layout(n: usize, change: impl Fn(usize, &mut Entry)) -> Layout {
        layout_in(Some(50), n, change)
    }

    fn layout_in(max_lines: Option<usize>, n: usize, change: impl Fn(usize, &mut Entry)) -> Layout {
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
        let channel = Channel { package: "p".to_owned(), name: "c".to_owned(), entries, rank: 0 };
        Layout::new(Rows::new(&catalog, &channel), max_lines, |_| false)
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
        assert_eq!(layout.right[0].targets, [0, 1]);
    }

    #[test]
    fn ranges_that_hold_each_other_share_a_lane() {
        for n in [5, 2000] {
            let layout = layout_in(None, n, |_, entry| entry.skip_range = ">=0.0.0".to_owned());
            // The highest is only led up to, so it has a lane as in a chain.
            let mutual: Vec<&Lane> = layout.right.iter().filter(|it| it.is_mutual).collect();
            assert_eq!((layout.right.len(), mutual.len()), (2, 1), "{n}");
            assert_eq!(mutual[0].sources, std::slice::from_ref(&(0..n)));
            assert_eq!(mutual[0].targets.len(), n - 1);
            assert!(layout.n_ends() < 3 * n);
        }
    }

    #[test]
    fn ranges_that_begin_at_different_versions_do_not() {
        let layout = layout(6, |minor, entry| {
            if minor > 3 {
                entry.skip_range = format!(">=1.{}.0 <1.{minor}.0", minor - 3);
            }
        });
        let lanes: Vec<_> = layout.right.iter().map(|it| (it.sources[0].clone(), it.targets[0])).collect();
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

    /// Patch releases of minor versions, each of which has four; `change` gets the minor and the patch number.
    fn streams(max_lines: usize, n: usize, change: impl Fn(usize, usize, &mut Entry)) -> Layout {
        let name = |at: usize| format!("p.v1.{}.{}", at / 4, at % 4);
        let mut catalog = Catalog::default();
        let entries = (0..n).map(|at| {
            catalog.versions.insert(name(at), Version::new(1, at as u64 / 4, at as u64 % 4));
            let mut entry = Entry { name: name(at), ..Entry::default() };
            if at >= 4 {
                entry.replaces = name(at / 4 * 4 - 1);
            }
            if at % 4 == 3 {
                entry.skips = (at - 3..at).map(name).collect();
            }
            change(at / 4, at % 4, &mut entry);
            entry
        });
        let channel = Channel { package: "p".to_owned(), name: "c".to_owned(), entries: entries.collect(), rank: 0 };
        Layout::new(Rows::new(&catalog, &channel), Some(max_lines), |_| false)
    }

    #[test]
    fn a_z_stream_is_a_line_for_each_minor_version() {
        let same = streams(50, 16, |_, _, _| {});
        assert_eq!(same.lines, [0..1, 1..4, 4..8, 8..12, 12..16]);
        assert_eq!(same.is_replaced_above, [false, false, true, true, true]);
        // A release that is treated otherwise is seen.
        let other = streams(50, 16, |minor, patch, entry| {
            if (minor, patch) == (1, 1) {
                entry.skip_range = "<1.1.0".to_owned();
            }
        });
        assert_eq!(other.lines, [0..1, 1..4, 4..8, 8..9, 9..10, 10..11, 11..12, 12..16]);
    }

    #[test]
    fn what_is_old_is_folded_by_minor_and_by_major_version() {
        let odd = |minor: usize, patch: usize, entry: &mut Entry| {
            if (minor + patch).is_multiple_of(2) {
                entry.skip_range = format!(">=1.0.0 <1.{minor}.{patch}");
                entry.skips.push(format!("p.v0.{minor}.{patch}"));
            }
        };
        for (n, max) in [(40, 20), (400, 20), (400, 50), (2000, 50), (400, 6)] {
            let layout = streams(max, n, odd);
            let n_lines = layout.lines.len();
            assert!(n_lines <= max && n_lines > max / 2, "{n_lines} of {max}");
            assert_eq!(layout.lines[0], 0..1, "the head");
            assert_eq!(layout.lines.iter().map(ExactSizeIterator::len).sum::<usize>(), layout.nodes.len());
            assert!(layout.lines.windows(2).all(|it| it[0].end == it[1].start));
        }
    }
}
