//! `olmdex v1`

use std::borrow::Cow;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::v1_manifests::{manifests, script};
use crate::ask::{Answer, AskError, FleetQuestion, Question as _, ReadinessQuestion, light_builder};
use crate::cli::args::cluster::{Asked, named_cluster};
use crate::cli::args::formats::{CSV, Formats, JSON, JSONL, MARKDOWN, NAMES, OutputFormat, YAML};
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::{AskOptions, SourceOptions, default_source};
use crate::cli::args::upgrade::{ended, told};
use crate::cli::print::fit::wrap;
use crate::cli::print::fleet;
use crate::cli::print::paragraph::write_wrapped;
use crate::cli::print::table::{self, Column, Row, column, wide};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, unless_reader_left};
use crate::cli::terminal::report::paint;
use crate::cli::terminal::screen::screen;
use crate::diag::{counted, printable_line};
use crate::index::LightIndex;
use crate::readiness::{Condition, Conversion, Met, RULES, Readiness, State};

/// Move operators from OLM Classic to OLM v1
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex v1 check --cluster must-gather/
  olmdex v1 check -i my-catalog/ keda
  olmdex v1 check --cluster must-gather/ -o manifests --openshift 4.20")]
pub(crate) struct V1Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Check(CheckArgs),
}

/// Check which operators can move to OLM v1, and why the others cannot
///
/// With `--cluster`: its Subscriptions, each with all conditions of the migration. Without: the packages of catalogs,
/// each by the head of its default channel, with the conditions that a bundle decides. Exits with 1 if one of them
/// cannot move, or if that is not known.
///
/// With `--fleet DIR`, each file, archive or directory directly in DIR is a cluster: there is one row for each, and the
/// waves in which they can move, as in `olmdex plan --fleet`. A cluster that cannot be read is a row with its error;
/// then the exit code is 3.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex v1 check --cluster must-gather/
  olmdex v1 check -i my-catalog/ keda --explain
  olmdex v1 check --cluster must-gather/ --acknowledge watch-scope-change -o script
  olmdex v1 check --fleet clusters/ -i my-catalog/")]
struct CheckArgs {
    #[command(flatten)]
    question: ReadinessQuestion,
    /// Manifests of a cluster, as `kubectl get -o yaml` or a must-gather has them: a file, a directory or `-`; or `@`
    /// and a context, which `oc` or `kubectl` read; may be repeated
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT")]
    cluster: Vec<PathBuf>,
    /// A directory of many clusters, each a must-gather, an archive or a file of manifests
    #[arg(long, value_name = "DIR", conflicts_with_all = ["names", "cluster", "explain"])]
    fleet: Option<PathBuf>,
    #[command(flatten)]
    source_map: SourceMapOption,
    /// Show every condition with its place, not only the deciding ones
    #[arg(long)]
    explain: bool,
    /// Output format
    #[arg(short, long, value_parser = FORMATS, default_value = "table")]
    output: OutputFormat,
    #[command(flatten)]
    sources: SourceOptions,
}

const FORMATS: Formats = Formats(&[
    (OutputFormat::Table, "A verdict for each operator, with its reasons"),
    (OutputFormat::Wide, "One row per operator"),
    JSON,
    JSONL,
    YAML,
    NAMES,
    CSV,
    MARKDOWN,
    (OutputFormat::Manifests, "The ClusterCatalogs and ClusterExtensions of the operators that can move"),
    (OutputFormat::Script, "A shell script that moves the operators step by step, and can move them back"),
]);

impl CheckArgs {
    /// Whether it prints what moves operators, not the verdict on them.
    fn makes_objects(&self) -> bool {
        matches!(self.output, OutputFormat::Manifests | OutputFormat::Script)
    }
}

impl Row for Readiness {
    const KIND: &'static str = ReadinessQuestion::KIND;

    const COLUMNS: &'static [Column<Self>] = &[
        column("STATE", |it| it.state.as_str().into()),
        column("PACKAGE", |it| Cow::from(&it.package)),
        column("SUBSCRIPTION", |it| Cow::from(it.subscription.as_deref().unwrap_or_default())),
        wide("CATALOG", |it| Cow::from(it.catalog.as_deref().unwrap_or_default())),
        column("VERSION", |it| Cow::from(&it.version)),
        column("CONDITIONS", |it| {
            let open = it.conditions.iter().filter(|it| it.decides());
            open.map(|it| it.id).collect::<Vec<_>>().join(",").into()
        }),
        column("BECAUSE", |it| Cow::from(&it.reason)),
        wide("DEPENDS ON", |it| it.depends_on.join(",").into()),
    ];

    fn name(&self) -> String {
        self.subscription.clone().unwrap_or_else(|| self.package.clone())
    }
}

pub(crate) fn run(context: &Context, args: &V1Args) -> CommandResult {
    match &args.verb {
        Verb::Check(args) => check(context, args),
    }
}

/// Many clusters in one table.
fn of_fleet(context: &Context, args: &CheckArgs, directory: &Path) -> CommandResult {
    if args.makes_objects() {
        let error = CommandError::usage("manifests and scripts are for one cluster only");
        return Err(error.help("name one of them with `--cluster`"));
    }
    let sources = args.sources.of_catalogs(&args.question.catalog);
    let index = index(context, args, &sources, true)?;
    let state = args.source_map.state(&index, &sources, None);
    let question = FleetQuestion::Readiness(Box::new(args.question.clone()), state);
    fleet::run(context, directory, question, args.output)
}

fn check(context: &Context, args: &CheckArgs) -> CommandResult {
    if let Some(directory) = &args.fleet {
        return of_fleet(context, args, directory);
    }
    let has_cluster = !args.cluster.is_empty();
    if args.makes_objects() && !has_cluster {
        let error = CommandError::usage(
            "olmdex makes manifests and scripts from the Subscriptions of a cluster, and no cluster is given",
        );
        return Err(error.help(
            "name its manifests with `--cluster`; `olmdex mirror filter -o cluster-extension` makes ClusterExtensions from a \
            catalog",
        ));
    }
    let cluster = named_cluster(context, &args.cluster, Asked::Operators)?;
    let sources = args.sources.of_catalogs(&args.question.catalog);
    let index = index(context, args, &sources, has_cluster)?;
    let state = args.source_map.state(&index, &sources, cluster.as_ref());
    let (answer, conversion) = args.question.ask_converting(&state);
    let Answer { items, verdict, .. } = told(context, answer)?;
    match args.output {
        OutputFormat::Table => {
            unless_reader_left(print_for_people(&items, args.explain).map_err(CommandError::from))?;
        }
        OutputFormat::Manifests | OutputFormat::Script => {
            report_staying(context, &items, &conversion);
            let text = match args.output {
                OutputFormat::Script => script(&conversion),
                _ => manifests(&conversion, args.question.openshift_of(cluster.as_ref().map(|it| &it.0))),
            };
            unless_reader_left(std::io::stdout().write_all(text.as_bytes()).map_err(CommandError::from))?;
        }
        format => table::print(items, &table::RowOptions::of(format))?,
    }
    ended(context, verdict)
}

/// Reports the losses of the objects for the operators that can move, and the operators that are missing from them.
fn report_staying(context: &Context, items: &[Readiness], conversion: &Conversion) {
    conversion.warnings.iter().for_each(|it| context.reporter.warning(it));
    let staying = items.iter().filter(|it| !it.state.is_good()).count();
    if staying > 0 {
        context.reporter.warning(&format!(
            "{} left out of the output; without `-o`, the command shows why",
            are(staying, "Subscription")
        ));
    }
}

fn are(n: usize, what: &str) -> String {
    format!("{} {}", counted(n as u64, what), if n == 1 { "is" } else { "are" })
}

/// The catalogs. A cluster can be judged without them, except for the question whether they serve its packages.
fn index(
    context: &Context,
    args: &CheckArgs,
    sources: &AskOptions,
    has_cluster: bool,
) -> Result<LightIndex, CommandError> {
    if has_cluster && !sources.is_given() && default_source().is_err() {
        return Ok(light_builder().into_index().map_err(AskError::from)?);
    }
    let names: &[String] = if has_cluster { &[] } else { &args.question.names };
    sources.refuse_paths(names)?;
    sources.open_light(context)
}

/// The width of texts if that of the terminal is unknown.
const WIDTH: usize = 80;

fn print_for_people(items: &[Readiness], explains: bool) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let width = screen().width.unwrap_or(WIDTH).min(WIDTH);
    let has_details = |it: &Readiness| explains || !details(it, false).is_empty() || !it.warnings.is_empty();
    // Conditions that many operators share are explained once.
    let says_once = !explains && items.len() > 1;
    for (idx, item) in items.iter().enumerate() {
        let before = idx.checked_sub(1).and_then(|it| items.get(it));
        // Operators without details are printed without a blank line between them.
        if before.is_some_and(|it| has_details(it) || has_details(item)) {
            writeln!(out)?;
        }
        print_item(&mut out, item, explains, says_once, width)?;
    }
    if says_once {
        print_ways_out(&mut out, items, width)?;
    }
    let summary = summary(items);
    writeln!(out)?;
    for line in wrap(&summary, width) {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

/// Prints the ways out of the shown conditions, each once.
fn print_ways_out(out: &mut impl std::io::Write, items: &[Readiness], width: usize) -> std::io::Result<()> {
    let mut ways: Vec<(&Condition, String)> = Vec::new();
    for condition in items.iter().flat_map(|it| details(it, false)).filter(|it| it.decides()) {
        let acknowledge = condition.acknowledgement.map(|it| format!("--acknowledge {}", it.as_str()));
        let words: Vec<String> = condition.way_out.iter().cloned().chain(acknowledge).collect();
        let words = words.join(", or ");
        if !words.is_empty() && !ways.iter().any(|it| it.0.id == condition.id && it.1 == words) {
            ways.push((condition, words));
        }
    }
    if ways.is_empty() {
        return Ok(());
    }
    let place = |it: &Condition| RULES.iter().position(|rule| rule.id == it.id);
    ways.sort_by_key(|it| place(it.0));
    writeln!(out, "\n{}", paint(screen().color, "1", "Fixes:"))?;
    for (condition, words) in ways {
        write_wrapped(out, &format!("  {:<4}", condition.id), "      ", &words, width)?;
    }
    Ok(())
}

fn print_item(
    out: &mut impl std::io::Write,
    item: &Readiness,
    explains: bool,
    says_once: bool,
    width: usize,
) -> std::io::Result<()> {
    let Readiness { package, version, subscription, catalog, state, .. } = item;
    let color = match state {
        State::Conflict | State::Ineligible => "31",
        State::NotKnown => "33",
        State::AlreadyMigrated | State::Eligible => "32",
    };
    let what =
        [package.as_str(), version.as_str()].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ");
    let from = match (subscription, catalog) {
        (Some(subscription), _) => format!(" (Subscription {subscription})"),
        (None, Some(catalog)) => format!(" ({catalog})"),
        (None, None) => String::new(),
    };
    let screen = screen();
    let verdict = paint(screen.color, color, state.as_str());
    let head = printable_line(&format!("{what}{from}")).into_owned();
    writeln!(out, "{}: {verdict}", paint(screen.color, "1", &head))?;
    let shown = details(item, explains);
    if item.state == State::Conflict || (shown.is_empty() && !item.state.is_good()) {
        write_wrapped(out, "  ", "  ", &item.reason, width)?;
    }
    for condition in shown {
        print_condition(out, condition, explains, says_once, width)?;
    }
    for warning in &item.warnings {
        write_wrapped(out, "  ", "    ", &format!("note: {warning}"), width)?;
    }
    Ok(())
}

fn print_condition(
    out: &mut impl std::io::Write,
    condition: &Condition,
    explains: bool,
    says_once: bool,
    width: usize,
) -> std::io::Result<()> {
    const INDENT: &str = "      ";
    const MORE: &str = "        ";
    let acknowledged = if condition.is_acknowledged { " (acknowledged)" } else { "" };
    let verdict = condition.verdict.as_str();
    let first = format!("  {:<4}", condition.id);
    if explains {
        let text = format!("{verdict}{acknowledged}: {}", condition.condition);
        write_wrapped(out, &first, INDENT, &text, width)?;
        write_wrapped(out, INDENT, INDENT, &condition.reason, width)?;
    } else {
        let known = if condition.verdict == Met::NotKnown { "not known: " } else { "" };
        let acknowledged = if condition.is_acknowledged { "acknowledged: " } else { "" };
        write_wrapped(out, &first, INDENT, &format!("{acknowledged}{known}{}", condition.reason), width)?;
    }
    if !condition.depends_on.is_empty() {
        let packages = condition.depends_on.join(", ");
        write_wrapped(out, INDENT, MORE, &format!("depends on: {packages}"), width)?;
    }
    if let Some(place) = condition.place.as_ref().filter(|_| explains) {
        write_wrapped(out, INDENT, MORE, &format!("at {place}"), width)?;
    }
    if !condition.decides() || says_once {
        return Ok(());
    }
    if let Some(way_out) = &condition.way_out {
        write_wrapped(out, INDENT, MORE, &format!("fix: {way_out}"), width)?;
    }
    if let Some(word) = condition.acknowledgement {
        write_wrapped(out, INDENT, MORE, &format!("or: --acknowledge {}", word.as_str()), width)?;
    }
    Ok(())
}

/// The conditions that are shown: all, or those that decide.
fn details(item: &Readiness, explains: bool) -> Vec<&Condition> {
    let is_shown = |it: &&Condition| match item.state {
        _ if explains => true,
        State::Conflict => false,
        State::Ineligible => it.decides() && it.verdict == Met::No,
        State::NotKnown => it.decides(),
        State::AlreadyMigrated | State::Eligible => it.is_acknowledged,
    };
    item.conditions.iter().filter(is_shown).collect()
}

/// The number of operators in each state, and the unknown facts of many.
fn summary(items: &[Readiness]) -> String {
    let count = |state: State| items.iter().filter(|it| it.state == state).count();
    let states = [State::Conflict, State::Ineligible, State::NotKnown, State::AlreadyMigrated, State::Eligible];
    let parts: Vec<String> =
        states.iter().filter(|it| count(**it) > 0).map(|it| format!("{} {}", count(*it), it.as_str())).collect();
    let mut text = parts.join(", ");
    let is_open = |it: &Readiness| {
        it.state == State::Eligible && it.conditions.iter().any(|it| it.verdict == Met::NotKnown && !it.is_acknowledged)
    };
    let n_open = items.iter().filter(|it| is_open(it)).count();
    if n_open > 0 {
        text.push_str(&format!(
            "; C5 is unknown for {n_open} of the eligible: the catalog does not hold the RBAC of bundles"
        ));
    }
    text
}
