//! Commands for the shell: completion and manual pages.
//!
//! What it deliberately does not do: no command uses another one.

pub(in crate::cli) mod candidates;
pub(in crate::cli) mod complete;
pub(in crate::cli) mod completion;
pub(in crate::cli) mod man;
