//! Commands of those who make operators.
//!
//! What it deliberately does not do: no command uses another one.

pub(in crate::cli) mod bundle;
