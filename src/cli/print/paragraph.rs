//! Paragraphs for people.

use std::io::Write;

use crate::cli::print::fit::wrap;
use crate::diag::printable_line;

/// Writes a text within a width: its first line begins with `first`, the others with `rest`.
pub(crate) fn write_wrapped(
    out: &mut impl Write,
    first: &str,
    rest: &str,
    text: &str,
    width: usize,
) -> std::io::Result<()> {
    let text = printable_line(text).into_owned();
    for (idx, line) in wrap(&text, width.saturating_sub(rest.len())).iter().enumerate() {
        writeln!(out, "{}{line}", if idx == 0 { first } else { rest })?;
    }
    Ok(())
}
