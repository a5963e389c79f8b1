//! One image of a store: its manifest and its configuration.

use std::path::PathBuf;

use super::digest::Digest;
use super::document::{Descriptor, Document, ImageConfig, Manifest};
use super::error::OciError;
use super::platform::Platform;
use super::store::{ImageSelector, Store, document, must_be_small, read_again_if_damaged};
use olmdex_base::archive::Limits;

/// The settings for reading an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageOptions {
    /// Which image of an index is meant.
    pub platform: Platform,
    /// The limits of each layer.
    pub limits: Limits,
    /// Bytes of all layers when they are decompressed.
    pub image_limit: u64,
    /// How many layers.
    pub layer_limit: usize,
    /// The directory for temporary files.
    pub scratch: PathBuf,
    /// Whether an image that is a catalog and a legacy database is the database, as opm 1.73 has it.
    pub prefers_database: bool,
    /// The path of a legacy database in an image, whatever its labels.
    pub database: Option<String>,
    /// Whether the user trusts repositories of git: they may name files and objects outside of themselves.
    pub trusts_repositories: bool,
}

impl ImageOptions {
    /// For the platform of this program, with the default limits.
    pub fn new(scratch: PathBuf) -> Self {
        Self {
            platform: Platform::host(),
            limits: Limits::default(),
            image_limit: 8 << 30,
            layer_limit: 100,
            scratch,
            prefers_database: false,
            database: None,
            trusts_repositories: false,
        }
    }

    /// Without limits.
    #[must_use]
    pub fn unlimited(self) -> Self {
        Self { limits: Limits::NONE, image_limit: u64::MAX, layer_limit: usize::MAX, ..self }
    }
}

/// The label of a catalog, and of a legacy database.
pub(super) const CONFIGS: &str = "operators.operatorframework.io.index.configs.v1";
pub(super) const DATABASE: &str = "operators.operatorframework.io.index.database.v1";

/// The types of a layer with a database, without the suffix for its compression.
const DATABASE_TYPES: [&str; 3] = ["application/vnd.sqlite", "application/vnd.sqlite3", "application/x-sqlite3"];

/// One image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The digest that names it: that of its index if it has one, or else that of its manifest.
    pub digest: Digest,
    /// Its parts.
    pub manifest: Manifest,
    /// Its configuration; empty for an artifact.
    pub config: ImageConfig,
}

impl Image {
    /// Reads manifest and configuration.
    ///
    /// # Errors
    /// [`OciError`]
    pub fn open(store: &dyn Store, wanted: &ImageSelector, options: &ImageOptions) -> Result<Self, OciError> {
        let root = store.root(wanted)?;
        let manifest = match read(store, &root)? {
            Document::Manifest(manifest) => manifest,
            Document::Index(index) => read_listed(store, options.platform.choose(&index)?)?,
        };
        let mut image = Self { digest: root.digest, manifest, config: ImageConfig::default() };
        if image.database_layer().is_none() {
            image.config = ImageConfig::parse(&config_text(store, &image.manifest)?)?;
        }
        Ok(image)
    }

    /// A text that is equal for images of equal content, whatever their names and the indexes that list them.
    pub fn content(&self) -> String {
        let layers = self.manifest.layers.iter().map(|it| it.digest.to_string());
        [self.manifest.config.digest.to_string()].into_iter().chain(layers).collect::<Vec<_>>().join(" ")
    }

    /// Whether its content is a database: it is an artifact that has one, or a legacy index image.
    pub(crate) fn is_database(&self, options: &ImageOptions) -> bool {
        let has = |label: &str| self.config.labels.contains_key(label);
        self.database_layer().is_some()
            || options.database.is_some()
            || (has(DATABASE) && (options.prefers_database || !has(CONFIGS)))
    }

    /// The layer that is a database, if the image is an artifact that has one.
    pub(crate) fn database_layer(&self) -> Option<&Descriptor> {
        let is_database = |it: &str| DATABASE_TYPES.contains(&it.split('+').next().unwrap_or_default());
        match self.manifest.layers.as_slice() {
            [only] if is_database(&only.media_type) || is_database(&self.manifest.artifact_type) => Some(only),
            _ => None,
        }
    }
}

/// Reads a manifest or an index.
pub(super) fn read(store: &dyn Store, descriptor: &Descriptor) -> Result<Document, OciError> {
    let text = document(store.manifest(descriptor)?, "manifest", descriptor)?;
    Document::parse(&text, &descriptor.media_type)
}

/// Reads the manifest of an image that an index lists.
pub(super) fn read_listed(store: &dyn Store, descriptor: &Descriptor) -> Result<Manifest, OciError> {
    match read(store, descriptor)? {
        Document::Manifest(manifest) => Ok(manifest),
        Document::Index(_) => Err(OciError::document("index of images", "has an index where an image should be")),
    }
}

/// The configuration of an image, as it is written.
pub(super) fn config_text(store: &dyn Store, manifest: &Manifest) -> Result<Vec<u8>, OciError> {
    const WHAT: &str = "configuration of the image";
    let config = &manifest.config;
    must_be_small(WHAT, config)?;
    read_again_if_damaged(store, config, || document(store.blob(config)?, WHAT, config))
}
