//! What the files of a bundle hold, before anything is derived from it (`docs/behaviour/legacy-index.md` 4.1).
//!
//! What it deliberately does not do: it opens no file, and knows neither blobs nor tables.

use super::error::BundleError;
use super::manifest::Manifest;
use super::metadata::Metadata;

/// Whether an object is a ClusterServiceVersion.
pub(super) fn is_csv(manifest: &Manifest) -> bool {
    manifest.kind == "ClusterServiceVersion"
}

/// The objects of `manifests/` and what `metadata/` says.
#[derive(Debug)]
pub(super) struct Parts {
    /// In the order of their files, with one ClusterServiceVersion.
    pub(super) manifests: Vec<Manifest>,
    pub(super) metadata: Metadata,
    /// The package, which may be empty.
    pub(super) package: String,
    /// The ClusterServiceVersion.
    pub(super) csv: String,
}

impl Parts {
    /// Those of files with their names, sorted by these.
    pub(super) fn read(
        manifest_files: &[(String, Vec<u8>)],
        metadata_files: &[(String, Vec<u8>)],
    ) -> Result<Self, BundleError> {
        let mut manifests: Vec<Manifest> = Vec::new();
        for (_, text) in manifest_files.iter().filter(|it| !it.0.starts_with('.')) {
            manifests.extend(Manifest::read(text));
        }
        if manifests.is_empty() {
            return Err(BundleError::NoObjects);
        }
        // Of several ClusterServiceVersions the first counts.
        let first = manifests.iter().position(is_csv).ok_or(BundleError::NoCsv)?;
        let mut number = 0;
        manifests.retain(|it| {
            number += 1;
            number - 1 == first || !is_csv(it)
        });
        let metadata = Metadata::read(metadata_files);
        let package = metadata.package.clone().ok_or(BundleError::NoAnnotations)?;
        let csv = manifests.iter().find(|it| is_csv(it)).map(|it| it.json.clone()).unwrap_or_default();
        Ok(Self { manifests, metadata, package, csv })
    }
}
