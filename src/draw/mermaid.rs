//! Mermaid, byte for byte as `opm alpha render-graph` writes it (`spec/fbc.md` 5.5).
//!
//! One thing is not copied: where channels of several packages share a name, opm numbers their edges by chance; here the
//! packages' names decide.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::catalog::{Catalog, Channel};
use crate::version::blang::Range;
use crate::version::{Quoted, Version};

const HEAD: &str = "graph LR
  classDef deprecated fill:#E8960F
  classDef skipped stroke:#FF0000,stroke-width:4px
  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px
";

/// How it is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MermaidOptions {
    /// Whether what OLM Classic would never take is marked: skipped nodes, and the edges of skipped entries.
    pub v0_semantics: bool,
}

/// A drawing, and what was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mermaid {
    /// The text.
    pub text: String,
    /// Words about ranges that cannot be read.
    pub warnings: Vec<String>,
}

/// What the drawing of one channel after another adds up to.
#[derive(Default)]
struct Drawing {
    /// Text of each package.
    packages: BTreeMap<String, String>,
    n_edges: usize,
    deprecated_package: Option<String>,
    deprecated_channels: Vec<String>,
    deprecated: BTreeSet<String>,
    deprecated_skipped: BTreeSet<String>,
    skipped: BTreeSet<String>,
    /// Numbers of edges that are drawn differently.
    marked: Vec<usize>,
    warnings: Vec<String>,
}

/// Draws a catalog.
#[must_use]
pub fn mermaid(catalog: &Catalog, options: MermaidOptions) -> Mermaid {
    let mut drawing = Drawing::default();
    for channel in &catalog.channels {
        drawing.channel(catalog, channel, options);
    }
    let mut text = HEAD.to_owned();
    // Writing into a text cannot fail.
    for (package, body) in &drawing.packages {
        let name = Quoted(package);
        let _ = write!(text, "  %% package {name}\n  subgraph {name}\n{body}  end\n");
    }
    if let Some(package) = &drawing.deprecated_package {
        let _ = writeln!(text, "style {package} fill:#989695");
    }
    for channel in &drawing.deprecated_channels {
        let _ = writeln!(text, "style {channel} fill:#DCD0FF");
    }
    let classes = [
        (&drawing.deprecated, "deprecated"),
        (&drawing.deprecated_skipped, "deprecatedskipped"),
        (&drawing.skipped, "skipped"),
    ];
    for (nodes, class) in classes.iter().filter(|(nodes, _)| !nodes.is_empty()) {
        let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
        let _ = writeln!(text, "class {} {class}", nodes.join(","));
    }
    if !drawing.marked.is_empty() {
        let numbers: Vec<String> = drawing.marked.iter().map(ToString::to_string).collect();
        let style = "stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;";
        let _ = writeln!(text, "linkStyle {} {style}", numbers.join(","));
    }
    Mermaid { text, warnings: drawing.warnings }
}

impl Drawing {
    fn channel(&mut self, catalog: &Catalog, channel: &Channel, options: MermaidOptions) {
        let id = format!("{}-{}", channel.package, channel.name);
        if catalog.deprecated.packages.contains(&channel.package) {
            self.deprecated_package = Some(channel.package.clone());
        }
        if catalog.deprecated.channels.contains(&channel.name) {
            self.deprecated_channels.push(id.clone());
        }
        let versions: Vec<Version> = channel.entries.iter().map(|it| catalog.version_of(&it.name)).collect();
        let mut order: Vec<usize> = (0..channel.entries.len()).collect();
        order.sort_by(|&a, &b| versions[b].cmp(&versions[a]));
        let mut text = String::new();
        let name = Quoted(&channel.name);
        let _ = writeln!(text, "    %% channel {name}\n    subgraph {id}[{name}]");
        let node = |name: &str| format!("{id}-{name}[{}]", Quoted(name));
        let mut skipped: BTreeSet<&str> = BTreeSet::new();
        for entry in order.into_iter().map(|idx| &channel.entries[idx]) {
            let target = node(&entry.name);
            let is_skipped = options.v0_semantics && skipped.contains(entry.name.as_str());
            let class = match (catalog.deprecated.bundles.contains(&entry.name), is_skipped) {
                (true, true) => Some(&mut self.deprecated_skipped),
                (true, false) => Some(&mut self.deprecated),
                (false, true) => Some(&mut self.skipped),
                (false, false) => None,
            };
            if let Some(class) = class {
                class.insert(format!("{id}-{}", entry.name));
            }
            let _ = writeln!(text, "      {target}");
            for skip in &entry.skips {
                let _ = writeln!(text, "      {}-- skip --> {target}", node(skip));
                let is_new = skipped.insert(skip);
                self.edge(options.v0_semantics && !is_new);
            }
            if !entry.skip_range.is_empty() {
                match Range::parse(&entry.skip_range) {
                    Ok(range) => {
                        for (source, version) in channel.entries.iter().zip(&versions) {
                            if range.contains(version).unwrap_or(false) {
                                let label = format!("skipRange({})", entry.skip_range);
                                let _ = writeln!(text, "      {}-- \"{label}\" --> {target}", node(&source.name));
                                self.edge(options.v0_semantics && skipped.contains(entry.name.as_str()));
                            }
                        }
                    }
                    Err(error) => self.warnings.push(format!(
                        "ignoring invalid SkipRange for package/edge {}/{}: {error}",
                        Quoted(&channel.package),
                        Quoted(&entry.name)
                    )),
                }
            }
            if !entry.replaces.is_empty() {
                let _ = writeln!(text, "      {}-- replace --> {target}", node(&entry.replaces));
                self.edge(options.v0_semantics && skipped.contains(entry.name.as_str()));
            }
        }
        text.push_str("    end\n");
        self.packages.entry(channel.package.clone()).or_default().push_str(&text);
    }

    fn edge(&mut self, is_marked: bool) {
        if is_marked {
            self.marked.push(self.n_edges);
        }
        self.n_edges += 1;
    }
}
