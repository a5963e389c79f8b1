//! Saved answers of the update service (`docs/behaviour/platform.md` 2.3): exact updates of a channel.

use std::collections::BTreeSet;

use thiserror::Error;

use super::edges::Risk;
use super::graph::{Edge, Graph, Release};
use super::text::{TextError, each_document, items_of};
use olmdex_text::json::{Kind, Value};

/// The reasons why a text is not an answer of the update service.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// It cannot be read.
    #[error("{0}")]
    Text(#[from] TextError),
    /// It has another form.
    #[error("it is not an answer of the update service: `nodes` and `edges` are missing")]
    NotAnAnswer,
}

/// Whether a value has the form of an answer.
fn is_answer(value: Value<'_>) -> bool {
    let is_list = |key: &str| value.get(key).is_some_and(|it| it.kind() == Kind::Array);
    is_list("nodes") && is_list("edges")
}

/// Reads saved answers of the update service, one or several in one text.
///
/// # Errors
/// If the text cannot be read, or holds something else.
pub fn read_answer(text: &[u8]) -> Result<Graph, GraphError> {
    let mut graph = Graph::default();
    let (mut n_answers, mut has_other) = (0, false);
    each_document(text, |value, _| {
        if is_answer(value) {
            n_answers += 1;
            graph.add(read(value));
        } else {
            has_other = true;
        }
    })?;
    if n_answers == 0 || has_other { Err(GraphError::NotAnAnswer) } else { Ok(graph) }
}

fn read(value: Value<'_>) -> Graph {
    let mut graph = Graph::default();
    let mut versions = Vec::new();
    for node in items_of(value, "nodes") {
        let version = node.text_of("version");
        // Answers name the architecture with some versions only.
        let version = version.split('+').next().unwrap_or_default().to_owned();
        let metadata = node.get("metadata");
        let of = |key: &str| metadata.map(|it| it.text_of(key)).unwrap_or_default();
        let channels = of("io.openshift.upgrades.graph.release.channels");
        let channels: BTreeSet<String> = channels.split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect();
        let release = Release { version: version.clone(), channels, url: of("url") };
        graph.releases.insert(version.clone(), release);
        versions.push(version);
    }
    let mut edges = Vec::new();
    for edge in items_of(value, "edges") {
        let ends: Vec<&String> = edge
            .items()
            .filter_map(|it| it.as_f64())
            .filter(|it| *it >= 0.0 && it.fract() == 0.0)
            .filter_map(|it| versions.get(it as usize))
            .collect();
        if let [from, to] = ends[..] {
            edges.push(Edge { from: from.clone(), to: to.clone(), risks: Vec::new(), is_estimated: false });
        }
    }
    for group in items_of(value, "conditionalEdges") {
        let risks: Vec<Risk> = items_of(group, "risks").map(Risk::read).collect();
        for edge in items_of(group, "edges") {
            let end = |key: &str| edge.text_of(key).split('+').next().unwrap_or_default().to_owned();
            edges.push(Edge { from: end("from"), to: end("to"), risks: risks.clone(), is_estimated: false });
        }
    }
    // The edges are merged, since an edge may be in both lists.
    graph.add(Graph { edges, ..Graph::default() });
    graph
}
