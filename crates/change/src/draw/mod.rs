//! Drawings of upgrade graphs: Mermaid, DOT, SVG, HTML, text, and data for other drawings.
//!
//! A [`Catalog`] has the data to draw: channels with their entries, versions, deprecations, from blobs or from an
//! index. [`Mermaid`] draws it as opm does, byte for byte; [`channels`] computes nodes and edges for the other forms.
//! [`svg()`] and [`html`] are pictures of one package, or of a few below each other.
//!
//! # How a package is drawn
//!
//! A package of several channels is a map of where its versions can go (`draw::reach`): channels are rows, minor
//! versions are columns, and a strip says which versions can still get to the newest one of the default channel. It has
//! a wide and a narrow form, and one of letters.
//!
//! A single channel has its entries below each other, the highest version on top (`draw::axis`). Its track runs along
//! its upgrades, so a dashed line across is a gap that nothing crosses. If there are more rows than a screen has,
//! unimportant rows share a line, in their place (`draw::fold`): the newest ones, heads, both sides of gaps and the
//! newest of each minor version keep theirs. A page opens such a line without a script, since a picture is a list of
//! strips of the same columns (`draw::picture`).
//!
//! A channel has its edges, too. Edges into different entries share a lane wherever that has the same meaning
//! (`draw::lanes`): a lane leads from each of its sources up to each of its targets above it, which is the form of
//! chains of ranges ("from everything older") and growing lists of skips. Sources are kept as ranges, never as single
//! edges, so a channel of ten thousand entries with ranges stays small. Entries with the same range share a mutual
//! lane, from each circle to every arrow.
//!
//! Every mark has a shape in addition to its colour, and a test checks the contrast of each colour, light and dark
//! (`draw::style`). Names are escaped and cut in one file (`draw::markup`), and no layout depends on the measures of a
//! font.
//!
//! A broken graph is drawn as it is, since users need a picture most then.

mod axis;
mod catalog;
mod channel;
mod dot;
mod folded_mermaid;
mod html;
mod lanes;
mod layout;
mod legend;
mod line_map;
mod markup;
mod mermaid;
mod node;
mod order;
mod picture;
mod reach;
mod reach_picture;
mod reach_text;
mod rows;
mod strip;
mod style;
mod svg;
mod text;
mod way;

pub use catalog::{Catalog, Channel, Deprecated, DrawError};
pub use channel::{ChannelGraph, GraphEdge, GraphEdges, channels, channels_by_head};
pub use dot::dot;
pub use folded_mermaid::folded_mermaid;
pub use html::html;
pub use layout::Detail;
pub use line_map::{LineMap, line_map};
pub use mermaid::{Mermaid, MermaidOptions};
pub use node::GraphNode;
pub use picture::TooManyMarks;
pub use strip::{MarkedPath, PictureLinks};
pub use svg::{map_for_page, picture_for_page, picture_style, svg};
pub use text::{package_text, text};
