//! `olmdex search`

use std::borrow::Cow;

use clap::Args;

use crate::ask::search;
use crate::cli::args::conditions::{Conditions, statuses};
use crate::cli::args::sources::AskOptions;
use crate::cli::print::left_out::limit;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::index::query::{Hit, Status};

/// Find packages by words, APIs, images or features
///
/// All words must occur in the name, display name, provider, keywords, description or APIs of one bundle; the last may
/// be the beginning of a word. DEFAULT HEAD is the version of the default channel's head, as in `list packages`; NEWEST
/// MATCH is the newest bundle that matches, in any channel. Exits with 1 if nothing is found.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex search kafka
  olmdex search --provides monitoring.coreos.com/v1/Prometheus
  olmdex search backup --feature disconnected=true --image quay.io/
  olmdex search --category Database --arch arm64 --limit 10")]
pub(crate) struct SearchArgs {
    /// Words
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    #[command(flatten)]
    conditions: Conditions,
    /// Only packages with this status; if repeated, with any of them
    #[arg(long, value_name = "STATUS", value_parser = statuses())]
    status: Vec<Status>,
    /// At most this many packages, the best first
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &SearchArgs) -> CommandResult {
    if args.words.iter().all(|it| it.trim().is_empty()) && args.conditions.is_empty() {
        let error = CommandError::usage("nothing to search for");
        return Err(error.help("give search words, or a condition such as `--provides`, `--category` or `--feature`"));
    }
    let index = args.ask.open(context)?;
    let mut hits = search(&index, &args.conditions.query(&args.words, &args.ask.catalog), &args.status)?;
    limit(context, args.limit, &mut hits);
    let is_found = !hits.is_empty();
    if !is_found {
        context.reporter.note("nothing found");
        args.conditions.unknown(&index)?.iter().for_each(|it| context.reporter.note(it));
    }
    table::print(hits, &args.rows)?;
    Ok(if is_found { Exit::Yes } else { Exit::No })
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
