//! The two states of a mirror that are compared, and the places of the manifests of their images.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use rayon::prelude::*;

use super::arguments::AskedFor;
use super::entries;
use super::filter::kept_images;
use crate::ask::{MirrorState, StateImage};
use crate::cli::args::images::layout_of;
use crate::cli::args::lock_file::{LockFile, images_of_lock, read_lock};
use crate::cli::args::sources::{AskOptions, check_names};
use crate::cli::args::text::{configuration_of, misread};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cli::terminal::progress::Progress;
use crate::file::read_regular_of;
use crate::lock::{Images, Lock};
use crate::mirror::{self, Configuration, Destination, Dialect, Image, NOT_LISTED};
use crate::oci::{Digest, ImageBlobs, ImageSelector, Layout, OciError, Platform};
use crate::source::{is_index, names_image_set};

/// How many images are looked up at once.
const AT_ONCE: usize = 8;

/// The old and the new selection of a mirror.
#[derive(Debug, Args)]
pub(super) struct Selections {
    /// Selection that the mirror has
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// Selection that it is to have
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Take only what this ImageSetConfiguration keeps of the catalogs. Default: all images
    #[arg(short = 'c', long = "imageset", value_name = "FILE|-")]
    imageset: Option<PathBuf>,
    /// Catalog of OLD and NEW if these are a lock or a configuration: REFERENCE=SOURCE, or SOURCE for all that are not
    /// named; may be repeated
    #[arg(short, long, value_name = "[REFERENCE=]SOURCE")]
    input: Vec<String>,
    /// The catalog of an index
    #[arg(long, value_name = "NAME")]
    catalog: Option<String>,
}

/// The places of the manifests of images.
#[derive(Debug, Args)]
pub(super) struct Places {
    /// Place of manifests, in addition to the compared layouts: a layout, oci:DIR, a mirror, docker://HOST[/PATH], or
    /// `docker://` for the registries of the images; may be repeated
    #[arg(long, value_name = "MIRROR")]
    at: Vec<String>,
}

/// A state as it was named.
enum Selection {
    Layout(Layout),
    /// References, and wishes that are not listed.
    References(BTreeSet<String>, Vec<String>),
}

impl Selection {
    fn references(&self) -> impl Iterator<Item = &String> {
        match self {
            Self::Layout(_) => None,
            Self::References(references, _) => Some(references),
        }
        .into_iter()
        .flatten()
    }
}

/// The blobs of images, by the references of the images.
type BlobsByReference<'r> = BTreeMap<&'r String, Result<ImageBlobs, String>>;

impl Selections {
    /// Both states, and the exit code unless a later step makes it worse.
    pub(super) fn states(&self, context: &Context, places: &Places) -> Result<([MirrorState; 2], Exit), CommandError> {
        let mut exit = Exit::Yes;
        let old = self.read(context, &self.old, &mut exit)?;
        let new = self.read(context, &self.new, &mut exit)?;
        let known = [&old, &new].map(|it| match it {
            Selection::Layout(layout) => Some(layout),
            Selection::References(..) => None,
        });
        let opened = PlaceSet::new(context, places, known.into_iter().flatten().collect())?;
        let found = opened.look_up(context, [&old, &new].into_iter().flat_map(Selection::references).collect())?;
        let mut states = [opened.state(&old, &found)?, opened.state(&new, &found)?];
        if let ([old, new], Selection::References(..)) = (&mut states, &new) {
            // Only a layout can say that a release is not wanted.
            new.images.extend(old.images.iter().filter(|it| mirror::is_of_release(&it.name)).cloned());
        }
        Ok((states, exit))
    }

    fn read(&self, context: &Context, named: &Path, exit: &mut Exit) -> Result<Selection, CommandError> {
        if let Some(directory) = layout_of(named) {
            let cannot = |error| crate::cli::args::destination::cannot("read", &named.to_string_lossy(), error);
            return Ok(Selection::Layout(Layout::open(&directory).map_err(cannot)?));
        }
        let text =
            if named.is_file() && !is_index(named) { read_regular_of(named, LockFile::MAX_LEN).ok() } else { None };
        let text = text.and_then(|it| String::from_utf8(it).ok());
        // A list may say what it lacks.
        let comments = text.iter().flat_map(|it| it.lines()).filter_map(|it| it.strip_prefix(NOT_LISTED));
        let unlisted = comments.map(str::to_owned).collect();
        let references = match text {
            Some(text) if text.contains("[[operator]]") => self.of_lock(context, &read_lock(named, &text)?)?,
            Some(text) if names_image_set(&text) => {
                let configuration = mirror::read(text.as_bytes(), Dialect::Named);
                let misread = |error| misread(named, text.as_bytes(), Dialect::Named, &error);
                let configuration = configuration.map_err(misread)?;
                return self.kept(context, named, &configuration, &self.input, exit);
            }
            Some(text) if references_of(&text).all(|it| Image::parse(it).is_some()) => {
                references_of(&text).map(str::to_owned).collect()
            }
            _ => return self.of_catalog(context, named, exit),
        };
        Ok(Selection::References(references, unlisted))
    }

    fn of_lock(&self, context: &Context, lock: &Lock) -> Result<BTreeSet<String>, CommandError> {
        let needs_catalog = lock.operators.iter().any(|it| !matches!(it.images, Images::List(_)));
        let index = match needs_catalog {
            true => Some(AskOptions::of_words(&self.input).open(context)?),
            false => None,
        };
        Ok(images_of_lock(context, lock, index.as_deref())?.into_iter().collect())
    }

    fn of_catalog(&self, context: &Context, named: &Path, exit: &mut Exit) -> Result<Selection, CommandError> {
        if let Some(path) = &self.imageset {
            let configuration = configuration_of(path, Dialect::Named)?;
            let source = [named.to_string_lossy().into_owned()];
            return self.kept(context, path, &configuration, &source, exit);
        }
        let index = AskOptions::of_sources(&[named.to_owned()]).open(context)?;
        if let Some(catalog) = &self.catalog {
            check_names(std::slice::from_ref(catalog), &index.catalog_names()?)?;
        }
        let references = index.image_references_of(self.catalog.as_deref())?;
        Ok(Selection::References(references.into_iter().collect(), Vec::new()))
    }

    /// The images that a configuration keeps.
    fn kept(
        &self,
        context: &Context,
        path: &Path,
        configuration: &Configuration,
        input: &[String],
        exit: &mut Exit,
    ) -> Result<Selection, CommandError> {
        configuration.check_listed()?;
        let catalog = self.catalog.as_deref();
        let entries = entries::open(context, configuration.operators.clone(), input, catalog)?;
        let asked = AskedFor {
            imageset: vec![path.to_owned()],
            input: input.to_vec(),
            catalog: self.catalog.clone(),
            ..AskedFor::default()
        };
        let (kept, found) = kept_images(context, &asked, configuration, &entries)?;
        if found != Exit::Yes {
            *exit = found;
        }
        let references = kept.into_iter().map(|it| it.image.to_string()).collect();
        Ok(Selection::References(references, configuration.unlisted.iter().map(|&it| it.to_owned()).collect()))
    }
}

/// The lines of a list of references.
fn references_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'))
}

/// Registries that may have the manifests.
enum Registries {
    /// The registry in the reference.
    Own,
    Mirror(Destination),
}

/// The places, opened.
struct PlaceSet<'s> {
    /// Layouts of `--at`, in which names identify images.
    layouts: Vec<Layout>,
    /// Compared layouts, in which only digests identify images.
    compared: Vec<&'s Layout>,
    registries: Vec<Registries>,
    platform: Option<Platform>,
}

impl<'s> PlaceSet<'s> {
    fn new(context: &Context, places: &Places, compared: Vec<&'s Layout>) -> Result<Self, CommandError> {
        let platform = Some(context.opener.images.platform.clone()).filter(Platform::is_asked);
        let mut this = Self { layouts: Vec::new(), compared, registries: Vec::new(), platform };
        for place in &places.at {
            if let Some(host) = place.strip_prefix("docker://") {
                if cfg!(not(feature = "oci")) {
                    let error = CommandError::usage("this build of olmdex has no support for registries");
                    return Err(error.help("name an OCI layout: `--at oci:DIR`"));
                }
                let mirror = || {
                    let error = CommandError::usage(format!("`{place}` does not name a registry"));
                    let help = "name a host with a dot or a port: `docker://mirror.example.com:5000/operators`";
                    Destination::parse(host, None).map(Registries::Mirror).ok_or_else(|| error.help(help))
                };
                this.registries.push(if host.is_empty() { Registries::Own } else { mirror()? });
                continue;
            }
            let Some(directory) = layout_of(Path::new(place)) else {
                let error = CommandError::usage(format!("`{place}` is not a mirror"));
                return Err(error.help("name a registry, `docker://HOST`, or an OCI layout, `oci:DIR`"));
            };
            let cannot = |error| crate::cli::args::destination::cannot("read", place, error);
            this.layouts.push(Layout::open(&directory).map_err(cannot)?);
        }
        Ok(this)
    }

    /// The blobs of images, each looked up once.
    fn look_up<'r>(
        &self,
        context: &Context,
        references: BTreeSet<&'r String>,
    ) -> Result<BlobsByReference<'r>, CommandError> {
        let done = Arc::new(AtomicUsize::new(0));
        let _progress =
            Progress::counting(context, "reading manifests".to_owned(), Arc::clone(&done), references.len());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(AT_ONCE).build().map_err(std::io::Error::other)?;
        let one = |reference: &'r String| {
            let found = self.look(context, reference);
            done.fetch_add(1, Ordering::Relaxed);
            (reference, found)
        };
        Ok(pool.install(|| references.into_par_iter().map(one).collect()))
    }

    fn state(&self, selection: &Selection, found: &BlobsByReference<'_>) -> Result<MirrorState, CommandError> {
        let (references, unlisted) = match selection {
            Selection::Layout(layout) => return self.of_layout(layout),
            Selection::References(references, unlisted) => (references, unlisted.clone()),
        };
        let image = |name: &String| {
            let nothing = || Err("no manifest is available".to_owned());
            StateImage { name: name.clone(), blobs: found.get(name).cloned().unwrap_or_else(nothing) }
        };
        Ok(MirrorState { images: references.iter().map(image).collect(), held: None, unlisted })
    }

    fn of_layout(&self, layout: &Layout) -> Result<MirrorState, CommandError> {
        let held =
            layout.blobs().map_err(|error| crate::cli::args::destination::cannot("read", "the layout", error))?;
        let mut read: BTreeMap<&Digest, Result<ImageBlobs, String>> = BTreeMap::new();
        let mut images = Vec::new();
        for (digest, name) in layout.images() {
            let blobs =
                read.entry(digest).or_insert_with(|| self.in_layout(layout, digest).map_err(|it| it.to_string()));
            let name = if name.is_empty() { format!("@{digest}") } else { name };
            images.push(StateImage { name, blobs: blobs.clone() });
        }
        images.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(MirrorState { images, held: Some(held), unlisted: Vec::new() })
    }

    /// The blobs of an image of a layout.
    fn in_layout(&self, layout: &Layout, digest: &Digest) -> Result<ImageBlobs, OciError> {
        let root = layout.manifest_of(digest).ok_or_else(|| OciError::Missing(digest.to_string()))?;
        ImageBlobs::of_root(layout, root, self.platform.as_ref())
    }

    /// Looks an image up, in layouts first: they answer at once.
    fn look(&self, context: &Context, reference: &str) -> Result<ImageBlobs, String> {
        let Some(image) = Image::parse(reference) else { return Err("it is not a reference".to_owned()) };
        let digest: Option<Digest> = image.digest.as_ref().and_then(|it| it.parse().ok());
        let mut failed = None;
        for layout in self.layouts.iter().chain(self.compared.iter().copied().filter(|_| digest.is_some())) {
            let found = match &digest {
                Some(digest) => self.in_layout(layout, digest),
                None => {
                    let wanted = ImageSelector { tag: Some(reference.to_owned()), digest: None };
                    ImageBlobs::read(layout, &wanted, self.platform.as_ref())
                }
            };
            match found {
                Ok(blobs) => return Ok(blobs),
                Err(OciError::Missing(_) | OciError::Choice { .. }) => {}
                Err(error) => failed = failed.or(Some(error.to_string())),
            }
        }
        for registries in &self.registries {
            match self.in_registry(context, registries, &image, reference) {
                Ok(blobs) => return Ok(blobs),
                Err(error) => failed = failed.or(Some(error.to_string())),
            }
        }
        let nowhere = match (self.layouts.is_empty(), self.registries.is_empty()) {
            (true, true) => "no manifest is available",
            _ => "none of these places has it",
        };
        Err(failed.unwrap_or_else(|| nowhere.to_owned()))
    }

    #[cfg(feature = "oci")]
    fn in_registry(
        &self,
        context: &Context,
        registries: &Registries,
        image: &Image,
        reference: &str,
    ) -> Result<ImageBlobs, OciError> {
        let name = match registries {
            Registries::Own => reference.to_owned(),
            Registries::Mirror(to) => {
                let at = to.of_image(image);
                match &image.digest {
                    Some(digest) => format!("{}@{digest}", at.location()),
                    None => at.to_string(),
                }
            }
        };
        let registry = context.opener.registries.image(&name)?;
        registry.confirm()?;
        ImageBlobs::read(&registry, &ImageSelector::default(), self.platform.as_ref())
    }

    #[cfg(not(feature = "oci"))]
    fn in_registry(&self, _: &Context, _: &Registries, _: &Image, reference: &str) -> Result<ImageBlobs, OciError> {
        Err(OciError::Missing(reference.to_owned()))
    }
}
