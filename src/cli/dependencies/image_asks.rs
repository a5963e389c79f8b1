//! The bundles of a configuration that `olmdex images` is asked about, and the images that are known already.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use crate::ask::{ImagesQuestion, KnownImages, State, bundles_of_configuration, usual_image};
use crate::cli::args::catalog_references::CatalogReferences;
use crate::cli::args::images::{layout_of, note_usual};
use crate::cli::args::lock_file::{LockFile, images_of_lock, read_lock};
use crate::cli::args::sources::AskOptions;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::file::read_regular_of;
use crate::index::query::{BundleRow, Filter, ImageUse};
use crate::index::{Index, LightIndex};
use crate::mirror::{
    AdditionalImage, Channel, Configuration, Destination, Image, MirrorImages, Operator, Package, Range,
};
use crate::oci::Layout;
use crate::version::Version;

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
            let help = "`olmdex mirror filter --explain` shows why, and `--repair` corrects the configuration";
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

/// The configuration that mirrors images: bundles of catalogs whose references are known as operators, each with its
/// version, and the other images as additional ones.
pub(super) fn as_configuration(
    context: &Context,
    state: &State<'_, LightIndex>,
    catalogs: &[String],
    images: &[ImageUse],
) -> Result<Configuration, CommandError> {
    let references = CatalogReferences::found(context)?.named_in(state)?;
    let index = state.index;
    let used: HashSet<&str> = images.iter().flat_map(|image| &image.bundles).map(String::as_str).collect();
    let filter = Filter { catalogs: catalogs.to_vec(), ..Filter::default() };
    let mut rows: BTreeMap<String, BTreeMap<String, Vec<BundleRow>>> = BTreeMap::new();
    for row in index.bundles(&filter)?.into_iter().filter(|row| used.contains(row.bundle.as_str())) {
        let of_catalog = rows.entry(row.catalog.clone()).or_default();
        of_catalog.entry(row.package.clone()).or_default().push(row);
    }
    let mut configuration = Configuration::default();
    let mut covered: HashSet<String> = HashSet::new();
    for (catalog, packages) in rows {
        let named = references.of(index, &catalog)?;
        let usual = usual_image(&catalog).filter(|_| named.is_none());
        if let Some(reference) = &usual {
            note_usual(context, &format!("catalog `{catalog}`"), reference);
        }
        let Some(reference) = named.or(usual) else {
            context.reporter.note(&format!(
                "the image of catalog `{catalog}` has no known reference, so its bundles are listed as images: name it with \
                 `-i REFERENCE=SOURCE`, `--source-map REFERENCE={catalog}`, in olmdex.toml or with `olmdex build \
                 --label {catalog}:image=REFERENCE`"
            ));
            continue;
        };
        let mut operator = Operator { catalog: reference, ..Operator::default() };
        for (package, rows) in packages {
            let filter = Filter::in_catalog(&catalog, &package);
            let default = index.packages(&filter)?.pop().map(|row| row.default_channel).unwrap_or_default();
            covered.extend(rows.iter().map(|row| row.bundle.clone()));
            operator.packages.push(wanted(package, &default, &rows));
        }
        configuration.operators.push(operator);
    }
    let is_other = |image: &&ImageUse| {
        !image.image.is_empty() && (image.bundles.is_empty() || !image.bundles.iter().all(|it| covered.contains(it)))
    };
    let additional = |image: &ImageUse| AdditionalImage { name: image.image.clone(), ..AdditionalImage::default() };
    configuration.additional_images = images.iter().filter(is_other).map(additional).collect();
    Ok(configuration)
}

/// The wish for some bundles of a package: the default channel, or another one that lists them, with their versions.
fn wanted(package: String, default: &str, rows: &[BundleRow]) -> Package {
    let mut versions: BTreeMap<&str, Vec<(Option<Version>, &str)>> = BTreeMap::new();
    for row in rows {
        let mut own = row.channels.iter().map(String::as_str);
        let channel = own.clone().find(|channel| *channel == default).or_else(|| own.next_back()).unwrap_or(default);
        versions.entry(channel).or_default().push((Version::parse(&row.version).ok(), &row.version));
    }
    let range = |versions: Vec<(Option<Version>, &str)>| {
        let bound = |found: Option<&(Option<Version>, &str)>| found.map(|it| it.1.to_owned()).unwrap_or_default();
        Range::new(&bound(versions.iter().min()), &bound(versions.iter().max()))
    };
    // oc-mirror refuses a package whose default channel is not among the channels.
    let default_channel = match versions.contains_key(default) {
        true => String::new(),
        false => versions.keys().next_back().map(|channel| (*channel).to_owned()).unwrap_or_default(),
    };
    let channel =
        |(name, found): (&str, _)| Channel { name: name.to_owned(), range: range(found), ..Channel::default() };
    let channels = versions.into_iter().map(channel).collect();
    Package { name: package, default_channel, channels, ..Package::default() }
}
