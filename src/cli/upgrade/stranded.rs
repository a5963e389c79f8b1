//! `olmdex stranded`

use std::borrow::Cow;

use clap::Args;

use crate::ask::{Stranding, no_package, strandings};
use crate::cli::args::moment::must_have_states;
use crate::cli::args::name::of_each;
use crate::cli::args::sources::AskOptions;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit};
use olmdex_text::encoding::hex::short;

/// Show whom OLM Classic stopped upgrading, from when to when
///
/// For each channel of a package: bundles that it has, or once had, which were not its head and had no upgrade in it.
/// The index has the past of catalogs (`build --git`). Exits with 1 if somebody is stranded now.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex stranded keda -i past.db
  olmdex stranded keda -i past.db --now
  olmdex stranded keda -i past.db --catalog shop -o json")]
pub(crate) struct StrandedArgs {
    /// The package
    #[arg(value_name = "PKG", required = true)]
    packages: Vec<String>,
    /// Only users who are still stranded
    #[arg(long)]
    now: bool,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &StrandedArgs) -> CommandResult {
    args.ask.refuse_day("`stranded` covers all days")?;
    let mut index = args.ask.open_about(context, &args.packages)?;
    must_have_states(&index)?;
    let catalogs = index.catalog_names()?;
    let (rows, exit) = of_each(context, &args.packages, |package| {
        let mut rows = Vec::new();
        let mut is_known = false;
        for catalog in catalogs.iter().filter(|it| args.ask.catalog.is_empty() || args.ask.catalog.contains(it)) {
            is_known |= !index.states_of_package(catalog, package)?.is_empty();
            rows.extend(strandings(&mut index, catalog, package)?);
        }
        if is_known { Ok((rows, Exit::Yes)) } else { Err(no_package(&index, package)?.into()) }
    })?;
    let mut rows: Vec<Stranding> = rows.into_iter().flatten().collect();
    let is_now = rows.iter().any(|it| it.until.is_none());
    if args.now {
        rows.retain(|it| it.until.is_none());
    }
    if rows.is_empty() && !args.rows.is_data() {
        context.reporter.note(if args.now { "no version is stranded" } else { "no version was ever stranded" });
        return Ok(exit);
    }
    table::print(rows, &args.rows)?;
    Ok(exit.max(if is_now { Exit::No } else { Exit::Yes }))
}

/// Why, in words.
fn reason(because: &str) -> &'static str {
    match because {
        "packageGone" => "the package is removed",
        "channelGone" => "the channel is removed",
        "noOrder" => "the channel has no order",
        _ => "no entry upgrades it",
    }
}

impl Row for Stranding {
    const KIND: &'static str = "StrandedList";

    const COLUMNS: &'static [Column<Self>] = &[
        column("CATALOG", |it| Cow::from(&it.catalog)),
        wide("PACKAGE", |it| Cow::from(&it.package)),
        column("CHANNEL", |it| Cow::from(&it.channel)),
        column("BUNDLE", |it| Cow::from(&it.bundle)),
        wide("VERSION", |it| Cow::from(&it.version)),
        column("FROM", |it| Cow::from(&it.from.day)),
        column("COMMIT", |it| short(&it.from.commit).into()),
        column("UNTIL", |it| it.until.as_ref().map_or("", |it| &it.day).into()),
        column("BECAUSE", |it| reason(it.because).into()),
        wide("SUBJECT", |it| Cow::from(&it.from.subject)),
    ];

    fn name(&self) -> String {
        self.bundle.clone()
    }
}
