//! The answers of `show`: packages, channels and bundles with all known facts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{BundleRow, ChannelRow, PackageRow};
use olmdex_fbc::Api;
use olmdex_rules::openshift::LifecyclePhases;

/// The architecture that OLM takes a bundle for that has no label about any.
pub const DEFAULT_ARCHITECTURE: &str = "amd64";

/// The operating system that OLM assumes for a bundle without a label about any.
pub const DEFAULT_OPERATING_SYSTEM: &str = "linux";

/// The place of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// The file, as the index was built from it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A property.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropertyRow {
    /// The meaning of the value.
    #[serde(rename = "type")]
    pub kind: String,
    /// The value; absent for the large `olm.csv.metadata` and `olm.bundle.object`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub value: Option<Box<RawValue>>,
    /// Its line in the document's file, from 1; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its column there, in characters from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

/// A package with all known facts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackageDetail {
    /// The row that lists have for it.
    #[serde(flatten)]
    pub row: PackageRow,
    /// Its description, or the default channel's head's.
    pub description: String,
    /// Media type of its icon, if it has one.
    pub icon_mediatype: Option<String>,
    /// Its keywords, those of the default channel's head.
    pub keywords: Vec<String>,
    /// Its properties.
    pub properties: Vec<PropertyRow>,
    /// Its channels: the default one, and then the newest by name.
    pub channel_list: Vec<ChannelRow>,
    /// Its bundles, by version.
    pub bundle_list: Vec<BundleRow>,
    /// The support phases of its minor versions, by its lifecycle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lifecycle: Vec<LifecyclePhases>,
    /// The place of its document; absent if there is none.
    pub source: Option<Source>,
}

/// A channel with all known facts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelDetail {
    /// The row that lists have for it.
    #[serde(flatten)]
    pub row: ChannelRow,
    /// Its properties.
    pub properties: Vec<PropertyRow>,
    /// Its entries, in the order of the catalog.
    pub entry_list: Vec<EntryDetail>,
    /// The place of its document.
    pub source: Option<Source>,
}

/// An entry of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntryDetail {
    /// Name of the bundle.
    pub name: String,
    /// Its version; empty if the channel does not list the bundle.
    pub version: String,
    /// The bundle that it replaces, or empty.
    pub replaces: String,
    /// The bundles that it skips.
    pub skips: Vec<String>,
    /// The range of versions that it skips, or empty.
    pub skip_range: String,
    /// The message, if the bundle is deprecated.
    pub deprecation: Option<String>,
    /// Its line in the channel's file, from 1.
    pub line: u32,
    /// Its column there, in characters from 1.
    pub column: u32,
}

/// A step of the upgrade graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    /// The channel.
    pub channel: String,
    /// The bundle at the other end.
    pub bundle: String,
    /// Its version; empty if the catalog does not have the bundle.
    pub version: String,
    /// The field that makes the step: `replaces`, `skips` or `skipRange`.
    pub kind: String,
    /// The file with the field.
    pub file: String,
    /// The line of its value there, from 1; for `skips` that of the item.
    pub line: u32,
    /// Its column, in characters from 1.
    pub column: u32,
}

/// A package that a bundle requires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequiredPackage {
    /// The package.
    pub package: String,
    /// The range of its versions, in the syntax of blang/semver.
    pub range: String,
}

/// A constraint of a bundle.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ConstraintRow(#[schemars(with = "serde_json::Value")] pub Box<RawValue>);

/// An image that a bundle uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedImage {
    /// The purpose; often empty.
    pub name: String,
    /// Its reference.
    pub image: String,
}

/// A way to install.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallMode {
    /// For example `AllNamespaces`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether the bundle supports it.
    pub supported: bool,
}

/// A bundle with all known facts.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BundleDetail {
    /// The row that lists have for it.
    #[serde(flatten)]
    pub row: BundleRow,
    /// Deprecations of its package and of its channels, as `<schema> <name>: <message>`.
    pub other_deprecations: Vec<String>,
    /// The provider.
    pub provider: String,
    /// Description in Markdown.
    pub description: String,
    /// Maturity, for example `stable`.
    pub maturity: String,
    /// Capability level, for example `Seamless Upgrades`.
    pub capability_level: String,
    /// The lowest version of Kubernetes that it runs on.
    pub min_kube_version: String,
    /// The versions of OpenShift that it is for.
    pub openshift_versions: String,
    /// Its purpose in a sentence: the annotation `description` of its ClusterServiceVersion.
    pub summary: String,
    /// The highest version of OpenShift that it runs on.
    pub max_openshift_version: String,
    /// The address of its source.
    pub repository: String,
    /// The party that supports it.
    pub support: String,
    /// When it was made.
    pub created_at: String,
    /// The subscriptions that it needs, as JSON text.
    pub subscription: String,
    /// The property that these facts are from: `olm.csv.metadata`, `olm.bundle.object`, or empty if there is none.
    pub facts_from: String,
    /// Keywords.
    pub keywords: Vec<String>,
    /// Categories.
    pub categories: Vec<String>,
    /// Ways to install.
    pub install_modes: Vec<InstallMode>,
    /// The architectures that it says it supports. If a bundle has no label about any, OLM assumes `amd64`.
    pub architectures: Vec<String>,
    /// The operating systems that it says it supports. If a bundle has no label about any, OLM assumes `linux`.
    pub operating_systems: Vec<String>,
    /// Whether it has a label about an architecture, also one that it does not support.
    #[serde(skip)]
    #[schemars(skip)]
    pub states_architecture: bool,
    /// Whether it has a label about an operating system.
    #[serde(skip)]
    #[schemars(skip)]
    pub states_operating_system: bool,
    /// Features, by name.
    pub features: BTreeMap<String, String>,
    /// APIs that it provides.
    pub provides: Vec<Api>,
    /// APIs that it requires.
    pub requires: Vec<Api>,
    /// Packages that it requires.
    pub required_packages: Vec<RequiredPackage>,
    /// Constraints that it has.
    pub constraints: Vec<ConstraintRow>,
    /// Images that it uses, in the order of the catalog.
    pub related_images: Vec<RelatedImage>,
    /// Its properties, in the order of the catalog.
    pub properties: Vec<PropertyRow>,
    /// Steps that lead to it.
    pub upgrades_from: Vec<Edge>,
    /// Steps that lead on from it.
    pub upgrades_to: Vec<Edge>,
    /// The support phases of its minor version, by its lifecycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<LifecyclePhases>,
    /// The place of its document.
    pub source: Option<Source>,
}

/// The bundles that are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BundleSelector {
    /// Names of catalogs; empty for all.
    pub catalogs: Vec<String>,
    /// The package.
    pub package: Option<String>,
    /// The bundle's name.
    pub name: Option<String>,
    /// The version, or `<version>-<release>`.
    pub version: Option<String>,
}

impl BundleSelector {
    /// One bundle of one package, in these catalogs.
    pub fn of(catalogs: &[String], package: &str, bundle: &str) -> Self {
        let (package, name) = (Some(package.to_owned()), Some(bundle.to_owned()));
        Self { catalogs: catalogs.to_vec(), package, name, version: None }
    }
}

impl BundleDetail {
    /// The architectures, in words, including the one that OLM assumes if the bundle states none.
    pub fn architectures_in_words(&self) -> String {
        platforms_in_words(&self.architectures, self.states_architecture, DEFAULT_ARCHITECTURE)
    }

    /// The operating systems, in words.
    pub fn operating_systems_in_words(&self) -> String {
        platforms_in_words(&self.operating_systems, self.states_operating_system, DEFAULT_OPERATING_SYSTEM)
    }
}

fn platforms_in_words(names: &[String], is_stated: bool, default: &str) -> String {
    if is_stated { names.join(", ") } else { format!("{default} (not stated)") }
}
