//! `olmdex generate`

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use clap::{Args, Subcommand};

use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::file::{finish_left, write_over};
use crate::scaffold::{DEFAULT_IMAGE, Dockerfile, parse_labels};

/// Write files that go with a catalog
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex generate dockerfile my-catalog
  olmdex generate dockerfile my-catalog --base-image scratch
  olmdex generate dockerfile my-catalog -l maintainer=ada,quay.expires-after=2w")]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Dockerfile(DockerfileArgs),
}

/// Write a Dockerfile that puts a catalog into an image, beside its directory
///
/// `olmdex push` makes and sends such an image without one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex generate dockerfile my-catalog
  olmdex generate dockerfile my-catalog --base-image scratch
  olmdex generate dockerfile my-catalog -b quay.io/example/opm:v1.73.0")]
struct DockerfileArgs {
    /// The directory of the catalog
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The image that the catalog is put into; `scratch` for one without a server
    #[arg(short = 'i', long, value_name = "IMAGE", default_value = DEFAULT_IMAGE)]
    base_image: String,
    /// The image whose opm fills the cache
    #[arg(short, long, value_name = "IMAGE", default_value = DEFAULT_IMAGE)]
    builder_image: String,
    /// Labels of the image; may be repeated
    #[arg(short = 'l', long, value_name = "KEY=VALUE")]
    extra_labels: Vec<String>,
    /// Both images, as older releases of opm have it
    #[arg(long, value_name = "IMAGE", hide = true, conflicts_with = "base_image")]
    binary_image: Option<String>,
}

pub(crate) fn run(context: &Context, args: &GenerateArgs) -> CommandResult {
    match &args.verb {
        Verb::Dockerfile(args) => dockerfile(context, args),
    }
}

fn dockerfile(context: &Context, args: &DockerfileArgs) -> CommandResult {
    let mut labels = BTreeMap::new();
    for text in &args.extra_labels {
        parse_labels(text, &mut labels).map_err(|word| {
            CommandError::usage(format!("`{word}` is not a label")).help("write it as KEY=VALUE, without quotes")
        })?;
    }
    let (base, builder) = match &args.binary_image {
        Some(image) if args.builder_image == DEFAULT_IMAGE => (image, image),
        Some(image) => (image, &args.builder_image),
        None => (&args.base_image, &args.builder_image),
    };
    if builder == "scratch" || builder.is_empty() {
        let error = CommandError::usage(format!("`{builder}` cannot be the builder: it has no opm"));
        return Err(error.help(format!("for example `-b {DEFAULT_IMAGE}`")));
    }
    if base.is_empty() {
        return Err(CommandError::usage("the base image is empty").help("use `scratch` for an image without a server"));
    }
    let directory = &args.directory;
    if !directory.is_dir() {
        let error = CommandError::new(Exit::Input, format!("`{}` is not a directory", directory.display()));
        return Err(error.help("name the directory of the catalog"));
    }
    let (target, name) = beside(directory)?;
    if target.symlink_metadata().is_ok() {
        finish_left(std::iter::once(target.as_path()));
        let error = CommandError::usage(format!("`{}` exists already", target.display()));
        return Err(error.help("delete it first"));
    }
    let text = Dockerfile { directory: name, base: base.clone(), builder: builder.clone(), labels }.text();
    interrupt::undo_writes(context);
    write_over(&target, None, text.as_bytes())?;
    context.reporter.note(&format!("wrote {}", target.display()));
    if !directory.components().any(|it| matches!(it, Component::Normal(_))) {
        let file = target.display();
        context.reporter.warning(&format!(
            "`{file}` lies in the catalog, and is not a part of it: hide it with a line `{file}` in `.indexignore`"
        ));
    }
    Ok(Exit::Yes)
}

/// The Dockerfile of a directory, beside it, and what it calls the directory.
fn beside(directory: &Path) -> Result<(PathBuf, String), CommandError> {
    let clean: PathBuf = directory.components().collect();
    // The directory itself is called by a dot, as opm does.
    let name = clean.file_name().map_or(".".to_owned(), |it| it.to_string_lossy().into_owned());
    if name.contains(['\n', '\r', ' ', '"']) || clean.ends_with("..") {
        let error = CommandError::usage(format!("a Dockerfile cannot name the directory `{name}`"));
        return Err(error.help("rename it, or name it by its path"));
    }
    let file = format!("{name}.Dockerfile");
    let above = clean.parent().filter(|it| !it.as_os_str().is_empty() && clean.file_name().is_some());
    Ok((above.map_or_else(|| PathBuf::from(&file), |it| it.join(&file)), name))
}
