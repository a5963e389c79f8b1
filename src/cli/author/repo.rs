//! `olmdex repo`

use std::collections::BTreeMap;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::cli::args::choice::{ChoiceOptions, Whole, report};
use crate::cli::args::formats::{FINDINGS, OutputFormat};
use crate::cli::args::operators::operators_of;
use crate::cli::args::words::SourceOption;
use crate::cli::print::findings::print_chosen;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit, unless_reader_left};
use crate::community::{self, Operator, rules};
use crate::diag::baseline::Scope;
use crate::diag::envelope::FindingsMetadata;
use crate::diag::{Finding, Severity, Tally, counted};

/// Check an operator repository such as community-operators
///
/// Its pipelines run the same checks before they take a change.
///
/// These are their static checks: names, required fields, upgrade graphs, OpenShift versions, release configurations.
/// `olmdex check` and `olmdex validate` check bundles and catalogs. Exits with 1 if the pipelines would refuse.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex repo .
  olmdex repo operators/shop --ignore W1507
  olmdex repo operators/shop -o sarif > findings.sarif")]
pub(crate) struct RepoArgs {
    /// Repositories, or directories of operators
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    #[command(flatten)]
    _source_option: SourceOption,
    /// Format of the findings
    #[arg(short, long, value_parser = FINDINGS, default_value = "table")]
    output: OutputFormat,
    /// Give the verdict of another tool, in olmdex's words: one JSON object for each operator
    #[arg(long, value_name = "TOOL")]
    compat: Option<Tool>,
    #[command(flatten)]
    choice: ChoiceOptions,
}

/// Another tool whose output can be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Tool {
    /// The pipelines: each check by its name with its level, and the upgrade graphs as they see them
    OperatorPipelines,
}

pub(crate) fn run(context: &Context, args: &RepoArgs) -> CommandResult {
    let mut operators = Vec::new();
    for directory in &args.directories {
        operators.extend(operators_of(directory)?);
    }
    if args.compat.is_some() {
        args.choice.refuse_with_compat()?;
        return as_pipelines(context, &operators);
    }
    let choice = args.choice.open(context, &args.directories, Whole::Other)?;
    let mut findings = Vec::new();
    for operator in &operators {
        findings.extend(community::findings(operator));
    }
    let chosen = choice.apply(findings, &Scope { rules: rules::ALL, packages: &[], is_whole: false })?;
    let printed = print_chosen(context, args.output, rules::ALL, &chosen, args.choice.all, FindingsMetadata::default());
    unless_reader_left(printed)?;
    report(context, &choice, &chosen);
    if args.output == OutputFormat::Table && !context.reporter.is_quiet() {
        let n_versions: usize = operators.iter().map(|it| it.versions.len()).sum();
        let what =
            format!("{}, {}", counted(operators.len() as u64, "operator"), counted(n_versions as u64, "version"));
        context.reporter.note(&match chosen.tally() {
            Tally { errors: 0, warnings: 0 } => format!("{what}: the pipelines would accept them"),
            tally @ Tally { errors: 0, .. } => format!("{what}: the pipelines would accept them, {tally}"),
            tally => format!("{what}: the pipelines would reject them, {tally}"),
        });
    }
    Ok(if chosen.is_refused() { Exit::No } else { Exit::Yes })
}

/// Levels and words of a check.
type Results = BTreeMap<&'static str, Vec<[String; 2]>>;

/// The findings of the pipelines about an operator.
#[derive(Debug, Serialize)]
struct PipelineReport {
    operator: String,
    bundles: BTreeMap<String, Results>,
    operator_checks: Results,
    update_graph: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    heads: BTreeMap<String, String>,
    default_channel: Option<String>,
}

/// The findings by their checks, sorted.
fn results(findings: Vec<Finding>) -> Results {
    let mut results = Results::new();
    for finding in findings {
        let level = if is_refusal(&finding) { "Fail" } else { "Warn" };
        results.entry(finding.check.unwrap_or_default()).or_default().push([level.to_owned(), finding.message]);
    }
    results.values_mut().for_each(|found| found.sort());
    results
}

fn is_refusal(finding: &Finding) -> bool {
    finding.rule.severity == Severity::Error
}

fn as_pipelines(context: &Context, operators: &[Operator]) -> CommandResult {
    context.reporter.note("messages are olmdex's; names of checks and verdicts are operator-pipelines'");
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut is_refused = false;
    for operator in operators {
        let mut bundles = BTreeMap::new();
        for (number, version) in operator.versions.iter().enumerate() {
            let found = community::check_version(operator, number);
            is_refused |= found.iter().any(is_refusal);
            bundles.insert(version.name.clone(), results(found));
        }
        let of_operator = community::check_operator(operator);
        is_refused |= of_operator.iter().any(is_refusal);
        let report = PipelineReport {
            operator: operator.name.clone(),
            bundles,
            operator_checks: results(of_operator),
            update_graph: community::update_graph_of(operator),
            heads: community::heads(operator),
            default_channel: community::default_channel(operator),
        };
        serde_json::to_writer(&mut out, &report).map_err(std::io::Error::from)?;
        writeln!(out)?;
    }
    out.flush()?;
    Ok(if is_refused { Exit::No } else { Exit::Yes })
}
