//! The world that all questions are about: the catalogs, and the known parts of a cluster.

use std::sync::{Mutex, MutexGuard, PoisonError};

use olmdex_index::Index;
use olmdex_rules::cluster::Cluster;
use olmdex_text::calendar::Day;

use super::words::Words;

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

/// The catalogs and the cluster that all questions are about.
#[derive(Debug)]
pub struct World {
    index: Mutex<Index>,
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
    #[must_use]
    pub fn new(index: Index, today: fn() -> Day) -> Self {
        Self {
            index: Mutex::new(index),
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

    /// The index. Questions are asked one after another. A question that panicked has changed nothing.
    pub(crate) fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cluster, unless a question leaves it out.
    pub(crate) fn cluster(&self, is_wanted: bool) -> Option<(Cluster, String)> {
        self.cluster.clone().filter(|_| is_wanted)
    }

    /// The words for the sources.
    pub(crate) fn words(&self) -> Words {
        Words::default().options("-i", &self.sources)
    }

    /// Adds the words for the cluster.
    pub(crate) fn with_cluster(&self, words: Words, is_wanted: bool) -> Words {
        if !is_wanted || self.cluster.is_none() {
            return words;
        }
        words.options("--cluster", &self.cluster_words).options("--source-map", &self.source_map)
    }
}
