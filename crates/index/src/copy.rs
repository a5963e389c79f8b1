//! Copies of an index in memory, so that the next question about the same files need not read them.

use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::error::IndexError;
use super::open::ListIndex;

impl ListIndex {
    /// The number of bytes that a copy takes.
    ///
    /// # Errors
    /// If SQLite cannot say it.
    pub fn size(&self) -> Result<u64, IndexError> {
        let failed = |error: rusqlite::Error| IndexError::reading(self.path(), &error);
        let number = |name: &str| self.connection().pragma_query_value(None, name, |row| row.get::<_, u64>(0));
        let (pages, size) = (number("page_count").map_err(failed)?, number("page_size").map_err(failed)?);
        Ok(pages.saturating_mul(size))
    }

    /// Copies the index into a file that is there and empty.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn copy_to(&self, path: &Path) -> Result<(), IndexError> {
        let failed = |error: &rusqlite::Error| IndexError::writing(path, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut target = Connection::open_with_flags(path, flags).map_err(|it| failed(&it))?;
        // No process reads the file before it has its name.
        target.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF").map_err(|it| failed(&it))?;
        let backup = Backup::new(self.connection(), &mut target).map_err(|it| failed(&it))?;
        match backup.step(-1).map_err(|it| failed(&it))? {
            StepResult::Done => Ok(()),
            _ => Err(IndexError::writing(path, &rusqlite::Error::InvalidQuery)),
        }
    }
}
