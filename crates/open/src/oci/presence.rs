//! Whether images are where their references say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Document, ImageConfig, PlatformOf};
use super::error::OciError;
use super::image::{ImageOptions, config_text};
use super::store::{ImageSelector, Store, document};

/// The answer of a registry or a layout about an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Presence {
    /// Its reference.
    pub image: String,
    /// Whether it is there.
    pub status: Status,
    /// The digest of its manifest or index; empty if it is not there.
    pub digest: String,
    /// Bytes of manifest, configuration and compressed layers, of the platform that was asked for.
    pub size: u64,
    /// The platforms that it is for.
    pub platforms: Vec<String>,
    /// The error that keeps it from being read; empty if there is none.
    pub message: String,
    /// The bytes of its blobs that neither an earlier image in the list nor the earlier content has; only on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
}

/// The digests of an image's blobs with their bytes.
pub type BlobSizes = Vec<(String, u64)>;

/// Whether an image is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It is there.
    Found,
    /// It is not.
    Missing,
    /// It cannot be decided: access is refused, or the registry does not answer.
    Unknown,
}

olmdex_base::named!(Status => word);

impl Presence {
    /// Looks an image up. Also returns its blobs with their sizes, so that shared ones can be counted once.
    pub fn of(store: &dyn Store, wanted: &ImageSelector, image: &str, options: &ImageOptions) -> (Self, BlobSizes) {
        let failed = |error| (Self::failed(image, &error), BlobSizes::new());
        Self::look(store, wanted, image, options).unwrap_or_else(failed)
    }

    /// The answer for an image that cannot be looked up.
    pub fn failed(image: &str, error: &OciError) -> Self {
        let status = match error {
            OciError::Unknown(_) | OciError::Missing(_) | OciError::Choice { .. } => Status::Missing,
            _ => Status::Unknown,
        };
        let message = error.to_string();
        let (image, digest, platforms) = (image.to_owned(), String::new(), Vec::new());
        Self { image, status, digest, size: 0, platforms, message, added: None }
    }

    fn look(
        store: &dyn Store,
        wanted: &ImageSelector,
        image: &str,
        options: &ImageOptions,
    ) -> Result<(Self, BlobSizes), OciError> {
        let root = store.root(wanted)?;
        let text = document(store.manifest(&root)?, "manifest", &root)?;
        let mut blobs = BlobSizes::new();
        let (manifest, mut platforms, mut size) = match Document::parse(&text, &root.media_type)? {
            Document::Manifest(manifest) => {
                blobs.push((root.digest.to_string(), text.len() as u64));
                (Some(manifest), Vec::new(), text.len() as u64)
            }
            Document::Index(index) => {
                let known =
                    index.manifests.iter().filter_map(|it| it.platform.as_ref()).filter(|it| it.os != "unknown");
                let platforms: Vec<String> = known.map(PlatformOf::to_string).collect();
                match options.platform.choose(&index) {
                    Ok(chosen) => {
                        let text = document(store.manifest(chosen)?, "manifest", chosen)?;
                        match Document::parse(&text, &chosen.media_type)? {
                            Document::Manifest(manifest) => {
                                blobs.push((chosen.digest.to_string(), text.len() as u64));
                                (Some(manifest), platforms, text.len() as u64)
                            }
                            Document::Index(_) => (None, platforms, 0),
                        }
                    }
                    Err(_) => (None, platforms, 0),
                }
            }
        };
        if let Some(manifest) = manifest {
            let parts = manifest.layers.iter().chain([&manifest.config]);
            blobs.extend(parts.map(|it| (it.digest.to_string(), it.size)));
            size = blobs.iter().map(|it| it.1).fold(0, u64::saturating_add);
            if platforms.is_empty() && manifest.artifact_type.is_empty() {
                platforms
                    .extend(ImageConfig::parse(&config_text(store, &manifest)?)?.platform.map(|it| it.to_string()));
            }
        }
        platforms.sort();
        platforms.dedup();
        let digest = root.digest.to_string();
        let (image, status, message) = (image.to_owned(), Status::Found, String::new());
        Ok((Self { image, status, digest, size, platforms, message, added: None }, blobs))
    }
}
