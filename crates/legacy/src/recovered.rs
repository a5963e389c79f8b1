//! A repaired copy of a file whose writer was stopped, in a private directory that is removed with the value.
//!
//! Playing a journal back means writing, and the maker of the file may have made the journal. So it happens to a copy;
//! and a journal that names another file, which SQLite deletes when it is done, is refused.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::error::LegacyError;
use olmdex_base::file::{Scratch, beside, open_regular};

/// A private directory with a repaired copy.
#[derive(Debug)]
pub(super) struct Mended {
    copy: PathBuf,
    /// Kept for its end, which removes the copy.
    _scratch: Scratch,
}

impl Mended {
    /// Copies a file with its journals below `parent`, and has SQLite repair the copy.
    pub(super) fn make(path: &Path, parent: &Path) -> Result<Self, LegacyError> {
        refuse_shared_journal(path)?;
        let scratch = Scratch::make(parent)?;
        let copy = scratch.path().join("catalog.db");
        for suffix in ["", "-journal", "-wal"] {
            match scratch.copy(&beside(path, suffix), &format!("catalog.db{suffix}")) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && !suffix.is_empty() => {}
                copied => copied.map_err(|error| LegacyError::write(parent, error))?,
            }
        }
        let mend = || -> rusqlite::Result<()> {
            let flags =
                OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
            let connection = Connection::open_with_flags(&copy, flags)?;
            connection.pragma_update(None, "trusted_schema", false)?;
            // Reading anything plays the journal back.
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
            connection.close().map_err(|(_, error)| error)
        };
        mend().map_err(|error| LegacyError::sqlite(path, &error))?;
        Ok(Self { copy, _scratch: scratch })
    }

    pub(super) fn copy(&self) -> &Path {
        &self.copy
    }
}

/// Refuses a file whose journal names another one. That is the journal of a transaction over several files; SQLite
/// deletes the other file when it has played the journal back, whatever it is.
pub(super) fn refuse_shared_journal(path: &Path) -> Result<(), LegacyError> {
    let journal = beside(path, "-journal");
    let names_another = match open_regular(&journal) {
        Ok(mut file) => ends_with_a_name(&mut file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    };
    match names_another {
        Ok(false) => Ok(()),
        Ok(true) => {
            let message = "its journal belongs to a transaction over several files".to_owned();
            Err(LegacyError::Damaged { path: path.to_owned(), message })
        }
        Err(source) => Err(LegacyError::Read { path: journal, source }),
    }
}

/// Whether a journal ends as one of a transaction over several files: a name, its length, a checksum, a mark.
fn ends_with_a_name(journal: &mut File) -> io::Result<bool> {
    const MARK: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    const END: usize = 16;
    if journal.metadata()?.len() < END as u64 {
        return Ok(false);
    }
    journal.seek(SeekFrom::End(-(END as i64)))?;
    let mut end = [0; END];
    journal.read_exact(&mut end)?;
    Ok(end[8..] == MARK && end[..4] != [0; 4])
}
