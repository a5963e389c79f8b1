//! Answers on standard output: the JSON envelope, tables, sheets, findings, Markdown.

pub(in crate::cli) mod answers;
pub(in crate::cli) mod by_package;
pub(in crate::cli) mod changes;
pub(in crate::cli) mod defects;
pub(in crate::cli) mod diagnosis;
pub(in crate::cli) mod difference;
pub(in crate::cli) mod findings;
pub(in crate::cli) mod fit;
pub(in crate::cli) mod fleet;
pub(in crate::cli) mod headline;
pub(in crate::cli) mod json_lines;
pub(in crate::cli) mod left_out;
pub(in crate::cli) mod messages;
pub(in crate::cli) mod paragraph;
pub(in crate::cli) mod repairs;
pub(crate) mod resolution;
pub(in crate::cli) mod rules;
pub(in crate::cli) mod sheet;
pub(in crate::cli) mod simulation;
pub(in crate::cli) mod table;
pub(in crate::cli) mod verdict;
