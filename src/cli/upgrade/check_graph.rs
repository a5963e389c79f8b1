//! `olmdex check-graph`

use std::path::{Path, PathBuf};

use clap::Args;

use crate::ask::{GraphCheckAnswer, GraphCheckQuestion};
use crate::check;
use crate::cli::args::choice::{ChoiceOptions, Whole, report, report_unchecked, select_help};
use crate::cli::args::formats::{FINDINGS, OutputFormat};
use crate::cli::args::judged::{judged, older};
use crate::cli::args::name::whole_package;
use crate::cli::args::sources::AskOptions;
use crate::cli::print::findings::{print_chosen, unopened};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit, unless_reader_left};
use crate::diag::baseline::Scope;
use crate::diag::envelope::FindingsMetadata;
use crate::diag::{Finding, Rule, Severity};
use crate::upgrade::rules;

/// Check that every version can be upgraded, and that upgrade graphs make sense
///
/// With `--old`, the report has only what is new against an older catalog: versions that could be upgraded there and
/// cannot be any more, channels that are gone, and other findings that the older catalog does not have. Errors that
/// make a catalog invalid for `validate` are findings here too. Exits with 1 if there are findings, warnings included,
/// and if a package could not be checked because it is invalid, even if its errors are hidden. `olmdex explain W0802`
/// explains a rule.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex check-graph keda
  olmdex check-graph -i my-catalog/ -o sarif > findings.sarif
  olmdex check-graph -i my-catalog/ --old old-catalog/
  olmdex check-graph -i my-catalog/ --ignore W0805 --all")]
pub(crate) struct CheckGraphArgs {
    /// The packages; without one, all of them
    #[arg(value_name = "PKG")]
    packages: Vec<String>,
    /// Older catalog: show only what is new against it
    #[arg(long, value_name = "SOURCE")]
    old: Option<PathBuf>,
    #[command(flatten)]
    ask: AskOptions,
    /// Format of the findings
    #[arg(short, long, value_parser = FINDINGS, default_value = "table")]
    output: OutputFormat,
    #[command(flatten)]
    choice: ChoiceOptions,
}

pub(crate) fn run(context: &Context, args: &CheckGraphArgs) -> CommandResult {
    args.ask.refuse_paths(&args.packages)?;
    let sources: Vec<PathBuf> = args.ask.sources()?.into_iter().map(|it| it.path).collect();
    let choice = args.choice.open(context, &sources, Whole::Catalogs)?;
    let failed = |source: &Path, error| unopened(args.output, rules::ALL, &[], source, error);
    let first = sources.first().cloned().unwrap_or_default();
    let now = judged(context, &args.ask).map_err(|error| failed(&first, error))?;
    let of_path = |path: &PathBuf| older(context, path).map_err(|error| failed(path, error));
    let old = args.old.as_ref().map(of_path).transpose()?;
    let packages = args.packages.iter().map(|it| whole_package(context, &now.index, it)).collect::<Result<_, _>>()?;
    let question = GraphCheckQuestion { packages, catalogs: args.ask.catalog.clone() };
    let GraphCheckAnswer { findings, unchecked, is_blank } = question.answer(now, old.as_ref())?;
    let errors = check::all_rules().into_iter().filter(|it| it.severity == Severity::Error);
    let applied: Vec<&Rule> = rules::ALL.iter().copied().chain(errors).collect();
    let is_whole = args.ask.catalog.is_empty();
    let scope = Scope { rules: &applied, packages: &question.packages, is_whole };
    let chosen = choice.apply(findings, &scope)?;
    let printed = print_chosen(context, args.output, &applied, &chosen, args.choice.all, FindingsMetadata::default());
    unless_reader_left(printed)?;
    report(context, &choice, &chosen);
    if is_blank {
        // A pipeline that checks nothing must not pass.
        let error = CommandError::new(Exit::No, "nothing to check: the catalog holds no documents");
        return Err(error.help("name the directory or the file of the catalog with `-i`"));
    }
    let is_blocking = |it: &Finding| it.rule.severity == Severity::Error || it.rule.id == rules::NO_ORDER.id;
    let is_shown = |of: &Finding| chosen.findings.iter().any(|it| is_blocking(it) && it.package == of.package);
    let blocks = |it: &&Finding| is_blocking(it) && !is_shown(it);
    let is_hidden = report_unchecked(context, chosen.unselected.iter().filter(blocks), select_help);
    let in_old = |_: &str| "the older catalog has the same errors: `olmdex validate` shows them".to_owned();
    let is_unchecked = report_unchecked(context, unchecked.iter(), in_old) || is_hidden;
    Ok(if chosen.findings.iter().any(Finding::counts) || is_unchecked { Exit::No } else { Exit::Yes })
}
