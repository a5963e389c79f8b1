//! Edits of catalogs with their effects, and pictures of catalogs.
//!
//! | module | what it does |
//! |---|---|
//! | [`edit`] | changes catalogs in place, and finds the effects of a change, also on users |
//! | [`draw`] | draws upgrade graphs: Mermaid, DOT, SVG, HTML, text, data |
//!
//! This crate deliberately writes no file; it returns the texts of files.

pub mod draw;
pub mod edit;
