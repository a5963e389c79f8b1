//! The past of a catalog that is kept in git, by the program `git`.
//!
//! | part | what it does |
//! |---|---|
//! | [`Repository`] | a repository: its revisions, and a catalog as it was in one of them |
//! | [`Revision`] | a commit that stands for a day, a tag, or itself |
//!
//! Whoever made a repository has written its configuration, so nothing of that may run: only plumbing that reads objects is used, hooks,
//! file system monitors and transports are switched off, nothing is fetched, and objects are read as they are, without filters.
//!
//! What it deliberately does not do: no work tree is looked at, nothing is written, and no network is used.

mod limits;
mod minimum;
mod objects;
mod program;
mod revisions;

use std::path::PathBuf;

use thiserror::Error;

use olmdex_base::archive::Limit;
use olmdex_base::file::system_words;

pub use limits::ObjectLimits;
pub use objects::Repository;
pub use revisions::{Every, Revision};

/// Why the past cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GitError {
    /// The program cannot be run.
    #[error("git cannot be run: {}", system_words(.0))]
    NotRunnable(std::io::Error),
    /// It could fetch what a repository lacks, by whatever command the repository names.
    #[error("git {found} is too old to read repositories of others: {needed} is needed")]
    TooOld {
        /// Its version, or what it says instead.
        found: String,
        /// Which versions will do.
        needed: &'static str,
    },
    /// It failed.
    #[error("`{}`: git {command}: {message}", .repository.display())]
    Failed {
        /// The repository.
        repository: PathBuf,
        /// What was asked of it.
        command: String,
        /// Its words.
        message: String,
    },
    /// It said something that cannot be understood.
    #[error("git {command} said something unexpected: {message}")]
    Unexpected {
        /// What was asked of it.
        command: &'static str,
        /// What is wrong.
        message: String,
    },
    /// An object is not in the repository, as in a partial clone.
    #[error("the object {digest} is not in the repository")]
    Missing {
        /// Its digest.
        digest: String,
    },
    /// The files of a catalog are larger than anything that was meant to be read.
    #[error("the past of the catalog is too large: {0}")]
    Limit(Limit),
    /// A range or path would be something else for git.
    #[error("`{text}` is not {what}")]
    NotPlain {
        /// The text.
        text: String,
        /// What it is not.
        what: &'static str,
    },
}
