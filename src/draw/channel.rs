//! Nodes and edges of channels, for programs and for drawings other than opm's.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::catalog::{Catalog, Channel};
use super::rows::Rows;

/// The graph of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelGraph {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// Whether the channel, or its package, is deprecated.
    pub is_deprecated: bool,
    /// Entries, highest version first, then names that are only mentioned.
    pub nodes: Vec<GraphNode>,
    /// Edges, in the order of their targets among the nodes.
    pub edges: Vec<GraphEdge>,
}

/// A node of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphNode {
    /// The name.
    pub name: String,
    /// The version; empty if the catalog has no such bundle.
    pub version: String,
    /// Whether it is an entry of the channel; else it is only mentioned by one.
    pub is_entry: bool,
    /// Whether nothing replaces or skips it.
    pub is_head: bool,
    /// Whether an entry skips it by name.
    pub is_skipped: bool,
    /// Whether the bundle is deprecated.
    pub is_deprecated: bool,
    /// Whether OLM Classic cannot get from it to a head.
    pub is_dead_end: bool,
}

/// An edge of a graph: an upgrade that an entry permits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphEdge {
    /// The name to upgrade from.
    pub source: String,
    /// The entry to upgrade to, whose field makes the edge.
    pub target: String,
    /// The field: `replaces`, `skips` or `skipRange`.
    pub field: String,
    /// The field's value.
    pub value: String,
}

/// The graphs of a catalog's channels, by package and channel.
#[must_use]
pub fn channels(catalog: &Catalog) -> Vec<ChannelGraph> {
    let mut graphs: Vec<ChannelGraph> = catalog.channels.iter().map(|it| channel(catalog, it)).collect();
    graphs.sort_by(|a, b| (&a.package, &a.channel).cmp(&(&b.package, &b.channel)));
    graphs
}

fn channel(catalog: &Catalog, channel: &Channel) -> ChannelGraph {
    let Rows { nodes, sources } = Rows::new(catalog, channel);
    let mut edges = Vec::new();
    for sources in &sources {
        for source in sources.each().map(|row| nodes[row].name.clone()) {
            let value = if sources.value.is_empty() { source.clone() } else { sources.value.clone() };
            let (target, field) = (nodes[sources.target].name.clone(), sources.field.as_str().to_owned());
            edges.push(GraphEdge { source, target, field, value });
        }
    }
    ChannelGraph {
        package: channel.package.clone(),
        channel: channel.name.clone(),
        is_deprecated: is_deprecated(catalog, channel),
        nodes,
        edges,
    }
}

/// Whether a channel is deprecated, or its package.
pub(super) fn is_deprecated(catalog: &Catalog, channel: &Channel) -> bool {
    catalog.deprecated.channels.contains(&channel.name) || catalog.deprecated.packages.contains(&channel.package)
}

/// The edges into each node, by the node's name.
pub(super) fn edges_into(graph: &ChannelGraph) -> HashMap<&str, Vec<&GraphEdge>> {
    let mut into: HashMap<&str, Vec<&GraphEdge>> = HashMap::new();
    for edge in &graph.edges {
        into.entry(&edge.target).or_default().push(edge);
    }
    into
}
