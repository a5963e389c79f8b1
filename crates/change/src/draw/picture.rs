//! The picture of a channel: a title, a line for each version or for several, and a legend of the marks that occur.
//!
//! A picture is a list of [`Strip`]s below each other, so that a page can open versions that share a line in their
//! place. All strips have the same columns.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use super::axis::{Axis, Row, Track};
use super::catalog::{Catalog, Channel};
use super::lanes::Lane;
use super::layout::{Detail, Layout};
use super::legend::Mark;
use super::markup::{cut, cut_to_pixels, escaped, escaped_lines, pixels};
use super::reach::ReachMap;
use super::reach_picture::{self, MapWidth};
use super::strip::{FONT, LINE, MARGIN, MarkedPath, PictureLinks, SMALL, Strip, write_entry};
use super::way::WayMarks;
use olmdex_base::diag::counted;
use olmdex_olm::upgrade::Field;
use olmdex_version::version_or_name;

/// Distance between tracks, and between lanes.
const TRACK: usize = 16;
const LANE: usize = 13;
/// Longer texts are cut.
const MAX_TITLE: usize = 60;
const MAX_VERSION: usize = 28;
const MAX_FLAG: usize = 200;
/// The longest description of the edges that lead to a row.
const MAX_WORDS: usize = 320;
/// The most names under the pointer for a line of many.
const MAX_HINTS: usize = 30;

/// The picture has more marks than the limit allows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the picture of `{package}` has {found} marks; the limit is {limit}")]
pub struct TooManyMarks {
    /// The package at which the limit was reached.
    pub package: String,
    /// How many marks it has: entries on the lines of their channels, and ends of edges.
    pub found: usize,
    /// How many were still allowed.
    pub limit: usize,
}

/// How a package is drawn.
#[derive(Clone, Copy)]
pub(super) struct View<'v> {
    pub(super) way: &'v MarkedPath,
    /// The most lines; `None` for a line for every entry.
    pub(super) max_lines: Option<usize>,
    /// Versions that share a line can be opened if there are at most so many of them.
    pub(super) max_opened: usize,
    pub(super) links: &'v PictureLinks<'v>,
}

impl View<'_> {
    pub(super) fn max_lines_of(detail: Detail, max: usize) -> Option<usize> {
        (detail == Detail::Collapsed).then_some(max)
    }
}

/// The picture of a package.
#[derive(Debug, Clone)]
pub(super) struct Picture {
    pub(super) strips: Vec<Strip>,
    pub(super) width: usize,
    /// How many versions share a line with another one.
    pub(super) n_folded: usize,
    pub(super) marks: BTreeSet<Mark>,
    /// The content of the picture, in a line.
    pub(super) title: String,
}

impl Picture {
    /// Draws a channel. Its marks are taken off the allowed number.
    pub(super) fn new(
        catalog: &Catalog,
        channel: &Channel,
        view: View<'_>,
        n_left: &mut usize,
    ) -> Result<Self, TooManyMarks> {
        let layout = Layout::new(Axis::new(catalog, &[channel]), view.max_lines, |row| view.way.contains(&row.name));
        let is_opened = layout.n_folded() <= view.max_opened;
        let found = layout.n_marks() + if is_opened { layout.n_folded() } else { 0 };
        *n_left = n_left.checked_sub(found).ok_or_else(|| TooManyMarks {
            package: layout.axis.package.clone(),
            found,
            limit: *n_left,
        })?;
        let mut drawing = Drawing::new(&layout, view);
        let mut strips = vec![drawing.title()];
        let mut plain = 0..0;
        for (line, rows) in layout.lines.iter().enumerate() {
            if rows.len() == 1 {
                plain.end = line + 1;
                continue;
            }
            strips.extend(drawing.strip(plain.clone()));
            strips.push(drawing.fold(line, is_opened));
            plain = line + 1..line + 1;
        }
        strips.extend(drawing.strip(plain));
        let title = drawing.counted();
        let Drawing { marks, width, .. } = drawing;
        Ok(Self { strips, width, n_folded: layout.n_folded(), marks, title })
    }

    /// The map of where the versions of a package can go. Its marks are taken off the allowed number.
    pub(super) fn of_map(
        map: &ReachMap,
        (view, width): (View<'_>, MapWidth),
        n_left: &mut usize,
    ) -> Result<Self, TooManyMarks> {
        let (found, limit) = (map.n_marks(), *n_left);
        let too_many = || TooManyMarks { package: map.package.clone(), found, limit };
        *n_left = n_left.checked_sub(found).ok_or_else(too_many)?;
        let strips =
            reach_picture::strips(map, width, view.links, view.way, (view.max_lines.is_none(), view.max_opened));
        let n_folded = strips.iter().filter(|strip| matches!(strip.fold, Some((_, None)))).count();
        let title = format!("{}: {}", map.package, reach_picture::summary(map));
        Ok(Self { strips, width: width.pixels(), n_folded, marks: BTreeSet::new(), title })
    }
}

/// A picture while it grows.
struct Drawing<'d> {
    layout: &'d Layout,
    view: View<'d>,
    way: WayMarks,
    prefix: String,
    /// The left edges of versions, tracks, lanes and flags.
    at_versions: usize,
    at_tracks: usize,
    at_lanes: usize,
    at_flags: usize,
    width: usize,
    marks: BTreeSet<Mark>,
}

impl<'d> Drawing<'d> {
    fn new(layout: &'d Layout, view: View<'d>) -> Self {
        let axis = &layout.axis;
        let way = WayMarks::new(layout, view.way);
        let at_versions = MARGIN + way.width();
        let single = |it: &Range<usize>| (it.len() == 1).then(|| &axis.rows[it.start]);
        let widths = layout.lines.iter().filter_map(single).map(|it| pixels(&label(it), FONT, it.is_bold()));
        let at_tracks = at_versions + widths.max().unwrap_or(0).max(40) + 20;
        let at_lanes = at_tracks + TRACK;
        let n_lanes = layout.lanes.iter().map(|it| it.column + 1).max().unwrap_or(0);
        let at_flags = at_lanes + if n_lanes == 0 { 4 } else { n_lanes * LANE + 14 };
        let prefix = axis.prefix().to_owned();
        let mut drawing = Self {
            layout,
            view,
            way,
            prefix,
            at_versions,
            at_tracks,
            at_lanes,
            at_flags,
            width: 0,
            marks: BTreeSet::new(),
        };
        let lines = layout.lines.iter().map(|rows| match single(rows) {
            Some(_) => drawing.at_flags + drawing.flags(rows.start).1,
            None => drawing.at_flags + pixels(&drawing.fold_words(rows), SMALL, false),
        });
        let widest = lines.max().unwrap_or(0);
        let title = drawing.counted();
        let head = MARGIN + pixels(&title, FONT, true).max(pixels(drawing.how_to_read(), SMALL, false));
        let has_words = layout.n_folded() > 0 && view.max_opened >= layout.n_folded();
        let opened = if has_words { at_flags + MAX_WORDS + 60 } else { 0 };
        drawing.width = widest.max(head).max(opened).max(320) + MARGIN;
        drawing
    }

    /// The track of the channel.
    fn track(&self) -> Option<&'d Track> {
        self.layout.axis.tracks.first()
    }

    /// The name of the channel, with its size.
    fn counted(&self) -> String {
        let axis = &self.layout.axis;
        let n = axis.rows.iter().filter(|it| it.is_entry).count();
        let entries = if n == 1 { "1 entry".to_owned() } else { format!("{n} entries") };
        let track = self.track();
        let name = cut(&format!("{}/{}", axis.package, track.map_or("", |it| &it.channel)), MAX_TITLE);
        let mut words = format!("{name}: {entries}");
        for (has, mark) in [
            (track.is_some_and(|it| it.is_default), ", default channel"),
            (track.is_some_and(|it| it.is_deprecated), ", deprecated"),
        ] {
            words.push_str(if has { mark } else { "" });
        }
        let n_folded = self.layout.n_folded();
        if n_folded > 0 {
            let _ = write!(words, ", {n_folded} of them folded");
        }
        words
    }

    fn how_to_read(&self) -> &'static str {
        if self.layout.lanes.is_empty() {
            "Read upwards: OLM upgrades along the line, and \u{25c6} is the head."
        } else {
            "Read upwards to the head \u{25c6}. Lanes on the right lead from each circle to their arrows."
        }
    }

    fn title(&self) -> Strip {
        // Writing into a text cannot fail.
        let mut body = format!(
            "<text class=\"title\" x=\"{MARGIN}\" y=\"20\">{}</text>\n<text class=\"hint\" x=\"{MARGIN}\" y=\"38\">{}</text>\n",
            escaped(&self.counted()),
            self.how_to_read()
        );
        let mut height = 50;
        if !self.prefix.is_empty() {
            let words = format!("Bundles are named {}VERSION.", cut(&self.prefix, MAX_TITLE));
            let _ = writeln!(body, "<text class=\"hint\" x=\"{MARGIN}\" y=\"54\">{}</text>", escaped(&words));
            height = 66;
        }
        Strip { body, height, fold: None }
    }

    /// Lines of one row each.
    fn strip(&mut self, lines: Range<usize>) -> Option<Strip> {
        if lines.is_empty() {
            return None;
        }
        let rows = self.layout.lines[lines.start].start..self.layout.lines[lines.end - 1].end;
        let mut body = String::new();
        self.write_gaps(&mut body, &rows);
        self.write_track(&mut body, &rows);
        self.write_lanes(&mut body, &lines);
        self.way.write(&mut body, lines.clone(), MARGIN);
        for (at, row) in rows.clone().enumerate() {
            self.write_row(&mut body, row, middle(at));
        }
        Some(Strip { body, height: rows.len() * LINE, fold: None })
    }

    /// A line of several rows; with these rows, if they can be opened.
    fn fold(&mut self, line: usize, is_opened: bool) -> Strip {
        self.marks.insert(Mark::Fold);
        let rows = self.layout.lines[line].clone();
        let words = self.fold_words(&rows);
        let mut body = String::new();
        if let Some(track) = self.track() {
            let within = track.within(&rows);
            let (enters, leaves) =
                (rows.start > 0 && track.crosses_below(rows.start - 1), track.crosses_below(rows.end - 1));
            let x = self.track_x();
            if !within.is_empty() || enters || leaves {
                let (top, bottom) = (if enters { 0 } else { 4 }, if leaves { LINE } else { LINE - 4 });
                let class = if within.is_empty() { "" } else { " several" };
                let _ =
                    writeln!(body, "<g class=\"track t0\"><path class=\"rail{class}\" d=\"M{x} {top}V{bottom}\"/></g>");
            }
        }
        self.write_lanes(&mut body, &(line..line + 1));
        self.way.write(&mut body, line..line + 1, MARGIN);
        let names = rows.clone().take(MAX_HINTS).map(|row| self.layout.axis.rows[row].name.clone());
        let more = rows.len().saturating_sub(MAX_HINTS);
        let hint = names.chain((more > 0).then(|| format!("… and {more} more")));
        let _ = writeln!(
            body,
            "<g class=\"row\"><title>{}</title><text class=\"folded\" x=\"{}\" y=\"{}\">\u{22ef}</text>\
             <text class=\"hint\" x=\"{}\" y=\"{}\">{}</text></g>",
            escaped_lines(hint),
            self.at_versions,
            middle(0) + 4,
            self.at_flags,
            middle(0) + 4,
            escaped(&words)
        );
        let opened = is_opened.then(|| Box::new(self.opened(line, &rows)));
        Strip { body, height: LINE, fold: Some((words, opened)) }
    }

    /// The rows of a line, each by itself; lanes only pass them, and words describe the edges to each.
    fn opened(&mut self, line: usize, rows: &Range<usize>) -> Strip {
        let mut body = String::new();
        self.write_gaps(&mut body, rows);
        self.write_track(&mut body, rows);
        for lane in &self.layout.lanes {
            let (top, bottom) = lane.span();
            if top <= line && line < bottom {
                let x = self.lane_x(lane);
                let _ = writeln!(body, "<path class=\"{}\" d=\"M{x} 0V{}\"/>", lane.field.as_str(), rows.len() * LINE);
            }
        }
        self.way.pass(&mut body, line, rows.len() * LINE, MARGIN);
        for (at, row) in rows.clone().enumerate() {
            self.write_row(&mut body, row, middle(at));
            let x = self.at_flags + self.flags(row).1 + 10;
            let words = cut_to_pixels(&self.edge_words(row), MAX_WORDS, SMALL);
            if !words.is_empty() {
                let _ = writeln!(
                    body,
                    "<text class=\"hint\" x=\"{x}\" y=\"{}\">{}</text>",
                    middle(at) + 4,
                    escaped(&words)
                );
            }
        }
        Strip { body, height: rows.len() * LINE, fold: None }
    }

    /// The edges that lead to a row from others than the row below it, in words; only for a single channel.
    fn edge_words(&self, row: usize) -> String {
        let Axis { rows, sources, .. } = &self.layout.axis;
        let first = sources.partition_point(|it| it.target < row);
        let of_row = sources[first..].iter().take_while(|it| it.target == row);
        let words = of_row.filter_map(|it| match it.field {
            Field::Replaces if it.each().next() == Some(row + 1) => None,
            Field::Replaces => {
                Some(format!("replaces {}", it.each().next().map(|row| label(&rows[row])).unwrap_or_default()))
            }
            Field::Skips => Some(format!("skips {}", counted(it.len() as u64, "version"))),
            Field::SkipRange => Some(format!("skipRange {}", it.value)),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// How many versions share a line, which, and the marks that appear nowhere else.
    fn fold_words(&self, rows: &Range<usize>) -> String {
        let all = &self.layout.axis.rows[rows.clone()];
        let text = |it: Option<&Row>| it.map(label).unwrap_or_default();
        let mut words = format!("{} more: {} to {}", all.len(), text(all.last()), text(all.first()));
        let count = |has: fn(&Row) -> bool| all.iter().filter(|it| has(it)).count();
        let n_gaps = self.layout.axis.is_gap_below[rows.start..rows.end - 1].iter().filter(|it| **it).count();
        let n_heads = count(|it| !it.head_of.is_empty());
        for (n, one, many) in [
            (n_heads, "head", "heads"),
            (count(|it| it.is_deprecated), "deprecated", "deprecated"),
            (count(|it| it.is_dead_end), "dead end", "dead ends"),
            (count(|it| it.is_skipped), "skipped", "skipped"),
            (count(|it| !it.is_entry), "not in a channel", "not in a channel"),
            (n_gaps, "gap", "gaps"),
        ] {
            match n {
                0 => {}
                1 => words.push_str(&format!(", 1 {one}")),
                n => words.push_str(&format!(", {n} {many}")),
            }
        }
        words
    }

    fn track_x(&self) -> usize {
        self.at_tracks + TRACK / 2
    }

    fn lane_x(&self, lane: &Lane) -> usize {
        self.at_lanes + 8 + lane.column * LANE
    }

    /// Dashed lines at the places that no upgrade crosses.
    fn write_gaps(&mut self, body: &mut String, rows: &Range<usize>) {
        for row in rows.clone().filter(|row| self.layout.axis.is_gap_below[*row]) {
            self.marks.insert(Mark::Gap);
            // At the end of a strip, the line must not be cut.
            let y = (row + 1 - rows.start) * LINE - usize::from(row + 1 == rows.end);
            let _ = writeln!(
                body,
                "<g><title>no upgrade crosses</title><path class=\"gap\" d=\"M{} {y}H{}\"/></g>",
                self.at_versions,
                self.width - MARGIN
            );
        }
    }

    fn write_track(&mut self, body: &mut String, rows: &Range<usize>) {
        let Some(track) = self.track() else { return };
        let y = |row: usize| middle(row - rows.start);
        let x = self.track_x();
        let mut path = String::new();
        // The beginning of the line that is being drawn.
        let mut from = (rows.start > 0 && track.crosses_below(rows.start - 1)).then_some(0);
        for row in rows.clone() {
            if track.crosses_below(row) {
                from = from.or(Some(y(row)));
            } else if let Some(top) = from.take() {
                let _ = write!(path, "M{x} {top}V{}", y(row));
            }
        }
        if let Some(top) = from {
            let _ = write!(path, "M{x} {top}V{}", rows.len() * LINE);
        }
        let mut drawn = String::new();
        if !path.is_empty() {
            let _ = write!(drawn, "<path class=\"rail\" d=\"{path}\"/>");
        }
        for (row, mark) in track.within(rows) {
            self.marks.insert(Mark::Entry(*mark));
            write_entry(&mut drawn, *mark, x, y(*row));
        }
        if !drawn.is_empty() {
            let _ = writeln!(body, "<g class=\"track t0\">{drawn}</g>");
        }
    }

    /// Lanes of edges over these lines: a line from the lowest to the topmost end, a circle at each source, an arrow at
    /// each target.
    fn write_lanes(&mut self, body: &mut String, lines: &Range<usize>) {
        for lane in &self.layout.lanes {
            let (top, bottom) = lane.span();
            if bottom < lines.start || top >= lines.end {
                continue;
            }
            self.marks.insert(Mark::Lane(lane.field, lane.is_mutual));
            let x = self.lane_x(lane);
            let field = lane.field.as_str();
            let track = self.at_tracks + TRACK - 2;
            let y = |line: usize| middle(line - lines.start);
            let from = if top < lines.start { 0 } else { y(top) };
            let to = if bottom >= lines.end { lines.len() * LINE } else { y(bottom) };
            let mutual = if lane.is_mutual { " mutual" } else { "" };
            let _ = write!(
                body,
                "<g class=\"edge\"><title>{}</title><path class=\"{field}{mutual}\" d=\"M{x} {from}V{to}",
                escaped_lines(lane.words.lines())
            );
            let sources: Vec<usize> =
                lane.sources.iter().cloned().flatten().filter(|it| lines.contains(it)).map(|it| y(it) + 4).collect();
            let targets: Vec<usize> =
                lane.targets.iter().filter(|it| lines.contains(it)).map(|it| y(*it) - 4).collect();
            for y in sources.iter().chain(&targets) {
                let _ = write!(body, "M{track} {y}H{x}");
            }
            body.push_str("\"/>");
            for y in sources {
                let _ = write!(body, "<circle class=\"dot-{field}\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/>");
            }
            for y in targets {
                let _ = write!(body, "<path class=\"tip-{field}\" d=\"M{track} {y}l7 -4v8z\"/>");
            }
            body.push_str("</g>\n");
        }
    }

    /// The version of a row, its flags and its marks.
    fn write_row(&mut self, body: &mut String, row: usize, y: usize) {
        let it = &self.layout.axis.rows[row];
        let mut class = "version".to_owned();
        for (is_so, name) in [(it.is_bold(), " strong"), (it.is_deprecated, " struck")] {
            class.push_str(if is_so { name } else { "" });
        }
        if it.is_deprecated {
            self.marks.insert(Mark::Deprecated);
        }
        let text = format!(
            "<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>",
            self.at_versions,
            y + 4,
            escaped(&label(it))
        );
        let _ = write!(body, "<g class=\"row\"><title>{}</title>", escaped(&it.name));
        let _ = match (self.view.links.bundle)(&it.name, &it.version).filter(|_| it.is_entry) {
            Some(link) => write!(body, "<a href=\"{}\">{text}</a>", escaped(&link)),
            None => write!(body, "{text}"),
        };
        body.push_str("</g>");
        body.push_str(&self.flags_at(row, y));
        body.push('\n');
    }

    /// The flag and the marks of a row, and how many pixels they take.
    fn flags(&self, row: usize) -> (Vec<Flag<'d>>, usize) {
        let it = &self.layout.axis.rows[row];
        let mut flags = Vec::new();
        let mut x = 0;
        if let Some(track) = self.track().filter(|_| it.is_bold()) {
            let name =
                if track.is_default { format!("{} \u{b7} default", track.channel) } else { track.channel.clone() };
            let text = cut_to_pixels(&name, MAX_FLAG, SMALL);
            let width = pixels(&text, SMALL, true) + 18;
            flags.push(Flag { x, width, hint: (text != name).then_some(name), text, track: Some(track) });
            x += width + 6;
        }
        let marks = [
            (it.is_deprecated, "deprecated"),
            (it.is_entry && it.is_dead_end && it.head_of.is_empty(), "dead end"),
            (it.is_entry && it.is_skipped, "skipped"),
            (!it.is_entry, "not in the channel"),
        ];
        let words: Vec<&str> = marks.into_iter().filter(|it| it.0).map(|it| it.1).collect();
        if !words.is_empty() {
            let text = words.join(", ");
            let width = pixels(&text, SMALL, false);
            flags.push(Flag { x, width, text, track: None, hint: None });
            x += width;
        }
        (flags, x)
    }

    fn flags_at(&self, row: usize, y: usize) -> String {
        let mut body = String::new();
        for Flag { x, width, text, track, hint } in self.flags(row).0 {
            let x = self.at_flags + x;
            let title = hint.map(|hint| format!("<title>{}</title>", escaped(&hint))).unwrap_or_default();
            let Some(track) = track else {
                let _ = write!(
                    body,
                    "<g>{title}<text class=\"hint\" x=\"{x}\" y=\"{}\">{}</text></g>",
                    y + 4,
                    escaped(&text)
                );
                continue;
            };
            let struck = if track.is_deprecated { " struck" } else { "" };
            let _ = write!(body, "<g class=\"flag t0{struck}\">{title}");
            let drawn = format!(
                "<rect x=\"{x}\" y=\"{}\" width=\"{width}\" height=\"18\" rx=\"9\"/><text x=\"{}\" y=\"{}\">{}</text>",
                y - 9,
                x + 9,
                y + 4,
                escaped(&text)
            );
            let _ = match (self.view.links.channel)(&track.channel) {
                Some(link) => write!(body, "<a href=\"{}\">{drawn}</a></g>", escaped(&link)),
                None => write!(body, "{drawn}</g>"),
            };
        }
        body
    }
}

/// Words beside a row: the name of the channel whose head it is, or its marks.
struct Flag<'f> {
    x: usize,
    width: usize,
    text: String,
    /// The channel.
    track: Option<&'f Track>,
    /// The whole name, if it is cut.
    hint: Option<String>,
}

impl Row {
    fn is_bold(&self) -> bool {
        !self.head_of.is_empty()
    }
}

/// The middle of a line of a strip.
fn middle(line: usize) -> usize {
    line * LINE + LINE / 2
}

/// The label of a row: its version, or its name if it has no version.
fn label(row: &Row) -> String {
    cut(version_or_name(&row.version, &row.name), MAX_VERSION)
}
