//! `operators.lock`: which bundles a set of operators is pinned to, and what has become of them since.
//!
//! | part | what it does |
//! |---|---|
//! | [`Lock`] | the file: reading and writing it |
//! | [`pin()`] | one operator, pinned |
//! | [`lock_all()`] | a set of operators with what they depend on |
//! | [`verify()`] | what has changed in the catalogs since |
//! | [`update()`] | newer bundles, by upgrades that OLM makes |
//! | [`outdated()`] | what newer bundles there are, and which of them OLM reaches |
//! | [`releases()`] | the versions of a package as Renovate asks for them |
//!
//! The form of the file is described in `docs/behaviour/authoring.md` E.7, that for Renovate in E.6.
//!
//! What it deliberately does not do: it writes no file and asks no registry.

mod error;
mod file;
mod outdated;
mod pin;
mod releases;
mod set;
mod update;
mod verify;

pub use error::{LockError, ParseError};
pub use file::{Images, Lock, LockedCatalog, LockedOperator};
pub use outdated::{Outdated, outdated};
pub use pin::{Ask, pin};
pub use releases::{Datasource, InCatalog, Reach, Release, Select, releases, releases_by_catalog};
pub use set::lock_all;
pub use update::{LockChange, LockStep, Update, update};
pub use verify::{Drift, DriftKind, verify};
