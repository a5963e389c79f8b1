//! The past of a catalog that is kept in git, read by the program `git`.
//!
//! | part | what it does |
//! |---|---|
//! | [`Repository`] | a repository: its revisions, and the changes of a directory between two of them |
//! | [`Revision`] | a commit that stands for a day, a tag, or itself |
//!
//! The maker of a repository has written its configuration, so no part of that may run: only plumbing that reads
//! objects is used, hooks, file system monitors and transports are switched off, nothing is fetched, and objects are
//! read as they are, without filters. Files beside the objects that would change the history (grafts, the commit graph)
//! are not used, special files and ways out of the repository are refused, and a git that waits is stopped.
//!
//! For safety, this module deliberately looks at no work tree, writes nothing, and uses no network.

mod layout;
mod limits;
mod minimum;
mod objects;
mod patience;
mod program;
mod revisions;
mod trees;

use std::path::PathBuf;

use thiserror::Error;

use olmdex_base::archive::Limit;
use olmdex_base::file::{Kind, system_words};

pub use limits::ObjectLimits;
pub use objects::Repository;
pub use revisions::{Every, Revision};
pub use trees::{FileChange, FileObject};

/// The reasons why the past cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GitError {
    /// The program cannot be run.
    #[error("git cannot be run: {}", system_words(.0))]
    NotRunnable(std::io::Error),
    /// It could fetch objects that a repository lacks, by any command that the repository names.
    #[error("git {found} is too old to read untrusted repositories: use {needed}")]
    TooOld { found: String, needed: &'static str },
    /// It failed.
    #[error("`{}`: git {command}: {message}", .repository.display())]
    Failed { repository: PathBuf, command: String, message: String },
    /// It worked too long without a word.
    #[error("olmdex stopped git {command}, which had printed nothing for {seconds} seconds")]
    TooSlow { command: String, seconds: u64 },
    /// The repository has a pipe, a socket or a device where git would open a file.
    #[error("{} is {kind}, not a regular file", .path.display())]
    Special { path: PathBuf, kind: Kind },
    /// Git would read files that are not in the repository: another one's, or any others.
    #[error("{} leads out of the repository, to {}", .path.display(), .target.display())]
    LeadsOut {
        /// The link, or the file that names the target.
        path: PathBuf,
        target: PathBuf,
    },
    /// The repository has more files than are looked at.
    #[error("the repository of {} has more than {max} files", .path.display())]
    TooManyFiles { path: PathBuf, max: usize },
    /// Its output cannot be understood.
    #[error("git {command} gave an unexpected answer: {message}")]
    Unexpected { command: String, message: String },
    /// An object is not in the repository, as in a partial clone.
    #[error("the object {digest} is not in the repository")]
    Missing { digest: String },
    /// The files of a catalog are larger than anything that was meant to be read.
    #[error("the history of the catalog is too large: {0}")]
    Limit(Limit),
    /// A range or path would have another meaning for git.
    #[error("`{text}` is not {what}")]
    NotPlain { text: String, what: &'static str },
}
