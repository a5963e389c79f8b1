//! The destination of an image: a registry, or a new layout.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::ask::{CatalogFiles, CatalogImageError, ImageParts};
use crate::calendar::rfc3339;
use crate::cli::print::defects;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
#[cfg(feature = "oci")]
use crate::cli::terminal::progress::Progress;
#[cfg(feature = "oci")]
use crate::diag::counted;
use crate::diag::printable;
use crate::file::NewDirectory;
use crate::oci::pack::{self, Base, PackedImage};
#[cfg(feature = "oci")]
use crate::oci::registry::Registry;
use crate::oci::{OciError, PlatformOf};

/// The part of a CatalogSource with which OLM serves an image without server. With a `cacheDir` the pod would insist
/// on a cache of the cluster's opm.
const EXTRACT_CONTENT: &str = "`spec: {grpcPodConfig: {extractContent: {catalogDir: /configs}}}`";

/// The destination of an image.
pub(crate) enum Destination<'c> {
    #[cfg(feature = "oci")]
    Registry(Box<Registry<'c>>),
    Layout(PathBuf, String),
    /// This variant never exists: it keeps the type's lifetime in a build without registries.
    #[cfg(not(feature = "oci"))]
    #[expect(dead_code, reason = "there is none without registries")]
    Never(std::marker::PhantomData<&'c ()>, std::convert::Infallible),
}

impl<'c> Destination<'c> {
    pub(crate) fn parse(context: &'c Context, text: &str) -> Result<Self, CommandError> {
        #[cfg(not(feature = "oci"))]
        let _ = context;
        #[cfg(feature = "oci")]
        if let Some(name) = text.strip_prefix("docker://") {
            let registry = context.opener.registries.image(name).map_err(|error| cannot("send", text, error))?;
            if registry.reference().digest.is_some() {
                let error = CommandError::usage(
                    "olmdex sends a new image with a new digest, so the destination needs a tag, not a digest",
                );
                return Err(error.help("leave `@sha256:…` out"));
            }
            if context.opener.registries.options().is_offline {
                return Err(CommandError::usage("`--offline` forbids sending"));
            }
            return Ok(Self::Registry(Box::new(registry)));
        }
        match text.strip_prefix("oci:").map(|it| it.rsplit_once(':').unwrap_or((it, "latest"))) {
            Some((path, tag)) if !path.is_empty() && !tag.contains('/') => {
                Ok(Self::Layout(PathBuf::from(path), tag.to_owned()))
            }
            _ => {
                let error = CommandError::usage(format!("`{text}` is not a valid destination for an image"));
                Err(error.help("name `docker://HOST/NAME:TAG`, or `oci:DIR:TAG` for a new layout"))
            }
        }
    }

    /// Puts an image there; `name` is the user's name for the place.
    pub(crate) fn send(&self, context: &Context, image: &PackedImage, name: &str) -> Result<(), CommandError> {
        #[cfg(not(feature = "oci"))]
        let _ = context;
        match self {
            #[cfg(feature = "oci")]
            Self::Registry(registry) => {
                let progress = Progress::start(context, format!("sending {name}"));
                let (sent, there) = registry.push(image).map_err(|error| cannot("send", name, error))?;
                drop(progress);
                context.reporter.note(&format!("sent {}; {there} were already there", counted(sent as u64, "blob")));
            }
            Self::Layout(path, tag) => {
                let mut directory = NewDirectory::begin(path)?;
                pack::write_layout(image, tag, &mut directory).map_err(|error| cannot("write", name, error))?;
                directory.finish()?;
            }
            #[cfg(not(feature = "oci"))]
            Self::Never(_, never) => match *never {},
        }
        Ok(())
    }
}

/// The options of an image that is made of a catalog.
pub(crate) struct ImageSettings<'s> {
    /// The user's name for its place.
    pub name: &'s str,
    pub base: Option<&'s str>,
    /// Platforms of an image without base.
    pub platforms: Vec<PlatformOf>,
    pub labels: &'s BTreeMap<String, String>,
    pub created: Option<&'s str>,
    /// The option that makes the image of a catalog that is not valid, and whether it is given.
    pub no_check: Option<(&'static str, bool)>,
}

/// Makes the image of a catalog. Findings are reported, and what serves it.
pub(crate) fn pack(
    context: &Context,
    files: CatalogFiles<'_>,
    settings: ImageSettings<'_>,
) -> Result<PackedImage, CommandError> {
    let ImageSettings { name, base, platforms, labels, created, no_check } = settings;
    let options = &context.opener.images;
    let bases = match base {
        None => Vec::new(),
        Some(base) => {
            let (store, wanted) = context.opener.store(base)?;
            Base::read(&*store, &wanted, options).map_err(|error| cannot("read", base, error))?
        }
    };
    let checked_as = (!no_check.is_some_and(|it| it.1)).then_some(name);
    let parts = ImageParts { bases, platforms: &platforms, labels, created, options, checked_as };
    let image = files.image(parts).map_err(|error| match error {
        CatalogImageError::Source(error) => error.into(),
        CatalogImageError::Reread(error) => error.into(),
        CatalogImageError::Files(error) => error.into(),
        CatalogImageError::Name(error) => error.into(),
        CatalogImageError::Io(error) => error.into(),
        CatalogImageError::Image(error) => cannot("send", name, error),
        CatalogImageError::Defects { input, defects } => {
            defects::report(context, &input, &defects);
            CommandError::new(Exit::Input, "the catalog cannot be rendered")
        }
        CatalogImageError::Invalid(ref errors) => {
            context.reporter.findings(errors);
            let refused = CommandError::new(Exit::No, format!("`{name}` is not sent: {error}"));
            refused.with_help(no_check.map(|(option, _)| format!("`{option}` sends it anyway")))
        }
        error => CommandError::new(Exit::Input, error.to_string()),
    })?;
    context.reporter.note(&match &image.server {
        Some(words) => format!("the image serves its catalog: `{}`", printable(&words.join(" "))),
        None if matches!(files, CatalogFiles::Database(_)) => {
            "nothing in the image serves the database: `--base` names an image with olmdex, or with an opm before \
            August 2026"
                .to_owned()
        }
        None => format!("nothing in the image serves the catalog: a CatalogSource needs {EXTRACT_CONTENT}"),
    });
    Ok(image)
}

pub(crate) fn cannot(what: &str, image: &str, error: OciError) -> CommandError {
    let help = error.help();
    CommandError::new(Exit::Input, format!("cannot {what} `{image}`: {error}")).help(help)
}

/// A label, as `KEY=VALUE`.
pub(crate) fn label(text: &str) -> Result<(String, String), CommandError> {
    match text.split_once('=').filter(|it| !it.0.is_empty()) {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err(CommandError::usage(format!("`{text}` is not KEY=VALUE"))),
    }
}

/// A platform, as `OS/ARCHITECTURE[/VARIANT]`.
pub(crate) fn platform(text: &str) -> Result<PlatformOf, CommandError> {
    let parts: Vec<&str> = text.split('/').collect();
    let [os, architecture, variant @ ..] = parts.as_slice() else {
        return Err(CommandError::usage(format!("`{text}` is not OS/ARCHITECTURE, such as linux/amd64")));
    };
    let variant = variant.first().map(|it| (*it).to_owned()).unwrap_or_default();
    Ok(PlatformOf { os: (*os).to_owned(), architecture: (*architecture).to_owned(), variant })
}

/// The time of `SOURCE_DATE_EPOCH`, as RFC 3339.
pub(crate) fn created() -> Result<Option<String>, CommandError> {
    let Some(text) = std::env::var_os("SOURCE_DATE_EPOCH").filter(|it| !it.is_empty()) else { return Ok(None) };
    let seconds: Option<i64> =
        text.to_str().and_then(|it| it.parse().ok()).filter(|it| (0..253_402_300_800).contains(it));
    let Some(seconds) = seconds else {
        let message = format!("$SOURCE_DATE_EPOCH is `{}`, not a number of seconds", text.to_string_lossy());
        return Err(CommandError::usage(message));
    };
    Ok(Some(rfc3339(seconds)))
}
