//! `olmdex platform-path`

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::cluster::read_cluster_telling;
use crate::cli::args::formats::AnswerOptions;
use crate::cli::args::sources::{AskOptions, default_source};
use crate::cli::args::update_graph::read_updates;
use crate::cli::print::answers::print_answers;
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::constraint::openshift::Minor;
use crate::diag::counted;
use crate::openshift::{
    ClusterChannels, Goal, Graph, PlatformHop, PlatformRoute, Risk, UpdateSource, coerce, known_minors, platform_path,
};
use crate::plan::{USUAL_ARCH, add_updates_of, channels_of, path_by_name};
use crate::version::Version;

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

fn minor(text: &str) -> Result<Minor, CommandError> {
    let found = coerce(text).filter(|_| text.contains('.') && text.starts_with(|c: char| c.is_ascii_digit()));
    found.ok_or_else(|| CommandError::usage(format!("`{text}` is not a version: write it as 4.18 or 4.18.3")))
}

pub(crate) fn run(context: &Context, args: &PlatformPathArgs) -> CommandResult {
    let cluster = read_cluster_telling(context, &args.cluster)?;
    let from = match (args.version.as_ref().or(args.openshift.as_ref()), cluster.openshift.as_str()) {
        (Some(from), _) => from.clone(),
        (None, "") => {
            let error = CommandError::usage("the manifests hold no ClusterVersion");
            return Err(error.help("name the version: `olmdex platform-path VERSION --to …`"));
        }
        (None, version) => version.to_owned(),
    };
    let (start, end) = (minor(&from)?, minor(&args.to)?);
    if end.is_before(start) {
        return Err(
            CommandError::usage(format!("{} is before {from}", args.to)).help("OpenShift does not support downgrades")
        );
    }
    let updates = match (args.graph.is_empty(), args.input.is_empty()) {
        (true, true) if default_source().is_err() => Vec::new(),
        (true, _) => AskOptions::of_sources(&args.input).open(context)?.update_sources()?,
        (false, _) => read_updates(context, &args.graph)?,
    };
    updates.iter().flat_map(UpdateSource::warnings).for_each(|it| context.reporter.warning(it));
    let path = path_by_name(start, end, &known_minors(&updates));
    let channels = ClusterChannels::asked(&args.channel).unwrap_or_else(|| channels_of(&cluster));
    let arch = args.arch.clone().or_else(|| cluster.architecture()).unwrap_or_else(|| USUAL_ARCH.to_owned());
    let mut graph = channels.graph(&updates, &path, &arch);
    let mut sources: Vec<String> = updates.iter().map(UpdateSource::title).collect();
    if add_updates_of(&cluster, &mut graph) {
        sources.push("ClusterVersion (the next step only)".to_owned());
    }
    let goal = if Version::parse(&args.to).is_ok() { Goal::Release(args.to.clone()) } else { Goal::Minor(end) };
    let route = route(&graph, &from, &path, &goal, sources, &args.to);
    let is_reached = route.is_reached;
    print_answers(args.answer, "PlatformRoute", vec![route], sheet)?;
    Ok(if is_reached { Exit::Yes } else { Exit::No })
}

fn route(graph: &Graph, from: &str, path: &[Minor], goal: &Goal, sources: Vec<String>, to: &str) -> PlatformRoute {
    let mut route = PlatformRoute {
        from: from.to_owned(),
        to: to.to_owned(),
        is_reached: true,
        hops: Vec::new(),
        sources,
        reason: String::new(),
    };
    if graph.is_empty() && route.sources.is_empty() {
        route.hops = path
            .windows(2)
            .map(|pair| PlatformHop {
                from: pair[0].to_string(),
                to: pair[1].to_string(),
                risks: Vec::new(),
                is_estimated: true,
                url: String::new(),
            })
            .collect();
        route.reason =
            "no update graph given, so the plan has minor versions only; `--graph FILE` adds releases".to_owned();
        return route;
    }
    match platform_path(graph, from, goal) {
        Some(found) => {
            route.reason = match found.hops.len() {
                0 => format!("the cluster is already at {from}"),
                n => format!("{} is reachable in {}", found.to, counted(n as u64, "update")),
            };
            if found.hops.iter().any(|it| it.is_estimated) {
                route.reason.push_str("; these updates probably exist");
            }
            route.hops = found.hops;
        }
        None => {
            route.is_reached = false;
            let is_known = graph.releases.contains_key(from) || graph.edges.iter().any(|it| it.from == from);
            route.reason = match is_known {
                true => format!("no updates lead from {from} to {to}"),
                false => format!(
                    "{from} is not a known release; name a release of one of the channels, such as {}.3",
                    path[0]
                ),
            };
        }
    }
    route
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
