//! Answers on standard output: JSON, YAML, sheets for people, and the main table or the names of sheets.

use std::io::{self, Write as _};

use serde::Serialize;

use crate::cli::args::formats::{AnswerOptions, OutputFormat};
use crate::cli::print::sheet::Sheet;
use crate::cli::print::table::{self, write_csv, write_markdown};
use crate::cli::terminal::error::CommandError;
use crate::cli::terminal::screen::screen;
use crate::diag::printable_line;

/// Prints answers; the sheets are for people.
pub(crate) fn print_answers<T: Serialize>(
    options: AnswerOptions,
    kind: &str,
    answers: Vec<T>,
    sheet: impl Fn(&T) -> Sheet,
) -> Result<(), CommandError> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let format = options.output;
    if format.is_data() {
        table::write_data(format, kind, answers, &mut out)?;
        out.flush()?;
        return Ok(());
    }
    let sheets: Vec<Sheet> = answers.iter().map(sheet).collect();
    match format {
        OutputFormat::Name => {
            for name in names(&sheets)? {
                writeln!(out, "{}", printable_line(name))?;
            }
        }
        OutputFormat::Csv => {
            if let Some((headers, rows)) = main_table(&sheets)? {
                write_csv(Some(headers), &rows, options.quote_formulas, &mut out)?;
            }
        }
        OutputFormat::Markdown if sheets.iter().all(Sheet::is_table_in_markdown) => {
            if let Some((headers, rows)) = main_table(&sheets)? {
                write_markdown(Some(headers), &rows, &mut out)?;
            }
        }
        _ => {
            let is_shown = format == OutputFormat::Table && screen().width.is_some();
            let sheets = if is_shown { Sheet::joined(Sheet::without_asides(sheets)) } else { sheets };
            for (idx, sheet) in sheets.iter().enumerate() {
                if idx > 0 {
                    writeln!(out)?;
                }
                if format == OutputFormat::Markdown {
                    sheet.write_page(&mut out)?;
                } else {
                    let width = screen().width.filter(|_| format == OutputFormat::Table);
                    sheet.write(width, &mut out)?;
                }
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// Prints sheets below those of an answer, for people.
pub(crate) fn print_more(sheets: &[Sheet], come_first: bool) -> Result<(), CommandError> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for sheet in sheets {
        if !come_first {
            writeln!(out)?;
        }
        sheet.write(screen().width, &mut out)?;
        if come_first {
            writeln!(out)?;
        }
    }
    Ok(out.flush()?)
}

/// The names in answers, each once for each answer that contains it.
fn names(sheets: &[Sheet]) -> Result<Vec<&str>, CommandError> {
    let mut names = Vec::new();
    for sheet in sheets {
        let Some(of_sheet) = sheet.names() else {
            let error = CommandError::usage("this answer is not a list of names");
            return Err(error.help("use `-o json`, which has every field"));
        };
        names.extend(of_sheet.iter().map(String::as_str));
    }
    Ok(names)
}

/// The headers and rows of the main tables of answers of one kind; `None` without answers.
type Table = Option<(Vec<String>, Vec<Vec<String>>)>;

fn main_table(sheets: &[Sheet]) -> Result<Table, CommandError> {
    let mut table: Table = None;
    for sheet in sheets {
        let Some((headers, rows)) = sheet.main_table() else {
            let error = CommandError::usage("this answer is not one table, so it has no CSV");
            return Err(error.help("use `-o markdown` for every table, or `-o json` for every field"));
        };
        table.get_or_insert_with(|| (headers.to_vec(), Vec::new())).1.extend_from_slice(rows);
    }
    Ok(table)
}
