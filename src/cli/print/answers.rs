//! Answers on standard output: JSON, YAML, or sheets for people.
//!
//! What it deliberately does not do: no tables; [`super::table`] has those.

use std::io::{self, Write as _};

use serde::Serialize;

use crate::cli::args::formats::AnswerFormat;
use crate::cli::print::sheet::Sheet;
use crate::cli::print::table;
use crate::cli::speak::error::CommandError;
use crate::cli::speak::screen::screen;

/// Prints answers; the sheets are for people.
pub(crate) fn print_answers<T: Serialize>(
    format: AnswerFormat,
    kind: &str,
    answers: Vec<T>,
    sheet: impl Fn(&T) -> Sheet,
) -> Result<(), CommandError> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match format {
        AnswerFormat::Data(format) => table::write_data(format, kind, answers, &mut out)?,
        AnswerFormat::Text | AnswerFormat::Wide => {
            for (idx, answer) in answers.iter().enumerate() {
                if idx > 0 {
                    writeln!(out)?;
                }
                let sheet = sheet(answer);
                let width = screen().width.filter(|_| format == AnswerFormat::Text);
                sheet.write(width, &mut out)?;
            }
        }
    }
    out.flush()?;
    Ok(())
}
