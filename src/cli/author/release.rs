//! `olmdex release`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use crate::ask::check_catalog;
use crate::cli::args::bundle_images::{BundleImageArgs, not_rendered};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::write_changes::{Change, write_changes};
use crate::community::{Operator, ReleaseError, RepositoryError, TemplateEdit, catalog_level, release};
use crate::diag::{Finding, Severity, counted};
use crate::fbc::{Format, Input, Level};
use crate::file::system_words;
use crate::template::{BundleImages, Template};

/// Add a bundle to templates and catalogs as its release configuration says
///
/// Does what the pipelines of the community repositories do with `release-config.yaml` and `ci.yaml`, and keeps every
/// old line of the templates, comments included. Other bundles are taken from the repository and from the catalogs that
/// it has. Exits with 1, and writes nothing, if a catalog would not be valid.
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
    /// Show the changes, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Change templates, and render no catalogs
    #[arg(long)]
    templates_only: bool,
    #[command(flatten)]
    bundles: BundleImageArgs,
}

pub(crate) fn run(context: &Context, args: &ReleaseArgs) -> CommandResult {
    let (operator, name) = place(&args.bundle_dir)?;
    let repository = above(&above(&operator));
    let operator = Operator::open(if operator.as_os_str().is_empty() { Path::new(".") } else { &operator })?;
    let Some(version) = operator.versions.iter().find(|it| it.name == name) else {
        let message = format!("`{}` is not a bundle directory", args.bundle_dir.display());
        return Err(CommandError::new(Exit::Input, message)
            .help("a bundle directory has `manifests/` and `metadata/`, which must not be symbolic links"));
    };
    for (at, key, meant) in version.unread_keys() {
        let meant = meant.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
        context.reporter.warning(&format!("{at}: no tool reads the key `{key}`{meant}"));
    }
    let edits = release(&operator, version, &args.image)?;
    let mut changes = Vec::new();
    for edit in &edits {
        if let Some(why) = edit.rewritten {
            let file = in_operator(&operator, &edit.file);
            let message = format!("{}: rewriting the template drops its comments: {why}", file.display());
            context.reporter.warning(&message);
        }
        changes.push(Change {
            root: operator.path.clone(),
            relative: edit.file.to_string_lossy().into_owned(),
            shown: in_operator(&operator, &edit.file),
            before: edit.before.clone(),
            after: edit.after.clone(),
        });
    }
    if !args.templates_only {
        for edit in &edits {
            changes.extend(catalogs(context, args, &operator, &repository, edit)?);
        }
    }
    if write_changes(context, changes, args.dry_run)? == 0 && !args.dry_run {
        context.reporter.note("nothing to change: the bundle is already released");
    }
    Ok(Exit::Yes)
}

/// The directory of the operator, and the name of the version.
fn place(bundle: &Path) -> Result<(PathBuf, String), CommandError> {
    let not_there = |error: std::io::Error| {
        CommandError::new(Exit::Input, format!("cannot read `{}`: {}", bundle.display(), system_words(&error)))
            .help("check the path")
    };
    let full = std::fs::canonicalize(bundle).map_err(not_there)?;
    if let Ok(Some(version)) = Operator::open(bundle).map(|it| it.versions.first().map(|it| it.name.clone())) {
        let error = CommandError::new(Exit::Input, format!("`{}` is not a bundle directory", bundle.display()));
        return Err(error.help(format!("name a version, as in `{}`", bundle.join(version).display())));
    }
    let (Some(operator), Some(name)) = (full.parent(), full.file_name()) else {
        return Err(CommandError::usage(format!("`{}` has no directory above it", bundle.display())));
    };
    // Show the path as the user wrote it, unless a link makes it lead elsewhere.
    let written = above(bundle);
    let is_it = std::fs::canonicalize(Path::new(".").join(&written)).is_ok_and(|it| it == operator);
    Ok((if is_it { written } else { operator.to_owned() }, name.to_string_lossy().into_owned()))
}

/// The parent of a directory, without `..` if a name can be dropped instead.
fn above(path: &Path) -> PathBuf {
    match path.file_name() {
        Some(_) => path.parent().map(Path::to_owned).unwrap_or_default(),
        None => path.join(".."),
    }
}

/// The path of a file of an operator, as it is shown.
fn in_operator(operator: &Operator, file: &Path) -> PathBuf {
    if operator.path == Path::new(".") { file.to_owned() } else { operator.path.join(file) }
}

/// The catalogs that are made of a template.
fn catalogs(
    context: &Context,
    args: &ReleaseArgs,
    operator: &Operator,
    repository: &Path,
    edit: &TemplateEdit,
) -> Result<Vec<Change>, CommandError> {
    let shown = in_operator(operator, &edit.file).display().to_string();
    let template = Template::read(&shown, Arc::from(edit.after.clone()), None)
        .map_err(|findings| not_rendered(context, &shown, &findings))?;
    let mut done: BTreeMap<&str, ()> = BTreeMap::new();
    let mut changes = Vec::new();
    for catalog in edit.catalogs.iter().filter(|it| done.insert(it, ()).is_none()) {
        let relative = format!("catalogs/{catalog}/{}/catalog.yaml", operator.name);
        let old = repository.join(&relative);
        let file = old.display().to_string();
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
        let help = "correct `release-config.yaml` or the template";
        let after = valid_catalog(context, (&template, &shown), &images, level, &file, help)?;
        let root = if repository.as_os_str().is_empty() { PathBuf::from(".") } else { repository.to_owned() };
        changes.push(Change { root, relative, shown: old, before, after });
    }
    Ok(changes)
}

/// The text of a catalog that a template makes, or an error with its findings if it would not be valid. The template
/// and the catalog come with their names.
pub(super) fn valid_catalog(
    context: &Context,
    (template, shown): (&Template, &str),
    images: &dyn BundleImages,
    level: Level,
    file: &str,
    help: &str,
) -> Result<Vec<u8>, CommandError> {
    let (rendered, remarks) =
        template.render(images, level).map_err(|findings| not_rendered(context, shown, &findings))?;
    remarks.iter().for_each(|it| context.reporter.finding(it));
    let mut text = Vec::new();
    rendered
        .write(Format::Yaml, level, &mut text)
        .map_err(|error| CommandError::new(Exit::Input, error.to_string()).help(error.help()))?;
    let report = check_catalog(&Input::bytes(file, Arc::from(text.as_slice())), None);
    if report.opm.is_none() {
        return Ok(text);
    }
    let errors: Vec<&Finding> = report.findings.iter().filter(|it| it.rule.severity == Severity::Error).collect();
    errors.iter().for_each(|it| context.reporter.finding(it));
    let message = format!("`{file}` would not be valid: {}", counted(errors.len() as u64, "error"));
    Err(CommandError::new(Exit::No, message).help(help))
}

impl From<RepositoryError> for CommandError {
    fn from(error: RepositoryError) -> Self {
        let message = error.to_string();
        match error {
            RepositoryError::NoOperator { meant: Some(meant), .. } => {
                Self::new(Exit::NotFound, message).help(format!("did you mean `{meant}`?"))
            }
            RepositoryError::NoOperator { .. } => {
                Self::new(Exit::NotFound, message).help("its operators are the directories in `operators/`")
            }
            _ => Self::new(Exit::Input, message).help("name a directory in `operators/` of a repository"),
        }
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
