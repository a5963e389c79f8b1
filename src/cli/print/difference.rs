//! The difference between two texts, as `diff -u` prints it.

use std::borrow::Cow;
use std::io::{BufWriter, Write as _};
use std::ops::Range;
use std::path::Path;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::cli::terminal::report::paint;
use crate::diag::{printable, printable_line};

/// How many lines are shown before and after a change.
const AROUND: u32 = 3;

/// Prints the difference between two texts that start on a line of a file.
pub(crate) fn print_difference(
    context: &Context,
    path: &Path,
    first_line: u32,
    old: &str,
    new: &str,
) -> Result<(), CommandError> {
    let color = context.reporter.stdout_color();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let shown = path.display().to_string();
    let shown = printable(&shown);
    writeln!(out, "--- {shown}\n+++ {shown}")?;
    for (kind, line) in difference(first_line, old, new) {
        let line = printable(line.trim_end_matches(['\n', '\r']));
        match kind {
            LineKind::Range => writeln!(out, "{}", paint(color, "36", &line))?,
            LineKind::Kept => writeln!(out, " {}", printable_line(&line))?,
            LineKind::Removed => writeln!(out, "{}", paint(color, "31", &format!("-{line}")))?,
            LineKind::Added => writeln!(out, "{}", paint(color, "32", &format!("+{line}")))?,
        }
    }
    out.flush()?;
    Ok(())
}

/// The kind of a line of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// A header that tells which lines of both texts follow.
    Range,
    Kept,
    Removed,
    Added,
}

/// The lines of the difference between two texts that start on a line of a file, with their ends, without the signs
/// before them.
pub(crate) fn difference<'t>(first_line: u32, old: &'t str, new: &'t str) -> Vec<(LineKind, Cow<'t, str>)> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunks: Vec<Hunk> = diff.hunks().collect();
    let lines = |kind: LineKind, range: Range<u32>| {
        let tokens = if kind == LineKind::Added { &input.after } else { &input.before };
        let tokens = tokens.get(range.start as usize..range.end as usize).unwrap_or_default();
        tokens.iter().map(|it| (kind, Cow::Borrowed(input.interner[*it]))).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    // Changes with few lines between them are shown together.
    for group in hunks.chunk_by(|a, b| b.before.start - a.before.end <= 2 * AROUND) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let n_before = first.before.start.min(AROUND);
        let n_behind = (input.before.len() as u32 - last.before.end).min(AROUND);
        let old = first.before.start - n_before..last.before.end + n_behind;
        let new = first.after.start - n_before..last.after.end + n_behind;
        // A range without lines names the line before it.
        let range = |it: &Range<u32>| format!("{},{}", it.start + first_line - u32::from(it.is_empty()), it.len());
        found.push((LineKind::Range, format!("@@ -{} +{} @@", range(&old), range(&new)).into()));
        let mut at = old.start;
        for hunk in group {
            found.extend(lines(LineKind::Kept, at..hunk.before.start));
            found.extend(lines(LineKind::Removed, hunk.before.clone()));
            found.extend(lines(LineKind::Added, hunk.after.clone()));
            at = hunk.before.end;
        }
        found.extend(lines(LineKind::Kept, at..old.end));
    }
    found
}
