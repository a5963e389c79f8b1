//! Upgrade graphs for the eye: Mermaid, DOT, SVG, HTML, text, and data to draw something else from.
//!
//! A [`Catalog`] is what is drawn: channels with their entries, versions, deprecations, from blobs or from an index.
//! [`Mermaid`] draws it as opm does, byte for byte; [`channels`] works out nodes and edges for the other forms.
//! [`overview_svg`], [`overview_text`] and [`html`] of several packages begin with what the catalog holds.
//!
//! What it deliberately does not do: it judges nothing (a broken graph is drawn as it is, since that is when a picture is
//! wanted most) and prints nothing.

mod catalog;
mod channel;
mod dot;
mod fold;
mod html;
mod label;
mod lanes;
mod layout;
mod legend;
mod markup;
mod mermaid;
mod node;
mod order;
mod overview;
mod panel;
mod rows;
mod style;
mod svg;
mod text;

pub use catalog::{Catalog, CatalogBuilder, Channel, Deprecated, DrawError, Package};
pub use channel::{ChannelGraph, GraphEdge, GraphEdges, channels, channels_by_head};
pub use dot::dot;
pub use html::html;
pub use layout::Detail;
pub use mermaid::{Mermaid, MermaidOptions};
pub use node::GraphNode;
pub use overview::{overview_svg, overview_text};
pub use panel::{TooManyMarks, Way};
pub use svg::{picture_style, svg, svg_for_page};
pub use text::text;
