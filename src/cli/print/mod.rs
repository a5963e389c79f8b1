//! Answers on standard output: the JSON envelope, tables, sheets, findings, Markdown.
//!
//! What it deliberately does not do: no commands.

pub(in crate::cli) mod changes;
pub mod envelope;
pub(in crate::cli) mod sheet;
pub(in crate::cli) mod table;
