//! The errors of a legacy catalog, in words: what is wrong, where, and what to do.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::refusal::AddRefusal;
use olmdex_base::file::{FileError, system_words};

/// The reasons why a legacy catalog cannot be read, converted or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LegacyError {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {}", .path.display(), system_words(.source))]
    Read { path: PathBuf, source: io::Error },
    /// The file is there, but holds no legacy catalog.
    #[error("{}: {reason}", .path.display())]
    NotLegacy { path: PathBuf, reason: NotLegacy },
    /// SQLite met damage, or a table or column is missing.
    #[error("{}: the legacy catalog is damaged: {message}", .path.display())]
    Damaged { path: PathBuf, message: String },
    /// The catalog can be read, but it cannot be written as file-based blobs. The words are opm's.
    #[error("{}: {text}", .path.display())]
    Inconvertible { path: PathBuf, text: String },
    /// The catalog can be written, but not with its manifests migrated. The words are opm's.
    #[error("{}: {text}", .path.display())]
    Unmigratable { path: PathBuf, text: String },
    /// A maintenance step is refused. The words are opm's.
    #[error("{text}")]
    Refused { text: String },
    /// Reading the file takes more than it may.
    #[error("{}: {what}", .path.display())]
    Limit { path: PathBuf, what: &'static str },
    /// A package that a maintenance step names is not there.
    #[error("{text}")]
    NoPackage {
        /// The message about it. If opm has one, these are its words: other tools match them.
        text: String,
        /// The package that was meant.
        meant: Option<String>,
    },
    /// A step that removes whole packages is given a part of one.
    #[error("`{word}` is a part of package `{package}`, and this command removes whole packages only")]
    Part { word: String, package: String },
    /// Bundles cannot be added.
    #[error(transparent)]
    NotAdded(Box<AddRefusal>),
    /// The result cannot be written. The old content is as it was.
    #[error("cannot write {}: {message}", .path.display())]
    Write { path: PathBuf, message: String },
    /// Something is at the target's place that must not be overwritten.
    #[error("{0}")]
    Target(String),
    /// The result cannot be made, or put at its place. The old content is as it was.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The kinds of files that hold no legacy catalog.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NotLegacy {
    /// It has no bytes.
    #[error("the file is empty")]
    Empty,
    /// It is not a regular file but, for example, a directory or a device.
    #[error("not a regular file")]
    NotAFile,
    /// It is not an SQLite database.
    #[error("file is not a database")]
    NotSqlite,
    /// It has none of the tables of a catalog.
    #[error("an SQLite database without the tables of a catalog")]
    NoCatalog,
}

impl From<AddRefusal> for LegacyError {
    fn from(refusal: AddRefusal) -> Self {
        Self::NotAdded(Box::new(refusal))
    }
}

impl LegacyError {
    /// The remedy.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Inconvertible { .. } => {
                "fix the catalog, or leave out the packages that cannot be converted with `--keep-going`".to_owned()
            }
            Self::Unmigratable { .. } => {
                "migrate without `--migrate-level`, or leave out the package with `--keep-going`".to_owned()
            }
            Self::Damaged { .. } => {
                "`olmdex check` shows which parts are readable; restore the file from its image".to_owned()
            }
            Self::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "name a legacy SQLite file that exists".to_owned()
            }
            Self::Read { .. } => {
                "check the permissions of the file and of the directories above it, and the limits of the process (`ulimit -a`)"
                    .to_owned()
            }
            Self::NotLegacy { .. } => "name a file that `opm index` or `opm registry` wrote".to_owned(),
            Self::NoPackage { meant: Some(meant), .. } => format!("did you mean `{meant}`?"),
            Self::Part { package, .. } => {
                format!("name the package, `{package}`; `olmdex edit truncate` cuts old versions off")
            }
            Self::NotAdded(refusal) => refusal.help(),
            Self::File(error) => return error.help(),
            Self::Write { .. } => {
                "check the free space, the permissions of the directory and the limits of the process (`ulimit -a`)".to_owned()
            }
            _ => return None,
        })
    }

    pub(super) fn write(path: &Path, error: impl std::fmt::Display) -> Self {
        Self::Write { path: path.to_owned(), message: error.to_string() }
    }

    /// An error of SQLite while reading `path`.
    pub(super) fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let message = sqlite_words(error);
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotLegacy { path: path.to_owned(), reason: NotLegacy::NotSqlite },
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::Read { path: path.to_owned(), source: io::Error::other(message) }
            }
            Some(ErrorCode::OperationInterrupted) => {
                Self::Limit { path: path.to_owned(), what: "reading it takes too many steps of SQLite" }
            }
            Some(ErrorCode::TooBig) => Self::Limit { path: path.to_owned(), what: "a value is too long" },
            _ => Self::Damaged { path: path.to_owned(), message },
        }
    }
}

impl LegacyError {
    /// An error of SQLite while writing the future file `path`.
    pub(super) fn sqlite_write(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::sqlite(path, error),
            _ => Self::write(path, sqlite_words(error)),
        }
    }
}

/// SQLite's message without the crate's decoration.
pub(super) fn sqlite_words(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    }
}
