//! Upgrade graphs for the eye: Mermaid, DOT, SVG, HTML, text, and data to draw something else from.
//!
//! A [`Catalog`] is what is drawn: channels with their entries, versions, deprecations, from blobs or from an index.
//! [`Mermaid`] draws it as opm does, byte for byte; [`channels`] works out nodes and edges for the other forms.
//!
//! What it deliberately does not do: it judges nothing (a broken graph is drawn as it is, since that is when a picture is
//! wanted most) and prints nothing.

mod catalog;
mod channel;
mod dot;
mod go_order;
mod html;
mod layout;
mod mermaid;
mod node;
mod rows;
mod svg;
mod text;

pub use catalog::{Catalog, CatalogBuilder, Channel, Deprecated, DrawError};
pub use channel::{ChannelGraph, GraphEdge, GraphEdges, channels};
pub use dot::dot;
pub use html::html;
pub use layout::Detail;
pub use mermaid::{Mermaid, MermaidOptions};
pub use node::GraphNode;
pub use svg::{TooManyMarks, Way, svg};
pub use text::text;
