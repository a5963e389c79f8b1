//! What `show` answers: packages, channels and bundles with all that is known of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{BundleRow, ChannelRow, PackageRow};
use olmdex_fbc::Api;
use olmdex_rules::openshift::LifecyclePhases;

/// The architecture that OLM takes a bundle for that has no label about any.
pub const DEFAULT_ARCHITECTURE: &str = "amd64";

/// The operating system likewise.
pub const DEFAULT_OPERATING_SYSTEM: &str = "linux";

/// Where a document stands.
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
    /// What the value means.
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

/// A package with all that is known of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackageDetail {
    /// What lists say of it.
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
    /// Where its document stands; absent if there is none.
    pub source: Option<Source>,
}

/// A channel with all that is known of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelDetail {
    /// What lists say of it.
    #[serde(flatten)]
    pub row: ChannelRow,
    /// Its properties.
    pub properties: Vec<PropertyRow>,
    /// Its entries, in the order of the catalog.
    pub entry_list: Vec<EntryDetail>,
    /// Where its document stands.
    pub source: Option<Source>,
}

/// An entry of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntryDetail {
    /// Name of the bundle.
    pub name: String,
    /// Its version; empty if the catalog does not have the bundle.
    pub version: String,
    /// What it replaces, or empty.
    pub replaces: String,
    /// What it skips.
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
    /// The file in which the field stands.
    pub file: String,
    /// The line there of its value, from 1; of `skips` that of the item.
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
    /// What it is for; often empty.
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

/// A bundle with all that is known of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BundleDetail {
    /// What lists say of it.
    #[serde(flatten)]
    pub row: BundleRow,
    /// Deprecations of its package and of its channels, as `<schema> <name>: <message>`.
    pub other_deprecations: Vec<String>,
    /// Who provides it.
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
    /// The highest version of OpenShift that it runs on.
    pub max_openshift_version: String,
    /// Where its source is.
    pub repository: String,
    /// Who supports it.
    pub support: String,
    /// When it was made.
    pub created_at: String,
    /// The subscriptions that it needs, as JSON text.
    pub subscription: String,
    /// Which property these facts are from: `olm.csv.metadata`, `olm.bundle.object`, or empty if there is none.
    pub facts_from: String,
    /// Keywords.
    pub keywords: Vec<String>,
    /// Categories.
    pub categories: Vec<String>,
    /// Ways to install.
    pub install_modes: Vec<InstallMode>,
    /// Architectures that it says it supports. Of a bundle that has no label about any, OLM takes `amd64` for supported.
    pub architectures: Vec<String>,
    /// Operating systems that it says it supports. Of a bundle that has no label about any, OLM takes `linux` for supported.
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
    /// Where its document stands.
    pub source: Option<Source>,
}

/// Which bundles are meant.
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

impl BundleDetail {
    /// The architectures, in words: also what OLM assumes where the bundle states nothing.
    #[must_use]
    pub fn architectures_in_words(&self) -> String {
        platforms_in_words(&self.architectures, self.states_architecture, DEFAULT_ARCHITECTURE)
    }

    /// The operating systems likewise.
    #[must_use]
    pub fn operating_systems_in_words(&self) -> String {
        platforms_in_words(&self.operating_systems, self.states_operating_system, DEFAULT_OPERATING_SYSTEM)
    }
}

fn platforms_in_words(names: &[String], is_stated: bool, default: &str) -> String {
    if is_stated { names.join(", ") } else { format!("{default} (not stated)") }
}
