//! Nodes and edges of channels, for programs and for drawings other than opm's.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::catalog::{Catalog, Channel};
use crate::version::Version;
use crate::version::blang::Range;

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
    let mut order: Vec<usize> = (0..channel.entries.len()).collect();
    let versions: Vec<Option<&Version>> = channel.entries.iter().map(|it| catalog.versions.get(&it.name)).collect();
    order.sort_by(|&a, &b| versions[b].cmp(&versions[a]));
    let left: BTreeSet<&str> = channel
        .entries
        .iter()
        .flat_map(|it| it.skips.iter().map(String::as_str).chain([it.replaces.as_str()]))
        .filter(|it| !it.is_empty())
        .collect();
    let skipped: BTreeSet<&str> = channel.entries.iter().flat_map(|it| it.skips.iter().map(String::as_str)).collect();
    let node = |name: &str, is_entry: bool| GraphNode {
        name: name.to_owned(),
        version: catalog.versions.get(name).map(ToString::to_string).unwrap_or_default(),
        is_entry,
        is_head: is_entry && !left.contains(name),
        is_skipped: skipped.contains(name),
        is_deprecated: catalog.deprecated.bundles.contains(name),
    };
    let mut nodes: Vec<GraphNode> = order.iter().map(|&idx| node(&channel.entries[idx].name, true)).collect();
    let listed: BTreeSet<&str> = channel.entries.iter().map(|it| it.name.as_str()).collect();
    nodes.extend(left.iter().filter(|it| !listed.contains(*it)).map(|it| node(it, false)));
    let mut edges = Vec::new();
    for entry in order.iter().map(|&idx| &channel.entries[idx]) {
        let mut add = |source: &str, field: &str, value: &str| {
            let (source, target) = (source.to_owned(), entry.name.clone());
            edges.push(GraphEdge { source, target, field: field.to_owned(), value: value.to_owned() });
        };
        if !entry.replaces.is_empty() {
            add(&entry.replaces, "replaces", &entry.replaces);
        }
        for skip in &entry.skips {
            add(skip, "skips", skip);
        }
        let Some(range) = Some(&entry.skip_range).filter(|it| !it.is_empty()) else { continue };
        let Ok(range) = Range::parse(range) else { continue };
        for (source, version) in channel.entries.iter().zip(&versions) {
            let is_inside = version.is_some_and(|it| range.contains(it).unwrap_or(false));
            // A range that holds its own entry's version is no step.
            if is_inside && source.name != entry.name {
                add(&source.name, "skipRange", &entry.skip_range);
            }
        }
    }
    ChannelGraph {
        package: channel.package.clone(),
        channel: channel.name.clone(),
        is_deprecated: catalog.deprecated.channels.contains(&channel.name)
            || catalog.deprecated.packages.contains(&channel.package),
        nodes,
        edges,
    }
}

/// The edges into each node, by the node's name.
pub(super) fn edges_into(graph: &ChannelGraph) -> HashMap<&str, Vec<&GraphEdge>> {
    let mut into: HashMap<&str, Vec<&GraphEdge>> = HashMap::new();
    for edge in &graph.edges {
        into.entry(&edge.target).or_default().push(edge);
    }
    into
}
