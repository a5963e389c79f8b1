//! The world that all questions are about: the catalogs, and the known parts of a cluster.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use olmdex_ask::CommandLine;
use olmdex_index::query::SqlLimits;
use olmdex_index::{Index, IndexError};
use olmdex_rules::cluster::Cluster;
use olmdex_text::calendar::Day;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The source of a catalog, as a command names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogWord {
    /// The catalog.
    pub catalog: String,
    /// The source that has it.
    pub source: String,
    /// Whether the source is an index, so that a name chooses the catalog.
    pub is_index: bool,
}

/// Runs the statements of assistants in processes of their own: one function of SQL cannot be interrupted, and a
/// statement may use up the memory of its process.
pub trait SqlProcess: Debug + Send + Sync {
    /// The file to ask. An index in memory is copied once.
    ///
    /// # Errors
    /// If it cannot be copied.
    fn file(&self, index: &Index) -> Result<PathBuf, IndexError>;

    /// Runs one statement.
    ///
    /// # Errors
    /// The message of the process, and its help.
    fn run(&self, file: &Path, statement: &str, limits: SqlLimits) -> Result<SqlRows, (String, Option<String>)>;
}

/// The answer to a statement.
#[derive(Debug, Default)]
pub struct SqlRows {
    /// Each row as compact JSON.
    pub items: Vec<String>,
    /// Whether there were more rows than allowed.
    pub is_cut: bool,
}

/// Questions that wait for their turn. More are refused: each may have a megabyte.
const MAX_WAITING: usize = 16;

/// A queue of questions, of which one is answered at a time.
#[derive(Debug)]
pub(crate) struct Queue {
    turn: Arc<Semaphore>,
    n_waiting: AtomicUsize,
}

impl Queue {
    fn new() -> Self {
        Self { turn: Arc::new(Semaphore::new(1)), n_waiting: AtomicUsize::new(0) }
    }

    /// Waits for the turn of a question, which ends when the permit is dropped. `None` if too many wait already.
    pub(crate) async fn enter(&self) -> Option<OwnedSemaphorePermit> {
        let waiting = Waiting::begin(&self.n_waiting)?;
        let permit = Arc::clone(&self.turn).acquire_owned().await.ok();
        drop(waiting);
        permit
    }
}

/// One that waits, until it is dropped: a client that goes away waits no longer.
struct Waiting<'q>(&'q AtomicUsize);

impl<'q> Waiting<'q> {
    fn begin(n: &'q AtomicUsize) -> Option<Self> {
        let waiting = Self(n);
        (n.fetch_add(1, Ordering::Relaxed) < MAX_WAITING).then_some(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The catalogs and the cluster that all questions are about.
#[derive(Debug)]
pub struct World {
    index: Mutex<Index>,
    /// The file of the index, if it is one.
    file: Option<PathBuf>,
    /// Set when nobody waits for the running question any more.
    is_unwanted: Arc<AtomicBool>,
    /// The number of the running question.
    running: Mutex<u64>,
    /// Questions to the index, and statements of SQL, which have processes of their own.
    questions: Queue,
    statements: Queue,
    /// Runs statements of SQL; without one they run in this process.
    pub sql: Option<Arc<dyn SqlProcess>>,
    /// The values of `-i`; empty for the default source.
    pub sources: Vec<String>,
    /// The source that answers if none is named.
    pub default_source: String,
    /// The catalogs with their sources.
    pub catalogs: Vec<CatalogWord>,
    /// Whether the user gave the catalogs names of their own.
    pub are_named: bool,
    /// The cluster, if there is one, with words for it in messages.
    pub cluster: Option<(Cluster, String)>,
    /// The parts of the cluster that this user may not read, in words.
    pub unknown: Vec<String>,
    /// The values of `--cluster`.
    pub cluster_words: Vec<String>,
    /// Ties of CatalogSources to catalogs, as NAMESPACE/NAME=CATALOG.
    pub source_map: Vec<String>,
    /// The day on which support is judged if a question names none.
    pub today: fn() -> Day,
}

impl World {
    /// A world of catalogs, without a cluster.
    pub fn new(mut index: Index, today: fn() -> Day) -> Self {
        let is_unwanted = Arc::new(AtomicBool::new(false));
        // SQLite refuses only a connection that was closed.
        let _ = index.end_when(Some(Arc::clone(&is_unwanted)));
        let file = (!index.is_in_memory()).then(|| index.path().to_owned());
        Self {
            index: Mutex::new(index),
            file,
            is_unwanted,
            running: Mutex::new(0),
            questions: Queue::new(),
            statements: Queue::new(),
            sql: None,
            sources: Vec::new(),
            default_source: String::new(),
            catalogs: Vec::new(),
            are_named: false,
            cluster: None,
            unknown: Vec::new(),
            cluster_words: Vec::new(),
            source_map: Vec::new(),
            today,
        }
    }

    /// The queue of a tool.
    pub(crate) fn queue(&self, tool: &str) -> &Queue {
        if self.has_process(tool) { &self.statements } else { &self.questions }
    }

    /// Notes that a question to the index begins; its number.
    pub(crate) fn begin(&self) -> u64 {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        *running += 1;
        self.is_unwanted.store(false, Ordering::Relaxed);
        *running
    }

    /// Ends a question to the index if it is still running: nobody waits for it any more.
    pub(crate) fn give_up(&self, question: u64) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if *running == question {
            self.is_unwanted.store(true, Ordering::Relaxed);
        }
    }

    /// The file of the index; `None` for one in memory.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Whether a tool has a process of its own.
    pub(crate) fn has_process(&self, tool: &str) -> bool {
        tool == "sql" && self.sql.is_some()
    }

    /// The index. Questions are asked one after another. A question that panicked has changed nothing.
    pub(crate) fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cluster, unless a question leaves it out.
    pub(crate) fn cluster(&self, is_wanted: bool) -> Option<(Cluster, String)> {
        self.cluster.clone().filter(|_| is_wanted)
    }

    /// The words for the sources.
    pub(crate) fn words(&self) -> CommandLine {
        CommandLine::default().options("-i", &self.sources)
    }

    /// Adds the words for the cluster.
    pub(crate) fn with_cluster(&self, words: CommandLine, is_wanted: bool) -> CommandLine {
        if !is_wanted || self.cluster.is_none() {
            return words;
        }
        words.options("--cluster", &self.cluster_words).options("--source-map", &self.source_map)
    }
}
