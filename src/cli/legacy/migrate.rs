//! `olmdex migrate`

use crate::cli::args::formats::{Compat, FINDINGS, MigrateLevel, OutputFormat, blob_format};
use crate::cli::args::sources::source_path;
use crate::cli::args::words::SourceOption;
use std::path::PathBuf;

use clap::Args;

use crate::cli::args::choice::{ChoiceOptions, Whole, report};
use crate::cli::args::legacy_source::{self, FoundDatabase, PathInImage, is_legacy};
use crate::cli::args::one_catalog;
use crate::cli::args::overwrite::refuse_inside;
use crate::cli::print::findings::print_chosen;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::progress::Progress;
use crate::compose::Choice;
use crate::diag::baseline::Scope;
use crate::diag::envelope::FindingsMetadata;
use crate::diag::{Severity, Tally, counted, grouped};
use crate::fbc::{Format, Input, Rendering, Selection, Sorted};
use crate::file::NewDirectory;
use crate::legacy::{self, Migrated, Migration, MigrationOptions, package_file};

/// Convert a legacy SQLite catalog, or any other, to files
///
/// The directory appears whole, or not at all. The source is never changed, whatever its schema. Losses of the
/// conversion are reported on standard error; `--prove` reads both sides back and accounts for every row.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex migrate legacy.db catalog/
  olmdex migrate legacy.db catalog/ --migrate-level bundle-object-to-csv-metadata -o yaml
  olmdex migrate legacy.db catalog/ --keep-going --prove")]
pub(crate) struct MigrateArgs {
    /// The catalog: a legacy SQLite file, a directory, a file, an image, an index.db, or `-` for standard input;
    /// `--path PATH` names the SQLite file in an image without a label
    #[arg(value_name = "SOURCE", value_parser = source_path())]
    source: PathBuf,
    #[command(flatten)]
    _source_option: SourceOption,
    #[command(flatten)]
    within: PathInImage,
    /// The directory to write, which must be empty or absent
    #[arg(value_name = "OUTDIR")]
    directory: PathBuf,
    /// Format of the files
    #[arg(short, long, value_parser = blob_format(), default_value = "json")]
    output: Format,
    /// How to store manifests in bundles
    #[arg(long, value_enum, default_value_t = MigrateLevel::None, value_name = "LEVEL")]
    migrate_level: MigrateLevel,
    /// Which catalog of an index
    #[arg(long, value_name = "NAME")]
    catalog: Option<String>,
    /// Leave out packages that cannot be converted, instead of writing nothing
    #[arg(short, long)]
    keep_going: bool,
    /// Read both sides back, compare them, and report what was lost, by name
    #[arg(long)]
    prove: bool,
    /// Read an old schema as another tool does
    #[arg(long, value_name = "TOOL")]
    compat: Option<Compat>,
    /// Format of the report of `--prove`
    #[arg(long, value_parser = FINDINGS, default_value = "table", value_name = "FORMAT")]
    message_format: OutputFormat,
    #[command(flatten)]
    choice: ChoiceOptions,
}

pub(crate) fn run(context: &Context, args: &MigrateArgs) -> CommandResult {
    if args.choice.is_given() && !args.prove {
        let error = CommandError::usage("without `--prove` there are no findings to choose from");
        return Err(error.help("add `--prove`"));
    }
    interrupt::undo_writes(context);
    let opener = context.opener.with_database(None);
    let found = FoundDatabase::look(context, &args.source, &args.within, opener)?;
    if let Some(found) = found.filter(|found| is_legacy(&found.file)) {
        if args.catalog.is_some() {
            let message = format!("`--catalog` chooses from an index, and `{}` is not one", args.source.display());
            return Err(CommandError::usage(message));
        }
        return migrate_legacy(context, args, &found);
    }
    if args.prove || args.compat.is_some() {
        let message = format!("`{}` is not a legacy catalog", args.source.display());
        return Err(CommandError::usage(message).help("`--prove` and `--as` are for legacy catalogs"));
    }
    refuse_inside(&args.source, &args.directory)?;
    migrate_files(context, args)
}

fn migrate_legacy(context: &Context, args: &MigrateArgs, found: &FoundDatabase) -> CommandResult {
    let choice = match args.prove {
        true => args.choice.open(context, std::slice::from_ref(&args.source), Whole::Other)?,
        false => Choice::default(),
    };
    let options =
        MigrationOptions { format: args.output, level: args.migrate_level.into(), keep_going: args.keep_going };
    let migration = Migration::begin(&args.directory, options)?;
    let progress = Progress::start(context, format!("migrating {}", args.source.display()));
    let catalog = legacy_source::open(context, &found.file, args.compat).map_err(|error| found.called(error))?;
    let Migrated { n_files, left_out } = migration.run(&catalog).map_err(|error| found.called(error))?;
    drop(progress);
    let mut exit = Exit::Yes;
    let problems = || catalog.problems().iter().chain(&left_out);
    if problems().next().is_some() {
        legacy_source::left_out(context, problems());
        exit = Exit::No;
    }
    context.reporter.note(&format!("wrote {} to {}", counted(n_files as u64, "package"), args.directory.display()));
    if args.prove {
        let _progress = Progress::start(context, "reading both sides again".to_owned());
        let blobs = Input::directory(&args.directory)?;
        let findings = legacy::prove(catalog.file(), legacy_source::fidelity(args.compat), problems(), &blobs)
            .map_err(|error| found.called(error))?;
        let rules = legacy::rules::ALL;
        // The verdict of the proof counts all findings, not only the chosen ones.
        let tally = Tally::of(&findings);
        let chosen = choice.apply(findings, &Scope { rules, packages: &[], is_whole: true })?;
        print_chosen(context, args.message_format, rules, &chosen, args.choice.all, FindingsMetadata::default())?;
        report(context, &choice, &chosen);
        context.reporter.note(&proved(tally));
        if tally.errors > 0 || chosen.is_refused() {
            exit = Exit::No;
        }
    }
    Ok(exit)
}

/// The verdict of the proof.
fn proved(tally: Tally) -> String {
    match tally {
        Tally { errors: 0, warnings: 0 } => "proved: both sides hold the same".to_owned(),
        Tally { errors: 0, warnings: 1 } => "proved: both sides hold the same, except for the loss above".to_owned(),
        Tally { errors: 0, warnings } => {
            format!("proved: both sides hold the same, except for the {} losses above", grouped(warnings as u64))
        }
        _ => format!("not proved: {tally}"),
    }
}

/// Any other catalog: rendered, and cut by package.
fn migrate_files(context: &Context, args: &MigrateArgs) -> CommandResult {
    let input = one_catalog::open(context, &args.source, args.catalog.as_ref())?;
    let progress = Progress::start(context, format!("reading {}", args.source.display()));
    legacy_source::report(context, &input.remarks);
    let mut n_broken = input.remarks.iter().filter(|it| it.rule.severity == Severity::Error).count();
    let selection = Selection { packages: &[] };
    let expansion = crate::json::Expansion::default();
    let level = args.migrate_level.into();
    let how = Rendering { format: args.output, level, selection, expansion: &expansion };
    let mut sorted = Sorted::new(how);
    let defects = sorted.read(&input);
    drop(progress);
    crate::cli::print::defects::report(context, &input, &defects);
    n_broken += defects.len();
    if n_broken > 0 && !args.keep_going {
        return Err(CommandError::new(Exit::Input, format!("`{}` cannot be read", args.source.display())));
    }
    let mut directory = NewDirectory::begin(&args.directory)?;
    let extension = how.format.extension();
    sorted.write(|package, text| {
        let file = match package {
            "" => PathBuf::from(format!("catalog.{extension}")),
            package => package_file(package, extension)?,
        };
        directory.write(&file, text).map_err(CommandError::from)
    })?;
    let n_files = directory.finish()?;
    context.reporter.note(&format!("wrote {} to {}", counted(n_files as u64, "file"), args.directory.display()));
    Ok(if n_broken > 0 { Exit::No } else { Exit::Yes })
}

#[cfg(test)]
mod tests {
    use super::{Tally, proved};

    #[test]
    fn numbers_are_written_as_elsewhere() {
        assert!(proved(Tally { errors: 0, warnings: 2437 }).ends_with("except for the 2,437 losses above"));
    }
}
