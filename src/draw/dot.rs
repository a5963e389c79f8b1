//! DOT, for Graphviz.

use std::fmt::Write as _;

use super::channel::{ChannelGraph, GraphEdge, GraphNode};

/// Draws channels as one digraph, each channel a cluster. Heads have two borders, what is deprecated is filled, what is
/// skipped is dashed, what the channel does not list is dotted, and a dead end is narrower below.
#[must_use]
pub fn dot(graphs: &[ChannelGraph]) -> String {
    let mut text = "digraph upgrades {\n  rankdir=LR;\n  node [shape=box];\n".to_owned();
    // Writing into a text cannot fail.
    for (number, graph) in graphs.iter().enumerate() {
        let label = quoted(&format!("{}/{}", graph.package, graph.channel));
        let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label={label};");
        if graph.is_deprecated {
            text.push_str("    style=filled; fillcolor=\"#DCD0FF\";\n");
        }
        let id = |name: &str| quoted(&format!("{}/{}/{name}", graph.package, graph.channel));
        for node in &graph.nodes {
            let _ = writeln!(text, "    {} [{}];", id(&node.name), attributes(node).join(", "));
        }
        for GraphEdge { source, target, field, value } in &graph.edges {
            let label = if field == "skipRange" { format!("skipRange {value}") } else { field.clone() };
            let style = if field == "replaces" { "solid" } else { "dashed" };
            let _ = writeln!(text, "    {} -> {} [label={}, style={style}];", id(source), id(target), quoted(&label));
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

fn attributes(node: &GraphNode) -> Vec<String> {
    let mut all = vec![format!("label={}", quoted(&node.name))];
    if node.is_head {
        all.push("peripheries=2".to_owned());
    }
    if node.is_dead_end {
        all.push("shape=invtrapezium".to_owned());
    }
    let mut styles = Vec::new();
    if node.is_deprecated {
        styles.push("filled");
        all.push("fillcolor=\"#E8960F\"".to_owned());
    }
    if !node.is_entry {
        styles.push("dotted");
    } else if node.is_skipped {
        styles.push("dashed");
    }
    if !styles.is_empty() {
        all.push(format!("style={}", quoted(&styles.join(","))));
    }
    all
}

/// A text in quotes. A backslash is doubled, since DOT gives it a meaning.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "");
    format!("\"{escaped}\"")
}
