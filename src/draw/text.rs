//! Plain text: every channel from its head down.

use std::fmt::Write as _;

use super::channel::{ChannelGraph, edges_into};
use crate::diag::printable;

/// Writes channels as lists of entries, each with what it can be reached from and why.
#[must_use]
pub fn text(graphs: &[ChannelGraph]) -> String {
    let mut text = String::new();
    // Writing into a text cannot fail.
    for graph in graphs {
        let mark = if graph.is_deprecated { " (deprecated)" } else { "" };
        let _ = writeln!(text, "{}/{}{mark}", printable(&graph.package), printable(&graph.channel));
        let into = edges_into(graph);
        for node in &graph.nodes {
            let marks: Vec<&str> = [
                (node.is_head, "head"),
                (node.is_deprecated, "deprecated"),
                (node.is_skipped, "skipped"),
                (node.is_dead_end, "dead end"),
                (!node.is_entry, "not in the channel"),
            ]
            .iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, mark)| *mark)
            .collect();
            let marks = if marks.is_empty() { String::new() } else { format!("  ({})", marks.join(", ")) };
            let _ = writeln!(text, "  {}{marks}", printable(&node.name));
            let edges = into.get(node.name.as_str()).map_or(&[][..], Vec::as_slice);
            for field in ["replaces", "skips", "skipRange"] {
                let sources: Vec<&str> =
                    edges.iter().filter(|it| it.field == field).map(|it| it.source.as_str()).collect();
                let Some(first) = edges.iter().find(|it| it.field == field) else { continue };
                let value = if field == "skipRange" { format!(" {}", first.value) } else { String::new() };
                let _ = writeln!(text, "    from {} by {field}{}", printable(&sources.join(", ")), printable(&value));
            }
        }
        text.push('\n');
    }
    text
}
