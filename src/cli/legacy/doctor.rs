//! `olmdex doctor`

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::choice::{ChoiceOptions, Whole, report};
use crate::cli::args::formats::{FINDINGS, OutputFormat};
use crate::cli::args::legacy_source::{FoundDatabase, PathInImage};
use crate::cli::args::output_file::written_file;
use crate::cli::args::overwrite::refuse_same_file;
use crate::cli::args::sources::source_path;
use crate::cli::args::words::SourceOption;
use crate::cli::print::findings::print_chosen;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::progress::Progress;
use crate::diag::baseline::Scope;
use crate::diag::envelope::FindingsMetadata;
use crate::diag::{Tally, counted};
use crate::legacy::{self, Salvaged};
use olmdex_text::encoding::shell::word;

/// Examine a legacy SQLite catalog for damage
///
/// Shows its schema, its damage, and how a server would treat it; saves what is readable with `--salvage`. Exits with 0
/// if nothing is damaged and all packages can be converted, with 1 if not.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex doctor legacy.db
  olmdex doctor legacy.db -o json
  olmdex doctor legacy.db --strict -q
  olmdex doctor legacy.db --salvage -O saved.db")]
pub(crate) struct DoctorArgs {
    /// The legacy SQLite file, or an image that holds it; `--path PATH` names the file in an image without a label
    #[arg(value_name = "FILE", value_parser = source_path())]
    file: PathBuf,
    #[command(flatten)]
    _source_option: SourceOption,
    #[command(flatten)]
    within: PathInImage,
    /// Save what can be read of a damaged file to the file that `-O` names, and say what is lost
    #[arg(long, requires = "output_file")]
    salvage: bool,
    /// The file to write
    #[arg(short = 'O', long, value_name = "FILE", requires = "salvage", value_parser = written_file())]
    output_file: Option<PathBuf>,
    /// Format of the findings
    #[arg(short, long, value_parser = FINDINGS, default_value = "table")]
    output: OutputFormat,
    #[command(flatten)]
    choice: ChoiceOptions,
}

pub(crate) fn run(context: &Context, args: &DoctorArgs) -> CommandResult {
    let instead = format!("`olmdex validate {}` examines a catalog of files", word(&args.file.to_string_lossy()));
    let found = FoundDatabase::find(context, &args.file, &args.within, &instead)?;
    let choice = args.choice.open(context, std::slice::from_ref(&args.file), Whole::Other)?;
    if let Some(target) = &args.output_file {
        refuse_same_file(&args.file, target, "name another file to write")?;
        interrupt::undo_writes(context);
    }
    let progress = Progress::start(context, format!("examining {}", args.file.display()));
    let mut findings = legacy::examine(&found.file, context.opener.scratch()).map_err(|error| found.called(error))?;
    let mut outcome = None;
    if let Some(target) = &args.output_file {
        let saved = legacy::salvage(&found.file, context.opener.scratch(), target);
        let Salvaged { losses, packages, bundles } = saved.map_err(|error| found.called(error))?;
        let is_whole = losses.is_empty();
        findings.extend(losses);
        let (packages, bundles) = (counted(packages as u64, "package"), counted(bundles as u64, "bundle"));
        let lost = if is_whole { "nothing is lost" } else { "the losses are above" };
        outcome = Some(format!("wrote {}: {packages} and {bundles}; {lost}", target.display()));
    }
    drop(progress);
    let rules = legacy::rules::ALL;
    let chosen = choice.apply(findings, &Scope { rules, packages: &[], is_whole: true })?;
    print_chosen(context, args.output, rules, &chosen, args.choice.all || args.salvage, FindingsMetadata::default())?;
    report(context, &choice, &chosen);
    let tally = chosen.tally();
    if args.output == OutputFormat::Table {
        context.reporter.note(&match tally {
            Tally { errors: 0, warnings: 0 } if !chosen.hidden.is_empty() => "no other faults found".to_owned(),
            Tally { errors: 0, warnings: 0 } => "no faults found".to_owned(),
            _ => format!("found {tally}"),
        });
    }
    if let Some(outcome) = outcome {
        context.reporter.note(&outcome);
    }
    Ok(if chosen.is_refused() { Exit::No } else { Exit::Yes })
}
