//! The program's messages besides its answers: errors with exit codes, warnings, progress, and the end by a signal.

pub(in crate::cli) mod context;
pub(in crate::cli) mod error;
pub(in crate::cli) mod interrupt;
mod open;
pub(in crate::cli) mod pager;
pub(in crate::cli) mod progress;
pub(in crate::cli) mod report;
pub(in crate::cli) mod screen;
pub(in crate::cli) mod stderr;
pub(in crate::cli) mod write_changes;
pub(in crate::cli) mod write_edits;
