//! Mermaid as `opm alpha render-graph` writes it (`docs/behaviour/fbc.md` 5.5).
//!
//! Two things differ: control characters in names, which could steer a terminal, are escaped unless the reader is none;
//! and opm loads several files in a random order, which shows if channels of several packages share a name, while here
//! the order of files decides.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};

use super::catalog::{Catalog, Channel};
use olmdex_base::diag::printable;
use olmdex_fbc::go_order;
use olmdex_version::blang::Range;
use olmdex_version::{Quoted, Version};

const HEAD: &str = "graph LR
  classDef deprecated fill:#E8960F
  classDef skipped stroke:#FF0000,stroke-width:4px
  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px
";

/// The options of the drawing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MermaidOptions {
    /// Whether to mark what OLM Classic would never take: skipped nodes, and the edges of skipped entries.
    pub v0_semantics: bool,
    /// Whether names are written as they are, control characters included, as opm writes them.
    pub raw_names: bool,
}

impl MermaidOptions {
    /// A name as the graph has it.
    fn shown(self, name: &str) -> Cow<'_, str> {
        if self.raw_names { Cow::Borrowed(name) } else { printable(name) }
    }

    /// opm's name for a channel.
    fn id_of(self, channel: &Channel) -> String {
        self.shown(&format!("{}-{}", channel.package, channel.name)).into_owned()
    }
}

/// A prepared drawing: its cost, and its warnings.
#[derive(Debug, Clone)]
pub struct Mermaid<'c> {
    catalog: &'c Catalog,
    options: MermaidOptions,
    /// The channels in opm's order.
    channels: Vec<&'c Channel>,
    /// The number of the first edge of each channel.
    first_edges: Vec<usize>,
    n_edges: usize,
    warnings: Vec<String>,
}

/// The marks of all channels drawn so far.
#[derive(Default)]
struct Marks {
    deprecated: Vec<String>,
    deprecated_skipped: Vec<String>,
    skipped: Vec<String>,
    /// Numbers of edges that are drawn differently.
    edges: Vec<usize>,
}

/// The entries of a channel with their versions.
struct Entries {
    versions: Vec<Version>,
    /// Places of entries by version, the lowest first.
    ascending: Vec<usize>,
}

impl Entries {
    fn new(catalog: &Catalog, channel: &Channel) -> Self {
        let versions: Vec<Version> = channel.entries.iter().map(|it| catalog.version_of(&it.name)).collect();
        let mut ascending: Vec<usize> = (0..versions.len()).collect();
        ascending.sort_by(|&a, &b| versions[a].cmp(&versions[b]));
        Self { versions, ascending }
    }

    /// The entries in a range, as spans of `ascending`.
    fn spans(&self, range: &Range) -> Vec<std::ops::Range<usize>> {
        let versions: Vec<&Version> = self.ascending.iter().map(|&it| &self.versions[it]).collect();
        range.spans_of(&versions)
    }

    /// The places of the entries in a range, in their own order.
    fn held(&self, range: &Range) -> Vec<usize> {
        let mut places: Vec<usize> = self.spans(range).into_iter().flatten().map(|it| self.ascending[it]).collect();
        places.sort_unstable();
        places
    }
}

impl<'c> Mermaid<'c> {
    /// Prepares a drawing.
    pub fn new(catalog: &'c Catalog, options: MermaidOptions) -> Self {
        let mut channels: Vec<&Channel> = catalog.channels.iter().collect();
        channels.sort_by_key(|it| it.rank);
        let (first_edges, warnings) = (Vec::new(), Vec::new());
        let mut drawing = Self { catalog, options, channels: channels.clone(), first_edges, n_edges: 0, warnings };
        for channel in channels {
            drawing.first_edges.push(drawing.n_edges);
            let entries = Entries::new(catalog, channel);
            for entry in &channel.entries {
                drawing.n_edges += entry.skips.len() + usize::from(!entry.replaces.is_empty());
                if !entry.skip_range.is_empty()
                    && let Ok(range) = Range::parse(&entry.skip_range)
                {
                    drawing.n_edges += entries.spans(&range).iter().map(ExactSizeIterator::len).sum::<usize>();
                }
            }
            for place in descending(&entries) {
                let entry = &channel.entries[place];
                if !entry.skip_range.is_empty()
                    && let Err(error) = Range::parse(&entry.skip_range)
                {
                    let (package, name) = (Quoted(&channel.package), Quoted(&entry.name));
                    let words = format!("ignoring invalid SkipRange for package/edge {package}/{name}: {error}");
                    drawing.warnings.push(words);
                }
            }
        }
        drawing
    }

    /// How many edges it has.
    pub fn n_edges(&self) -> usize {
        self.n_edges
    }

    /// Words about ranges that cannot be read.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Writes the graph.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(HEAD.as_bytes())?;
        let mut marks = Marks::default();
        let mut channels: Vec<(&Channel, usize)> =
            self.channels.iter().copied().zip(self.first_edges.iter().copied()).collect();
        // Channels of a package stay in their order.
        channels.sort_by(|a, b| a.0.package.cmp(&b.0.package));
        for of_package in channels.chunk_by(|a, b| a.0.package == b.0.package) {
            let name = of_package.first().map(|it| Quoted(&it.0.package).to_string()).unwrap_or_default();
            writeln!(out, "  %% package {name}\n  subgraph {name}")?;
            for &(channel, first_edge) in of_package {
                self.write_channel(channel, first_edge, &mut marks, out)?;
            }
            out.write_all(b"  end\n")?;
        }
        let deprecated = |channel: &Channel| self.catalog.deprecated_in(&channel.package);
        if let Some(last) = self.channels.iter().rfind(|it| deprecated(it).packages.contains(&it.package)) {
            writeln!(out, "style {} fill:#989695", self.options.shown(&last.package))?;
        }
        for channel in self.channels.iter().filter(|it| deprecated(it).channels.contains(&it.name)) {
            writeln!(out, "style {} fill:#DCD0FF", self.options.id_of(channel))?;
        }
        for nodes in [&mut marks.deprecated, &mut marks.deprecated_skipped, &mut marks.skipped] {
            nodes.sort();
        }
        let classes = [
            (&marks.deprecated, "deprecated"),
            (&marks.deprecated_skipped, "deprecatedskipped"),
            (&marks.skipped, "skipped"),
        ];
        for (nodes, class) in classes.iter().filter(|(nodes, _)| !nodes.is_empty()) {
            let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
            writeln!(out, "class {} {class}", nodes.join(","))?;
        }
        for (channel, name) in self.channels.iter().zip(self.catalog.marked.iter().cycle()) {
            if channel.entries.iter().any(|it| it.name == *name) {
                writeln!(out, "style {}-{} stroke-width:4px", self.options.id_of(channel), self.options.shown(name))?;
            }
        }
        if !marks.edges.is_empty() {
            marks.edges.sort_unstable();
            let numbers: Vec<String> = marks.edges.iter().map(ToString::to_string).collect();
            let style = "stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;";
            writeln!(out, "linkStyle {} {style}", numbers.join(","))?;
        }
        Ok(())
    }

    fn write_channel(
        &self,
        channel: &Channel,
        first_edge: usize,
        marks: &mut Marks,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let Self { catalog, options, .. } = self;
        let entries = Entries::new(catalog, channel);
        let id = options.id_of(channel);
        let name = Quoted(&channel.name);
        writeln!(out, "    %% channel {name}\n    subgraph {id}[{name}]")?;
        let node = |name: &str| format!("{id}-{}[{}]", options.shown(name), Quoted(name));
        let mut next_edge = first_edge;
        let mut edge = |is_marked: bool, marks: &mut Marks| {
            if is_marked && options.v0_semantics {
                marks.edges.push(next_edge);
            }
            next_edge += 1;
        };
        let mut skipped: BTreeSet<&str> = BTreeSet::new();
        for entry in descending(&entries).into_iter().map(|place| &channel.entries[place]) {
            let target = node(&entry.name);
            let is_skipped = options.v0_semantics && skipped.contains(entry.name.as_str());
            let class = match (catalog.deprecated_in(&channel.package).bundles.contains(&entry.name), is_skipped) {
                (true, true) => Some(&mut marks.deprecated_skipped),
                (true, false) => Some(&mut marks.deprecated),
                (false, true) => Some(&mut marks.skipped),
                (false, false) => None,
            };
            if let Some(class) = class {
                class.push(format!("{id}-{}", options.shown(&entry.name)));
            }
            writeln!(out, "      {target}")?;
            for skip in &entry.skips {
                writeln!(out, "      {}-- skip --> {target}", node(skip))?;
                edge(!skipped.insert(skip), marks);
            }
            let is_marked = skipped.contains(entry.name.as_str());
            if !entry.skip_range.is_empty()
                && let Ok(range) = Range::parse(&entry.skip_range)
            {
                let label = format!("skipRange({})", options.shown(&entry.skip_range));
                for place in entries.held(&range) {
                    let source = node(&channel.entries[place].name);
                    writeln!(out, "      {source}-- \"{label}\" --> {target}")?;
                    edge(is_marked, marks);
                }
            }
            if !entry.replaces.is_empty() {
                writeln!(out, "      {}-- replace --> {target}", node(&entry.replaces))?;
                edge(is_marked, marks);
            }
        }
        out.write_all(b"    end\n")
    }
}

/// The places of the entries, the highest version first, equal ones in opm's order.
fn descending(entries: &Entries) -> Vec<usize> {
    let versions = &entries.versions;
    go_order(versions.len(), |a, b| versions[a] > versions[b])
}
