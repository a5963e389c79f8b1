//! The sentence before the tables of an answer, for people at a terminal.

use std::io::{self, Write};

use crate::cli::print::fit::wrap;
use crate::cli::terminal::report::paint;
use crate::cli::terminal::screen::screen;
use crate::diag::printable;

/// How good the news is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Good,
    Fair,
    Bad,
}

impl Sign {
    /// The sign, and its colour.
    fn look(self) -> (&'static str, &'static str) {
        match self {
            Self::Good => ("✓", "32"),
            Self::Fair => ("!", "33"),
            Self::Bad => ("✗", "31"),
        }
    }
}

/// Writes a sentence with a sign before it, wrapped to a width if there is one.
pub(crate) fn headline(sign: Sign, sentence: &str, width: Option<usize>, out: &mut impl Write) -> io::Result<()> {
    let color = screen().color;
    let (sign, code) = sign.look();
    let sentence = printable(sentence);
    let lines = match width {
        Some(width) => wrap(&sentence, width.saturating_sub(2)),
        None => vec![sentence.into_owned()],
    };
    for (at, line) in lines.iter().enumerate() {
        let sign = if at == 0 { paint(color, code, sign) } else { " ".into() };
        writeln!(out, "{sign} {}", paint(color, "1", line))?;
    }
    Ok(())
}
