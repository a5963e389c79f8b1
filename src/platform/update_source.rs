//! Where updates of OpenShift are known from: a saved answer of the update service, or a copy of the graph data.
//!
//! What it deliberately does not do: it opens no file.

use thiserror::Error;

use super::answer::{GraphError, read_answer};
use super::graph::Graph;
use super::graph_data::GraphData;

/// Files that tell of updates, before they are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedUpdates {
    /// How the source is called.
    pub name: String,
    /// Its files.
    pub files: SavedFiles,
}

/// What the files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SavedFiles {
    /// A text with answers of the update service.
    Answer(Vec<u8>),
    /// Files of the graph data, by their path below the root, in the order of these.
    Data(Vec<(String, Vec<u8>)>),
}

/// Why files tell of no updates.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UpdateSourceError {
    /// The text is not an answer.
    #[error("{0}")]
    Answer(#[from] GraphError),
    /// The files are not the graph data.
    #[error("it is not a copy of the graph data: it has no `channels`")]
    NotData,
}

/// What one source tells of updates.
#[derive(Debug, Clone)]
pub struct UpdateSource {
    /// How it is called.
    pub name: String,
    /// What it tells.
    pub facts: UpdateFacts,
}

/// What is told of updates.
#[derive(Debug, Clone)]
pub enum UpdateFacts {
    /// Exact updates.
    Answer(Graph),
    /// Releases, and what makes updates between them likely or speaks against them.
    Data(GraphData),
}

impl SavedUpdates {
    /// Reads the files.
    ///
    /// # Errors
    /// If they are something else.
    pub fn read(&self) -> Result<UpdateSource, UpdateSourceError> {
        let facts = match &self.files {
            SavedFiles::Answer(text) => UpdateFacts::Answer(read_answer(text)?),
            SavedFiles::Data(files) => {
                let mut data = GraphData::default();
                files.iter().for_each(|(path, text)| data.add(path, text));
                if data.channels.is_empty() {
                    return Err(UpdateSourceError::NotData);
                }
                UpdateFacts::Data(data)
            }
        };
        Ok(UpdateSource { name: self.name.clone(), facts })
    }
}

impl UpdateSource {
    /// The updates that it knows. Of the graph data: those that are likely within these channels, for an architecture.
    #[must_use]
    pub fn graph(&self, channels: &[String], arch: &str) -> Graph {
        match &self.facts {
            UpdateFacts::Answer(graph) => graph.clone(),
            UpdateFacts::Data(data) => {
                let mut graph = Graph::default();
                channels.iter().for_each(|it| graph.add(data.graph(it, arch)));
                graph
            }
        }
    }

    /// Its name, and what its updates are worth.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.facts {
            UpdateFacts::Answer(_) => self.name.clone(),
            UpdateFacts::Data(_) => format!("{} (graph data: the updates are estimated)", self.name),
        }
    }

    /// What could not be read.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        match &self.facts {
            UpdateFacts::Answer(_) => &[],
            UpdateFacts::Data(data) => &data.warnings,
        }
    }
}
