//! Writing an index: the old file, or a new one in its place, whole.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

use super::error::{IndexError, NotAnIndex};
use super::identity::SCHEMA_VERSION;
use super::open::Index;
use super::write::Interned;
use super::{file, functions, remove, schema};
use olmdex_base::file::{Cache, Replacement, open_regular};
use olmdex_rules::check::CutAdvice;

/// Memory for pages, in KiB.
const CACHE: i64 = 32 << 10;

/// The version of this program, whose rules and derived rows an index holds.
pub(super) const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// What became of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// There was nothing to change, so the file is the same, its time of change included.
    Unchanged,
    /// It is new, or replaced.
    Written,
}

/// Builds an index, in memory or as a file. Nothing of the file changes before [`Builder::finish`], and then all of it
/// at once; a builder that is dropped leaves no trace.
#[derive(Debug)]
pub struct Builder {
    /// Dropped first, so that the file is closed when the target renames or removes it.
    connection: Option<Connection>,
    target: Target,
    /// The old index, open for reading until the new one is there.
    reader: Option<Connection>,
    /// What is known; read when it is needed first.
    pub(super) interned: Option<Interned>,
    /// Statements that make the secondary indexes, if they are to be made at the end.
    indexes: Vec<String>,
    /// Whether rows were taken out.
    pub(super) has_removed: bool,
    /// The first catalog that was refused.
    pub(super) refused: Option<String>,
    /// Where is kept what was found in catalogs, so that files with the same stamp need not be read again.
    pub(super) cache: Option<Cache>,
    /// Whether documents without a schema are kept too.
    pub(super) keeps_all: bool,
    /// Who says what to do about a channel that is cut.
    pub(super) advice: Option<CutAdvice>,
}

/// Where an index is built.
#[derive(Debug)]
enum Target {
    Memory,
    File {
        replacement: Replacement,
        /// The schema of the index that is there, if there is one.
        base: Option<i32>,
    },
}

impl Target {
    fn base(&self) -> Option<i32> {
        match self {
            Self::Memory => None,
            Self::File { base, .. } => *base,
        }
    }
}

impl Builder {
    /// A builder for the index at `path`, which is created if it is not there.
    ///
    /// # Errors
    /// [`IndexError::NotAnIndex`] if something else is there, which is left as it is; [`IndexError::File`] if another
    /// process builds the same file, or the directory cannot be written to.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        let recognise = |path: &Path| -> Result<Option<i32>, IndexError> {
            match std::fs::metadata(path) {
                Ok(_) => file::recognise(path).map(Some),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(source) => Err(IndexError::Read { path: path.to_owned(), source }),
            }
        };
        // Twice: so that nothing is made beside what is not an index, and under the lock.
        recognise(path)?;
        let replacement = Replacement::begin_database(path)?;
        let base = recognise(replacement.target())?;
        Ok(Self::new(Target::File { replacement, base }))
    }

    /// A builder for an index in memory.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use olmdex_fbc::Input;
    /// use olmdex_index::query::Filter;
    /// use olmdex_index::{Builder, CatalogSpec, Mode};
    ///
    /// let text = "schema: olm.package\nname: till\ndefaultChannel: stable\n";
    /// let mut builder = Builder::in_memory();
    /// let spec = CatalogSpec { name: "shop".to_owned(), ..CatalogSpec::default() };
    /// // What is broken is marked, not refused: the package has no channels.
    /// builder.add_catalog(&spec, &Input::bytes("catalog.yaml", Arc::from(text.as_bytes())), Mode::Tolerant)?;
    ///
    /// let packages = builder.into_index()?.packages(&Filter::default())?;
    /// assert_eq!(packages[0].package, "till");
    /// assert_eq!(packages[0].default_channel, "stable");
    /// assert!(!packages[0].is_valid);
    /// # Ok::<(), olmdex_index::IndexError>(())
    /// ```
    #[must_use]
    pub fn in_memory() -> Self {
        Self::new(Target::Memory)
    }

    fn new(target: Target) -> Self {
        Self {
            connection: None,
            target,
            reader: None,
            interned: None,
            indexes: Vec::new(),
            has_removed: false,
            refused: None,
            cache: None,
            keeps_all: false,
            advice: None,
        }
    }

    /// From now on catalogs whose files have the size, inode and time stamps of the last time are not read again. What was found in them
    /// is kept in `cache`.
    #[must_use]
    pub fn with_cache(self, cache: Cache) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// From now on documents without a schema are kept too, which catalogd serves and every other tool refuses.
    #[must_use]
    pub fn keeping_all(self) -> Self {
        Self { keeps_all: true, ..self }
    }

    /// From now on findings say of channels that are cut what `advice` says.
    #[must_use]
    pub fn advised_by(self, advice: CutAdvice) -> Self {
        Self { advice: Some(advice), ..self }
    }

    /// The names of the catalogs that the index holds, in the order of their names.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn catalogs(&mut self) -> Result<Vec<String>, IndexError> {
        let path = self.path();
        let Some(connection) = self.readable()? else { return Ok(Vec::new()) };
        let list = || -> rusqlite::Result<Vec<String>> {
            connection.prepare("SELECT name FROM catalog ORDER BY name")?.query_map([], |row| row.get(0))?.collect()
        };
        list().map_err(|error| IndexError::reading(&path, &error))
    }

    /// Takes a catalog out.
    ///
    /// # Errors
    /// [`IndexError::NoSuchCatalog`] if there is none of that name.
    pub fn remove_catalog(&mut self, name: &str) -> Result<(), IndexError> {
        let known = self.catalogs()?;
        if !known.iter().any(|it| it == name) {
            return Err(IndexError::NoSuchCatalog { name: name.to_owned(), known });
        }
        let path = self.path();
        let connection = self.writable()?;
        let remove = || {
            let id = connection.query_row("SELECT id FROM catalog WHERE name = ?1", [name], |row| row.get(0))?;
            remove::catalog_rows(connection, id)?;
            connection.execute("DELETE FROM catalog WHERE id = ?1", [id])
        };
        remove().map_err(|error| IndexError::writing(&path, &error))?;
        self.has_removed = true;
        Ok(())
    }

    /// Makes the target the new index.
    ///
    /// # Errors
    /// [`IndexError::Refused`] if a catalog was refused, [`IndexError::Write`] if the disk is full or the like. The
    /// old file is as it was then.
    pub fn finish(mut self) -> Result<Outcome, IndexError> {
        if let Some(name) = self.refused.take() {
            return Err(IndexError::Refused { name });
        }
        // A new index without catalogs is an index too; one that nothing was done to stays as it is, unless its schema is an
        // older one.
        if self.connection.is_none() && self.target.base() == Some(SCHEMA_VERSION) {
            return Ok(Outcome::Unchanged);
        }
        let path = self.path();
        let connection = self.completed()?;
        self.reader = None;
        connection.close().map_err(|(_, error)| IndexError::writing(&path, &error))?;
        if let Target::File { replacement, .. } = self.target {
            replacement.finish()?;
        }
        Ok(Outcome::Written)
    }

    /// Opens what was built in memory.
    ///
    /// # Errors
    /// [`IndexError::Refused`] if a catalog was refused.
    pub fn into_index(mut self) -> Result<Index, IndexError> {
        if let Some(name) = self.refused.take() {
            return Err(IndexError::Refused { name });
        }
        let path = self.path();
        let connection = self.completed()?;
        match self.target {
            Target::Memory => Index::from_connection(connection, &path),
            Target::File { replacement, .. } => {
                drop(connection);
                replacement.finish()?;
                Index::open(&path)
            }
        }
    }

    /// The connection to what was built, with all done that is left to do when all catalogs are in.
    fn completed(&mut self) -> Result<Connection, IndexError> {
        let connection = self.begun()?;
        self.complete(&connection).map_err(|error| IndexError::writing(&self.path(), &error))?;
        Ok(connection)
    }

    fn complete(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.has_removed {
            remove::orphans(connection)?;
        }
        for sql in self.indexes.drain(..) {
            connection.execute_batch(&sql)?;
        }
        // One segment is the fastest to search.
        connection.execute_batch("INSERT INTO search (search) VALUES ('optimize')")?;
        // So that SQLite orders the joins of whoever writes SQL by hand well. The limit makes it fast, and the samples
        // that it does not take then would depend on more than the rows.
        connection.execute_batch("PRAGMA analysis_limit = 400; ANALYZE")?;
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('olmdex', ?1)", [PROGRAM])?;
        connection.execute_batch("COMMIT")?;
        let n_free: i64 = connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
        // In memory nobody sees the gaps.
        if n_free > 0 && matches!(self.target, Target::File { .. }) {
            connection.execute_batch("VACUUM")?;
        }
        Ok(())
    }

    /// How the target is called in errors.
    pub(super) fn path(&self) -> PathBuf {
        match &self.target {
            Target::File { replacement, .. } => replacement.target().to_owned(),
            Target::Memory => PathBuf::from(":memory:"),
        }
    }

    /// A connection that sees everything that was done so far; none if there is no index yet.
    pub(super) fn readable(&mut self) -> Result<Option<&Connection>, IndexError> {
        if self.connection.is_none()
            && self.reader.is_none()
            && let Target::File { replacement, base: Some(_) } = &self.target
        {
            let failed = |error: rusqlite::Error| IndexError::reading(replacement.target(), &error);
            self.reader = Some(file::connect(replacement.target()).map_err(failed)?);
        }
        Ok(self.connection.as_ref().or(self.reader.as_ref()))
    }

    /// Reads what is known, once.
    pub(super) fn know(&mut self) -> Result<(), IndexError> {
        let interned = self.known()?;
        self.interned = Some(interned);
        Ok(())
    }

    fn known(&mut self) -> Result<Interned, IndexError> {
        if let Some(interned) = self.interned.take() {
            return Ok(interned);
        }
        let path = self.path();
        match self.readable()? {
            Some(connection) => {
                let read = || Interned::read(connection, is_written_by_this_program(connection)?);
                read().map_err(|error| IndexError::reading(&path, &error))
            }
            None => Ok(Interned { next_document: 1, next_file: 1, ..Interned::default() }),
        }
    }

    /// The connection to write with, in its transaction; made when it is needed first.
    pub(super) fn writable(&mut self) -> Result<&Connection, IndexError> {
        let connection = self.begun()?;
        Ok(self.connection.insert(connection))
    }

    /// The connection and what is known, both in use at once.
    pub(super) fn writing(&mut self) -> Result<(&Connection, &mut Interned), IndexError> {
        let interned = self.known()?;
        let connection = self.begun()?;
        Ok((self.connection.insert(connection), self.interned.insert(interned)))
    }

    /// Takes the connection to write with, or makes it.
    fn begun(&mut self) -> Result<Connection, IndexError> {
        if let Some(connection) = self.connection.take() {
            return Ok(connection);
        }
        let path = self.path();
        let connection = match &mut self.target {
            Target::File { replacement, base } => {
                if base.is_some() {
                    let read_failed = |source| IndexError::Read { path: path.clone(), source };
                    replacement.copy(&mut open_regular(&path).map_err(read_failed)?)?;
                }
                let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
                    | OpenFlags::SQLITE_OPEN_NO_MUTEX
                    | OpenFlags::SQLITE_OPEN_NOFOLLOW;
                Connection::open_with_flags(replacement.temporary(), flags)
            }
            Target::Memory => Connection::open_in_memory(),
        };
        let connection = connection.map_err(|error| IndexError::writing(&path, &error))?;
        let (connection, indexes) = prepare(connection, self.target.base(), &path)?;
        self.indexes = indexes;
        Ok(connection)
    }
}

/// Sets a connection up for writing, brings the schema up to date and begins the transaction.
fn prepare(
    mut connection: Connection,
    base: Option<i32>,
    path: &Path,
) -> Result<(Connection, Vec<String>), IndexError> {
    let failed = |error: rusqlite::Error| IndexError::writing(path, &error);
    // The file is a temporary one until it is whole, so nothing need be undone or survive a crash.
    let pragmas =
        [("journal_mode", "OFF"), ("synchronous", "OFF"), ("locking_mode", "EXCLUSIVE"), ("foreign_keys", "OFF")];
    for (name, value) in pragmas {
        connection.pragma_update(None, name, value).map_err(failed)?;
    }
    connection.pragma_update(None, "cache_size", -CACHE).map_err(failed)?;
    functions::register(&connection).map_err(failed)?;
    if base.is_some() {
        // A damaged index must not live on in a new one.
        let message: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(failed)?;
        if message != "ok" {
            return Err(IndexError::not_an_index(path, NotAnIndex::Damaged { message }));
        }
    }
    match base {
        None => schema::create(&mut connection).map_err(|message| IndexError::write(path, message))?,
        Some(SCHEMA_VERSION) => {}
        Some(_) => {
            if !has_history(&connection).map_err(failed)? {
                let message = "its history of migrations is missing".to_owned();
                return Err(IndexError::not_an_index(path, NotAnIndex::Damaged { message }));
            }
            schema::migrate(&mut connection).map_err(|message| IndexError::write(path, message))?;
        }
    }
    connection.execute_batch("BEGIN").map_err(failed)?;
    let mut indexes = Vec::new();
    if base.is_none() {
        indexes = schema::take_indexes(&connection).map_err(failed)?;
    } else if !is_written_by_this_program(&connection).map_err(failed)? {
        // Another version may have judged documents otherwise: what it knows of texts is forgotten.
        let forget = "DELETE FROM document_source; UPDATE catalog SET source_digest = x'';";
        connection.execute_batch(forget).map_err(failed)?;
    }
    Ok((connection, indexes))
}

fn has_history(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'refinery_schema_history'", [], |row| {
        row.get::<_, i64>(0).map(|it| it == 1)
    })
}

/// Whether an index is as this program writes it. One with an older schema lacks something, which only reading everything again gives.
pub(super) fn is_written_by_this_program(connection: &Connection) -> rusqlite::Result<bool> {
    if connection.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0))? != SCHEMA_VERSION {
        return Ok(false);
    }
    let found: Option<String> =
        connection.query_row("SELECT value FROM meta WHERE key = 'olmdex'", [], |row| row.get(0)).optional()?;
    Ok(found.as_deref() == Some(PROGRAM))
}
