//! Images for tests: layers entry by entry, in forms that no builder would write.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use tar::{EntryType, Header};

/// The label of a catalog.
pub const CONFIGS: &str = "operators.operatorframework.io.index.configs.v1";

/// A layer in progress.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    tar: Vec<u8>,
}

impl Layer {
    pub fn new() -> Self {
        Self::default()
    }

    /// An entry of any type, with any name, as a long name if necessary.
    pub fn entry(mut self, kind: EntryType, name: &str, target: &str, text: &[u8]) -> Self {
        for (long, kind) in [(name, EntryType::GNULongName), (target, EntryType::GNULongLink)] {
            if long.len() > 99 {
                self.write(kind, "././@LongLink", "", &[long.as_bytes(), b"\0"].concat());
            }
        }
        self.write(kind, name, target, text);
        self
    }

    fn write(&mut self, kind: EntryType, name: &str, target: &str, text: &[u8]) {
        let mut header = Header::new_gnu();
        let bytes = header.as_mut_bytes();
        let cut = |text: &str| text.as_bytes()[..text.len().min(99)].to_vec();
        bytes[..cut(name).len()].copy_from_slice(&cut(name));
        bytes[157..157 + cut(target).len()].copy_from_slice(&cut(target));
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_size(text.len() as u64);
        header.set_cksum();
        self.tar.extend_from_slice(header.as_bytes());
        self.tar.extend_from_slice(text);
        self.tar.resize(self.tar.len().next_multiple_of(512), 0);
    }

    pub fn file(self, name: &str, text: &str) -> Self {
        self.entry(EntryType::Regular, name, "", text.as_bytes())
    }

    pub fn directory(self, name: &str) -> Self {
        self.entry(EntryType::Directory, name, "", b"")
    }

    pub fn link(self, name: &str, target: &str) -> Self {
        self.entry(EntryType::Symlink, name, target, b"")
    }

    pub fn hard_link(self, name: &str, target: &str) -> Self {
        self.entry(EntryType::Link, name, target, b"")
    }

    /// The archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.tar.extend_from_slice(&[0; 1024]);
        self.tar
    }
}

/// The digest of bytes.
pub fn digest(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// An image with one label and these layers, as blobs by digest, and the digest and size of its manifest.
pub fn image(label: (&str, &str), layers: &[Vec<u8>]) -> (BTreeMap<String, Vec<u8>>, String, usize) {
    image_of(&serde_json::json!({"Labels": {label.0: label.1}}), layers)
}

/// The same with any configuration of containers.
fn image_of(container: &serde_json::Value, layers: &[Vec<u8>]) -> (BTreeMap<String, Vec<u8>>, String, usize) {
    let mut blobs = BTreeMap::new();
    let mut put = |bytes: Vec<u8>| {
        let (digest, size) = (digest(&bytes), bytes.len());
        blobs.insert(digest.clone(), bytes);
        (digest, size)
    };
    let diff_ids: Vec<String> = layers.iter().map(|it| digest(it)).collect();
    let config = serde_json::json!({
        "architecture": "amd64", "os": "linux", "config": container,
        "rootfs": {"type": "layers", "diff_ids": diff_ids},
    });
    let (config, config_size) = put(config.to_string().into_bytes());
    let layers: Vec<_> = layers
        .iter()
        .map(|it| {
            let (digest, size) = put(it.clone());
            serde_json::json!({"mediaType": "application/vnd.oci.image.layer.v1.tar", "digest": digest, "size": size})
        })
        .collect();
    let manifest = serde_json::json!({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "layers": layers,
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": config, "size": config_size},
    });
    let (digest, size) = put(manifest.to_string().into_bytes());
    (blobs, digest, size)
}

/// Writes an image as a layout with the tag `latest`.
pub fn layout(directory: &Path, label: (&str, &str), layers: &[Vec<u8>]) {
    layout_of(directory, &serde_json::json!({"Labels": {label.0: label.1}}), layers);
}

/// The same with any configuration of containers.
pub fn layout_of(directory: &Path, container: &serde_json::Value, layers: &[Vec<u8>]) {
    let (blobs, digest, size) = image_of(container, layers);
    std::fs::create_dir_all(directory.join("blobs/sha256")).unwrap();
    for (digest, bytes) in blobs {
        std::fs::write(directory.join("blobs").join(digest.replace(':', "/")), bytes).unwrap();
    }
    std::fs::write(directory.join("oci-layout"), "{\"imageLayoutVersion\": \"1.0.0\"}").unwrap();
    let index = serde_json::json!({"schemaVersion": 2, "manifests": [{
        "mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": digest, "size": size,
        "annotations": {"org.opencontainers.image.ref.name": "latest"},
    }]});
    std::fs::write(directory.join("index.json"), index.to_string()).unwrap();
}

/// Writes a catalog's image.
pub fn catalog(directory: &Path, layers: &[Vec<u8>]) {
    layout(directory, (CONFIGS, "/configs"), layers);
}
