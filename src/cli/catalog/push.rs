//! `olmdex push`

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use crate::ask::CatalogFiles;
use crate::bundle;
use crate::cli::args::destination::{Destination, ImageSettings, cannot, created, label, pack, platform};
use crate::cli::args::legacy_source::is_legacy;
use crate::cli::args::sources::source_path;
use crate::cli::args::words::SourceOption;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::progress::Progress;
use crate::file::{Part, Text, open_regular};
use crate::index::{self, Index};
use crate::legacy::{self, LegacyFile};
use crate::oci::Digest;
use crate::oci::pack::{ArtifactOptions, PackedImage, database as artifact_of};
use crate::source::{self, Source, SourceError};

/// Send a catalog as an image, or an index as an artifact
///
/// It goes to a registry, or into a new layout. A legacy SQLite catalog becomes an index image, as `opm index` made it,
/// or with `--subject` or `--image-spec` an artifact. The same input gives the same digest, which is printed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex push my-catalog/ oci:image:latest
  olmdex push index.db oci:index-image:latest
  olmdex push my-catalog/ docker://quay.io/org/catalog:v1 --base docker://quay.io/org/opm")]
pub(crate) struct PushArgs {
    /// Catalog, index.db or legacy catalog
    #[arg(value_name = "SOURCE", value_parser = source_path())]
    source: PathBuf,
    #[command(flatten)]
    _source_option: SourceOption,
    /// `docker://HOST/NAME:TAG`, or `oci:DIR[:TAG]` for a new layout
    #[arg(value_name = "IMAGE")]
    image: String,
    /// Base image with opm or olmdex, for each of its platforms: its program serves the catalog, and its own catalog
    /// and cache are hidden. Default: an image with nothing else in it
    #[arg(long, value_name = "IMAGE")]
    base: Option<String>,
    /// Platforms of an image without base, separated by commas
    #[arg(
        long,
        value_name = "OS/ARCH,…",
        value_delimiter = ',',
        conflicts_with = "base",
        default_value = "linux/amd64"
    )]
    platforms: Vec<String>,
    /// Another label of the image; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    label: Vec<String>,
    /// Image or manifest that the artifact belongs to
    #[arg(long, value_name = "DIGEST")]
    subject: Option<Digest>,
    /// Version of the specification of the artifact: v1.0 for registries that take no artifacts. Default: v1.1
    #[arg(long, value_enum, value_name = "VERSION", hide_possible_values = true)]
    image_spec: Option<ImageSpec>,
    /// Send a catalog that is not valid, too
    #[arg(long)]
    no_check: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ImageSpec {
    #[value(name = "v1.0")]
    V1_0,
    #[value(name = "v1.1")]
    V1_1,
}

pub(crate) fn run(context: &Context, args: &PushArgs) -> CommandResult {
    let created = created()?;
    let destination = Destination::parse(context, &args.image)?;
    let is_of_artifact = args.subject.is_some() || args.image_spec.is_some();
    let image = if source::is_index(&args.source) || (is_legacy(&args.source) && is_of_artifact) {
        database(args, created, &destination)?
    } else {
        catalog(context, args, created.as_deref())?
    };
    let digest = &image.root.descriptor.digest;
    destination.send(context, &image, &args.image)?;
    writeln!(std::io::stdout(), "{digest}")?;
    Ok(Exit::Yes)
}

/// A database as an artifact.
fn database(
    args: &PushArgs,
    created: Option<String>,
    destination: &Destination<'_>,
) -> Result<PackedImage, CommandError> {
    for (given, option) in [(args.base.is_some(), "--base"), (!args.label.is_empty(), "--label")] {
        if given {
            let message = format!("`{option}` is for images, and `{}` is sent as an artifact", args.source.display());
            return Err(CommandError::usage(message));
        }
    }
    let text = text_of(&args.source)?;
    let mut annotations = BTreeMap::new();
    if source::is_index(&args.source) {
        let catalogs = Index::open(&args.source)?.catalog_names()?;
        annotations.insert("io.github.olmdex.schema".to_owned(), index::SCHEMA_VERSION.to_string());
        annotations.insert("io.github.olmdex.catalogs".to_owned(), catalogs.join(","));
    }
    let subject = match (&args.subject, destination) {
        (None, _) => None,
        (Some(digest), Destination::Registry(registry)) => {
            Some(registry.describe(digest).map_err(|error| cannot("send", &args.image, error))?)
        }
        (Some(_), Destination::Layout(..)) => {
            return Err(CommandError::usage(
                "`--subject` works only with a registry, which must hold the image that it names",
            ));
        }
    };
    let title = args.source.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let options = ArtifactOptions {
        title,
        annotations,
        created,
        subject,
        is_version_1_0: args.image_spec == Some(ImageSpec::V1_0),
    };
    artifact_of(&text, &options).map_err(|error| cannot("send", &args.image, error))
}

fn text_of(path: &Path) -> Result<Text, SourceError> {
    let unreadable = |error: std::io::Error| SourceError::Unreadable { path: path.to_owned(), error };
    let file = open_regular(path).map_err(unreadable)?;
    let len = file.metadata().map_err(unreadable)?.len();
    Ok(Text::Part(Part { file: Arc::new(file), start: 0, len }))
}

/// A legacy catalog, or any other, as an image.
fn catalog(context: &Context, args: &PushArgs, created: Option<&str>) -> Result<PackedImage, CommandError> {
    if args.subject.is_some() {
        let message = format!("`--subject` is for databases, and `{}` is a catalog", args.source.display());
        return Err(CommandError::usage(message));
    }
    let mut labels = BTreeMap::new();
    for text in &args.label {
        let (key, value) = label(text)?;
        labels.insert(key, value);
    }
    let settings = ImageSettings {
        name: &args.image,
        base: args.base.as_deref(),
        platforms: args.platforms.iter().map(|it| platform(it)).collect::<Result<_, _>>()?,
        labels: &labels,
        created,
        no_check: Some(("--no-check", args.no_check)),
    };
    if is_legacy(&args.source) {
        // A journal beside it is played back first.
        let file = LegacyFile::open(&args.source, context.opener.scratch())?;
        let found = legacy::examine(&args.source, context.opener.scratch())?;
        let damage: Vec<_> = found.iter().filter(|finding| finding.rule.id == legacy::rules::DAMAGED.id).collect();
        if !damage.is_empty() && !args.no_check {
            damage.iter().for_each(|finding| context.reporter.finding(finding));
            let error = CommandError::new(Exit::No, "the file is damaged, so nothing was sent");
            return Err(error.help("`olmdex doctor --salvage` saves what can be read; `--no-check` sends it as it is"));
        }
        return pack(context, CatalogFiles::Database(&text_of(file.actual())?), settings);
    }
    let input = match context.open(&args.source)? {
        Source::Catalog(input) => input,
        Source::Index(_) => {
            let message = format!("`{}` is not a catalog, an index or a legacy catalog", args.source.display());
            return Err(CommandError::new(Exit::Input, message));
        }
    };
    let _progress = Progress::reading(context, format!("packing {}", args.source.display()), &input);
    // A source that is a directory already is packed as it is written.
    let files = if args.source.is_dir() && !bundle::is_bundle(&args.source) {
        CatalogFiles::AsWritten(&input)
    } else {
        CatalogFiles::ByPackage(&input)
    };
    pack(context, files, settings)
}
