//! Archives of `docker save`: `manifest.json`, configurations and layers, without manifests of images.

use std::collections::BTreeMap;
use std::io::Read;

use serde::Deserialize;

use super::digest::Digest;
use super::document::{Descriptor, ImageConfig, Manifest};
use super::error::OciError;
use super::files::Files;
use super::listing::Listing;
use super::store::{ImageSelector, Store, plain_document};
use olmdex_base::archive::{PathTarget, Tree};

/// The file that marks an archive as a saved image.
const MARK: &str = "manifest.json";

/// An archive of `docker save`. Its layers have no digests but those of the configuration, which are of their plain
/// bytes.
#[derive(Debug)]
pub struct SavedImage {
    files: Files,
    images: Listing,
    /// Manifests that are made from the parts of the archive.
    manifests: BTreeMap<Digest, Vec<u8>>,
    /// The paths of blobs.
    paths: BTreeMap<Digest, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Saved {
    config: String,
    #[serde(default)]
    repo_tags: Option<Vec<String>>,
    #[serde(default)]
    layers: Option<Vec<String>>,
}

impl SavedImage {
    /// Whether an archive is one.
    pub fn is_archive(tree: &Tree) -> bool {
        matches!(tree.find(MARK.as_bytes()), Ok(PathTarget::File(text))
            if text.part(0, 1).is_ok_and(|it| matches!(&*it, b"[" | b" " | b"\n")))
    }

    /// Opens the image in an archive.
    ///
    /// # Errors
    /// [`OciError::Document`] if its documents cannot be decoded, or do not fit together; [`OciError::Missing`].
    pub(crate) fn of_archive(tree: Tree) -> Result<Self, OciError> {
        const WHAT: &str = "`manifest.json` of the archive";
        let text = match tree.find(MARK.as_bytes()) {
            Ok(PathTarget::File(text)) => plain_document(text.reader(), WHAT)?,
            _ => return Err(OciError::Missing(format!("`{MARK}`"))),
        };
        let saved: Vec<Saved> = serde_json::from_slice(&text).map_err(|error| OciError::undecodable(WHAT, &error))?;
        let (images, manifests, paths) = (Listing::default(), BTreeMap::new(), BTreeMap::new());
        let mut this = Self { files: Files::Archive(Box::new(tree)), images, manifests, paths };
        let images = saved.into_iter().map(|it| this.add(it)).collect::<Result<Vec<_>, _>>()?;
        this.images = Listing::new(images);
        Ok(this)
    }

    /// An image of the archive, with its names.
    fn add(&mut self, saved: Saved) -> Result<(Descriptor, Vec<String>), OciError> {
        let text = plain_document(self.files.open(&saved.config)?, "configuration of the image")?;
        let diff_ids = ImageConfig::parse(&text)?.diff_ids;
        let layers = saved.layers.unwrap_or_default();
        if layers.len() != diff_ids.len() {
            let message = format!("names {} layers, and the image has {}", diff_ids.len(), layers.len());
            return Err(OciError::document("configuration of the image", message));
        }
        let mut descriptor = |digest: Digest, size: u64, path: String| {
            self.paths.insert(digest.clone(), path);
            Descriptor::new("", digest, size)
        };
        // Its name is its digest; where it is not, the archive was changed by hand.
        let config = descriptor(Digest::of(&text), text.len() as u64, saved.config);
        let mut described = Vec::with_capacity(layers.len());
        for (path, diff_id) in layers.into_iter().zip(&diff_ids) {
            let digest = diff_id
                .parse()
                .map_err(|error| OciError::document("configuration of the image", format!("{error}")))?;
            // Its length is not stated anywhere.
            described.push(descriptor(digest, u64::MAX, path));
        }
        let manifest = Manifest { artifact_type: String::new(), config, layers: described };
        let text = serde_json::to_vec(&manifest).map_err(|error| OciError::document("manifest", error.to_string()))?;
        let root = Descriptor::new("", Digest::of(&text), text.len() as u64);
        self.manifests.insert(root.digest.clone(), text);
        Ok((root, saved.repo_tags.unwrap_or_default()))
    }
}

impl Store for SavedImage {
    fn root(&self, wanted: &ImageSelector) -> Result<Descriptor, OciError> {
        self.images.choose(wanted).cloned()
    }

    fn blob(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        match self.paths.get(&descriptor.digest) {
            Some(path) => self.files.open(path),
            None => Err(OciError::Missing(descriptor.digest.to_string())),
        }
    }

    fn manifest(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + Send>, OciError> {
        match self.manifests.get(&descriptor.digest) {
            Some(text) => Ok(Box::new(std::io::Cursor::new(text.clone()))),
            None => Err(OciError::Missing(descriptor.digest.to_string())),
        }
    }
}
