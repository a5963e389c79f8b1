//! A legacy file, opened so that it never changes.
//!
//! The file is read as immutable: no lock, no journal, no shared memory beside it, so that a read-only file on a
//! read-only disk works. The exception is a file with a non-empty journal or write-ahead log beside it, which means
//! that its writer was stopped and the file is incomplete. It is copied to a private directory together with the
//! journal, and SQLite repairs the copy.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::error::{LegacyError, NotLegacy};
use super::recovered::Mended;
use olmdex_base::budget::database_budget;
use olmdex_base::file::journal_of;
use olmdex_text::encoding::percent::sqlite_uri;

const MAGIC: &[u8] = b"SQLite format 3\0";

/// The tables without which there is no catalog.
const CORE_TABLES: [&str; 4] = ["operatorbundle", "package", "channel", "channel_entry"];

/// Memory for pages of one connection, in KiB.
const CACHE: i64 = 4 << 10;

/// The version of the schema that a file claims to have (`docs/behaviour/legacy-index.md` 1.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// No table of migrations, or an empty one: older than all numbers, or tampered with.
    None,
    /// A number.
    Number(i64),
    /// Something that is not a number.
    Text(String),
}

/// A legacy file that can be read.
#[derive(Debug)]
pub struct LegacyFile {
    path: PathBuf,
    actual: PathBuf,
    claim: Claim,
    columns: BTreeMap<String, Vec<String>>,
    /// Kept for its end, which removes the copy.
    scratch: Option<Mended>,
}

impl LegacyFile {
    /// Opens a file. `scratch` is a directory for the copy that a hot journal makes necessary.
    ///
    /// # Errors
    /// [`LegacyError::NotLegacy`] if it is something else, [`LegacyError::Read`] and [`LegacyError::Damaged`].
    pub fn open(path: &Path, scratch: &Path) -> Result<Self, LegacyError> {
        let read_failed = |source: io::Error| LegacyError::Read { path: path.to_owned(), source };
        let not = |reason| LegacyError::NotLegacy { path: path.to_owned(), reason };
        let metadata = fs::metadata(path).map_err(read_failed)?;
        if !metadata.is_file() {
            return Err(not(NotLegacy::NotAFile));
        }
        if metadata.len() == 0 {
            return Err(not(NotLegacy::Empty));
        }
        let mut head = Vec::with_capacity(MAGIC.len());
        File::open(path).and_then(|it| it.take(MAGIC.len() as u64).read_to_end(&mut head)).map_err(read_failed)?;
        if head != MAGIC {
            return Err(not(NotLegacy::NotSqlite));
        }
        let mended = if journal_of(path).is_some() { Some(Mended::make(path, scratch)?) } else { None };
        let actual = mended.as_ref().map_or_else(|| path.to_owned(), |it| it.copy().to_owned());
        let mut file =
            Self { path: path.to_owned(), actual, claim: Claim::None, columns: BTreeMap::new(), scratch: mended };
        let connection = file.connect()?;
        let failed = |error: rusqlite::Error| LegacyError::sqlite(path, &error);
        file.columns = columns(&connection).map_err(failed)?;
        if !CORE_TABLES.iter().any(|it| file.columns.contains_key(*it)) {
            return Err(not(NotLegacy::NoCatalog));
        }
        if let Some(missing) = CORE_TABLES.iter().find(|it| !file.columns.contains_key(**it)) {
            return Err(LegacyError::Damaged { path: path.to_owned(), message: format!("no such table: {missing}") });
        }
        if file.has_column("schema_migrations", "version") {
            file.claim = claim(&connection).map_err(failed)?;
        }
        Ok(file)
    }

    /// Opens a file as far as it can be read: without a journal that cannot be played back, and with those of `tables`
    /// whose definition is readable.
    ///
    /// # Errors
    /// [`LegacyError`] if it is not a database, or nothing of its schema can be read.
    pub(super) fn open_damaged(path: &Path, scratch: &Path, tables: &[&str]) -> Result<Self, LegacyError> {
        match Self::open(path, scratch) {
            Err(LegacyError::Damaged { .. }) => {}
            opened => return opened,
        }
        let connection = connect_damaged(path).map_err(|error| LegacyError::sqlite(path, &error))?;
        let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for table in tables.iter().copied().chain(["schema_migrations"]) {
            let found = columns_of_table(&connection, table).unwrap_or_default();
            if !found.is_empty() {
                columns.insert(table.to_owned(), found);
            }
        }
        if columns.is_empty() {
            let message = "the definition of no table can be read".to_owned();
            return Err(LegacyError::Damaged { path: path.to_owned(), message });
        }
        let claim = claim(&connection).unwrap_or(Claim::None);
        Ok(Self { path: path.to_owned(), actual: path.to_owned(), claim, columns, scratch: None })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The version that it claims to have.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Whether a journal lay beside it that had to be played back first.
    pub(crate) fn was_interrupted(&self) -> bool {
        self.scratch.is_some()
    }

    /// The file to read, which is a repaired copy if there was a journal.
    pub fn actual(&self) -> &Path {
        &self.actual
    }

    pub(crate) fn has_table(&self, table: &str) -> bool {
        self.columns.contains_key(table)
    }

    /// Whether a table has a column.
    pub(crate) fn has_column(&self, table: &str, column: &str) -> bool {
        self.columns.get(table).is_some_and(|it| it.iter().any(|name| name.eq_ignore_ascii_case(column)))
    }

    /// The newest schema of which all tables and columns are there.
    pub fn shape(&self) -> i64 {
        let newest = [
            (12, self.has_table("deprecated")),
            (11, self.has_column("operatorbundle", "substitutesfor")),
            (9, self.has_table("properties")),
            (8, self.has_table("dependencies")),
            (7, self.has_column("operatorbundle", "replaces")),
            (6, self.has_column("api_provider", "operatorbundle_name")),
            (5, self.has_column("operatorbundle", "version")),
            (3, self.has_table("api_requirer")),
            (2, self.has_column("operatorbundle", "bundlepath")),
            (1, self.has_table("related_image")),
        ];
        newest.into_iter().find(|(_, has)| *has).map_or(0, |(version, _)| version)
    }

    /// The schema to read it by: the one that it claims, or the one of its tables if it claims none.
    pub fn schema(&self) -> i64 {
        match self.claim {
            Claim::Number(version) if version >= 0 => version,
            _ => self.shape(),
        }
    }

    /// A connection of its own, for reading.
    pub(super) fn connect(&self) -> Result<Connection, LegacyError> {
        self.connect_plainly().map_err(|error| LegacyError::sqlite(&self.path, &error))
    }

    /// Like [`Self::connect`], with SQLite's error.
    pub(super) fn connect_plainly(&self) -> rusqlite::Result<Connection> {
        connect(&self.actual)
    }
}

/// Whether the file is an SQLite database with the tables of a legacy catalog.
pub fn is_legacy(path: &Path) -> bool {
    // SQLite reads statistics with the schema, so that even looking for tables runs what a file holds.
    let has_tables = connect(path).and_then(|connection| columns(&connection));
    let has_tables = has_tables.is_ok_and(|columns| {
        CORE_TABLES.iter().any(|it| *it != "package" && *it != "channel" && columns.contains_key(*it))
    });
    // With a journal beside it the file may have no tables yet; in a damaged one the names of tables may be left.
    has_tables || (starts_as_sqlite(path) && !is_index(path) && (journal_of(path).is_some() || names_tables(path)))
}

/// Whether the beginning of the file, where the schema is, has the names of tables that only catalogs have.
fn names_tables(path: &Path) -> bool {
    const SCHEMA: u64 = 128 << 10;
    let mut head = Vec::new();
    let read = File::open(path).and_then(|it| it.take(SCHEMA).read_to_end(&mut head));
    let has = |name: &str| memchr::memmem::find(&head, name.as_bytes()).is_some();
    read.is_ok() && has("operatorbundle") && has("channel_entry")
}

/// A connection to a file that SQLite calls damaged, for reading the undamaged rest.
pub(super) fn connect_damaged(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(sqlite_uri(path), READING)?;
    // With this SQLite reads a file that is shorter than it should be, and passes over what it cannot read of a schema.
    connection.pragma_update(None, "writable_schema", true)?;
    prepared(connection, path)
}

fn starts_as_sqlite(path: &Path) -> bool {
    let mut head = Vec::with_capacity(MAGIC.len());
    let read = File::open(path).and_then(|it| it.take(MAGIC.len() as u64).read_to_end(&mut head));
    read.is_ok() && head == MAGIC
}

/// Whether the header carries any application's mark, which legacy files do not.
fn is_index(path: &Path) -> bool {
    let mut head = Vec::with_capacity(72);
    let read = File::open(path).and_then(|it| it.take(72).read_to_end(&mut head));
    read.is_err() || head.get(68..72).is_none_or(|mark| mark != [0; 4])
}

const READING: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_URI).union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    prepared(Connection::open_with_flags(sqlite_uri(path), READING)?, path)
}

fn prepared(mut connection: Connection, path: &Path) -> rusqlite::Result<Connection> {
    // The maker of the file must not get their code run.
    never_run_stored_text(&mut connection, path)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cache_size", -CACHE)?;
    Ok(connection)
}

/// The number of steps of SQLite's virtual machine between two looks at how many there were.
const STEPS: i32 = 1_000;

/// Text that SQLite runs when it reads or writes a table; no version of opm stores any. A damaged schema cannot be
/// asked.
const STORED_TEXT: &str = "
SELECT m.name, 'a computed column' FROM sqlite_schema m, pragma_table_xinfo(m.name) x
WHERE m.type = 'table' AND m.rootpage > 0 AND x.hidden IN (2, 3)
UNION ALL
SELECT m.name, 'a CHECK' FROM sqlite_schema m WHERE m.type = 'table' AND m.sql LIKE '%check%(%'
UNION ALL
SELECT m.name, 'a computed default' FROM sqlite_schema m, pragma_table_xinfo(m.name) x
WHERE m.type = 'table' AND m.rootpage > 0 AND x.dflt_value LIKE '%(%'
UNION ALL
SELECT m.tbl_name, 'an index of a computed value' FROM sqlite_schema m, pragma_index_xinfo(m.name) x
WHERE m.type = 'index' AND x.cid = -2
UNION ALL
SELECT m.tbl_name, 'an index with a condition' FROM sqlite_schema m
WHERE m.type = 'index' AND m.sql LIKE '%)%where%'
LIMIT 1";

/// Keeps a connection from running code that a file's author stored in it: triggers, views, and functions in its
/// schema. Other code is refused, and statements have a budget.
pub(super) fn never_run_stored_text(connection: &mut Connection, path: &Path) -> rusqlite::Result<()> {
    read_schema(connection)?;
    let budget = database_budget(fs::metadata(path).map_or(0, |metadata| metadata.len()));
    let max_value = i32::try_from(budget.max_bytes()).unwrap_or(i32::MAX);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, max_value)?;
    connection.progress_handler(STEPS, Some(move || budget.spend(STEPS as u64).is_err()))?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    refuse_stored_text(connection)
}

/// Reads the schema with limits of its own. SQLite reads statistics with it, before anybody can look at it, and a
/// computed column of them would run. A damaged schema ends the reading each time before that.
fn read_schema(connection: &mut Connection) -> rusqlite::Result<()> {
    const LONGEST: i32 = 64 << 10;
    const STEPS: i32 = 50_000;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
    connection.progress_handler(STEPS, Some(|| true))?;
    let read = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    connection.progress_handler(0, None::<fn() -> bool>)?;
    read.or_else(|error| if is_damage(&error) { Ok(()) } else { Err(error) })
}

fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(error, rusqlite::Error::QueryReturnedNoRows)
        || matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

fn refuse_stored_text(connection: &Connection) -> rusqlite::Result<()> {
    let found = connection.query_row(STORED_TEXT, [], |row| Ok((row.get(0)?, row.get(1)?)));
    let (table, what): (String, String) = match found {
        Ok(found) => found,
        // A damaged file is read as far as it can be, and SQLite runs nothing of a schema that it cannot read.
        Err(error) if is_damage(&error) => return Ok(()),
        Err(error) => return Err(error),
    };
    let message = format!("table {table:?} has {what}, which SQLite would run");
    Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT), Some(message)))
}

/// Tables with their columns. Views and virtual tables are ignored, whatever their names: a catalog has none.
fn columns(connection: &Connection) -> rusqlite::Result<BTreeMap<String, Vec<String>>> {
    let sql = "SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c
               WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite_%' AND s.rootpage > 0 AND s.sql LIKE 'CREATE TABLE %'";
    let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        columns.entry(row.get::<_, String>(0)?.to_lowercase()).or_default().push(row.get(1)?);
    }
    Ok(columns)
}

/// The columns of one table of a schema that is partly readable. A view, a virtual table and a table with computed
/// columns have none.
fn columns_of_table(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT c.name FROM pragma_table_list(?1) l, pragma_table_info(?1) c
               WHERE l.schema = 'main' AND l.type = 'table'
               AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) x WHERE x.hidden <> 0)";
    let mut statement = connection.prepare(sql)?;
    statement.query_map([table], |row| row.get(0))?.collect()
}

fn claim(connection: &Connection) -> rusqlite::Result<Claim> {
    let mut statement = connection.prepare("SELECT version FROM schema_migrations LIMIT 1")?;
    let mut rows = statement.query([])?;
    let Some(row) = rows.next()? else { return Ok(Claim::None) };
    Ok(match row.get_ref(0)? {
        ValueRef::Null => Claim::None,
        ValueRef::Integer(number) => Claim::Number(number),
        ValueRef::Real(number) => Claim::Number(number as i64),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            let text = String::from_utf8_lossy(text).into_owned();
            text.trim().parse().map_or(Claim::Text(text), Claim::Number)
        }
    })
}
