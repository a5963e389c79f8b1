//! `olmdex search`

use std::borrow::Cow;

use clap::Args;

use crate::ask::{Question as _, SearchQuestion, State};
use crate::cli::args::sources::SourceOptions;
use crate::cli::args::upgrade::{ended, told};
use crate::cli::print::by_package::{InCatalog, print_by_package};
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandResult;
use crate::index::query::Hit;

/// Find packages by words, APIs, images or features
///
/// All words must occur in the name, display name, provider, keywords, description or APIs of one bundle; the last may
/// be the beginning of a word. APIs and images count in any version too; all other conditions are about the default
/// head, or about the highest version if there is no single head. DEFAULT HEAD is the version of the default channel's
/// head, as in `list packages`; NEWEST MATCH is the newest bundle that matches, in any channel. Exits with 1 if nothing
/// is found.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex search kafka
  olmdex search --provides monitoring.coreos.com/v1/Prometheus
  olmdex search backup --feature disconnected=true --image quay.io/
  olmdex search --category Database --arch arm64 --limit 10")]
pub(crate) struct SearchArgs {
    #[command(flatten)]
    question: SearchQuestion,
    #[command(flatten)]
    sources: SourceOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &SearchArgs) -> CommandResult {
    let question = &args.question;
    question.check()?;
    let index = args.sources.of_catalogs(&question.catalog).open(context)?;
    let answer = question.ask(&State::of(&index));
    if answer.as_ref().is_ok_and(|answer| answer.items.is_empty()) {
        context.reporter.note("nothing found");
    }
    let answer = told(context, answer)?;
    if args.rows.are_for_people() && !answer.items.is_empty() {
        fn row(it: &Hit) -> InCatalog<'_> {
            let Hit { package, catalog, head_version: head, display_name, .. } = it;
            InCatalog { package, catalog, head, status: "", display_name }
        }
        print_by_package(&answer.items.iter().map(row).collect::<Vec<_>>())?;
    } else {
        table::print(answer.items, &args.rows)?;
    }
    ended(context, answer.verdict)
}

impl Row for Hit {
    const KIND: &'static str = "SearchResult";

    const COLUMNS: &'static [Column<Self>] = &[
        column("CATALOG", |it| Cow::from(&it.catalog)),
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("DEFAULT HEAD", |it| Cow::from(&it.head_version)),
        column("NEWEST MATCH", |it| Cow::from(it.version.as_deref().unwrap_or_default())),
        wide("HIGHEST VERSION", |it| Cow::from(&it.highest_version)),
        wide("BUNDLE", |it| Cow::from(it.bundle.as_deref().unwrap_or_default())),
        wide("MATCHES", |it| it.bundles.to_string().into()),
        wide("SCORE", |it| format!("{:.2}", it.score).into()),
        column("PROVIDER", |it| Cow::from(&it.provider)),
        column("DISPLAY NAME", |it| Cow::from(&it.display_name)),
    ];

    const FORMER: &'static [(&'static str, &'static str)] = &[("VERSION", "DEFAULT HEAD")];

    fn name(&self) -> String {
        self.package.clone()
    }
}
