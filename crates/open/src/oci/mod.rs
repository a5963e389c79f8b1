//! Images: catalogs, bundles and databases as registries, layouts and archives hold them.
//!
//! | part | what it does |
//! |---|---|
//! | [`Digest`], [`Descriptor`], [`Manifest`], [`Index`], [`ImageConfig`] | the documents of an image, and their names |
//! | [`Store`] | where the documents and layers of an image are: [`Layout`], [`SavedImage`], [`SkopeoDirectory`], [`registry::Registry`] |
//! | [`Platform`] | which of the images of an index is meant |
//! | [`Image`], [`Content`] | one image, and its content according to its labels |
//! | [`pack`] | making images of catalogs, and artifacts of databases |
//! | [`Presence`] | whether an image is where its reference says |
//! | [`ImageBlobs`] | the parts of an image, blob by blob |
//! | [`rules`] | remarks about an image, as rules of findings |
//!
//! The author of an image chose every byte of it, its names, its links and its sizes. Digests are verified while bytes
//! are read. Layers are never unpacked: they become a [`olmdex_base::archive::Tree`], and a link is followed inside of
//! it (`docs/behaviour/serving.md` A.2).
//!
//! This module deliberately verifies no signatures, fetches no foreign layers from other servers, and judges no
//! catalog.
//!
//! # How an image is read
//!
//! A `oci::Store` (a layout, an archive, skopeo's directory, a registry) gives a root descriptor and bytes; `Image`
//! follows it to a manifest and a configuration, whose labels decide what `Content` is: a catalog, a bundle or a
//! database. Every byte is compared with its digest while it is read. Layers are read in parallel, each to a list of
//! entries with the contents that are wanted: those below the labelled directory. The lists are then applied in order
//! to an `archive::Tree`, which is a map of paths, so that `..`, links and whiteouts are operations on strings, and no
//! file of the host can be opened. If a link leads to content that was not kept, the layers are read again with that
//! path added: honest images need one reading, and the memory for an image depends on its catalog, not on its size.
//! Contents are kept in memory up to 8 MiB a layer, then in a temporary file without a name; `file::Text` is either,
//! and a catalog's file can be a part of one, so loading and rendering do not notice the difference.
//!
//! Blobs of registries go to the cache under their digests (`file::BlobCache`): one process locks a partial file,
//! continues it if another one was killed, and names it when its digest is right. The digest that a tag named last is
//! kept beside them, so that a second run costs one `HEAD`.
//!
//! The names of files and the targets of links may take 36 MiB in all layers together, with 128 bytes for each entry,
//! beside the limit of two million entries: that, and not the number, bounds memory (100 MB at worst, measured with
//! names of 14 to 240 bytes and with links).
//!
//! The deliberate differences from opm: links are resolved inside the image (opm resolves absolute ones on the host),
//! devices and pipes are skipped (opm waits for a pipe), `sha512` works, a catalog takes precedence over a database if
//! an image has both labels, and an artifact is opened.

mod blobs;
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
mod mirrors;
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

pub use blobs::{BlobKind, ImageBlobs};
pub use content::Content;
pub use digest::{Digest, DigestError};
pub use document::{Descriptor, Document, ImageConfig, Index, Manifest, PlatformOf};
pub use error::OciError;
pub use image::{Image, ImageOptions};
pub use layout::Layout;
pub use mirrors::{MirrorFile, Mirrors};
pub use platform::Platform;
pub use presence::{BlobSizes, Presence, Status};
pub use reference::{Reference, ReferenceError};
pub use saved::SavedImage;
pub use skopeo::SkopeoDirectory;
pub use store::{ImageSelector, Store};
