//! `olmdex platform-path`

use std::path::PathBuf;

use clap::Args;

use crate::ask::{PlatformEnds, PlatformPathQuestion};
use crate::cli::args::cluster::{Asked, read_cluster_telling};
use crate::cli::args::formats::AnswerOptions;
use crate::cli::args::sources::{AskOptions, default_source};
use crate::cli::args::update_graph::read_updates;
use crate::cli::print::answers::print_answers;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit};
use crate::openshift::{PlatformHop, PlatformRoute, Risk, UpdateSource};

/// Show the updates of OpenShift from a version to another, with their risks
///
/// The path has the fewest updates; among equal paths those without a risk for all clusters come first, then those with
/// the fewest risks, then the newest patch. Updates come from saved answers of the update service (exact), from a
/// ClusterVersion (exact, the next step only), or from a copy of the graph data (nodes and risks exact, updates
/// estimated). Without any, only minor versions are shown. Exits with 1 if there is no path.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex platform-path 4.16.30 --to 4.18 --graph graph.json
  olmdex platform-path 4.16.30 --to 4.17.11 --graph graph.json -o json
  olmdex platform-path 4.16 --to 4.20")]
pub(crate) struct PlatformPathArgs {
    /// The cluster's version of OpenShift, as exactly as it is known. Default: that of the ClusterVersion of
    /// `--cluster`
    #[arg(value_name = "VERSION", required_unless_present_any = ["openshift", "cluster"])]
    version: Option<String>,
    /// The same by name, as `plan` and `compat` take it
    #[arg(long, alias = "from", value_name = "VERSION", conflicts_with = "version")]
    openshift: Option<String>,
    /// The target: a release, or a minor version
    #[arg(long, value_name = "VERSION")]
    to: String,
    /// Known updates: a saved answer of the update service, or a copy of the graph data (directory or tar); may be
    /// repeated. Default: those that the index holds
    #[arg(long, value_name = "FILE|DIR")]
    graph: Vec<PathBuf>,
    /// An index that was built with `--graph-data`; may be repeated. Default: $OLMDEX_INDEX, then ./index.db, if there
    /// is one
    #[arg(short, long, value_name = "SOURCE")]
    input: Vec<PathBuf>,
    /// Channels of a copy of the graph data: a kind such as `fast`, which means its channel for each version, or
    /// channels such as `eus-4.18`; may be repeated. Default: the kind of the ClusterVersion's channel, else `stable`
    #[arg(long, value_name = "CLUSTER_CHANNEL")]
    channel: Vec<String>,
    /// Architecture, which matters in a copy of the graph data: amd64, arm64, ppc64le, s390x or multi. Default: that of
    /// `--cluster`, else amd64
    #[arg(long, value_name = "ARCH")]
    arch: Option<String>,
    /// Manifests of the cluster, whose ClusterVersion knows the next updates, or `@` and a context, which `oc` or
    /// `kubectl` read; may be repeated
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT")]
    cluster: Vec<PathBuf>,
    #[command(flatten)]
    answer: AnswerOptions,
}

pub(crate) fn run(context: &Context, args: &PlatformPathArgs) -> CommandResult {
    let cluster = read_cluster_telling(context, &args.cluster, Asked::Platform)?;
    let ends = PlatformEnds::read(args.version.as_deref().or(args.openshift.as_deref()), &args.to, &cluster)?;
    let updates = match (args.graph.is_empty(), args.input.is_empty()) {
        (true, true) if default_source().is_err() => Vec::new(),
        (true, _) => AskOptions::of_sources(&args.input).open(context)?.update_sources()?,
        (false, _) => read_updates(context, &args.graph)?,
    };
    let question = PlatformPathQuestion {
        ends,
        cluster: &cluster,
        updates: &updates,
        channels: &args.channel,
        arch: args.arch.as_deref(),
    };
    let route = question.answer();
    updates.iter().flat_map(UpdateSource::warnings).for_each(|it| context.reporter.warning(it));
    let is_reached = route.is_reached;
    print_answers(args.answer, "PlatformRoute", vec![route], sheet)?;
    Ok(if is_reached { Exit::Yes } else { Exit::No })
}

fn sheet(route: &PlatformRoute) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.line("From", &route.from);
    sheet.line("To", &route.to);
    sheet.line("Path", if route.is_reached { "yes" } else { "no" });
    sheet.line("Because", &route.reason);
    sheet.line("Updates from", &route.sources.join(", "));
    let risks = |hop: &PlatformHop| -> String {
        let name = |it: &Risk| if it.is_always() { format!("{} (all clusters)", it.name) } else { it.name.clone() };
        hop.risks.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    let row = |it: &PlatformHop| vec![it.from.clone(), it.to.clone(), risks(it), it.url.clone()];
    let headers = ["FROM", "TO", "RISKS", "ERRATA"];
    let rows: Vec<Vec<String>> = route.hops.iter().map(row).collect();
    sheet.main(&headers, rows.clone());
    sheet.table("Updates", &headers, rows);
    let risks: Vec<&Risk> = route.hops.iter().flat_map(|it| &it.risks).collect();
    let row = |it: &&Risk| {
        let message = it.message.split_whitespace().collect::<Vec<_>>().join(" ");
        vec![it.name.clone(), it.url.clone(), message]
    };
    sheet.table("Risks", &["NAME", "LINK", "MESSAGE"], risks.iter().map(row).collect());
    sheet.list_names(route.hops.iter().map(|it| it.to.clone()));
    sheet
}
