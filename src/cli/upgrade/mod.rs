//! Commands about upgrade graphs.

pub(in crate::cli) mod bisect;
pub(in crate::cli) mod check_graph;
pub(in crate::cli) mod compat;
pub(in crate::cli) mod graph;
pub(in crate::cli) mod path;
pub(in crate::cli) mod standings;
pub(in crate::cli) mod stranded;
pub(in crate::cli) mod updates;
pub(in crate::cli) mod why_not;
pub(in crate::cli) mod z_stream;
