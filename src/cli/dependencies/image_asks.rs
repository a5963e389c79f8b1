//! Which bundles `olmdex images` is asked about by a configuration, and which images are known already.
//!
//! What it deliberately does not do: it lists no images.

use std::collections::HashSet;
use std::path::Path;

use crate::ask::{BundlePlace, Catalogs};
use crate::cli::args::lock_file::{LockFile, read_lock};
use crate::cli::args::sources::AskOptions;
use crate::cli::args::text::text_of;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::file::read_regular_of;
use crate::index::Index;
use crate::mirror::{self, Catalog, Dialect, FilterVersion, Image};

/// Adds the bundles that a configuration keeps. Whether it keeps all that it asks for.
pub(super) fn of_configuration(
    context: &Context,
    index: &Index,
    catalogs: &[String],
    path: &Path,
    bundles: &mut Vec<BundlePlace>,
) -> Result<bool, CommandError> {
    let configuration = mirror::read(&text_of(path)?, Dialect::Named)?;
    let names = if catalogs.is_empty() { index.catalog_names()? } else { catalogs.to_vec() };
    let mut is_complete = true;
    for operator in &configuration.operators {
        let name = Catalogs::of_image(&names, &operator.catalog)?;
        let wanted = mirror::wanted(operator);
        let input = match &wanted {
            Some(wanted) => index.packages_input(name, wanted.iter().copied())?,
            None => index.catalog_input(name)?,
        };
        let catalog = Catalog::read(&input, wanted.as_ref());
        let filtered = mirror::filter(&catalog, operator, FilterVersion::default())
            .map_err(|error| CommandError::new(Exit::Input, error.to_string()))?;
        for package in operator.packages.iter().filter(|it| !catalog.packages.contains_key(&it.name)) {
            let message = format!("catalog `{name}` has no package `{}`", package.name);
            context.reporter.error(&CommandError::new(Exit::NotFound, message));
            is_complete = false;
        }
        for (package, kept) in &filtered.packages {
            if let (Err(error), Some(facts)) = (kept, catalog.packages.get(package)) {
                let message = format!("package `{package}`: {}", mirror::refused(&error.error, facts));
                let help = "`olmdex filter --explain` says why, and `--repair` changes the configuration";
                context.reporter.error(&CommandError::new(Exit::No, message).help(help));
                is_complete = false;
            }
        }
        let kept = mirror::bundles(&catalog, &filtered);
        bundles.extend(kept.map(|(package, it)| (name.to_owned(), package.to_owned(), it.name.clone())));
    }
    if !configuration.additional_images.is_empty() {
        let message = "the `additionalImages` of the configuration belong to no bundle and are not listed";
        context.reporter.note(&format!("{message}; `olmdex filter -c FILE -o images` lists them too"));
    }
    Ok(is_complete)
}

/// The images that a lock, a catalog or a list has.
pub(super) fn known_since(context: &Context, index: &Index, old: &Path) -> Result<HashSet<String>, CommandError> {
    if old.is_file()
        && let Ok(text) = read_regular_of(old, LockFile::MAX_LEN)
        && let Ok(text) = String::from_utf8(text)
    {
        if text.contains("[[operator]]") {
            let lock = read_lock(old, &text)?;
            let of_lock =
                |it: &crate::lock::LockedOperator| (it.catalog.clone(), it.package.clone(), it.bundle.clone());
            let mut known: HashSet<String> = HashSet::new();
            for it in &lock.operators {
                if let crate::lock::Images::List(images) = &it.images {
                    known.extend(images.iter().cloned());
                    continue;
                }
                let found = index.image_uses(&[of_lock(it)])?;
                if found.is_empty() {
                    let message =
                        format!("the catalogs do not have `{}` any more, and the lock only its digest", it.bundle);
                    context.reporter.warning(&format!("{message}; `olmdex lock --list-images` writes the images"));
                }
                known.extend(found.into_iter().map(|it| it.image));
            }
            return Ok(known);
        }
        let lines = || text.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'));
        if lines().all(|it| Image::parse(it).is_some()) {
            return Ok(lines().map(str::to_owned).collect());
        }
    }
    let index = AskOptions::of_sources(&[old.to_owned()]).open(context)?;
    Ok(index.image_references()?.into_iter().collect())
}
