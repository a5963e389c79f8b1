//! The identity of the bundle in a directory, for searches among many: its package, and the version that it states.

use std::path::Path;

use super::directory::{manifests_in, metadata_in};
use super::manifest::Manifest;
use super::metadata::Metadata;
use super::properties::version;
use olmdex_text::json::Reader;

/// The package of a bundle directory; empty if its metadata names none, or cannot be read.
pub fn package_in(directory: &Path) -> String {
    metadata_in(directory).ok().and_then(|files| Metadata::read(&files).package).unwrap_or_default()
}

/// `spec.version` of the ClusterServiceVersion in a bundle directory; empty if there is none, or it cannot be read.
pub fn stated_version_in(directory: &Path) -> String {
    let files = manifests_in(directory).unwrap_or_default();
    let has_word = |text: &[u8]| memchr::memmem::find(text, b"ClusterServiceVersion").is_some();
    let csv =
        files.iter().filter(|it| has_word(&it.1)).filter_map(|it| Manifest::read(&it.1, 0)).find(Manifest::is_csv);
    let mut reader = Reader::new();
    csv.and_then(|it| Some(version(reader.read(&it.json).ok()?))).unwrap_or_default()
}
