//! Bundle directories: `manifests/` and `metadata/` of one version of an operator, as the blob that a catalog has of
//! it.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use olmdex_bundle::bundle::{Bundle, ImageTemplate};
//! use olmdex_fbc::{Format, Level};
//!
//! let bundle = Bundle::read(Path::new("my-operator/1.0.0"))?;
//! let image = ImageTemplate::parse("quay.io/org/{{.Name}}")?.fill(&bundle);
//! let mut blob = Vec::new();
//! bundle.write(&image, Level::None, Format::Yaml, &mut blob)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! For safety, this module deliberately follows no network reference. It judges only what prevents a blob, and knows no
//! catalog.
//!
//! # How a bundle is checked
//!
//! `bundle::rules::Contents` reads the two directories and the first document of each file, and never fails because of
//! their content. A `Validation` loads that once. Each `Validator` is then asked by itself, as the real drivers do it,
//! and answers with `Problem`: our rule, place, words and help, and the real validator's name for findings of that
//! type. `--compat operator-sdk` prints the problems that have such a name, in our words. A problem that only the real
//! tool reports (a repetition, or a refusal that is wrong) is marked, and is no finding of ours. Where the real loader
//! stops, the rest is checked all the same.

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
pub(crate) mod sources;
mod typed;
mod unpacked;
mod written;

pub use blob::Bundle;
pub use directory::{is_bundle, read_files, read_unlinked_files};
pub use error::BundleError;
pub use identity::{package_in, stated_version_in};
pub use image::{ImageTemplate, TemplateError};
pub use nested::{FirstDocument, nested_bundles};
pub use registration::Registration;
pub use sources::{SourceFile, made_of};
pub use unpacked::{PublishedIn, UnpackError, UnpackedBundle, harmless, unpacked};
