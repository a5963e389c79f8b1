//! The files of a bundle, wherever it lies: in a directory, in an archive or in an image.

/// The directory of the objects.
pub const MANIFESTS: &str = "manifests";
/// The directory of annotations, dependencies and properties.
pub const METADATA: &str = "metadata";

/// No file of a bundle is larger; etcd takes 1.5 MiB of an object.
pub const MAX_BUNDLE_FILE: u64 = 64 << 20;

/// The files of a bundle's two directories, with their names, sorted by these.
#[derive(Debug, Default)]
pub struct BundleFiles {
    /// Files of `manifests/`.
    pub manifests: Vec<(String, Vec<u8>)>,
    /// Files of `metadata/`.
    pub metadata: Vec<(String, Vec<u8>)>,
}

impl BundleFiles {
    /// All of them, named by their paths below `root`.
    pub fn called_below(&self, root: &str) -> Vec<(String, &[u8])> {
        let root = root.trim_end_matches('/');
        let manifests = self.manifests.iter().filter(|it| !it.0.starts_with('.')).map(|it| (MANIFESTS, it));
        let all = manifests.chain(self.metadata.iter().map(|it| (METADATA, it)));
        all.map(|(directory, (name, text))| (format!("{root}/{directory}/{name}"), text.as_slice())).collect()
    }
}
