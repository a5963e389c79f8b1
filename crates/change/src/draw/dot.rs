//! DOT, for Graphviz.

use std::io::{self, Write};

use super::channel::{ChannelGraph, GraphEdge};
use super::node::GraphNode;
use olmdex_base::diag::printable;

/// Draws channels as one digraph, each channel a cluster. Heads have two borders, deprecated entries are filled,
/// skipped ones dashed, unlisted ones dotted, a dead end is narrower below, and the marked entry has a thick border.
///
/// # Errors
/// The errors of the writer.
pub fn dot(graphs: &[ChannelGraph], out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"digraph upgrades {\n  rankdir=LR;\n  node [shape=box];\n")?;
    for (number, graph) in graphs.iter().enumerate() {
        let mark = if graph.is_default { " (default)" } else { "" };
        let label = quoted(&format!("{}/{}{mark}", graph.package, graph.channel));
        writeln!(out, "  subgraph cluster_{number} {{\n    label={label};")?;
        if graph.is_deprecated {
            out.write_all(b"    style=filled; fillcolor=\"#DCD0FF\";\n")?;
        }
        let id = |name: &str| quoted(&format!("{}/{}/{name}", graph.package, graph.channel));
        for node in &graph.nodes {
            writeln!(out, "    {} [{}];", id(&node.name), attributes(node).join(", "))?;
        }
        for GraphEdge { source, target, field, value } in graph.edges.iter() {
            let label = if field == "skipRange" { format!("skipRange {value}") } else { field.to_owned() };
            let style = if field == "replaces" { "solid" } else { "dashed" };
            writeln!(out, "    {} -> {} [label={}, style={style}];", id(source), id(target), quoted(&label))?;
        }
        out.write_all(b"  }\n")?;
    }
    out.write_all(b"}\n")
}

fn attributes(node: &GraphNode) -> Vec<String> {
    let mut all = vec![format!("label={}", quoted(&node.name))];
    if node.is_head {
        all.push("peripheries=2".to_owned());
    }
    if node.is_dead_end {
        all.push("shape=invtrapezium".to_owned());
    }
    if node.is_marked {
        all.push("penwidth=4".to_owned());
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

/// A text in quotes, without characters that could steer a terminal. A backslash is doubled, since DOT gives it a
/// meaning.
fn quoted(text: &str) -> String {
    let escaped = printable(text).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
