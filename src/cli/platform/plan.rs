//! `olmdex plan`

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::cluster::{read_cluster, shown};
use crate::cli::args::day::{day, parse_day};
use crate::cli::args::lifecycles::read_lifecycles;
use crate::cli::args::sources::AskOptions;
use crate::cli::args::update_graph::read_updates;
use crate::cli::args::upgrade::{GateOptions, parse_minor};
use crate::cli::print::sheet::Sheet;
use crate::cli::print::table::write_yaml;
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::cli::speak::screen::screen;
use crate::cluster::Cluster;
use crate::constraint::openshift::Minor;
use crate::diag::counted;
use crate::file::system_words;
use crate::index::Index;
use crate::plan::{
    BasisError, Plan, PlanBasis, PlanProgress, PlanStep, PlanVerdict, PlanWish, SavedPlan, StepStatus, html, junit,
    manifests, markdown, path_of, plan, progress, script,
};
use crate::platform::{Day, SupportLevel, UpdateSource, may_have_extended_support};

/// Plan the upgrade of a cluster: states, blockers, and the steps in their order
///
/// Reads what is installed from a must-gather or from what `oc get … -o yaml` prints, and compares it with the catalogs of each OpenShift version on
/// the way. Each step says why it is needed and what to run; nothing is run. What is not known is listed, never guessed. Exits with 0 if nothing
/// but the platform must be updated, else with 1.
///
/// What to save of a cluster: `oc get subscriptions.operators.coreos.com,csv,installplans,catalogsources,operatorgroups,operatorconditions -A -o
/// yaml` and `oc get clusterversion,clusteroperators,clusterextensions,clustercatalogs,mcp,nodes -o yaml`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex plan --cluster must-gather/ --to 4.17 -i 4.16=old-catalog -i 4.17=my-catalog
  olmdex plan --cluster must-gather/ --to 4.17 -i 4.16=old-catalog -i 4.17=my-catalog -o markdown
  olmdex plan --cluster must-gather/ --to 4.18 --eus -i 4.16=old-catalog --date 2026-08-20 -o json")]
pub(crate) struct PlanArgs {
    /// Manifests of the cluster: files, directories, archives (a must-gather) or `-`; may be repeated
    #[arg(long, value_name = "FILE|DIR|-", required = true)]
    cluster: Vec<PathBuf>,
    /// The OpenShift version to go to
    #[arg(long, value_name = "VERSION", value_parser = parse_minor, required_unless_present = "check")]
    to: Option<Minor>,
    /// Compare a plan that was saved with `-o json` with the cluster as it is now: what is done, what is next. Exits with 0 if nothing
    /// required is left
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// The cluster's version of OpenShift. Default: that of its ClusterVersion
    #[arg(long, value_name = "VERSION", value_parser = parse_minor)]
    from: Option<Minor>,
    /// From one version with extended support to the next: two updates of the control plane with paused pools
    #[arg(long)]
    eus: bool,
    /// A catalog with its version of OpenShift, and its family if there are several: `4.20=DIR`, `4.20/redhat-operators=DIR`; or an index whose
    /// catalogs are named so, as `redhat-operators-4.20`; may be repeated
    #[arg(short, long, value_name = "MINOR[/FAMILY]=SOURCE")]
    input: Vec<String>,
    /// Which family of catalogs a CatalogSource is; may be repeated. Families are found by the source's name too
    #[arg(long, value_name = "NS/NAME=CATALOG")]
    source_map: Vec<String>,
    /// Lifecycles in files, besides those of the catalogs; may be repeated
    #[arg(long, value_name = "FILE")]
    lifecycles: Vec<PathBuf>,
    /// What counts as supported; extended phases are add-ons that are paid for
    #[arg(long, value_enum, default_value_t = SupportLevel::Extended)]
    support: SupportLevel,
    /// The day on which support is judged, and of which catalogs of the past (`build --git`) are taken. Default: that of $SOURCE_DATE_EPOCH, else today (UTC)
    #[arg(long, value_name = "DAY", value_parser = parse_day)]
    date: Option<Day>,
    /// Known updates of OpenShift, as for `platform-path`; may be repeated. Default: those that the index holds
    #[arg(long, value_name = "FILE|DIR")]
    graph: Vec<PathBuf>,
    /// The channel of the cluster's updates: a kind such as `fast`, whose channel of each version is taken, or one channel such as `eus-4.18`
    /// all the way. Default: the kind of the ClusterVersion's channel, else `stable`
    #[arg(long, value_name = "CLUSTER_CHANNEL", conflicts_with = "eus")]
    channel: Option<String>,
    /// The architecture, of which a copy of the graph data tells: amd64, arm64, ppc64le, s390x or multi. Default: that of the ClusterVersion
    /// or of all nodes, else amd64
    #[arg(long, value_name = "ARCH")]
    arch: Option<String>,
    /// Only the operators of this namespace; may be repeated
    #[arg(long, value_name = "NAME")]
    scope: Vec<String>,
    #[command(flatten)]
    gates: GateOptions,
    /// Take a blocker or decision as settled; may be repeated
    #[arg(long, value_name = "CODE[:SUBJECT]")]
    assume: Vec<String>,
    /// With `-o yaml`: the objects that the steps change, in their order, for those who keep theirs in files
    #[arg(long)]
    manifests: bool,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = PlanFormat::Text)]
    output: PlanFormat,
}

/// Formats of plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlanFormat {
    /// For people
    #[value(alias = "table")]
    Text,
    /// JSON
    Json,
    /// YAML of the same
    Yaml,
    /// A page with boxes to tick
    Markdown,
    /// A report in one file, to be mailed, read and printed
    Html,
    /// JUnit XML for CI: suites of operators, blockers, decisions and unknowns
    Junit,
    /// The commands with remarks, to be read and run step by step
    Script,
}

pub(crate) fn run(context: &Context, args: &PlanArgs) -> CommandResult {
    let cluster = read_cluster(context, &args.cluster)?;
    if args.output != PlanFormat::Json {
        cluster.warnings.iter().for_each(|it| context.reporter.warning(it));
    }
    let saved = args.check.as_deref().map(saved_plan).transpose()?;
    let formats = [PlanFormat::Text, PlanFormat::Json, PlanFormat::Yaml];
    if saved.is_some() && !formats.contains(&args.output) {
        return Err(CommandError::usage("`--check` goes with `-o text`, `-o json` and `-o yaml`"));
    }
    if args.manifests && (args.output != PlanFormat::Yaml || saved.is_some()) {
        return Err(CommandError::usage("`--manifests` goes with `-o yaml`, and not with `--check`"));
    }
    let mut from = from(args, &cluster)?;
    let to = args.to.or_else(|| saved.as_ref().and_then(SavedPlan::to)).unwrap_or(from);
    if saved.is_some() && !from.is_before(to) {
        // It has arrived: what is left is about operators.
        from = to;
    } else if !from.is_before(to) {
        let error = CommandError::usage(format!("OpenShift {to} is not later than {from}"));
        return Err(error.help("`--to` names a later minor version"));
    }
    if args.eus && saved.is_none() && (path_of(from, to).len() > 3 || !may_have_extended_support(to)) {
        let error = CommandError::usage(format!("`--eus` does not lead from {from} to {to}"));
        return Err(error.help("it leads from a version with extended support to the next one, as from 4.16 to 4.18"));
    }
    let (index, basis) = basis(context, args)?;
    let question = basis.question(
        &cluster,
        &index,
        PlanWish {
            from,
            to,
            eus: args.eus,
            day: day(args.date)?,
            level: args.support,
            channel: args.channel.clone(),
            arch: args.arch.clone(),
            scope: args.scope.clone(),
            gates: args.gates.gates(),
            assume: args.assume.clone(),
        },
    );
    let plan = plan(&question)?;
    if plan.operators.is_empty() {
        let what = format!("{} has no installed operators", shown(&args.cluster));
        context
            .reporter
            .warning(&format!("{what}: no ClusterServiceVersion that is not a copy, and no ClusterExtension"));
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    if let Some(saved) = saved {
        let progress = progress(&saved, &question, &plan)?;
        match args.output {
            PlanFormat::Json => {
                serde_json::to_writer_pretty(&mut out, &progress).map_err(io::Error::from)?;
                out.write_all(b"\n")?;
            }
            PlanFormat::Yaml => write_yaml(&progress, &mut out)?,
            _ => progress_sheet(&progress).write(screen().width, &mut out)?,
        }
        out.flush()?;
        return Ok(if progress.is_done { Exit::Yes } else { Exit::No });
    }
    match args.output {
        PlanFormat::Text => sheet(&plan).write(screen().width, &mut out)?,
        PlanFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &plan).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
        PlanFormat::Yaml if args.manifests => out.write_all(manifests(&plan).as_bytes())?,
        PlanFormat::Yaml => write_yaml(&plan, &mut out)?,
        PlanFormat::Markdown => out.write_all(markdown(&plan).as_bytes())?,
        PlanFormat::Html => out.write_all(html(&plan).as_bytes())?,
        PlanFormat::Junit => out.write_all(junit(&plan).as_bytes())?,
        PlanFormat::Script => out.write_all(script(&plan).as_bytes())?,
    }
    out.flush()?;
    Ok(if plan.verdict == PlanVerdict::Ready { Exit::Yes } else { Exit::No })
}

fn from(args: &PlanArgs, cluster: &Cluster) -> Result<Minor, CommandError> {
    match (args.from, cluster.openshift.as_str()) {
        (Some(from), _) => Ok(from),
        (None, "") => {
            let error = CommandError::usage(format!("{} has no ClusterVersion", shown(&args.cluster)));
            Err(error.help("give the cluster's version with `--from VERSION`"))
        }
        (None, read) => parse_minor(read).map_err(|error| {
            let error = CommandError::new(Exit::Input, format!("the ClusterVersion says version `{read}`: {error}"));
            error.help("give the cluster's version with `--from VERSION`")
        }),
    }
}

/// The catalogs, and what else the plan is made of.
fn basis(context: &Context, args: &PlanArgs) -> Result<(Index, PlanBasis), CommandError> {
    let input = args.input.iter().map(|text| match text.split_once('=') {
        // The names of catalogs have no slashes.
        Some((name, source)) if !std::path::Path::new(text).exists() => match name.split_once('/') {
            Some((minor, family)) => format!("{family}-{minor}={source}"),
            None => text.clone(),
        },
        _ => text.clone(),
    });
    let sources = AskOptions::of_sources(&input.map(PathBuf::from).collect::<Vec<_>>());
    let (index, of_index) = sources.open_with_updates(context)?;
    let updates = if args.graph.is_empty() { of_index } else { read_updates(context, &args.graph)? };
    let found = PlanBasis::new(&index, &args.source_map, updates);
    // That there is no catalog is no surprise to who has read which names say nothing.
    let is_known = |name: &&String| match &found {
        Ok(basis) => basis.catalogs.iter().any(|it| it.catalog == **name),
        Err(error) => !matches!(error, BasisError::NoCatalog),
    };
    for name in index.catalog_names()?.iter().filter(|it| !is_known(it)) {
        context.reporter.warning(&format!(
            "the name of catalog `{name}` does not say for which OpenShift version it is; it is left out"
        ));
    }
    let mut basis = found?;
    basis.updates.iter().flat_map(UpdateSource::warnings).for_each(|it| context.reporter.warning(it));
    let names: Vec<String> = basis.catalogs.iter().map(|it| it.catalog.clone()).collect();
    let lifecycles = read_lifecycles(context, Some(&index), &names, &args.lifecycles)?;
    basis.lifecycles = lifecycles.into_iter().map(|it| it.1).collect();
    Ok((index, basis))
}

impl From<BasisError> for CommandError {
    fn from(error: BasisError) -> Self {
        let text = error.to_string();
        match error {
            BasisError::NoCatalog => Self::usage(text).help("name catalogs with `-i 4.20=SOURCE`"),
            BasisError::Tie(_) => Self::usage(text)
                .help("write NAMESPACE/NAME=FAMILY, as in openshift-marketplace/community-operators=community"),
            BasisError::NoFamily { known, .. } => {
                Self::new(Exit::NotFound, text).help(format!("there are {}", known.join(", ")))
            }
            BasisError::Index(error) => error.into(),
        }
    }
}

fn saved_plan(path: &std::path::Path) -> Result<SavedPlan, CommandError> {
    let shown = path.display();
    let text = std::fs::read(path)
        .map_err(|error| CommandError::new(Exit::Input, format!("cannot read `{shown}`: {}", system_words(&error))))?;
    SavedPlan::read(&text).map_err(|error| {
        let error = CommandError::new(Exit::Input, format!("`{shown}`: {error}"));
        error.help("`--check` takes what `olmdex plan … -o json` printed")
    })
}

fn progress_sheet(progress: &PlanProgress) -> Sheet {
    let mut sheet = Sheet::default();
    let metadata = &progress.metadata;
    let n_done = progress.steps.iter().filter(|it| it.status == StepStatus::Done).count();
    let words = format!("{n_done} of {} done", counted(progress.steps.len() as u64, "step"));
    sheet.line("Progress", &format!("{} to {}, now at {}: {words}", metadata.from, metadata.to, metadata.now));
    sheet.line("Planned with", &metadata.planned);
    sheet.line("Checked with", &metadata.checked);
    sheet.line("Now", progress.verdict.as_str());
    let optional = |it: bool| if it { "optional" } else { "" }.to_owned();
    let rows = progress.steps.iter().map(|it| {
        vec![
            it.number.to_string(),
            it.status.as_str().to_owned(),
            optional(it.optional),
            it.title.clone(),
            it.detail.clone(),
        ]
    });
    sheet.table("Steps", &["STEP", "STATUS", "", "WHAT", "BECAUSE"], rows.collect());
    let text = |it: &Option<String>| it.clone().unwrap_or_default();
    let blockers = progress
        .new_blockers
        .iter()
        .map(|it| vec![it.code.clone(), text(&it.subject), text(&it.platform), it.text.clone(), it.lift.clone()]);
    sheet.table("New blockers", &["CODE", "SUBJECT", "OPENSHIFT", "TEXT", "LIFTED BY"], blockers.collect());
    if let Some(step) = &progress.next {
        sheet.text("Next", &step_text(step));
    }
    sheet
}

/// A step with its reasons and commands.
fn step_text(step: &PlanStep) -> String {
    let mut text = format!("{}. {}\n", step.number, step.title());
    step.because.iter().for_each(|it| text.push_str(&format!("   because: {}\n", it.text)));
    for it in &step.route {
        text.push_str(&format!("   {}: {} ({})\n", it.bundle, it.because, it.place));
    }
    step.warnings.iter().for_each(|it| text.push_str(&format!("   note: {it}\n")));
    step.commands.iter().for_each(|it| text.push_str(&format!("     {it}\n")));
    text
}

fn sheet(plan: &Plan) -> Sheet {
    let mut sheet = Sheet::default();
    let metadata = &plan.metadata;
    // A must-gather is a moment: whatever follows holds for that.
    sheet.line("Newest change", &metadata.cluster_changed);
    sheet.line("Plan", &plan.summary());
    sheet.line("Support on", &metadata.date);
    sheet.line("Updates from", &metadata.graph);
    if !metadata.graph.is_empty() {
        sheet.line("Channels", &format!("{} ({})", metadata.channels.join(", "), metadata.arch));
    }
    let skipped: Vec<String> = metadata.skipped.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    sheet.line("Passed over", &skipped.join(", "));
    let mut headers = vec!["NAMESPACE", "PACKAGE", "INSTALLED"];
    headers.extend(metadata.path.iter().map(String::as_str));
    headers.extend(["SUPPORT", "TARGET"]);
    let cell = |operator: &crate::plan::OperatorPlan, minor: &String| {
        let state = operator.state.get(minor).map_or("", |it| it.as_str());
        match operator.compatible.get(minor).map(String::as_str) {
            None | Some("unknown") => state.to_owned(),
            Some(fit) => format!("{state}, {fit}"),
        }
    };
    let rows = plan.operators.iter().map(|it| {
        let mut row = vec![it.namespace.clone().unwrap_or_default(), it.package.clone(), it.installed.clone()];
        row.extend(metadata.path.iter().map(|minor| cell(it, minor)));
        let support = if it.support.status == crate::platform::SupportStatus::NoData {
            String::new()
        } else {
            it.support.words()
        };
        row.extend([support, it.target.clone().unwrap_or_default()]);
        row
    });
    sheet.table("Operators", &headers, rows.collect());
    let text = |it: &Option<String>| it.clone().unwrap_or_default();
    let blockers = plan
        .blockers
        .iter()
        .map(|it| vec![it.code.clone(), text(&it.subject), text(&it.platform), it.text.clone(), it.lift.clone()]);
    sheet.table("Blockers", &["CODE", "SUBJECT", "OPENSHIFT", "TEXT", "LIFTED BY"], blockers.collect());
    let decisions = plan.decisions.iter().map(|it| {
        vec![it.code.clone(), text(&it.subject), text(&it.platform), it.text.clone(), it.options.join("; or ")]
    });
    sheet.table("Decisions", &["CODE", "SUBJECT", "OPENSHIFT", "TEXT", "OPTIONS"], decisions.collect());
    let steps: String = plan.steps.iter().map(step_text).collect();
    sheet.text("Steps", &steps);
    let unknowns =
        plan.unknowns.iter().map(|it| vec![it.code.clone(), text(&it.subject), text(&it.platform), it.text.clone()]);
    sheet.table("Not known", &["CODE", "SUBJECT", "OPENSHIFT", "TEXT"], unknowns.collect());
    sheet
}
