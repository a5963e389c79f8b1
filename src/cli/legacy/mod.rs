//! Commands about legacy SQLite catalogs, and about moving between the formats.
//!
//! What it deliberately does not do: no command uses another one.

mod add;
mod change;
pub(in crate::cli) mod doctor;
pub(in crate::cli) mod edit;
pub(in crate::cli) mod migrate;
