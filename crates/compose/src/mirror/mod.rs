//! Mirroring: ImageSetConfigurations, catalogs filtered by them as oc-mirror does it, and what else a mirror needs.
//!
//! [`read`] reads a configuration, [`Catalog::read`] reads the data of a catalog that filtering needs, [`filter()`]
//! decides what is kept, and [`write()`] turns that into blobs. The rules are in `docs/behaviour/authoring.md`, parts D
//! and E.
//!
//! # How a catalog is filtered
//!
//! `mirror::Catalog` reads, in one parallel pass, the data of a catalog that filtering needs: names, edges, versions,
//! and the place of each document; for packages outside of the request it reads only the names. `mirror::filter` then
//! works on each package by itself, so that a broken one does not keep the others back; each error knows when the real
//! filter would have met it, so that the first one is known too. The kept documents are read a second time at their
//! places (`fbc::load_again`), trimmed as typed blobs, and written by the one writer of blobs. A repair is a search
//! over requests: each candidate is filtered again, which needs no file, and only candidates that pass are offered.

mod broken_edges;
mod catalog;
mod check;
mod configuration;
mod decode;
mod deletions;
mod dependencies;
mod document;
mod equivalent;
mod error;
mod explain;
mod filter;
mod graph;
mod holdings;
mod images;
mod install;
mod installer;
mod outputs;
mod place;
mod purpose;
mod repair;
mod request;
mod rewrite;
pub mod rules;
mod selection;
mod union;
mod verify;
mod write;

pub use broken_edges::{CatalogRepair, mend};
pub use catalog::{BundleFacts, BundleVersion, Catalog, ChannelFacts, Kind, PackageFacts};
pub use check::ConfigurationFile;
pub use configuration::{
    AdditionalImage, Channel, Configuration, Depth, Operator, Others, Package, Platform, Range, catalog_names,
};
pub use decode::{Dialect, decode, read, read_deletion};
pub use deletions::Deletions;
pub use dependencies::ask_for;
pub use document::{ManifestValue, documents};
pub use equivalent::equivalent;
pub use error::{ConfigurationError, Fault};
pub use explain::{ChannelExplanation, FilterExplanation, RepairAnswer, explain, in_words, refused};
pub use filter::{
    FilterError, FilterVersion, Filtered, NamelessError, PackageError, PackageExtent, Part, Warning, filter, wanted,
};
pub use graph::{GraphError, GraphFault, Walk, chain, head, heads, walk};
pub use holdings::{Holding, HoldingStatus, NeededPlaces, PossibleImages, holdings_of_layout, is_of_release};
pub use images::{BlockedImages, MirrorImages, bundles, images};
pub use install::{Install, Modes, installs};
pub use installer::installer;
pub use outputs::{
    MirrorSet, NOT_LISTED, catalog_image, catalog_name, catalog_source, cluster_catalog, configuration,
    unlisted_comment,
};
pub use place::{Destination, Image, Mirrored, OutputError};
pub use purpose::Purpose;
pub use repair::{Proposal, Request, RequestProblem, meant, repairs, survivors, trouble};
pub use request::{AskedError, packages};
pub use rewrite::{differences, put, rename};
pub use selection::{ChosenDefault, Explained, Missing, choose_defaults, explained, missing};
pub use union::{Union, UnionEdge, union};
pub use write::{Blobs, write};
