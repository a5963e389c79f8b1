//! `operators.lock`: the bundles that a set of operators is pinned to, and their changes since.
//!
//! | part | what it does |
//! |---|---|
//! | [`Lock`] | the file: reading and writing it |
//! | [`pin()`] | one operator, pinned |
//! | [`lock_all()`] | a set of operators with their dependencies |
//! | [`verify()`] | the changes in the catalogs since |
//! | [`update()`] | newer bundles, by upgrades that OLM makes |
//! | [`outdated()`] | newer bundles, and those of them that OLM can upgrade to |
//! | [`releases()`] | the versions of a package in Renovate's form |
//!
//! The form of the file is described in `docs/behaviour/authoring.md` E.7, that for Renovate in E.6.

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
