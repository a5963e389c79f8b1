//! The catalog format: from files to blobs.
//!
//! A catalog is a directory tree (or one file, or a stream). [`Input`] lists its files, [`load()`] cuts them into
//! documents and decodes those in parallel, [`blob::decode`] makes a [`Blob`] of a document. Defects of documents are
//! data, not errors: loading never stops at the first.
//!
//! What it deliberately does not do: it does not judge a catalog (that is `check`), does not keep it in memory, does
//! not print, and knows no database.

mod again;
pub mod blob;
mod bundle_files;
mod channel_places;
pub(crate) mod csv;
pub(crate) mod csv_metadata;
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
mod made_of;
mod meter;
mod name;
mod objects;
mod place;
mod property;
mod rank;
mod raw_object;
mod render;
mod scan;
mod sorted;
mod stamp;
mod stream;
mod typed;
mod value_places;
mod walk;
mod write;

pub use crate::api::Api;
pub use again::load_again;
pub use blob::{Blob, Failure, Typed};
pub use bundle_files::BundleFiles;
pub(crate) use bundle_files::{MANIFESTS, MAX_BUNDLE_FILE, METADATA};
pub use channel_places::ChannelPlaces;
pub use csv_metadata::Level;
pub use csv_rebuilt::{PackageFacts, rebuilt_csv};
pub use defect::{Defect, DefectKind, Spot};
pub use edit::{EditError, Edited, edit_document};
pub use entry::{Entry, EntryView, SharedEntry};
pub(crate) use go_order::{go_order, go_sort};
pub use ignore::{Ignore, LineTooLong};
pub use image::{ImageError, check_image};
pub(crate) use image::{is_host, is_path_component, is_tag};
pub use input::{FromImage, Input};
pub use input_file::{InputFile, Made, RereadError};
pub use layout::{EntryPlaces, entry_places, layout_of, layout_of_made, property_places, start_in_file};
pub use load::{Consumer, Document, Origin, load};
pub use made_of::MadeOf;
pub use meter::Meter;
pub use name::Name;
pub use objects::{BUNDLE_OBJECT, CarriedObject, cluster_service_version, for_each_object, for_each_placed_object};
pub use place::{Located, locate, locate_all};
pub use property::{Property, PropertyView};
pub use rank::Rank;
pub(crate) use raw_object::{RawObject, bundle_object, object_of_texts};
pub use render::{RenderDefect, Rendering, Selection, render_blob};
pub use scan::files_with;
pub use sorted::Sorted;
pub use stamp::Stamp;
pub use stream::Syntax;
pub(crate) use stream::advance;
pub use typed::{Bundle, Channel, Deprecation, Deprecations, Icon, Package, RelatedImage};
pub use value_places::ValuePlaces;
pub use walk::TreeFile;
pub use write::{Format, write_blob};
