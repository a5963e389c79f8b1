//! How much of a cluster is read, and why it cannot be read.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use olmdex_base::archive::{ArchiveError, Limits};
use olmdex_base::diag::grouped;
use olmdex_base::file::system_words;

/// The reasons why manifests cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// A file or directory cannot be read.
    #[error("cannot read `{}`: {}", .path.display(), system_words(.error))]
    Unreadable { path: PathBuf, error: io::Error },
    /// An archive cannot be read.
    #[error("cannot read the archive `{}`: {error}", .path.display())]
    Archive { path: PathBuf, error: ArchiveError },
    /// A text is neither YAML nor JSON.
    #[error("`{file}`, line {line}: {error}")]
    Syntax {
        file: String,
        /// The line, from 1.
        line: u32,
        error: String,
    },
    /// They hold more than any cluster does.
    #[error("the manifests have more than {0}")]
    Limit(String),
}

impl ClusterError {
    /// Whether a limit is in the way.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Archive { error, .. } => error.is_limit(),
            Self::Limit(_) => true,
            _ => false,
        }
    }
}

/// The directory to which archives of manifests are read, and the limits.
#[derive(Debug, Clone, Copy)]
pub struct Archives<'a> {
    /// The directory for temporary files.
    pub scratch: &'a Path,
    /// How much is read.
    pub limits: Limits,
}

/// How much the manifests of a cluster may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadingLimits {
    /// Documents, empty ones included.
    pub(super) documents: usize,
    /// Objects of OLM and the platform, copies aside.
    pub(super) objects: usize,
    /// Namespaces with Subscriptions or ClusterServiceVersions, which are compared with each other.
    pub(super) namespaces: usize,
    /// Subscriptions and ClusterServiceVersions of one namespace, which are compared with each other.
    pub(super) operators: usize,
    /// Pairs of such a namespace and a CatalogSource: each namespace is asked what it sees.
    pub(super) pairs: usize,
    /// Copies of ClusterServiceVersions.
    pub(super) copies: usize,
    /// MiB of objects of all kinds.
    pub(super) mebibytes: usize,
}

impl ReadingLimits {
    /// No limits.
    pub(super) const NONE: Self = Self {
        documents: usize::MAX,
        objects: usize::MAX,
        namespaces: usize::MAX,
        operators: usize::MAX,
        pairs: usize::MAX,
        copies: usize::MAX,
        mebibytes: usize::MAX,
    };

    /// None, if the user trusts the author of the manifests.
    pub(super) fn of(limits: Limits) -> Self {
        if limits == Limits::NONE { Self::NONE } else { Self::default() }
    }
}

impl Default for ReadingLimits {
    /// A cluster of a thousand nodes and five hundred namespaces with operators has a third of it.
    fn default() -> Self {
        Self {
            documents: 1_000_000,
            objects: 15_000,
            namespaces: 5_000,
            operators: 4_000,
            pairs: 400_000,
            copies: 100_000,
            mebibytes: 128,
        }
    }
}

/// The memory that such an object takes besides its text, in bytes.
pub(super) const OBJECT: usize = 512;

/// How much a reading has seen.
#[derive(Debug, Default)]
pub(super) struct Reading {
    limits: ReadingLimits,
    n_documents: usize,
    n_bytes: usize,
}

impl Reading {
    pub(super) fn new(limits: ReadingLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    pub(super) fn add_document(&mut self) -> Result<(), ClusterError> {
        self.n_documents += 1;
        limited(self.n_documents, self.limits.documents, "documents")
    }

    /// Keeps an object with a text of so many bytes. Behind the limit it keeps none, and [`Self::check_kept`] refuses
    /// the text.
    pub(super) fn keep<T>(&mut self, objects: &mut Vec<T>, object: impl FnOnce() -> (T, usize)) {
        if self.check_kept().is_ok() {
            let (object, n_bytes) = object();
            self.n_bytes += n_bytes + OBJECT;
            objects.push(object);
        }
    }

    pub(super) fn check_kept(&self) -> Result<(), ClusterError> {
        limited(self.n_bytes >> 20, self.limits.mebibytes, "MiB of objects")
    }
}

/// The error about more than `max` things of a kind.
pub(super) fn limited(n: usize, max: usize, what: &str) -> Result<(), ClusterError> {
    if n <= max { Ok(()) } else { Err(ClusterError::Limit(format!("{} {what}", grouped(max as u64)))) }
}
