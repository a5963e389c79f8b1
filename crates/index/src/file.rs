//! The kind of a file, recognized by its first bytes before SQLite sees it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::error::{IndexError, NotAnIndex};
use super::identity::{APPLICATION_ID, SCHEMA_VERSION};
use super::schema;
use olmdex_base::budget::database_budget;
use olmdex_text::encoding::percent::sqlite_uri;

const HEADER: usize = 100;
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Tables that tell a legacy SQLite catalog.
const LEGACY_TABLES: &str = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('operatorbundle', 'channel_entry', 'schema_migrations')";

/// Like [`inspect`], and verifies that an index of the current version has the schema that this program writes.
pub(super) fn recognise(path: &Path) -> Result<i32, IndexError> {
    let version = inspect(path)?;
    if version == SCHEMA_VERSION {
        let failed = |error: rusqlite::Error| IndexError::reading(path, &error);
        let connection = connect(path).map_err(failed)?;
        schema::verify(&connection).map_err(failed)?.map_err(|reason| IndexError::not_an_index(path, reason))?;
    }
    Ok(version)
}

/// Looks at an existing file and returns the schema of the index in it, which is the current one or an older one. It
/// does not look at the tables.
pub(super) fn inspect(path: &Path) -> Result<i32, IndexError> {
    let read_failed = |source: io::Error| IndexError::Read { path: path.to_owned(), source };
    let not = |reason| Err(IndexError::not_an_index(path, reason));
    let metadata = std::fs::metadata(path).map_err(read_failed)?;
    if !metadata.is_file() {
        return not(NotAnIndex::NotAFile);
    }
    if metadata.len() == 0 {
        return not(NotAnIndex::Empty);
    }
    let mut header = Vec::with_capacity(HEADER);
    File::open(path).and_then(|file| file.take(HEADER as u64).read_to_end(&mut header)).map_err(read_failed)?;
    if !header.starts_with(MAGIC) {
        return not(NotAnIndex::NotSqlite);
    }
    let Some(header) = header.first_chunk::<HEADER>() else {
        return not(NotAnIndex::Truncated { found: metadata.len(), expected: HEADER as u64 });
    };
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let page_size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65536,
        size => u64::from(size),
    };
    let expected = page_size * u64::from(number(28));
    let application_id = number(68).cast_signed();
    let version = number(60).cast_signed();
    if application_id != APPLICATION_ID {
        return not(if is_legacy(path) { NotAnIndex::Legacy } else { NotAnIndex::Foreign });
    }
    if metadata.len() < expected {
        return not(NotAnIndex::Truncated { found: metadata.len(), expected });
    }
    match version {
        version if version > SCHEMA_VERSION => not(NotAnIndex::Newer { found: version }),
        version if version < 1 => not(NotAnIndex::Foreign),
        version => Ok(version),
    }
}

/// Whether a header carries an index's mark; the content behind it may still be damaged. This does not use SQLite,
/// which reads the schema of every file that it opens.
pub fn has_mark(header: &[u8]) -> bool {
    header.starts_with(MAGIC) && header.get(68..72) == Some(&APPLICATION_ID.to_be_bytes())
}

fn is_legacy(path: &Path) -> bool {
    let count = connect(path).and_then(|it| it.query_row(LEGACY_TABLES, [], |row| row.get::<_, i64>(0)));
    count.is_ok_and(|count| count == 3)
}

/// Opens a database for reading. Always as immutable: an index is replaced, never changed in place, so that no lock is
/// needed and a read-only file in a read-only directory can be read.
pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(sqlite_uri(path), flags)?;
    // No value of the file is longer than the file, so a longer one was computed.
    let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let max_value = i32::try_from(database_budget(size).max_bytes()).unwrap_or(i32::MAX);
    read_schema(&mut connection)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, max_value)?;
    Ok(connection)
}

/// Reads the schema with limits of its own. SQLite reads statistics with it, before anybody can compare the schema, and
/// a computed column of them would run.
pub(super) fn read_schema(connection: &mut Connection) -> rusqlite::Result<()> {
    const LONGEST: i32 = 64 << 10;
    const STEPS: i32 = 50_000;
    let longest = connection.limit(Limit::SQLITE_LIMIT_LENGTH)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
    connection.progress_handler(STEPS, Some(|| true))?;
    let read = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    connection.progress_handler(0, None::<fn() -> bool>)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
    read
}
