//! One channel as a part of a picture: its title, its lines from the head down, its lanes and a way through it.

use std::fmt::Write as _;

use super::catalog::{Catalog, Channel};
use super::label::{BOX, CHARACTER, Label, SMALL_CHARACTER};
use super::lanes::Lane;
use super::layout::Layout;
use super::markup::{columns, cut, escaped, escaped_lines};
use super::node::GraphNode;
use super::rows::Rows;
use olmdex_olm::upgrade::Field;

/// Height of a line.
const LINE: usize = 34;
/// Distance between lanes.
const LANE: usize = 13;
/// Around a channel.
pub(super) const MARGIN: usize = 18;
/// Above its first line.
const TITLE: usize = 46;
/// Longer titles are cut.
const MAX_TITLE: usize = 60;

/// A way through a channel that a picture shows: names of bundles, the installed one first.
pub type Way = [String];

/// More is to be drawn than is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the edges of `{package}/{channel}` have {found} ends beside their lanes; the limit is {limit}")]
pub struct TooManyMarks {
    /// The package of the channel at which the limit was reached.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// How many ends it has.
    pub found: usize,
    /// How many were still allowed.
    pub limit: usize,
}

/// How a channel is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'v> {
    /// In at most so many lines, or in a line for every entry.
    pub(super) max_lines: Option<usize>,
    /// With what the ids of its folds begin, if something leads there.
    pub(super) id: Option<&'v str>,
}

/// A part of a picture, with its size.
#[derive(Debug, Clone)]
pub(super) struct Panel {
    pub(super) body: String,
    pub(super) width: usize,
    pub(super) height: usize,
    /// The lines of several entries, if something leads there.
    pub(super) folds: Vec<Fold>,
    /// How many entries share a line with another one.
    pub(super) n_folded: usize,
    /// Whether a lane leads down too.
    pub(super) has_mutual: bool,
}

/// Rows that share a line.
#[derive(Debug, Clone)]
pub(super) struct Fold {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) marks: String,
    pub(super) names: Vec<String>,
}

/// Where the parts of a channel stand.
struct Place {
    /// Left and right end of the boxes.
    left: usize,
    right: usize,
    /// The width of each line's box.
    widths: Vec<usize>,
}

impl Place {
    /// The middle of a line.
    fn y(line: usize) -> usize {
        TITLE + line * LINE + LINE / 2
    }
}

impl Panel {
    /// Draws a channel; its edges may have so many ends, which are taken off.
    pub(super) fn new(
        catalog: &Catalog,
        channel: &Channel,
        way: &Way,
        view: View<'_>,
        n_left: &mut usize,
    ) -> Result<Self, TooManyMarks> {
        let is_on_way = |node: &GraphNode| way.contains(&node.name);
        let layout = Layout::new(Rows::new(catalog, channel), view.max_lines, is_on_way);
        let found = layout.n_ends();
        *n_left = n_left.checked_sub(found).ok_or_else(|| {
            let (package, channel) = (channel.package.clone(), channel.name.clone());
            TooManyMarks { package, channel, found, limit: *n_left }
        })?;
        let n_columns = |lanes: &[Lane]| lanes.iter().map(|it| it.column + 1).max().unwrap_or(0);
        let has_way = layout.nodes.iter().any(is_on_way);
        let lines = layout.lines.iter().zip(&layout.is_chain);
        let labels: Vec<Label> =
            lines.map(|(rows, is_chain)| Label::new(&layout.nodes[rows.clone()], *is_chain)).collect();
        let room_for_way = if has_way { room_for_way(way) } else { 0 };
        let left = MARGIN + room_for_way + n_columns(&layout.left) * LANE + 14;
        let widths: Vec<usize> = labels.iter().map(Label::width).collect();
        let right = left + widths.iter().copied().max().unwrap_or(60);
        let place = Place { left, right, widths };
        let mut body = String::new();
        let title_width = write_title(&mut body, catalog, channel, &layout);
        for lane in layout.left.iter().chain(&layout.right) {
            write_lane(&mut body, &place, lane);
        }
        write_chain(&mut body, &layout, &place);
        let mut folds = Vec::new();
        for (line, label) in labels.into_iter().enumerate() {
            let rows = layout.lines[line].clone();
            let id = view.id.filter(|_| rows.len() > 1).map(|id| format!("{id}-{line}"));
            label.write(&mut body, (place.left, Place::y(line) - BOX / 2), line, id.as_deref());
            if let Some(id) = id {
                let names = layout.nodes[rows].iter().map(|it| it.name.clone()).collect();
                folds.push(Fold { id, name: label.name, marks: label.marks, names });
            }
        }
        write_way(&mut body, &layout, &place, way);
        let width = right + n_columns(&layout.right) * LANE + 14 + MARGIN;
        Ok(Self {
            body,
            width: width.max(title_width),
            height: TITLE + layout.lines.len() * LINE + MARGIN,
            folds,
            n_folded: layout.n_folded(),
            has_mutual: layout.left.iter().chain(&layout.right).any(|it| it.is_mutual),
        })
    }
}

/// The name of a channel and how much of it is shown; gives the width.
fn write_title(body: &mut String, catalog: &Catalog, channel: &Channel, layout: &Layout) -> usize {
    let name = format!("{}/{}", channel.package, channel.name);
    let title = cut(&name, MAX_TITLE);
    let marks = [(catalog.is_default(channel), "default"), (catalog.is_deprecated(channel), "deprecated")];
    let marks: Vec<&str> = marks.into_iter().filter(|it| it.0).map(|it| it.1).collect();
    let marks = marks.join(", ");
    let n_entries = layout.nodes.iter().filter(|it| it.is_entry).count();
    let mut counted = if n_entries == 1 { "1 entry".to_owned() } else { format!("{n_entries} entries") };
    let n_folded = layout.n_folded();
    if n_folded > 0 {
        let n_lines = layout.lines.iter().filter(|it| it.len() > 1).count();
        let lines = if n_lines == 1 { "1 row".to_owned() } else { format!("{n_lines} rows") };
        let _ = write!(counted, ", {n_folded} folded into {lines}");
    }
    // Writing into a text cannot fail.
    let _ = write!(body, "<text class=\"title\" x=\"{MARGIN}\" y=\"22\">{}", escaped(&title));
    if !marks.is_empty() {
        let _ = write!(body, "<tspan class=\"mark\" dx=\"10\">{marks}</tspan>");
    }
    if title != name {
        let _ = write!(body, "<title>{}</title>", escaped(&name));
    }
    let _ = writeln!(body, "</text>\n<text class=\"mark\" x=\"{MARGIN}\" y=\"38\">{}</text>", escaped(&counted));
    let title_width = columns(&title) as f64 * CHARACTER * 1.17 + marks.len() as f64 * SMALL_CHARACTER + 10.0;
    let counted_width = counted.len() as f64 * SMALL_CHARACTER;
    MARGIN * 2 + title_width.max(counted_width) as usize
}

/// The arrows from each line to the one above it.
fn write_chain(body: &mut String, layout: &Layout, place: &Place) {
    let x = place.left + 22;
    for line in 1..layout.lines.len() {
        if layout.is_replaced_above[line] {
            let (from, to) = (Place::y(line) - BOX / 2, Place::y(line - 1) + BOX / 2);
            let _ = writeln!(
                body,
                "<g class=\"edge\" data-from=\"{} {}\" data-to=\"{}\"><title>replaces</title>\
                 <path class=\"replaces\" d=\"M{x} {from}V{to}\"/><path class=\"tip-replaces\" d=\"M{} {}l4 -6l4 6z\"/></g>",
                line,
                line + 1,
                line - 1,
                x - 4,
                to + 6,
            );
        }
    }
}

/// A lane: a line from its lowest to its topmost end, a dot at each source and an arrow at each target.
fn write_lane(body: &mut String, place: &Place, lane: &Lane) {
    let is_left = lane.field == Field::Replaces;
    let field = lane.field.as_str();
    let (x, edge) = if is_left {
        (place.left - 12 - lane.column * LANE, place.left)
    } else {
        (place.right + 12 + lane.column * LANE, place.right)
    };
    // Apart, so that what leaves a box and what comes in do not lie on each other, nor do different fields.
    let apart = if lane.field == Field::SkipRange { 4 } else { 0 };
    let (to, from) = (|line: usize| Place::y(line) - 3 - apart, |line: usize| Place::y(line) + 4 + apart);
    let ends = lane.sources.iter().cloned().flatten().map(from).chain(lane.targets.iter().copied().map(to));
    let (top, bottom) = ends.fold((usize::MAX, 0), |(low, high), y| (low.min(y), high.max(y)));
    let mutual = if lane.is_mutual { " mutual" } else { "" };
    let sources: Vec<String> = lane.sources.iter().map(|it| format!("{} {}", it.start, it.end)).collect();
    let targets: Vec<String> = lane.targets.iter().map(ToString::to_string).collect();
    let _ = write!(
        body,
        "<g class=\"edge\" data-from=\"{}\" data-to=\"{}\"><title>{}</title><path class=\"{field}{mutual}\" d=\"M{x} {}V{}",
        sources.join(" "),
        targets.join(" "),
        escaped_lines(lane.words.lines()),
        bottom,
        top,
    );
    let box_end = |line: usize| {
        if is_left { edge } else { place.left + place.widths[line] }
    };
    for &line in &lane.targets {
        let _ = write!(body, "M{x} {}H{}", to(line), box_end(line));
    }
    for line in lane.sources.iter().cloned().flatten() {
        let _ = write!(body, "M{x} {}H{}", from(line), box_end(line));
    }
    body.push_str("\"/>");
    for line in lane.sources.iter().cloned().flatten() {
        let _ = write!(body, "<circle class=\"dot-{field}\" cx=\"{x}\" cy=\"{}\" r=\"3\"/>", from(line));
    }
    for &line in &lane.targets {
        let (y, end) = (to(line), box_end(line));
        let back = if is_left { "l-6 -4v8z" } else { "l6 -4v8z" };
        let _ = write!(body, "<path class=\"tip-{field}\" d=\"M{end} {y}{back}\"/>");
    }
    body.push_str("</g>\n");
}

/// The width of what is left of the boxes where there is a way: its widest number, or span of numbers, and a gap.
fn room_for_way(way: &Way) -> usize {
    let n_digits = way.len().to_string().len();
    badge_width(if way.len() > 9 { n_digits * 2 + 1 } else { n_digits }) + 16
}

/// The width of a number of so many characters on the way.
fn badge_width(n_characters: usize) -> usize {
    (n_characters * 7 + 10).max(18)
}

/// The way: a thick line on the far left with the numbers of its steps at every line that it comes to.
fn write_way(body: &mut String, layout: &Layout, place: &Place, way: &Way) {
    let row_of = |name: &String| layout.nodes.iter().position(|it| &it.name == name);
    let mut lines: Vec<(usize, usize, usize)> = Vec::new();
    for (number, name) in way.iter().enumerate() {
        let Some(line) = row_of(name).map(|it| layout.line_of(it)) else { continue };
        match lines.last_mut() {
            Some((of_last, _, last)) if *of_last == line => *last = number,
            _ => lines.push((line, number, number)),
        }
    }
    let x = MARGIN + (room_for_way(way) - 16) / 2;
    for pair in lines.windows(2) {
        let _ = writeln!(body, "<path class=\"way\" d=\"M{x} {}V{}\"/>", Place::y(pair[0].0), Place::y(pair[1].0));
    }
    for (line, first, last) in lines {
        let (y, width) = (Place::y(line), place.widths[line]);
        let words = match (first, last) {
            (0, 0) => "where the path begins".to_owned(),
            (first, last) if first == last => format!("step {first}"),
            (first, last) => format!("steps {first} to {last}"),
        };
        let _ = writeln!(
            body,
            "<g><title>{words}</title><rect class=\"ring\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/></g>",
            place.left - 4,
            y - BOX / 2 - 4,
            width + 8,
            BOX + 8,
        );
        let number = if first == last { first.to_string() } else { format!("{first}–{last}") };
        let width = badge_width(columns(&number));
        let _ = writeln!(
            body,
            "<rect class=\"badge\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"18\" rx=\"9\"/>\
             <text class=\"number\" x=\"{x}\" y=\"{}\">{number}</text>",
            x - width / 2,
            y - 9,
            width,
            y + 4
        );
    }
}
