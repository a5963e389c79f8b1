//! Writing files and directories: whole or not at all, one writer at a time, and nothing but what was asked for.
//!
//! A target is never written to. Its replacement is made in a *workspace*, a hidden directory beside it that belongs to
//! one process, and takes the target's place by one rename. The workspace has a fixed name (`.<target>.olmdex`), so
//! that every writer of the same target finds it: it is locked while it is in use, and taken over if its process was
//! killed.
//!
//! The maker of the directory that is written to (a checkout, an archive, another user) may have planted something
//! under that name. So no link is followed that this program did not make, and nothing is emptied that does not hold
//! the marker that this program wrote there: it names the inode of the very directory, which no archive can know. Any
//! other obstacle is left as it is, and is an error that names it.
//!
//! | type | what it writes |
//! |---|---|
//! | [`Replacement`] | one file, or several as one by [`finish_together`] |
//! | [`NewDirectory`] | a directory that does not exist yet, or is empty |
//! | [`Scratch`] | a private directory for the time of a command |
//! | [`make_anonymous`] | a temporary file without a name |
//! | [`BlobCache`] | large files by their digests, each whole or partial |
//! | [`Cache`] | small files that make the next run faster |
//! | [`append`] | a log that somebody names: the one thing that is not written whole |
//!
//! This is the only code that creates, replaces, locks or deletes files (`tests/it/tidy.rs` keeps that); SQLite is
//! given paths inside a workspace.
//!
//! This module deliberately knows no formats, and it does not decide whether the target may be replaced, except that
//! only a regular file may. If another user can write to a directory while a command runs, it does not protect the
//! directory from that user.

mod anonymous;
mod atomic_set;
mod blobs;
mod cache;
mod directory;
mod error;
mod interrupted_writes;
mod log;
mod moved_entries;
mod nofollow;
mod place;
mod regular;
mod replace;
mod same_file;
mod scratch;
mod sqlite;
mod system;
mod text;
mod workspace;

pub use anonymous::make_anonymous;
pub use atomic_set::{allow_many_files, finish_left, finish_together};
pub use blobs::{BlobCache, CachedBlob, PartialBlob, start_over};
pub use cache::Cache;
pub use directory::NewDirectory;
pub use error::{FileError, InTheWay, Kind, system_words};
pub use interrupted_writes::{Left, abandon_all, before_writing, wait_for_writers};
pub use log::append;
pub use nofollow::{MissingDirectories, make_way_below};
pub use regular::{
    MAX_WHOLE, files_below, is_open_pipe, kind_of, open_below, open_regular, read_named_of, read_part, read_regular,
    read_regular_of, read_stream_of,
};
pub use replace::{Replacement, write_over, write_whole};
pub use same_file::{is_inside, is_of_stranger, is_same_file};
pub use scratch::Scratch;
pub use sqlite::{beside, journal_of};
pub use text::{Part, Text, TextReader};
#[doc(hidden)]
pub use workspace::delay_locks;
