//! Why an archive cannot be read.

use std::io;

use thiserror::Error;

use super::limits::Limit;
use super::shown::shown;
use crate::file::system_words;

/// The reasons why an archive cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The system could not read it, or make a temporary file.
    #[error("{}", system_words(.0))]
    Io(io::Error),
    /// It ends in the middle of an entry or of its compressed data.
    #[error("it ends too early")]
    Truncated,
    /// The compressed bytes are damaged.
    #[error("its {name} data is damaged: {error}")]
    Damaged { name: &'static str, error: io::Error },
    /// It is compressed in a way that is not read.
    #[error("{0} compression is not supported")]
    Compression(&'static str),
    /// It is not a tar archive, or one of its headers is wrong.
    #[error("it is not a tar archive: {0}")]
    NotATar(&'static str),
    /// An entry cannot be part of a tree.
    #[error("entry `{name}` {message}")]
    Entry {
        /// Its name, with control characters escaped.
        name: String,
        /// The fault.
        message: String,
    },
    /// It is larger than anything that was meant to be read.
    #[error("{0}")]
    Limit(Limit),
}

impl ArchiveError {
    /// Whether a limit was reached that can be lifted.
    pub fn is_limit(&self) -> bool {
        matches!(self, Self::Limit(it) if !matches!(it, Limit::Extension(_)))
    }

    /// The error of an entry.
    pub(super) fn entry(name: &[u8], message: impl Into<String>) -> Self {
        Self::Entry { name: shown(name), message: message.into() }
    }

    /// Wraps it in an error of reading, from which [`Self::from`] takes it again.
    pub(super) fn into_io(self) -> io::Error {
        match self {
            Self::Io(error) => error,
            other => io::Error::other(other),
        }
    }
}

impl From<io::Error> for ArchiveError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Truncated,
            io::ErrorKind::Other => error.downcast::<Self>().unwrap_or_else(Self::Io),
            _ => Self::Io(error),
        }
    }
}
