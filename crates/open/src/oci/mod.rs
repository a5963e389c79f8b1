//! Images: catalogs, bundles and databases as registries, layouts and archives hold them.
//!
//! | part | what it does |
//! |---|---|
//! | [`Digest`], [`Descriptor`], [`Manifest`], [`Index`], [`ImageConfig`] | the documents of an image, and what names them |
//! | [`Store`] | where the documents and layers of an image are: [`Layout`], [`SavedImage`], [`SkopeoDirectory`], [`registry::Registry`] |
//! | [`Platform`] | which of the images of an index is meant |
//! | [`Image`], [`Content`] | one image, and what its labels say is in it |
//! | [`pack`] | making images of catalogs, and artifacts of databases |
//! | [`Presence`] | whether an image is where its reference says |
//! | [`rules`] | what is remarkable about an image, as rules of findings |
//!
//! Whoever made an image chose every byte of it, its names, its links and its sizes. Digests are verified while bytes are read. Layers are
//! never unpacked: they become a [`crate::archive::Tree`], and a link is followed inside of it (`docs/behaviour/serving.md` A.2).
//!
//! What it deliberately does not do: no signatures, no foreign layers from other servers, no judgement of a catalog.

mod content;
mod created;
mod digest;
mod document;
mod error;
mod files;
mod image;
mod layers;
mod layout;
mod listing;
pub mod pack;
mod platform;
mod presence;
mod reference;
#[cfg(feature = "oci")]
pub mod registry;
pub mod rules;
mod saved;
mod skopeo;
mod store;
mod verified;

pub use content::Content;
pub use digest::{Digest, DigestError};
pub use document::{Descriptor, Document, ImageConfig, Index, Manifest, PlatformOf};
pub use error::OciError;
pub use image::{Image, ImageOptions};
pub use layout::Layout;
pub use platform::Platform;
pub use presence::{Presence, Status};
pub use reference::{Reference, ReferenceError};
pub use saved::SavedImage;
pub use skopeo::SkopeoDirectory;
pub use store::{Store, Wanted};
