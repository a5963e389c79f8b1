//! The SQLite file: building and migrating it, opening it, and the questions it answers.
//!
//! | part | what it does |
//! |---|---|
//! | [`Builder`] | writes an index: adds, replaces and removes catalogs; the file is replaced whole or not at all |
//! | [`Index`] | an index that is open for reading, from a file or in memory |
//! | [`query`] | the questions, as functions of an [`Index`] that return plain data |
//!
//! The schema is in `migrations/`, with a comment for every table; the views in it are the stable surface. Documents
//! are prepared (parsed, judged, digested, compressed) by several threads and written by one, in the order of the
//! catalog, so that the bytes of an index never depend on the number of threads.
//!
//! What it deliberately does not do: it prints nothing, reads no environment, decides no upgrade and resolves no
//! dependency.

mod build;
mod content;
mod csv;
mod derive;
mod entries;
mod error;
mod file;
mod form;
mod functions;
mod graph;
mod import;
mod known;
mod lifecycle;
mod memory;
mod open;
mod placed;
mod prepare;
pub mod query;
mod remove;
mod schema;
mod seen;
mod spot;
mod stored;
mod updates;
mod write;

pub use build::{Builder, Outcome};
pub use error::{IndexError, NotAnIndex};
pub use file::has_mark;
pub use form::{APPLICATION_ID, SCHEMA_VERSION};
pub use import::{CatalogSpec, Counts, Import, Mode};
pub use open::Index;
pub use updates::HeldUpdates;

/// The SQLite that is built in, for example `3.54.1`.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}
