//! `olmdex sql`

use std::collections::BTreeSet;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use clap::Args;

use crate::ask::sql_rows;
use crate::cli::args::formats::{OutputFormat, ROWS};
use crate::cli::args::sources::AskOptions;
use crate::cli::args::text::text_of;
use crate::cli::print::table;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::index::query::{SqlLimits, SqlResult, SqlValue};
use crate::index::{Index, IndexError};

/// Run a read-only SQL query
///
/// The stable surface is the views whose names begin with v_, such as v_catalog, v_package, v_channel, v_entry, v_edge,
/// v_bundle, v_dependency, v_api, v_image and v_document: `SELECT name FROM sqlite_schema WHERE type = 'view'` lists
/// them all. There are semver_compare(a, b), semver_in_range(version, range), range_holds(version, range),
/// semver_satisfies(version, constraint) and semver_key(version). The columns of a view are the names in
/// `pragma_table_info('v_bundle')`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex sql \"SELECT package, count(*) AS bundles FROM v_bundle GROUP BY 1 ORDER BY 2 DESC LIMIT 5\"
  olmdex sql \"SELECT bundle FROM v_bundle WHERE semver_satisfies(version, '~2.10')\" -o csv
  olmdex sql \"SELECT name FROM pragma_table_info('v_bundle')\"
  olmdex sql - -i my-catalog/ -o json < query.sql")]
pub(crate) struct SqlArgs {
    /// The statement, or `-` to read it from standard input
    #[arg(value_name = "SQL")]
    statement: String,
    #[command(flatten)]
    ask: AskOptions,
    /// Output format
    #[arg(short, long, value_parser = ROWS, default_value = "table")]
    output: OutputFormat,
    /// Omit the headers
    #[arg(long)]
    no_headers: bool,
    /// With `-o csv`: put a `'` before cells that a spreadsheet would take for formulas, which begin with = + - @
    #[arg(long)]
    quote_formulas: bool,
    /// Highest number of printed rows
    #[arg(long, value_name = "N", default_value_t = SqlLimits::default().max_rows)]
    max_rows: usize,
    /// Seconds after which the statement is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = SqlLimits::default().max_time.as_secs())]
    timeout: u64,
    /// Highest number of bytes of the answer, and of each intermediate value
    #[arg(long, value_name = "N", default_value_t = SqlLimits::default().max_bytes)]
    max_bytes: usize,
}

pub(crate) fn run(context: &Context, args: &SqlArgs) -> CommandResult {
    let mut statement = args.statement.clone();
    if statement == "-" {
        statement = String::from_utf8(text_of(Path::new("-"))?)
            .map_err(|_| CommandError::new(Exit::Input, "the statement is not UTF-8".to_owned()))?;
    }
    if statement.trim().is_empty() {
        return Err(
            CommandError::usage("no statement given").help("for example `olmdex sql \"SELECT * FROM v_catalog\"`")
        );
    }
    if !args.ask.catalog.is_empty() {
        let error = CommandError::usage("`--catalog` does not apply to SQL");
        return Err(error.help("every view has a column `catalog`: `WHERE catalog = '…'`"));
    }
    let mut index = args.ask.open(context)?;
    let max_time = Duration::from_secs(args.timeout);
    let limits = SqlLimits { max_rows: args.max_rows, max_time, max_bytes: args.max_bytes };
    let watch = watch(context, max_time);
    let result = index.sql(&statement, limits);
    // The statement is complete, and printing may take its time.
    drop(watch);
    let result = result.map_err(|error| match error {
        IndexError::Limit(_) => CommandError::from(error).help(TIMEOUT_HELP),
        IndexError::TooLarge(_) => CommandError::from(error).help("raise the limit with `--max-bytes`"),
        error => with_names(&mut index, &statement, error.into()),
    })?;
    print(args, &result)?;
    if result.is_cut {
        let error = CommandError::new(Exit::Limit, format!("only the first {} rows are printed", args.max_rows));
        return Err(error.help("raise the limit with `--max-rows`, or add a LIMIT to the statement"));
    }
    Ok(Exit::Yes)
}

const TIMEOUT_HELP: &str = "raise the limit with `--timeout`";

/// The time that a statement has to stop by itself after its limit.
const GRACE: Duration = Duration::from_millis(500);

/// Ends the program if a statement runs beyond its time: SQLite checks the clock between the steps of a statement, but
/// one function of two large values is one step. Nothing has been written then. The watch ends when the returned sender
/// is dropped.
fn watch(context: &Context, max_time: Duration) -> mpsc::Sender<()> {
    let (sender, receiver) = mpsc::channel();
    let reporter = context.reporter;
    std::thread::spawn(move || {
        let end = receiver.recv_timeout(max_time.saturating_add(GRACE));
        if end == Err(mpsc::RecvTimeoutError::Timeout) {
            let message = format!("the statement was stopped after {} seconds", max_time.as_secs_f64());
            reporter.error(&CommandError::new(Exit::Limit, message).help(TIMEOUT_HELP));
            #[expect(clippy::exit, reason = "no other thread can be stopped")]
            std::process::exit(i32::from(Exit::Limit.code()));
        }
    });
    sender
}

/// The stable surface, for the error about a table that does not exist.
const VIEWS: &[&str] = &[
    "v_api",
    "v_bundle",
    "v_catalog",
    "v_category",
    "v_channel",
    "v_dependency",
    "v_deprecation",
    "v_description",
    "v_document",
    "v_document_json",
    "v_edge",
    "v_entry",
    "v_feature",
    "v_icon",
    "v_image",
    "v_install_mode",
    "v_keyword",
    "v_link",
    "v_maintainer",
    "v_package",
    "v_platform",
    "v_property",
];

/// Adds the existing names to an error about an unknown view or column.
fn with_names(index: &mut Index, statement: &str, error: CommandError) -> CommandError {
    let message = error.message();
    if let Some(column) = message.strip_prefix("no such column: ").map(unquoted) {
        let columns = columns_of(index, statement);
        let meant = crate::diag::closest(column, columns.iter().map(String::as_str));
        let help = match (columns.is_empty(), meant) {
            (true, _) => return error,
            (_, Some(meant)) => format!("did you mean `{meant}`?"),
            _ => format!("the columns are {}{}", columns.join(", "), elsewhere(index, column)),
        };
        return error.help(help);
    }
    let Some(name) = message.strip_prefix("no such table: ") else { return error };
    error.help(match crate::diag::closest(name, VIEWS.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the views are {}", VIEWS.join(", ")),
    })
}

/// The views that know more about an unknown column: they have it, or are called like it.
fn elsewhere(index: &mut Index, column: &str) -> String {
    let same = |view: &str| view[2..].bytes().zip(column.bytes()).take_while(|(a, b)| a == b).count();
    let views = VIEWS.iter().map(|view| (view, columns_of(index, view)));
    let known = views.filter(|(view, columns)| same(view) > 4 || columns.iter().any(|it| it == column));
    known.take(2).map(|(view, columns)| format!("; `{view}` has {}", columns.join(", "))).collect()
}

/// The name of a column without its view and without quotes.
fn unquoted(column: &str) -> &str {
    column.rsplit('.').next().unwrap_or(column).trim_matches(['"', '`', '[', ']'])
}

/// The columns of the views that a statement names.
fn columns_of(index: &mut Index, statement: &str) -> Vec<String> {
    let words = statement.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    let views = VIEWS.iter().filter(|view| words.iter().any(|it| it == *view));
    let mut columns: Vec<String> = Vec::new();
    for view in views {
        let result = index.sql(&format!("SELECT * FROM {view} LIMIT 0"), SqlLimits::default());
        columns.extend(result.map(|it| it.columns).unwrap_or_default());
    }
    let mut seen = BTreeSet::new();
    columns.retain(|it| seen.insert(it.clone()));
    columns
}

fn print(args: &SqlArgs, result: &SqlResult) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    if args.output.is_data() {
        table::write_data(args.output, "SqlResult", sql_rows(result), &mut out)?;
        return Ok(out.flush()?);
    }
    let cells: Vec<Vec<String>> = result.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    let headers = (!args.no_headers).then(|| result.columns.clone());
    match args.output {
        OutputFormat::Csv => table::write_csv(headers, &cells, args.quote_formulas, &mut out)?,
        OutputFormat::Name => {
            for row in &cells {
                writeln!(out, "{}", crate::diag::printable_line(row.first().map_or("", String::as_str)))?;
            }
        }
        OutputFormat::Markdown => table::write_markdown(headers, &cells, &mut out)?,
        format => {
            let headers = headers.map(|it| it.iter().map(|header| header.to_uppercase()).collect());
            table::write_table(format, headers, cells, &[], &mut out)?;
        }
    }
    out.flush()?;
    Ok(())
}

fn cell(value: &SqlValue) -> String {
    match value {
        SqlValue::Null => String::new(),
        SqlValue::Integer(number) => number.to_string(),
        SqlValue::Real(number) => number.to_string(),
        SqlValue::Text(text) | SqlValue::Blob(text) => text.clone(),
    }
}
