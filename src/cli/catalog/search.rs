//! `olmdex search`

use std::borrow::Cow;

use clap::Args;

use crate::cli::args::sources::AskOptions;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::index::query::{ApiPattern, Hit, SearchQuery};

/// Find packages by words, APIs, images or features
///
/// All words must occur in the name, display name, provider, keywords, description or APIs of one bundle; the last may be
/// the beginning of a word. Exits with 1 if nothing is found.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex search kafka
  olmdex search --provides monitoring.coreos.com/v1/Prometheus
  olmdex search backup --feature disconnected=true --image quay.io/")]
pub(crate) struct SearchArgs {
    /// Words
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    /// Only bundles that provide this API; parts may be left empty; may be repeated
    #[arg(long, value_name = "GROUP/VERSION/KIND")]
    provides: Vec<String>,
    /// Only bundles whose image, or one that they use, has this in its reference; may be repeated
    #[arg(long, value_name = "TEXT")]
    image: Vec<String>,
    /// Only bundles with this feature, for example disconnected=true; may be repeated
    #[arg(long, value_name = "NAME[=VALUE]")]
    feature: Vec<String>,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &SearchArgs) -> CommandResult {
    let has_conditions = !args.provides.is_empty() || !args.image.is_empty() || !args.feature.is_empty();
    if args.words.iter().all(|it| it.trim().is_empty()) && !has_conditions {
        let error = CommandError::usage("nothing to search for");
        return Err(error.help("give words, or `--provides`, `--image` or `--feature`"));
    }
    let index = args.ask.open(context)?;
    let query = SearchQuery {
        words: args.words.join(" "),
        provides: args.provides.iter().map(|it| ApiPattern::parse(it)).collect(),
        images: args.image.clone(),
        features: args
            .feature
            .iter()
            .map(|it| match it.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (it.clone(), None),
            })
            .collect(),
        catalogs: args.ask.catalog.clone(),
    };
    let hits = index.search(&query)?;
    let is_found = !hits.is_empty();
    if !is_found {
        context.reporter.note("nothing found");
    }
    table::print(hits, &args.rows)?;
    Ok(if is_found { Exit::Yes } else { Exit::No })
}

impl Row for Hit {
    const KIND: &'static str = "SearchResult";

    fn columns() -> Vec<Column> {
        vec![
            column("CATALOG"),
            column("PACKAGE"),
            column("VERSION"),
            wide("BUNDLE"),
            wide("MATCHES"),
            wide("SCORE"),
            column("PROVIDER"),
            column("DISPLAY NAME"),
        ]
    }

    fn cells(&self) -> Vec<Cow<'_, str>> {
        vec![
            Cow::from(&self.catalog),
            Cow::from(&self.package),
            Cow::from(&self.version),
            Cow::from(&self.bundle),
            self.bundles.to_string().into(),
            format!("{:.2}", self.score).into(),
            Cow::from(&self.provider),
            Cow::from(&self.display_name),
        ]
    }

    fn name(&self) -> String {
        self.package.clone()
    }
}
