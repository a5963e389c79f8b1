//! Mermaid of a package within the limits of sites that draw it: the lines of [`super::svg()`] as nodes.
//!
//! Mermaid draws at most 50,000 characters and 500 edges unless a site allows more (`maxTextSize` and `maxEdges` of its
//! configuration); GitHub and GitLab do not.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::axis::{Axis, EntryMark};
use super::catalog::Catalog;
use super::layout::Layout;
use super::markup::cut;
use super::order::in_version_order;
use olmdex_base::diag::printable;

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
#[must_use]
pub fn folded_mermaid(catalog: &Catalog) -> String {
    let channels = in_version_order(catalog);
    let axis = Axis::new(catalog, &channels);
    let mut drawn = String::new();
    for max in LINES {
        let (text, n_edges) = with_lines(axis.clone(), max);
        drawn = text;
        if drawn.len() <= MAX_BYTES && n_edges <= MAX_EDGES {
            break;
        }
    }
    drawn
}

/// The package in at most so many lines, and the number of its edges.
fn with_lines(axis: Axis, max: usize) -> (String, usize) {
    let layout = Layout::new(axis, Some(max), |_| false);
    let Layout { axis, lines, .. } = &layout;
    let mut text = "graph BT\n  classDef head font-weight:bold\n  classDef deprecated fill:#E8960F\n".to_owned();
    let mut n_edges = 0;
    for (line, rows) in lines.iter().enumerate() {
        let all = &axis.rows[rows.clone()];
        if all.iter().all(|it| !it.is_entry) {
            continue;
        }
        let name = |at: usize| if all[at].version.is_empty() { &all[at].name } else { &all[at].version };
        let words = match all.len() {
            1 => name(0).clone(),
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
    let edges = edges(&layout);
    n_edges += edges.len();
    for (from, to) in edges {
        let _ = writeln!(text, "  v{from} --> v{to}");
    }
    (text, n_edges)
}

/// The edges from line to line, wherever a channel continues, and those from other channels that no way along the
/// others shows: the shortest ones come first.
fn edges(layout: &Layout) -> BTreeSet<(usize, usize)> {
    let line_of = |row: usize| layout.lines.partition_point(|it| it.end <= row);
    let mut edges = BTreeSet::new();
    for track in &layout.axis.tracks {
        let listed = || track.entries.iter().filter(|it| it.1 != EntryMark::Mentioned).map(|it| it.0);
        for (upper, lower) in listed().zip(listed().skip(1)) {
            let (to, from) = (line_of(upper), line_of(lower));
            if to != from && track.crosses_below(upper) {
                edges.insert((from, to));
            }
        }
    }
    let beside = layout.axis.tracks.iter().flat_map(|it| &it.beside);
    let beside: BTreeSet<(usize, usize, usize)> = beside
        .map(|&(from, to)| (line_of(from), line_of(to)))
        .filter(|(from, to)| from != to)
        .map(|(from, to)| (from.abs_diff(to), from, to))
        .collect();
    for (_, from, to) in beside {
        if !leads(&edges, from, to) {
            edges.insert((from, to));
        }
    }
    edges
}

/// Whether a way along the edges leads from a line to another one.
fn leads(edges: &BTreeSet<(usize, usize)>, from: usize, to: usize) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(at) = open.pop() {
        let next = edges.range((at, 0)..=(at, usize::MAX)).map(|it| it.1);
        open.extend(next.filter(|it| seen.insert(*it)));
    }
    seen.contains(&to)
}

/// A text between quotation marks; marks in it become entities for Mermaid.
fn quoted(text: &str) -> String {
    cut(&printable(text), MAX_NAME).replace('#', "#35;").replace('"', "#quot;").replace(['<', '>'], "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Channel, Package};
    use olmdex_fbc::Entry;
    use olmdex_version::Version;

    /// An upgrade from another channel is named by the first entry of the new one, as in project-quay.
    #[test]
    fn folding_loses_no_upgrade_from_channel_to_channel() {
        let mut catalog = Catalog::default();
        catalog.packages.insert("p".to_owned(), Package { default_channel: "c9".to_owned(), ..Package::default() });
        for minor in 0..10 {
            let name = |minor: u64, patch: u64| format!("p.v1.{minor}.{patch}");
            let mut entries = Vec::new();
            for patch in 0..6 {
                catalog.versions.insert(name(minor, patch), Version::new(1, minor, patch));
                // The first one replaces a version in the middle of the channel before.
                let before = patch.checked_sub(1).map(|it| name(minor, it));
                let replaces = before.or_else(|| Some(name(minor.checked_sub(1)?, 2))).unwrap_or_default();
                entries.push(Entry { name: name(minor, patch), replaces, ..Entry::default() });
            }
            let channel = Channel { package: "p".to_owned(), name: format!("c{minor}"), entries, rank: 0 };
            catalog.channels.push(channel);
        }
        let channels = in_version_order(&catalog);
        let axis = Axis::new(&catalog, &channels);
        let row_of = |name: &str| axis.rows.iter().position(|it| it.name == name).unwrap();
        let all = catalog.channels.iter().flat_map(|it| &it.entries).filter(|it| !it.replaces.is_empty());
        let all: Vec<(usize, usize)> = all.map(|it| (row_of(&it.replaces), row_of(&it.name))).collect();
        for max in LINES {
            let layout = Layout::new(axis.clone(), Some(max), |_| false);
            let line_of = |row: usize| layout.lines.partition_point(|it| it.end <= row);
            let drawn = edges(&layout);
            for &(from, to) in &all {
                assert!(leads(&drawn, line_of(from), line_of(to)), "{max} lines: {from} to {to}: {drawn:?}");
            }
            assert!(drawn.len() < 2 * max, "{drawn:?}");
        }
    }

    #[test]
    fn no_package_is_too_large_for_a_site_that_draws_mermaid() {
        for (n_channels, n_entries) in [(1, 3), (5, 300), (40, 60), (400, 400), (3, 3000)] {
            let mut catalog = Catalog::default();
            catalog.packages.insert("p".to_owned(), Package { default_channel: "c0".to_owned(), ..Package::default() });
            for at in 0..n_entries {
                catalog.versions.insert(format!("p.v1.{at}.0"), Version::new(1, at as u64, 0));
            }
            for channel in 0..n_channels {
                // Each channel lists other entries, so that no two share an edge.
                let listed: Vec<usize> = (channel..n_entries).step_by(1 + channel % 7).collect();
                let entries = listed.iter().enumerate().map(|(number, at)| Entry {
                    name: format!("p.v1.{at}.0"),
                    replaces: number.checked_sub(1).map(|it| format!("p.v1.{}.0", listed[it])).unwrap_or_default(),
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
