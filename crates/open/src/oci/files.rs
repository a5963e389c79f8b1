//! The files of a layout: in a directory, or in an archive of one.

use std::io::Read;
use std::path::PathBuf;

use super::error::OciError;
use olmdex_base::archive::{PathTarget, Tree, TreeEntry};
use olmdex_base::file::{files_below, open_below};

/// Files by their paths.
#[derive(Debug)]
pub(super) enum Files {
    Directory(PathBuf),
    Archive(Box<Tree>),
}

impl Files {
    /// Opens a regular file. In a directory no link is followed, because it could lead out of it.
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
                Ok(PathTarget::File(text)) => Ok(Box::new(text.reader())),
                _ => Err(missing()),
            },
        }
    }

    /// The regular files of a directory, with their bytes; none if there is no such directory.
    pub(super) fn below(&self, path: &str) -> Result<Vec<(String, u64)>, OciError> {
        match self {
            Self::Directory(root) => {
                let shown = root.join(path);
                let failed = |error: std::io::Error| {
                    let message = format!("cannot read `{}`: {error}", shown.display());
                    OciError::Io(std::io::Error::new(error.kind(), message))
                };
                match files_below(root, path) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
                    found => found.map_err(failed),
                }
            }
            Self::Archive(tree) => {
                let mut found = Vec::new();
                for (name, entry) in tree.below(path.as_bytes()) {
                    let name = std::str::from_utf8(name).ok().and_then(|it| it.strip_prefix(path)?.strip_prefix('/'));
                    if let (Some(name), TreeEntry::File(text)) = (name, entry) {
                        found.push((name.to_owned(), text.len()));
                    }
                }
                Ok(found)
            }
        }
    }

    /// Whether there is something of a name.
    pub(super) fn has(&self, path: &str) -> bool {
        self.open(path).is_ok()
    }
}
