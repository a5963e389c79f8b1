//! Nodes and edges of channels, for programs and for drawings other than opm's.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::catalog::{Catalog, Channel};
use super::node::GraphNode;
use super::order::in_version_order;
use super::rows::{Rows, Sources};

/// The graph of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelGraph {
    /// The catalog, if several are drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// Whether the channel, or its package, is deprecated.
    pub is_deprecated: bool,
    /// Whether it is the package's default channel.
    #[serde(skip)]
    pub is_default: bool,
    /// Entries, highest version first, then names that are only mentioned.
    pub nodes: Vec<GraphNode>,
    /// Edges, in the order of their targets among the nodes.
    #[schemars(with = "Vec<GraphEdge<'static>>")]
    pub edges: GraphEdges,
}

/// An edge of a graph: an upgrade that an entry permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphEdge<'g> {
    /// The name to upgrade from.
    pub source: &'g str,
    /// The entry to upgrade to, whose field makes the edge.
    pub target: &'g str,
    /// The field: `replaces`, `skips` or `skipRange`.
    pub field: &'g str,
    /// The field's value.
    pub value: &'g str,
}

/// The edges of a graph. They are made one by one on demand: ranges of ten thousand entries that hold each other make a
/// hundred million.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphEdges {
    names: Vec<String>,
    pub(super) sources: Vec<Sources>,
}

impl GraphEdges {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.sources.iter().map(Sources::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = GraphEdge<'_>> {
        self.sources.iter().flat_map(|sources| {
            sources.each().map(|row| {
                let source = self.names[row].as_str();
                let value = if sources.value.is_empty() { source } else { &sources.value };
                GraphEdge { source, target: &self.names[sources.target], field: sources.field.as_str(), value }
            })
        })
    }
}

impl Serialize for GraphEdges {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// The graphs of a catalog's channels, by package and channel.
pub fn channels(catalog: &Catalog) -> Vec<ChannelGraph> {
    let mut graphs: Vec<ChannelGraph> = catalog.channels.iter().map(|it| channel(catalog, it)).collect();
    graphs.sort_by(|a, b| (&a.package, &a.channel).cmp(&(&b.package, &b.channel)));
    graphs
}

/// As [`channels`], but with the channels of a package by the versions of their heads, the highest first.
pub fn channels_by_head(catalog: &Catalog) -> Vec<ChannelGraph> {
    in_version_order(catalog).into_iter().map(|it| channel(catalog, it)).collect()
}

fn channel(catalog: &Catalog, channel: &Channel) -> ChannelGraph {
    let Rows { nodes, sources } = Rows::new(catalog, channel);
    let edges = GraphEdges { names: nodes.iter().map(|it| it.name.clone()).collect(), sources };
    ChannelGraph {
        catalog: None,
        package: channel.package.clone(),
        channel: channel.name.clone(),
        is_deprecated: catalog.is_deprecated(channel),
        is_default: catalog.is_default(channel),
        nodes,
        edges,
    }
}
