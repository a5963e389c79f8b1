//! A package of several channels as plain text: a line for each version, a column for each channel, as in the pictures.

use std::io::{self, Write};
use std::ops::Range;

use super::axis::{Axis, EntryMark, Row};
use super::catalog::{Catalog, Channel};
use super::channel::ChannelGraph;
use super::layout::{Detail, Layout};
use super::order::in_version_order;
use super::text::text;
use olmdex_base::diag::{counted, printable};

/// The highest number of columns of a picture on a terminal; with more, the channels follow each other.
const MAX_COLUMNS: usize = 48;
/// A package takes at most so many lines.
const MAX_LINES: usize = 60;
/// The heads of a line that are named.
const MAX_NAMED: usize = 4;

/// Writes packages one after another: those of several channels with a column for each, and the others as [`text`]
/// does, which also writes all of them if every entry is wanted. `graphs` are the channels of the catalog, in the order
/// of writing.
///
/// # Errors
/// The errors of the writer.
pub fn package_text(
    catalog: &Catalog,
    graphs: &[ChannelGraph],
    detail: Detail,
    out: &mut impl Write,
) -> io::Result<()> {
    if detail == Detail::Full {
        return text(graphs, detail, out);
    }
    let channels = in_version_order(catalog);
    for of_package in graphs.chunk_by(|a, b| a.package == b.package) {
        let package = of_package.first().map_or("", |it| &it.package);
        let own: Vec<&Channel> = channels.iter().filter(|it| it.package == package).copied().collect();
        // A graph with a marked entry is drawn on its own, in detail.
        let is_named = of_package.iter().flat_map(|it| &it.nodes).any(|it| it.is_marked);
        let layout =
            (own.len() > 1 && !is_named).then(|| Layout::new(Axis::new(catalog, &own), Some(MAX_LINES), |_| false));
        match layout.filter(|it| it.n_columns <= MAX_COLUMNS) {
            Some(layout) => write_package(&layout, out)?,
            None => text(of_package, detail, out)?,
        }
    }
    Ok(())
}

fn write_package(layout: &Layout, out: &mut impl Write) -> io::Result<()> {
    let axis = &layout.axis;
    let n = axis.rows.iter().filter(|it| it.is_entry).count() as u64;
    let n_channels = axis.tracks.len() as u64;
    writeln!(out, "{}: {} in {}", printable(&axis.package), counted(n, "version"), counted(n_channels, "channel"))?;
    write!(out, "Read upwards: each column is a channel, and ◆ is its head.")?;
    match axis.prefix() {
        "" => writeln!(out)?,
        prefix => writeln!(out, " Bundles are named {}VERSION.", printable(prefix))?,
    }
    writeln!(out)?;
    let labels: Vec<String> = layout.lines.iter().map(|it| label(axis, it)).collect();
    let is_single = |at: usize| layout.lines[at].len() == 1;
    let width = (0..labels.len()).filter(|it| is_single(*it)).map(|it| labels[it].chars().count()).max().unwrap_or(0);
    for (rows, label) in layout.lines.iter().zip(&labels) {
        let columns = columns(layout, rows);
        if rows.len() == 1 {
            let words = words(axis, &axis.rows[rows.start]);
            writeln!(out, "{}", format!("  {label:<width$}  {columns}  {words}").trim_end())?;
        } else {
            writeln!(out, "  {:<width$}  {columns}  {label}", "⋯")?;
        }
        if axis.is_gap_below.get(rows.end - 1).copied().unwrap_or_default() {
            writeln!(out, "  {} no upgrade crosses", "╌".repeat(width))?;
        }
    }
    writeln!(out)
}

/// The version of a row, or the versions of several.
fn label(axis: &Axis, rows: &Range<usize>) -> String {
    let of = |row: &Row| printable(if row.version.is_empty() { &row.name } else { &row.version }).into_owned();
    let all = &axis.rows[rows.clone()];
    match all {
        [only] => of(only),
        [high, .., low] => format!("{} more: {} to {}", all.len(), of(low), of(high)),
        [] => String::new(),
    }
}

/// The mark of each channel in a line, up to the last channel that passes.
fn columns(layout: &Layout, rows: &Range<usize>) -> String {
    let mut marks = vec![' '; layout.n_columns];
    for (track, column) in layout.axis.tracks.iter().zip(&layout.columns) {
        let within = track.within(rows);
        let passes = track.crosses_below(rows.end - 1)
            || rows.start.checked_sub(1).is_some_and(|above| track.crosses_below(above));
        let mark = match within {
            _ if rows.len() > 1 && (!within.is_empty() || passes) => '┊',
            [(_, EntryMark::Head), ..] => '◆',
            [(_, EntryMark::Entry), ..] => '●',
            [(_, EntryMark::Skipped | EntryMark::Mentioned), ..] => '○',
            [(_, EntryMark::DeadEnd), ..] => '✕',
            [] if passes => '│',
            [] => continue,
        };
        marks[*column] = mark;
    }
    let last = marks.iter().rposition(|it| *it != ' ').map_or(0, |it| it + 1);
    marks[..last].iter().map(char::to_string).collect::<Vec<_>>().join(" ")
}

/// The channels whose head a row is, and its marks.
fn words(axis: &Axis, row: &Row) -> String {
    let name = |track: &usize| {
        let track = &axis.tracks[*track];
        let marks = [(track.is_default, "default"), (track.is_deprecated, "deprecated")];
        let marks: Vec<&str> = marks.into_iter().filter(|it| it.0).map(|it| it.1).collect();
        let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
        format!("{}{marks}", printable(&track.channel))
    };
    let mut words: Vec<String> = row.head_of.iter().take(MAX_NAMED).map(name).collect();
    if row.head_of.len() > MAX_NAMED {
        words.push(format!("and {} more", row.head_of.len() - MAX_NAMED));
    }
    let marks = [
        (row.is_deprecated, "deprecated"),
        (row.is_entry && row.is_dead_end && row.head_of.is_empty(), "dead end"),
        (row.is_entry && row.is_skipped, "skipped"),
        (!row.is_entry, "not in a channel"),
    ];
    let marks: Vec<&str> = marks.into_iter().filter(|it| it.0).map(|it| it.1).collect();
    match (words.is_empty(), marks.is_empty()) {
        (_, true) => words.join(", "),
        (true, false) => format!("({})", marks.join(", ")),
        (false, false) => format!("{} ({})", words.join(", "), marks.join(", ")),
    }
}
