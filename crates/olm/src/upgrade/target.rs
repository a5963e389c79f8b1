//! A bundle that an upgrade leads to.

use schemars::JsonSchema;
use serde::Serialize;

use super::permit::Permit;

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
