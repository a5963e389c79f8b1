//! `olmdex history`

use clap::Args;

use super::Context;
use super::ask::AskOptions;
use super::error::{CommandError, CommandResult, Exit};
use super::name::unknown_package;
use super::table::{self, Column, Row, RowOptions, column, wide};
use crate::index::query::HistoryRow;

/// Say when each version of a package appeared and disappeared, over catalogs in order
///
/// The order is that of `--catalog`, else that of `-i`; an index gives its catalogs by name.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex history keda -i catalog-4.18/ -i catalog-4.19/ -i catalog-4.20/
  olmdex history keda -i index.db
  olmdex history keda --catalog v4.9 --catalog v4.10 -o json")]
pub(crate) struct HistoryArgs {
    /// The package
    #[arg(value_name = "PKG")]
    package: String,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &HistoryArgs) -> CommandResult {
    let (index, order) = args.ask.open_in_order(context)?;
    let rows = index.history(&args.package, &order)?;
    if rows.is_empty() {
        if index.names(None)?.packages.contains(&args.package) {
            let message = format!("`{}` has no version in {}", args.package, order.join(", "));
            return Err(CommandError::new(Exit::NotFound, message));
        }
        return Err(unknown_package(&index, &args.package)?);
    }
    table::print(rows, &args.rows)?;
    Ok(Exit::Yes)
}

impl Row for HistoryRow {
    const KIND: &'static str = "History";

    fn columns() -> Vec<Column> {
        vec![
            wide("PACKAGE"),
            column("VERSION"),
            column("BUNDLE"),
            column("FIRST"),
            column("LAST"),
            column("STATUS"),
            column("MISSING IN"),
            column("DEPRECATED IN"),
            wide("CONTENTS"),
            wide("CATALOGS"),
        ]
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.package.clone(),
            self.version.clone(),
            self.bundle.clone(),
            self.first.clone(),
            self.last.clone(),
            if self.is_current { String::new() } else { "gone".to_owned() },
            self.missing_in.join(","),
            self.deprecated_in.join(","),
            self.contents.to_string(),
            self.catalogs.join(","),
        ]
    }

    fn name(&self) -> String {
        self.bundle.clone()
    }
}
