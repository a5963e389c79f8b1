//! The SQLite file: building and migrating it, opening it, and the questions it answers.
//!
//! | part | what it does |
//! |---|---|
//! | [`Builder`] | writes an index: adds, replaces and removes catalogs; the file is replaced whole or not at all |
//! | [`Index`] | an index that is open for reading, from a file or in memory |
//! | [`query`] | the questions, as functions of an [`Index`] that return plain data |
//!
//! The schema is in `migrations/`, with a comment for every table; the views in it are the stable surface. Several
//! threads prepare documents (parse, judge, digest, compress) and one thread writes them, in the order of the catalog,
//! so that the bytes of an index never depend on the number of threads.
//!
//! This crate deliberately does not print, read the environment, decide upgrades or resolve dependencies.
//!
//! # How an index is built
//!
//! Worker threads do the expensive work: parsing, checks, digests, compression, the facts of ClusterServiceVersions.
//! One thread writes the rows in order. A document is stored once, by the digest of its normal form (compact JSON with
//! sorted keys), however many catalogs hold it. The digest of its raw text is kept too, so that a later build does not
//! parse, check or write the same text again: the facts that the catalog-wide checks need come from the rows. (The
//! exception is a text with a part that is never read: its warning must be repeated.) If all files are unchanged, the
//! target is not touched.
//!
//! The stamps of the files decide whether they are unchanged, as in git (`index::build_cache`): the digest and findings
//! of a catalog are kept in the user's cache directory, with the stamps of its files. A file that was changed less than
//! two seconds before it was read is not trusted, and cache files that another user could have written are not read.
//! `build --verify` reads everything; it is for changes that stamps miss (changes through shared memory, file systems
//! that make times up). The index holds none of this.
//!
//! Updates of OpenShift (`index::updates`) belong to no catalog. They are written as a whole, unless the digests of all
//! their files are those that the index has; then none of them is parsed, and a table tells which parts could not be
//! read. Reading them back gives the same value as the files (`platform::UpdateSource`), so no command knows where it
//! came from.
//!
//! Upgrade edges are rows. Those of `replaces` and `skips` follow from the channel's document, those of `skipRange`
//! also from the versions of the catalog's bundles; a graph is therefore keyed by both, and catalogs that agree share
//! it. A graph with too many edges by `skipRange` is written without them and says so (`graph.range_edges` is NULL).
//!
//! The schema is in `migrations/`, with a comment for every table; `schema/index.sql` is a snapshot of it. A new index
//! begins as a copy of `schema/empty.db.zst`, which is the result of the migrations on an empty file (a test makes it
//! again and compares): running 130 statements took longer than reading a small catalog. Older indexes are migrated.
//! The schema uses only features of SQLite 3.34, since people open the file with the `sqlite3`, Python or Datasette
//! that they have: no STRICT tables (3.37), no `contentless_delete` of full-text tables (3.43). Only this program
//! writes the file, so the types are those of the statements; words are removed from the full-text table by their text,
//! which is derived once more from a stored document (`index::derive`).

mod build;
mod build_cache;
#[cfg(feature = "parquet")]
pub mod columnar;
mod compression;
mod content;
mod copy;
mod counts;
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
mod light;
mod memory;
mod open;
mod packed_documents;
mod packed_place;
mod past;
mod prepare;
pub mod query;
mod remove;
mod schema;
mod service_version;
mod stored_text;
mod updates;
mod verify;
mod write;

pub use build::{Builder, Outcome};
pub use counts::Counts;
pub use error::{IndexError, NotAnIndex};
pub use file::has_mark;
pub use identity::{APPLICATION_ID, SCHEMA_VERSION};
pub use import::{CatalogSpec, Import, Mode};
pub use open::{Index, Kind, LightIndex, ListIndex, MayHaveEdges, WholeOrLight};
pub use past::{
    AsOf, HeldPast, LeftOut, MissingFile, Moment, PastChange, PastChanges, PastImport, PastSource, PastState, PastText,
};
pub use updates::HeldUpdates;
pub use verify::Verified;

/// The SQLite that is built in, for example `3.54.1`.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}
