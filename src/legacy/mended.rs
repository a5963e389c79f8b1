//! A mended copy of a file whose writer was stopped, in a private directory that is removed with the value.
//!
//! The directory is locked while it is in use. One that nobody has locked was left by a process that was killed, and the
//! next one that makes such a directory at the same place removes it.
//!
//! What it deliberately does not do: the file itself and its journal stay as they are.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::{Connection, OpenFlags};

use super::error::LegacyError;
use super::file::beside;

/// What the names of the directories start with.
const PREFIX: &str = "olmdex-";

/// A private directory with a mended copy.
#[derive(Debug)]
pub(super) struct Mended {
    directory: PathBuf,
    copy: PathBuf,
    /// Holds the lock until the process ends, however it ends.
    _lock: File,
}

impl Mended {
    /// Copies a file with its journals below `parent`, and has SQLite mend the copy.
    pub(super) fn make(path: &Path, parent: &Path) -> Result<Self, LegacyError> {
        let failed = |error: io::Error| LegacyError::write(parent, error);
        let (directory, lock) = private_directory(parent).map_err(failed)?;
        remove_left(parent, &directory);
        let copy = directory.join("catalog.db");
        let mended = Self { directory, copy, _lock: lock };
        for suffix in ["", "-journal", "-wal"] {
            match fs::copy(beside(path, suffix), beside(&mended.copy, suffix)) {
                Ok(_) => make_writable(&beside(&mended.copy, suffix)).map_err(failed)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound && !suffix.is_empty() => {}
                Err(error) => return Err(failed(error)),
            }
        }
        let mend = || -> rusqlite::Result<()> {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(&mended.copy, flags)?;
            connection.pragma_update(None, "trusted_schema", false)?;
            // Reading anything plays the journal back.
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
            connection.close().map_err(|(_, error)| error)
        };
        mend().map_err(|error| LegacyError::sqlite(path, &error))?;
        Ok(mended)
    }

    /// The copy.
    pub(super) fn copy(&self) -> &Path {
        &self.copy
    }
}

impl Drop for Mended {
    fn drop(&mut self) {
        // What cannot be removed is in the directory for such things.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Makes a directory for this process alone, with its lock.
fn private_directory(parent: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&directory) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other?,
        }
        // Until it is locked, another process may take it for one that was left.
        let lock = match File::open(&directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        match lock.try_lock() {
            Ok(()) if directory.is_dir() => return Ok((directory, lock)),
            // Where nothing can be locked, nobody removes anything.
            Err(TryLockError::Error(_)) => return Ok((directory, lock)),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
        }
    }
}

/// Removes directories of this user that killed processes have left. What cannot be removed stays.
fn remove_left(parent: &Path, own: &Path) {
    let Ok(listing) = fs::read_dir(parent) else { return };
    for entry in listing.filter_map(Result::ok) {
        let is_named_so = entry.file_name().to_str().and_then(|it| it.strip_prefix(PREFIX)).is_some_and(|it| {
            let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
            it.split_once('-').is_some_and(|(process, number)| is_number(process) && is_number(number))
        });
        let path = entry.path();
        // The type is that of a link, if it is one.
        let is_left = is_named_so
            && entry.file_type().is_ok_and(|it| it.is_dir())
            && has_same_owner(&path, own)
            && File::open(&path).is_ok_and(|it| it.try_lock().is_ok());
        if is_left {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

#[cfg(unix)]
fn has_same_owner(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    matches!((fs::symlink_metadata(a), fs::symlink_metadata(b)), (Ok(a), Ok(b)) if a.uid() == b.uid())
}

#[cfg(not(unix))]
fn has_same_owner(_: &Path, _: &Path) -> bool {
    true
}

/// A copy has the modes of its original, which may be read-only.
fn make_writable(path: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o600);
    #[cfg(not(unix))]
    permissions.set_readonly(false);
    fs::set_permissions(path, permissions)
}
