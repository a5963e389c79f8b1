//! The version and release that an `olm.package` property states (`docs/behaviour/olm-v1.md` 1.4).

use olmdex_text::gotype::{Expected, go_type_error};
use olmdex_text::json::{self, Kind, Step};
use olmdex_version::{Quoted, Release, Version, VersionRelease};

/// A bundle's version as OLM v1 reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleVersion {
    /// Version and release.
    pub value: VersionRelease,
    /// Whether the release was stated by itself, even as an empty text, and not read from build metadata. Only with
    /// explicit releases.
    pub is_release_explicit: bool,
}

impl BundleVersion {
    /// The version as people write it: a release that is not stated by itself is build metadata.
    pub fn version_text(&self) -> String {
        if self.is_release_explicit {
            self.value.version.to_string()
        } else {
            self.value.to_build_metadata().to_string()
        }
    }

    /// The release that is stated by itself, even as an empty text.
    pub fn release_text(&self) -> Option<String> {
        self.is_release_explicit.then(|| self.value.release.as_ref().map(ToString::to_string).unwrap_or_default())
    }

    /// The key of its place in a list: releases that are not stated by themselves have none.
    pub(in crate::upgrade) fn order(&self) -> VersionRelease {
        if self.is_release_explicit { self.value.clone() } else { self.value.to_build_metadata().into() }
    }
}

/// Reads the value of an `olm.package` property, as JSON.
///
/// With `explicit_releases` (feature gate `BundleReleaseSupport`, off by default) the property's `release` counts;
/// without the gate, or if there is no `release`, build metadata that is a valid release is the release.
///
/// # Errors
/// The real system's message about the error.
pub fn bundle_version(property: &str, explicit_releases: bool) -> Result<BundleVersion, String> {
    let mut reader = json::Reader::new();
    let value = reader.read(property).map_err(|error| format!("error unmarshalling package property: {error}"))?;
    let wrong = |found: Kind, expected: Expected, path: &[Step]| {
        let text = go_type_error(found, expected, if path.is_empty() { "" } else { "Package" }, path);
        format!("error unmarshalling package property: {text}")
    };
    if !matches!(value.kind(), Kind::Object | Kind::Null) {
        return Err(wrong(value.kind(), Expected::Object("property.Package"), &[]));
    }
    let field = |name: &str| match value.get_field(name).filter(|it| !it.is_null()) {
        None => Ok(None),
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text.into_owned())),
            None => Err(wrong(value.kind(), Expected::String, &[Step::Key(name.to_owned())])),
        },
    };
    field("packageName")?;
    let version = field("version")?.unwrap_or_default();
    let release = field("release")?.filter(|_| explicit_releases);
    match release {
        None => {
            let version = Version::parse(&version).map_err(|error| error.to_string())?;
            Ok(BundleVersion { value: VersionRelease::from_build_metadata(version), is_release_explicit: false })
        }
        Some(release) => Ok(BundleVersion { value: explicit_version(&version, &release)?, is_release_explicit: true }),
    }
}

/// A version with a release that is stated by itself: build metadata stays in the version.
pub(super) fn explicit_version(version: &str, release: &str) -> Result<VersionRelease, String> {
    let version =
        Version::parse(version).map_err(|error| format!("error parsing version {}: {error}", Quoted(version)))?;
    let release = Release::parse_optional(release)
        .map_err(|error| format!("error parsing release {}: {error}", Quoted(release)))?;
    Ok(VersionRelease { version, release })
}
