//! The legacy SQLite catalog (`index.db` of `opm index`, dropped by the real tool in August 2026).
//!
//! | part | what it does |
//! |---|---|
//! | [`LegacyFile`] | opens a file of any schema so that it never changes |
//! | [`LegacyCatalog`] | reads it: packages, channels, bundles, and the problems that keep them from being converted |
//! | [`rules`] | remarks about a legacy catalog, as rules of findings |
//!
//! This crate deliberately knows no index, answers no question about upgrades, and never changes the file that it
//! reads.
//!
//! # How a legacy catalog is read
//!
//! A file is opened immutable; only if a non-empty journal lies beside it is it copied to a private directory and
//! recovered there. All rows but the manifests are read and brought forward to the form of schema 9
//! (`legacy::schema_upgrade`), either keeping the content of the file or ending where opm's migrations end. One
//! parallel pass over the manifests (`legacy::survey`) records where each object is and which one is the
//! ClusterServiceVersion, so that every possible error is known before the first byte is written and the second pass
//! only cuts and encodes. Packages, channels and bundles are then judged by the same rules as catalogs in files
//! (`check::Checker` over facts), and each problem stays with its package: the first is opm's verdict, the rest is what
//! `--keep-going` leaves out.
//!
//! For `render` and `migrate` one thread reads manifests in order and the pool encodes them (`legacy::emit`); values of
//! properties keep the form in which the file has them, so the writer is not that of `fbc`. For everything else a
//! legacy catalog is an `fbc::Input` whose files are made when they are read, one for each package and each bundle, and
//! no other code knows of it.
//!
//! The proof of a migration (`legacy::prove`) gets the file, not the catalog that was made of it, and reads it once
//! more with queries of its own: a recursive query tells chains from skips, facts that a schema lacks come from the
//! place where that schema has them, and manifests are compared while they are read, many bundles at a time. The proof
//! shares with the conversion only how a file is opened, which of its tables and columns are missing, and how a cell
//! becomes text (`tests/it/tidy.rs` checks that), so that a mistake of the conversion's reader shows as a difference.
//! The content of the blobs is kept as facts and digests; all other data is streamed. Known losses are named, anything
//! else fails.
//!
//! Writing goes the other way in two passes: packages and channels first, since the row of a bundle holds values of its
//! entries, then bundles as they come. Maintenance collects the rows to delete and deletes them set by set, with the
//! triggers switched off.

mod blobs;
mod catalog;
mod cells;
mod doctor;
mod edit;
mod emit;
mod error;
mod export;
mod file;
mod graph;
mod input;
mod layout;
mod lost_columns;
mod migration;
mod model;
mod outfile;
mod package;
mod properties;
mod prove;
mod recovered;
mod refusal;
mod rows;
pub mod rules;
mod salvage;
mod schema_upgrade;
mod schema_versions;
mod service_version;
mod survey;
mod thread_pool;
mod verdict;

pub use catalog::LegacyCatalog;
pub use doctor::{LegacyInfo, examine};
pub use edit::{AddOptions, Destination, Done, Edit, Mode, NewBundle, Trial};
pub use error::{LegacyError, NotLegacy};
pub use export::Export;
pub use file::{Claim, LegacyFile, is_legacy};
pub use layout::package_file;
pub use migration::{Migrated, Migration, MigrationOptions};
pub use package::Problem;
pub use prove::prove;
pub use refusal::AddRefusal;
pub use salvage::{Salvaged, salvage};
pub use schema_upgrade::Fidelity;
