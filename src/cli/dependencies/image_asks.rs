//! The bundles of a configuration that `olmdex images` is asked about, and the images that are known already.

use std::collections::HashSet;
use std::path::Path;

use crate::ask::{ImagesQuestion, KnownImages, bundles_of_configuration};
use crate::cli::args::images::layout_of;
use crate::cli::args::lock_file::{LockFile, images_of_lock, read_lock};
use crate::cli::args::sources::AskOptions;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::file::read_regular_of;
use crate::index::Index;
use crate::mirror::{Configuration, Destination, Image, MirrorImages};
use crate::oci::Layout;

/// Adds the bundles and the additional images that a configuration keeps. Returns whether it keeps all that it asks
/// for.
pub(super) fn of_configuration(
    context: &Context,
    index: &Index,
    configuration: &Configuration,
    to: Option<&Destination>,
    question: &mut ImagesQuestion,
) -> Result<bool, CommandError> {
    let additional = MirrorImages::of(configuration, [], to);
    additional.refused.iter().for_each(|error| context.reporter.error(&CommandError::from(error.clone())));
    question.additional.extend(additional.all().into_iter().map(|it| it.image.to_string()));
    let mut is_complete = additional.refused.is_empty();
    let mut bundles = Vec::new();
    for part in bundles_of_configuration(index, &question.catalog, configuration)? {
        for package in &part.missing {
            let message = format!("catalog `{}` has no package `{package}`", part.catalog);
            context.reporter.error(&CommandError::new(Exit::NotFound, message));
        }
        for (package, why) in &part.refused {
            let error = CommandError::new(Exit::No, format!("package `{package}`: {why}"));
            let help = "`olmdex filter --explain` shows why, and `--repair` corrects the configuration";
            context.reporter.error(&error.help(help));
        }
        is_complete &= part.missing.is_empty() && part.refused.is_empty();
        bundles.extend(part.bundles);
    }
    question.others = Some(bundles);
    Ok(is_complete)
}

/// The images that are known already.
#[derive(Debug, Default)]
pub(super) struct ImageInventory {
    pub(super) images: KnownImages,
    /// The digests of the existing blobs, as far as the place can be read.
    pub(super) blobs: HashSet<String>,
}

/// The images that a lock, a catalog, a list or a mirror has.
pub(super) fn known_since(context: &Context, index: &Index, old: &Path) -> Result<ImageInventory, CommandError> {
    if let Some(known) = of_mirror(old)? {
        return Ok(known);
    }
    let references = references_since(context, index, old)?;
    let references = references.iter().map(|it| Image::copyable_name(it).into_owned()).collect();
    let images = KnownImages { references, ..KnownImages::default() };
    Ok(ImageInventory { images, ..ImageInventory::default() })
}

/// The images of a layout, unless it holds one image, which is a catalog.
fn of_mirror(old: &Path) -> Result<Option<ImageInventory>, CommandError> {
    let Some(directory) = layout_of(old) else { return Ok(None) };
    let cannot = |error| crate::cli::args::destination::cannot("read", &old.to_string_lossy(), error);
    let Some(layout) = Layout::open(&directory).ok().filter(|it| it.images().count() != 1) else { return Ok(None) };
    let mut known = ImageInventory::default();
    for (digest, name) in layout.images() {
        known.images.digests.insert(digest.to_string());
        known.images.references.insert(Image::copyable_name(&name).into_owned());
    }
    known.blobs = layout.blobs().map_err(cannot)?.into_keys().map(|it| it.to_string()).collect();
    Ok(Some(known))
}

/// The references that a lock, a catalog or a list has.
fn references_since(context: &Context, index: &Index, old: &Path) -> Result<HashSet<String>, CommandError> {
    if old.is_file()
        && let Ok(text) = read_regular_of(old, LockFile::MAX_LEN)
        && let Ok(text) = String::from_utf8(text)
    {
        if text.contains("[[operator]]") {
            let lock = read_lock(old, &text)?;
            return images_of_lock(context, &lock, Some(index));
        }
        let lines = || text.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'));
        if lines().all(|it| Image::parse(it).is_some()) {
            return Ok(lines().map(str::to_owned).collect());
        }
    }
    let index = AskOptions::of_sources(&[old.to_owned()]).open(context)?;
    Ok(index.image_references()?.into_iter().collect())
}
