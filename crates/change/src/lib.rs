//! What becomes of catalogs: edits and their effects, and pictures.
//!
//! | module | what it does |
//! |---|---|
//! | [`edit`] | changes catalogs in place, and says what a change would bring about, and for whom |
//! | [`draw`] | draws upgrade graphs: Mermaid, DOT, SVG, HTML, text, data |
//!
//! What it deliberately does not do: it writes no file; it gives the texts of files.

pub mod draw;
pub mod edit;
