//! `olmdex history`

use std::borrow::Cow;

use clap::Args;

use crate::ask::{PackageName, no_channel, no_package, no_version};
use crate::cli::args::name::{of_each, package};
use crate::cli::args::sources::AskOptions;
use crate::cli::args::upgrade::release_words;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::index::Index;
use crate::index::query::{Filter, HistoryRow};

/// Show when each version of a package appeared and disappeared
///
/// The order of catalogs is that of `--catalog`, else that of `-i`; those of an index come by their days
/// (`build --git`), then by name.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex history keda -i old-catalog/ -i my-catalog/
  olmdex history keda -i index.db
  olmdex history keda -i versions.db --catalog v4.19 --catalog v4.20 -o json")]
pub(crate) struct HistoryArgs {
    /// The package, one version of it, or the versions of a channel
    #[arg(value_name = "PKG[@VERSION|/CHANNEL]", required = true)]
    packages: Vec<String>,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &HistoryArgs) -> CommandResult {
    args.ask.refuse_paths(&args.packages)?;
    args.ask.refuse_day("`history` covers all days")?;
    let (index, order) = args.ask.look(context)?.import_in_order(context)?;
    let (rows, exit) = of_each(context, &args.packages, |name| Ok((history(&index, &order, name)?, Exit::Yes)))?;
    table::print(rows.into_iter().flatten().collect(), &args.rows)?;
    Ok(exit)
}

fn history(index: &Index, order: &[String], name: &str) -> Result<Vec<HistoryRow>, CommandError> {
    let PackageName { package, installed: version, channel } = package(index, name)?;
    let package = &package;
    let mut rows = index.history(package, order)?;
    if rows.is_empty() {
        if index.package_names()?.contains(package) {
            let message = format!("`{package}` has no version in {}", order.join(", "));
            return Err(CommandError::new(Exit::NotFound, message));
        }
        return Err(no_package(index, package)?.into());
    }
    if let Some(channel) = channel {
        let filter = Filter { package: Some(package.clone()), channel: Some(channel.clone()), ..Filter::default() };
        let listed = index.bundles(&filter)?;
        let lists =
            |it: &HistoryRow| listed.iter().any(|row| row.bundle == it.bundle && row.channels.contains(&channel));
        rows.retain(lists);
        if rows.is_empty() {
            return Err(no_channel(index, package, &channel)?.into());
        }
    }
    if let Some(version) = version {
        let is_wanted = |row: &HistoryRow| {
            row.version == version || row.bundle == version || format!("{}-{}", row.version, row.release) == version
        };
        rows.retain(is_wanted);
        if rows.is_empty() {
            return Err(no_version(index, order, package, &version)?.into());
        }
    }
    Ok(rows)
}

impl Row for HistoryRow {
    const KIND: &'static str = "History";

    const COLUMNS: &'static [Column<Self>] = &[
        wide("PACKAGE", |it| Cow::from(&it.package)),
        column("VERSION", |row| format!("{}{}", row.version, release_words(Some(&row.release))).into()),
        column("BUNDLE", |it| Cow::from(&it.bundle)),
        column("FIRST", |it| Cow::from(&it.first)),
        column("LAST", |it| Cow::from(&it.last)),
        wide("FIRST DAY", |it| it.first_day.as_deref().unwrap_or_default().into()),
        wide("FIRST COMMIT", |it| it.first_commit.as_deref().unwrap_or_default().into()),
        wide("GONE DAY", |it| it.gone_day.as_deref().unwrap_or_default().into()),
        wide("GONE COMMIT", |it| it.gone_commit.as_deref().unwrap_or_default().into()),
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
