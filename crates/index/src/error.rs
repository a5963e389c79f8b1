//! The errors of an index, in words: what is wrong, where, and what to do.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::identity::SCHEMA_VERSION;
use olmdex_base::file::{FileError, system_words};

/// The reasons why an index cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {}", .path.display(), system_words(.source))]
    Read { path: PathBuf, source: io::Error },
    /// The file is there, but is not an index that this version reads.
    #[error("{}: {reason}", .path.display())]
    NotAnIndex { path: PathBuf, reason: NotAnIndex },
    /// The new index cannot be written. The old file, if there is one, is as it was.
    #[error("cannot write {}: {message}", .path.display())]
    Write { path: PathBuf, message: String },
    /// The file cannot be made or replaced. The old one, if there is one, is as it was.
    #[error(transparent)]
    File(#[from] FileError),
    /// A catalog was refused, so nothing is written.
    #[error("catalog {name:?} has errors, so the index was not written")]
    Refused { name: String },
    /// There is no such catalog.
    #[error("the index has no catalog {name:?}")]
    NoSuchCatalog { name: String, known: Vec<String> },
    /// A statement failed: a user's SQL, or a bug.
    #[error("{0}")]
    Sql(String),
    /// The caller no longer wants the answer: see [`ListIndex::end_when`](super::ListIndex::end_when).
    #[error("the client no longer waits for the answer")]
    Unwanted,
    /// A statement took more time or steps than allowed.
    #[error("{0}")]
    Limit(String),
    /// A statement made a value or an answer larger than allowed.
    #[error("{0}")]
    TooLarge(String),
}

/// The kinds of files that are not readable indexes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NotAnIndex {
    /// It has no bytes.
    #[error("the file is empty")]
    Empty,
    /// It is not a regular file but, for example, a directory or a device.
    #[error("not a regular file")]
    NotAFile,
    /// It is not an SQLite database.
    #[error("not an olmdex index, and not even an SQLite database")]
    NotSqlite,
    /// It is a catalog in the legacy SQLite format.
    #[error("a legacy SQLite catalog (of `opm index`), not an olmdex index")]
    Legacy,
    /// It is an SQLite database of another program.
    #[error("an SQLite database of another program, not an olmdex index")]
    Foreign,
    /// It carries an index's mark, but its tables, views or triggers are not those that olmdex makes.
    #[error("it has the mark of an olmdex index, but a different schema")]
    Altered,
    /// A newer olmdex has written it.
    #[error(
        "an index with schema {found}, written by a newer olmdex; this version knows schemas up to {SCHEMA_VERSION}"
    )]
    Newer { found: i32 },
    /// An older olmdex has written it, which `build` migrates and reading does not.
    #[error("an index with the older schema {found}")]
    Older { found: i32 },
    /// It is shorter than its header says.
    #[error("the index is truncated: {found} bytes where its header says {expected}")]
    Truncated { found: u64, expected: u64 },
    /// SQLite met damage.
    #[error("the index is damaged: {message}")]
    Damaged { message: String },
}

impl IndexError {
    /// The remedy.
    pub fn help(&self) -> Option<String> {
        let text = match self {
            Self::NotAnIndex { path, reason } => match reason {
                NotAnIndex::Legacy => "give it as a source, or choose another file for the index".to_owned(),
                NotAnIndex::Newer { .. } => "update olmdex, or choose another file".to_owned(),
                NotAnIndex::Older { .. } => {
                    format!("migrate it once: olmdex build --migrate -O {}", path.display())
                }
                NotAnIndex::Truncated { .. } | NotAnIndex::Damaged { .. } => {
                    "delete the file and build the index again, or fetch it again".to_owned()
                }
                _ => "choose another file, or delete this one if you do not need it".to_owned(),
            },
            Self::Write { .. } => {
                "check the free space, the permissions of the directory and the limits of open files and file sizes (`ulimit -n`, `ulimit -f`); the old file is unchanged".to_owned()
            }
            Self::File(error) => return error.help(),
            Self::NoSuchCatalog { known, .. } if !known.is_empty() => {
                format!("the index has the catalogs {}", known.join(", "))
            }
            _ => return None,
        };
        Some(text)
    }

    pub(super) fn not_an_index(path: &Path, reason: NotAnIndex) -> Self {
        Self::NotAnIndex { path: path.to_owned(), reason }
    }

    pub(super) fn write(path: &Path, error: impl std::fmt::Display) -> Self {
        Self::Write { path: path.to_owned(), message: error.to_string() }
    }

    /// An error of SQLite while reading `path`.
    pub(super) fn reading(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::not_an_index(path, NotAnIndex::Damaged { message: sqlite_words(error) })
            }
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::Read { path: path.to_owned(), source: io::Error::other(sqlite_words(error)) }
            }
            // Our statements take a small part of their steps, and our values are no longer than the file.
            Some(ErrorCode::OperationInterrupted) => {
                Self::Limit(format!("{}: a question takes too many steps of SQLite", path.display()))
            }
            Some(ErrorCode::TooBig) => Self::TooLarge(format!("{}: a value is too long", path.display())),
            _ => match error {
                // The columns of our own tables have other types only if somebody has changed the file.
                rusqlite::Error::InvalidColumnType(..) | rusqlite::Error::FromSqlConversionFailure(..) => {
                    Self::not_an_index(path, NotAnIndex::Damaged { message: error.to_string() })
                }
                _ => Self::Sql(sqlite_words(error)),
            },
        }
    }

    /// An error of SQLite while writing the future file `path`.
    pub(super) fn writing(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            // Only a damaged base can make these.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::reading(path, error),
            _ => Self::write(path, sqlite_words(error)),
        }
    }
}

/// SQLite's message without the crate's decoration.
fn sqlite_words(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => excerpt(message),
        other => excerpt(&other.to_string()),
    }
}

/// The number of characters of a message of SQLite that are kept of its beginning, and of its end.
const KEPT: usize = 200;

/// A message of SQLite without the middle of a long token, which it repeats as it is.
pub(super) fn excerpt(message: &str) -> String {
    let n_chars = message.chars().count();
    if n_chars <= 2 * KEPT {
        return message.to_owned();
    }
    let (first, last): (String, String) =
        (message.chars().take(KEPT).collect(), message.chars().skip(n_chars - KEPT).collect());
    format!("{first} … {last}")
}
