//! The files of a layout: in a directory, or in an archive of one.

use std::io::Read;
use std::path::PathBuf;

use super::error::OciError;
use olmdex_base::archive::{Found, Tree};
use olmdex_base::file::open_below;

/// Files by their paths.
#[derive(Debug)]
pub(super) enum Files {
    Directory(PathBuf),
    Archive(Tree),
}

impl Files {
    /// Opens a regular file. In a directory no link is followed: it could lead out of it.
    pub(super) fn open(&self, path: &str) -> Result<Box<dyn Read + Send>, OciError> {
        let missing = || OciError::Missing(format!("`{}`", path.escape_default()));
        match self {
            Self::Directory(root) => match open_below(root, path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(missing()),
                Err(error) => {
                    let shown = root.join(path.escape_default().to_string());
                    let message = format!("cannot read `{}`: {error}", shown.display());
                    Err(OciError::Io(std::io::Error::new(error.kind(), message)))
                }
            },
            Self::Archive(tree) => match tree.find(path.as_bytes()) {
                Ok(Found::File(text)) => Ok(Box::new(text.reader())),
                _ => Err(missing()),
            },
        }
    }

    /// Whether there is something of a name.
    pub(super) fn has(&self, path: &str) -> bool {
        self.open(path).is_ok()
    }
}
