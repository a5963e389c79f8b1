//! `olmdex outdated`

use std::borrow::Cow;

use clap::Args;

use crate::cli::args::lock_file::{LockFile, refuse_unknown_catalog};
use crate::cli::args::sources::AskOptions;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit};
use crate::diag::counted;
use crate::lock::{Outdated, outdated};

/// List the operators of a lock that have newer versions
///
/// REACHABLE is the version that `olmdex lock update` reaches by upgrades of OLM; LATEST is the newest version of the
/// channel, NEWEST that of the package. Exits with 1 if there is one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex outdated -i my-catalog/
  olmdex outdated -i my-catalog/ -o json
  olmdex outdated --lock-file operators.lock -i my-catalog/ -o markdown")]
pub(crate) struct OutdatedArgs {
    #[command(flatten)]
    file: LockFile,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

impl Row for Outdated {
    const KIND: &'static str = "OutdatedList";

    const COLUMNS: &'static [Column<Self>] = &[
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("CATALOG", |it| Cow::from(&it.catalog)),
        column("CHANNEL", |it| Cow::from(&it.channel)),
        column("LOCKED", |it| Cow::from(&it.locked)),
        column("REACHABLE", |it| Cow::from(&it.reachable)),
        column("LATEST", |it| Cow::from(&it.latest)),
        column("NEWEST", |it| Cow::from(&it.newest)),
        wide("REASON", |it| Cow::from(&it.reason)),
    ];

    fn name(&self) -> String {
        self.package.clone()
    }
}

pub(crate) fn run(context: &Context, args: &OutdatedArgs) -> CommandResult {
    let (lock, _) = args.file.read()?;
    let index = args.ask.open(context)?;
    let found = outdated(&index, &lock).map_err(|it| refuse_unknown_catalog(&args.file, it))?;
    if found.is_empty() && !args.rows.is_data() {
        let operators = counted(lock.operators.len() as u64, "operator");
        context.reporter.note(&format!("{operators}: nothing newer"));
        return Ok(Exit::Yes);
    }
    let exit = if found.is_empty() { Exit::Yes } else { Exit::No };
    table::print(found, &args.rows)?;
    Ok(exit)
}
