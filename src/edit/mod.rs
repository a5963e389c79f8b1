//! Changes of catalogs, and what they would bring about.
//!
//! | part | what it does |
//! |---|---|
//! | [`join()`] | a bundle that is to join a catalog: what the catalog says to that |
//!
//! What it deliberately does not do: it writes nothing, and reads catalogs through their indexes only.

mod join;
pub mod rules;

pub use join::join;
