//! `olmdex image`

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use super::dockerfile;
use crate::ask::CatalogFiles;
use crate::cli::args::composition;
use crate::cli::args::destination::{Destination, ImageSettings, created, label, pack, platform};
use crate::cli::args::words::SourceOption;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::compose::{Config, NamedCatalog};
use crate::diag::Listed;
use crate::file::{finish_left, read_regular_of, write_over};
use crate::scaffold::{DEFAULT_IMAGE, Dockerfile};

/// Write the Dockerfiles of the catalogs of olmdex.toml, or make the image of one
///
/// A Dockerfile goes beside the destination of its catalog, where `olmdex render` puts the content of the image. With
/// `--destination` the image is made and sent without one; the same catalog gives the same digest, which is printed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex image
  olmdex image community
  olmdex image my-catalog/ --base scratch
  olmdex image community --destination oci:image:latest")]
pub(crate) struct ImageCommandArgs {
    /// Catalog, or a directory that is none of them, which gets a Dockerfile. Default: all that have a destination
    #[arg(value_name = "NAME|DIR")]
    catalog: Option<String>,
    #[command(flatten)]
    _source_option: SourceOption,
    /// Make the image, and send it: `docker://HOST/NAME:TAG`, or `oci:DIR[:TAG]` for a new layout
    #[arg(long, value_name = "IMAGE", alias = "to")]
    destination: Option<String>,
    /// Base image with opm or olmdex, for each of its platforms: its program serves the catalog, and its own catalog
    /// and cache are hidden. `scratch` for an image with nothing else in it
    #[arg(long, value_name = "IMAGE")]
    base: Option<String>,
    /// Platforms of an image without base, separated by commas
    #[arg(long, value_name = "OS/ARCH,…", value_delimiter = ',', default_value = "linux/amd64")]
    platforms: Vec<String>,
    /// Another label of the image; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    label: Vec<String>,
    /// The image whose opm fills the cache, for a Dockerfile
    #[arg(long, value_name = "IMAGE", default_value = DEFAULT_IMAGE, conflicts_with = "destination")]
    builder_image: String,
    /// Make the image of a catalog that is not valid, too
    #[arg(long, requires = "destination")]
    no_check: bool,
    /// Read the catalogs from this file instead of olmdex.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// No Dockerfile is larger.
const MAX_DOCKERFILE: u64 = 1 << 20;

pub(crate) fn run(context: &Context, args: &ImageCommandArgs) -> CommandResult {
    let config = composition::config(context, args.config.as_deref(), &[])?;
    if let Some(directory) = args.directory(config.as_ref()) {
        return dockerfile_beside(context, args, directory);
    }
    let config = composition::with_catalogs(config, "olmdex image build my-catalog/")?;
    let mut labels = BTreeMap::new();
    for text in &args.label {
        let (key, value) = label(text)?;
        labels.insert(key, value);
    }
    let catalog = match &args.catalog {
        Some(name) => Some(composition::named(&config, name)?),
        None => None,
    };
    match (&args.destination, catalog, config.catalogs.as_slice()) {
        (None, _, _) => dockerfiles(context, args, &config, catalog, &labels),
        (Some(to), Some(catalog), _) | (Some(to), None, [catalog]) => {
            image(context, args, &config, catalog, to, &labels)
        }
        (Some(_), None, _) => {
            let names = Listed::quoted(config.catalogs.iter().map(|catalog| &catalog.name));
            let error = CommandError::usage(format!("{} names several catalogs", config.path.display()));
            Err(error.help(format!("name the one to build an image from: {names}")))
        }
    }
}

impl ImageCommandArgs {
    /// The named directory, if the word is not the name of a catalog: such a name comes first.
    fn directory(&self, config: Option<&Config>) -> Option<&Path> {
        let word = self.catalog.as_deref()?;
        let is_name = config.is_some_and(|it| it.catalogs.iter().any(|it| it.name == word));
        (!is_name && Path::new(word).is_dir()).then_some(Path::new(word))
    }
}

/// Writes the Dockerfile of a directory that olmdex.toml does not name.
fn dockerfile_beside(context: &Context, args: &ImageCommandArgs, directory: &Path) -> CommandResult {
    if let Some(to) = &args.destination {
        let error = CommandError::usage("`olmdex image` builds images of the catalogs in olmdex.toml");
        return Err(
            error.help(format!("`olmdex image push {} {to}` builds an image from a directory", directory.display()))
        );
    }
    let labels = dockerfile::labels(&args.label)?;
    let base = args.base.as_deref().unwrap_or(DEFAULT_IMAGE);
    dockerfile::write(context, directory, &Dockerfile { base, builder: &args.builder_image, labels: &labels })
}

/// Writes the Dockerfiles of all catalogs that have a destination, or of one.
fn dockerfiles(
    context: &Context,
    args: &ImageCommandArgs,
    config: &Config,
    only: Option<&NamedCatalog>,
    labels: &BTreeMap<String, String>,
) -> CommandResult {
    if args.base.is_some() {
        let error = CommandError::usage("olmdex.toml names the base images of the catalogs");
        return Err(error.help("set `base-image` there; `--base` works only with `--destination` or a directory"));
    }
    if args.builder_image == "scratch" || args.builder_image.is_empty() {
        let error = CommandError::usage(format!("`{}` cannot be the builder image: it has no opm", args.builder_image));
        return Err(error.help(format!("for example `--builder-image {DEFAULT_IMAGE}`")));
    }
    if let Some((key, _)) = labels.iter().find(|it| [it.0, it.1].iter().any(|it| it.contains(['"', '\\', '\n', '\r'])))
    {
        let error = CommandError::usage(format!("a Dockerfile cannot express the label `{}`", key.escape_debug()));
        return Err(error.help("write it without quotes, backslashes and line breaks"));
    }
    let reach = config.reach;
    let mut files = Vec::new();
    for catalog in config.catalogs.iter().filter(|it| only.is_none_or(|only| only.name == it.name)) {
        let Some(destination) = &catalog.destination else { continue };
        destination.check(&config.path, catalog, reach)?;
        let Some((directory, path)) = destination.dockerfile() else {
            let error =
                CommandError::usage(format!("a Dockerfile cannot express the directory name `{}`", destination.words));
            return Err(error.help("choose a destination without spaces and quotes"));
        };
        let base = catalog.base_image.as_deref().unwrap_or(DEFAULT_IMAGE);
        let text = Dockerfile { base, builder: &args.builder_image, labels }.text(&directory);
        files.push((catalog, destination, path, text));
    }
    if files.is_empty() {
        let whose = only.map_or("no catalog".to_owned(), |it| format!("catalog `{}`", it.name));
        let verb = if only.is_some() { "has no" } else { "has a" };
        let error = CommandError::usage(format!("{whose} of {} {verb} destination", config.path.display()));
        return Err(error.help("add `destination = \"rendered/NAME\"`, or build the image with `--destination`"));
    }
    // A file that somebody has changed by hand stays, and keeps the others from being written.
    let mut missing = Vec::new();
    for (catalog, destination, path, text) in files {
        finish_left(std::iter::once(path.as_path()));
        match read_regular_of(&path, MAX_DOCKERFILE) {
            Ok(found) if found == text.as_bytes() && !path.is_symlink() => {
                context.reporter.note(&format!("{} is up to date", path.display()));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.symlink_metadata().is_err() => {
                missing.push((catalog, destination, path, text));
            }
            _ => {
                let error = CommandError::usage(format!("`{}` already exists with different content", path.display()));
                return Err(error.help("delete it first"));
            }
        }
    }
    interrupt::undo_writes(context);
    for (catalog, destination, path, text) in missing {
        destination.make_way(&config.path, reach)?;
        write_over(&path, None, text.as_bytes())?;
        context.reporter.note(&format!("wrote {}", path.display()));
        if !destination.path.is_dir() {
            let message =
                format!("catalog `{}` is not rendered yet: `olmdex render` writes it to its destination", catalog.name);
            context.reporter.warning(&message);
        }
    }
    Ok(Exit::Yes)
}

/// Makes the image of a catalog, and sends it.
fn image(
    context: &Context,
    args: &ImageCommandArgs,
    config: &Config,
    catalog: &NamedCatalog,
    to: &str,
    labels: &BTreeMap<String, String>,
) -> CommandResult {
    let created = created()?;
    let destination = Destination::parse(context, to)?;
    let base = match (args.base.as_deref(), catalog.base_image.as_deref()) {
        (Some("scratch"), _) | (None, None | Some("scratch")) => None,
        (Some(base), _) => Some(base),
        // An image is fetched only if the command line says so.
        (None, Some(base)) => {
            let error = CommandError::usage(format!(
                "olmdex does not fetch `{base}`, the base image of catalog `{}`, unasked",
                catalog.name
            ));
            return Err(error.help(format!(
                "name its location with `--base docker://{base}`, or use no base image: `--base scratch`"
            )));
        }
    };
    let platforms = args.platforms.iter().map(|it| platform(it)).collect::<Result<Vec<_>, _>>()?;
    let composed = composition::compose(context, config, catalog)?;
    let settings = ImageSettings {
        name: to,
        base,
        platforms,
        labels,
        created: created.as_deref(),
        no_check: Some(("--no-check", args.no_check)),
    };
    let image = pack(context, CatalogFiles::Composed(&composed, catalog.format), settings)?;
    interrupt::undo_writes(context);
    destination.send(context, &image, to)?;
    writeln!(io::stdout(), "{}", image.root.descriptor.digest)?;
    Ok(Exit::Yes)
}
