//! OLM v1: the resolution of a ClusterExtension (`docs/behaviour/olm-v1.md` section 2).
//!
//! A [`Question`] says what is wanted, [`Catalog`]s hold what there is, [`resolve`] gives the bundle or the error, and how
//! many candidates each step left.
//!
//! Rules that surprise, and are kept because the real system has them: of several blobs of one name the last counts;
//! bundles in no channel are candidates as long as no channel is asked for; a deprecated bundle loses to any other; the
//! deprecations that come with the answer are those of the last catalog that was kept, which need not be the chosen one.
//!
//! What it deliberately does not do: it talks to no cluster, and does not repeat what the API server refuses earlier
//! ([`olmdex_version::masterminds::api_server_admits`]).

mod catalog;
mod conditions;
mod edge_cursor;
mod error;
mod install;
mod installed;
mod property;
mod resolve;
mod successors;

pub use catalog::{Candidate, Catalog, CatalogState, ReleaseReading};
pub use conditions::{DeprecationCondition, deprecation_conditions};
pub(super) use edge_cursor::{Cursor, Web};
pub use error::ResolveError;
pub use install::{GateError, Gates, Installation, Unsupported};
pub use installed::Installed;
pub use property::{BundleVersion, bundle_version};
pub use resolve::{Answer, CatalogWalk, Policy, Question, Resolution, resolve, resolve_only};
pub use successors::permits;
pub(super) use successors::permits_to;
