//! The file that an export or a maintenance step writes, as a connection of SQLite.
//!
//! For safety, this module deliberately replaces nothing that is not a legacy catalog.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::error::LegacyError;
use super::file::is_legacy;
use olmdex_base::file::{Replacement, open_regular};

/// Memory for pages while writing, in KiB.
const CACHE: i64 = 64 << 10;

/// A file that is being written.
#[derive(Debug)]
pub(super) struct OutFile {
    replacement: Replacement,
}

impl OutFile {
    /// Starts a file. The target is replaced at the end, if it is a legacy catalog or empty.
    ///
    /// # Errors
    /// [`LegacyError::Target`] if something else is there; [`LegacyError::File`].
    pub(super) fn begin(target: &Path) -> Result<Self, LegacyError> {
        refuse_other_files(target)?;
        let replacement = Replacement::begin_database(target)?;
        // Again, under the lock.
        refuse_other_files(replacement.target())?;
        Ok(Self { replacement })
    }

    /// Fills the file with a copy of another one.
    pub(super) fn copy(&mut self, from: &Path) -> Result<(), LegacyError> {
        let read_failed = |source| LegacyError::Read { path: from.to_owned(), source };
        Ok(self.replacement.copy(&mut open_regular(from).map_err(read_failed)?)?)
    }

    /// A connection to write with. The file is a temporary one, so nothing has to survive a crash.
    pub(super) fn connect(&self) -> Result<Connection, LegacyError> {
        let open = || -> rusqlite::Result<Connection> {
            let flags =
                OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
            let connection = Connection::open_with_flags(self.replacement.temporary(), flags)?;
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
        LegacyError::sqlite_write(self.replacement.target(), error)
    }

    /// Puts the file at its place, durably. All connections must be closed.
    pub(super) fn finish(self) -> Result<(), LegacyError> {
        Ok(self.replacement.finish()?)
    }
}

fn refuse_other_files(target: &Path) -> Result<(), LegacyError> {
    let is_other = std::fs::metadata(target).is_ok_and(|it| it.is_file() && it.len() > 0) && !is_legacy(target);
    if is_other {
        return Err(LegacyError::Target(format!("{} exists and is not a legacy catalog", target.display())));
    }
    Ok(())
}
