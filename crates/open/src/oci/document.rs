//! Manifests, indexes and configurations, as far as they matter here (`docs/behaviour/serving.md` A.3).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::error::OciError;

/// A reference to a blob by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// The type of its content; a claim, no more.
    #[serde(default)]
    pub media_type: String,
    /// Its digest.
    pub digest: Digest,
    /// The number of bytes that it has.
    #[serde(default)]
    pub size: u64,
    /// Notes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// The platform that it runs on, in an index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<PlatformOf>,
}

/// The platform of an image, as an index states it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct PlatformOf {
    /// The architecture, in the names of Go.
    #[serde(default)]
    pub architecture: String,
    /// The operating system.
    #[serde(default)]
    pub os: String,
    /// The variant of the architecture, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
}

/// `OS/ARCHITECTURE[/VARIANT]`.
impl std::fmt::Display for PlatformOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.os, self.architecture)?;
        if self.variant.is_empty() { Ok(()) } else { write!(f, "/{}", self.variant) }
    }
}

impl Descriptor {
    /// A reference to a blob without any annotations.
    pub fn new(media_type: &str, digest: Digest, size: u64) -> Self {
        Self { media_type: media_type.to_owned(), digest, size, annotations: BTreeMap::new(), platform: None }
    }
}

/// The parts of an image.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The kind of artifact, if it is not an image.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub artifact_type: String,
    /// Its configuration.
    pub config: Descriptor,
    /// Its layers, the lowest first.
    #[serde(default)]
    pub layers: Vec<Descriptor>,
}

/// Images for several platforms.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Index {
    /// Their manifests.
    #[serde(default)]
    pub manifests: Vec<Descriptor>,
}

/// The kinds of documents: a manifest or an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Document {
    /// One image.
    Manifest(Manifest),
    /// Several.
    Index(Index),
}

/// The configuration of an image.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImageConfig {
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The digests of its layers when they are decompressed.
    pub diff_ids: Vec<String>,
    /// The platform that it runs on, if it states one.
    pub platform: Option<PlatformOf>,
    /// The time at which it was made, in seconds since 1970, if it is stated.
    pub created: Option<u64>,
}

/// The fields that are looked at first, to tell which document it is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Shape {
    #[serde(default)]
    media_type: String,
    layers: Option<serde::de::IgnoredAny>,
    config: Option<serde::de::IgnoredAny>,
    manifests: Option<serde::de::IgnoredAny>,
    fs_layers: Option<serde::de::IgnoredAny>,
    signatures: Option<serde::de::IgnoredAny>,
}

impl Document {
    /// Reads a manifest or an index. `declared` is the type that its descriptor or its server says.
    ///
    /// # Errors
    /// [`OciError::Document`]
    pub fn parse(text: &[u8], declared: &str) -> Result<Self, OciError> {
        let wrong = |error: serde_json::Error| OciError::undecodable("manifest", &error);
        let shape: Shape = serde_json::from_slice(text).map_err(wrong)?;
        if shape.manifests.is_some() && (shape.layers.is_some() || shape.config.is_some()) {
            return Err(OciError::document("manifest", "is ambiguous: it has `manifests` beside `layers` or `config`"));
        }
        let kind = if shape.media_type.is_empty() { declared } else { &shape.media_type };
        let is_schema_1 = shape.fs_layers.is_some() || shape.signatures.is_some() && shape.config.is_none();
        if is_schema_1 || kind.contains(".distribution.manifest.v1") {
            return Err(OciError::document("manifest", "is of Docker's schema 1, which is not supported"));
        }
        if shape.manifests.is_some() || kind.ends_with(".image.index.v1+json") || kind.contains(".manifest.list.") {
            return serde_json::from_slice(text).map(Self::Index).map_err(wrong);
        }
        if shape.config.is_none() {
            return Err(OciError::document("manifest", "has neither `config` nor `manifests`"));
        }
        serde_json::from_slice(text).map(Self::Manifest).map_err(wrong)
    }
}

impl ImageConfig {
    /// Reads a configuration.
    ///
    /// # Errors
    /// [`OciError::Document`]
    pub fn parse(text: &[u8]) -> Result<Self, OciError> {
        #[derive(Deserialize, Default)]
        struct Container {
            #[serde(rename = "Labels", default)]
            labels: Option<BTreeMap<String, String>>,
        }
        #[derive(Deserialize, Default)]
        struct RootFs {
            #[serde(default)]
            diff_ids: Option<Vec<String>>,
        }
        #[derive(Deserialize)]
        struct Config {
            #[serde(default)]
            config: Option<Container>,
            #[serde(default)]
            rootfs: Option<RootFs>,
            // A wrong value there must not keep anybody from reading the image.
            #[serde(default)]
            created: serde_json::Value,
            #[serde(flatten)]
            platform: PlatformOf,
        }
        let config: Config = serde_json::from_slice(text)
            .map_err(|error| OciError::undecodable("configuration of the image", &error))?;
        Ok(Self {
            labels: config.config.and_then(|it| it.labels).unwrap_or_default(),
            diff_ids: config.rootfs.and_then(|it| it.diff_ids).unwrap_or_default(),
            platform: Some(config.platform).filter(|it| !it.os.is_empty()),
            created: config.created.as_str().and_then(super::created::seconds),
        })
    }
}
