//! `olmdex blame`

use std::borrow::Cow;

use clap::Args;

use crate::ask::{PackageName, no_package, no_version};
use crate::cli::args::moment::must_have_states;
use crate::cli::args::name::{of_each, package};
use crate::cli::args::sources::AskOptions;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::index::Index;
use crate::index::query::{BlameRow, Filter};
use olmdex_text::encoding::hex::short;

/// Show by which commit something of a package appeared, changed or vanished
///
/// The index has the past of catalogs (`build --git`). For one version, the answer also has its entries in channels.
/// Changes of one commit in several catalogs are one row. A package that is `left out` had errors from then on;
/// `unknown`: the repository lacks its file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex blame keda -i past.db
  olmdex blame keda@2.10.1 -i past.db
  olmdex blame keda -i past.db --catalog shop -o json")]
pub(crate) struct BlameArgs {
    /// The package, or one version of it
    #[arg(value_name = "PKG[@VERSION]", required = true)]
    packages: Vec<String>,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &BlameArgs) -> CommandResult {
    args.ask.refuse_day("`blame` covers all days")?;
    let index = args.ask.open_about(context, &args.packages)?;
    must_have_states(&index)?;
    let (rows, exit) = of_each(context, &args.packages, |name| Ok((blame(&index, args, name)?, Exit::Yes)))?;
    table::print(rows.into_iter().flatten().collect(), &args.rows)?;
    Ok(exit)
}

fn blame(index: &Index, args: &BlameArgs, name: &str) -> Result<Vec<BlameRow>, CommandError> {
    let PackageName { package, installed: version, .. } = match package(index, name) {
        Ok(found) => found,
        // A removed package has no name in the present, so look for it in the past.
        Err(error) => {
            let found = PackageName::parse(name);
            if index.blame(&found.package, None, &[])?.is_empty() {
                return Err(error);
            }
            found
        }
    };
    let all = index.blame(&package, None, &args.ask.catalog)?;
    if all.is_empty() {
        return Err(no_package(index, &package)?.into());
    }
    let rows = match &version {
        None => all,
        Some(version) => {
            let is_it = |it: &&BlameRow| it.what == "bundle" && (it.version == *version || it.name == *version);
            let Some(bundle) = all.iter().find(is_it).map(|it| it.name.clone()) else {
                let catalogs = index.catalogs(&Filter::default())?.into_iter().map(|it| it.catalog);
                return Err(no_version(index, &catalogs.collect::<Vec<_>>(), &package, version)?.into());
            };
            index.blame(&package, Some(&bundle), &args.ask.catalog)?
        }
    };
    if rows.is_empty() {
        return Err(CommandError::new(Exit::NotFound, format!("the index holds no history of `{name}`")));
    }
    Ok(rows)
}

impl Row for BlameRow {
    const KIND: &'static str = "Blame";

    const COLUMNS: &'static [Column<Self>] = &[
        wide("PACKAGE", |it| Cow::from(&it.package)),
        column("DAY", |it| Cow::from(&it.day)),
        column("COMMIT", |it| short(&it.commit).into()),
        column("CHANGE", |it| it.change.word().into()),
        column("WHAT", |it| Cow::from(&it.what)),
        column("NAME", |it| Cow::from(&it.name)),
        wide("VERSION", |it| Cow::from(&it.version)),
        column("CATALOGS", |it| it.catalogs.join(",").into()),
        column("SUBJECT", |it| Cow::from(&it.subject)),
        wide("TIME", |it| Cow::from(&it.time)),
    ];

    fn name(&self) -> String {
        self.name.clone()
    }
}
