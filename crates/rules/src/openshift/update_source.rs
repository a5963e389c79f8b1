//! The sources of known updates of OpenShift: a saved answer of the update service, or a copy of the graph data.

use thiserror::Error;

use super::answer::{GraphError, read_answer};
use super::graph::Graph;
use super::graph_data::GraphData;
use olmdex_text::calendar::Day;

/// Files that tell of updates, before they are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedUpdates {
    /// The name of the source.
    pub name: String,
    /// The day of the newest of its files, if that is known.
    pub as_of: Option<Day>,
    /// Its files.
    pub files: SavedFiles,
}

/// The kinds of saved files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SavedFiles {
    /// A text with answers of the update service.
    Answer(Vec<u8>),
    /// Files of the graph data by their path below the root, in the order of the paths.
    Data(Vec<(String, Vec<u8>)>),
}

/// The reasons why files tell of no updates.
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

/// The knowledge of one source about updates.
#[derive(Debug, Clone)]
pub struct UpdateSource {
    /// Its name.
    pub name: String,
    /// The day that its knowledge is of, if that is known.
    pub as_of: Option<Day>,
    /// Its knowledge.
    pub facts: UpdateFacts,
}

/// The forms of knowledge about updates.
#[derive(Debug, Clone)]
pub enum UpdateFacts {
    /// Exact updates.
    Answer(Graph),
    /// Releases, and the facts that make updates between them likely or speak against them.
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
        Ok(UpdateSource { name: self.name.clone(), as_of: self.as_of, facts })
    }
}

impl UpdateSource {
    /// The updates that it knows. From the graph data, those that are likely within these channels, for an
    /// architecture.
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

    /// Its name, its day, and the quality of its updates.
    pub fn title(&self) -> String {
        let name = &self.name;
        match (&self.facts, self.as_of) {
            (UpdateFacts::Answer(_), None) => name.clone(),
            (UpdateFacts::Answer(_), Some(day)) => format!("{name} (of {day})"),
            (UpdateFacts::Data(_), None) => format!("{name} (graph data: the updates are estimated)"),
            (UpdateFacts::Data(_), Some(day)) => format!("{name} (graph data of {day}: the updates are estimated)"),
        }
    }

    /// The parts that could not be read.
    pub fn warnings(&self) -> &[String] {
        match &self.facts {
            UpdateFacts::Answer(_) => &[],
            UpdateFacts::Data(data) => &data.warnings,
        }
    }
}
