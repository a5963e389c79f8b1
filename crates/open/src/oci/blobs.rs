//! The blobs of an image, in the order in which they can be copied: a blob comes before the blobs that name it.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::document::{Descriptor, Document, Index, Manifest};
use super::error::OciError;
use super::platform::Platform;
use super::store::{ImageSelector, Store, document};

/// No image is made of more manifests and blobs: real ones have some hundred.
const MAX_BLOBS: usize = 50_000;

/// The role of a blob in its image. A blob that names others is greater than those.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BlobKind {
    /// A layer, or any other content.
    Layer,
    /// A configuration.
    Config,
    /// A manifest of one image.
    Manifest,
    /// A list of manifests.
    Index,
}

olmdex_base::named!(BlobKind => as_str);

/// The blobs of one image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageBlobs {
    /// The digest of its manifest or index.
    pub root: Digest,
    /// Each blob once, with its kind and its bytes, in the order in which manifests name them.
    pub blobs: Vec<(Digest, BlobKind, u64)>,
    /// The image that this one is about, as signatures and attestations say it.
    pub subject: Option<Digest>,
    /// Manifests that the image lists and the store does not have, as in a copy for some platforms only.
    pub absent: Vec<Digest>,
}

/// The part of a manifest that names its subject.
#[derive(Deserialize)]
struct About {
    #[serde(default)]
    subject: Option<Descriptor>,
}

impl ImageBlobs {
    /// Reads the manifests of an image. With a platform, only that image of an index counts, and the index itself.
    ///
    /// # Errors
    /// [`OciError`] if a manifest cannot be read, or there are too many of them.
    pub fn read(store: &dyn Store, wanted: &ImageSelector, platform: Option<&Platform>) -> Result<Self, OciError> {
        Self::of_root(store, store.root(wanted)?, platform)
    }

    /// Those of the manifest or index that a descriptor names.
    ///
    /// # Errors
    /// The errors of [`Self::read`].
    pub fn of_root(store: &dyn Store, root: Descriptor, platform: Option<&Platform>) -> Result<Self, OciError> {
        let mut this = Self { root: root.digest.clone(), blobs: Vec::new(), subject: None, absent: Vec::new() };
        let mut kinds: BTreeMap<Digest, usize> = BTreeMap::new();
        let mut seen = BTreeSet::from([root.digest.clone()]);
        let mut open = vec![root];
        while let Some(descriptor) = open.pop() {
            let text = match store.manifest(&descriptor).and_then(|it| document(it, "manifest", &descriptor)) {
                Err(OciError::Missing(_)) if descriptor.digest != this.root => {
                    this.absent.push(descriptor.digest);
                    continue;
                }
                text => text?,
            };
            let is_root = descriptor.digest == this.root;
            let (kind, named) = match Document::parse(&text, &descriptor.media_type)? {
                Document::Manifest(manifest) => (BlobKind::Manifest, blobs_of(manifest)),
                Document::Index(index) => (BlobKind::Index, {
                    // The last one that is opened is the first one that is read.
                    let mut blobs = Vec::new();
                    for it in listed(index, platform.filter(|_| is_root))?.into_iter().rev() {
                        match is_manifest(&it) {
                            true if seen.insert(it.digest.clone()) => open.push(it),
                            true => {}
                            false => blobs.push((it.digest, BlobKind::Layer, it.size)),
                        }
                    }
                    blobs
                }),
            };
            if is_root {
                this.subject = about(&text);
            }
            if seen.len().max(this.blobs.len() + named.len()) > MAX_BLOBS {
                return Err(OciError::Limit(format!("the image consists of more than {MAX_BLOBS} blobs")));
            }
            for (digest, kind, size) in named.into_iter().chain([(descriptor.digest, kind, text.len() as u64)]) {
                match kinds.get(&digest) {
                    // An empty configuration may be the only layer, too: it is copied with the layers.
                    Some(at) => this.blobs[*at].1 = this.blobs[*at].1.min(kind),
                    None => {
                        kinds.insert(digest.clone(), this.blobs.len());
                        this.blobs.push((digest, kind, size));
                    }
                }
            }
        }
        Ok(this)
    }
}

/// The subject of a manifest, if it states one.
fn about(text: &[u8]) -> Option<Digest> {
    serde_json::from_slice::<About>(text).ok()?.subject.map(|it| it.digest)
}

/// The manifests of an index that count.
fn listed(index: Index, platform: Option<&Platform>) -> Result<Vec<Descriptor>, OciError> {
    Ok(match platform {
        Some(platform) => vec![platform.choose(&index)?.clone()],
        None => index.manifests,
    })
}

/// Whether a descriptor names a manifest or an index; one that does not say so does, in an index.
fn is_manifest(descriptor: &Descriptor) -> bool {
    let kind = &descriptor.media_type;
    kind.is_empty() || [".manifest.", ".index.v1+json"].iter().any(|it| kind.contains(it))
}

/// The configuration and the layers of an image, without those that stay on the servers that its author names.
fn blobs_of(manifest: Manifest) -> Vec<(Digest, BlobKind, u64)> {
    let is_foreign =
        |it: &Descriptor| it.media_type.contains("nondistributable") || it.media_type.contains(".foreign.");
    let layers = manifest.layers.into_iter().filter(|it| !is_foreign(it)).map(|it| (it, BlobKind::Layer));
    layers.chain([(manifest.config, BlobKind::Config)]).map(|(it, kind)| (it.digest, kind, it.size)).collect()
}
