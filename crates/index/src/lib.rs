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
//!
//! # How an index is built
//!
//! Worker threads do what costs: parsing, checks, digests, compression, the facts of ClusterServiceVersions. One thread writes the
//! rows in order. A document is stored once, by the digest of its normal form (compact JSON with sorted keys), however many
//! catalogs hold it. The digest of its raw text is kept too, so that a later build neither parses,
//! checks nor writes the same text again: the facts that the catalog-wide checks need come from the rows. (Except for a text of which a part is
//! never read: its warning must be repeated.) If all files are unchanged, the target is not touched.
//!
//! Their stamps say whether they are, as in git (`index::build_cache`): digest and findings of a catalog are kept in the user's cache
//! directory, with the stamps of its files. A file that was changed less than two seconds before it was read is not trusted, and what
//! another user could have written is not read. What stamps miss (changes through shared memory, file systems that make times up) is what
//! `build --verify` is for: it reads everything. Nothing of this is in the index.
//!
//! Updates of OpenShift (`index::updates`) belong to no catalog. They are written as a whole, unless the digests of all their files are those that the index has; then
//! nothing of them is parsed, and what could not be read is said from a table. What is read back is what the files gave (`platform::UpdateSource`), so no command
//! knows where it came from.
//!
//! Upgrade edges are rows. Those of `replaces` and `skips` follow from the channel's document, those of `skipRange` also from the
//! versions of the catalog's bundles; a graph is therefore keyed by both, and catalogs that agree share it. A graph with too many
//! edges by `skipRange` is written without them and says so (`graph.range_edges` is NULL).
//!
//! The schema is in `migrations/`, with a comment for every table; `schema/index.sql` is a snapshot of it. A new index begins as a copy of
//! `schema/empty.db.zst`, which is what the migrations make of an empty file (a test makes it again and compares): to run 130 statements took
//! longer than to read a small catalog. Older indexes are migrated.
//! It holds only what every SQLite since 3.34 knows, since people open the file with the `sqlite3`, Python or Datasette that they have: no STRICT
//! tables (3.37), no `contentless_delete` of full-text tables (3.43). Only this program writes the file, so the types are those of the
//! statements; words leave the full-text table by their text, which is derived once more from a stored document (`index::derive`).

mod build;
mod build_cache;
#[cfg(feature = "parquet")]
pub mod columnar;
mod compression;
mod content;
mod copy;
mod derive;
mod entries;
mod error;
mod file;
mod finding_places;
mod functions;
mod graph;
mod identity;
mod import;
mod known_documents;
mod lifecycle;
mod memory;
mod open;
mod packed_place;
mod prepare;
pub mod query;
mod remove;
mod schema;
mod service_version;
mod updates;
mod write;

pub use build::{Builder, Outcome};
pub use error::{IndexError, NotAnIndex};
pub use file::has_mark;
pub use identity::{APPLICATION_ID, SCHEMA_VERSION};
pub use import::{CatalogSpec, Counts, Import, Mode};
pub use open::Index;
pub use updates::HeldUpdates;

/// The SQLite that is built in, for example `3.54.1`.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}
