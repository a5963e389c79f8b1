//! Rows in every output format.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::io::{self, BufWriter, Write};
use std::mem::ManuallyDrop;

use clap::Args;
use serde::Serialize;

use crate::cli::args::formats::{OutputFormat, ROWS};
use crate::cli::print::fit::{BELOW, Fitted, columns, fit, wrap};
use crate::cli::print::verdict;
use crate::cli::terminal::error::CommandError;
use crate::cli::terminal::report::paint;
use crate::cli::terminal::screen::{Screen, screen};
use crate::diag::envelope::{Envelope, Metadata};
use crate::diag::text::Color;
use crate::diag::{closest, printable, printable_line};
use crate::{json, yaml};

/// The form in which rows are printed.
#[derive(Debug, Clone, Args)]
pub(crate) struct RowOptions {
    /// Output format
    #[arg(short, long, value_parser = ROWS, default_value = "table")]
    pub(crate) output: OutputFormat,
    /// Omit the headers
    #[arg(long)]
    no_headers: bool,
    /// With `-o csv`: put a `'` before cells that a spreadsheet would take for formulas, which begin with = + - @
    #[arg(long)]
    quote_formulas: bool,
    /// Sort by a column, named by its header; versions sort as versions, with `--descending` the highest first
    #[arg(long, value_name = "COLUMN")]
    sort_by: Option<String>,
    /// With `--sort-by`: the highest first
    #[arg(long, requires = "sort_by", hide = true)]
    descending: bool,
}

impl RowOptions {
    /// A format without other options.
    pub(crate) fn of(output: OutputFormat) -> Self {
        Self { output, no_headers: false, quote_formulas: false, sort_by: None, descending: false }
    }

    /// Whether a person at a terminal reads the rows, and may get a shorter form.
    pub(crate) fn are_for_people(&self) -> bool {
        let is_plain = self.output == OutputFormat::Table && !self.no_headers && self.sort_by.is_none();
        is_plain && screen().width.is_some()
    }

    /// Whether programs read the output, so that an empty list must be printed, too.
    pub(crate) fn is_data(&self) -> bool {
        !matches!(self.output, OutputFormat::Table | OutputFormat::Wide)
    }
}

/// The text of a row in a column.
type Cell<T> = for<'r> fn(&'r T) -> Cow<'r, str>;

pub(crate) struct Column<T> {
    header: &'static str,
    cell: Cell<T>,
    shown: Shown,
}

/// The tables that show a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// All.
    Always,
    /// Wide ones.
    Wide,
    /// Those with different values.
    Apart,
}

/// A column of every table.
pub(crate) const fn column<T>(header: &'static str, cell: Cell<T>) -> Column<T> {
    Column { header, cell, shown: Shown::Always }
}

/// A column of wide tables.
pub(crate) const fn wide<T>(header: &'static str, cell: Cell<T>) -> Column<T> {
    Column { header, cell, shown: Shown::Wide }
}

/// A column that tells answers to several questions apart.
pub(crate) const fn apart<T>(header: &'static str, cell: Cell<T>) -> Column<T> {
    Column { header, cell, shown: Shown::Apart }
}

/// The header of the column that tells answers about several packages apart.
const PACKAGE: &str = "PACKAGE";

/// A type that is printed as rows.
pub(crate) trait Row: Serialize + Sized + 'static {
    /// The kind of the items in the JSON envelope.
    const KIND: &'static str;

    /// All columns.
    const COLUMNS: &'static [Column<Self>];

    /// Former headers of columns with their present ones: a column can be sorted by either.
    const FORMER: &'static [(&'static str, &'static str)] = &[];

    /// Columns that go below their rows if a terminal has no room for them, the first group first.
    const BELOW: &'static [&'static [&'static str]] = &[];

    /// The text for `-o name`.
    fn name(&self) -> String;
}

/// Prints rows on standard output.
pub(crate) fn print<T: Row>(mut rows: Vec<T>, options: &RowOptions) -> Result<(), CommandError> {
    sort(&mut rows, options)?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match options.output {
        format if format.is_data() => write_data(format, T::KIND, rows, &mut out)?,
        OutputFormat::Name => {
            // Several rows can be about one name, which lists and loops of a shell want once.
            let mut seen = HashSet::new();
            for name in rows.iter().map(Row::name) {
                if !seen.contains(&name) {
                    writeln!(out, "{}", printable_line(&name))?;
                    seen.insert(name);
                }
            }
        }
        format => {
            let differs = |it: &Column<T>| rows.windows(2).any(|two| (it.cell)(&two[0]) != (it.cell)(&two[1]));
            let is_shown = |it: &&Column<T>| match it.shown {
                Shown::Always => true,
                // The package need not be told if it is the one of the question.
                Shown::Wide => format != OutputFormat::Table || (it.header == PACKAGE && differs(it)),
                Shown::Apart => differs(it),
            };
            let columns = T::COLUMNS.iter().filter(is_shown).collect::<Vec<_>>();
            let columns = columns.into_iter();
            let headers: Vec<Cow<'_, str>> = columns.clone().map(|it| it.header.into()).collect();
            // The process ends after the last row, so freeing many small pieces one by one would only take time.
            let rows = ManuallyDrop::new(rows);
            let cells = |row| columns.clone().map(|it| (it.cell)(row)).collect();
            let rows = ManuallyDrop::new(rows.iter().map(cells).collect::<Vec<Vec<Cow<'_, str>>>>());
            let headers = (!options.no_headers).then_some(headers);
            match format {
                OutputFormat::Csv => write_csv(headers, &rows, options.quote_formulas, &mut out)?,
                OutputFormat::Markdown => write_markdown(headers, &rows, &mut out)?,
                OutputFormat::Table if screen().width.is_some() => {
                    let owned = |it: &Vec<Cow<'_, str>>| it.iter().map(|cell| cell.to_string()).collect();
                    write_fitted(headers.as_ref().map(owned), rows.iter().map(owned).collect(), 3, T::BELOW, &mut out)?;
                }
                _ => write_aligned(headers, &rows, 3, &mut out)?,
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// Sorts rows as the options say.
pub(crate) fn sort<T: Row>(rows: &mut [T], options: &RowOptions) -> Result<(), CommandError> {
    let Some(wanted) = &options.sort_by else { return Ok(()) };
    let former = T::FORMER.iter().find(|it| it.0.eq_ignore_ascii_case(wanted)).map(|it| it.1);
    let wanted = former.unwrap_or(wanted);
    let Some(column) = T::COLUMNS.iter().find(|it| it.header.eq_ignore_ascii_case(wanted)) else {
        let headers: Vec<&str> = T::COLUMNS.iter().map(|it| it.header).collect();
        let error = CommandError::usage(format!("no column `{wanted}`"));
        return Err(error.help(match closest(wanted, headers.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the columns are {}", headers.join(", ")),
        }));
    };
    let key = |row: &T| {
        let cell = (column.cell)(row).into_owned();
        let version = crate::version::Version::parse(&cell).ok().map(|it| it.sort_key());
        let number = cell.parse::<u64>().ok();
        (version, number, cell)
    };
    match options.descending {
        true => rows.sort_by_cached_key(|row| Reverse(key(row))),
        false => rows.sort_by_cached_key(key),
    }
    Ok(())
}

/// Writes items of a kind as data.
pub(crate) fn write_data<T: Serialize>(
    format: OutputFormat,
    kind: &str,
    items: Vec<T>,
    out: &mut impl Write,
) -> io::Result<()> {
    write_part(format, kind, items, &[], out)
}

/// The same, with the wishes that are not listed.
pub(crate) fn write_part<T: Serialize>(
    format: OutputFormat,
    kind: &str,
    items: Vec<T>,
    not_listed: &[&str],
    out: &mut impl Write,
) -> io::Result<()> {
    let not_listed = not_listed.iter().map(|&it| it.to_owned()).collect();
    let metadata = Metadata { count: items.len(), not_listed };
    match format {
        OutputFormat::Yaml => write_yaml(&Envelope::with(kind, metadata, items), out),
        OutputFormat::Jsonl => items.iter().try_for_each(|item| {
            serde_json::to_writer(&mut *out, item).map_err(io::Error::from)?;
            out.write_all(b"\n")
        }),
        _ => Envelope::with(kind, metadata, items).write(out),
    }
}

/// YAML of anything that can be JSON.
pub(crate) fn write_yaml(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    let text = serde_json::to_string(value).map_err(io::Error::from)?;
    let mut reader = json::Reader::new();
    let value = reader.read(&text).map_err(io::Error::other)?;
    let mut written = Vec::new();
    yaml::write(value, &mut written).map_err(io::Error::other)?;
    out.write_all(&written)
}

/// Writes the one table of an answer. `below` are the columns that move below their rows on a narrow terminal.
pub(crate) fn write_table(
    format: OutputFormat,
    headers: Option<Vec<String>>,
    rows: Vec<Vec<String>>,
    below: &[&[&str]],
    out: &mut impl Write,
) -> io::Result<()> {
    match format {
        OutputFormat::Csv => write_csv(headers, &rows, false, out),
        OutputFormat::Markdown => write_markdown(headers, &rows, out),
        OutputFormat::Wide => write_aligned(headers, &rows, GAP, out),
        _ => write_fitted(headers, rows, GAP, below, out),
    }
}

/// The blanks between two columns.
const GAP: usize = 3;

/// Columns padded to the same width, `gap` blanks apart; the last is not padded.
pub(crate) fn write_aligned<T: AsRef<str>>(
    headers: Option<Vec<T>>,
    rows: &[Vec<T>],
    gap: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let lines = || headers.iter().chain(rows);
    let mut widths: Vec<usize> = Vec::new();
    for line in lines() {
        widths.resize(widths.len().max(line.len()), 0);
        for (width, cell) in widths.iter_mut().zip(safe(line)) {
            *width = (*width).max(columns(&cell));
        }
    }
    let blanks = " ".repeat(widths.iter().max().unwrap_or(&0) + gap);
    for line in lines() {
        for (idx, cell) in safe(line).enumerate() {
            out.write_all(cell.as_bytes())?;
            if idx + 1 < line.len() {
                out.write_all(&blanks.as_bytes()[..widths[idx] - columns(&cell) + gap])?;
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The cells of a line, safe to show: none steers a terminal, and the first with a text begins no command of a
/// workflow.
fn safe<T: AsRef<str>>(line: &[T]) -> impl Iterator<Item = Cow<'_, str>> {
    let mut is_begun = false;
    line.iter().map(move |cell| {
        let shown = if is_begun { printable(cell.as_ref()) } else { printable_line(cell.as_ref()) };
        is_begun |= !shown.trim().is_empty();
        shown
    })
}

/// As [`write_aligned`], but on a terminal this cuts what does not fit, with a note below, and prints once a value that
/// is the same in all rows. The columns of `below` move below their rows if there is no room for them.
pub(crate) fn write_fitted(
    headers: Option<Vec<String>>,
    rows: Vec<Vec<String>>,
    gap: usize,
    below: &[&[&str]],
    out: &mut impl Write,
) -> io::Result<()> {
    let Screen { width: Some(width), color, .. } = screen() else { return write_aligned(headers, &rows, gap, out) };
    if write_fitted_to(width, headers, rows, gap, below, out)? {
        writeln!(out, "{}", paint(color, "2", CUT))?;
    }
    Ok(())
}

/// The note below a table that was cut.
const CUT: &str = "Cut to fit the terminal; `-o wide` shows everything.";

/// As [`write_fitted`], for a width. Returns whether something is not shown.
pub(crate) fn write_fitted_to(
    width: usize,
    headers: Option<Vec<String>>,
    rows: Vec<Vec<String>>,
    gap: usize,
    below: &[&[&str]],
    out: &mut impl Write,
) -> io::Result<bool> {
    let color = screen().color;
    let owned = |row: Vec<String>| -> Vec<String> { safe(&row).map(Cow::into_owned).collect() };
    let rows = rows.into_iter().map(owned).collect();
    let fitted = fit(headers.map(owned), rows, gap, width, below, screen().wants_places);
    if !fitted.constants.is_empty() {
        let said: Vec<String> = fitted.constants.iter().map(|(header, value)| format!("{header} {value}")).collect();
        for line in wrap(&format!("In all rows: {}", said.join(", ")), width) {
            writeln!(out, "{}", paint(color, "2", &line))?;
        }
    }
    write_painted(&fitted, gap, color, out)?;
    Ok(fitted.is_cut)
}

/// Writes a fitted table: headers are bold, verdicts coloured, and places of evidence dim. The last cell of a line is
/// not padded, since that could wrap.
fn write_painted(fitted: &Fitted, gap: usize, color: Color, out: &mut impl Write) -> io::Result<()> {
    let headers = fitted.headers.as_deref().unwrap_or_default();
    let mut widths: Vec<usize> = headers.iter().map(|it| columns(it)).collect();
    for row in &fitted.rows {
        widths.resize(widths.len().max(row.cells.len()), 0);
        for (width, cell) in widths.iter_mut().zip(&row.cells) {
            *width = (*width).max(columns(cell));
        }
    }
    let line = |cells: &[String], code: &dyn Fn(usize, &str) -> Option<&'static str>| -> String {
        let n_cells = cells.iter().rposition(|it| !it.is_empty()).map_or(0, |it| it + 1);
        let cell = |(idx, cell): (usize, &String)| {
            let blanks = if idx + 1 < n_cells { widths[idx] - columns(cell) + gap } else { 0 };
            let shown = match code(idx, cell).filter(|_| !cell.is_empty()) {
                Some(code) => paint(color, code, cell),
                None => cell.clone(),
            };
            format!("{shown}{:blanks$}", "")
        };
        cells[..n_cells].iter().enumerate().map(cell).collect()
    };
    if fitted.headers.is_some() {
        writeln!(out, "{}", paint(color, "1", &line(headers, &|_, _| None)))?;
    }
    for row in &fitted.rows {
        let colour = |idx: usize, cell: &str| verdict::of_cell(headers.get(idx)?, cell);
        writeln!(out, "{}", line(&row.cells, &colour))?;
        for values in &row.below {
            let values = values.iter().map(|(header, value)| format!("{} {value}", paint(color, "2", header)));
            writeln!(out, "{:BELOW$}{}", "", values.collect::<Vec<_>>().join(&" ".repeat(gap)).trim_end())?;
        }
    }
    Ok(())
}

/// Values as in RFC 4180, with `\n` at the ends of lines, and without characters that could steer a terminal. If
/// wanted, a value that a spreadsheet would run gets a `'`.
pub(crate) fn write_csv<T: AsRef<str>>(
    headers: Option<Vec<T>>,
    rows: &[Vec<T>],
    quotes_formulas: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    for cells in headers.iter().chain(rows) {
        let quote = |cell: &T| {
            // A cell may have lines and tabs. Quotes keep its first line from being a command of a workflow; the others
            // are escaped.
            let mut is_first = true;
            let parts = cell.as_ref().split_inclusive(['\n', '\r', '\t']).map(|part| {
                let end = part.len() - usize::from(part.ends_with(['\n', '\r', '\t']));
                let shown = if is_first { printable(&part[..end]) } else { printable_line(&part[..end]) };
                is_first &= !part.ends_with(['\n', '\r']);
                format!("{shown}{}", &part[end..])
            });
            let mut cell: String = parts.collect();
            if quotes_formulas && cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
                cell.insert(0, '\'');
            }
            if cell.contains([',', '"', '\n', '\r']) || cell.trim_start().starts_with("::") {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell
            }
        };
        let quoted: Vec<String> = cells.iter().map(quote).collect();
        writeln!(out, "{}", quoted.join(","))?;
    }
    Ok(())
}

/// A text escaped for Markdown: no HTML, no links, no code, and no end of a table's cell.
pub(crate) fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '|' | '`' | '[' | ']' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A table as GitHub shows it. Markdown needs a header, so a table without one gets an empty one.
pub(crate) fn write_markdown<T: AsRef<str>>(
    headers: Option<Vec<T>>,
    rows: &[Vec<T>],
    out: &mut impl Write,
) -> io::Result<()> {
    let n_columns = headers.as_ref().or(rows.first()).map_or(0, Vec::len);
    let escape = |cell: &T| markdown(cell.as_ref());
    let headers = match headers {
        Some(headers) => headers.iter().map(escape).collect(),
        None => vec![String::new(); n_columns],
    };
    writeln!(out, "| {} |", headers.join(" | "))?;
    writeln!(out, "|{}", " --- |".repeat(n_columns))?;
    for cells in rows {
        writeln!(out, "| {} |", cells.iter().map(escape).collect::<Vec<_>>().join(" | "))?;
    }
    Ok(())
}
