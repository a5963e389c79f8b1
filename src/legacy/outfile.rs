//! The file that an export or a maintenance step writes: filled beside its place under another name, then brought to the
//! disk and renamed.
//!
//! The temporary file has a fixed name, `.<target>.olmdex-legacy`, and is locked while it is filled. One that nobody has
//! locked was left by a process that was killed, and is used again.
//!
//! What it deliberately does not do: it replaces nothing that is no legacy catalog.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::error::LegacyError;
use super::file::is_legacy;

/// Memory for pages while writing, in KiB.
const CACHE: i64 = 64 << 10;

/// A file that is being written.
#[derive(Debug)]
pub(super) struct OutFile {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
    is_done: bool,
}

impl OutFile {
    /// Starts a file. What is at the target is replaced at the end, if it is a legacy catalog or empty.
    ///
    /// # Errors
    /// [`LegacyError::Target`] if something else is there, or another process writes it; [`LegacyError::Write`].
    pub(super) fn create(target: &Path) -> Result<Self, LegacyError> {
        let failed = |error: io::Error| LegacyError::write(target, error);
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let Some(name) = target.file_name().filter(|_| !target.is_dir()) else {
            return Err(LegacyError::Target(format!("`{}` is a directory", target.display())));
        };
        if fs::metadata(&target).is_ok_and(|it| it.len() > 0) && !is_legacy(&target) {
            return Err(LegacyError::Target(format!("`{}` is there and is no legacy catalog", target.display())));
        }
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(".olmdex-legacy");
        let temporary = target.with_file_name(hidden);
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&temporary).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LegacyError::Target(format!("another process writes `{}`", target.display())));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        file.set_len(0).map_err(failed)?;
        Ok(Self { target, temporary, file, is_done: false })
    }

    /// The temporary file, which whoever ends the process early may remove.
    #[must_use]
    pub(super) fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Fills the file with a copy of another one.
    pub(super) fn copy(&mut self, from: &Path) -> Result<(), LegacyError> {
        let mut old = File::open(from).map_err(|source| LegacyError::Read { path: from.to_owned(), source })?;
        let copied = self
            .file
            .set_len(0)
            .and_then(|()| io::Seek::rewind(&mut self.file))
            .and_then(|()| io::copy(&mut old, &mut self.file));
        copied.map(drop).map_err(|error| LegacyError::write(&self.target, error))
    }

    /// A connection to write with. The file is a temporary one, so nothing need survive a crash.
    pub(super) fn connect(&self) -> Result<Connection, LegacyError> {
        let open = || -> rusqlite::Result<Connection> {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(&self.temporary, flags)?;
            connection.pragma_update(None, "trusted_schema", false)?;
            connection.query_row("PRAGMA journal_mode = OFF", [], |_| Ok(()))?;
            let pragmas = [("synchronous", "OFF"), ("foreign_keys", "OFF"), ("locking_mode", "EXCLUSIVE")];
            for (name, value) in pragmas {
                connection.pragma_update(None, name, value)?;
            }
            connection.pragma_update(None, "cache_size", -CACHE)?;
            Ok(connection)
        };
        open().map_err(|error| self.failed(&error))
    }

    /// An error of SQLite while writing.
    pub(super) fn failed(&self, error: &rusqlite::Error) -> LegacyError {
        LegacyError::sqlite_write(&self.target, error)
    }

    /// Puts the file at its place, durably. All connections must be closed.
    pub(super) fn finish(mut self) -> Result<(), LegacyError> {
        let failed = |error: io::Error| LegacyError::write(&self.target, error);
        if let Ok(metadata) = fs::metadata(&self.target) {
            self.file.set_permissions(metadata.permissions()).map_err(failed)?;
        }
        self.file.sync_all().map_err(failed)?;
        fs::rename(&self.temporary, &self.target).map_err(failed)?;
        self.is_done = true;
        let directory = match self.target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        // Some file systems cannot do this; then only a crash of the system could undo the rename.
        let _ = File::open(directory).and_then(|it| it.sync_all());
        Ok(())
    }
}

impl Drop for OutFile {
    fn drop(&mut self) {
        if !self.is_done {
            // What stays is used again by the next one that wants to write here.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
