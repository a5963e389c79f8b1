//! Known findings in a file: read, compared, written.
//!
//! A file that is not a baseline is never overwritten: the user named the wrong file.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use olmdex_base::diag::Finding;
use olmdex_base::diag::baseline::{Baseline, NotABaseline, Scope};
use olmdex_base::file::{FileError, Replacement, read_regular_of, system_words};

/// How many bytes a baseline may have.
const MAX_LEN: u64 = 64 << 20;

/// Why known findings cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The file cannot be read.
    #[error("cannot read {}: {}", .path.display(), system_words(.source))]
    Io { path: PathBuf, source: io::Error },
    /// The file is something else.
    #[error("{} is not a baseline: {source}", .path.display())]
    NotABaseline { path: PathBuf, source: NotABaseline },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
}

impl BaselineError {
    /// The remedy.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Some("`--write-baseline` writes one from the findings of this run".to_owned())
            }
            Self::Io { source, .. } if source.kind() == io::ErrorKind::FileTooLarge => {
                Some("a baseline may have at most 64 MiB".to_owned())
            }
            Self::Io { .. } => None,
            Self::NotABaseline { .. } => {
                Some("name another file, or write a new one with `--write-baseline`".to_owned())
            }
            Self::Write(error) => error.help(),
        }
    }
}

/// A file of known findings.
#[derive(Debug, Clone)]
pub struct BaselineFile {
    /// The file.
    pub path: PathBuf,
    /// The known findings in it.
    pub known: Baseline,
}

impl BaselineFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it does not exist, is not a regular file, or has other content.
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        let content =
            read_regular_of(path, MAX_LEN).map_err(|source| BaselineError::Io { path: path.to_owned(), source })?;
        let known = Baseline::parse(&content)
            .map_err(|source| BaselineError::NotABaseline { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), known })
    }

    /// Writes a file with these findings as the known ones within the checked scope. The file keeps its old content or
    /// gets the new one as a whole; no other process writes it between reading and writing.
    ///
    /// # Errors
    /// If it exists and is not a baseline, or cannot be written.
    pub fn write(path: &Path, findings: &[Finding], scope: &Scope<'_>) -> Result<Self, BaselineError> {
        let mut new = Replacement::begin(path)?;
        let mut file = match Self::read(path) {
            Ok(file) => file,
            Err(BaselineError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Self { path: path.to_owned(), known: Baseline::default() }
            }
            Err(error) => return Err(error),
        };
        file.known.update(findings, scope);
        let written = new.file().write_all(file.known.to_text().as_bytes());
        written.map_err(|source| FileError::Io { path: path.to_owned(), source })?;
        new.finish()?;
        Ok(file)
    }
}
