//! Commands about legacy SQLite catalogs, and about moving between the formats.

mod add;
mod change;
pub(in crate::cli) mod doctor;
pub(in crate::cli) mod edit;
pub(in crate::cli) mod migrate;
