//! Mirroring: ImageSetConfigurations, catalogs filtered by them as oc-mirror does it, and what a mirror needs besides.
//!
//! [`read`] reads a configuration, [`Catalog::read`] takes of a catalog what filtering needs, [`filter()`] decides what is kept, and
//! [`write()`] makes blobs of it. The rules are in `docs/behaviour/authoring.md`, parts D and E.
//!
//! What it deliberately does not do: it pulls and pushes no image, prints nothing, and writes no file.
//!
//! # How a catalog is filtered
//!
//! `mirror::Catalog` takes of a catalog, in one parallel pass, what filtering needs: names, edges, versions, and where each document stands; of
//! packages that nobody asks for it takes the names. `mirror::filter` then works on each package by itself, so that a broken one does not keep
//! the others back; each error knows when the real filter would have met it, so that the first one is known too. What is kept is read a second
//! time, where it stands (`fbc::load_again`), trimmed as a typed blob, and written by the one writer of blobs. A repair is a search over
//! requests: each candidate is filtered again, which needs no file, and only what passes is offered.

mod broken_edges;
mod catalog;
mod configuration;
mod decode;
mod dependencies;
mod document;
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
mod repair;
mod request;
mod rewrite;
mod selection;
mod verify;
mod write;

pub use broken_edges::{Mend, mend};
pub use catalog::{BundleFacts, BundleVersion, Catalog, ChannelFacts, Kind, PackageFacts};
pub use configuration::{AdditionalImage, Channel, Configuration, Operator, Others, Package, Platform, Range};
pub use decode::{Dialect, decode, read};
pub use dependencies::ask_for;
pub use document::{ManifestValue, documents};
pub use error::{ConfigurationError, Fault};
pub use explain::{ChannelExplanation, FilterExplanation, RepairAnswer, explain, in_words, refused};
pub use filter::{
    FilterError, FilterVersion, Filtered, Kept, NamelessError, PackageError, Part, Warning, filter, wanted,
};
pub use graph::{GraphError, GraphFault, Walk, head, heads, walk};
pub use holdings::{Holding, HoldingStatus, NeededPlaces};
pub use images::{bundles, images};
pub use install::{Install, Modes, installs};
pub use installer::installer;
pub use outputs::{
    MirrorSet, OutputError, catalog_image, catalog_name, catalog_source, cluster_catalog, colliding, configuration,
    mapping, mirror_sets, skopeo_sync,
};
pub use place::{Destination, Image, Mirrored};
pub use repair::{Proposal, Request, Trouble, meant, repairs, survivors, trouble};
pub use request::{AskedError, packages};
pub use rewrite::{differences, put, rename};
pub use selection::{ChosenDefault, Explained, Missing, choose_defaults, explained, missing};
pub use verify::{is_target, verify};
pub use write::{Blobs, write};
