//! The file that a build replaces: a temporary file beside it that is also the lock, and the rename at the end.
//!
//! The temporary file has a fixed name, `.<target>.olmdex-build`. Whoever holds the lock on it builds; a second process
//! is refused. A file of that name that nobody has locked was left by a process that was killed, and is used again: a
//! build that ends in whatever way other than being killed leaves nothing behind.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::error::{IndexError, NotAnIndex};

/// How often to try again if the temporary file is renamed or removed just when it is opened.
const ATTEMPTS: usize = 16;

/// A target that this process alone may replace.
#[derive(Debug)]
pub(super) struct Target {
    path: PathBuf,
    temporary: PathBuf,
    file: File,
    /// Whether the temporary file is the target now.
    is_renamed: bool,
}

impl Target {
    /// Makes this process the only one that builds `path`.
    pub(super) fn claim(path: &Path) -> Result<Self, IndexError> {
        // Through a link, the file that it leads to is replaced, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let Some(name) = path.file_name() else {
            return Err(IndexError::not_an_index(&path, NotAnIndex::NotAFile));
        };
        if path.is_dir() {
            return Err(IndexError::not_an_index(&path, NotAnIndex::NotAFile));
        }
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(".olmdex-build");
        let temporary = path.with_file_name(temporary);
        for _ in 0..ATTEMPTS {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&temporary)
                .map_err(|error| IndexError::write(&path, error))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(IndexError::Busy { path }),
                Err(TryLockError::Error(error)) => return Err(IndexError::write(&path, error)),
            }
            // The process that had the lock may have made the file the new target, or removed it.
            if is_same(&file, &temporary).map_err(|error| IndexError::write(&path, error))? {
                file.set_len(0).map_err(|error| IndexError::write(&path, error))?;
                return Ok(Self { path, temporary, file, is_renamed: false });
            }
        }
        Err(IndexError::Busy { path })
    }

    /// The target.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The file to write to.
    pub(super) fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Fills the temporary file with what the target holds.
    pub(super) fn copy(&mut self) -> Result<(), IndexError> {
        let mut old = File::open(&self.path).map_err(|source| IndexError::Read { path: self.path.clone(), source })?;
        self.file
            .set_len(0)
            .and_then(|()| io::Seek::rewind(&mut self.file))
            .and_then(|()| io::copy(&mut old, &mut self.file))
            .map_err(|error| IndexError::write(&self.path, error))
            .map(drop)
    }

    /// Makes the temporary file the target, durably.
    pub(super) fn replace(mut self) -> Result<(), IndexError> {
        let failed = |error: io::Error| IndexError::write(&self.path, error);
        if let Ok(metadata) = fs::metadata(&self.path) {
            self.file.set_permissions(metadata.permissions()).map_err(failed)?;
        }
        self.file.sync_all().map_err(failed)?;
        fs::rename(&self.temporary, &self.path).map_err(failed)?;
        self.is_renamed = true;
        // Without this a crash of the system could bring the old file back, which is whole as well; some file
        // systems cannot do it.
        let directory = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let _ = File::open(directory).and_then(|it| it.sync_all());
        Ok(())
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if !self.is_renamed {
            // Removed before it is unlocked, so that it is ours. If it stays, the next build uses it.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Whether `path` is still the file that was opened.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let opened = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(found.ino() == opened.ino() && found.dev() == opened.dev()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere an open file can be neither renamed nor removed.
#[cfg(not(unix))]
fn is_same(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}
