//! How much of an answer is not shown, and what shows it.
//!
//! What it deliberately does not do: it leaves nothing out.

use crate::cli::speak::context::Context;
use crate::diag::counted;

/// Says how many older versions are not listed.
pub(in crate::cli) fn left_out(context: &Context, n_left_out: usize) {
    if n_left_out > 0 {
        let rows = counted(n_left_out as u64, "older version");
        context.reporter.note(&format!("{rows} not listed: `--all-versions` lists them"));
    }
}
