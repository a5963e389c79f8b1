//! An entry of a channel as a node of a picture.

use schemars::JsonSchema;
use serde::Serialize;

/// A node of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphNode {
    /// The name.
    pub name: String,
    /// The version; empty if the catalog has no such bundle.
    pub version: String,
    /// Whether it is an entry of the channel; if not, an entry only mentions it.
    pub is_entry: bool,
    /// Whether nothing replaces or skips it.
    pub is_head: bool,
    /// Whether an entry skips it by name.
    pub is_skipped: bool,
    /// Whether the bundle is deprecated.
    pub is_deprecated: bool,
    /// Whether OLM Classic cannot upgrade from it to a head.
    pub is_dead_end: bool,
    /// Whether it is the named bundle.
    pub is_marked: bool,
}
