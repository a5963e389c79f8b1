//! The bundles of images from local sources: directories, layouts, catalogs (`docs/behaviour/authoring.md` C.5).
//!
//! This module deliberately asks no registry, unless the caller allowed it to.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use thiserror::Error;

use super::bundle_tree::{BundleTree, Match};
use super::{Opener, Source, SourceError, unreadable};
use crate::oci::{Layout, Reference};
use crate::template::{BundleImages, ImageContent, Unavailable};
use olmdex_fbc::{Document, Typed, load_all};
use olmdex_index::{Index, IndexError};
use olmdex_text::json::Tree;

/// The sources that are searched for the bundles of images; the first one that has a bundle counts.
#[derive(Debug)]
pub struct Images<'o> {
    opener: &'o Opener,
    given: BTreeMap<String, PathBuf>,
    trees: Vec<BundleTree>,
    /// Layouts, by their names on the command line.
    layouts: Vec<String>,
    catalogs: Vec<Source>,
    /// Whether registries are asked for the rest.
    pulls: bool,
}

/// The places where a user says that the bundles of images are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BundlePlaces {
    /// Bundle directories, or images in layouts and archives, by reference.
    pub given: Vec<(String, PathBuf)>,
    /// Trees of bundle directories, and layouts.
    pub trees: Vec<PathBuf>,
    /// Catalogs and indexes.
    pub catalogs: Vec<PathBuf>,
    /// Whether registries are asked for the rest.
    pub pulls: bool,
}

/// The reasons why a source of images cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImagesError {
    /// It is not a source.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// An image was given two directories.
    #[error("`{0}` is given twice")]
    Twice(String),
    /// A directory that should have bundles.
    #[error("`{}` does not exist", .0.display())]
    NotThere(PathBuf),
}

impl<'o> Images<'o> {
    /// Makes an instance without sources; `pulls` tells whether registries are asked for missing images.
    pub fn new(opener: &'o Opener, pulls: bool) -> Self {
        let (given, trees, layouts, catalogs) = (BTreeMap::new(), Vec::new(), Vec::new(), Vec::new());
        Self { opener, given, trees, layouts, catalogs, pulls }
    }

    /// Opens the named places. `-` among them is `stdin`.
    ///
    /// # Errors
    /// [`ImagesError`], of the first place that is none.
    pub fn at(opener: &'o Opener, places: &BundlePlaces, stdin: &mut dyn io::Read) -> Result<Self, ImagesError> {
        let mut images = Self::new(opener, places.pulls);
        places.given.iter().try_for_each(|(image, path)| images.give(image, path))?;
        places.trees.iter().try_for_each(|path| images.add_directory(path))?;
        places.catalogs.iter().try_for_each(|path| images.add_catalog(path, stdin))?;
        Ok(images)
    }

    /// Adds a bundle directory, or an image in a layout or archive, for one reference.
    ///
    /// # Errors
    /// [`ImagesError::Twice`], or if there is no such directory.
    pub fn give(&mut self, image: &str, path: &Path) -> Result<(), ImagesError> {
        if self.given.insert(image.to_owned(), path.to_owned()).is_some() {
            return Err(ImagesError::Twice(image.to_owned()));
        }
        // A path with a colon may be an image in a layout or archive.
        match path.to_string_lossy().contains(':') || path.exists() {
            true => Ok(()),
            false => Err(ImagesError::NotThere(path.to_owned())),
        }
    }

    /// Adds a tree of bundle directories, or a layout whose images have their references or digests as names.
    ///
    /// # Errors
    /// If it is neither.
    pub fn add_directory(&mut self, path: &Path) -> Result<(), ImagesError> {
        let directory = path.to_str().and_then(|it| it.strip_prefix("oci:")).filter(|_| !path.exists());
        let layout = directory.map_or(path, Path::new);
        if Layout::is_in(layout) {
            self.layouts.push(format!("oci:{}", layout.display()));
            return Ok(());
        }
        if !layout.exists() {
            return Err(ImagesError::NotThere(layout.to_owned()));
        }
        self.trees.push(BundleTree::open(path).map_err(|error| unreadable(path, error))?);
        Ok(())
    }

    /// A catalog that has bundles.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn add_catalog(&mut self, path: &Path, stdin: &mut dyn io::Read) -> Result<(), ImagesError> {
        self.catalogs.push(self.opener.open(path, stdin)?);
        Ok(())
    }

    /// Like [`Self::add_catalog`], for one that is open already.
    pub fn add(&mut self, catalog: Source) {
        self.catalogs.push(catalog);
    }

    /// The content of an image in a directory, a layout or a registry; `None` if none of them knows it.
    fn in_files(&self, image: &str) -> Result<Option<ImageContent>, Unavailable> {
        let refused = |message: String, help: Option<String>| Unavailable { message, help, is_unknown: false };
        let read = |path: &Path| match self.opener.read_bundle(path) {
            Ok(bundle) => Ok(Some(ImageContent::Files(Arc::new(bundle)))),
            Err(error) => Err(refused(error.to_string(), Some(error.help()))),
        };
        if let Some(path) = self.given.get(image) {
            return read(path);
        }
        for tree in &self.trees {
            match tree.find(image).map_err(|message| refused(message, None))? {
                Match::None => {}
                Match::One(path) => match tree.loaded(&path) {
                    Some(bundle) => return Ok(Some(ImageContent::Files(bundle))),
                    None => return read(&path),
                },
                Match::Several(paths) => {
                    let paths: Vec<String> = paths.iter().map(|it| format!("`{}`", it.display())).collect();
                    let message = format!("`{image}` could be any of {}", paths.join(", "));
                    return Err(refused(message, Some(format!("choose one with `--bundle {image}=DIR`"))));
                }
            }
        }
        for layout in &self.layouts {
            let names = match image.parse::<Reference>() {
                Ok(Reference { digest: Some(digest), .. }) => vec![format!("{layout}@{digest}")],
                _ => vec![format!("{layout}:{image}")],
            };
            for name in names {
                // An image that the layout does not have may be elsewhere.
                let is_there = self.opener.store(&name).is_ok_and(|(store, wanted)| store.root(&wanted).is_ok());
                if is_there {
                    return read(Path::new(&name));
                }
            }
        }
        Ok(None)
    }

    fn in_registry(&self, image: &str) -> Result<ImageContent, Unavailable> {
        let name = format!("docker://{image}");
        match self.opener.read_bundle(Path::new(&name)) {
            Ok(bundle) => Ok(ImageContent::Files(Arc::new(bundle))),
            Err(error) => Err(Unavailable { message: error.to_string(), help: Some(error.help()), is_unknown: false }),
        }
    }

    fn unknown(&self, image: &str) -> Unavailable {
        let pull = format!("fetch it with `--pull`, or name its directory with `--bundle {image}=DIR`");
        let copy =
            format!("copy it first: `skopeo copy docker://{image} oci:bundles:{image}` and `--bundles oci:bundles`");
        let trees: Vec<String> = self.trees.iter().map(|it| it.unlike(image)).collect();
        let help =
            if trees.is_empty() { format!("{pull}, or {copy}") } else { format!("{}; {pull}", trees.join("; ")) };
        Unavailable { message: format!("the image `{image}` is not known offline"), help: Some(help), is_unknown: true }
    }

    /// The blobs that catalogs have of images, by the names that these go by, each with the name in the catalog.
    fn in_catalogs(&self, images: &[&str]) -> Result<BTreeMap<String, (String, String)>, String> {
        let mut found = BTreeMap::new();
        if images.is_empty() {
            return Ok(found);
        }
        let wanted: Vec<String> = images.iter().flat_map(|it| names_of(it)).collect();
        for source in &self.catalogs {
            let mut take = |image: &str, text: String| {
                for name in names_of(image).into_iter().filter(|it| wanted.contains(it)) {
                    found.entry(name).or_insert_with(|| (image.to_owned(), text.clone()));
                }
            };
            match source {
                Source::Catalog(input) => {
                    let of_image = |document: Document<'_>| {
                        let blob = document.blob.ok()?;
                        let Typed::Bundle(bundle) = &blob.typed else { return None };
                        let is_wanted = names_of(&bundle.image).iter().any(|name| wanted.contains(name));
                        is_wanted.then(|| (bundle.image.to_string(), blob.value.compact()))
                    };
                    for (image, text) in load_all(input, &of_image).into_iter().flatten() {
                        take(&image, text);
                    }
                }
                Source::Index(path) => {
                    let failed = |error: IndexError| error.to_string();
                    let names: Vec<&str> = wanted.iter().map(String::as_str).collect();
                    let index = Index::open(path).map_err(failed)?;
                    let digests: Vec<&str> = names.iter().copied().filter(|name| is_digest(name)).collect();
                    let by_name = index.bundles_of_images(&names).map_err(failed)?;
                    let by_digest = index.bundles_of_digests(&digests).map_err(failed)?;
                    for (image, text) in by_name.into_iter().chain(by_digest) {
                        take(&image, text);
                    }
                }
            }
        }
        Ok(found)
    }
}

/// The names that an image goes by: as it is written, in full, without its tag, and by its digest alone, which is that
/// of the same bundle in another repository.
fn names_of(image: &str) -> Vec<String> {
    let mut names = vec![image.to_owned()];
    if let Ok(reference) = image.parse::<Reference>() {
        names.push(reference.to_string());
        if let Some(digest) = reference.digest.clone() {
            names.push(Reference { tag: None, ..reference }.to_string());
            names.push(digest.to_string());
        }
    }
    names.dedup();
    names
}

fn is_digest(name: &str) -> bool {
    !name.contains('/') && ["sha256:", "sha512:"].iter().any(|algorithm| name.starts_with(algorithm))
}

/// The blob of an image as opm renders it by another name.
fn renamed(text: &str, from: &str, to: &str) -> Option<String> {
    let mut blob = Tree::read(text).ok()?;
    blob.set_text("image", to);
    if blob.get_field("relatedImages").is_some() {
        blob.change_list("relatedImages", |images| {
            for image in images.iter_mut().filter(|image| image.text_of_field("image") == from) {
                image.set_text("image", to);
            }
        });
    }
    Some(blob.compact())
}

impl BundleImages for Images<'_> {
    fn bundles(&self, images: &[&str]) -> Vec<Result<ImageContent, Unavailable>> {
        // Each bundle is parsed once, even if that is needed to choose among several.
        let open: Vec<&str> = images.iter().copied().filter(|it| !self.given.contains_key(*it)).collect();
        self.trees.iter().for_each(|it| it.load(&open, &|path| self.opener.read_bundle(path).ok()));
        let mut found: Vec<Option<Result<ImageContent, Unavailable>>> =
            images.par_iter().map(|it| self.in_files(it).transpose()).collect();
        let open: Vec<&str> = images.iter().zip(&found).filter(|it| it.1.is_none()).map(|it| *it.0).collect();
        match self.in_catalogs(&open) {
            Ok(blobs) => {
                for (image, found) in images.iter().zip(&mut found).filter(|it| it.1.is_none()) {
                    let blob = names_of(image).into_iter().find_map(|name| Some((is_digest(&name), blobs.get(&name)?)));
                    let Some((is_other_name, (known, text))) = blob else { continue };
                    let text = match is_other_name {
                        true => renamed(text, known, image).unwrap_or_else(|| text.clone()),
                        false => text.clone(),
                    };
                    *found = Some(Ok(ImageContent::Blob(text)));
                }
            }
            Err(message) => {
                for found in found.iter_mut().filter(|it| it.is_none()) {
                    *found = Some(Err(Unavailable { message: message.clone(), help: None, is_unknown: false }));
                }
            }
        }
        let rest = |(image, found): (&&str, Option<_>)| match found {
            Some(found) => found,
            None if self.pulls => self.in_registry(image),
            None => Err(self.unknown(image)),
        };
        images.iter().zip(found).map(rest).collect()
    }
}
