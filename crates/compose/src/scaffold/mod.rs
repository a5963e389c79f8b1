//! The first files of a catalog: the blob of a package, and a Dockerfile (`docs/behaviour/fbc.md` 5.2 and 5.3).

mod dockerfile;
mod media_type;
mod package;

pub use dockerfile::{DEFAULT_IMAGE, Dockerfile, parse_labels};
pub use media_type::media_type;
pub use package::{PackageError, package};
