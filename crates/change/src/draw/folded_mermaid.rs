//! Mermaid of a package within the limits of sites that draw it: the lines of [`super::svg()`] as nodes. All edges from
//! the versions of one line to those of another are one edge, and no other edge is drawn.
//!
//! Mermaid draws at most 50,000 characters and 500 edges unless a site allows more (`maxTextSize` and `maxEdges` of its
//! configuration); GitHub and GitLab do not.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use super::axis::Axis;
use super::catalog::Catalog;
use super::layout::Layout;
use super::markup::cut;
use super::order::in_version_order;
use super::rows::Rows;
use olmdex_base::diag::printable;
use olmdex_version::version_or_name;

/// The limits of the output.
const MAX_BYTES: usize = 45_000;
const MAX_EDGES: usize = 450;
/// Numbers of lines to try, from the most readable to one that always fits.
const LINES: [usize; 4] = [30, 20, 10, 5];
/// So many channels have a node of their own at a head.
const MAX_FLAGS: usize = 8;
/// Longer names are cut.
const MAX_NAME: usize = 40;

/// Draws the channels of a package as Mermaid.
pub fn folded_mermaid(catalog: &Catalog) -> String {
    let channels = in_version_order(catalog);
    let axis = Axis::new(catalog, &channels);
    let rows: Vec<Rows> = channels.iter().map(|channel| Rows::new(catalog, channel)).collect();
    let mut drawn = String::new();
    for max in LINES {
        let (text, n_edges) = with_lines(axis.clone(), &rows, max);
        drawn = text;
        if drawn.len() <= MAX_BYTES && n_edges <= MAX_EDGES {
            break;
        }
    }
    drawn
}

/// The package in at most so many lines, and the number of its edges.
fn with_lines(axis: Axis, channels: &[Rows], max: usize) -> (String, usize) {
    let layout = Layout::new(axis, Some(max), |_| false);
    let Layout { axis, lines, .. } = &layout;
    let mut text = "graph BT\n  classDef head font-weight:bold\n  classDef deprecated fill:#E8960F\n".to_owned();
    let mut n_edges = 0;
    for (line, rows) in lines.iter().enumerate() {
        let all = &axis.rows[rows.clone()];
        let name = |at: usize| version_or_name(&all[at].version, &all[at].name);
        let words = match all.len() {
            1 => name(0).to_owned(),
            n => format!("{n} versions, {} to {}", name(n - 1), name(0)),
        };
        // Writing into a text cannot fail.
        let _ = write!(text, "  v{line}[\"{}\"]", quoted(&words));
        let class = match all {
            _ if all.iter().all(|it| it.is_deprecated) => ":::deprecated",
            _ if all.iter().any(|it| !it.head_of.is_empty()) => ":::head",
            _ => "",
        };
        let _ = writeln!(text, "{class}");
        let heads: Vec<usize> = all.iter().flat_map(|it| it.head_of.iter().copied()).collect();
        for &track in heads.iter().take(MAX_FLAGS) {
            let track_of = &axis.tracks[track];
            let default = if track_of.is_default { " (default)" } else { "" };
            let _ = writeln!(text, "  v{line} -.- c{track}([\"{}{default}\"])", quoted(&track_of.channel));
            n_edges += 1;
        }
        if let Some(n @ 1..) = heads.len().checked_sub(MAX_FLAGS) {
            let _ = writeln!(text, "  v{line} -.- m{line}([\"and {n} more channels\"])");
            n_edges += 1;
        }
    }
    let edges = edges(&layout, channels);
    n_edges += edges.len();
    for (from, to) in edges {
        let _ = writeln!(text, "  v{from} --> v{to}");
    }
    (text, n_edges)
}

/// The edges of all channels, from line to line.
fn edges(layout: &Layout, channels: &[Rows]) -> BTreeSet<(usize, usize)> {
    let mut line_of = HashMap::new();
    for (line, rows) in layout.lines.iter().enumerate() {
        line_of.extend(layout.axis.rows[rows.clone()].iter().map(|row| (row.name.as_str(), line)));
    }
    let mut edges = BTreeSet::new();
    for channel in channels {
        let lines: Vec<usize> = channel.nodes.iter().map(|node| line_of[node.name.as_str()]).collect();
        // The row behind the run of rows in the same line. Ranges of ten thousand entries hold a hundred million
        // sources, but few runs.
        let mut behind: Vec<usize> = (1..=lines.len()).collect();
        for row in (1..lines.len()).rev() {
            if lines[row - 1] == lines[row] {
                behind[row - 1] = behind[row];
            }
        }
        for sources in &channel.sources {
            let to = lines[sources.target];
            for range in &sources.rows {
                let mut row = range.start;
                while row < range.end {
                    // An edge within a line is invisible.
                    if lines[row] != to {
                        edges.insert((lines[row], to));
                    }
                    row = behind[row];
                }
            }
        }
    }
    edges
}

/// A text between quotation marks; marks in it become entities for Mermaid.
fn quoted(text: &str) -> String {
    cut(&printable(text), MAX_NAME).replace('#', "#35;").replace('"', "#quot;").replace(['<', '>'], "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Channel;
    use olmdex_fbc::Entry;
    use olmdex_version::Version;

    /// Ten channels of six versions. The first version of a channel replaces one in the middle of the channel before,
    /// as in project-quay; others skip a version of another channel or one that no channel lists, or have a range; the
    /// last channel has two heads.
    fn catalog_of_ten_channels() -> Catalog {
        let mut catalog = Catalog::default();
        catalog.packages.insert("p".to_owned(), "c9".to_owned());
        let name = |minor: u64, patch: u64| format!("p.v1.{minor}.{patch}");
        for minor in 0..10 {
            let mut entries = Vec::new();
            for patch in 0..6 {
                catalog.versions.insert(name(minor, patch), Version::new(1, minor, patch));
                let before = match (minor, patch) {
                    (0, 0) => String::new(),
                    (_, 0) => name(minor - 1, 2),
                    (9, 5) => name(9, 3),
                    _ => name(minor, patch - 1),
                };
                let skips = match (minor, patch) {
                    (4, 3) => vec![name(7, 1), "p.v0.9.0".to_owned()],
                    (6, 5) => vec![name(6, 1), name(6, 2)],
                    _ => Vec::new(),
                };
                let skip_range = if (minor, patch) == (8, 5) { ">=1.8.1 <1.8.5" } else { "" }.to_owned();
                entries.push(Entry { name: name(minor, patch), replaces: before, skips, skip_range });
            }
            let channel = Channel { package: "p".to_owned(), name: format!("c{minor}"), entries, rank: 0 };
            catalog.channels.push(channel);
        }
        catalog
    }

    #[test]
    fn folding_keeps_every_edge_and_adds_none() {
        let whole = catalog_of_ten_channels();
        for catalog in [whole.only("p", "c4"), whole.only("p", "c8"), whole] {
            let channels = in_version_order(&catalog);
            let axis = Axis::new(&catalog, &channels);
            let rows: Vec<Rows> = channels.iter().map(|channel| Rows::new(&catalog, channel)).collect();
            let row_of = |name: &str| axis.rows.iter().position(|row| row.name == name).unwrap();
            let all: Vec<(usize, usize)> = crate::draw::channels(&catalog)
                .iter()
                .flat_map(|graph| graph.edges.iter().map(|edge| (row_of(edge.source), row_of(edge.target))))
                .collect();
            assert!(all.len() > 5);
            for max in LINES.into_iter().chain([3, 1]) {
                let layout = Layout::new(axis.clone(), Some(max), |_| false);
                let line_of = |row: usize| layout.lines.partition_point(|rows| rows.end <= row);
                let on_lines = all.iter().map(|&(from, to)| (line_of(from), line_of(to)));
                let expected: BTreeSet<(usize, usize)> = on_lines.filter(|(from, to)| from != to).collect();
                assert_eq!(edges(&layout, &rows), expected, "{max} lines");
                let text = with_lines(axis.clone(), &rows, max).0;
                for (from, to) in &expected {
                    assert!(text.contains(&format!("  v{from} --> v{to}\n")), "{from} to {to}: {text}");
                    assert!([from, to].iter().all(|line| text.contains(&format!("  v{line}[\""))), "{text}");
                }
            }
        }
    }

    #[test]
    fn no_package_is_too_large_for_a_site_that_draws_mermaid() {
        for (n_channels, n_entries) in [(1, 3), (5, 300), (40, 60), (400, 400), (3, 3000), (2, 10_000)] {
            let mut catalog = Catalog::default();
            catalog.packages.insert("p".to_owned(), "c0".to_owned());
            for at in 0..n_entries {
                catalog.versions.insert(format!("p.v1.{at}.0"), Version::new(1, at as u64, 0));
            }
            for channel in 0..n_channels {
                // Each channel lists other entries, so that no two share an edge.
                let listed: Vec<usize> = (channel..n_entries).step_by(1 + channel % 7).collect();
                let entries = listed.iter().enumerate().map(|(number, at)| Entry {
                    name: format!("p.v1.{at}.0"),
                    replaces: number.checked_sub(1).map(|it| format!("p.v1.{}.0", listed[it])).unwrap_or_default(),
                    // All lines lead to each other.
                    skip_range: if channel % 2 == 1 { ">=0.0.0".to_owned() } else { String::new() },
                    ..Entry::default()
                });
                let (package, name) = ("p".to_owned(), format!("c{channel}-\"#<{}", "x".repeat(60)));
                catalog.channels.push(Channel { package, name, entries: entries.collect(), rank: 0 });
            }
            let text = folded_mermaid(&catalog);
            let n_edges = text.lines().filter(|it| it.contains(" --> ") || it.contains(" -.- ")).count();
            assert!(text.len() < 50_000 && n_edges < 500, "{n_channels}, {n_entries}: {} bytes, {n_edges}", text.len());
            assert!(n_edges >= n_channels.min(5), "{text}");
            assert!(text.lines().all(|it| it.matches('"').count() % 2 == 0), "{text}");
        }
    }
}
