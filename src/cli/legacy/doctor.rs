//! `olmdex doctor`

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::legacy_source;
use crate::cli::print::findings::{FindingFormat, print_findings};
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::cli::speak::progress::Progress;
use crate::diag::Tally;
use crate::legacy;

/// Examine a legacy SQLite catalog for damage
///
/// Shows its schema, what is damaged, and what a server would do with it.
/// Exits with 0 if nothing is damaged and all packages can be converted, with 1 if not.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex doctor legacy.db
  olmdex doctor legacy.db -o json
  olmdex doctor legacy.db --strict -q")]
pub(crate) struct DoctorArgs {
    /// The legacy SQLite file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Format of the findings
    #[arg(short, long, value_enum, default_value_t = FindingFormat::Text)]
    output: FindingFormat,
    /// Exit with 1 for warnings too
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(context: &Context, args: &DoctorArgs) -> CommandResult {
    if args.output == FindingFormat::Yaml {
        return Err(CommandError::usage("findings are written as text, json, sarif or github"));
    }
    legacy_source::refuse_index(&args.file)?;
    let progress = Progress::start(context, format!("examining {}", args.file.display()));
    let findings = legacy::examine(&args.file, &context.scratch)?;
    drop(progress);
    print_findings(context, args.output, legacy::rules::ALL, &findings)?;
    let tally = Tally::of(&findings);
    if args.output == FindingFormat::Text {
        context.reporter.note(&match tally {
            Tally { errors: 0, warnings: 0 } => "nothing is wrong".to_owned(),
            _ => format!("found {tally}"),
        });
    }
    let is_ill = tally.errors > 0 || (args.strict && tally.warnings > 0);
    Ok(if is_ill { Exit::No } else { Exit::Yes })
}
