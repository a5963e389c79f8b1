//! A path through a package: a thick line on the far left, with the numbers of its steps.

use std::fmt::Write as _;
use std::ops::Range;

use super::layout::Layout;
use super::markup::columns;
use super::strip::{LINE, MarkedPath};

/// The steps of a path by line.
#[derive(Debug, Clone)]
pub(super) struct WayMarks {
    /// Line, first and last step, the lowest step first.
    steps: Vec<(usize, usize, usize)>,
    n_steps: usize,
}

impl WayMarks {
    pub(super) fn new(layout: &Layout, way: &MarkedPath) -> Self {
        let mut steps: Vec<(usize, usize, usize)> = Vec::new();
        for (number, name) in way.iter().enumerate() {
            let Some(row) = layout.axis.rows.iter().position(|it| it.name == *name) else { continue };
            let line = layout.lines.partition_point(|it| it.end <= row);
            match steps.last_mut() {
                Some((of_last, _, last)) if *of_last == line => *last = number,
                _ => steps.push((line, number, number)),
            }
        }
        Self { steps, n_steps: way.len() }
    }

    /// Its width: its widest number, or span of numbers, and a gap.
    pub(super) fn width(&self) -> usize {
        if self.steps.is_empty() {
            return 0;
        }
        self.badge() + 10
    }

    fn badge(&self) -> usize {
        let n_digits = self.n_steps.to_string().len();
        badge_width(if self.n_steps > 9 { n_digits * 2 + 1 } else { n_digits })
    }

    /// Its topmost and its lowest line.
    fn span(&self) -> Option<(usize, usize)> {
        let lines = self.steps.iter().map(|it| it.0);
        Some((lines.clone().min()?, lines.max()?))
    }

    /// The path within these lines.
    pub(super) fn write(&self, body: &mut String, lines: Range<usize>, left: usize) {
        let Some((top, bottom)) = self.span() else { return };
        let x = left + self.badge() / 2;
        if bottom < lines.start || top >= lines.end {
            return;
        }
        let y = |line: usize| (line - lines.start) * LINE + LINE / 2;
        let from = if top < lines.start { 0 } else { y(top) };
        let to = if bottom >= lines.end { lines.len() * LINE } else { y(bottom) };
        // Writing into a text cannot fail.
        let _ = writeln!(body, "<path class=\"way\" d=\"M{x} {from}V{to}\"/>");
        for (line, first, last) in self.steps.iter().filter(|it| lines.contains(&it.0)) {
            let words = match (first, last) {
                (0, 0) => "where the path begins".to_owned(),
                (first, last) if first == last => format!("step {first}"),
                (first, last) => format!("steps {first} to {last}"),
            };
            let number = if first == last { first.to_string() } else { format!("{first}–{last}") };
            let (y, width) = (y(*line), badge_width(columns(&number)));
            let _ = writeln!(
                body,
                "<g class=\"step\"><title>{words}</title><rect class=\"badge\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"18\" \
                 rx=\"9\"/><text class=\"number\" x=\"{x}\" y=\"{}\">{number}</text></g>",
                x - width / 2,
                y - 9,
                y + 4
            );
        }
    }

    /// The path beside the opened rows of a line.
    pub(super) fn pass(&self, body: &mut String, line: usize, height: usize, left: usize) {
        if self.span().is_some_and(|(top, bottom)| top <= line && line < bottom) {
            let _ = writeln!(body, "<path class=\"way\" d=\"M{} 0V{height}\"/>", left + self.badge() / 2);
        }
    }
}

/// The width of a number with this many characters.
fn badge_width(n_characters: usize) -> usize {
    (n_characters * 7 + 10).max(18)
}
