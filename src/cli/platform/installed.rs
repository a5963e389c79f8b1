//! `olmdex list installed`

use std::borrow::Cow;
use std::path::PathBuf;

use clap::Args;

use crate::ask::{InstalledOperator, add_catalogs, installed_operators};
use crate::cli::args::cluster::{Asked, read_cluster_telling, shown};
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::AskOptions;
use crate::cli::args::upgrade::release_words;
use crate::cli::print::table::{self, Column, Row, RowOptions, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit};

/// List the operators of a cluster with their channels, approvals, sources and states
///
/// The objects of the cluster state all of it, so no catalog is needed; with `-i`, the state says what the catalogs
/// know, too. Exits with 1 if the cluster has no operator.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex installed --cluster must-gather/
  olmdex installed keda --cluster must-gather/ -o wide
  olmdex installed --cluster must-gather/ -o json")]
pub(crate) struct InstalledArgs {
    /// Only these packages
    #[arg(value_name = "PKG")]
    packages: Vec<String>,
    /// Manifests of the cluster: files, directories, a must-gather, `-` for standard input, or `@CONTEXT` for the
    /// cluster of a context in the kubeconfig; may be repeated
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT", required = true)]
    cluster: Vec<PathBuf>,
    /// Only operators in this namespace
    #[arg(short, long, value_name = "NAME")]
    namespace: Vec<String>,
    #[command(flatten)]
    source_map: SourceMapOption,
    /// Also what these catalogs say: the newest version of the channel, and deprecations. Index or catalog; may be
    /// repeated
    #[arg(short, long, value_name = "[NAME=]SOURCE")]
    input: Vec<String>,
    #[command(flatten)]
    rows: RowOptions,
}

pub(crate) fn run(context: &Context, args: &InstalledArgs) -> CommandResult {
    let cluster = read_cluster_telling(context, &args.cluster, Asked::Operators)?;
    cluster.warnings.iter().for_each(|text| context.reporter.warning(text));
    let mut rows = installed_operators(&cluster);
    let is_wanted = |wanted: &[String], value: &String| wanted.is_empty() || wanted.contains(value);
    rows.retain(|row| is_wanted(&args.packages, &row.package) && is_wanted(&args.namespace, &row.namespace));
    if !args.input.is_empty() {
        let sources = AskOptions::of_words(&args.input);
        let (index, cluster) = (sources.open_light(context)?, (cluster, shown(&args.cluster)));
        add_catalogs(&mut rows, &args.source_map.state(&index, &sources, Some(&cluster)))?;
    }
    if rows.is_empty() && !args.rows.is_data() {
        let which = if args.packages.is_empty() && args.namespace.is_empty() { "" } else { "such " };
        context.reporter.note(&format!("{} holds no {which}operator", shown(&args.cluster)));
        return Ok(Exit::No);
    }
    let exit = if rows.is_empty() { Exit::No } else { Exit::Yes };
    table::print(rows, &args.rows)?;
    Ok(exit)
}

impl Row for InstalledOperator {
    const BELOW: &'static [&'static [&'static str]] = &[&["STATE"], &["SOURCE"], &["APPROVAL"]];

    const KIND: &'static str = "InstalledList";

    const COLUMNS: &'static [Column<Self>] = &[
        wide("OLM", |row| row.olm.as_str().into()),
        column("NAMESPACE", |row| Cow::from(&row.namespace)),
        wide("NAME", |row| Cow::from(&row.name)),
        column("PACKAGE", |row| Cow::from(&row.package)),
        wide("BUNDLE", |row| Cow::from(&row.bundle)),
        column("VERSION", |row| format!("{}{}", row.version, release_words(Some(&row.release))).into()),
        column("CHANNEL", |row| row.channels.join(", ").into()),
        column("APPROVAL", |row| Cow::from(row.approval)),
        column("SOURCE", |row| Cow::from(&row.source)),
        column("STATE", |row| {
            let newest = match row.newest.as_str() {
                "" => None,
                newest if newest == row.version => Some("the newest version".to_owned()),
                newest => Some(format!("{newest} is newer")),
            };
            let all = [row.state.clone()].into_iter().chain(newest).chain(row.remarks.iter().cloned());
            all.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("; ").into()
        }),
    ];

    fn name(&self) -> String {
        if self.bundle.is_empty() { self.package.clone() } else { self.bundle.clone() }
    }
}
