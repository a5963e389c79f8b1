//! A step of maintenance on a legacy file: the place of the result, and the messages about it.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::legacy_source::{FoundDatabase, PathInImage};
use crate::cli::args::output_file::OutputFile;
use crate::cli::args::overwrite::refuse_same_file;
use crate::cli::args::sources::source_path;
use crate::cli::args::words::SourceOption;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::progress::Progress;
use crate::diag::counted;
use crate::file::Scratch;
use crate::legacy::{Destination, Done, Edit, LegacyError};
use olmdex_text::encoding::shell::word;

/// The file, and the place of the result.
#[derive(Debug, Args)]
pub(super) struct FileArgs {
    /// The legacy SQLite file, or an image that holds it: `docker://IMAGE`, `oci:DIR[:TAG]`, or an archive; `--path
    /// PATH` names the file in an image without a label
    #[arg(value_name = "FILE", value_parser = source_path())]
    pub(super) file: PathBuf,
    #[command(flatten)]
    _source_option: SourceOption,
    #[command(flatten)]
    within: PathInImage,
    #[command(flatten)]
    pub(super) output: OutputFile,
    /// Change the file itself, in one transaction
    #[arg(long, conflicts_with_all = ["output_file", "output"])]
    pub(super) in_place: bool,
    /// Print the changes, and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Go on with a warning if the request cannot be fulfilled completely
    #[arg(long)]
    pub(super) permissive: bool,
}

impl FileArgs {
    /// The file as a word of a command.
    pub(super) fn shown(&self) -> String {
        word(&self.file.to_string_lossy())
    }
}

/// The catalog that a step begins with.
pub(super) struct Catalog<'a> {
    /// The help if the catalog is not a legacy one: the command that does the step.
    pub(super) instead: &'a str,
    /// Whether a file that does not exist becomes a new catalog, as opm has it.
    pub(super) may_be_new: bool,
}

pub(super) fn change(
    context: &Context,
    args: &FileArgs,
    catalog: Catalog<'_>,
    step: impl FnOnce(&mut Edit) -> Result<(), LegacyError>,
) -> CommandResult {
    let output = args.output.path()?;
    if output.is_none() && !args.in_place && !args.dry_run {
        let error = CommandError::usage("no output file given");
        return Err(error.help("name a new one with `-O FILE`, or change the file itself with `--in-place`"));
    }
    let scratch = match args.dry_run {
        true => Some(Scratch::make(context.opener.scratch()).map_err(LegacyError::from)?),
        false => None,
    };
    let destination = match (&scratch, output) {
        (Some(scratch), _) => Destination::File(scratch.path().join("dry-run.db")),
        (None, Some(path)) => {
            refuse_same_file(&args.file, path, "name another file to write, or use `--in-place`")?;
            Destination::File(path.to_owned())
        }
        (None, None) => Destination::InPlace,
    };
    let found = FoundDatabase::find(context, &args.file, &args.within, catalog.instead)?;
    if found.is_in_image() && destination == Destination::InPlace {
        let message = format!("`--in-place` changes a file, and `{}` is an image", args.file.display());
        return Err(
            CommandError::usage(message).help("write a file with `-O FILE`, and send it with `olmdex image push`")
        );
    }
    let shown = output.unwrap_or(&args.file).display().to_string();
    let _progress = Progress::start(context, format!("writing {shown}"));
    let is_new = destination == Destination::InPlace && catalog.may_be_new && !found.file.exists();
    if destination != Destination::InPlace || is_new {
        interrupt::undo_writes(context);
    }
    let begun = match is_new {
        true => Edit::begin_new(&found.file),
        false => Edit::begin(&found.file, context.opener.scratch(), &destination),
    };
    let is_absent = catalog.may_be_new && !found.file.exists();
    let mut edit = begun.map_err(|error| match found.called(error) {
        error if is_absent && !is_new => error.help("`--in-place` begins a new catalog in a file that does not exist"),
        error => error,
    })?;
    step(&mut edit).map_err(|error| {
        let has_own_help = matches!(error, LegacyError::NotAdded(_));
        let error = found.called(error);
        if !matches!(error.exit, Exit::No | Exit::NotFound) || has_own_help {
            return error;
        }
        let meant = error.help.as_ref().map(|it| format!("{it} ")).unwrap_or_default();
        error.help(format!("{meant}`--permissive` skips it; nothing was written"))
    })?;
    let done = edit.finish().map_err(|error| found.called(error))?;
    let outcome = if args.dry_run { "dry run: no file was written".to_owned() } else { format!("wrote {shown}") };
    report(context, &outcome, &done);
    Ok(Exit::Yes)
}

fn report(context: &Context, outcome: &str, done: &Done) {
    for text in &done.passed_over {
        context.reporter.warning(text);
    }
    for (word, package) in &done.kept_whole {
        context
            .reporter
            .note(&format!("`{word}` is a part of package `{package}`, and this command keeps whole packages only"));
    }
    for name in &done.stranded {
        let text = format!("bundle `{name}` is no longer in any channel");
        context.reporter.warning(&text);
    }
    for (package, channel) in &done.channels {
        context.reporter.warning(&format!("package `{package}` no longer has channel `{channel}`"));
    }
    for name in &done.added {
        let what = if done.overwritten.contains(name) { "overwrote" } else { "added" };
        context.reporter.detail(&format!("{what} bundle `{name}`"));
    }
    for (what, names) in [("package", &done.packages), ("bundle", &done.bundles), ("deprecated", &done.deprecated)] {
        for name in names {
            context.reporter.detail(&if what == "deprecated" {
                format!("deprecated `{name}`")
            } else {
                format!("removed {what} `{name}`")
            });
        }
    }
    let count = |n: usize, what: &str| counted(n as u64, what);
    let deprecated = match done.deprecated.len() {
        0 => String::new(),
        n => format!("deprecated {}, ", count(n, "bundle")),
    };
    if !done.added.is_empty() {
        let added = count(done.added.len(), "bundle");
        context.reporter.note(&format!("added {added}; {outcome}"));
        return;
    }
    let removed = match (done.packages.len(), done.bundles.len()) {
        (0, 0) => "nothing".to_owned(),
        (0, bundles) => count(bundles, "bundle"),
        (packages, bundles) => format!("{} and {}", count(packages, "package"), count(bundles, "bundle")),
    };
    context.reporter.note(&format!("{deprecated}removed {removed}; {outcome}"));
}
