//! The rules on lines: `empty-lines`, `new-line-at-end-of-file`, `new-lines` and `trailing-spaces`.
//!
//! Only newlines end these lines, whereas YAML 1.1 has more breaks.

use super::problem::{LintProblem, broken};
use crate::tally::step;

/// The most empty lines between others.
const MAX_EMPTY: usize = 2;

/// Checks the lines of a text in their order.
#[derive(Debug, Default)]
pub(super) struct Lines {
    breaks: Breaks,
}

/// The breaks that end where a line starts. yamllint counts back over those of CR LF, then over those of LF, so that it
/// counts other numbers than those of the empty lines where a file has both.
#[derive(Debug, Default)]
struct Breaks {
    /// The text before the line, in bytes.
    offset: usize,
    n_pairs: usize,
    /// The line feeds before the pairs.
    n_feeds: usize,
    /// The line feeds right before the line.
    n_last_feeds: usize,
}

impl Breaks {
    fn pass(&mut self, line: &str) {
        let (n_pairs, n_feeds, n_last_feeds) = match line {
            "\n" => (0, self.n_last_feeds + 1, self.n_last_feeds + 1),
            "\r\n" => (self.n_pairs + 1, self.n_feeds, 1),
            _ if line.ends_with("\r\n") => (1, 0, 1),
            _ => (0, 1, 1),
        };
        *self = Self { offset: self.offset + line.len(), n_pairs, n_feeds, n_last_feeds };
    }

    /// How many lines are empty up to an empty one, and whether they start the file.
    fn n_empty(&self) -> (usize, bool) {
        let is_at_start = 2 * self.n_pairs + self.n_feeds == self.offset;
        (self.n_pairs + self.n_feeds + usize::from(is_at_start), is_at_start)
    }
}

impl Lines {
    /// Takes a line of a number from 0, with its newline if it has one, and the text behind it.
    pub(super) fn take(&mut self, number: u32, line: &str, behind: &str, problems: &mut Vec<LintProblem>) {
        step(line.len());
        let without_newline = line.strip_suffix('\n');
        let content = without_newline.map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        let is_whole_file = behind.is_empty() && number == 0;
        if content.is_empty() && !behind.starts_with(line) && !is_whole_file {
            let (n_empty, is_at_start) = self.breaks.n_empty();
            let limit = if is_at_start || behind.is_empty() { 0 } else { MAX_EMPTY };
            if n_empty > limit {
                let message = format!("too many blank lines ({n_empty} > {limit})");
                problems.push(broken("empty-lines", number, 0, message));
            }
        }
        self.breaks.pass(line);
        let length = content.chars().count();
        if without_newline.is_none() && !line.is_empty() {
            let message = "no new line character at the end of file";
            problems.push(broken("new-line-at-end-of-file", number, number_of(length), message));
        }
        if number == 0 && line.ends_with("\r\n") {
            problems.push(broken("new-lines", number, number_of(length), "wrong new line character: expected \\n"));
        }
        let kept = content.trim_end_matches([' ', '\t', '\r', '\u{B}', '\u{C}']);
        if content[kept.len()..].starts_with([' ', '\t']) {
            problems.push(broken("trailing-spaces", number, number_of(kept.chars().count()), "trailing spaces"));
        }
    }
}

fn number_of(column: usize) -> u32 {
    u32::try_from(column).unwrap_or(u32::MAX)
}
