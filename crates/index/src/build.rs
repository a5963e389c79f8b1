//! Writing an index: the old file, or a new one in its place, whole.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

use super::error::{IndexError, NotAnIndex};
use super::identity::{IN_MEMORY, SCHEMA_VERSION};
use super::open::{Extent, Index, Kind, LightIndex, ListIndex};
use super::past::{Contents, pack};
use super::write::Interned;
use super::{file, functions, remove, schema};
use olmdex_base::file::{Cache, Replacement, open_regular};
use olmdex_rules::check::CutAdvice;

/// Memory for pages, in KiB.
const CACHE: i64 = 32 << 10;

/// One page in this many may be unused in an index with a past.
const TOLERATED_GAPS: i64 = 20;

/// The version of this program, whose rules and derived rows an index holds.
pub(super) const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// The effect of a build on its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing had to be changed, so the file is the same, including its modification time.
    Unchanged,
    /// It is new, or replaced.
    Written,
}

/// Builds an index, in memory or as a file. The file stays as it is until [`Builder::finish`] replaces it in one step;
/// a builder that is dropped leaves no trace.
#[derive(Debug)]
pub struct Builder<K = Index> {
    /// Dropped first, so that the file is closed when the target renames or removes it.
    connection: Option<Connection>,
    target: Target,
    /// The old index, open for reading until the new one is there.
    reader: Option<Connection>,
    /// The values that the index has already; read when they are first needed.
    pub(super) interned: Option<Interned>,
    /// Statements that make the secondary indexes, if they are to be made at the end.
    indexes: Vec<String>,
    /// Whether rows were removed.
    pub(super) has_removed: bool,
    /// The first catalog that was refused.
    pub(super) refused: Option<String>,
    /// The cache of catalogs' results, so that files with the same stamp need not be read again.
    pub(super) cache: Option<Cache>,
    /// Whether documents without a schema are kept too.
    pub(super) keeps_all: bool,
    /// The adviser on channels that are cut off.
    pub(super) advice: Option<CutAdvice>,
    /// The contents of files of past states; read when they are first needed.
    pub(super) contents: Option<Contents>,
    /// The number of the first document that came with a state, if one did.
    pub(super) first_of_past: Option<i64>,
    /// The rows that documents get.
    pub(super) extent: Extent,
    kind: PhantomData<fn() -> K>,
}

/// The target of a build.
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
    /// [`IndexError::NotAnIndex`] if the file is something else, which is left as it is; [`IndexError::File`] if
    /// another process builds the same file, or the directory cannot be written to.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        let recognise = |path: &Path| -> Result<Option<i32>, IndexError> {
            match std::fs::metadata(path) {
                Ok(_) => file::recognise(path).map(Some),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(source) => Err(IndexError::Read { path: path.to_owned(), source }),
            }
        };
        // The file is checked twice: before anything is made beside a file that is not an index, and again under the
        // lock.
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
    pub fn in_memory() -> Self {
        Self::new(Target::Memory)
    }
}

impl Builder<LightIndex> {
    /// A builder for a light index in memory. Catalogs are checked as ever. A catalog with errors needs a whole index,
    /// which recognises documents that are there twice.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use olmdex_fbc::Input;
    /// use olmdex_index::query::Filter;
    /// use olmdex_index::{Builder, CatalogSpec, Mode};
    ///
    /// let text = "{schema: olm.channel, package: till, name: stable, entries: [{name: till.v1.0.0}]}";
    /// let spec = CatalogSpec { name: "shop".to_owned(), ..CatalogSpec::default() };
    /// let mut builder = Builder::light();
    /// builder.add_catalog(&spec, &Input::bytes("catalog.yaml", Arc::from(text.as_bytes())), Mode::Tolerant)?;
    ///
    /// let index = builder.into_index()?;
    /// assert_eq!(index.channels(&Filter::default())?[0].head, "till.v1.0.0");
    /// assert_eq!(index.catalogs(&Filter::default())?[0].documents, 1);
    /// # Ok::<(), olmdex_index::IndexError>(())
    /// ```
    pub fn light() -> Self {
        Self::new(Target::Memory)
    }

    /// A builder for a light index in memory that answers [`LightIndex::package_versions`] and lists of names only:
    /// of bundles it has the versions, and neither APIs nor images, so a check of upgrade graphs takes half of the
    /// time.
    pub fn for_graphs() -> Self {
        Self { extent: Extent::Graphs, ..Self::light() }
    }
}

impl Builder<ListIndex> {
    /// A builder for an index in memory that answers lists only, which takes half of the time of a light one.
    pub fn for_lists() -> Self {
        Self::new(Target::Memory)
    }
}

impl<K: Kind> Builder<K> {
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
            contents: None,
            first_of_past: None,
            extent: K::EXTENT,
            kind: PhantomData,
        }
    }

    /// From now on catalogs whose files have the size, inode and time stamps of the last time are not read again. Their
    /// results are kept in `cache`.
    #[must_use]
    pub fn with_cache(self, cache: Cache) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// From now on documents without a schema are kept too, which catalogd serves and every other tool refuses.
    #[must_use]
    pub fn keeping_all(self) -> Self {
        Self { keeps_all: true, ..self }
    }

    /// From now on findings about cut channels carry the advice of `advice`.
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

    /// Removes a catalog.
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
    /// [`IndexError::Refused`] if a catalog was refused, [`IndexError::Write`] if writing fails, for example because
    /// the disk is full. The old file stays as it is then.
    pub fn finish(mut self) -> Result<Outcome, IndexError> {
        if let Some(name) = self.refused.take() {
            return Err(IndexError::Refused { name });
        }
        // A new index without catalogs is an index too. An existing one without changes stays as it is, unless its
        // schema is an older one.
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

    /// Opens the index that was built in memory.
    ///
    /// # Errors
    /// [`IndexError::Refused`] if a catalog was refused.
    pub fn into_index(mut self) -> Result<K, IndexError> {
        if let Some(name) = self.refused.take() {
            return Err(IndexError::Refused { name });
        }
        let path = self.path();
        let connection = self.completed()?;
        match self.target {
            Target::Memory => ListIndex::from_connection(connection, &path).map(K::of),
            Target::File { replacement, .. } => {
                drop(connection);
                replacement.finish()?;
                ListIndex::open_file(&path).map(K::of)
            }
        }
    }

    /// The connection to the new index, after the work that has to wait until all catalogs are in.
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
        if let Some(first) = self.first_of_past {
            pack(connection, first)?;
        }
        // One segment is the fastest to search.
        connection.execute_batch("INSERT INTO search (search) VALUES ('optimize')")?;
        // With statistics, SQLite orders the joins of hand-written SQL well. The limit makes this fast; without the
        // samples that it then does not take, the result depends on the rows alone.
        connection.execute_batch("PRAGMA analysis_limit = 400; ANALYZE")?;
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('olmdex', ?1)", [PROGRAM])?;
        connection.execute_batch("COMMIT")?;
        let n_free: i64 = connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
        let n_pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
        // A day more would otherwise write all of a long past anew, for the few pages that its present has left.
        let has_states: bool = connection.query_row("SELECT EXISTS (SELECT 1 FROM state)", [], |row| row.get(0))?;
        let n_tolerated = if has_states { n_pages / TOLERATED_GAPS } else { 0 };
        // In memory the gaps do no harm.
        if n_free > n_tolerated && matches!(self.target, Target::File { .. }) {
            connection.execute_batch("VACUUM")?;
        }
        Ok(())
    }

    /// The name of the target in errors.
    pub(super) fn path(&self) -> PathBuf {
        match &self.target {
            Target::File { replacement, .. } => replacement.target().to_owned(),
            Target::Memory => PathBuf::from(IN_MEMORY),
        }
    }

    /// A connection that sees everything that was done so far; `None` if there is no index yet.
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

    /// Reads the existing values, once.
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

    /// The connection and the existing values, for use at the same time.
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
    if base.is_some() {
        super::file::read_schema(&mut connection).map_err(failed)?;
    }
    // The file is a temporary one until it is whole, so nothing needs to be undone or to survive a crash.
    let pragmas =
        [("journal_mode", "OFF"), ("synchronous", "OFF"), ("locking_mode", "EXCLUSIVE"), ("foreign_keys", "OFF")];
    for (name, value) in pragmas {
        connection.pragma_update(None, name, value).map_err(failed)?;
    }
    connection.pragma_update(None, "cache_size", -CACHE).map_err(failed)?;
    functions::register(&connection).map_err(failed)?;
    if let Some(base) = base {
        // A statement of the base must not run, so its schema is compared before anything else is read.
        check_base(&connection, base, path)?;
        // A damaged index must not live on in a new one.
        let message: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(failed)?;
        if message != "ok" {
            return Err(IndexError::not_an_index(path, NotAnIndex::Damaged { message }));
        }
    }
    match base {
        None => schema::create(&mut connection).map_err(|message| IndexError::write(path, message))?,
        Some(SCHEMA_VERSION) => {}
        Some(_) => schema::migrate(&mut connection).map_err(|message| IndexError::write(path, message))?,
    }
    connection.execute_batch("BEGIN").map_err(failed)?;
    let mut indexes = Vec::new();
    if base.is_none() {
        indexes = schema::take_indexes(&connection).map_err(failed)?;
    } else if !is_written_by_this_program(&connection).map_err(failed)? {
        // Another version may have judged documents differently, so its records of texts are dropped.
        let forget = "DELETE FROM document_source; UPDATE catalog SET source_digest = x'';";
        connection.execute_batch(forget).map_err(failed)?;
    }
    Ok((connection, indexes))
}

/// Whether a base has the schema of its version.
fn check_base(connection: &Connection, version: i32, path: &Path) -> Result<(), IndexError> {
    let failed = |error: rusqlite::Error| IndexError::writing(path, &error);
    if version == SCHEMA_VERSION {
        return schema::verify(connection).map_err(failed)?.map_err(|reason| IndexError::not_an_index(path, reason));
    }
    if !has_history(connection).map_err(failed)? {
        let message = "its history of migrations is missing".to_owned();
        return Err(IndexError::not_an_index(path, NotAnIndex::Damaged { message }));
    }
    schema::check_history(connection).map_err(|message| IndexError::write(path, message))
}

fn has_history(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'refinery_schema_history'", [], |row| {
        row.get::<_, i64>(0).map(|it| it == 1)
    })
}

/// Whether an index is as this program writes it. One with an older schema lacks something, which only reading
/// everything again gives.
pub(super) fn is_written_by_this_program(connection: &Connection) -> rusqlite::Result<bool> {
    if connection.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0))? != SCHEMA_VERSION {
        return Ok(false);
    }
    let found: Option<String> =
        connection.query_row("SELECT value FROM meta WHERE key = 'olmdex'", [], |row| row.get(0)).optional()?;
    Ok(found.as_deref() == Some(PROGRAM))
}
