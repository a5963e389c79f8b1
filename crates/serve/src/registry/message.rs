//! The messages of `api.Registry`, as they go over the wire and as JSON (`docs/behaviour/serving.md` B.1).

use serde::Serialize;

/// The name of a package.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
pub struct PackageName {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
}

/// The reason why something should no longer be used.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
pub struct Deprecation {
    /// In the words of the catalog.
    #[prost(string, tag = "1")]
    pub message: String,
}

/// A channel of a package.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Channel {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The bundle at its head.
    #[prost(string, tag = "2")]
    pub csv_name: String,
    /// Whether it is deprecated.
    #[prost(message, optional, tag = "3")]
    pub deprecation: Option<Deprecation>,
}

/// A package.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Package {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its channels, by their names.
    #[prost(message, repeated, tag = "2")]
    pub channels: Vec<Channel>,
    /// The default channel.
    #[prost(string, tag = "3")]
    pub default_channel_name: String,
    /// Whether it is deprecated.
    #[prost(message, optional, tag = "4")]
    pub deprecation: Option<Deprecation>,
}

/// An API.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
pub struct GroupVersionKind {
    /// Its group.
    #[prost(string, tag = "1")]
    pub group: String,
    /// Its version.
    #[prost(string, tag = "2")]
    pub version: String,
    /// Its kind.
    #[prost(string, tag = "3")]
    pub kind: String,
    /// Its plural name, which catalogs do not tell.
    #[prost(string, tag = "4")]
    pub plural: String,
}

/// A dependency or a property: a type and a value in JSON.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
pub struct TypedValue {
    /// The type.
    #[prost(string, tag = "1")]
    #[serde(rename = "type")]
    pub kind: String,
    /// JSON.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// A bundle in a channel.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Bundle {
    /// Its name.
    #[prost(string, tag = "1")]
    pub csv_name: String,
    /// Its package.
    #[prost(string, tag = "2")]
    pub package_name: String,
    /// The channel.
    #[prost(string, tag = "3")]
    pub channel_name: String,
    /// Its ClusterServiceVersion, as JSON.
    #[prost(string, tag = "4")]
    pub csv_json: String,
    /// Its objects, each as JSON.
    #[prost(string, repeated, tag = "5")]
    pub object: Vec<String>,
    /// Its image.
    #[prost(string, tag = "6")]
    pub bundle_path: String,
    /// The APIs that it provides.
    #[prost(message, repeated, tag = "7")]
    pub provided_apis: Vec<GroupVersionKind>,
    /// The APIs that it requires.
    #[prost(message, repeated, tag = "8")]
    pub required_apis: Vec<GroupVersionKind>,
    /// Its version.
    #[prost(string, tag = "9")]
    pub version: String,
    /// The versions that it can be installed over.
    #[prost(string, tag = "10")]
    pub skip_range: String,
    /// Its dependencies.
    #[prost(message, repeated, tag = "11")]
    pub dependencies: Vec<TypedValue>,
    /// Its properties.
    #[prost(message, repeated, tag = "12")]
    pub properties: Vec<TypedValue>,
    /// The bundle that it replaces.
    #[prost(string, tag = "13")]
    pub replaces: String,
    /// The bundles that it skips.
    #[prost(string, repeated, tag = "14")]
    pub skips: Vec<String>,
    /// Whether it is deprecated.
    #[prost(message, optional, tag = "15")]
    pub deprecation: Option<Deprecation>,
}

/// A bundle in a channel, by its names.
#[derive(Clone, PartialEq, Eq, Serialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct ChannelEntry {
    /// The package.
    #[prost(string, tag = "1")]
    pub package_name: String,
    /// The channel.
    #[prost(string, tag = "2")]
    pub channel_name: String,
    /// The bundle.
    #[prost(string, tag = "3")]
    pub bundle_name: String,
    /// The bundle that it replaces, or one that it skips.
    #[prost(string, tag = "4")]
    pub replaces: String,
}

/// A question. All of them are one to four texts, and the meaning of the fields depends on the question.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Texts {
    /// The first text.
    #[prost(string, tag = "1")]
    pub first: String,
    /// The second text.
    #[prost(string, tag = "2")]
    pub second: String,
    /// The third text.
    #[prost(string, tag = "3")]
    pub third: String,
}
