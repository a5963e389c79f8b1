//! A bundle as the blob that a catalog has of it, byte for byte as opm writes it.

use std::path::Path;

use super::directory::read_files;
use super::error::BundleError;
use super::manifest::Manifest;
use super::parts::Parts;
use super::properties::{self, Origin, properties, version};
use super::typed::Files;
use olmdex_fbc::service_version::CsvView;
use olmdex_fbc::{
    BUNDLE_OBJECT, CSV_METADATA, Format, Level, bundle_object, csv_metadata, go_sort, raw_properties,
    raw_related_images, write_raw_blob,
};
use olmdex_text::json::{Reader, Tree};

/// A bundle that was read from its directory.
#[derive(Debug)]
pub struct Bundle {
    /// `metadata.name` of its ClusterServiceVersion.
    pub name: String,
    /// Its package, which may be empty.
    pub package: String,
    /// The version of its first `olm.package`.
    pub version: String,
    /// Type and value of each property, in their order.
    pub(super) properties: Vec<(String, String)>,
    /// The images that the ClusterServiceVersion lists, and those of its deployments.
    related: Vec<(String, String)>,
    deployed: Vec<String>,
    /// The ClusterServiceVersion.
    csv: String,
    /// Its `spec.version`, or empty.
    stated_version: String,
}

/// Whether a blob can be made of manifests and the files of `metadata/`. `manifest_files` are those that the manifests
/// were read from.
///
/// # Errors
/// Why not.
pub(super) fn refuse(
    manifests: Vec<Manifest>,
    manifest_files: &Files,
    metadata_files: &Files,
) -> Result<(), BundleError> {
    let parts = Parts::of(manifests, manifest_files, metadata_files)?;
    let csv = parts.csv().ok_or(BundleError::NoCsv)?.value();
    properties(&Origin::of(&parts, csv, metadata_files))?;
    parts.refuse_images(manifest_files)
}

impl Bundle {
    /// Reads a bundle directory.
    ///
    /// # Errors
    /// [`BundleError`] for bundles that opm refuses too.
    pub fn read(directory: &Path) -> Result<Self, BundleError> {
        let files = read_files(directory)?;
        Self::of_files(&files.manifests, &files.metadata)
    }

    /// Type and value of each property, in their order; values are JSON.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &str)> {
        self.properties.iter().map(|(kind, value)| (kind.as_str(), value.as_str()))
    }

    /// Its ClusterServiceVersion, as JSON.
    pub fn csv(&self) -> &str {
        &self.csv
    }

    /// `spec.version` of its ClusterServiceVersion, or empty.
    pub fn stated_version(&self) -> &str {
        &self.stated_version
    }

    /// Makes a bundle from the files of `manifests/` and `metadata/`, with their names, sorted by these.
    ///
    /// # Errors
    /// [`BundleError`] for bundles that opm refuses too.
    pub fn of_files(
        manifest_files: &[(String, Vec<u8>)],
        metadata_files: &[(String, Vec<u8>)],
    ) -> Result<Self, BundleError> {
        let parts = Parts::read(manifest_files, metadata_files)?;
        let csv = parts.csv().ok_or(BundleError::NoCsv)?.value();
        let mut all = properties(&Origin::of(&parts, csv, metadata_files))?;
        parts.refuse_images(manifest_files)?;
        // opm sorts them by their text, and puts them behind all other properties.
        let mut objects: Vec<String> = parts.manifests.iter().map(|it| bundle_object(&it.json)).collect();
        objects.sort_unstable();
        all.extend(objects.into_iter().map(|it| (BUNDLE_OBJECT.to_owned(), it)));
        let (late, early): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(kind, _)| kind == BUNDLE_OBJECT || kind == CSV_METADATA);
        let view = CsvView::of_manifest(csv);
        let first_package = parts.metadata.properties.iter().find(|it| it.0 == "olm.package");
        let stated_version = version(csv);
        let of_property = first_package.and_then(|it| properties::version_of(&it.1));
        let version = of_property.unwrap_or_else(|| stated_version.clone());
        let related = view.related_images().collect();
        let deployed = view.deployed_images();
        // A missing value is written as null, but was sorted as empty.
        let written =
            |(kind, value): (String, String)| (kind, if value.is_empty() { "null".to_owned() } else { value });
        let properties = early.into_iter().chain(late).map(written).collect();
        let csv = parts.csv().map(|it| it.json.clone()).unwrap_or_default();
        let Parts { name, package, .. } = parts;
        Ok(Self { name, package, version, properties, related, deployed, csv, stated_version })
    }

    /// Writes the blob; `image` is the reference of its image, or empty. Nothing is written for a bundle without a
    /// package.
    ///
    /// # Errors
    /// In opm's words, if the ClusterServiceVersion does not fit its type, or if a character cannot be written as YAML.
    pub fn write(&self, image: &str, level: Level, format: Format, out: &mut Vec<u8>) -> Result<(), String> {
        if self.package.is_empty() {
            return Ok(());
        }
        let metadata = self.metadata(image, level)?;
        let kept = self.properties.iter().filter(|it| metadata.is_none() || it.0 != BUNDLE_OBJECT);
        let kept = kept.map(|(kind, value)| (kind.as_str(), value.clone()));
        let properties = raw_properties(kept.chain(metadata.clone().map(|it| (CSV_METADATA, it))));
        let blob = Tree::object().with("schema", "olm.bundle").with_text("name", &self.name);
        let blob = blob.with("package", &self.package).with("image", image).with("properties", properties);
        write_raw_blob(&blob.with_some("relatedImages", raw_related_images(&self.related_images(image))), format, out)
    }

    /// The value of the property that replaces the manifests, if one does.
    fn metadata(&self, image: &str, level: Level) -> Result<Option<String>, String> {
        if level != Level::CsvMetadata || image.is_empty() || self.properties.iter().any(|it| it.0 == CSV_METADATA) {
            return Ok(None);
        }
        let mut reader = Reader::new();
        let csv = reader.read(&self.csv).map_err(|error| error.to_string())?;
        csv_metadata::write(csv).map(Some).map_err(|error| format!("migrate: {error}"))
    }

    /// The images that the blob lists, by reference.
    pub(super) fn related_images(&self, image: &str) -> Vec<(String, String)> {
        let mut all = self.related.clone();
        let bundle = (!image.is_empty()).then(|| image.to_owned());
        for image in bundle.into_iter().chain(self.deployed.iter().cloned()) {
            if !all.iter().any(|it| it.1 == image) {
                all.push((String::new(), image));
            }
        }
        go_sort(&mut all, |a, b| a.1 < b.1);
        all
    }
}
