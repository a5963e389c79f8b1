//! An index that is open for reading.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::error::{IndexError, NotAnIndex};
use super::form::SCHEMA_VERSION;
use super::{file, functions, schema};

/// Memory for pages of an index, in KiB; it is taken as pages are read.
const CACHE: i64 = 64 << 10;

/// An index that is open for reading: a file, or in memory. Nothing that is asked of it writes.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
    path: PathBuf,
}

impl Index {
    /// Opens an index. The file is not locked: `build` replaces it as a whole, and who has it open keeps the old one.
    ///
    /// # Errors
    /// [`IndexError::Read`] and [`IndexError::NotAnIndex`].
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        let found = file::inspect(path)?;
        if found < SCHEMA_VERSION {
            return Err(IndexError::not_an_index(path, NotAnIndex::Older { found }));
        }
        let failed = |error: rusqlite::Error| IndexError::reading(path, &error);
        let connection = file::connect(path).map_err(failed)?;
        connection.pragma_update(None, "cache_size", -CACHE).map_err(failed)?;
        // No memory map: who reads a page of a file that was cut meanwhile would be killed instead of told.
        schema::verify(&connection).map_err(failed)?.map_err(|reason| IndexError::not_an_index(path, reason))?;
        Self::from_connection(connection, path)
    }

    /// Makes a connection to a current index one for reading.
    pub(super) fn from_connection(connection: Connection, path: &Path) -> Result<Self, IndexError> {
        let failed = |error: rusqlite::Error| IndexError::reading(path, &error);
        functions::register(&connection).map_err(failed)?;
        connection.pragma_update(None, "query_only", true).map_err(failed)?;
        // Statements are run again with other values, and each would be planned anew for those.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failed)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(Self { connection, path: path.to_owned() })
    }

    /// Where it is; `:memory:` if nowhere.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Has no more memory for pages than this many KiB.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn limit_cache(&self, kib: i64) -> Result<(), IndexError> {
        self.connection.pragma_update(None, "cache_size", -kib).map_err(|error| self.failed(&error))
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(super) fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Puts the path to an error of SQLite.
    pub(super) fn failed(&self, error: &rusqlite::Error) -> IndexError {
        IndexError::reading(&self.path, error)
    }
}
