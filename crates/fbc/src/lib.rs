//! The catalog format: from files to blobs.
//!
//! A catalog is a directory tree (or one file, or a stream). [`Input`] lists its files, [`load()`] cuts them into
//! documents and decodes those in parallel, [`blob::decode`] makes a [`Blob`] of a document. Defects of documents are
//! data, not errors: loading never stops at the first.
//!
//! ```
//! use std::sync::Arc;
//!
//! use olmdex_fbc::{Document, Input, Typed, load_all};
//!
//! /// The name of a bundle, and its image.
//! fn image(document: Document<'_>) -> Option<String> {
//!     let blob = document.blob.ok()?;
//!     let Typed::Bundle(bundle) = &blob.typed else { return None };
//!     Some(format!("{}: {}", blob.name, bundle.image))
//! }
//!
//! let text = "schema: olm.bundle\nname: till.v1.0.0\npackage: till\nimage: quay.io/till/bundle:1.0.0\n";
//! let images = load_all(&Input::bytes("till.yaml", Arc::from(text.as_bytes())), &image);
//! assert_eq!(images, [Some("till.v1.0.0: quay.io/till/bundle:1.0.0".to_owned())]);
//! ```
//!
//! This crate deliberately does not judge a catalog (`check` does), does not keep it in memory, does not print, and
//! knows no database.
//!
//! # How a file becomes blobs
//!
//! `fbc::stream` decides between JSON and YAML as opm does: a file that starts with `{` is a stream of objects until
//! one of the first two fails; then the rest of the file is YAML, behind white space of any kind. So the first two
//! objects are decoded where the file is cut, later ones are only measured there (braces and strings) and decoded
//! elsewhere, in parallel. YAML is cut by lines before it is parsed.
//!
//! Every document, JSON or YAML, becomes JSON text and then a flat vector of nodes (`json::Reader`), so that all rules
//! about blobs exist once. `serde_json` is not used for catalogs: it recurses, refuses lone surrogates and invalid
//! UTF-8, keeps integers exact and knows no offsets inside values; Go's reader differs in all of these, and the
//! differences show in the output.
//!
//! YAML is read through libyaml's events (`libyaml-safer`), because only libyaml's scanner accepts exactly what go-yaml
//! accepts; the meaning of scalars, keys, merges and aliases is decided by our code. The writer is our own too: it is
//! several times faster than the library's, and handles characters that the library does not.
//!
//! `render` must sort before it writes, and holds ranks instead of texts (`fbc::Sorted`): a document whose text in its
//! file is already the text to write is copied from there in a second reading. If JSON differs from its file by little
//! more than the order of keys, only the difference is kept (`fbc/delta.rs`): the writer notes where it writes long
//! strings of the document, and equal parts around them are copied. Others are kept up to a limit and made again beyond
//! it. Each file has a stamp (size, inode, time stamps), so a file that changed between the two readings is an error.

pub mod blob;
mod bundle_files;
mod channel_places;
pub mod csv_metadata;
mod csv_rebuilt;
mod defect;
mod delta;
mod edit;
mod entry;
mod go_order;
mod ignore;
mod image;
mod input;
mod input_file;
mod layout;
mod load;
mod meter;
mod name;
mod named_documents;
mod objects;
mod origin;
mod place;
mod property;
mod provenance;
mod raw_blob;
mod render;
mod render_order;
mod reread;
mod scan;
pub mod service_version;
mod sorted;
mod stamp;
mod stream;
mod typed;
mod value_places;
mod walk;
mod write;

pub use blob::{Blob, Failure, Typed};
pub use bundle_files::BundleFiles;
pub use bundle_files::{MANIFESTS, MAX_BUNDLE_FILE, METADATA};
pub use channel_places::ChannelPlaces;
pub use csv_metadata::{CSV_METADATA, Level};
pub use csv_rebuilt::{PackageFacts, rebuilt_csv};
pub use defect::{Defect, DefectKind, Spot};
pub use edit::{EditError, Edited, edit_document};
pub use entry::{Entry, EntryView, SharedEntry};
pub use go_order::{go_order, go_sort};
pub use ignore::{Ignore, LineTooLong, glob_matches};
pub use image::{ImageError, check_image};
pub use image::{has_tag_or_digest, is_host, is_path_component, is_tag};
pub use input::{FromImage, Input};
pub use input_file::{InputFile, Made, RereadError, Sight, is_hidden};
pub use layout::{EntryPlaces, entry_places, layout_of, layout_of_made, property_places, start_in_file};
pub use load::{Consumer, Document, load, load_all, load_each};
pub use meter::Meter;
pub use name::{Name, without_v};
pub use named_documents::NamedDocuments;
pub use objects::{BUNDLE_OBJECT, CarriedObject, cluster_service_version, for_each_object, for_each_placed_object};
pub use olmdex_text::api::Api;
pub use origin::Origin;
pub use place::{Located, locate, locate_all};
pub use property::{Property, PropertyView};
pub use provenance::Provenance;
pub use raw_blob::{bundle_object, raw_entry, raw_properties, raw_related_images, write_raw_blob};
pub use render::{RenderDefect, Rendering, Selection, render_blob, render_blob_of_image};
pub use render_order::Rank;
pub use reread::load_again;

pub use sorted::Sorted;
pub use stamp::Stamp;
pub use stream::Syntax;
pub use stream::advance;
pub use typed::{Bundle, Channel, Deprecation, Deprecations, Icon, Package, RelatedImage};
pub use value_places::ValuePlaces;
pub use walk::TreeFile;
pub use write::{Format, WriteError, write_blob};
