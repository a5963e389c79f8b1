//! Plain text: every channel from its head down, with a lane for each chain of `replaces`.
//!
//! An entry that others skip by name has no lane of its own: in a channel of z-streams every entry replaces the same
//! one, and there would be more lanes than columns of a terminal. Ranges are listed with the number of their entries,
//! unless all entries are wanted.

use std::collections::HashMap;
use std::io::{self, Write};

use super::catalog::{Catalog, Channel};
use super::channel::ChannelGraph;
use super::layout::Detail;
use super::node::GraphNode;
use super::order::in_version_order;
use super::reach::ReachMap;
use super::reach_text::reach_text;
use super::rows::Sources;
use olmdex_base::diag::{grouped, printable};
use olmdex_olm::upgrade::Field;

/// The most lanes side by side; further replaced entries are named.
const MAX_LANES: usize = 16;

/// Writes channels from their heads down, each entry with the edges to it.
///
/// # Errors
/// The errors of the writer.
pub fn text(graphs: &[ChannelGraph], detail: Detail, out: &mut impl Write) -> io::Result<()> {
    for graph in graphs {
        let marks = [(graph.is_default, "default"), (graph.is_deprecated, "deprecated")];
        let marks: Vec<&str> = marks.into_iter().filter(|it| it.0).map(|it| it.1).collect();
        let mark = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
        writeln!(out, "{}/{}{mark}", printable(&graph.package), printable(&graph.channel))?;
        write_channel(graph, detail, out)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes packages one after another: those of several channels as a map of where their versions can go, and the
/// others as [`text`] does, which also writes all of them if every entry is wanted. `graphs` are the channels of the
/// catalog, in the order of writing.
///
/// # Errors
/// The errors of the writer.
pub fn package_text(
    catalog: &Catalog,
    graphs: &[ChannelGraph],
    detail: Detail,
    out: &mut impl Write,
) -> io::Result<()> {
    let channels = in_version_order(catalog);
    for of_package in graphs.chunk_by(|a, b| a.package == b.package) {
        let package = of_package.first().map_or("", |it| &it.package);
        let own: Vec<&Channel> = channels.iter().filter(|it| it.package == package).copied().collect();
        // A graph with a marked entry is drawn on its own, in detail.
        let is_named = of_package.iter().flat_map(|it| &it.nodes).any(|it| it.is_marked);
        let is_map = own.len() > 1 && !is_named;
        if is_map {
            reach_text(&ReachMap::new(catalog, &own), detail == Detail::Full, out)?;
        }
        if !is_map || detail == Detail::Full {
            text(of_package, detail, out)?;
        }
    }
    Ok(())
}

fn write_channel(graph: &ChannelGraph, detail: Detail, out: &mut impl Write) -> io::Result<()> {
    let mut of_target: HashMap<usize, Vec<&Sources>> = HashMap::new();
    for sources in &graph.edges.sources {
        of_target.entry(sources.target).or_default().push(sources);
    }
    let mut lanes = Lanes::default();
    let mut ended = None;
    for (row, node) in graph.nodes.iter().enumerate() {
        let sources = of_target.get(&row).map(Vec::as_slice).unwrap_or_default();
        let replaced = sources.iter().find(|it| it.field == Field::Replaces).and_then(|it| it.each().next());
        if let Some(join) = lanes.join(row) {
            writeln!(out, "  {join}")?;
        }
        let is_led_to = lanes.leads_to(row);
        let column = lanes.column(row);
        if ended.is_some() && ended == column && !is_led_to && node.is_entry && !node.is_skipped {
            // One right below the other would look like a chain.
            writeln!(out, "{}", format!("  {}", lanes.drawn(None)).trim_end())?;
        }
        let mark = if node.is_entry { "●" } else { "○" };
        let line = match column {
            Some(column) => lanes.drawn(Some((column, mark))),
            None => format!("{}{mark}", lanes.drawn(None)),
        };
        writeln!(out, "  {line} {}{}", printable(&node.name), marks(node))?;
        // An edge to an entry above leads in a circle or to an older version, so the lane ends here.
        let goes_on = replaced.filter(|it| *it > row && !node.is_skipped);
        let is_drawn = lanes.go_on(column, goes_on);
        ended = column.filter(|_| !is_drawn);
        for words in reasons(graph, sources, is_drawn, detail) {
            writeln!(out, "  {}   {}", lanes.drawn(None), printable(&words))?;
        }
    }
    Ok(())
}

/// The marks of an entry behind its name.
fn marks(node: &GraphNode) -> String {
    let marks = [
        (node.is_head, "head"),
        (node.is_deprecated, "deprecated"),
        (node.is_skipped, "skipped"),
        (node.is_dead_end, "dead end"),
        (!node.is_entry, "not in the channel"),
        (node.is_marked, "named"),
    ];
    let marks: Vec<&str> = marks.iter().filter(|it| it.0).map(|it| it.1).collect();
    if marks.is_empty() { String::new() } else { format!("  ({})", marks.join(", ")) }
}

/// The edges that lead to an entry and that no lane shows, in words.
fn reasons(graph: &ChannelGraph, sources: &[&Sources], is_drawn: bool, detail: Detail) -> Vec<String> {
    let names = |it: &Sources| it.each().map(|row| graph.nodes[row].name.as_str()).collect::<Vec<_>>().join(", ");
    let said = |it: &&Sources| match it.field {
        Field::Replaces if is_drawn => None,
        Field::SkipRange if detail == Detail::Full => Some(format!("skipRange {}: {}", it.value, names(it))),
        Field::SkipRange => {
            let held = match it.len() {
                0 => "no entry".to_owned(),
                1 => names(it),
                n => format!("{} entries", grouped(n as u64)),
            };
            Some(format!("skipRange {}: {held}", it.value))
        }
        field => Some(format!("{} {}", field.as_str(), names(it))),
    };
    sources.iter().filter_map(said).collect()
}

/// The open lanes: each leads down to the row of a replaced entry.
#[derive(Default)]
struct Lanes {
    open: Vec<Option<usize>>,
}

impl Lanes {
    /// Closes all lanes that lead to a row except for the first, and draws that.
    fn join(&mut self, row: usize) -> Option<String> {
        let leading: Vec<usize> = (0..self.open.len()).filter(|it| self.open[*it] == Some(row)).collect();
        let (first, others) = leading.split_first().filter(|it| !it.1.is_empty())?;
        let last = *others.last()?;
        let mut line = String::new();
        for column in 0..=last.max(self.open.len() - 1) {
            let is_between = column > *first && column < last;
            line.push_str(match (column == *first, column == last, others.contains(&column)) {
                (true, ..) => "├─",
                (_, true, _) => "╯ ",
                (.., true) => "┴─",
                _ if is_between && self.open[column].is_some() => "┼─",
                _ if is_between => "──",
                _ if self.open[column].is_some() => "│ ",
                _ => "  ",
            });
        }
        for column in others {
            self.open[*column] = None;
        }
        Some(line.trim_end().to_owned())
    }

    /// Whether a lane leads to a row.
    fn leads_to(&self, row: usize) -> bool {
        self.open.contains(&Some(row))
    }

    /// The lane of a row: the one that leads to it, else the first free one; `None` if there are too many.
    fn column(&mut self, row: usize) -> Option<usize> {
        if let Some(found) = self.open.iter().position(|it| *it == Some(row)) {
            return Some(found);
        }
        match self.open.iter().position(Option::is_none) {
            Some(free) => Some(free),
            None if self.open.len() < MAX_LANES => {
                self.open.push(None);
                Some(self.open.len() - 1)
            }
            None => None,
        }
    }

    /// Leads the lane of a row on to another one, or ends it. Returns whether it continues.
    fn go_on(&mut self, column: Option<usize>, to: Option<usize>) -> bool {
        let Some(column) = column else { return false };
        self.open[column] = to;
        while self.open.last().is_some_and(Option::is_none) {
            self.open.pop();
        }
        to.is_some()
    }

    /// The lanes of a line, one of which may have a mark.
    fn drawn(&self, mark: Option<(usize, &str)>) -> String {
        let n_columns = self.open.len().max(mark.map_or(0, |it| it.0 + 1));
        let lane = |column: usize| match (mark, self.open.get(column)) {
            (Some((at, mark)), _) if at == column => format!("{mark} "),
            (_, Some(Some(_))) => "│ ".to_owned(),
            _ => "  ".to_owned(),
        };
        let line: String = (0..n_columns).map(lane).collect();
        line.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Catalog, Detail, channels_by_head};
    use super::text;
    use olmdex_fbc::Entry;

    /// A channel whose entries have these names, and replace and skip these.
    fn drawn(entries: &[(&str, &str, &[&str])]) -> String {
        let mut catalog = Catalog::default();
        catalog.package("p", "c");
        for (name, ..) in entries {
            let property = format!(r#"{{"packageName":"p","version":"{name}"}}"#);
            catalog.bundle("p", name, &[property]).unwrap();
        }
        let entry = |(name, replaces, skips): &(&str, &str, &[&str])| Entry {
            name: (*name).to_owned(),
            replaces: (*replaces).to_owned(),
            skips: skips.iter().map(|it| (*it).to_owned()).collect(),
            ..Entry::default()
        };
        catalog.channel("p".to_owned(), "c".to_owned(), entries.iter().map(entry).collect());
        let catalog = catalog.ranked();
        let mut out = Vec::new();
        text(&channels_by_head(&catalog), Detail::Collapsed, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn branches_join_where_they_replace_the_same() {
        let found =
            drawn(&[("3.0.0", "1.0.0", &[]), ("2.0.0", "1.0.0", &[]), ("1.0.0", "0.9.0", &[]), ("0.9.0", "", &[])]);
        let expected = "p/c (default)
  ● 3.0.0  (head)
  │ ● 2.0.0  (head)
  ├─╯
  ● 1.0.0
  ● 0.9.0
\n";
        assert_eq!(found, expected);
    }

    #[test]
    fn what_nothing_leads_to_stands_apart() {
        let found = drawn(&[("2.0.0", "", &[]), ("1.0.0", "0.9.0", &[]), ("0.9.0", "", &[])]);
        assert_eq!(found, "p/c (default)\n  ● 2.0.0  (head)\n\n  ● 1.0.0  (head)\n  ● 0.9.0\n\n");
    }

    #[test]
    fn what_is_skipped_has_no_lane() {
        let found = drawn(&[("1.2.0", "1.0.0", &["1.1.0"]), ("1.1.0", "1.0.0", &[]), ("1.0.0", "", &[])]);
        let expected = "p/c (default)
  ● 1.2.0  (head)
  │   skips 1.1.0
  │ ● 1.1.0  (skipped)
  │   replaces 1.0.0
  ● 1.0.0
\n";
        assert_eq!(found, expected);
    }

    #[test]
    fn many_chains_have_so_many_lanes_and_no_more() {
        let names: Vec<String> = (1..60).map(|it| format!("{it}.0.0")).collect();
        let base = "0.1.0";
        let mut entries: Vec<(&str, &str, &[&str])> =
            names.iter().map(|it| (it.as_str(), base, &[] as &[&str])).collect();
        entries.push((base, "", &[]));
        let found = drawn(&entries);
        assert!(found.lines().all(|it| it.chars().count() < 60), "{found}");
        assert!(found.contains("replaces 0.1.0") && found.contains("├─┴─"), "{found}");
    }
}
