//! `olmdex legacy`

use clap::{Args, Subcommand};

use super::add::{self, AddArgs};
use super::change::{Catalog, FileArgs, change};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandResult;
use crate::legacy::Edit;
use olmdex_text::encoding::shell::word;

/// Add, remove, prune or deprecate in a legacy catalog, as `opm registry` did
///
/// Each step is one transaction. The result is a new file, or the file itself with `--in-place`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex legacy add legacy.db my-bundle/ -O larger.db
  olmdex legacy rm legacy.db keda prometheus -O smaller.db
  olmdex legacy prune legacy.db keda -O keda.db
  olmdex legacy deprecate-truncate legacy.db -b quay.io/org/keda:v2.9.0 --in-place")]
pub(crate) struct LegacyArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Add(AddArgs),
    Rm(RmArgs),
    Prune(PruneArgs),
    PruneStranded(PruneStrandedArgs),
    #[command(alias = "deprecatetruncate")]
    DeprecateTruncate(DeprecateArgs),
}

/// The packages that a step is about.
#[derive(Debug, Args)]
struct PackageArgs {
    /// The packages
    #[arg(id = "packages", value_name = "PKG", value_delimiter = ',', required_unless_present = "package")]
    positional: Vec<String>,
    /// The same, as opm takes them
    #[arg(short, long, value_name = "PACKAGE", value_delimiter = ',', hide = true)]
    package: Vec<String>,
}

impl PackageArgs {
    fn names(&self) -> Vec<String> {
        self.positional.iter().chain(&self.package).cloned().collect()
    }
}

/// Remove packages with all their bundles, and bundles that are in no channel
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex legacy rm legacy.db keda -O smaller.db
  olmdex legacy rm legacy.db keda prometheus --in-place
  olmdex legacy rm legacy.db keda absent --permissive -O smaller.db")]
struct RmArgs {
    #[command(flatten)]
    file: FileArgs,
    #[command(flatten)]
    packages: PackageArgs,
}

/// Keep these packages and remove all others
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex legacy prune legacy.db keda -O keda.db
  olmdex legacy prune legacy.db keda prometheus --in-place
  olmdex legacy prune legacy.db keda -O keda.db --permissive")]
struct PruneArgs {
    #[command(flatten)]
    file: FileArgs,
    #[command(flatten)]
    packages: PackageArgs,
}

/// Remove bundles that are in no channel
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex legacy prune-stranded legacy.db -O clean.db
  olmdex legacy prune-stranded legacy.db --in-place
  olmdex legacy prune-stranded legacy.db -O clean.db -q")]
struct PruneStrandedArgs {
    #[command(flatten)]
    file: FileArgs,
}

/// Deprecate bundles: the bundles that they replace are removed, and they stay as the marked ends of their channels
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex legacy deprecate-truncate legacy.db -b quay.io/org/keda:v2.9.0 -O cut.db
  olmdex legacy deprecate-truncate legacy.db -b quay.io/org/keda:v2.9.0 --in-place
  olmdex legacy deprecate-truncate legacy.db -b quay.io/org/keda:v2.9.0 --permissive -O cut.db")]
struct DeprecateArgs {
    #[command(flatten)]
    file: FileArgs,
    /// The bundles to deprecate: references of their images, names, PKG@VERSION, or PKG/CHANNEL for its head; may be
    /// repeated
    #[arg(short, long = "bundle-images", value_name = "IMAGE", value_delimiter = ',', required = true)]
    bundle_images: Vec<String>,
    /// Remove a package as a whole if the heads of all its channels are deprecated
    #[arg(long)]
    allow_package_removal: bool,
}

pub(crate) fn run(context: &Context, args: &LegacyArgs) -> CommandResult {
    match &args.verb {
        Verb::Add(it) => add::run(context, it),
        Verb::Rm(it) => {
            let names = it.packages.names();
            let instead = format!(
                "`olmdex migrate {} DIR` writes the catalog as files, and `olmdex edit remove {} -i DIR` removes from them",
                it.file.shown(),
                quoted(&names, " ")
            );
            change(context, &it.file, instead_of(&instead), |edit| edit.remove_packages(&names, it.file.permissive))
        }
        Verb::Prune(it) => {
            let names = it.packages.names();
            let instead = format!(
                "`olmdex mirror filter -p {} --full -i {} --into TARGET` keeps packages of any catalog",
                quoted(&names, " -p "),
                it.file.shown()
            );
            change(context, &it.file, instead_of(&instead), |edit| edit.keep_packages(&names, it.file.permissive))
        }
        Verb::PruneStranded(it) => {
            let instead = format!("`olmdex validate {}` names bundles that are in no channel", it.file.shown());
            change(context, &it.file, instead_of(&instead), Edit::remove_stranded)
        }
        Verb::DeprecateTruncate(it) => {
            let instead = format!(
                "`olmdex migrate {} DIR` writes the catalog as files, and `olmdex edit deprecate NAME -m TEXT -i DIR` \
                deprecates in them",
                it.file.shown()
            );
            change(context, &it.file, instead_of(&instead), |edit| {
                edit.deprecate(&edit.images_of(&it.bundle_images)?, it.allow_package_removal, it.file.permissive)
            })
        }
    }
}

fn instead_of(instead: &str) -> Catalog<'_> {
    Catalog { instead, may_be_new: false }
}

/// Names as words of a command, with an option between them.
fn quoted(names: &[String], between: &str) -> String {
    names.iter().map(|name| word(name)).collect::<Vec<_>>().join(between)
}
