//! A line of a channel: its text, and the shape that says the same.
//!
//! Every mark has a shape of its own besides its colour, so that it can be told apart in print and by everyone: a head has
//! six corners, what is deprecated is hatched, a dead end has a wall on top, what is skipped a dashed border, what the
//! channel does not list a dotted one with round ends, and several entries are a pile of sheets.

use std::fmt::Write as _;

use super::markup::{columns, cut, escaped, escaped_lines};
use super::node::GraphNode;

/// Height of a box.
pub(super) const BOX: usize = 24;
/// Width of a character, more or less: of names and of marks.
pub(super) const CHARACTER: f64 = 7.3;
pub(super) const SMALL_CHARACTER: f64 = 6.1;
/// Longer names are cut.
const MAX_NAME: usize = 48;
/// So many names are shown when the pointer rests on a line of many.
const MAX_HINTS: usize = 30;

/// The text of a line, and what its shape says.
pub(super) struct Label {
    pub(super) name: String,
    pub(super) marks: String,
    /// What is shown when the pointer rests on it.
    hint: Vec<String>,
    /// What the shape shows.
    node: Option<GraphNode>,
    is_fold: bool,
}

impl Label {
    /// The label of a line of rows; `is_chain` if each of several replaces the next.
    pub(super) fn new(nodes: &[GraphNode], is_chain: bool) -> Self {
        let Some(first) = nodes.first() else {
            return Self { name: String::new(), marks: String::new(), hint: Vec::new(), node: None, is_fold: false };
        };
        type Mark = fn(&GraphNode) -> bool;
        let all: [(Mark, &str); 5] = [
            (|it| it.is_head, "HEAD"),
            (|it| it.is_deprecated, "deprecated"),
            (|it| it.is_skipped, "skipped"),
            (|it| it.is_dead_end, "dead end"),
            (|it| !it.is_entry, "not in the channel"),
        ];
        let counted = all.into_iter().filter_map(|(has, mark)| match nodes.iter().filter(|it| has(it)).count() {
            0 => None,
            n if n == nodes.len() => Some(mark.to_owned()),
            n => Some(format!("{n} {mark}")),
        });
        let each_next = is_chain.then(|| "each replaces the next".to_owned());
        let marks: Vec<String> = each_next.into_iter().chain(counted).collect();
        let marks = marks.join(", ");
        let [_, .., last] = nodes else {
            let is_said = first.version.is_empty() || first.name.contains(&first.version);
            let name = if is_said { first.name.clone() } else { format!("{} ({})", first.name, first.version) };
            let cut = cut(&name, MAX_NAME);
            let hint = if cut == name { Vec::new() } else { vec![name] };
            return Self { name: cut, marks, hint, node: Some(first.clone()), is_fold: false };
        };
        let text_of = |it: &GraphNode| {
            let text = if it.version.is_empty() { &it.name } else { &it.version };
            cut(text, MAX_NAME / 2)
        };
        let name = format!("{} – {} ({})", text_of(last), text_of(first), nodes.len());
        let mut hint: Vec<String> = nodes.iter().take(MAX_HINTS).map(|it| it.name.clone()).collect();
        if nodes.len() > MAX_HINTS {
            hint.push(format!("… and {} more", nodes.len() - MAX_HINTS));
        }
        // A fold looks like what it is made of, as far as that is the same.
        let every = |has: Mark| nodes.iter().all(has);
        let node = GraphNode {
            is_entry: nodes.iter().any(|it| it.is_entry),
            is_head: every(|it| it.is_head),
            is_skipped: every(|it| it.is_skipped),
            is_deprecated: every(|it| it.is_deprecated),
            is_dead_end: every(|it| it.is_dead_end),
            is_marked: nodes.iter().any(|it| it.is_marked),
            ..first.clone()
        };
        Self { name, marks, hint, node: Some(node), is_fold: true }
    }

    fn name_width(&self) -> usize {
        (columns(&self.name) as f64 * CHARACTER) as usize
    }

    pub(super) fn width(&self) -> usize {
        let marks = (self.marks.len() as f64 * SMALL_CHARACTER) as usize;
        let sheets_behind = if self.is_fold { 6 } else { 0 };
        28 + self.name_width() + if marks == 0 { 0 } else { marks + 14 } + sheets_behind
    }

    /// Writes it at a place; what is folded leads to `link`.
    pub(super) fn write(&self, body: &mut String, (x, y): (usize, usize), line: usize, link: Option<&str>) {
        let width = self.width();
        // Writing into a text cannot fail.
        let _ = write!(body, "<g class=\"node\" data-line=\"{line}\">");
        if !self.hint.is_empty() {
            let _ = write!(body, "<title>{}</title>", escaped_lines(self.hint.iter().cloned()));
        }
        let sheets: &[usize] = if self.is_fold { &[6, 3, 0] } else { &[0] };
        let size = (width - sheets[0], BOX - sheets[0]);
        if let Some(node) = &self.node {
            for offset in sheets {
                write_shape(body, node, (x + offset, y + offset), size);
            }
        }
        let middle = y + size.1 / 2 + 4;
        let name = format!("<text x=\"{}\" y=\"{middle}\">{}</text>", x + 12, escaped(&self.name));
        let _ = match link {
            Some(link) => write!(body, "<a href=\"#{}\">{name}</a>", escaped(link)),
            None => write!(body, "{name}"),
        };
        if !self.marks.is_empty() {
            let x = x + 12 + self.name_width() + 12;
            let _ = write!(body, "<text class=\"mark\" x=\"{x}\" y=\"{middle}\">{}</text>", escaped(&self.marks));
        }
        body.push_str("</g>\n");
    }
}

/// The outline of a node.
pub(super) fn write_shape(
    body: &mut String,
    node: &GraphNode,
    (x, y): (usize, usize),
    (width, height): (usize, usize),
) {
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
