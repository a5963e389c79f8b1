//! Limits an answer, and reports how to see the rest.

use crate::cli::terminal::context::Context;
use crate::diag::{counted, grouped};

/// Reports how many older versions are not listed.
pub(in crate::cli) fn left_out(context: &Context, n_left_out: usize) {
    if n_left_out > 0 {
        let rows = counted(n_left_out as u64, "older version");
        context.reporter.note(&format!("{rows} not shown; `--all-versions` lists them"));
    }
}

/// Keeps the first rows of an answer, and reports the number of the others.
pub(in crate::cli) fn limit<T>(context: &Context, limit: Option<usize>, rows: &mut Vec<T>) {
    if let Some(limit) = limit.filter(|it| *it < rows.len()) {
        let more = grouped((rows.len() - limit) as u64);
        rows.truncate(limit);
        context.reporter.note(&format!("{more} more; raise `--limit` to list them"));
    }
}
