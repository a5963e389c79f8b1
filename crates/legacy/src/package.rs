//! A package of a legacy catalog in the form of blobs, and the problems that prevent that form.

use std::collections::BTreeMap;

use super::service_version::Icon;
use super::survey::Survey;
use olmdex_fbc::Entry;

/// A package that can be written.
#[derive(Debug, Clone, Default)]
pub(super) struct PackageModel {
    pub(super) name: String,
    pub(super) default_channel: Option<String>,
    pub(super) icon: Option<Icon>,
    /// By name.
    pub(super) channels: BTreeMap<String, Vec<Entry>>,
    /// By name.
    pub(super) bundles: BTreeMap<String, BundleModel>,
}

/// A bundle of a package.
#[derive(Debug, Clone, Default)]
pub(super) struct BundleModel {
    /// Index of its row.
    pub(super) row: usize,
    pub(super) name: String,
    pub(super) image: String,
    pub(super) version: String,
    /// Type and value as compact JSON, sorted; without the manifests.
    pub(super) properties: Vec<(String, String)>,
    /// Name and image, sorted by image.
    pub(super) related_images: Vec<(String, String)>,
    pub(super) survey: Survey,
    /// The objections of the real tool's validation: rank and words.
    pub(super) complaints: Vec<(u8, String)>,
    /// Whether a value of its properties is not JSON.
    pub(super) has_bad_json: bool,
}

/// A problem that keeps a package from being converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The package, if it is about one.
    pub package: Option<String>,
    /// The bundle, if it is about one and its text does not name it.
    pub bundle: Option<String>,
    /// The message of the real tool, if this is the first problem.
    pub text: String,
    /// Whether the blobs could be written, and only the catalog that they make is not valid.
    pub is_verdict: bool,
}

impl Problem {
    /// The problem in words, with the names of its package and bundle. `what` stands between the name of the package
    /// and the reason.
    pub fn words(&self, what: &str) -> String {
        let bundle = self.bundle.as_ref().map(|it| format!("bundle `{it}`: ")).unwrap_or_default();
        match &self.package {
            Some(package) => format!("package `{package}`{what}: {bundle}{}", self.text),
            None => format!("{bundle}{}", self.text),
        }
    }
}
