//! The place of a target: an open directory and a name in it.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::Stat;

use super::error::{FileError, Kind};
use super::system;
use super::workspace::Workspace;

/// The texts around a target's name in the name of its workspace.
const AROUND: (&str, &str) = (".", ".olmdex");

/// The place of an existing or future file. The directory stays the same one, whatever happens to its path.
#[derive(Debug)]
pub(super) struct Place {
    parent: OwnedFd,
    parent_path: PathBuf,
    name: OsString,
    path: PathBuf,
    /// As the user named it.
    shown: PathBuf,
}

impl Place {
    /// The place of a file. A user who names a link means the file that it leads to.
    pub(super) fn of_file(target: &Path) -> Result<Self, FileError> {
        let path = match std::fs::symlink_metadata(target) {
            Ok(it) if it.is_symlink() => match std::fs::canonicalize(target) {
                Ok(real) => real,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    return Err(FileError::Dangling { path: target.to_owned() });
                }
                Err(error) => return Err(FileError::io(target, error)),
            },
            _ => target.to_owned(),
        };
        let Some(name) = path.file_name() else {
            return Err(FileError::NotAFile { path: target.to_owned(), kind: Kind::Directory });
        };
        Self::in_directory(path.parent().unwrap_or(Path::new("")), name, target)
    }

    /// A name in a directory.
    pub(super) fn in_directory(parent: &Path, name: &OsStr, target: &Path) -> Result<Self, FileError> {
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let failed = |error: std::io::Error| FileError::io(target, error);
        let parent_path = std::fs::canonicalize(parent).map_err(failed)?;
        let parent = system::open_directory(&parent_path).map_err(|error| failed(error.into()))?;
        let path = parent_path.join(name);
        Ok(Self { parent, parent_path, name: name.to_owned(), path, shown: target.to_owned() })
    }

    /// Removes the workspace that a killed process has left for this place. If it cannot be removed, it stays, and does
    /// no harm.
    pub(super) fn clear_left(&self) {
        Workspace::take_over(self.parent(), self.parent_path(), &self.workspace()).iter().for_each(Workspace::remove);
    }

    pub(super) fn parent(&self) -> BorrowedFd<'_> {
        self.parent.as_fd()
    }

    pub(super) fn parent_path(&self) -> &Path {
        &self.parent_path
    }

    pub(super) fn name(&self) -> &OsStr {
        &self.name
    }

    /// The path, without links.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The path as the user named it, for errors.
    pub(super) fn shown(&self) -> &Path {
        &self.shown
    }

    /// The name of the workspace beside it.
    pub(super) fn workspace(&self) -> OsString {
        system::around(AROUND.0, &self.name, AROUND.1)
    }

    /// The entry there; `None` if there is none.
    pub(super) fn found(&self) -> Result<Option<Stat>, FileError> {
        system::entry(self.parent(), &self.name).map_err(|error| FileError::io(&self.shown, error))
    }

    /// The file there; `None` if there is none.
    pub(super) fn file(&self) -> Result<Option<Stat>, FileError> {
        let found = self.found()?;
        match found.as_ref().map(system::kind) {
            None | Some(Kind::File) => Ok(found),
            Some(kind) => Err(FileError::NotAFile { path: self.shown.clone(), kind }),
        }
    }

    /// Makes sure that new entries of the directory survive a crash of the system. Some file systems cannot do it; then
    /// only such a crash could bring back the old content, which is whole as well.
    pub(super) fn sync(&self) {
        let _ = rustix::fs::fsync(&self.parent);
    }
}
