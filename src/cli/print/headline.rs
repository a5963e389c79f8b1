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

/// Writes a sentence with a sign before it on a terminal; files and pipes get nothing.
pub(crate) fn headline(sign: Sign, sentence: &str, out: &mut impl Write) -> io::Result<()> {
    let Some(width) = screen().width else { return Ok(()) };
    let color = screen().color;
    let (sign, code) = sign.look();
    for (at, line) in wrap(&printable(sentence), width.saturating_sub(2)).iter().enumerate() {
        let sign = if at == 0 { paint(color, code, sign) } else { " ".into() };
        writeln!(out, "{sign} {}", paint(color, "1", line))?;
    }
    Ok(())
}
