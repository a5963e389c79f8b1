//! Why a catalog cannot be changed as it was asked for.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use olmdex_base::file::system_words;
use olmdex_fbc as fbc;
use olmdex_index::IndexError;

/// Why a catalog cannot be changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EditError {
    /// Something named does not exist.
    #[error("{} {what} `{name}`", .within.as_ref().map_or("no".to_owned(), |it| format!("{it} has no")))]
    Unknown {
        /// The thing that lacks it, as ``channel `stable` ``, unless that is the catalog.
        within: Option<String>,
        /// The kind of the thing, as `channel`.
        what: &'static str,
        /// Its name.
        name: String,
        /// The existing names of that kind.
        known: Vec<String>,
    },
    /// Something is there twice.
    #[error("`{0}` is defined twice, so it is not clear which one is meant")]
    Twice(String),
    /// A name is taken.
    #[error("{within} already has {what} `{name}`")]
    Taken {
        /// The thing that has it, as ``channel `stable` ``.
        within: String,
        /// The kind of the thing that has it, with its article.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The change makes no sense for the present content.
    #[error("{message}")]
    Unfit {
        /// Why.
        message: String,
        /// The way out.
        help: String,
    },
    /// The text of a document cannot be changed.
    #[error("cannot change `{file}`: {error}")]
    Document {
        /// The file.
        file: String,
        /// Why.
        error: fbc::EditError,
    },
    /// A document cannot be written.
    #[error(transparent)]
    Unwritable(#[from] fbc::WriteError),
    /// A file is none of the system's.
    #[error("olmdex cannot change the file `{0}`")]
    NoFile(String),
    /// A file cannot be read.
    #[error("cannot read `{}`: {}", .path.display(), system_words(.error))]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
    /// An index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl EditError {
    /// The error for something that is not in the catalog.
    pub(super) fn unknown(what: &'static str, name: &str, known: Vec<String>) -> Self {
        Self::Unknown { within: None, what, name: name.to_owned(), known }
    }

    /// The error for something that is not in a package.
    pub(super) fn unknown_in_package(package: &str, what: &'static str, name: &str, known: Vec<String>) -> Self {
        Self::Unknown { within: Some(format!("package `{package}`")), what, name: name.to_owned(), known }
    }

    /// The error for an entry that is in a channel already.
    pub(super) fn taken_entry(channel: &str, name: &str) -> Self {
        Self::Taken { within: format!("channel `{channel}`"), what: "an entry", name: name.to_owned() }
    }

    /// The error for something that is in a package already.
    pub(super) fn taken_in_package(package: &str, what: &'static str, name: &str) -> Self {
        Self::Taken { within: format!("package `{package}`"), what, name: name.to_owned() }
    }

    /// The error for an entry that is not in a channel.
    pub(super) fn unknown_entry(channel: &str, name: &str, known: Vec<String>) -> Self {
        Self::Unknown { within: Some(format!("channel `{channel}`")), what: "entry", name: name.to_owned(), known }
    }

    pub(super) fn unfit(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Unfit { message: message.into(), help: help.into() }
    }
}
