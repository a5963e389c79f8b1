//! The upgrade graphs of a catalog's channels.
//!
//! An edge says that a bundle *can* be upgraded because of a field of another entry. The upgrade engines decide whether
//! OLM takes it. So a `skipRange` gives an edge from every entry whose version is in it, including newer ones, except
//! from the entry itself, which would be no step.

use std::collections::HashMap;

use rusqlite::{Connection, Result, Statement, params};
use sha2::{Digest as _, Sha256};

use super::compression::Digest;
use super::entries::EntryRows;
use super::write::Interned;
use olmdex_fbc::Entry;
use olmdex_version::Version;
use olmdex_version::blang::Range;

/// An entry of a channel, and the catalog's bundle of its name.
type EntryWithBundle = (Entry, Option<i64>);

/// The number of edges by `skipRange` that a channel may have. Ranges over everything make as many as the entries
/// squared, and a small catalog must not become a huge index; 500 entries that all hold each other are within.
const MAX_RANGE_EDGES: usize = 250_000;

/// Writes the graphs of all channels of a catalog, and the rows that say which channel has which. Returns the channels
/// with more edges by `skipRange` than are written: theirs are left out.
///
/// `has_edges`: whether the edges are written too.
pub(super) fn write(
    connection: &Connection,
    catalog: i64,
    interned: &mut Interned,
    has_edges: bool,
) -> Result<Vec<String>> {
    let bundles = Bundles::read(connection, catalog)?;
    let mut graphs = Graphs { has_edges, ..Graphs::new(connection)? };
    // A document may occur in a catalog twice, which the checks report.
    let mut insert_channel = connection.prepare("INSERT OR IGNORE INTO catalog_channel VALUES (?, ?, ?)")?;
    let none = HashMap::new();
    for (channel, package, name) in channels(connection, catalog)? {
        let of_package = bundles.documents.get(&package).unwrap_or(&none);
        let graph = graphs.of(channel, (&package, &name), of_package, &bundles.versions, interned)?;
        insert_channel.execute([catalog, channel, graph])?;
    }
    Ok(graphs.without_ranges)
}

/// The graphs of channels, each written once.
pub(super) struct Graphs<'c> {
    entries: EntryRows<'c>,
    writer: Writer<'c>,
    has_edges: bool,
    /// The channels (`package/channel`) with more edges by `skipRange` than are written.
    pub(super) without_ranges: Vec<String>,
}

impl<'c> Graphs<'c> {
    pub(super) fn new(connection: &'c Connection) -> Result<Self> {
        let (entries, writer) = (EntryRows::new(connection)?, Writer::new(connection)?);
        Ok(Self { entries, writer, has_edges: true, without_ranges: Vec::new() })
    }

    /// The graph of a channel of a package with these bundles, by their names; `versions` has the valid versions, by
    /// documents.
    pub(super) fn of(
        &mut self,
        channel: i64,
        (package, name): (&str, &str),
        bundles: &HashMap<String, i64>,
        versions: &HashMap<i64, Version>,
        interned: &mut Interned,
    ) -> Result<i64> {
        let with_bundle = |it: Entry| {
            let bundle = bundles.get(&it.name).copied();
            (it, bundle)
        };
        let entries: Vec<EntryWithBundle> = self.entries.of(channel)?.into_iter().map(with_bundle).collect();
        let digest = graph_digest(channel, &entries);
        if let Some(graph) = interned.graphs.get(&digest) {
            return Ok(graph);
        }
        let graph = interned.graphs.add(digest);
        let made = build(&entries, versions, self.has_edges);
        if made.n_range_edges.is_none() {
            self.without_ranges.push(format!("{package}/{name}"));
        }
        self.writer.graph(graph, channel, &digest, &made, &entries)?;
        Ok(graph)
    }
}

/// The bundles of a catalog.
#[derive(Default)]
struct Bundles {
    /// Their documents, by package and name.
    documents: HashMap<String, HashMap<String, i64>>,
    /// The versions that are valid, by document.
    versions: HashMap<i64, Version>,
}

impl Bundles {
    fn read(connection: &Connection, catalog: i64) -> Result<Self> {
        let mut found = Self::default();
        let mut statement = connection.prepare(
            "SELECT b.document, b.package, b.name, b.version FROM catalog_document cd JOIN bundle b ON b.document = cd.document \
             WHERE cd.catalog = ? ORDER BY cd.position",
        )?;
        let mut rows = statement.query([catalog])?;
        while let Some(row) = rows.next()? {
            let document = row.get(0)?;
            // If several bundles share a name, which the checks report, the first counts.
            found.documents.entry(row.get(1)?).or_default().entry(row.get(2)?).or_insert(document);
            if let Ok(version) = Version::parse(row.get_ref(3)?.as_str()?) {
                found.versions.insert(document, version);
            }
        }
        Ok(found)
    }
}

/// The channels of a catalog: document, package and name.
fn channels(connection: &Connection, catalog: i64) -> Result<Vec<(i64, String, String)>> {
    let mut channels = connection.prepare(
        "SELECT c.document, c.package, c.name FROM catalog_document cd JOIN channel c ON c.document = cd.document \
         WHERE cd.catalog = ? ORDER BY cd.position",
    )?;
    channels.query_map([catalog], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
}

/// Writes graphs.
struct Writer<'c> {
    graph: Statement<'c>,
    node: Statement<'c>,
    edge: Statement<'c>,
}

impl<'c> Writer<'c> {
    fn new(connection: &'c Connection) -> Result<Self> {
        Ok(Self {
            graph: connection.prepare("INSERT INTO graph VALUES (?, ?, ?, ?, ?)")?,
            node: connection.prepare("INSERT INTO node VALUES (?, ?, ?, ?, ?)")?,
            edge: connection.prepare("INSERT INTO edge VALUES (?, ?, ?, ?)")?,
        })
    }

    fn graph(
        &mut self,
        id: i64,
        channel: i64,
        digest: &Digest,
        graph: &Graph<'_>,
        entries: &[EntryWithBundle],
    ) -> Result<()> {
        self.graph.execute(params![id, channel, digest, graph.head, graph.n_range_edges])?;
        for (number, name) in graph.names.iter().enumerate() {
            let entry = entries.get(number);
            let bundle = entry.and_then(|it| it.1);
            self.node.execute(params![id, number, name, entry.map(|_| number), bundle])?;
        }
        for (source, target, kind) in &graph.edges {
            self.edge.execute(params![id, source, target, kind.column()])?;
        }
        Ok(())
    }
}

/// The digest of everything that a graph depends on.
fn graph_digest(channel: i64, entries: &[EntryWithBundle]) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update(channel.to_le_bytes());
    for (_, bundle) in entries {
        // No document has the number 0.
        hasher.update(bundle.unwrap_or(0).to_le_bytes());
    }
    hasher.finalize().into()
}

/// The field that an edge comes from. They are in the order of their names, which is that of an index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Replaces,
    SkipRange,
    Skips,
}

impl Kind {
    const fn column(self) -> &'static str {
        match self {
            Self::Replaces => "replaces",
            Self::SkipRange => "skipRange",
            Self::Skips => "skips",
        }
    }
}

/// A channel's graph.
struct Graph<'e> {
    names: Vec<&'e str>,
    /// Source, target and field, sorted.
    edges: Vec<(usize, usize, Kind)>,
    head: Option<usize>,
    /// The number of edges by `skipRange` that it has; `None` if they are left out.
    n_range_edges: Option<usize>,
}

/// The graph of a channel, without its edges unless `has_edges`.
fn build<'e>(entries: &'e [EntryWithBundle], versions: &HashMap<i64, Version>, has_edges: bool) -> Graph<'e> {
    let mut names: Vec<&str> = entries.iter().map(|(it, _)| it.name.as_str()).collect();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (number, name) in names.iter().enumerate() {
        // If several entries share a name, which the checks report, the first counts.
        numbers.entry(name).or_insert(number);
    }
    let mut edges = Vec::new();
    let mut by_range = Vec::new();
    let mut has_successor = vec![false; entries.len()];
    let of_entries = entries.iter().enumerate();
    let mut sorted: Vec<(&Version, usize)> =
        of_entries.filter_map(|(source, (_, bundle))| Some((versions.get(bundle.as_ref()?)?, source))).collect();
    sorted.sort();
    let sorted_versions: Vec<&Version> = sorted.iter().map(|it| it.0).collect();
    for (target, (entry, _)) in entries.iter().enumerate() {
        let replaced = Some(entry.replaces.as_str()).filter(|it| !it.is_empty()).map(|it| (it, Kind::Replaces));
        let skipped = entry.skips.iter().map(|it| (it.as_str(), Kind::Skips));
        for (name, kind) in replaced.into_iter().chain(skipped) {
            let source = *numbers.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            });
            if has_edges {
                edges.push((source, target, kind));
            }
            if let Some(has_successor) = has_successor.get_mut(source) {
                *has_successor = true;
            }
        }
        let Ok(range) = Range::parse(&entry.skip_range) else { continue };
        if entry.skip_range.is_empty() || by_range.len() > MAX_RANGE_EDGES {
            continue;
        }
        // One more is enough to know that there are too many.
        let held = range.spans_of(&sorted_versions).into_iter().flatten().map(|it| sorted[it].1);
        let held = held.filter(|source| *source != target).take(MAX_RANGE_EDGES + 1);
        by_range.extend(held.map(|source| (source, target, Kind::SkipRange)));
    }
    let mut heads = (0..entries.len()).filter(|number| !has_successor[*number]);
    let head = heads.next().filter(|_| heads.next().is_none());
    let n_range_edges = Some(by_range.len()).filter(|it| *it <= MAX_RANGE_EDGES);
    if n_range_edges.is_some() && has_edges {
        edges.extend(by_range);
    }
    edges.sort_unstable();
    edges.dedup();
    Graph { names, edges, head, n_range_edges }
}
