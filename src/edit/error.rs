//! Why a catalog cannot be changed as it was asked for.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::fbc;
use crate::index::IndexError;
use crate::yaml::YamlWriteError;

/// Why a catalog cannot be changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EditError {
    /// Something that is named is not there.
    #[error("there is no {what} `{name}`")]
    Unknown {
        /// What kind of thing it is, as `channel`.
        what: &'static str,
        /// Its name.
        name: String,
        /// What there is of that kind.
        known: Vec<String>,
    },
    /// Something is there twice.
    #[error("`{0}` is defined twice, so it is not clear which one is meant")]
    Twice(String),
    /// A name is taken.
    #[error("there is a {what} `{name}` already")]
    Taken {
        /// What kind of thing has it.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// It makes no sense for what is there.
    #[error("{message}")]
    Unfit {
        /// Why.
        message: String,
        /// What to do.
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
    Unwritable(#[from] YamlWriteError),
    /// A file is none of the system's.
    #[error("`{0}` is not a file that can be changed")]
    NoFile(String),
    /// A file cannot be read.
    #[error("cannot read `{}`: {error}", .path.display())]
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
    pub(super) fn unfit(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Unfit { message: message.into(), help: help.into() }
    }
}
