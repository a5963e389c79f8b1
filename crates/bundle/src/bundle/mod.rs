//! Bundle directories: `manifests/` and `metadata/` of one version of an operator, as the blob that a catalog has of it.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use olmdex::bundle::{Bundle, ImageTemplate};
//! use olmdex::fbc::{Format, Level};
//!
//! let bundle = Bundle::read(Path::new("my-operator/1.0.0"))?;
//! let image = ImageTemplate::parse("quay.io/org/{{.Name}}")?.fill(&bundle);
//! let mut blob = Vec::new();
//! bundle.write(&image, Level::None, Format::Yaml, &mut blob)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What it deliberately does not do: it follows no network reference, judges nothing beyond what cannot become a blob, and knows no
//! catalog.

mod blob;
mod directory;
mod error;
mod identity;
mod image;
mod manifest;
mod metadata;
mod nested;
pub mod package_manifest;
mod parts;
mod properties;
mod provided;
mod registration;
pub mod rules;
mod size;
mod sources;
mod typed;
mod written;

pub use blob::Bundle;
pub use directory::is_bundle;
pub use error::BundleError;
pub use identity::{package_in, stated_version_in};
pub use image::{ImageTemplate, TemplateError};
pub use nested::nested_bundles;
pub use registration::Registration;
pub use sources::{SourceFile, made_of};
