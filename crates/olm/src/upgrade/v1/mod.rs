//! OLM v1: the resolution of a ClusterExtension (`docs/behaviour/olm-v1.md` section 2).
//!
//! A [`Question`] is the request, [`Catalog`]s hold the candidates, [`resolve`] returns the bundle or the error, and
//! the number of candidates that each step left.
//!
//! Some rules are surprising, and are kept because the real system has them: if several blobs share a name, the last
//! counts; bundles in no channel are candidates as long as no channel is asked for; a deprecated bundle loses to any
//! other; the deprecations that come with the answer are those of the last catalog that was kept, which need not be the
//! chosen one.

mod catalog;
mod conditions;
mod edge_cursor;
mod error;
mod install;
mod property;
mod resolve;
mod successors;

pub use catalog::{Candidate, Catalog, CatalogState, ReleaseReading, ServedCatalog};
pub use conditions::{DeprecationCondition, deprecation_conditions};
pub(super) use edge_cursor::{Cursor, Web};
pub use error::ResolveError;
pub use install::{GateError, Gates, Installation, Unsupported};
pub use property::{BundleVersion, bundle_version};
pub use resolve::{Answer, CatalogWalk, Policy, Question, Resolution, resolve, resolve_only};
pub use successors::permits;
pub(super) use successors::{installed_version, permits_to};
