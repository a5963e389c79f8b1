//! Opens catalogs of every kind.
//!
//! | module | what it does |
//! |---|---|
//! | [`source`] | recognizes a path or a name by its content, and opens it |
//! | [`oci`] | images in registries, layouts and archives: catalogs, bundles and databases |
//! | [`template`] | basic, semver and substitutes templates: read, judged, rendered |
//! | [`git`] | catalogs as they were, from a git repository |
//!
//! [`source::Opener`] is the way in. Everything that it opens is taken for hostile: names lead nowhere outside, sizes
//! have limits, and credentials go only to the registry they belong to.
//!
//! The feature `oci` brings registries, and with them the only client of the network. Layouts and archives need no
//! feature.
//!
//! This crate deliberately does not judge catalogs, and it writes nothing but its own cache.

pub mod git;
pub mod oci;
pub mod source;
pub mod template;
