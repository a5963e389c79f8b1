//! Plain text: every channel from its head down.

use std::io::{self, Write};

use super::channel::ChannelGraph;
use olmdex_base::diag::printable;
use olmdex_olm::upgrade::Field;

/// Writes channels as lists of entries, each with what it can be reached from and why.
///
/// # Errors
/// Those of the writer.
pub fn text(graphs: &[ChannelGraph], out: &mut impl Write) -> io::Result<()> {
    for graph in graphs {
        let marks = [(graph.is_default, "default"), (graph.is_deprecated, "deprecated")];
        let marks: Vec<&str> = marks.into_iter().filter(|it| it.0).map(|it| it.1).collect();
        let mark = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
        writeln!(out, "{}/{}{mark}", printable(&graph.package), printable(&graph.channel))?;
        let mut sources = graph.edges.sources.iter().peekable();
        for (row, node) in graph.nodes.iter().enumerate() {
            let marks: Vec<&str> = [
                (node.is_head, "head"),
                (node.is_deprecated, "deprecated"),
                (node.is_skipped, "skipped"),
                (node.is_dead_end, "dead end"),
                (!node.is_entry, "not in the channel"),
                (node.is_marked, "named"),
            ]
            .iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, mark)| *mark)
            .collect();
            let marks = if marks.is_empty() { String::new() } else { format!("  ({})", marks.join(", ")) };
            writeln!(out, "  {}{marks}", printable(&node.name))?;
            while let Some(sources) = sources.next_if(|it| it.target == row) {
                write!(out, "    from ")?;
                for (number, source) in sources.each().enumerate() {
                    let comma = if number == 0 { "" } else { ", " };
                    write!(out, "{comma}{}", printable(&graph.nodes[source].name))?;
                }
                let value =
                    if sources.field == Field::SkipRange { format!(" {}", sources.value) } else { String::new() };
                writeln!(out, " by {}{}", sources.field.as_str(), printable(&value))?;
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
