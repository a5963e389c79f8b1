//! `olmdex legacy`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::args::legacy_source;
use crate::cli::args::overwrite::refuse_same_file;
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::cli::speak::interrupt;
use crate::cli::speak::progress::Progress;
use crate::diag::counted;
use crate::legacy::{Destination, Done, Edit, LegacyError};

/// Remove, prune or deprecate in a legacy SQLite catalog, as `opm registry` did
///
/// Each step is one transaction. The result is a new file, or the file itself with `--in-place`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex legacy rm legacy.db -p keda,prometheus -o smaller.db
  olmdex legacy prune legacy.db -p keda -o keda.db
  olmdex legacy deprecate-truncate legacy.db -b quay.io/org/keda:v2.9.0 --in-place")]
pub(crate) struct LegacyArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Rm(RmArgs),
    Prune(PruneArgs),
    PruneStranded(PruneStrandedArgs),
    #[command(alias = "deprecatetruncate")]
    DeprecateTruncate(DeprecateArgs),
}

/// The file, and where the result goes.
#[derive(Debug, Args)]
struct FileArgs {
    /// The legacy SQLite file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "FILE", required_unless_present = "in_place", conflicts_with = "in_place")]
    output: Option<PathBuf>,
    /// Change the file itself, in one transaction
    #[arg(long)]
    in_place: bool,
    /// Go on where the request cannot be fulfilled in part, with a warning
    #[arg(long)]
    permissive: bool,
}

/// Remove packages with all their bundles, and bundles that are in no channel
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex legacy rm legacy.db -p keda -o smaller.db
  olmdex legacy rm legacy.db -p keda,prometheus --in-place
  olmdex legacy rm legacy.db -p keda -p absent --permissive -o smaller.db")]
struct RmArgs {
    #[command(flatten)]
    file: FileArgs,
    /// Packages to remove; may be repeated
    #[arg(short, long = "package", value_name = "PACKAGE", value_delimiter = ',', required = true)]
    packages: Vec<String>,
}

/// Keep these packages and remove all others
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex legacy prune legacy.db -p keda -o keda.db
  olmdex legacy prune legacy.db -p keda,prometheus --in-place
  olmdex legacy prune legacy.db -p keda -o keda.db --permissive")]
struct PruneArgs {
    #[command(flatten)]
    file: FileArgs,
    /// Packages to keep; may be repeated
    #[arg(short, long = "package", value_name = "PACKAGE", value_delimiter = ',', required = true)]
    packages: Vec<String>,
}

/// Remove bundles that are in no channel
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex legacy prune-stranded legacy.db -o clean.db
  olmdex legacy prune-stranded legacy.db --in-place
  olmdex legacy prune-stranded legacy.db -o clean.db -q")]
struct PruneStrandedArgs {
    #[command(flatten)]
    file: FileArgs,
}

/// Deprecate bundles: what they replace is removed, and they stay as the marked ends of their channels
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex legacy deprecate-truncate legacy.db -b quay.io/org/keda:v2.9.0 -o cut.db
  olmdex legacy deprecate-truncate legacy.db -b quay.io/org/keda:v2.9.0 --in-place
  olmdex legacy deprecate-truncate legacy.db -b quay.io/org/keda:v2.9.0 --permissive -o cut.db")]
struct DeprecateArgs {
    #[command(flatten)]
    file: FileArgs,
    /// References of the images of the bundles to deprecate; may be repeated
    #[arg(short, long = "bundle-images", value_name = "IMAGE", value_delimiter = ',', required = true)]
    bundle_images: Vec<String>,
    /// Remove a package as a whole if the heads of all its channels are deprecated
    #[arg(long)]
    allow_package_removal: bool,
}

pub(crate) fn run(context: &Context, args: &LegacyArgs) -> CommandResult {
    match &args.verb {
        Verb::Rm(it) => change(context, &it.file, |edit| edit.remove_packages(&it.packages, it.file.permissive)),
        Verb::Prune(it) => change(context, &it.file, |edit| edit.keep_packages(&it.packages, it.file.permissive)),
        Verb::PruneStranded(it) => change(context, &it.file, Edit::remove_stranded),
        Verb::DeprecateTruncate(it) => change(context, &it.file, |edit| {
            edit.deprecate(&it.bundle_images, it.allow_package_removal, it.file.permissive)
        }),
    }
}

fn change(
    context: &Context,
    args: &FileArgs,
    step: impl FnOnce(&mut Edit) -> Result<(), LegacyError>,
) -> CommandResult {
    let destination = match &args.output {
        Some(path) => {
            refuse_same_file(&args.file, path, "name another file to write, or use `--in-place`")?;
            Destination::File(path.clone())
        }
        None => Destination::InPlace,
    };
    legacy_source::refuse_index(&args.file)?;
    let shown = args.output.as_ref().unwrap_or(&args.file).display().to_string();
    let _progress = Progress::start(context, format!("writing {shown}"));
    if destination != Destination::InPlace {
        interrupt::undo_writes(context);
    }
    let mut edit = Edit::begin(&args.file, context.opener.scratch(), &destination)?;
    step(&mut edit).map_err(|error| {
        let error = CommandError::from(error);
        if error.exit == Exit::No {
            error.help("`--permissive` goes on without it; nothing was written")
        } else {
            error
        }
    })?;
    let done = edit.finish()?;
    report(context, &shown, &done);
    Ok(Exit::Yes)
}

fn report(context: &Context, shown: &str, done: &Done) {
    for text in &done.passed_over {
        context.reporter.warning(text);
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
    let removed = match (done.packages.len(), done.bundles.len()) {
        (0, 0) => "nothing".to_owned(),
        (0, bundles) => count(bundles, "bundle"),
        (packages, bundles) => format!("{} and {}", count(packages, "package"), count(bundles, "bundle")),
    };
    context.reporter.note(&format!("{deprecated}removed {removed}; wrote {shown}"));
}
