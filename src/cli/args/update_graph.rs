//! What is known of the updates of OpenShift, as an argument: saved answers of the update service, a ClusterVersion, or a copy of the
//! repository of the graph data.
//!
//! What it deliberately does not do: it asks no service.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::archive::{self, Found};
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, Exit};
use crate::cluster::Cluster;
use crate::file::open_regular;
use crate::json;
use crate::platform::{Edge, Graph, GraphData, Risk, read_answer};

/// How many bytes a file may have.
const MAX_FILE: u64 = 256 << 20;

/// What is asked of sources that hold more than one channel.
pub(crate) struct Wanted<'a> {
    pub(crate) channels: &'a [String],
    pub(crate) arch: &'a str,
}

/// The updates that some sources tell of, and the names of the sources.
pub(crate) fn read_graph(
    context: &Context,
    paths: &[PathBuf],
    wanted: &Wanted<'_>,
) -> Result<(Graph, Vec<String>), CommandError> {
    let mut graph = Graph::default();
    let mut sources = Vec::new();
    for path in paths {
        let shown = path.display().to_string();
        if path.is_dir() {
            graph.add(of_data(context, &directory(path)?, wanted));
            sources.push(format!("{shown} (graph data: the updates are estimated)"));
            continue;
        }
        let unreadable =
            |error: std::io::Error| CommandError::new(Exit::Input, format!("cannot read `{shown}`: {error}"));
        let file = open_regular(path).map_err(unreadable)?;
        if archive::is_archive(&file) {
            let archives = context.archives();
            let is_data = |name: &[u8]| below_root(name).is_some();
            let tree = archive::read(&Arc::new(file), archives.limits, archives.scratch, is_data).map_err(|error| {
                CommandError::new(Exit::Input, format!("cannot read the archive `{shown}`: {error}"))
            })?;
            let mut data = GraphData::default();
            let names: Vec<Vec<u8>> = tree.below(b"").map(|it| it.0.to_vec()).collect();
            for name in names {
                if let (Some(below), Ok(Found::File(text))) = (below_root(&name), tree.find(&name)) {
                    data.add(&below, &text.whole(MAX_FILE).map_err(unreadable)?);
                }
            }
            graph.add(of_data(context, &data, wanted));
            sources.push(format!("{shown} (graph data: the updates are estimated)"));
            continue;
        }
        let text = std::fs::read(path).map_err(unreadable)?;
        let read = read_answer(&text).map_err(|error| {
            let error = CommandError::new(Exit::Input, format!("`{shown}`: {error}"));
            error.help("save an answer with `curl \"$UPSTREAM?channel=CHANNEL&arch=ARCH\" -o FILE`, or name a copy of the graph data")
        })?;
        graph.add(read);
        sources.push(shown);
    }
    Ok((graph, sources))
}

fn of_data(context: &Context, data: &GraphData, wanted: &Wanted<'_>) -> Graph {
    data.warnings.iter().for_each(|it| context.reporter.warning(it));
    let mut graph = Graph::default();
    for channel in wanted.channels {
        graph.add(data.graph(channel, wanted.arch));
    }
    graph
}

/// The path of a file of the graph data below their root, which may be at any depth.
fn below_root(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    let mut rest = name;
    loop {
        if GraphData::wants(rest) {
            return Some(rest.to_owned());
        }
        rest = rest.split_once('/')?.1;
    }
}

/// A directory with a copy of the graph data.
fn directory(root: &Path) -> Result<GraphData, CommandError> {
    let mut data = GraphData::default();
    let mut n_files = 0_usize;
    for folder in ["", "channels", "blocked-edges", "build-suggestions"] {
        let Ok(listing) = std::fs::read_dir(root.join(folder)) else { continue };
        let mut names: Vec<String> = listing.flatten().filter_map(|it| it.file_name().into_string().ok()).collect();
        names.sort();
        for name in names {
            let below = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let path = root.join(&below);
            if !GraphData::wants(&below) || !path.is_file() {
                continue;
            }
            let read = std::fs::read(&path);
            data.add(
                &below,
                &read.map_err(|error| {
                    CommandError::new(Exit::Input, format!("cannot read `{}`: {error}", path.display()))
                })?,
            );
            n_files += 1;
        }
    }
    if n_files == 0 || data.channels.is_empty() {
        let error = CommandError::new(
            Exit::Input,
            format!("`{}` is not a copy of the graph data: it has no `channels`", root.display()),
        );
        return Err(error.help("it is the repository with `channels/`, `blocked-edges/` and `build-suggestions/`"));
    }
    Ok(data)
}

/// The updates that a cluster's ClusterVersion knows of: those of the next step.
pub(crate) fn graph_of_cluster(cluster: &Cluster) -> Graph {
    let mut graph = Graph::default();
    let Some(version) = &cluster.cluster_version else { return graph };
    let edge = |to: &String, risks: Vec<Risk>| Edge {
        from: version.version.clone(),
        to: to.clone(),
        risks,
        is_estimated: false,
    };
    graph.edges.extend(version.available.iter().map(|it| edge(it, Vec::new())));
    for (to, update) in &version.conditional {
        let mut reader = json::Reader::new();
        let risks = reader.read(update).ok().and_then(|it| Some(it.get("risks")?.items().map(Risk::read).collect()));
        graph.edges.push(edge(to, risks.unwrap_or_default()));
    }
    graph
}
