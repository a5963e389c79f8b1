//! A bundle that an upgrade leads to, and the fields of entries that permit it: both generations of OLM know the same
//! three.

use olmdex_base::diag::Place;
use schemars::JsonSchema;
use serde::Serialize;

/// A bundle that can be upgraded to, or installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// The catalog.
    pub catalog: String,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// Its release, if it states one apart from the version and that counts (feature gate `BundleReleaseSupport`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// The channels in which it is available that way.
    pub channels: Vec<String>,
    /// Whether it is deprecated.
    pub is_deprecated: bool,
    /// The reason why this generation of OLM refuses it nevertheless: the type of a property that OLM v1 does not
    /// support.
    pub refused_for: Option<String>,
    /// The reason why OLM v1 does not install it after it has resolved to it, in its words: install modes that it does
    /// not support, or a configuration that does not fit.
    pub refusal: Option<String>,
    /// Whether it supports the install mode AllNamespaces, without which OLM v1 does not install it; `null` if it
    /// states no install modes.
    pub supports_all_namespaces: Option<bool>,
    /// The fact that the catalog does not state and that decides whether OLM v1 installs it, with the way to find out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<&'static str>,
    /// The fields that permit it; none for a first installation, and for staying.
    pub permits: Vec<Permit>,
}

/// The field of a channel's entry that makes an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Field {
    /// `replaces` is the installed name.
    Replaces,
    /// `skips` has the installed name.
    Skips,
    /// `skipRange` has the installed version.
    SkipRange,
}

olmdex_base::named!(Field => as_str);

/// A permit for an upgrade: a field of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Permit {
    /// The channel.
    pub channel: String,
    /// The entry: the bundle that the edge leads to.
    pub entry: String,
    /// The field.
    pub field: Field,
    /// Its value; of `skips` the item.
    pub value: String,
    /// The file in which the channel stands.
    pub file: String,
    /// The line there of the field's value, from 1; of `skips` that of the item.
    pub line: u32,
    /// Its column, in characters from 1.
    pub column: u32,
}

impl Permit {
    /// The permit that a field of an entry gives; `place` is that of its value.
    pub(super) fn new(channel: &str, entry: &str, field: Field, value: &str, place: Place) -> Self {
        Self {
            channel: channel.to_owned(),
            entry: entry.to_owned(),
            field,
            value: value.to_owned(),
            file: place.file,
            line: place.line,
            column: place.column,
        }
    }

    /// The place of the field's value: `file:line:column`.
    pub fn place(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A bundle by its name and its version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedVersion {
    /// Its name.
    pub name: String,
    /// Its version, or empty.
    pub version: String,
    /// Its release, if there is one apart from the version; `None` is not the same as an empty one.
    pub release: Option<String>,
}
