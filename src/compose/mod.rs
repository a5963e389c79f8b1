//! `olmdex.toml`: which findings are chosen, and catalogs by name and source.
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
//! ```
//!
//! [`find()`] says which file that is, [`read()`] reads it, and [`Choice`] joins it with what a command line says. A file that is found
//! may have been put there by somebody else, so it only names what is read and what is shown; what it hides is counted in
//! [`Chosen::hidden`].
//!
//! What it deliberately does not do: it opens no catalog, and decides nothing about exit codes.

mod baseline_file;
mod choice;
mod config;
mod error;
mod find;

pub use baseline_file::{BaselineError, BaselineFile};
pub use choice::{Choice, Chosen, Hidden};
pub use config::{Config, NamedCatalog, parse, read, schema};
pub use error::ConfigError;
pub use find::{FILE_NAME, PassedOver, Search, Why, find};
