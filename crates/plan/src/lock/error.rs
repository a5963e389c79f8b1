//! The errors of a lock, and of wishes for one.

use thiserror::Error;

use olmdex_index::IndexError;
use olmdex_olm::resolve::ClosureError;

/// Why a text is not a lock.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseError {
    /// A line has a conflict marker of an unfinished merge.
    #[error("line {0} has a conflict marker of a merge")]
    Conflict(usize),
    /// It is not TOML, or not of this form.
    #[error("{0}")]
    Toml(String),
    /// The version of the form is unknown.
    #[error("version {0} of the lock file format is unknown")]
    Version(i64),
}

/// The reason why something cannot be locked, or a locked bundle cannot be looked up.
#[derive(Debug, Error)]
pub enum LockError {
    /// A name that the catalogs do not have.
    #[error("no {what} `{name}`{}", if .of.is_empty() { String::new() } else { format!(" in {}", .of) })]
    Unknown {
        /// The kind of the thing, for example `package`.
        what: &'static str,
        name: String,
        /// The thing that should have it, or empty.
        of: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A package is in several catalogs.
    #[error("package `{package}` is in several catalogs: {}", .catalogs.join(", "))]
    SeveralCatalogs { package: String, catalogs: Vec<String> },
    /// No bundle fits the request.
    #[error("package `{package}`: {why}")]
    NoBundle { package: String, why: String },
    /// A range of versions that cannot be read.
    #[error("`{range}` is not a version range: {why}")]
    Range { range: String, why: String },
    /// The dependencies cannot be found.
    #[error(transparent)]
    Closure(#[from] ClosureError),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}
