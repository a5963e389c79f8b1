//! Maintenance of a legacy file, with the rules of the real tool's `registry add`, `rm`, `prune`, `prune-stranded` and
//! `deprecatetruncate` (`docs/behaviour/legacy-index.md` 4.2 to 4.8).
//!
//! A step is one transaction: on a copy that takes its place at the end, or in the file itself. Rows are removed by
//! sets: the step collects the rows to remove first, and then goes through each table once. Two things differ from the
//! real tool. Where it acts on a bundle's name in all packages, this module acts in one package, and rows that the real
//! tool leaves behind without their bundle are removed too.

mod add;
mod chain;
mod deprecate;
mod insert;
mod remove;
mod replaces;
mod request;
mod semver;
mod stored;
mod trial;

pub use self::request::{AddOptions, Mode, NewBundle};
pub use self::trial::Trial;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::LegacyCatalog;
use super::error::LegacyError;
use super::export::Export;
use super::file::{LegacyFile, never_run_stored_text};
use super::outfile::OutFile;
use super::recovered::refuse_shared_journal;
use super::schema_upgrade::Fidelity;
use olmdex_base::file::beside;

/// The tables of a catalog without packages.
const EMPTY: &str = include_str!("../schema.sql");

/// The last schema, which every file has afterwards.
const SCHEMA: i64 = 13;

/// The free part of a file above which it is packed anew: one in this many pages.
const SPARE: i64 = 4;

/// The destination of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Another file, which appears whole or not at all. It may be the file itself.
    File(PathBuf),
    /// The file itself, in one transaction of SQLite.
    InPlace,
}

/// The result of a step, in the words of the real tool where it has some.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Done {
    /// Packages that are gone, sorted.
    pub packages: Vec<String>,
    /// Bundles that are gone, sorted.
    pub bundles: Vec<String>,
    /// Packages that stay and lost a channel, each with the channel, sorted.
    pub channels: Vec<(String, String)>,
    /// Bundles that are new, in the order in which they were added.
    pub added: Vec<String>,
    /// Bundles that were in the file and are replaced by new ones of the same name.
    pub overwritten: Vec<String>,
    /// Bundles that are in no channel any more, sorted.
    pub stranded: Vec<String>,
    /// Bundles that are deprecated now, in the order of the request.
    pub deprecated: Vec<String>,
    /// Words for a part of a package, with the package that is kept for each.
    pub kept_whole: Vec<(String, String)>,
    /// The refused steps that were skipped, because that was allowed.
    pub passed_over: Vec<String>,
}

/// A legacy file in the middle of a transaction. If it is dropped, nothing of the transaction stays.
#[derive(Debug)]
pub struct Edit {
    /// Before the file, so that it is closed when that is renamed or removed.
    connection: Connection,
    out: Option<OutFile>,
    path: PathBuf,
    /// The channels at the beginning, each with its package.
    channels_before: BTreeSet<(String, String)>,
    done: Done,
}

impl Edit {
    /// Begins. `scratch` is as for [`LegacyFile::open`]. A file of an older schema is brought to the last one.
    ///
    /// # Errors
    /// [`LegacyError`]; nothing has changed then.
    pub fn begin(path: &Path, scratch: &Path, destination: &Destination) -> Result<Self, LegacyError> {
        if std::fs::metadata(path).is_ok_and(|it| it.is_file() && it.len() == 0) {
            return Self::begin_empty(path, destination);
        }
        let file = LegacyFile::open(path, scratch)?;
        let schema = file.schema();
        let is_old = schema < 9 || !file.has_table("properties") || !file.has_table("dependencies");
        let (connection, out) = match destination {
            Destination::InPlace if !is_old => {
                // The journal, if there was one, is played back by opening the file to write.
                drop(file);
                refuse_shared_journal(path)?;
                (in_place(path)?, None)
            }
            Destination::InPlace => fill(path, path, scratch, is_old)?,
            Destination::File(target) => fill(path, target, scratch, is_old)?,
        };
        let (path, channels_before) = (path.to_owned(), BTreeSet::new());
        let mut edit = Self { connection, out, path, channels_before, done: Done::default() };
        edit.prepare().map_err(|error| edit.failed(&error))?;
        edit.channels_before = edit.channels().map_err(|error| edit.failed(&error))?;
        Ok(edit)
    }

    /// Begins a catalog in a file that does not exist yet.
    ///
    /// # Errors
    /// [`LegacyError`]; nothing has changed then.
    pub fn begin_new(path: &Path) -> Result<Self, LegacyError> {
        Self::begin_empty(path, &Destination::File(path.to_owned()))
    }

    /// Begins a catalog that replaces an empty file, which is a catalog for the real tool.
    fn begin_empty(path: &Path, destination: &Destination) -> Result<Self, LegacyError> {
        let (connection, out) = match destination {
            Destination::InPlace => (in_place(path)?, None),
            Destination::File(target) => {
                let out = OutFile::begin(target)?;
                (out.connect()?, Some(out))
            }
        };
        let (owned, channels_before) = (path.to_owned(), BTreeSet::new());
        let mut edit = Self { connection, out, path: owned, channels_before, done: Done::default() };
        let mut begin = || -> rusqlite::Result<()> {
            edit.connection.execute_batch("PRAGMA temp_store = MEMORY; PRAGMA page_size = 4096; BEGIN IMMEDIATE")?;
            edit.connection.execute_batch(EMPTY)?;
            never_run_stored_text(&mut edit.connection, path)
        };
        begin().map_err(|error| edit.failed(&error))?;
        Ok(edit)
    }

    fn channels(&self) -> rusqlite::Result<BTreeSet<(String, String)>> {
        // A damaged row may have no name; no step removes it by its name.
        let sql = "SELECT package_name, name FROM channel WHERE package_name IS NOT NULL AND name IS NOT NULL";
        let mut statement = self.connection.prepare(sql)?;
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    fn failed(&self, error: &rusqlite::Error) -> LegacyError {
        match &self.out {
            Some(out) => out.failed(error),
            None => LegacyError::sqlite_write(&self.path, error),
        }
    }

    /// Begins the transaction and upgrades the schema. Triggers and views of the file stay in it and never run: their
    /// text comes from the file's author.
    fn prepare(&mut self) -> rusqlite::Result<()> {
        never_run_stored_text(&mut self.connection, &self.path)?;
        let it = &self.connection;
        it.execute_batch("PRAGMA temp_store = MEMORY; BEGIN IMMEDIATE")?;
        let has = |sql: &str| it.query_row(sql, [], |row| row.get::<_, i64>(0)).map(|count| count > 0);
        if !has("SELECT count(*) FROM pragma_table_info('operatorbundle') WHERE name = 'substitutesfor'")? {
            it.execute_batch("ALTER TABLE operatorbundle ADD COLUMN substitutesfor TEXT")?;
        }
        if !has("SELECT count(*) FROM sqlite_schema WHERE name = 'deprecated'")? {
            it.execute_batch(
                "CREATE TABLE deprecated (operatorbundle_name TEXT PRIMARY KEY);
                 INSERT OR REPLACE INTO deprecated
                     SELECT DISTINCT operatorbundle_name FROM properties WHERE type = 'olm.deprecated'",
            )?;
        }
        let version: Option<i64> = it
            .query_row("SELECT max(version) FROM (SELECT version FROM schema_migrations LIMIT 1)", [], |row| row.get(0))
            .unwrap_or(None);
        if version.is_none_or(|it| it < SCHEMA) {
            it.execute_batch(&format!(
                "CREATE TABLE IF NOT EXISTS schema_migrations (
                     version bigint NOT NULL, timestamp DATETIME DEFAULT CURRENT_TIMESTAMP);
                 DELETE FROM deprecated WHERE operatorbundle_name NOT IN (SELECT name FROM operatorbundle);
                 DELETE FROM schema_migrations;
                 INSERT INTO schema_migrations VALUES ({SCHEMA}, '2021-08-11 00:00:00')"
            ))?;
        }
        Ok(())
    }

    /// Ends the transaction and puts the result at its place.
    ///
    /// # Errors
    /// [`LegacyError::Write`]; then the target is as it was.
    pub fn finish(mut self) -> Result<Done, LegacyError> {
        let is_in_place = self.out.is_none();
        let complete = |it: &Connection| -> rusqlite::Result<()> {
            it.execute_batch("COMMIT")?;
            let n_free: i64 = it.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
            let n_pages: i64 = it.pragma_query_value(None, "page_count", |row| row.get(0))?;
            if n_free * SPARE > n_pages {
                let packed = it.execute_batch("VACUUM");
                // In place the step is done already; space that is free then stays free.
                if !is_in_place {
                    packed?;
                }
            }
            Ok(())
        };
        complete(&self.connection).map_err(|error| self.failed(&error))?;
        self.done.packages.sort();
        self.done.packages.dedup();
        let channels = self.channels().map_err(|error| self.failed(&error))?;
        let gone = self.channels_before.difference(&channels).filter(|it| !self.done.packages.contains(&it.0));
        self.done.channels = gone.cloned().collect();
        self.done.stranded.sort();
        self.done.stranded.dedup();
        self.done.bundles.sort();
        self.done.bundles.dedup();
        let Self { connection, out, path, done, .. } = self;
        connection.close().map_err(|(_, error)| LegacyError::sqlite_write(&path, &error))?;
        match out {
            Some(out) => out.finish().map(|()| done),
            None => Ok(done),
        }
    }
}

/// Fills a file beside the target with the content of the old one, and opens it for writing. The write begins before
/// the old file is read, so that nobody changes the old one in between if it is the target.
fn fill(
    path: &Path,
    target: &Path,
    scratch: &Path,
    is_old: bool,
) -> Result<(Connection, Option<OutFile>), LegacyError> {
    if is_old {
        // Facts that a schema below 9 cannot hold are in the manifests: the file is converted there and back.
        let mut export = Export::begin(target)?;
        let input = LegacyCatalog::open(path, scratch, Fidelity::Kept)?.into_input();
        export.write(&input)?;
        if let Some(first) = export.findings().iter().find(|it| it.rule.severity == olmdex_base::diag::Severity::Error)
        {
            return Err(LegacyError::Inconvertible { path: path.to_owned(), text: first.message.clone() });
        }
        let out = export.into_file();
        return Ok((out.connect()?, Some(out)));
    }
    let mut out = OutFile::begin(target)?;
    out.copy(LegacyFile::open(path, scratch)?.actual())?;
    Ok((out.connect()?, Some(out)))
}

/// The file itself, with a journal of its own.
fn in_place(path: &Path) -> Result<Connection, LegacyError> {
    let open = || -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "foreign_keys", false)?;
        connection.pragma_update(None, "cache_size", -(64 << 10))?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if beside(path, "-journal").exists() {
            // Reading has played back a journal that counts. A journal that was only begun stays until something is
            // written, and a refused step writes nothing.
            connection.pragma_update(None, "user_version", version)?;
        }
        Ok(connection)
    };
    open().map_err(|error| LegacyError::sqlite_write(path, &error))
}
