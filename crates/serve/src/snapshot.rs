//! The catalogs as they are at one moment: an index that several threads ask at once.
//!
//! The connections are opened when the snapshot is made, so that all of them see the same file, also when another one
//! takes its place.

use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::answers::Answers;
use super::pages::Pages;
use olmdex_index::query::Filter;
use olmdex_index::{Index, IndexError};

/// The number of connections to a file: one for each question that is worked on at once.
pub(super) const CONNECTIONS: usize = if cfg!(feature = "graphql") { 7 } else { 6 };

/// Memory for pages of each connection, in KiB.
const CACHE: i64 = 1 << 10;

/// The catalogs at one moment.
#[derive(Debug)]
pub struct Snapshot {
    idle: Mutex<Vec<Index>>,
    is_idle: Condvar,
    /// The names of the catalogs.
    pub catalogs: Vec<String>,
    /// The number of bundles that they have together.
    pub n_bundles: u64,
    /// When the index was made, in seconds since 1970.
    pub modified: u64,
    /// The kept answers.
    pub answers: Answers,
    /// The GraphQL schemas of the catalogs.
    #[cfg(feature = "graphql")]
    pub schemas: crate::catalogd::Schemas,
    /// The pages, if there are any.
    pub pages: Option<Box<dyn Pages>>,
}

impl Snapshot {
    /// Opens an index.
    ///
    /// # Errors
    /// [`IndexError`] if the file is not an index.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        let modified = std::fs::metadata(path).and_then(|it| it.modified()).unwrap_or_else(|_| SystemTime::now());
        let connections = (0..CONNECTIONS).map(|_| Index::open(path)).collect::<Result<Vec<_>, _>>()?;
        Self::new(connections, modified)
    }

    /// Takes an index in memory, which has one connection.
    ///
    /// # Errors
    /// [`IndexError`] if it cannot be read.
    pub fn in_memory(index: Index) -> Result<Self, IndexError> {
        Self::new(vec![index], SystemTime::now())
    }

    fn new(connections: Vec<Index>, modified: SystemTime) -> Result<Self, IndexError> {
        let mut catalogs = Vec::new();
        for index in &connections {
            index.limit_cache(CACHE)?;
        }
        let mut n_bundles = 0;
        if let Some(index) = connections.first() {
            for catalog in index.catalogs(&Filter::default())? {
                n_bundles += catalog.bundles;
                catalogs.push(catalog.catalog);
            }
        }
        let modified = modified.duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
        Ok(Self {
            idle: Mutex::new(connections),
            is_idle: Condvar::new(),
            #[cfg(feature = "graphql")]
            schemas: crate::catalogd::Schemas::of(&catalogs),
            catalogs,
            n_bundles,
            modified,
            answers: Answers::default(),
            pages: None,
        })
    }

    /// The same snapshot, made at another time: in seconds since 1970.
    #[must_use]
    pub fn made_at(self, modified: u64) -> Self {
        Self { modified, ..self }
    }

    /// The same snapshot with room for about `max_bytes` bytes of answers.
    #[must_use]
    pub fn keeping_answers(self, max_bytes: usize) -> Self {
        Self { answers: Answers::of_bytes(max_bytes), ..self }
    }

    /// The same snapshot with pages.
    #[must_use]
    pub fn with_pages(self, pages: Box<dyn Pages>) -> Self {
        Self { pages: Some(pages), ..self }
    }

    /// Prepares the data that the first page would wait for, if there are pages.
    ///
    /// # Errors
    /// [`IndexError`] if the index cannot be read.
    pub fn prepare_pages(&self) -> Result<(), IndexError> {
        match &self.pages {
            Some(pages) => self.ask(|index| pages.prepare(index)),
            None => Ok(()),
        }
    }

    /// Computes the GraphQL schemas of the catalogs; for catalogs without one, returns the reasons.
    ///
    /// # Errors
    /// [`IndexError`] if the index cannot be read.
    #[cfg(feature = "graphql")]
    pub fn prepare_graphql(&self) -> Result<Vec<String>, IndexError> {
        let problems = self.catalogs.iter().map(|it| self.ask(|index| self.schemas.problem(index, it)));
        problems.filter_map(Result::transpose).collect()
    }

    /// Asks a connection, when one is idle. The question must end soon: it waits for no client.
    pub fn ask<T>(&self, question: impl FnOnce(&Index) -> T) -> T {
        question(&self.wait())
    }

    /// The same for a client that may go away, which sets the flag: the remaining statements then fail.
    ///
    /// # Errors
    /// If SQLite refuses to look at the flag.
    pub(crate) fn ask_until<T>(
        &self,
        is_gone: Arc<AtomicBool>,
        question: impl FnOnce(&Index) -> T,
    ) -> Result<T, IndexError> {
        let mut borrowed = self.wait();
        borrowed.end_when(is_gone)?;
        Ok(question(&borrowed))
    }

    fn wait(&self) -> Borrowed<'_> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let index = loop {
            match idle.pop() {
                Some(index) => break index,
                None => idle = self.is_idle.wait(idle).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(idle);
        Borrowed { snapshot: self, index: Some(index), is_limited: false }
    }

    /// A connection, if one is idle; it is given back when it is dropped.
    pub fn idle(&self) -> Option<Borrowed<'_>> {
        let index = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        Some(Borrowed { snapshot: self, index: Some(index), is_limited: false })
    }
}

/// A connection that is given back, also after a panic.
#[derive(Debug)]
pub struct Borrowed<'s> {
    snapshot: &'s Snapshot,
    index: Option<Index>,
    /// Whether its statements fail when a client goes.
    is_limited: bool,
}

impl Borrowed<'_> {
    fn end_when(&mut self, is_gone: Arc<AtomicBool>) -> Result<(), IndexError> {
        self.is_limited = true;
        match &mut self.index {
            Some(index) => index.end_when(Some(is_gone)),
            None => Ok(()),
        }
    }
}

impl Deref for Borrowed<'_> {
    type Target = Index;

    fn deref(&self) -> &Index {
        self.index.as_ref().expect("it is taken when this is dropped, and never before")
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let Some(mut index) = self.index.take() {
            if self.is_limited {
                // Forgetting a handler does not fail.
                let _ = index.end_when(None);
            }
            self.snapshot.idle.lock().unwrap_or_else(PoisonError::into_inner).push(index);
            self.snapshot.is_idle.notify_one();
        }
    }
}
