//! Package-manifest directories, the form of operators before bundles: a `*.package.yaml` that names the channels and
//! their heads, and a directory of manifests for each version (`docs/behaviour/authoring.md` A.2).
//!
//! | file | what it does |
//! |---|---|
//! | `manifest` | reads the package manifest |
//! | `file` | opens a file |
//! | `tree` | finds and reads the versions |
//! | `convert` | makes blobs of both |
//! | `rules` | the possible findings |
//!
//! For safety, this module deliberately opens no link, and nothing but regular files.

mod convert;
mod file;
mod manifest;
pub mod rules;
mod tree;

pub use convert::convert;
pub use manifest::find;
