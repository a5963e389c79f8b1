//! `olmdex requires`

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use crate::ask::{installed_operators, no_package};
use crate::cli::args::cluster::{Asked, named_cluster};
use crate::cli::args::name::{of_each, package};
use crate::cli::args::sources::AskOptions;
use crate::cli::print::left_out::left_out;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::diag::counted;
use crate::index::Index;
use crate::index::query::{ApiPattern, Filter, Requirer, Requirers};
use crate::version::latest_only;

/// List the bundles that require an API or a package, also in an `olm.constraint`
///
/// Exits with 1 if none does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex requires cert-manager.io/v1/Issuer
  olmdex requires prometheus -i my-catalog/
  olmdex requires Kafka -o json")]
pub(crate) struct RequiresArgs {
    /// A package, or an API: GROUP/VERSION/KIND, of which parts may be empty, KIND or KIND.VERSION.GROUP
    #[arg(value_name = "API|PKG", required = true)]
    what: Vec<String>,
    /// List every version that requires it, not only the latest of each package
    #[arg(long)]
    all_versions: bool,
    /// Only bundles that a cluster has installed: its manifests, a must-gather, or `@` and a context, which `oc` or
    /// `kubectl` read; may be repeated
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT", hide_long_help = true)]
    cluster: Vec<PathBuf>,
    #[command(flatten)]
    ask: AskOptions,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &RequiresArgs) -> CommandResult {
    let index = args.ask.open_about(context, &args.what)?;
    let cluster = named_cluster(context, &args.cluster, Asked::Operators)?;
    let installed = cluster.map(|(cluster, _)| installed_operators(&cluster).into_iter().map(|it| it.bundle).collect());
    let (rows, exit) =
        of_each(context, &args.what, |what| requirers(context, args, &index, (what, installed.as_ref())))?;
    table::print(rows.into_iter().flatten().collect(), &args.rows)?;
    Ok(exit)
}

/// The bundles that require an API or a package.
fn requirers(
    context: &Context,
    args: &RequiresArgs,
    index: &Index,
    (what, installed): (&String, Option<&BTreeSet<String>>),
) -> Result<(Vec<Requirer>, Exit), CommandError> {
    let filter = Filter { catalogs: args.ask.catalog.clone(), ..Filter::default() };
    let packages = index.package_names()?;
    let named = package(index, what)?;
    let is_part = named.is_part() && packages.contains(&named.package);
    let what = if is_part { &named.package } else { what };
    if is_part {
        let version = named
            .installed
            .as_deref()
            .map(|it| format!("; `olmdex deps {}@{it} --invert` asks about this version", named.package));
        let version = version.unwrap_or_default();
        context.reporter.note(&format!("this answer covers all versions of package `{}`{version}", named.package));
    }
    let pattern = ApiPattern::parse(what);
    let meant = if is_part || packages.contains(what) { None } else { index.api_meant(&pattern)? };
    let is_api = !is_part && (what.contains('/') || what.starts_with(|c: char| c.is_ascii_uppercase()));
    let pattern = meant.or_else(|| is_api.then_some(pattern));
    let Requirers { mut rows, n_rules } = index.requirers(&filter, pattern.as_ref(), what)?;
    rows.retain(|row| installed.is_none_or(|it| it.contains(&row.bundle)));
    if rows.is_empty() {
        if pattern.is_none() && !packages.contains(what) {
            let error = CommandError::from(no_package(index, what)?);
            return Err(error);
        }
        context.reporter.note("nothing found");
    }
    if !args.all_versions && installed.is_none() {
        let all = rows.len();
        rows = latest_only(
            rows,
            |it| (it.catalog.clone(), it.package.clone(), it.requirement.clone()),
            |it| it.version.as_str(),
        );
        left_out(context, all - rows.len());
    }
    if n_rules > 0 {
        let constraints = counted(n_rules as u64, "constraint");
        context.reporter.note(&format!(
            "this search skips {constraints} with CEL rules; `olmdex deps PKG@VERSION --invert` evaluates them"
        ));
    }
    let exit = if rows.is_empty() { Exit::No } else { Exit::Yes };
    Ok((rows, exit))
}

impl Row for Requirer {
    const KIND: &'static str = "Requirement";

    const COLUMNS: &'static [Column<Self>] = &[
        column("CATALOG", |it| Cow::from(&it.catalog)),
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("VERSION", |it| Cow::from(&it.version)),
        wide("BUNDLE", |it| Cow::from(&it.bundle)),
        column("CHANNELS", |it| it.channels.join(",").into()),
        column("REQUIRES", |it| Cow::from(&it.requirement)),
        wide("PROPERTY", |it| Cow::from(&it.property)),
        wide("PLACE", |it| it.place.to_string().into()),
    ];

    fn name(&self) -> String {
        self.bundle.clone()
    }
}
