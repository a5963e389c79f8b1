//! `olmdex export --legacy`

use std::path::Path;

use crate::check;
use crate::cli::args::formats::OutputFormat;
use crate::cli::args::overwrite::refuse_same_file;
use crate::cli::args::{legacy_source, one_catalog};
use crate::cli::print::findings::print_findings;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::progress::Progress;
use crate::diag::{Finding, Tally};
use crate::legacy::{self, Export};

/// The arguments of `export --legacy`.
pub(super) struct LegacyExportArgs<'a> {
    pub(super) source: &'a Path,
    pub(super) output: &'a Path,
    pub(super) catalog: Option<&'a String>,
    pub(super) strict: bool,
    pub(super) message_format: OutputFormat,
}

pub(super) fn run(context: &Context, args: &LegacyExportArgs<'_>) -> CommandResult {
    refuse_same_file(args.source, args.output, "name another file to write")?;
    let input = one_catalog::open(context, args.source, args.catalog)?;
    let progress = Progress::start(context, format!("writing {}", args.output.display()));
    interrupt::undo_writes(context);
    let mut export = Export::begin(args.output)?;
    export.write(&input)?;
    drop(progress);
    let findings: Vec<Finding> = input.remarks.iter().chain(export.findings()).cloned().collect();
    if args.message_format == OutputFormat::Table {
        legacy_source::report(context, &findings);
    } else {
        let applied = [legacy::rules::ALL.to_vec(), check::all_rules()].concat();
        print_findings(context, args.message_format, &applied, &findings)?;
    }
    let tally = Tally::of(export.findings());
    if !export.is_possible() || (args.strict && tally.warnings > 0) {
        let message = format!("{tally}; {} was not written", args.output.display());
        let error = CommandError::new(Exit::No, message);
        return Err(if export.is_possible() {
            error.help("without `--strict`, olmdex writes the file with these losses")
        } else {
            error.help("`olmdex validate` shows what is wrong with the catalog, and where")
        });
    }
    export.finish()?;
    context.reporter.note(&match tally.warnings {
        0 => format!("wrote {}", args.output.display()),
        1 => format!("wrote {}, with the loss above", args.output.display()),
        n => format!("wrote {}, with {n} losses", args.output.display()),
    });
    Ok(Exit::Yes)
}
