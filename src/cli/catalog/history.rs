//! `olmdex history`

use std::borrow::Cow;

use clap::Args;

use crate::ask::{no_package, no_version};
use crate::cli::args::name::whole_package;
use crate::cli::args::sources::AskOptions;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::fbc::Name;
use crate::index::query::HistoryRow;

/// Show when each version of a package appeared and disappeared
///
/// The order is that of `--catalog`, else that of `-i`; an index gives its catalogs by the days that they are of (`build --git`), then by
/// name.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex history keda -i old-catalog/ -i my-catalog/
  olmdex history keda -i index.db
  olmdex history keda -i versions.db --catalog v4.19 --catalog v4.20 -o json")]
pub(crate) struct HistoryArgs {
    /// The package, or one version of it
    #[arg(value_name = "PKG[@VERSION]")]
    package: String,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &HistoryArgs) -> CommandResult {
    args.ask.refuse_paths([&args.package])?;
    let (index, order) = args.ask.look(context)?.import_in_order(context)?;
    let (package, version) = match Name::parse(&args.package) {
        Name::Version(package, version) => (package, Some(version)),
        _ => (whole_package(&index, &args.package)?, None),
    };
    let package = &package;
    let mut rows = index.history(package, &order)?;
    if rows.is_empty() {
        if index.package_names()?.contains(package) {
            let message = format!("`{package}` has no version in {}", order.join(", "));
            return Err(CommandError::new(Exit::NotFound, message));
        }
        return Err(no_package(&index, package)?.into());
    }
    if let Some(version) = version {
        rows.retain(|it| it.version == version || it.bundle == version);
        if rows.is_empty() {
            return Err(no_version(&index, &order, package, &version)?.into());
        }
    }
    table::print(rows, &args.rows)?;
    Ok(Exit::Yes)
}

impl Row for HistoryRow {
    const KIND: &'static str = "History";

    const COLUMNS: &'static [Column<Self>] = &[
        wide("PACKAGE", |it| Cow::from(&it.package)),
        column("VERSION", |it| Cow::from(&it.version)),
        column("BUNDLE", |it| Cow::from(&it.bundle)),
        column("FIRST", |it| Cow::from(&it.first)),
        column("LAST", |it| Cow::from(&it.last)),
        column("STATUS", |it| Cow::from(if it.is_current { "" } else { "gone" })),
        column("MISSING IN", |it| it.missing_in.join(",").into()),
        column("DEPRECATED IN", |it| it.deprecated_in.join(",").into()),
        wide("CONTENTS", |it| it.contents.to_string().into()),
        wide("CATALOGS", |it| it.catalogs.join(",").into()),
    ];

    fn name(&self) -> String {
        self.bundle.clone()
    }
}
