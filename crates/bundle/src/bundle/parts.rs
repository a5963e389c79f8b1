//! The content of a bundle's files, before anything is derived from it (`docs/behaviour/legacy-index.md` 4.1).

use std::collections::BTreeSet;

use super::error::BundleError;
use super::manifest::Manifest;
use super::metadata::Metadata;
use super::provided::{ProvidedApi, provided};
use super::typed::{self, Files};

/// The objects of `manifests/` and the content of `metadata/`. All of it fits its types.
#[derive(Debug)]
pub(super) struct Parts {
    /// `metadata.name` of the ClusterServiceVersion.
    pub(super) name: String,
    /// In the order of their files, with one ClusterServiceVersion.
    pub(super) manifests: Vec<Manifest>,
    pub(super) metadata: Metadata,
    /// The package, which may be empty.
    pub(super) package: String,
    /// The APIs that it provides.
    pub(super) provided: BTreeSet<ProvidedApi>,
}

/// The objects of files.
fn objects(files: &Files) -> Vec<Manifest> {
    let files = files.iter().enumerate().filter(|it| !it.1.0.starts_with('.'));
    files.filter_map(|(number, (_, text))| Manifest::read(text, number)).collect()
}

/// The objects that count: only the first ClusterServiceVersion is kept.
///
/// # Errors
/// If there is none.
fn chosen(mut manifests: Vec<Manifest>) -> Result<Vec<Manifest>, BundleError> {
    if manifests.is_empty() {
        return Err(BundleError::NoObjects);
    }
    let first = manifests.iter().position(Manifest::is_csv).ok_or(BundleError::NoCsv)?;
    let mut number = 0;
    manifests.retain(|it| {
        number += 1;
        number - 1 == first || !it.is_csv()
    });
    Ok(manifests)
}

impl Parts {
    /// Those of files with their names, sorted by these.
    pub(super) fn read(manifest_files: &Files, metadata_files: &Files) -> Result<Self, BundleError> {
        Self::of(objects(manifest_files), manifest_files, metadata_files)
    }

    /// The parts of objects that have been read from files, with the numbers of these.
    pub(super) fn of(
        manifests: Vec<Manifest>,
        manifest_files: &Files,
        metadata_files: &Files,
    ) -> Result<Self, BundleError> {
        let manifests = chosen(manifests)?;
        typed::refuse(typed::objects(&manifests), "", manifest_files)?;
        let csv = manifests.iter().find(|it| it.is_csv()).ok_or(BundleError::NoCsv)?;
        let value = csv.value();
        let named = value.get_field("metadata").and_then(|it| it.get_field("name")).and_then(|it| it.as_str());
        let name = named.unwrap_or_default().into_owned();
        let around = format!("error checking provided apis in bundle {name}: ");
        typed::refuse(typed::apis(csv), &around, manifest_files)?;
        let provided = provided(&name, &manifests, value)?;
        let metadata = Metadata::read(metadata_files);
        let package = metadata.package.clone().ok_or(BundleError::NoAnnotations)?;
        let around = if package.is_empty() {
            format!("get properties for bundle \"{name}\": ")
        } else {
            "failed to derive properties: ".to_owned()
        };
        typed::refuse(typed::version(csv), &around, manifest_files)?;
        Ok(Self { name, manifests, metadata, package, provided })
    }

    /// The ClusterServiceVersion.
    pub(super) fn csv(&self) -> Option<&Manifest> {
        self.manifests.iter().find(|it| it.is_csv())
    }

    /// Refuses images that do not fit their types, which opm decodes last.
    pub(super) fn refuse_images(&self, manifest_files: &Files) -> Result<(), BundleError> {
        let csv = self.csv().ok_or(BundleError::NoCsv)?;
        let around = format!("get related images for bundle \"{}\": ", self.name);
        typed::refuse(typed::images(csv), &around, manifest_files)
    }

    /// Refuses edges that do not fit their types, which opm decodes only for a legacy catalog.
    pub(super) fn refuse_edges(&self, manifest_files: &Files) -> Result<(), BundleError> {
        let csv = self.csv().ok_or(BundleError::NoCsv)?;
        typed::refuse(typed::edges(csv), "", manifest_files)
    }
}
