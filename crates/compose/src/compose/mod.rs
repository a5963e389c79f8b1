//! `olmdex.toml`: which findings are chosen, and catalogs by name: what they are composed of, and where they go.
//!
//! ```toml
//! [findings]
//! ignore = ["W0805"]
//! severity = { W0808 = "error" }
//! baseline = "baseline.json"
//!
//! [catalogs.community]
//! source = "catalogs/community"
//! priority = 10
//! labels = { tier = "community" }
//!
//! [catalogs.ours]
//! destination = "rendered/ours"
//! components = [
//!     { source = "catalogs/community", packages = ["quay", "keda/stable@>=2.0.0"] },
//!     { template = "shop-template.yaml", bundles = ["operators"] },
//! ]
//! ```
//!
//! [`find()`] says which file that is, [`read()`] reads it, or a composite file of an old form, [`Choice`] joins it with what a command line says, and [`Composition`] is a
//! catalog as its components make it, which [`Staged`] writes to its destination. A file that is found
//! may have been put there by somebody else: what it hides is counted in [`Chosen::hidden`], and it has nothing read and
//! nothing written outside of its own directory.
//!
//! What it deliberately does not do: it judges no catalog, and decides nothing about exit codes.

mod baseline_file;
mod catalogs;
mod choice;
mod compose_error;
mod composite;
mod composition;
mod config;
mod destination;
mod error;
mod files;
mod find;
mod form;
mod inside;
mod reader;
mod staged;

pub use baseline_file::{BaselineError, BaselineFile};
pub use catalogs::{Component, Destination, NamedCatalog, Origin};
pub use choice::{Choice, Chosen, Hidden};
pub use compose_error::ComposeError;
pub use composite::{Converted, of_composite};
pub use composition::{Composition, Open, Part};
pub use config::{Config, parse, read, read_found};
pub use destination::{DestinationError, Reach};
pub use error::{At, ConfigError};
pub use files::{Defects, Files, FilesError};
pub use find::{FILE_NAME, PassedOver, Search, Why, find};
pub use form::schema;
pub use inside::OutsideError;
pub use staged::{Reserved, StageError, Staged};
