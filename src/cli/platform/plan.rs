//! `olmdex plan`

use crate::cli::args::formats::{Formats, OutputFormat};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::ask::{
    FleetPlan, FleetQuestion, GateOptions, basis_of_index, must_lead_between_extended, must_lead_on, one_of,
    openshift_of, plan_of,
};
use crate::calendar::Day;
use crate::cli::args::cluster::{read_cluster, shown};
use crate::cli::args::day::{day, parse_day};
use crate::cli::args::lifecycles::read_lifecycles;
use crate::cli::args::sources::{AskOptions, default_source};
use crate::cli::args::update_graph::read_updates;
use crate::cli::args::upgrade::parse_minor;
use crate::cli::print::fleet;
use crate::cli::print::sheet::{Sheet, TextLine};
use crate::cli::print::table::write_yaml;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::screen::screen;
use crate::cluster::Cluster;
use crate::compose::{Reach, outside_of};
use crate::constraint::openshift::Minor;
use crate::diag::counted;
use crate::fbc::Sight;
use crate::file::{MAX_WHOLE, read_named_of, system_words};
use crate::index::{Index, Moment};
use crate::openshift::SupportLevel;
use crate::plan::{
    BY_ITSELF, BasisError, Blocker, OperatorState, Plan, PlanBasis, PlanProgress, PlanStep, PlanVerdict, PlanWish,
    RouteStep, SavedPlan, StepStatus, Unknown, folded_commands, junit, manifests, markdown, progress, script,
};
use crate::source::{self, STDIN};
use crate::upgrade::Move;
use crate::upgrade::compat::Compatibility;

/// Plan the upgrade of a cluster: blockers, and the steps in order
///
/// Reads the installed operators from a must-gather or from the output of `oc get … -o yaml`, and compares them with
/// the catalogs of each OpenShift version on the way. Each step has its reason and the commands to run; nothing is run.
/// Unknown facts are listed, never guessed. Exits with 0 if nothing but the platform must be updated, else with 1.
///
/// With `--fleet DIR`, each file, archive or directory directly in DIR is a cluster: there is one table, one report,
/// and the order in which clusters are upgraded (waves): the ready ones, then those with the same blockers and
/// decisions together, then the unknown ones, then the blocked ones. A cluster that cannot be read is a row with its
/// error; then the exit code is 3.
///
/// Commands that save the state of a cluster:
/// `oc get subscriptions.operators.coreos.com,csv,installplans,catalogsources,operatorgroups,operatorconditions -A -o yaml`
/// and
/// `oc get clusterversion,clusteroperators,infrastructures,apirequestcounts,clusterextensions,clustercatalogs,mcp,nodes -o yaml`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  olmdex plan --cluster must-gather/ --to 4.17 -i 4.16=old-catalog -i 4.17=my-catalog
  olmdex plan --cluster must-gather/ --to 4.17 -i 4.16=old-catalog -i 4.17=my-catalog -o markdown
  olmdex plan --check plan.json --cluster must-gather/
  olmdex plan --fleet clusters/ --to 4.17 -i 4.16=old-catalog -i 4.17=my-catalog
  olmdex plan --cluster must-gather/ --to 4.18 --eus -i 4.16=old-catalog --date 2026-08-20 -o json")]
pub(crate) struct PlanArgs {
    /// Manifests of the cluster: files, directories, archives (a must-gather) or `-`; or `@` and a context, which `oc`
    /// or `kubectl` read; may be repeated
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT", required_unless_present = "fleet")]
    cluster: Vec<PathBuf>,
    /// A directory of many clusters, each a must-gather, an archive or a file of manifests
    #[arg(long, value_name = "DIR", conflicts_with_all = ["cluster", "check", "manifests"])]
    fleet: Option<PathBuf>,
    /// The OpenShift version to go to
    #[arg(long, value_name = "VERSION", value_parser = parse_goal, required_unless_present = "check")]
    to: Option<Goal>,
    /// Compare a plan that was saved with `-o json` with the present cluster: finished steps, and the next one. The
    /// catalogs, `--source-map` and other options of the saved plan are used unless they are given again; files of its
    /// own choice only below its directory, unless `--trust-config` is given. Exits with 0 if nothing required is left
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// The cluster's version of OpenShift. Default: that of its ClusterVersion
    #[arg(long, alias = "from", value_name = "VERSION", value_parser = parse_minor)]
    openshift: Option<Minor>,
    /// Go from one version with extended support to another, as from 4.16 to 4.18: the pools of workers are paused for
    /// each two updates of the control plane, and reboot once for both
    #[arg(long)]
    eus: bool,
    /// Catalog with its version of OpenShift, and its family if there are several: `4.20=DIR`,
    /// `4.20/redhat-operators=DIR`; or an index whose catalogs have such names, as `redhat-operators-4.20`; may be
    /// repeated
    #[arg(short, long, value_name = "MINOR[/FAMILY]=SOURCE")]
    input: Vec<String>,
    /// Family of catalogs that a CatalogSource belongs to; may be repeated. Families are also found by the source's
    /// name
    #[arg(long, value_name = "NS/NAME=CATALOG")]
    source_map: Vec<String>,
    /// Lifecycles in files, in addition to those of the catalogs; may be repeated
    #[arg(long, value_name = "FILE", hide_long_help = true)]
    lifecycles: Vec<PathBuf>,
    /// Phases that count as supported; extended phases are add-ons that are paid for
    #[arg(long, value_parser = one_of::<SupportLevel>(), default_value = "extended", hide_long_help = true)]
    support: SupportLevel,
    /// Day on which support is judged, and whose catalogs of the past (`build --git`) count. Default: that of
    /// $SOURCE_DATE_EPOCH, else today (UTC)
    #[arg(long, value_name = "DAY", value_parser = parse_day)]
    date: Option<Day>,
    /// Known updates of OpenShift: a saved answer of the update service, or a copy of the graph data (directory or
    /// tar); may be repeated. Default: those that the index holds
    #[arg(long, value_name = "FILE|DIR", hide_long_help = true)]
    graph: Vec<PathBuf>,
    /// Channel of the cluster's updates: a kind such as `fast`, which means its channel for each version, or one
    /// channel such as `eus-4.18` all the way. Default: the kind of the ClusterVersion's channel, else `stable`
    #[arg(long, value_name = "CLUSTER_CHANNEL", conflicts_with = "eus")]
    channel: Option<String>,
    /// Architecture, which matters in a copy of the graph data: amd64, arm64, ppc64le, s390x or multi. Default: that of
    /// the ClusterVersion or of all nodes, else amd64
    #[arg(long, value_name = "ARCH", hide_long_help = true)]
    arch: Option<String>,
    /// Only the operators of this namespace; may be repeated
    #[arg(long, value_name = "NAME")]
    scope: Vec<String>,
    #[command(flatten)]
    gates: GateOptions,
    /// Take a blocker or decision as settled; may be repeated
    #[arg(long, value_name = "CODE[:SUBJECT]")]
    assume: Vec<String>,
    /// With `-o yaml`: print the objects that the steps change, in their order, for people who keep theirs in files
    #[arg(long)]
    manifests: bool,
    /// Output format
    #[arg(short, long, value_parser = FORMATS, default_value = "table")]
    output: OutputFormat,
}

/// The version of OpenShift to reach.
#[derive(Debug, Clone, Copy)]
struct Goal {
    minor: Minor,
    /// Whether a patch release was named.
    is_patch: bool,
}

fn parse_goal(text: &str) -> Result<Goal, String> {
    Ok(Goal { minor: parse_minor(text)?, is_patch: text.matches('.').count() > 1 })
}

const FORMATS: Formats = Formats(&[
    (OutputFormat::Table, "For people"),
    (OutputFormat::Wide, "The same, whole on a terminal too"),
    (OutputFormat::Json, "JSON"),
    (OutputFormat::Yaml, "YAML of the same"),
    (OutputFormat::Markdown, "A page with boxes to tick"),
    (OutputFormat::Html, "A report in one file, to be mailed, read and printed"),
    (OutputFormat::Junit, "JUnit XML for CI: suites of operators, blockers, decisions and unknowns"),
    (OutputFormat::Script, "The commands with remarks, to be read and run step by step"),
]);

pub(crate) fn run(context: &Context, args: &PlanArgs) -> CommandResult {
    // Before the cluster is read, which may take long.
    #[cfg(not(feature = "page"))]
    if args.output == OutputFormat::Html {
        return Err(CommandError::lacks_feature("plan -o html", "page"));
    }
    if let Some(directory) = &args.fleet {
        return of_fleet(context, args, directory);
    }
    let cluster = read_cluster(context, &args.cluster)?;
    if args.output != OutputFormat::Json {
        cluster.warnings.iter().for_each(|it| context.reporter.warning(it));
    }
    let saved = args.check.as_deref().map(saved_plan).transpose()?;
    let asked = args;
    let with_saved = saved.as_ref().map(|it| with_saved_options(args, it));
    let args = with_saved.as_ref().unwrap_or(args);
    let formats = [OutputFormat::Table, OutputFormat::Wide, OutputFormat::Json, OutputFormat::Yaml];
    if saved.is_some() && !formats.contains(&args.output) {
        return Err(CommandError::usage("`--check` works only with `-o table`, `-o wide`, `-o json` and `-o yaml`"));
    }
    if args.manifests && (args.output != OutputFormat::Yaml || saved.is_some()) {
        return Err(CommandError::usage("`--manifests` works only with `-o yaml`, and not with `--check`"));
    }
    if let Some(Goal { minor, is_patch: true }) = args.to.filter(|_| saved.is_none())
        && minor == from(args, &cluster)?
    {
        context.reporter.note(&format!(
            "patch releases of OpenShift {minor} are not blocked: OLM looks at minor versions only, so there is \
            nothing to plan"
        ));
        return Ok(Exit::Yes);
    }
    let (from, to) = way(args, &cluster, saved.as_ref())?;
    let (index, basis) = match &saved {
        Some(saved) => basis_of_saved(context, asked, args, saved)?,
        None => basis(context, args)?,
    };
    let wish = wish(args, from, to)?;
    let (plan, question) = plan_of(&basis, &cluster, &index, wish)?;
    if plan.operators.is_empty() {
        let what = format!("{} has no installed operators", shown(&args.cluster));
        context
            .reporter
            .warning(&format!("{what}: no ClusterServiceVersion other than copies, and no installed ClusterExtension"));
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    let width = screen().width.filter(|_| args.output != OutputFormat::Wide);
    if let Some(saved) = saved {
        let progress = progress(&saved, &question, &plan)?;
        match args.output {
            OutputFormat::Json => {
                serde_json::to_writer_pretty(&mut out, &progress).map_err(io::Error::from)?;
                out.write_all(b"\n")?;
            }
            OutputFormat::Yaml => write_yaml(&progress, &mut out)?,
            _ => progress_sheet(&progress).write(width, &mut out)?,
        }
        out.flush()?;
        return Ok(if progress.is_done { Exit::Yes } else { Exit::No });
    }
    print(args, &plan, width, &mut out)?;
    out.flush()?;
    Ok(if plan.verdict == PlanVerdict::Ready { Exit::Yes } else { Exit::No })
}

fn wish(args: &PlanArgs, from: Minor, to: Minor) -> Result<PlanWish, CommandError> {
    Ok(PlanWish {
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
    })
}

/// The plans of many clusters in one answer.
fn of_fleet(context: &Context, args: &PlanArgs, directory: &Path) -> CommandResult {
    if matches!(args.output, OutputFormat::Junit | OutputFormat::Script) {
        let error = CommandError::usage("a fleet has no commands: its plan is one table and one report");
        return Err(error.help("use `-o html`, `-o markdown` or `-o json`; `--cluster` plans a single cluster"));
    }
    let Some(Goal { minor: to, .. }) = args.to else {
        return Err(CommandError::usage("`--fleet` needs `--to`"));
    };
    let (index, basis) = basis(context, args)?;
    let wish = wish(args, args.openshift.unwrap_or(to), to)?;
    let question =
        FleetQuestion::Plan(Box::new(FleetPlan { basis, wish, is_from_given: args.openshift.is_some() }), &index);
    fleet::run(context, directory, question, args.output)
}

fn print(args: &PlanArgs, plan: &Plan, width: Option<usize>, out: &mut impl io::Write) -> Result<(), CommandError> {
    match args.output {
        OutputFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, plan).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
        OutputFormat::Yaml if args.manifests => out.write_all(manifests(plan).as_bytes())?,
        OutputFormat::Yaml => write_yaml(plan, &mut *out)?,
        OutputFormat::Markdown => out.write_all(markdown(plan).as_bytes())?,
        #[cfg(feature = "page")]
        OutputFormat::Html => out.write_all(crate::page::plan_report(plan).as_bytes())?,
        OutputFormat::Junit => out.write_all(junit(plan).as_bytes())?,
        OutputFormat::Script => out.write_all(script(plan).as_bytes())?,
        _ => sheet(plan, width.is_some()).write(width, &mut *out)?,
    }
    Ok(())
}

/// The versions that the plan leads from and to.
fn way(args: &PlanArgs, cluster: &Cluster, saved: Option<&SavedPlan>) -> Result<(Minor, Minor), CommandError> {
    let mut from = from(args, cluster)?;
    let to = args.to.map(|goal| goal.minor).or_else(|| saved.and_then(SavedPlan::to)).unwrap_or(from);
    if saved.is_some() && !from.is_before(to) {
        // The cluster has arrived: the remaining steps are about operators.
        from = to;
    } else {
        must_lead_on(Move { from, to })?;
    }
    if args.eus && saved.is_none() {
        must_lead_between_extended(from, to)?;
    }
    Ok((from, to))
}

fn from(args: &PlanArgs, cluster: &Cluster) -> Result<Minor, CommandError> {
    Ok(args.openshift.map_or_else(|| openshift_of(cluster, &shown(&args.cluster)), Ok)?)
}

/// The catalogs, and the rest of the plan's basis.
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
    let mut index = sources.open(context)?;
    if let Some(date) = args.date
        && index.has_states()?
    {
        // Nothing is known before the first state; the present catalogs know their own day, too.
        if index.set_as_of(Moment::end_of(date), &[], None)?.states.is_empty() {
            index = sources.open(context)?;
        }
    }
    let updates = if args.graph.is_empty() { None } else { Some(read_updates(context, &args.graph)?) };
    let mut basis = basis_of_index(&index, &args.source_map, updates, &mut |it| context.reporter.warning(it))?;
    let names: Vec<String> = basis.catalogs.iter().map(|it| it.catalog.clone()).collect();
    let lifecycles = read_lifecycles(context, Some(&index), &names, &args.lifecycles)?;
    basis.lifecycles = lifecycles.into_iter().map(|it| it.1).collect();
    let texts = |it: &[PathBuf]| it.iter().map(|it| it.to_string_lossy().into_owned()).collect();
    // The default depends on the directory, so the saved plan names the source that was used.
    basis.options.input = match args.input.as_slice() {
        [] => vec![default_source()?.path.to_string_lossy().into_owned()],
        given => given.to_vec(),
    };
    (basis.options.lifecycles, basis.options.graph) = (texts(&args.lifecycles), texts(&args.graph));
    Ok((index, basis))
}

/// As [`basis`], with the sources that the saved plan names unless the command line does. A plan may come from
/// elsewhere, so unless the user trusts it, it names only what an `olmdex.toml` that was found could name, and messages
/// show none of that.
fn basis_of_saved(
    context: &Context,
    asked: &PlanArgs,
    args: &PlanArgs,
    saved: &SavedPlan,
) -> Result<(Index, PlanBasis), CommandError> {
    let with_help = |error| help_with_catalogs(error, asked, saved);
    let of_input =
        args.input.iter().filter(|_| asked.input.is_empty()).map(|word| ("-i", word.clone(), source_in(word)));
    let of_file = |option: &'static str, paths: &[PathBuf], own: &[PathBuf]| -> Vec<(&str, String, PathBuf)> {
        let paths = paths.iter().filter(|_| own.is_empty());
        paths.map(|path| (option, path.display().to_string(), path.clone())).collect()
    };
    let named: Vec<(&str, String, PathBuf)> = of_input
        .chain(of_file("--graph", &args.graph, &asked.graph))
        .chain(of_file("--lifecycles", &args.lifecycles, &asked.lifecycles))
        .collect();
    if named.is_empty() || context.found_config == Reach::Anywhere {
        return basis(context, args).map_err(with_help);
    }
    let file = asked.check.as_deref().unwrap_or(Path::new(""));
    for (option, word, path) in &named {
        let why = match path.metadata() {
            _ if path.as_os_str() == STDIN => Some("is standard input".to_owned()),
            Ok(found) if !found.is_file() && !found.is_dir() => Some("is not a regular file or directory".to_owned()),
            _ => outside_of(file, path),
        };
        if let Some(why) = why {
            let message = format!("the plan `{}` names `{option} {word}`, which {why}", file.display());
            let help = format!(
                "name it yourself with `{option}`; if you trust the plan, `--trust-config` reads it, relative to this \
                directory"
            );
            return Err(CommandError::usage(message).help(help));
        }
    }
    basis(&context.for_sight(Sight::Unnamed), args).map_err(|error| {
        let is_there =
            |it: &(&str, String, PathBuf)| it.2.exists() || source::local_path(&it.2).is_some_and(|it| it.exists());
        if error.exit != Exit::Input || !named.iter().all(is_there) {
            return with_help(error);
        }
        let words: Vec<String> = named.iter().map(|(option, word, _)| format!("`{option} {word}`")).collect();
        let message = format!("olmdex cannot read all that the plan `{}` names: {}", file.display(), words.join(", "));
        CommandError::new(Exit::Input, message).help("name the catalogs yourself, with `-i`, to see why")
    })
}

/// The path in a word of `-i`.
fn source_in(word: &str) -> PathBuf {
    let path = word.split_once('=').filter(|_| !Path::new(word).exists()).map_or(word, |it| it.1);
    PathBuf::from(path)
}

impl From<BasisError> for CommandError {
    fn from(error: BasisError) -> Self {
        let text = error.to_string();
        match error {
            BasisError::NoCatalog => Self::usage(text).help("name catalogs with `-i 4.20=SOURCE`"),
            BasisError::Tie(error) => error.into(),
            BasisError::Index(error) => error.into(),
        }
    }
}

fn saved_plan(path: &std::path::Path) -> Result<SavedPlan, CommandError> {
    let shown = path.display();
    let text = read_named_of(path, MAX_WHOLE)
        .map_err(|error| CommandError::new(Exit::Input, format!("cannot read `{shown}`: {}", system_words(&error))))?;
    SavedPlan::read(&text).map_err(|error| {
        let error = CommandError::new(Exit::Input, format!("`{shown}`: {error}"));
        error.help("`--check` takes the output of `olmdex plan … -o json`")
    })
}

/// Adds the options of the saved plan that the command line does not set.
fn with_saved_options(args: &PlanArgs, saved: &SavedPlan) -> PlanArgs {
    let (mut args, saved) = (args.clone(), saved.options().clone());
    let paths = |it: Vec<String>| it.into_iter().map(PathBuf::from).collect::<Vec<_>>();
    fn unless_given<T>(own: &mut Vec<T>, saved: Vec<T>) {
        if own.is_empty() {
            *own = saved;
        }
    }
    unless_given(&mut args.input, saved.input);
    unless_given(&mut args.source_map, saved.source_map);
    unless_given(&mut args.lifecycles, paths(saved.lifecycles));
    unless_given(&mut args.graph, paths(saved.graph));
    unless_given(&mut args.scope, saved.scope);
    unless_given(&mut args.assume, saved.assume);
    args.channel = args.channel.or(saved.channel);
    args.arch = args.arch.or(saved.arch);
    args.eus |= saved.eus;
    args
}

/// Adds help for finding the catalogs of a saved plan, if it does not name them, or they are gone.
fn help_with_catalogs(error: CommandError, args: &PlanArgs, saved: &SavedPlan) -> CommandError {
    // A wrong value of another option has its own help.
    let names_others = !args.source_map.is_empty() || !args.graph.is_empty() || !args.lifecycles.is_empty();
    if !args.input.is_empty() || names_others {
        return error;
    }
    let names: Vec<String> = saved.catalogs().iter().map(|it| format!("-i {it}=SOURCE")).collect();
    let options = if names.is_empty() { "-i MINOR=SOURCE".to_owned() } else { names.join(" ") };
    error.help(match saved.options().input.is_empty() {
        true => format!(
            "the saved plan does not name the sources of its catalogs: add `{options}`, or `-i index.db`, and the \
            `--source-map` options of the first run"
        ),
        false => format!(
            "the saved plan names its source as `-i {}`, relative to the directory of the first run: run the check \
            there, or add `{options}`",
            saved.options().input.join(" -i ")
        ),
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
    let steps = progress.steps.iter().flat_map(|it| {
        let words = format!("{}: {}", it.status.as_str(), it.title);
        item(&format!("{}. ", it.number), &words, [it.detail.clone()])
    });
    sheet.passage("Steps", steps.collect());
    sheet.passage("New blockers", blocker_lines(&progress.new_blockers));
    if let Some(step) = &progress.next {
        sheet.passage("Next", step_lines(step));
    }
    sheet
}

/// The indent of an item's reasons, in columns.
const REASON: usize = 3;

/// The indent of its commands, in columns.
const COMMAND: usize = 5;

/// Words with a mark before them, and their details below.
fn item(mark: &str, words: &str, more: impl IntoIterator<Item = String>) -> Vec<TextLine> {
    let mut lines = vec![TextLine::Words(0, REASON, format!("{mark}{words}"))];
    lines.extend(more.into_iter().filter(|it| !it.is_empty()).map(|it| TextLine::Words(REASON, 0, it)));
    lines
}

/// A step with its reasons and commands.
fn step_lines(step: &PlanStep) -> Vec<TextLine> {
    let because = step.because.iter().map(|it| format!("because: {}", it.text));
    let route = route_lines(&step.route);
    let notes = step.warnings.iter().map(|it| format!("note: {it}"));
    let mut lines = item(&format!("{}. ", step.number), &step.title(), because.chain(route).chain(notes));
    lines.push(TextLine::Commands(COMMAND, step.commands.clone(), folded_commands(&step.commands)));
    lines
}

/// The highest number of upgrades in a row that are listed one by one.
const TOLD: usize = 3;

/// The lines of a route from bundle to bundle: a long chain in which each bundle replaces the one before is one line.
fn route_lines(route: &[RouteStep]) -> Vec<String> {
    let follows = |pair: &[RouteStep]| pair[1].because == format!("replaces {}", pair[0].bundle);
    let each = |it: &RouteStep| format!("{}: {} ({})", it.bundle, it.because, it.place);
    let mut lines = Vec::new();
    let mut rest = route;
    while let Some(first) = rest.first() {
        let n_run = 1 + rest.windows(2).take_while(|it| follows(it)).count();
        let (run, behind) = rest.split_at(n_run);
        match run.last().filter(|_| n_run > TOLD) {
            Some(last) => {
                lines.push(each(first));
                let upgrades = counted(n_run as u64 - 1, "upgrade");
                lines.push(format!("then {} … {}, upgraded one by one ({upgrades})", run[1].bundle, last.bundle));
            }
            None => lines.extend(run.iter().map(each)),
        }
        rest = behind;
    }
    lines
}

/// A code with its subject.
fn about(code: &str, subject: Option<&str>, platform: Option<&str>) -> String {
    let platform = platform.map(|it| format!("OpenShift {it}"));
    let words: Vec<&str> = subject.into_iter().chain(platform.as_deref()).collect();
    if words.is_empty() { code.to_owned() } else { format!("{code}: {}", words.join(", ")) }
}

fn blocker_lines(blockers: &[Blocker]) -> Vec<TextLine> {
    let lines = |it: &Blocker| {
        let lift = format!("lifted by: {}", it.lift);
        item("", &about(it.code.as_str(), it.subject.as_deref(), it.platform.as_deref()), [it.text.clone(), lift])
    };
    blockers.iter().flat_map(lines).collect()
}

/// The meaning of the words in the table of operators; only of those that occur.
fn legend(plan: &Plan, is_brief: bool) -> Vec<TextLine> {
    let states = OperatorState::ALL
        .into_iter()
        .filter(|it| plan.operators.iter().any(|op| op.state.values().any(|state| state == it)));
    let states = states.map(|it| (it.as_str(), it.meaning()));
    let is_shown = |word: &&String| word.as_str() != "unknown";
    let mut fits: Vec<Compatibility> = plan
        .operators
        .iter()
        .flat_map(|it| it.compatible.values())
        .filter(is_shown)
        .filter_map(|it| Compatibility::of_plan(it))
        .filter(|it| !is_brief || !it.may_stay())
        .collect();
    fits.sort_unstable();
    fits.dedup();
    let fits = fits.into_iter().map(|it| (it.as_str(), it.meaning()));
    states.chain(fits).flat_map(|(word, meaning)| item("", &format!("{word}: {meaning}"), [])).collect()
}

/// The columns that move below the row of an operator if the terminal has no room for them.
const BELOW: &[&[&str]] = &[&["SUPPORT", "TARGET"], &["INSTALLED"], &["NAMESPACE"]];

fn sheet(plan: &Plan, is_brief: bool) -> Sheet {
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
    sheet.line("Ignored", &skipped.join(", "));
    let mut headers = vec!["NAMESPACE", "PACKAGE", "INSTALLED"];
    headers.extend(metadata.path.iter().map(String::as_str));
    headers.extend(["SUPPORT", "TARGET"]);
    let cell = |operator: &crate::plan::OperatorPlan, minor: &String| {
        let state = operator.state.get(minor).map_or("", |it| it.as_str());
        match operator.compatible.get(minor).and_then(|it| Compatibility::of_plan(it)) {
            None | Some(Compatibility::Unknown) => state.to_owned(),
            Some(fit) if is_brief && fit.may_stay() => state.to_owned(),
            Some(fit) => format!("{state}, {}", fit.as_str()),
        }
    };
    let rows = plan.operators.iter().map(|it| {
        let mut row = vec![it.namespace.clone().unwrap_or_default(), it.package.clone(), it.installed.clone()];
        row.extend(metadata.path.iter().map(|minor| cell(it, minor)));
        let support = if it.support.status == crate::openshift::SupportStatus::NoData {
            String::new()
        } else {
            it.support.words()
        };
        row.extend([support, it.target.clone().unwrap_or_default()]);
        row
    });
    sheet.table_with_below("Operators", &headers, rows.collect(), BELOW);
    sheet.passage("Terms in the table", legend(plan, is_brief));
    sheet.passage("Blockers", blocker_lines(&plan.blockers));
    let decisions = plan.decisions.iter().flat_map(|it| {
        let options = it.options.iter().map(|it| format!("- {it}"));
        let more = std::iter::once(it.text.clone()).chain(options);
        item("", &about(it.code.as_str(), it.subject.as_deref(), it.platform.as_deref()), more)
    });
    sheet.passage("Decisions", decisions.collect());
    sheet.passage("Unknown", unknown_lines(&plan.unknowns));
    let (own, of_people): (Vec<&PlanStep>, Vec<&PlanStep>) = plan.steps.iter().partition(|it| it.is_by_itself());
    sheet.passage("Steps", of_people.into_iter().flat_map(step_lines).collect());
    let own = own.into_iter().flat_map(|it| {
        let notes = it.warnings.iter().map(|it| format!("note: {it}"));
        item(&format!("{}. ", it.number), &it.short_title(), notes)
    });
    sheet.passage(BY_ITSELF, own.collect());
    sheet
}

/// The unknown facts; those of one kind about one version and source together.
fn unknown_lines(unknowns: &[Unknown]) -> Vec<TextLine> {
    let key = |it: &Unknown| (it.code.clone(), it.platform.clone(), it.source.clone());
    let (mut left, mut lines): (Vec<&Unknown>, Vec<TextLine>) = (unknowns.iter().collect(), Vec::new());
    while let Some(first) = left.first().copied() {
        let alike: Vec<&Unknown> = left.extract_if(.., |it| key(it) == key(first)).collect();
        let subjects = alike.iter().filter_map(|it| it.subject.as_deref()).collect::<Vec<_>>().join(", ");
        let subjects = Some(subjects.as_str()).filter(|it| !it.is_empty());
        let mut texts: Vec<String> = alike.iter().map(|it| it.text.clone()).collect();
        texts.dedup();
        lines.extend(item("", &about(first.code.as_str(), subjects, first.platform.as_deref()), texts));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::route_lines;
    use crate::plan::RouteStep;

    #[test]
    fn a_long_chain_is_told_in_short() {
        let step = |n: usize, because: &str| RouteStep {
            bundle: format!("keda.v{n}"),
            catalog: "4.17".to_owned(),
            because: because.to_owned(),
            place: format!("keda.yaml:{n}"),
        };
        let chain = |n: usize| -> Vec<RouteStep> {
            (1..=n).map(|it| step(it, &format!("replaces keda.v{}", it - 1))).collect()
        };
        assert_eq!(route_lines(&chain(3)).len(), 3);
        let mut route = chain(18);
        route.push(step(20, "skipRange <20"));
        let expected = [
            "keda.v1: replaces keda.v0 (keda.yaml:1)",
            "then keda.v2 … keda.v18, upgraded one by one (17 upgrades)",
            "keda.v20: skipRange <20 (keda.yaml:20)",
        ];
        assert_eq!(route_lines(&route), expected);
    }
}
