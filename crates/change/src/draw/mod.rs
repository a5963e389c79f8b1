//! Upgrade graphs for the eye: Mermaid, DOT, SVG, HTML, text, and data to draw something else from.
//!
//! A [`Catalog`] is what is drawn: channels with their entries, versions, deprecations, from blobs or from an index.
//! [`Mermaid`] draws it as opm does, byte for byte; [`channels`] works out nodes and edges for the other forms.
//! [`overview_svg`], [`overview_text`] and [`html`] of several packages begin with what the catalog holds.
//!
//! What it deliberately does not do: it judges nothing (a broken graph is drawn as it is, since that is when a picture is
//! wanted most) and prints nothing.
//!
//! # How a channel is drawn
//!
//! SVG and HTML are laid out in lines, the highest version on top. Three things keep long channels readable. What is repeated shares a line
//! (`draw::fold`): rows that differ in nothing but their version, and the patch releases of a minor version of which only the newest is
//! treated otherwise. If there are still more lines than a picture of 2,000 pixels has, the newest stay, the next are put together by minor
//! version, then by major version, then in equal parts; a package of many channels gets fewer lines for each. And edges into different
//! entries share a lane wherever that says the same (`draw::lanes`): a lane leads from each of its sources up to each of its targets above
//! it, which is what chains of ranges ("from everything older") and growing lists of skips amount to. Sources are kept as ranges, never as
//! single edges, so a channel of ten thousand entries with ranges stays small. Entries with the same range share
//! a mutual lane, from each dot to every arrow. Lanes are made twice: of rows, to see what is repeated, and of lines, to be drawn.
//!
//! Every mark has a shape besides its colour, and a test holds the contrast of each colour, light and dark (`draw::style`). Names are escaped
//! and cut in one file (`draw::markup`), and no layout depends on what a font measures. A whole catalog is an overview (`draw::overview`): a
//! line for each package, as many columns as a screen has; in HTML each line leads to a section, which style sheets show, not scripts.

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
