//! Why `olmdex.toml` cannot be used.

use std::io;
use std::path::PathBuf;

use super::find::FILE_NAME;
use olmdex_base::file::system_words;

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

/// Why a file of options cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// It cannot be read.
    #[error("cannot read {}: {}", .path.display(), system_words(.source))]
    Io { path: PathBuf, source: io::Error },
    /// It was found, and is a link that leads out of the directory in which it was found.
    #[error("{} is a symbolic link out of its directory, and olmdex found the file by itself", .path.display())]
    LinkOut { path: PathBuf },
    /// Something in it is not valid.
    #[error("{}:{line}:{column}: {message}", .path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
        /// The fault.
        message: String,
        /// The way out.
        help: Option<String>,
    },
}

impl ConfigError {
    /// The remedy.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Content { help, .. } => help.clone(),
            Self::Io { source, .. } if source.kind() == io::ErrorKind::FileTooLarge => {
                Some(format!("{FILE_NAME} may have at most 1 MiB"))
            }
            Self::LinkOut { .. } => Some(
                "if you trust the file, use `--trust-config` or `--config FILE` to read it; otherwise use `--no-config`"
                    .to_owned(),
            ),
            Self::Io { .. } => None,
        }
    }
}
