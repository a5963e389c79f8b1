//! SVG: pictures of channels, without any other program.
//!
//! Every mark has a shape of its own besides its colour, so that it can be told apart in print and by everyone: a head has
//! six corners, what is deprecated is hatched, a dead end has a wall on top, what is skipped a dashed border, what the
//! channel does not list a dotted one with round ends.

use std::fmt::Write as _;

use super::catalog::{Catalog, Channel};
use super::channel::is_deprecated;
use super::layout::{Detail, Lane, Layout};
use super::node::GraphNode;
use super::rows::Rows;
use crate::diag::printable;
use crate::upgrade::Field;

/// Height of a line, and what of it a box takes.
const LINE: usize = 34;
const BOX: usize = 24;
/// Width of a character, more or less: of names and of marks.
const CHARACTER: f64 = 7.3;
const SMALL_CHARACTER: f64 = 6.1;
/// Distance between lanes.
const LANE: usize = 13;
/// Around a channel.
const MARGIN: usize = 18;
/// Beyond this width, the channels of a package go on below.
const MAX_WIDTH: usize = 1800;
/// Above its first line.
const TITLE: usize = 46;

pub(super) const STYLE: &str = "
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1b1f24; }
.title { font-size: 14px; font-weight: bold; }
.mark { font-size: 10px; fill: #57606a; }
.box { fill: #ffffff; stroke: #57606a; stroke-width: 1.2; }
.head { fill: #dafbe1; stroke: #1a7f37; stroke-width: 2; }
.deprecated { fill: url(#hatch); stroke: #9a6700; }
.skipped { stroke-dasharray: 5 3; }
.mentioned { stroke-dasharray: 1.5 3; }
.wall { stroke: #cf222e; stroke-width: 4; }
.ring { fill: none; stroke: #0969da; stroke-width: 3; }
.badge { fill: #0969da; }
.number { font-size: 10px; font-weight: bold; fill: #ffffff; text-anchor: middle; }
.way { stroke: #0969da; stroke-width: 4; fill: none; }
.replaces { stroke: #24292f; stroke-width: 1.4; fill: none; }
.skips { stroke: #8250df; stroke-width: 1.4; stroke-dasharray: 6 3; fill: none; }
.skipRange { stroke: #bc4c00; stroke-width: 1.4; stroke-dasharray: 1.5 2.5; fill: none; }
.mutual { stroke-width: 4; }
.dot-skips { fill: #ffffff; stroke: #8250df; stroke-width: 1.4; }
.dot-skipRange, .tip-skipRange { fill: #bc4c00; }
.tip-replaces, .dot-replaces { fill: #24292f; }
.tip-skips { fill: #8250df; }
";

pub(super) const DEFINITIONS: &str = "<defs><pattern id=\"hatch\" width=\"7\" height=\"7\" \
     patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"7\" height=\"7\" fill=\"#fff8c5\"/>\
     <line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\" stroke=\"#d4a72c\" stroke-width=\"2\"/></pattern></defs>\n";

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

/// Draws a catalog's channels, by package; the channels of a package stand side by side. Edges share lanes where they can;
/// what is left of them may have so many ends.
///
/// # Errors
/// [`TooManyMarks`] if there are more ends.
pub fn svg(catalog: &Catalog, way: &Way, detail: Detail, max_ends: usize) -> Result<String, TooManyMarks> {
    let mut n_left = max_ends;
    let mut body = String::new();
    let mut has_mutual = false;
    let (mut width, mut y) = (0, 0);
    let mut channels: Vec<&Channel> = catalog.channels.iter().collect();
    channels.sort_by(|a, b| (&a.package, &a.name).cmp(&(&b.package, &b.name)));
    for of_package in channels.chunk_by(|a, b| a.package == b.package) {
        let (mut x, mut height) = (0, 0);
        for channel in of_package {
            let panel = Panel::new(catalog, channel, way, detail, &mut n_left)?;
            has_mutual |= panel.has_mutual;
            if x > 0 && x + panel.width > MAX_WIDTH {
                y += height;
                (x, height) = (0, 0);
            }
            // Writing into a text cannot fail.
            let _ = writeln!(body, "<g transform=\"translate({x},{y})\">\n{}</g>", panel.body);
            x += panel.width;
            width = width.max(x);
            height = height.max(panel.height);
        }
        y += height;
    }
    let legend = legend(has_mutual);
    let _ = writeln!(body, "<g transform=\"translate(0,{y})\">\n{}</g>", legend.body);
    Ok(document(width.max(legend.width), y + legend.height, &body))
}

/// A whole file.
fn document(width: usize, height: usize, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>Upgrade graph</title>\n<style>{STYLE}</style>\n\
         {DEFINITIONS}<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// A part of a picture, with its size.
#[derive(Debug, Clone)]
pub(super) struct Panel {
    pub(super) body: String,
    pub(super) width: usize,
    pub(super) height: usize,
    /// Whether every entry has a line of its own.
    pub(super) is_full: bool,
    /// Whether a lane leads down too.
    pub(super) has_mutual: bool,
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
        detail: Detail,
        n_left: &mut usize,
    ) -> Result<Self, TooManyMarks> {
        let is_on_way = |node: &GraphNode| way.contains(&node.name);
        let layout = Layout::new(Rows::new(catalog, channel), detail, is_on_way);
        let found = layout.n_ends();
        *n_left = n_left.checked_sub(found).ok_or_else(|| {
            let (package, channel) = (channel.package.clone(), channel.name.clone());
            TooManyMarks { package, channel, found, limit: *n_left }
        })?;
        let n_columns = |lanes: &[Lane]| lanes.iter().map(|it| it.column + 1).max().unwrap_or(0);
        let has_way = layout.nodes.iter().any(is_on_way);
        let labels: Vec<Label> = layout.lines.iter().map(|it| Label::new(&layout.nodes[it.clone()])).collect();
        let room_for_way = if has_way { 34 } else { 0 };
        let left = MARGIN + room_for_way + n_columns(&layout.left) * LANE + 14;
        let widths: Vec<usize> = labels.iter().map(Label::width).collect();
        let right = left + widths.iter().copied().max().unwrap_or(60);
        let place = Place { left, right, widths };
        let deprecated = if is_deprecated(catalog, channel) { " (deprecated)" } else { "" };
        let title = format!("{}/{}{deprecated}", channel.package, channel.name);
        let n_entries = layout.nodes.iter().filter(|it| it.is_entry).count();
        let counted = if n_entries == 1 { "1 entry".to_owned() } else { format!("{n_entries} entries") };
        let mut body = String::new();
        let _ = writeln!(body, "<text class=\"title\" x=\"{MARGIN}\" y=\"22\">{}</text>", escaped(&title));
        let _ = writeln!(body, "<text class=\"mark\" x=\"{MARGIN}\" y=\"38\">{counted}</text>");
        for lane in &layout.left {
            write_lane(&mut body, &layout, &place, lane);
        }
        for lane in &layout.right {
            write_lane(&mut body, &layout, &place, lane);
        }
        write_chain(&mut body, &layout, &place);
        for (line, label) in labels.iter().enumerate() {
            label.write(&mut body, &place, line, layout.lines[line].clone());
        }
        write_way(&mut body, &layout, &place, way);
        let width = right + n_columns(&layout.right) * LANE + 14 + MARGIN;
        let title_width = MARGIN * 2 + (title.chars().count() as f64 * CHARACTER * 1.17) as usize;
        Ok(Self {
            body,
            width: width.max(title_width),
            height: TITLE + layout.lines.len() * LINE + MARGIN,
            is_full: layout.lines.len() == layout.nodes.len(),
            has_mutual: layout.left.iter().chain(&layout.right).any(|it| it.is_mutual),
        })
    }
}

/// The text of a line, and what its shape says.
struct Label {
    name: String,
    marks: String,
    /// What is shown when the pointer rests on it.
    hint: String,
    /// The rows; several have the same marks.
    nodes: Vec<GraphNode>,
}

impl Label {
    fn new(nodes: &[GraphNode]) -> Self {
        let Some(first) = nodes.first() else {
            return Self { name: String::new(), marks: String::new(), hint: String::new(), nodes: Vec::new() };
        };
        let marks = [
            (first.is_head, "HEAD"),
            (first.is_deprecated, "deprecated"),
            (first.is_skipped, "skipped"),
            (first.is_dead_end, "dead end"),
            (!first.is_entry, "not in the channel"),
        ];
        let mut marks: Vec<&str> = marks.into_iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| mark).collect();
        let is_said = first.version.is_empty() || first.name.contains(&first.version);
        let mut name = if is_said { first.name.clone() } else { format!("{} ({})", first.name, first.version) };
        let counted = format!("{} entries, each replaces the next", nodes.len());
        let mut hint = Vec::new();
        if let [_, .., last] = nodes {
            let text_of = |it: &GraphNode| if it.version.is_empty() { it.name.clone() } else { it.version.clone() };
            name = format!("\u{22ee} {} \u{2026} {}", text_of(first), text_of(last));
            marks.insert(0, &counted);
            hint = nodes.iter().map(|it| it.name.as_str()).collect();
        }
        Self { name, marks: marks.join(", "), hint: hint.join("\n"), nodes: nodes.to_vec() }
    }

    fn name_width(&self) -> usize {
        (self.name.chars().count() as f64 * CHARACTER) as usize
    }

    fn width(&self) -> usize {
        let marks = (self.marks.chars().count() as f64 * SMALL_CHARACTER) as usize;
        let sheets_behind = if self.nodes.len() > 1 { 6 } else { 0 };
        28 + self.name_width() + if marks == 0 { 0 } else { marks + 14 } + sheets_behind
    }

    fn write(&self, body: &mut String, place: &Place, line: usize, rows: std::ops::Range<usize>) {
        let (x, y, width) = (place.left, Place::y(line) - BOX / 2, self.width());
        let _ = write!(body, "<g class=\"node\" data-rows=\"{} {}\">", rows.start, rows.end);
        if !self.hint.is_empty() {
            let _ = write!(body, "<title>{}</title>", escaped_lines(&self.hint));
        }
        let sheets: &[usize] = if self.nodes.len() > 1 { &[6, 3, 0] } else { &[0] };
        let size = (width - sheets[0], BOX - sheets[0]);
        if let Some(node) = self.nodes.first() {
            for offset in sheets {
                write_shape(body, node, (x + offset, y + offset), size);
            }
        }
        let middle = y + size.1 / 2 + 4;
        let _ = write!(body, "<text x=\"{}\" y=\"{middle}\">{}</text>", x + 12, escaped(&self.name));
        if !self.marks.is_empty() {
            let x = x + 12 + self.name_width() + 12;
            let _ = write!(body, "<text class=\"mark\" x=\"{x}\" y=\"{middle}\">{}</text>", escaped(&self.marks));
        }
        body.push_str("</g>\n");
    }
}

/// The outline of a node.
fn write_shape(body: &mut String, node: &GraphNode, (x, y): (usize, usize), (width, height): (usize, usize)) {
    let mut class = "box".to_owned();
    for (is_so, name) in [
        (node.is_head, " head"),
        (node.is_deprecated, " deprecated"),
        (node.is_skipped, " skipped"),
        (!node.is_entry, " mentioned"),
    ] {
        class.push_str(if is_so { name } else { "" });
    }
    if node.is_head {
        let (right, middle, bottom) = (x + width, y + height / 2, y + height);
        let _ = write!(
            body,
            "<polygon class=\"{class}\" points=\"{},{y} {},{y} {right},{middle} {},{bottom} {},{bottom} {x},{middle}\"/>",
            x + 9,
            right - 9,
            right - 9,
            x + 9,
        );
    } else {
        let round = if node.is_entry { 3 } else { BOX / 2 };
        let _ = write!(
            body,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{round}\"/>"
        );
    }
    if node.is_dead_end {
        let _ = write!(body, "<line class=\"wall\" x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\"/>", x + width);
    }
}

/// The arrows from each line to the one above it.
fn write_chain(body: &mut String, layout: &Layout, place: &Place) {
    let x = place.left + 22;
    for (line, rows) in layout.lines.iter().enumerate().skip(1) {
        if layout.is_replaced_above[rows.start] {
            let (from, to) = (Place::y(line) - BOX / 2, Place::y(line - 1) + BOX / 2);
            let _ = writeln!(
                body,
                "<g class=\"edge\" data-from=\"{} {}\" data-to=\"{}\"><title>replaces</title>\
                 <path class=\"replaces\" d=\"M{x} {from}V{to}\"/><path class=\"tip-replaces\" d=\"M{} {}l4 -6l4 6z\"/></g>",
                rows.start,
                rows.start + 1,
                rows.start - 1,
                x - 4,
                to + 6,
            );
        }
    }
}

/// A lane: a line from its lowest to its topmost end, a dot at each source and an arrow at each target.
fn write_lane(body: &mut String, layout: &Layout, place: &Place, lane: &Lane) {
    let is_left = lane.field == Field::Replaces;
    let field = lane.field.as_str();
    let (x, edge) = if is_left {
        (place.left - 12 - lane.column * LANE, place.left)
    } else {
        (place.right + 12 + lane.column * LANE, place.right)
    };
    let (top, bottom) = layout.span(lane);
    let mutual = if lane.is_mutual { " mutual" } else { "" };
    let sources: Vec<String> = lane.sources.iter().map(|it| format!("{} {}", it.start, it.end)).collect();
    let targets: Vec<String> = lane.targets.iter().map(|it| it.0.to_string()).collect();
    let _ = write!(
        body,
        "<g class=\"edge\" data-from=\"{}\" data-to=\"{}\"><title>{}</title><path class=\"{field}{mutual}\" d=\"M{x} {}V{}",
        sources.join(" "),
        targets.join(" "),
        escaped_lines(&hint(layout, lane)),
        Place::y(bottom),
        Place::y(top),
    );
    let mut lines_of_targets: Vec<usize> = lane.targets.iter().map(|it| layout.line_of(it.0)).collect();
    lines_of_targets.dedup();
    let lines = |it: &std::ops::Range<usize>| layout.line_of(it.start)..=layout.line_of(it.end - 1);
    let mut lines_of_sources: Vec<usize> = lane.sources.iter().flat_map(lines).collect();
    lines_of_sources.dedup();
    let box_end = |line: usize| {
        if is_left { edge } else { place.left + place.widths[line] }
    };
    // Half a dot's height apart, so that what leaves a box and what comes in do not lie on each other.
    for &line in &lines_of_targets {
        let _ = write!(body, "M{x} {}H{}", Place::y(line) - 3, box_end(line));
    }
    for &line in &lines_of_sources {
        let _ = write!(body, "M{x} {}H{}", Place::y(line) + 5, box_end(line));
    }
    body.push_str("\"/>");
    for line in lines_of_sources {
        let _ = write!(body, "<circle class=\"dot-{field}\" cx=\"{x}\" cy=\"{}\" r=\"3\"/>", Place::y(line) + 5);
    }
    for line in lines_of_targets {
        let (y, end) = (Place::y(line) - 3, box_end(line));
        let back = if is_left { "l-6 -4v8z" } else { "l6 -4v8z" };
        let _ = write!(body, "<path class=\"tip-{field}\" d=\"M{end} {y}{back}\"/>");
    }
    body.push_str("</g>\n");
}

/// A lane in words.
fn hint(layout: &Layout, lane: &Lane) -> String {
    let name = |row: usize| layout.nodes[row].name.as_str();
    let each = lane.targets.iter().map(|(target, value)| {
        if value.is_empty() {
            let sources = lane
                .sources
                .iter()
                .cloned()
                .flatten()
                .filter(|row| if lane.is_mutual { row != target } else { row > target });
            let names: Vec<&str> = sources.map(name).collect();
            format!("{} {} {}", name(*target), lane.field.as_str(), names.join(", "))
        } else {
            format!("{} {} {value}", name(*target), lane.field.as_str())
        }
    });
    each.collect::<Vec<_>>().join("\n")
}

/// The way: a thick line on the far left with a number at every bundle that it comes to.
fn write_way(body: &mut String, layout: &Layout, place: &Place, way: &Way) {
    let row_of = |name: &String| layout.nodes.iter().position(|it| &it.name == name);
    let lines: Vec<(usize, usize)> =
        way.iter().enumerate().filter_map(|(number, name)| Some((number, layout.line_of(row_of(name)?)))).collect();
    let (x, mut last) = (MARGIN + 10, None);
    for &(number, line) in &lines {
        let y = Place::y(line);
        if let Some(before) = last {
            let _ = writeln!(body, "<path class=\"way\" d=\"M{x} {}V{y}\"/>", Place::y(before));
        }
        last = Some(line);
        let width = place.widths[line];
        let _ = writeln!(
            body,
            "<g><title>{}</title><rect class=\"ring\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/></g>",
            if number == 0 { "where the way begins".to_owned() } else { format!("step {number}") },
            place.left - 4,
            y - BOX / 2 - 4,
            width + 8,
            BOX + 8,
        );
    }
    for (number, line) in lines {
        let y = Place::y(line);
        let _ = writeln!(
            body,
            "<circle class=\"badge\" cx=\"{x}\" cy=\"{y}\" r=\"9\"/><text class=\"number\" x=\"{x}\" y=\"{}\">{number}</text>",
            y + 4
        );
    }
}

/// What the marks mean; of lanes that lead down too only if there are some.
pub(super) fn legend(has_mutual: bool) -> Panel {
    let node = GraphNode {
        name: String::new(),
        version: String::new(),
        is_entry: true,
        is_head: false,
        is_skipped: false,
        is_deprecated: false,
        is_dead_end: false,
    };
    let shapes = [
        ("head", GraphNode { is_head: true, ..node.clone() }),
        ("deprecated", GraphNode { is_deprecated: true, ..node.clone() }),
        ("dead end", GraphNode { is_dead_end: true, ..node.clone() }),
        ("skipped", GraphNode { is_skipped: true, ..node.clone() }),
        ("not in the channel", GraphNode { is_entry: false, ..node }),
    ];
    let mut body = String::new();
    let mut x = MARGIN;
    for (words, node) in shapes {
        write_shape(&mut body, &node, (x, 8), (34, BOX));
        let _ = writeln!(body, "<text class=\"mark\" x=\"{}\" y=\"24\">{words}</text>", x + 42);
        x += 42 + (words.len() as f64 * SMALL_CHARACTER) as usize + 20;
    }
    let width = x;
    x = MARGIN;
    let lanes = [
        ("replaces", "replaces"),
        ("skips", "skips: from each circle up to the arrows"),
        ("skipRange", "skipRange: from each dot up to the arrows"),
        ("skipRange mutual", "skipRange: from each dot to all arrows, down too"),
    ];
    for (field, words) in lanes.into_iter().take(if has_mutual { 4 } else { 3 }) {
        let tip = field.split(' ').next().unwrap_or_default();
        let _ = writeln!(
            body,
            "<path class=\"{field}\" d=\"M{x} 50H{}\"/><path class=\"tip-{tip}\" d=\"M{} 46l6 4l-6 4z\"/>\
             <text class=\"mark\" x=\"{}\" y=\"54\">{words}</text>",
            x + 28,
            x + 28,
            x + 42
        );
        x += 42 + (words.len() as f64 * SMALL_CHARACTER) as usize + 20;
    }
    Panel { body, width: width.max(x), height: 70, is_full: true, has_mutual }
}

/// A name as it may stand in XML and HTML.
pub(super) fn escaped(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// As [`escaped`], line by line.
fn escaped_lines(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}
