//! An index that is open for reading.

use std::borrow::Borrow;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::error::{IndexError, NotAnIndex};
use super::identity::{IN_MEMORY, SCHEMA_VERSION};
use super::memory::Memory;
use super::{file, functions, schema};
use olmdex_base::budget::{Budget, database_budget};

/// Memory for pages of an index, in KiB; it is taken as pages are read.
const CACHE: i64 = 64 << 10;

/// The number of steps of SQLite's virtual machine between two looks at whether the answer is still wanted, and at how
/// many steps a statement has taken.
const STEPS: i32 = 1_000;

/// An index that is open for reading: a file, or in memory. No question writes to it. It also answers the questions of
/// [`LightIndex`] and [`ListIndex`].
#[derive(Debug)]
pub struct Index(LightIndex);

/// An index of all packages, channels, entries and bundles with their properties and images, for lists, resolution and
/// dependencies. It has no documents, icons, descriptions, words to search for and edges.
#[derive(Debug)]
pub struct LightIndex(ListIndex);

/// An index that answers lists: the names and what is shown beside them.
#[derive(Debug)]
pub struct ListIndex {
    connection: Connection,
    path: PathBuf,
    /// Set when the answer is no longer wanted, if that can happen.
    is_unwanted: Option<Arc<AtomicBool>>,
    /// The steps that a statement may take.
    steps: Arc<Budget>,
    /// The length that a user's statement may give to a value.
    max_value: Arc<AtomicU64>,
    memory: Box<Memory>,
}

impl Deref for Index {
    type Target = LightIndex;

    fn deref(&self) -> &LightIndex {
        &self.0
    }
}

impl DerefMut for Index {
    fn deref_mut(&mut self) -> &mut LightIndex {
        &mut self.0
    }
}

impl Deref for LightIndex {
    type Target = ListIndex;

    fn deref(&self) -> &ListIndex {
        &self.0
    }
}

impl DerefMut for LightIndex {
    fn deref_mut(&mut self) -> &mut ListIndex {
        &mut self.0
    }
}

impl Borrow<LightIndex> for Index {
    fn borrow(&self) -> &LightIndex {
        self
    }
}

impl AsRef<ListIndex> for Index {
    fn as_ref(&self) -> &ListIndex {
        self
    }
}

impl AsRef<ListIndex> for LightIndex {
    fn as_ref(&self) -> &ListIndex {
        self
    }
}

impl AsRef<ListIndex> for ListIndex {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl From<Index> for LightIndex {
    fn from(index: Index) -> Self {
        index.0
    }
}

impl From<Index> for ListIndex {
    fn from(index: Index) -> Self {
        index.0.0
    }
}

/// An index for questions that follow dependencies or edges. Only the whole has the edges, which such a question takes
/// where it can.
#[derive(Debug)]
pub enum WholeOrLight {
    /// With edges and documents.
    Whole(Index),
    /// Without them.
    Light(LightIndex),
}

impl Deref for WholeOrLight {
    type Target = LightIndex;

    fn deref(&self) -> &LightIndex {
        match self {
            Self::Whole(index) => index,
            Self::Light(index) => index,
        }
    }
}

impl From<Index> for WholeOrLight {
    fn from(index: Index) -> Self {
        Self::Whole(index)
    }
}

/// An index that may have the edges.
pub trait MayHaveEdges: Deref<Target = LightIndex> {
    /// The whole index, if it is that.
    fn whole(&self) -> Option<&Index>;
}

impl MayHaveEdges for Index {
    fn whole(&self) -> Option<&Index> {
        Some(self)
    }
}

impl MayHaveEdges for WholeOrLight {
    fn whole(&self) -> Option<&Index> {
        match self {
            Self::Whole(index) => Some(index),
            Self::Light(_) => None,
        }
    }
}

impl From<LightIndex> for WholeOrLight {
    fn from(index: LightIndex) -> Self {
        Self::Light(index)
    }
}

impl AsRef<ListIndex> for WholeOrLight {
    fn as_ref(&self) -> &ListIndex {
        self
    }
}

/// The rows of documents that an index gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum Extent {
    /// All, and the documents.
    Whole,
    /// Those that lists, resolution and dependencies need.
    Light,
    /// Those that lists need.
    Lists,
    /// Those that the check of upgrade graphs needs.
    Graphs,
}

/// A kind of index, by the questions that it answers.
pub trait Kind: Sized + AsRef<ListIndex> {
    #[doc(hidden)]
    const EXTENT: Extent;

    #[doc(hidden)]
    fn of(index: ListIndex) -> Self;

    /// Opens a copy that [`ListIndex::copy_to`] has made of an index of this kind, or of one that answers more. It
    /// counts as the index in memory that it was made of.
    ///
    /// # Errors
    /// The errors of [`Index::open`].
    fn open_copy(path: &Path) -> Result<Self, IndexError> {
        Ok(Self::of(ListIndex { path: PathBuf::from(IN_MEMORY), ..ListIndex::open_file(path)? }))
    }
}

impl Kind for Index {
    const EXTENT: Extent = Extent::Whole;

    fn of(index: ListIndex) -> Self {
        Self(LightIndex(index))
    }
}

impl Kind for LightIndex {
    const EXTENT: Extent = Extent::Light;

    fn of(index: ListIndex) -> Self {
        Self(index)
    }
}

impl Kind for ListIndex {
    const EXTENT: Extent = Extent::Lists;

    fn of(index: ListIndex) -> Self {
        index
    }
}

impl Index {
    /// Opens an index. The file is not locked: `build` replaces it as a whole, and a process that has it open keeps the
    /// old one.
    ///
    /// # Errors
    /// [`IndexError::Read`] and [`IndexError::NotAnIndex`].
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        ListIndex::open_file(path).map(Self::of)
    }
}

impl ListIndex {
    pub(super) fn open_file(path: &Path) -> Result<Self, IndexError> {
        let found = file::inspect(path)?;
        if found < SCHEMA_VERSION {
            return Err(IndexError::not_an_index(path, NotAnIndex::Older { found }));
        }
        let failed = |error: rusqlite::Error| IndexError::reading(path, &error);
        let connection = file::connect(path).map_err(failed)?;
        connection.pragma_update(None, "cache_size", -CACHE).map_err(failed)?;
        // No memory map: a process that reads a page of a file that was cut meanwhile would be killed instead of
        // getting an error.
        schema::verify(&connection).map_err(failed)?.map_err(|reason| IndexError::not_an_index(path, reason))?;
        Self::from_connection(connection, path)
    }

    /// Whether it was made in memory, of catalogs in files: then its path names nothing that a user has.
    pub fn is_in_memory(&self) -> bool {
        self.path == Path::new(IN_MEMORY)
    }

    /// Makes a connection to a current index one for reading.
    pub(super) fn from_connection(connection: Connection, path: &Path) -> Result<Self, IndexError> {
        let failed = |error: rusqlite::Error| IndexError::reading(path, &error);
        let max_value = functions::register(&connection).map_err(failed)?;
        connection.pragma_update(None, "query_only", true).map_err(failed)?;
        // Statements are run again with other values, and each would be planned anew for those.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failed)?;
        connection.set_prepared_statement_cache_capacity(256);
        let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, u64>(0));
        let size = number("page_count").map_err(failed)?.saturating_mul(number("page_size").map_err(failed)?);
        let steps = Arc::new(database_budget(size));
        let mut index =
            Self { connection, path: path.to_owned(), is_unwanted: None, steps, max_value, memory: Box::default() };
        index.watch().map_err(failed)?;
        Ok(index)
    }

    /// Has statements fail that are no longer wanted or take too many steps.
    pub(super) fn watch(&mut self) -> rusqlite::Result<()> {
        let (flag, steps) = (self.is_unwanted.clone(), Arc::clone(&self.steps));
        let handler = move || {
            flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) || steps.spend(STEPS as u64).is_err()
        };
        self.connection.progress_handler(STEPS, Some(handler))
    }

    /// The length that a user's statement may give to a value, for the functions of the index.
    pub(super) fn max_value(&self) -> &AtomicU64 {
        &self.max_value
    }

    /// Its path; `:memory:` if it has none.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Limits the memory for pages to this many KiB.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn limit_cache(&self, kib: i64) -> Result<(), IndexError> {
        self.connection.pragma_update(None, "cache_size", -kib).map_err(|error| self.failed(&error))
    }

    /// From now on, statements fail when the flag is set; with `None` they never do. The caller who waits for an answer
    /// sets the flag to end the work on it.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn end_when(&mut self, is_unwanted: Option<Arc<AtomicBool>>) -> Result<(), IndexError> {
        self.is_unwanted = is_unwanted;
        self.watch().map_err(|error| self.failed(&error))
    }

    /// Whether the answer is no longer wanted.
    pub(super) fn is_unwanted(&self) -> bool {
        self.is_unwanted.as_ref().is_some_and(|it| it.load(Ordering::Relaxed))
    }

    /// From now on keeps some data of a package after reading it, until another package is asked for. This suits a
    /// caller that shows all bundles and channels of one package after another.
    pub fn remember_packages(&self) {
        self.memory.turn_on();
    }

    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The connection, for one statement.
    pub(super) fn connection(&self) -> &Connection {
        self.steps.restart();
        &self.connection
    }

    pub(super) fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// The error about a text that is not the one of its digest.
    pub(super) fn forged_text(&self, schema: &str, name: &str) -> IndexError {
        self.damaged(format!("the text of {schema} `{name}` is not the one of its digest"))
    }

    /// The error about something that olmdex did not write.
    pub(super) fn damaged(&self, message: impl Into<String>) -> IndexError {
        IndexError::not_an_index(&self.path, NotAnIndex::Damaged { message: message.into() })
    }

    /// Puts the path to an error of SQLite.
    pub(super) fn failed(&self, error: &rusqlite::Error) -> IndexError {
        IndexError::reading(&self.path, error)
    }
}
