//! `olmdex doctor`

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::choice::{ChoiceOptions, Whole, report};
use crate::cli::args::formats::{FINDINGS, OutputFormat};
use crate::cli::args::legacy_source;
use crate::cli::args::sources::source_path;
use crate::cli::args::words::SourceOption;
use crate::cli::print::findings::print_chosen;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandResult, Exit};
use crate::cli::terminal::progress::Progress;
use crate::diag::Tally;
use crate::diag::baseline::Scope;
use crate::diag::envelope::FindingsMetadata;
use crate::legacy;

/// Examine a legacy SQLite catalog for damage
///
/// Shows its schema, its damage, and how a server would treat it. Exits with 0 if nothing is damaged and all packages
/// can be converted, with 1 if not.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex doctor legacy.db
  olmdex doctor legacy.db -o json
  olmdex doctor legacy.db --strict -q")]
pub(crate) struct DoctorArgs {
    /// The legacy SQLite file
    #[arg(value_name = "FILE", value_parser = source_path())]
    file: PathBuf,
    #[command(flatten)]
    _source_option: SourceOption,
    /// Format of the findings
    #[arg(short, long, value_parser = FINDINGS, default_value = "table")]
    output: OutputFormat,
    #[command(flatten)]
    choice: ChoiceOptions,
}

pub(crate) fn run(context: &Context, args: &DoctorArgs) -> CommandResult {
    legacy_source::refuse_index(&args.file)?;
    let choice = args.choice.open(context, std::slice::from_ref(&args.file), Whole::Other)?;
    let progress = Progress::start(context, format!("examining {}", args.file.display()));
    let findings = legacy::examine(&args.file, context.opener.scratch())?;
    drop(progress);
    let rules = legacy::rules::ALL;
    let chosen = choice.apply(findings, &Scope { rules, packages: &[], is_whole: true })?;
    print_chosen(context, args.output, rules, &chosen, args.choice.all, FindingsMetadata::default())?;
    report(context, &choice, &chosen);
    let tally = chosen.tally();
    if args.output == OutputFormat::Table {
        context.reporter.note(&match tally {
            Tally { errors: 0, warnings: 0 } if !chosen.hidden.is_empty() => "no other faults found".to_owned(),
            Tally { errors: 0, warnings: 0 } => "no faults found".to_owned(),
            _ => format!("found {tally}"),
        });
    }
    Ok(if chosen.is_refused() { Exit::No } else { Exit::Yes })
}
