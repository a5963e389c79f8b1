//! Commands about upgrade graphs.
//!
//! What it deliberately does not do: no command uses another one.

pub(in crate::cli) mod check_graph;
pub(in crate::cli) mod compat;
pub(in crate::cli) mod graph;
pub(in crate::cli) mod path;
pub(in crate::cli) mod updates;
pub(in crate::cli) mod why_not;
pub(in crate::cli) mod z_stream;
