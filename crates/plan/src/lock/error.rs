//! What can be wrong with a lock, and with what is to be locked.

use thiserror::Error;

use olmdex_index::IndexError;
use olmdex_olm::resolve::ClosureError;

/// Why a text is not a lock.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The marks of a merge that somebody has to finish.
    #[error("line {0} has a conflict marker of a merge")]
    Conflict(usize),
    /// It is not TOML, or not of this form.
    #[error("{0}")]
    Toml(String),
    /// A form that is not known.
    #[error("version {0} of the lock's form is not known")]
    Version(i64),
}

/// Why something cannot be locked, or what is locked cannot be looked up.
#[derive(Debug, Error)]
pub enum LockError {
    /// A name that the catalogs do not have.
    #[error("there is no {what} `{name}`{}", if .of.is_empty() { String::new() } else { format!(" in {}", .of) })]
    Unknown {
        /// What it is, for example `package`.
        what: &'static str,
        /// The name.
        name: String,
        /// Where it was looked for, or empty.
        of: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A package is in several catalogs.
    #[error("package `{package}` is in several catalogs: {}", .catalogs.join(", "))]
    SeveralCatalogs {
        /// The package.
        package: String,
        /// The catalogs.
        catalogs: Vec<String>,
    },
    /// No bundle fits what was asked.
    #[error("package `{package}`: {why}")]
    NoBundle {
        /// The package.
        package: String,
        /// Why.
        why: String,
    },
    /// A range of versions that cannot be read.
    #[error("`{range}` is not a range of versions: {why}")]
    Range {
        /// The range.
        range: String,
        /// Why.
        why: String,
    },
    /// The dependencies cannot be found.
    #[error(transparent)]
    Closure(#[from] ClosureError),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}
