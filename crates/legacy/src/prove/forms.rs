//! The forms in which both sides are compared: the content of a catalog, without irrelevant differences of form.

use std::collections::{BTreeMap, BTreeSet};

use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use sha2::{Digest as _, Sha256};

use olmdex_text::json::{self, Reader, Tree, Value};

/// Type of the property that names the package.
pub(super) const PACKAGE: &str = "olm.package";

/// Base64 as Go reads it: bits behind the last byte are ignored.
pub(super) const BASE64: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// The digest of a text or of bytes.
pub(super) type Digest = [u8; 32];

/// Package, channel.
pub(super) type ChannelName = (String, String);

/// Package, channel, bundle.
pub(super) type Member = (String, String, String);

/// The field that states an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Link {
    Replaces,
    Skips,
}

/// An upgrade in a channel: package, channel, the bundle that comes, how, and the bundle that goes.
pub(super) type Edge = (String, String, String, Link, String);

/// A package's icon: the digest of its bytes, and their media type.
pub(super) type Icon = (Digest, String);

/// Packages, channels and edges.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Name and default channel.
    pub(super) packages: BTreeMap<String, String>,
    pub(super) icons: BTreeMap<String, Icon>,
    pub(super) channels: BTreeSet<ChannelName>,
    /// With the range of versions that the entry skips, or an empty text.
    pub(super) members: BTreeMap<Member, String>,
    pub(super) edges: BTreeSet<Edge>,
}

impl Graph {
    /// The members of every channel that no other member replaces or skips.
    pub(super) fn heads(&self) -> BTreeMap<ChannelName, Vec<&str>> {
        let is_member = |package: &String, channel: &String, bundle: &String| {
            self.members.contains_key(&(package.clone(), channel.clone(), bundle.clone()))
        };
        let gone: BTreeSet<(&str, &str, &str)> = self
            .edges
            .iter()
            .filter(|it| is_member(&it.0, &it.1, &it.2))
            .map(|it| (it.0.as_str(), it.1.as_str(), it.4.as_str()))
            .collect();
        let mut heads: BTreeMap<ChannelName, Vec<&str>> = BTreeMap::new();
        for (package, channel, bundle) in self.members.keys() {
            let of_channel = heads.entry((package.clone(), channel.clone())).or_default();
            if !gone.contains(&(package.as_str(), channel.as_str(), bundle.as_str())) {
                of_channel.push(bundle);
            }
        }
        heads
    }
}

/// The facts of one side about a bundle.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct BundleFacts {
    pub(super) image: String,
    /// Type and value in normal form; without manifests.
    pub(super) properties: BTreeSet<(String, String)>,
    /// Name and reference.
    pub(super) images: BTreeSet<(String, String)>,
    /// Digests of manifests in normal form.
    pub(super) manifests: BTreeSet<Digest>,
}

impl BundleFacts {
    /// Whether it has a property of a type.
    pub(super) fn has(&self, kind: &str) -> bool {
        self.properties.iter().any(|it| it.0 == kind)
    }
}

/// A JSON text in normal form; other texts as they are.
pub(super) fn normal(text: &str, reader: &mut Reader) -> String {
    match reader.read(text) {
        Ok(value) => value.compact(),
        Err(_) => text.to_owned(),
    }
}

/// The digest of a value in normal form.
pub(super) fn digest_value(value: Value<'_>) -> Digest {
    Sha256::digest(value.compact()).into()
}

/// The digest of a manifest in normal form.
pub(super) fn digest_manifest(manifest: &[u8], reader: &mut Reader) -> Digest {
    let text = json::decode_utf8(manifest);
    match reader.read(&text) {
        Ok(value) => digest_value(value),
        Err(_) => digest(manifest),
    }
}

/// The digest of bytes.
pub(super) fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

/// The text in a field of an object, or an empty one.
pub(super) fn text_in(object: Value<'_>, key: &str) -> String {
    object.get_field(key).and_then(|it| it.as_str()).unwrap_or_default().into_owned()
}

/// The value of an API in normal form; a text that is not JSON stays as it is.
pub(super) fn api(text: &str, reader: &mut Reader) -> String {
    let Ok(value) = reader.read(text) else { return text.to_owned() };
    Tree::of_texts(["group", "kind", "version"].map(|key| (key, text_in(value, key)))).compact()
}

/// The value of a required package, as blobs write it, in normal form; a text that is not JSON stays as it is.
pub(super) fn required_package(text: &str, reader: &mut Reader) -> String {
    let Ok(value) = reader.read(text) else { return text.to_owned() };
    let fields = [("packageName", "packageName"), ("versionRange", "version")];
    Tree::of_texts(fields.map(|(key, field)| (key, text_in(value, field)))).compact()
}
