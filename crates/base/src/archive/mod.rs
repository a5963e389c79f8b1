//! Tar archives, plain or compressed, as trees of names in memory.
//!
//! | part | what it does |
//! |---|---|
//! | [`Compression`], [`Decompressed`] | gzip, zstd and xz, recognized by their first bytes, under limits |
//! | [`Entries`] | the entries of an archive one after the other, with the long names of PAX and GNU |
//! | [`Tree`] | the sum of the entries: directories, files, links; every path stays below the root |
//! | [`ArchiveWriter`] | an archive, written |
//!
//! The maker of an archive chose every byte of it. Nothing is unpacked: a path is a key of a map, a link is followed in
//! that map only, and contents ([`crate::file::Text`]) go to memory or to a temporary file without a name. [`Limits`]
//! bound what is read, whatever the headers say.

mod compression;
mod entries;
mod error;
mod limits;
mod name;
mod open;
mod shown;
mod spool;
mod tree;
mod write;

pub use compression::{Compression, Decompressed};
pub use entries::{Entries, Entry, EntryKind};
pub use error::ArchiveError;
pub use limits::{EntryWeight, LIFT_LIMITS, Limit, Limits};
pub use name::clean;
pub use open::{is_archive, read};
pub use shown::shown;
pub use spool::Spool;
pub use tree::{LinkError, PathTarget, Tree, TreeEntry};
pub use write::ArchiveWriter;
