//! `olmdex release`

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use crate::cli::args::bundle_images::{BundleImageArgs, not_rendered};
use crate::cli::print::difference::print_difference;
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::cli::speak::interrupt;
use crate::diag::{Severity, counted};
use crate::fbc::Format;
use crate::file::{Replacement, finish_left, finish_together, make_way_below};
use crate::repository::{Operator, ReleaseError, RepositoryError, TemplateEdit, catalog_level, release};
use crate::template::Template;
use crate::upgrade::check_catalog;

/// Add a bundle to templates and catalogs as its release configuration says
///
/// Does what the pipelines of the community repositories do with `release-config.yaml` and `ci.yaml`, and keeps every old line of the
/// templates, comments included. Other bundles are taken from the repository and from the catalogs that it has.
/// Exits with 1, and writes nothing, if a catalog would not be valid.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex release operators/shop/1.1.0 --image quay.io/example/shop:v1.1.0 --dry-run
  olmdex release operators/shop/1.1.0 --image quay.io/example/shop:v1.1.0
  olmdex release operators/shop/1.1.0 --image quay.io/example/shop:v1.1.0 --templates-only")]
pub(crate) struct ReleaseArgs {
    /// The bundle: `operators/OPERATOR/VERSION` of a repository
    #[arg(value_name = "BUNDLE_DIR")]
    bundle_dir: PathBuf,
    /// The reference of its image
    #[arg(long, value_name = "IMAGE")]
    image: String,
    /// Show what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Change templates, and render no catalogs
    #[arg(long)]
    templates_only: bool,
    #[command(flatten)]
    bundles: BundleImageArgs,
}

/// A file that is to be written, below a directory.
struct Change {
    root: PathBuf,
    relative: String,
    before: Option<Vec<u8>>,
    after: Vec<u8>,
}

pub(crate) fn run(context: &Context, args: &ReleaseArgs) -> CommandResult {
    let (operator, name) = place(&args.bundle_dir)?;
    let operator = Operator::open(&operator)?;
    let Some(version) = operator.versions.iter().find(|it| it.name == name) else {
        let message = format!("`{}` is not a bundle directory", args.bundle_dir.display());
        return Err(
            CommandError::new(Exit::Input, message).help("it has `manifests/` and `metadata/`, which are not links")
        );
    };
    let edits = release(&operator, version, &args.image)?;
    let mut changes = Vec::new();
    for edit in &edits {
        if let Some(why) = edit.rewritten {
            let message = format!("{}: the template is rewritten without its comments: {why}", edit.file.display());
            context.reporter.warning(&message);
        }
        changes.push(Change {
            root: operator.path.clone(),
            relative: edit.file.to_string_lossy().into_owned(),
            before: edit.before.clone(),
            after: edit.after.clone(),
        });
    }
    if !args.templates_only {
        let repository = operator.path.join("..").join("..");
        for edit in &edits {
            changes.extend(catalogs(context, args, &operator, &repository, edit)?);
        }
    }
    if !args.dry_run {
        // One that was killed after its last rename leaves nothing to write.
        let paths: Vec<PathBuf> = changes.iter().map(|it| it.root.join(&it.relative)).collect();
        finish_left(paths.iter().map(PathBuf::as_path));
    }
    changes.retain(|it| it.before.as_ref() != Some(&it.after));
    if args.dry_run {
        for change in &changes {
            let text = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
            let before = change.before.as_deref().map(text).unwrap_or_default();
            print_difference(context, Path::new(&change.relative), 1, &before, &text(&change.after))?;
        }
        return Ok(Exit::Yes);
    }
    interrupt::undo_writes(context);
    let mut ready = Vec::with_capacity(changes.len());
    for change in &changes {
        let path = make_way_below(&change.root, &change.relative)?;
        let mut new = Replacement::begin(&path)?;
        new.file().write_all(&change.after)?;
        ready.push(new);
    }
    finish_together(ready)?;
    for change in &changes {
        context.reporter.note(&format!("wrote {}", change.relative));
    }
    if changes.is_empty() {
        context.reporter.note("nothing changes: the bundle is released already");
    }
    Ok(Exit::Yes)
}

/// The directory of the operator, and the name of the version.
fn place(bundle: &Path) -> Result<(PathBuf, String), CommandError> {
    let not_there = |error: std::io::Error| {
        CommandError::new(Exit::Input, format!("cannot read `{}`: {error}", bundle.display())).help("check the path")
    };
    let full = std::fs::canonicalize(bundle).map_err(not_there)?;
    match (full.parent(), full.file_name()) {
        (Some(operator), Some(name)) => Ok((operator.to_owned(), name.to_string_lossy().into_owned())),
        _ => Err(CommandError::usage(format!("`{}` has no directory above it", bundle.display()))),
    }
}

/// The catalogs that are made of a template.
fn catalogs(
    context: &Context,
    args: &ReleaseArgs,
    operator: &Operator,
    repository: &Path,
    edit: &TemplateEdit,
) -> Result<Vec<Change>, CommandError> {
    let shown = edit.file.display().to_string();
    let template = Template::read(&shown, Arc::from(edit.after.clone()), None)
        .map_err(|findings| not_rendered(context, &shown, &findings))?;
    let mut done: BTreeMap<&str, ()> = BTreeMap::new();
    let mut changes = Vec::new();
    for catalog in edit.catalogs.iter().filter(|it| done.insert(it, ()).is_none()) {
        let relative = format!("catalogs/{catalog}/{}/catalog.yaml", operator.name);
        let old = repository.join(&relative);
        let mut images = args.bundles.open(context)?;
        images.give(&args.image, &args.bundle_dir)?;
        images.add_directory(&operator.path)?;
        let before = match old.symlink_metadata() {
            Ok(it) if it.is_file() => {
                images.add_catalog(&old, &mut std::io::empty())?;
                Some(crate::file::read_regular(&old)?)
            }
            _ => None,
        };
        let level = catalog_level(catalog);
        let (rendered, remarks) =
            template.render(&images, level).map_err(|findings| not_rendered(context, &shown, &findings))?;
        for remark in &remarks {
            context.reporter.finding(remark);
        }
        let mut after = Vec::new();
        rendered
            .write(Format::Yaml, level, &mut after)
            .map_err(|error| CommandError::new(Exit::Input, error.to_string()).help(error.help()))?;
        let report = check_catalog(&crate::fbc::Input::bytes(&relative, Arc::from(after.clone())), None);
        if report.opm.is_some() {
            let errors = report.findings.iter().filter(|it| it.rule.severity == Severity::Error);
            let mut n_errors = 0;
            for finding in errors {
                context.reporter.finding(finding);
                n_errors += 1;
            }
            let message = format!("`{relative}` would not be valid: {}", counted(n_errors, "error"));
            return Err(CommandError::new(Exit::No, message).help("correct `release-config.yaml` or the template"));
        }
        changes.push(Change { root: repository.to_owned(), relative, before, after });
    }
    Ok(changes)
}

impl From<RepositoryError> for CommandError {
    fn from(error: RepositoryError) -> Self {
        Self::new(Exit::Input, error.to_string()).help("name a directory of `operators/` in a repository")
    }
}

impl From<ReleaseError> for CommandError {
    fn from(error: ReleaseError) -> Self {
        let exit = match error {
            ReleaseError::NotMapped(_) | ReleaseError::NoConfiguration(_) => Exit::NotFound,
            _ => Exit::Input,
        };
        Self::new(exit, error.to_string()).help(error.help())
    }
}
