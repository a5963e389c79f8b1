//! The past of catalogs: states, each of which takes no more room than its changes.
//!
//! | part | what it does |
//! |---|---|
//! | `source` | the trait of a source of states: changes, and the texts of files |
//! | `contents` | the contents of files, read once however many states have them |
//! | `lineage` | a catalog from state to state: the time in which it had each part |
//! | `pack` | texts of bundles, with those of earlier versions as dictionaries |
//! | `add` | states into an index that is built |
//! | `view` | an index as of a day: the tables of catalogs once more, as they were |
//!
//! This module knows no repository. The caller says which files changed from state to state, and gives their texts.
//!
//! # How a state is stored
//!
//! A state is a tree of digests: the directory's digest, which is the repository's own, covers the contents of its
//! files, and these cover documents. A content is one row however many states and catalogs have it, and so is a
//! document. Intervals of states (`past_file`, `past_document`, `past_package`, `past_channel`) record what a catalog
//! had, so that a state adds rows for its additions, and ends rows for its removals.
//!
//! Facts that depend on a package as a whole, its verdict and the graphs of its channels, are computed once for each
//! distinct list of its documents. Most catalogs of a family share it.
//!
//! The last state is also the present catalog, in the tables that every catalog has. An older one is put into temporary
//! tables of the same names, which SQLite finds first: every question that an index answers is answered as of that day,
//! by the same statements.

mod add;
mod contents;
mod lineage;
mod pack;
mod source;
mod view;

pub(super) use contents::Contents;
pub(super) use pack::pack;
pub use source::{
    HeldPast, LeftOut, MissingFile, PastChange, PastChanges, PastImport, PastSource, PastState, PastText,
};
pub use view::{AsOf, Moment};
