//! Templates: short files from which a catalog is made, by replacing the references of images with the bundles in them.
//!
//! | part | what it does |
//! |---|---|
//! | [`Template`] | reads a template, reports all errors in it, renders it |
//! | [`BundleImages`] | where the content of the images comes from |
//! | [`Rendered`] | the catalog, to be written as opm writes it |
//! | [`convert()`] | a catalog as a template |
//! | [`CompositePart`] | the parts of composite templates |
//!
//! The rules are in `docs/behaviour/authoring.md` C and `docs/behaviour/fbc.md` 5.6 and 5.7.

mod as_catalog;
mod basic;
mod composite;
mod convert;
mod document;
mod images;
mod kind;
mod lists;
mod rendered;
pub mod rules;
mod semver;
mod streams;
mod substitutes;
mod template_file;

pub use composite::CompositePart;
pub use convert::{ConvertError, convert};
pub use images::{BundleImages, ImageContent, Unavailable};
pub use kind::Kind;
pub use rendered::{Rendered, WriteError};
pub use template_file::{MAX_SIZE, Template, template_text, template_texts};
