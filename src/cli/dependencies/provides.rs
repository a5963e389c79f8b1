//! `olmdex provides`

use std::borrow::Cow;

use clap::Args;

use crate::cli::args::sources::AskOptions;
use crate::cli::print::left_out::left_out;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit};
use crate::index::query::{ApiPattern, Filter, OwnedApi, Provider};
use crate::version::latest_only;

/// List the bundles that provide an API, or all APIs with the packages that provide them
///
/// Without an API: all of them. With --several: the APIs that several packages of a catalog provide, with the packages.
/// Their operators cannot be installed together, and OLM's documentation asks more of an upgrade of their
/// CustomResourceDefinitions. Any bundle of a package counts, not only the newest. Exits with 1 if nothing is found.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex provides keda.sh/v1alpha1/ScaledObject
  olmdex provides Prometheus -i my-catalog/
  olmdex provides Kafka.v1beta2.kafka.strimzi.io -o csv
  olmdex provides --several -i my-catalog/")]
pub(crate) struct ProvidesArgs {
    /// GROUP/VERSION/KIND, of which parts may be empty; also KIND, GROUP or KIND.VERSION.GROUP
    #[arg(value_name = "API")]
    apis: Vec<String>,
    /// List the APIs that several packages of a catalog provide
    #[arg(long)]
    several: bool,
    /// List every version that provides it, not only the latest of each package
    #[arg(long, conflicts_with = "several", requires = "apis")]
    all_versions: bool,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &ProvidesArgs) -> CommandResult {
    let index = args.ask.open(context)?;
    let filter = Filter { catalogs: args.ask.catalog.clone(), ..Filter::default() };
    let apis: Vec<ApiPattern> = args.apis.iter().map(|api| ApiPattern::parse(api)).collect();
    if args.several || apis.is_empty() {
        let at_least = if args.several { 2 } else { 1 };
        let all = if apis.is_empty() { vec![ApiPattern::default()] } else { apis };
        let mut found = Vec::new();
        for api in &all {
            found.extend(index.owners(&filter, api)?.into_iter().filter(|owned| owned.packages.len() >= at_least));
        }
        return print(context, args, found);
    }
    let mut rows = Vec::new();
    for api in &apis {
        rows.extend(index.providers(&filter, api)?);
    }
    if !args.all_versions {
        let all = rows.len();
        rows =
            latest_only(rows, |it| (it.catalog.clone(), it.package.clone(), it.api.clone()), |it| it.version.as_str());
        left_out(context, all - rows.len());
    }
    if let Some(package) = args.apis.iter().find(|_| rows.is_empty())
        && index.package_names()?.contains(package)
    {
        context.reporter.note(&format!("`{package}` is a package: `olmdex show {package}` has its APIs"));
    }
    print(context, args, rows)
}

fn print<T: Row>(context: &Context, args: &ProvidesArgs, rows: Vec<T>) -> CommandResult {
    let is_found = !rows.is_empty();
    if !is_found {
        context.reporter.note("nothing found");
    }
    table::print(rows, &args.rows)?;
    Ok(if is_found { Exit::Yes } else { Exit::No })
}

impl Row for Provider {
    const KIND: &'static str = "Provider";

    const BELOW: &'static [&'static [&'static str]] = &[&["API"]];

    const COLUMNS: &'static [Column<Self>] = &[
        column("CATALOG", |it| Cow::from(&it.catalog)),
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("VERSION", |it| Cow::from(&it.version)),
        wide("BUNDLE", |it| Cow::from(&it.bundle)),
        column("CHANNELS", |it| it.channels.join(",").into()),
        column("API", |it| it.api.to_string().into()),
    ];

    fn name(&self) -> String {
        self.bundle.clone()
    }
}

impl Row for OwnedApi {
    const KIND: &'static str = "SharedApi";

    const COLUMNS: &'static [Column<Self>] = &[
        column("CATALOG", |it| Cow::from(&it.catalog)),
        column("API", |it| it.name().into()),
        wide("VERSIONS", |it| it.versions.join(",").into()),
        column("PACKAGES", |it| it.packages.join(",").into()),
    ];

    /// `Kind.group`
    fn name(&self) -> String {
        if self.group.is_empty() { self.kind.clone() } else { format!("{}.{}", self.kind, self.group) }
    }
}
