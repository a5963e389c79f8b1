//! An installed bundle, and why a word may name none.

use schemars::JsonSchema;
use serde::Serialize;

use super::classic;
use super::target::{NamedVersion, Target};
use olmdex_index::IndexError;
use olmdex_version::{Version, first_of};

/// An installed bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstalledBundle {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its release, if the cluster records one apart from the version (feature gate `BundleReleaseSupport`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// Whether a catalog holds it.
    pub is_in_catalog: bool,
    /// Whether its name follows the pattern of the package's other bundles, because no catalog names this version.
    pub is_name_assumed: bool,
}

/// The reasons why a word names no bundle that could be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstalledError {
    /// Neither a bundle nor an edge knows it.
    #[error("package `{package}` has no bundle and no version `{text}`")]
    Unknown { package: String, text: String },
    /// Several names carry the version, and no catalog holds one of them.
    #[error("version {version} of package `{package}` may be {}", first_of(.names.iter().map(|it| format!("`{it}`")), .names.len()))]
    Several {
        package: String,
        version: String,
        /// The names, in order.
        names: Vec<String>,
    },
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl InstalledBundle {
    /// A bundle that a catalog holds.
    pub fn held(name: String, version: String) -> Self {
        Self::named(name, version, true)
    }

    /// A bundle whose name is known.
    pub fn named(name: String, version: String, is_in_catalog: bool) -> Self {
        Self { name, version, release: None, is_in_catalog, is_name_assumed: false }
    }

    /// The bundle with a release that is recorded apart from its version.
    #[must_use]
    pub fn with_release(self, release: Option<String>) -> Self {
        Self { release, ..self }
    }

    /// The bundle that an upgrade installs.
    pub fn after(target: &Target) -> Self {
        Self::held(target.bundle.clone(), target.version.clone()).with_release(target.release.clone())
    }

    /// The bundle in OLM Classic's form.
    pub fn as_classic(&self) -> classic::Installed {
        classic::Installed { name: self.name.clone(), version: Version::parse(&self.version).ok() }
    }

    /// The bundle in OLM v1's form.
    pub(crate) fn as_v1(&self) -> NamedVersion {
        NamedVersion { name: self.name.clone(), version: self.version.clone(), release: self.release.clone() }
    }
}
