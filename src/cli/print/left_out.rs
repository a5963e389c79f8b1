//! Limits an answer, and reports how to see the rest.

use crate::cli::print::table::{Row, RowOptions, sort};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::diag::{counted, grouped};

/// Reports how many older versions are not listed.
pub(in crate::cli) fn left_out(context: &Context, n_left_out: usize) {
    if n_left_out > 0 {
        let rows = counted(n_left_out as u64, "older version");
        context.reporter.note(&format!("{rows} not shown; `--all-versions` lists them"));
    }
}

/// Keeps the first rows of an answer in its order, and reports the number of the others.
pub(in crate::cli) fn limit<T: Row>(
    context: &Context,
    limit: Option<usize>,
    options: &RowOptions,
    rows: &mut Vec<T>,
) -> Result<(), CommandError> {
    if let Some(limit) = limit.filter(|it| *it < rows.len()) {
        let more = grouped((rows.len() - limit) as u64);
        sort(rows, options)?;
        rows.truncate(limit);
        context.reporter.note(&format!("{more} more; raise `--limit` to list them"));
    }
    Ok(())
}
