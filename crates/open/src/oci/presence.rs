//! Whether images are where their references say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Document, ImageConfig, PlatformOf};
use super::error::OciError;
use super::image::{ImageOptions, config_text};
use super::store::{Store, Wanted, document};

/// What a registry or a layout says of an image.
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
    /// What keeps it from being read; empty if nothing does.
    pub message: String,
}

/// Whether an image is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It is there.
    Found,
    /// It is not.
    Missing,
    /// Nobody can say: access is refused, or the registry does not answer.
    Unknown,
}

impl Status {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Missing => "missing",
            Self::Unknown => "unknown",
        }
    }
}

impl Presence {
    /// Looks an image up.
    #[must_use]
    pub fn of(store: &dyn Store, wanted: &Wanted, image: &str, options: &ImageOptions) -> Self {
        Self::look(store, wanted, image, options).unwrap_or_else(|error| Self::failed(image, &error))
    }

    /// That of an image that cannot be looked up.
    #[must_use]
    pub fn failed(image: &str, error: &OciError) -> Self {
        let status = match error {
            OciError::Unknown(_) | OciError::Missing(_) | OciError::Choice { .. } => Status::Missing,
            _ => Status::Unknown,
        };
        let message = error.to_string();
        Self { image: image.to_owned(), status, digest: String::new(), size: 0, platforms: Vec::new(), message }
    }

    fn look(store: &dyn Store, wanted: &Wanted, image: &str, options: &ImageOptions) -> Result<Self, OciError> {
        let root = store.root(wanted)?;
        let text = document(store.manifest(&root)?, "manifest", &root)?;
        let (manifest, mut platforms, mut size) = match Document::parse(&text, &root.media_type)? {
            Document::Manifest(manifest) => (Some(manifest), Vec::new(), text.len() as u64),
            Document::Index(index) => {
                let known =
                    index.manifests.iter().filter_map(|it| it.platform.as_ref()).filter(|it| it.os != "unknown");
                let platforms: Vec<String> = known.map(PlatformOf::to_string).collect();
                match options.platform.choose(&index) {
                    Ok(chosen) => {
                        let text = document(store.manifest(chosen)?, "manifest", chosen)?;
                        match Document::parse(&text, &chosen.media_type)? {
                            Document::Manifest(manifest) => (Some(manifest), platforms, text.len() as u64),
                            Document::Index(_) => (None, platforms, 0),
                        }
                    }
                    Err(_) => (None, platforms, 0),
                }
            }
        };
        if let Some(manifest) = manifest {
            let parts = manifest.layers.iter().chain([&manifest.config]).map(|it| it.size);
            size = parts.fold(size, u64::saturating_add);
            if platforms.is_empty() && manifest.artifact_type.is_empty() {
                platforms
                    .extend(ImageConfig::parse(&config_text(store, &manifest)?)?.platform.map(|it| it.to_string()));
            }
        }
        platforms.sort();
        platforms.dedup();
        let digest = root.digest.to_string();
        Ok(Self { image: image.to_owned(), status: Status::Found, digest, size, platforms, message: String::new() })
    }
}
