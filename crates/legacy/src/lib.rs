//! The legacy SQLite catalog (`index.db` of `opm index`, dropped by the real tool in August 2026).
//!
//! | part | what it does |
//! |---|---|
//! | [`LegacyFile`] | opens a file of any schema so that nothing of it ever changes |
//! | [`LegacyCatalog`] | reads it: packages, channels, bundles, and what keeps them from being converted |
//! | [`rules`] | what is remarkable about a legacy catalog, as rules of findings |
//!
//! What it deliberately does not do: it knows no index, answers no question about upgrades, and never changes the file
//! that it reads.

mod blobs;
mod catalog;
mod cells;
mod csv;
mod doctor;
mod edit;
mod emit;
mod era;
mod error;
mod expected;
mod export;
mod file;
mod graph;
mod input;
mod layout;
mod lost_columns;
mod mended;
mod migration;
mod model;
mod outfile;
mod package;
mod pool;
mod properties;
mod prove;
mod refusal;
mod rows;
pub mod rules;
mod survey;
mod verdict;

pub use catalog::LegacyCatalog;
pub use doctor::{LegacyInfo, examine};
pub use edit::{AddOptions, Destination, Done, Edit, Mode, NewBundle};
pub use era::Fidelity;
pub use error::{LegacyError, NotLegacy};
pub use export::Export;
pub use file::{Claim, LegacyFile, is_legacy};
pub use layout::package_file;
pub use migration::{Migrated, Migration, MigrationOptions};
pub use package::Problem;
pub use prove::prove;
pub use refusal::AddRefusal;
