//! `olmdex push`

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use crate::bundle;
use crate::check::check;
use crate::cli::args::legacy_source::is_legacy;
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, CommandResult, Exit};
use crate::cli::speak::progress::Progress;
use crate::diag::{Severity, Tally, counted};
use crate::fbc::{Format, Input, Level, Rendering, Selection, Sorted};
use crate::file::{NewDirectory, Part, Text, open_regular};
use crate::index::{self, Index};
use crate::legacy::package_file;
use crate::oci::pack::{self, ArtifactOptions, Base, LayerWriter, PackedImage};
use crate::oci::registry::Registry;
use crate::oci::{Digest, OciError, PlatformOf};
use crate::source::{self, Source, SourceError};

/// Send a catalog as an image, or a database as an artifact
///
/// It goes to a registry, or into a new layout; an index and a legacy catalog are databases. The same input gives the same digest, which is printed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex push my-catalog/ oci:image:latest
  olmdex push index.db oci:index-image:latest
  olmdex push my-catalog/ docker://quay.io/org/catalog:v1 --base docker://quay.io/org/opm")]
pub(crate) struct PushArgs {
    /// Catalog, index.db or legacy catalog
    #[arg(value_name = "SOURCE")]
    source: PathBuf,
    /// `docker://HOST/NAME:TAG`, or `oci:DIR[:TAG]` for a new layout
    #[arg(value_name = "IMAGE")]
    image: String,
    /// Image that the catalog is put on top of, for each of its platforms. Default: an image with nothing else in it
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
    /// Version of the specification of images, for registries that take no artifacts
    #[arg(long, value_enum, default_value_t = ImageSpec::V1_1, value_name = "VERSION")]
    image_spec: ImageSpec,
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
    let is_database = source::is_index(&args.source) || is_legacy(&args.source);
    let image =
        if is_database { database(args, created, &destination)? } else { catalog(context, args, created.as_deref())? };
    let digest = &image.root.descriptor.digest;
    match &destination {
        Destination::Registry(registry) => {
            let progress = Progress::start(context, format!("sending {}", args.image));
            let (sent, there) = registry.push(&image).map_err(|error| cannot("send", &args.image, error))?;
            drop(progress);
            context.reporter.note(&format!("sent {}, {there} were there already", counted(sent as u64, "blob")));
        }
        Destination::Layout(path, tag) => {
            let mut directory = NewDirectory::begin(path)?;
            pack::write_layout(&image, tag, &mut directory).map_err(|error| cannot("write", &args.image, error))?;
            directory.finish()?;
        }
    }
    writeln!(std::io::stdout(), "{digest}")?;
    Ok(Exit::Yes)
}

fn cannot(what: &str, image: &str, error: OciError) -> CommandError {
    let help = error.help();
    CommandError::new(Exit::Input, format!("cannot {what} `{image}`: {error}")).help(help)
}

/// Where an image goes.
enum Destination<'c> {
    Registry(Box<Registry<'c>>),
    Layout(PathBuf, String),
}

impl<'c> Destination<'c> {
    fn parse(context: &'c Context, text: &str) -> Result<Self, CommandError> {
        if let Some(name) = text.strip_prefix("docker://") {
            let registry =
                Registry::new(&context.opener.registry, name).map_err(|error| cannot("send", text, error))?;
            if registry.reference().digest.is_some() {
                let error = CommandError::usage("what is sent has a digest of its own, and goes under a tag");
                return Err(error.help("leave `@sha256:…` out"));
            }
            if context.opener.registry.is_offline {
                return Err(CommandError::usage("`--offline` keeps olmdex from sending anything"));
            }
            return Ok(Self::Registry(Box::new(registry)));
        }
        match text.strip_prefix("oci:").map(|it| it.rsplit_once(':').unwrap_or((it, "latest"))) {
            Some((path, tag)) if !path.is_empty() && !tag.contains('/') => {
                Ok(Self::Layout(PathBuf::from(path), tag.to_owned()))
            }
            _ => {
                let error = CommandError::usage(format!("`{text}` is not where an image can go"));
                Err(error.help("name `docker://HOST/NAME:TAG`, or `oci:DIR:TAG` for a new layout"))
            }
        }
    }
}

/// The time that `SOURCE_DATE_EPOCH` says, as RFC 3339.
fn created() -> Result<Option<String>, CommandError> {
    let Some(text) = std::env::var_os("SOURCE_DATE_EPOCH").filter(|it| !it.is_empty()) else { return Ok(None) };
    let seconds: Option<u64> = text.to_str().and_then(|it| it.parse().ok()).filter(|it| *it < 253_402_300_800);
    let Some(seconds) = seconds else {
        let message = format!("$SOURCE_DATE_EPOCH is `{}`, not a number of seconds", text.to_string_lossy());
        return Err(CommandError::usage(message));
    };
    Ok(Some(rfc3339(seconds)))
}

/// Seconds since 1970 as RFC 3339.
fn rfc3339(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that the day that some have more is their last one.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year_of_era + era * 400 + next;
    let (hour, minute, second) = (rest / 3600, rest % 3600 / 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// An index or a legacy catalog as an artifact.
fn database(
    args: &PushArgs,
    created: Option<String>,
    destination: &Destination<'_>,
) -> Result<PackedImage, CommandError> {
    for (given, option) in [(args.base.is_some(), "--base"), (!args.label.is_empty(), "--label")] {
        if given {
            let message = format!("`{option}` is for catalogs, and `{}` is a database", args.source.display());
            return Err(CommandError::usage(message));
        }
    }
    let unreadable = |error: std::io::Error| SourceError::Unreadable { path: args.source.clone(), error };
    let file = open_regular(&args.source).map_err(unreadable)?;
    let len = file.metadata().map_err(unreadable)?.len();
    let text = Text::Part(Part { file: Arc::new(file), start: 0, len });
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
            return Err(CommandError::usage("`--subject` is for registries, where the image is that it names"));
        }
    };
    let title = args.source.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let options =
        ArtifactOptions { title, annotations, created, subject, is_version_1_0: args.image_spec == ImageSpec::V1_0 };
    pack::database(&text, &options).map_err(|error| cannot("send", &args.image, error))
}

/// Any other catalog as an image.
fn catalog(context: &Context, args: &PushArgs, created: Option<&str>) -> Result<PackedImage, CommandError> {
    if args.subject.is_some() {
        let message = format!("`--subject` is for databases, and `{}` is a catalog", args.source.display());
        return Err(CommandError::usage(message));
    }
    let input = match context.open(&args.source)? {
        Source::Catalog(input) => input,
        Source::Index(_) => {
            let message = format!("`{}` is not a catalog, an index or a legacy catalog", args.source.display());
            return Err(CommandError::new(Exit::Input, message));
        }
    };
    if !args.no_check {
        let tally = Tally::of(&check(&input).findings);
        let refused = input.remarks.iter().any(|it| it.rule.severity == Severity::Error);
        if tally.errors > 0 || refused {
            let message = format!("`{}` is not valid ({tally})", args.source.display());
            let help = "`olmdex validate` says why; `--no-check` sends it all the same";
            return Err(CommandError::new(Exit::No, message).help(help));
        }
    }
    let mut labels = BTreeMap::new();
    for text in &args.label {
        let Some((key, value)) = text.split_once('=').filter(|it| !it.0.is_empty()) else {
            return Err(CommandError::usage(format!("`{text}` is not KEY=VALUE")));
        };
        labels.insert(key.to_owned(), value.to_owned());
    }
    let platforms = args.platforms.iter().map(|it| platform(it)).collect::<Result<Vec<_>, _>>()?;
    let scratch = context.opener.scratch();
    let bases = match &args.base {
        None => Vec::new(),
        Some(base) => {
            let (store, wanted) = context.opener.store(base)?;
            Base::read(&*store, &wanted, scratch).map_err(|error| cannot("read", base, error))?
        }
    };
    let progress = Progress::reading(context, format!("packing {}", args.source.display()), &input);
    let mut layer = LayerWriter::begin(scratch)?;
    // What is a directory already stays as it is written.
    if args.source.is_dir() && !bundle::is_bundle(&args.source) {
        as_written(&input, &mut layer)?;
    } else {
        by_package(&input, &mut layer)?;
    }
    let layer = layer.finish().map_err(|error| cannot("send", &args.image, error))?;
    drop(progress);
    pack::catalog(&layer, &platforms, bases, &labels, created).map_err(|error| cannot("send", &args.image, error))
}

fn as_written(input: &Input, layer: &mut LayerWriter) -> Result<(), CommandError> {
    for file in &input.files {
        let text = file.whole().map_err(|error| SourceError::Unreadable { path: PathBuf::from(&file.shown), error })?;
        layer.add(file.relative(), text.len() as u64, &mut &*text)?;
    }
    Ok(())
}

fn by_package(input: &Input, layer: &mut LayerWriter) -> Result<(), CommandError> {
    let how = Rendering { format: Format::Json, level: Level::None, selection: Selection { packages: &[] } };
    let mut sorted = Sorted::new(how);
    if let Some((origin, _)) = sorted.read(input).first() {
        let file = input.files.get(origin.file as usize).map(|it| it.shown.as_str()).unwrap_or_default();
        return Err(CommandError::new(Exit::Input, format!("`{file}` cannot be rendered: `olmdex render` says why")));
    }
    let mut last: Option<(PathBuf, Vec<u8>)> = None;
    let mut add = |file: &(PathBuf, Vec<u8>)| layer.add(&file.0.to_string_lossy(), file.1.len() as u64, &mut &*file.1);
    sorted.write(|package, text| {
        let path = match package {
            "" => PathBuf::from("catalog.json"),
            package => package_file(package, "json")?,
        };
        match &mut last {
            Some(file) if file.0 == path => file.1.extend_from_slice(text),
            _ => {
                if let Some(file) = last.replace((path, text.to_vec())) {
                    add(&file)?;
                }
            }
        }
        Ok::<(), CommandError>(())
    })?;
    if let Some(file) = last {
        add(&file)?;
    }
    Ok(())
}

fn platform(text: &str) -> Result<PlatformOf, CommandError> {
    let parts: Vec<&str> = text.split('/').collect();
    let [os, architecture, variant @ ..] = parts.as_slice() else {
        return Err(CommandError::usage(format!("`{text}` is not OS/ARCHITECTURE, such as linux/amd64")));
    };
    let variant = variant.first().map(|it| (*it).to_owned()).unwrap_or_default();
    Ok(PlatformOf { os: (*os).to_owned(), architecture: (*architecture).to_owned(), variant })
}

#[cfg(test)]
mod tests {
    use super::rfc3339;

    #[test]
    fn times_are_written_as_the_calendar_says() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_787_220_000, "2026-08-20T10:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(rfc3339(seconds), text);
        }
    }
}
