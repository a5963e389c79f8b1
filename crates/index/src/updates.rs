//! The known updates of OpenShift, in tables: written as a whole, and read back unchanged.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, Result, params};
use sha2::{Digest as _, Sha256};

use super::build::{Builder, is_written_by_this_program};
use super::error::IndexError;
use super::open::{Index, Kind};
use olmdex_rules::openshift::{
    BlockedEdge, Edge, Graph, GraphData, MatchingRule, Release, Risk, SavedFiles, SavedUpdates, UpdateFacts,
    UpdateSource, Window, coerce,
};
use olmdex_text::calendar::Day;
use olmdex_text::json;
use olmdex_text::re2::Pattern;
use olmdex_version::Version;

/// The tables, children before their parents.
const TABLES: [&str; 8] = [
    "update_warning",
    "platform_release",
    "platform_update_risk",
    "platform_update",
    "blocked_edge",
    "build_suggestion",
    "update_risk",
    "update_source",
];

const ANSWER: &str = "answer";
const DATA: &str = "data";

impl<K: Kind> Builder<K> {
    /// The warnings about these sources, if the index holds exactly these already.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn kept_updates(&mut self, saved: &[SavedUpdates]) -> std::result::Result<Option<Vec<String>>, IndexError> {
        let path = self.path();
        let Some(connection) = self.readable()? else { return Ok(None) };
        let read = || -> Result<Option<Vec<String>>> {
            // Another version may have read the files otherwise.
            if !is_written_by_this_program(connection)? {
                return Ok(None);
            }
            let held = identities(connection)?;
            let given = saved.iter().map(|it| (it.name.clone(), text_of(it.as_of), digest(&it.files)));
            if !held.into_iter().eq(given) {
                return Ok(None);
            }
            let warnings = "SELECT message FROM update_warning ORDER BY source, position";
            connection.prepare(warnings)?.query_map([], |row| row.get(0))?.collect::<Result<_>>().map(Some)
        };
        read().map_err(|error| IndexError::reading(&path, &error))
    }

    /// Replaces the sources that the index has by these; without any, removes them.
    ///
    /// # Errors
    /// If the index cannot be written.
    pub fn set_updates(&mut self, sources: &[(SavedUpdates, UpdateSource)]) -> std::result::Result<(), IndexError> {
        let held =
            |it: &(SavedUpdates, UpdateSource)| HeldUpdates { source: it.1.clone(), digest: digest(&it.0.files) };
        self.put_updates(&sources.iter().map(held).collect::<Vec<_>>())
    }

    /// Replaces the updates that this index knows by those of other indexes, unless they are the same. Returns whether
    /// it replaced them.
    ///
    /// # Errors
    /// If the index cannot be read or written.
    pub fn adopt_updates(&mut self, held: &[HeldUpdates]) -> std::result::Result<bool, IndexError> {
        let path = self.path();
        let known = match self.readable()? {
            Some(connection) => is_written_by_this_program(connection)
                .and_then(|is_ours| if is_ours { identities(connection).map(Some) } else { Ok(None) })
                .map_err(|error| IndexError::reading(&path, &error))?,
            None => None,
        };
        let given: Vec<Identity> =
            held.iter().map(|it| (it.source.name.clone(), text_of(it.source.as_of), it.digest.clone())).collect();
        if known.as_ref() == Some(&given) {
            return Ok(false);
        }
        self.put_updates(held)?;
        Ok(true)
    }

    fn put_updates(&mut self, sources: &[HeldUpdates]) -> std::result::Result<(), IndexError> {
        let path = self.path();
        let connection = self.writable()?;
        let write = || {
            for table in TABLES {
                connection.execute(&format!("DELETE FROM {table}"), [])?;
            }
            let mut writer = Writer { connection, risks: BTreeMap::new() };
            sources.iter().zip(1_i64..).try_for_each(|(held, id)| writer.write(id, held))
        };
        write().map_err(|error| IndexError::writing(&path, &error))
    }

    /// Whether the index knows of updates.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn has_updates(&mut self) -> std::result::Result<bool, IndexError> {
        let path = self.path();
        let Some(connection) = self.readable()? else { return Ok(false) };
        let table = "SELECT count(*) FROM sqlite_schema WHERE name = 'update_source'";
        let read = || {
            let is_there: bool = connection.query_row(table, [], |row| row.get(0))?;
            let some = "SELECT EXISTS (SELECT 1 FROM update_source)";
            if is_there { connection.query_row(some, [], |row| row.get(0)) } else { Ok(false) }
        };
        read().map_err(|error| IndexError::reading(&path, &error))
    }
}

/// The information from one source in an index, and the digest of its files.
#[derive(Debug, Clone)]
pub struct HeldUpdates {
    /// The information.
    pub source: UpdateSource,
    /// SHA-256 of its files.
    pub digest: Vec<u8>,
}

/// The identity of a source: its name, its day and the digest of its files.
type Identity = (String, Option<String>, Vec<u8>);

fn identities(connection: &Connection) -> Result<Vec<Identity>> {
    connection
        .prepare("SELECT source, as_of, digest FROM update_source ORDER BY id")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect()
}

fn text_of(day: Option<Day>) -> Option<String> {
    day.map(|it| it.to_string())
}

fn digest(files: &SavedFiles) -> Vec<u8> {
    let mut sha = Sha256::new();
    match files {
        SavedFiles::Answer(text) => {
            sha.update(b"A");
            sha.update(text);
        }
        SavedFiles::Data(files) => {
            sha.update(b"D");
            for (path, text) in files {
                sha.update((path.len() as u64).to_be_bytes());
                sha.update(path);
                sha.update((text.len() as u64).to_be_bytes());
                sha.update(text);
            }
        }
    }
    sha.finalize().to_vec()
}

/// Writes one source after another.
struct Writer<'c> {
    connection: &'c Connection,
    risks: BTreeMap<Risk, i64>,
}

impl Writer<'_> {
    fn write(&mut self, id: i64, HeldUpdates { source, digest }: &HeldUpdates) -> Result<()> {
        let kind = if matches!(source.facts, UpdateFacts::Answer(_)) { ANSWER } else { DATA };
        let row = params![id, source.name, kind, text_of(source.as_of), digest];
        self.connection.execute("INSERT INTO update_source VALUES (?, ?, ?, ?, ?)", row)?;
        match &source.facts {
            UpdateFacts::Answer(graph) => self.answer(id, graph),
            UpdateFacts::Data(data) => self.data(id, data),
        }
    }

    fn answer(&mut self, id: i64, graph: &Graph) -> Result<()> {
        let releases = graph.releases.values().flat_map(|release| {
            let url = release.url.as_str();
            let unknown = release.channels.is_empty().then_some((None, release.version.as_str(), None, url));
            let channels = release.channels.iter();
            unknown.into_iter().chain(channels.map(move |it| (Some(it.as_str()), release.version.as_str(), None, url)))
        });
        self.releases(id, releases)?;
        let mut update = self.connection.prepare("INSERT INTO platform_update VALUES (?, ?, ?, ?)")?;
        let mut risk = self.connection.prepare("INSERT INTO platform_update_risk VALUES (?, ?, ?, ?)")?;
        for (position, edge) in graph.edges.iter().enumerate() {
            update.execute(params![id, position, edge.from, edge.to])?;
            for (place, it) in edge.risks.iter().enumerate() {
                risk.execute(params![id, position, place, intern(self.connection, &mut self.risks, it)?])?;
            }
        }
        Ok(())
    }

    fn data(&mut self, id: i64, data: &GraphData) -> Result<()> {
        let releases = data.channels.iter().flat_map(|(channel, entries)| {
            entries.iter().map(move |it| (Some(channel.as_str()), it.0.as_str(), it.1.as_deref(), ""))
        });
        self.releases(id, releases)?;
        let mut warning = self.connection.prepare("INSERT INTO update_warning VALUES (?, ?, ?)")?;
        for (position, it) in data.warnings.iter().enumerate() {
            warning.execute(params![id, position, it])?;
        }
        let mut blocked = self.connection.prepare("INSERT INTO blocked_edge VALUES (?, ?, ?, ?, ?, ?)")?;
        for (position, it) in data.blocked.iter().enumerate() {
            let risk = intern(self.connection, &mut self.risks, &it.risk)?;
            blocked.execute(params![id, position, it.to, it.from_text, risk, it.file])?;
        }
        let mut window = self.connection.prepare("INSERT INTO build_suggestion VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
        for (minor, suggestion) in &data.suggestions {
            for (arch, it) in suggestion {
                let text = |it: &Option<Version>| it.as_ref().map(ToString::to_string);
                let list = |it: &BTreeSet<String>| serde_json::json!(it).to_string();
                let lists = (list(&it.block_lists.0), list(&it.block_lists.1));
                let (minors, own) = ((text(&it.minor.0), text(&it.minor.1)), (text(&it.z.0), text(&it.z.1)));
                let minor = minor.to_string();
                window.execute(params![id, minor, arch, minors.0, minors.1, own.0, own.1, lists.0, lists.1])?;
            }
        }
        Ok(())
    }

    /// Channel, version, architecture and errata of each.
    fn releases<'r>(
        &self,
        id: i64,
        rows: impl Iterator<Item = (Option<&'r str>, &'r str, Option<&'r str>, &'r str)>,
    ) -> Result<()> {
        let mut statement = self.connection.prepare("INSERT INTO platform_release VALUES (?, ?, ?, ?, ?, ?, ?)")?;
        for (position, (channel, version, arch, url)) in rows.enumerate() {
            let key = Version::parse(version).ok().map(|it| it.sort_key());
            statement.execute(params![id, position, channel, version, key, arch, url])?;
        }
        Ok(())
    }
}

/// The number of a risk, which gets a row if it is new.
fn intern(connection: &Connection, risks: &mut BTreeMap<Risk, i64>, risk: &Risk) -> Result<i64> {
    if let Some(&id) = risks.get(risk) {
        return Ok(id);
    }
    let id = risks.len() as i64 + 1;
    let rules: Vec<serde_json::Value> = risk.matching_rules.iter().map(MatchingRule::to_json).collect();
    let row = params![id, risk.name, risk.url, risk.message, serde_json::Value::from(rules).to_string()];
    connection.prepare_cached("INSERT INTO update_risk VALUES (?, ?, ?, ?, ?)")?.execute(row)?;
    risks.insert(risk.clone(), id);
    Ok(id)
}

impl Index {
    /// The known updates of OpenShift, in the order in which the sources were given.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn update_sources(&self) -> std::result::Result<Vec<UpdateSource>, IndexError> {
        Ok(self.held_updates()?.into_iter().map(|it| it.source).collect())
    }

    /// The same, in the form in which another index can take it over.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn held_updates(&self) -> std::result::Result<Vec<HeldUpdates>, IndexError> {
        let read = || -> Result<Option<Vec<HeldUpdates>>> {
            let connection = self.connection();
            let sources: Vec<(i64, String, Identity)> = connection
                .prepare("SELECT id, kind, source, as_of, digest FROM update_source ORDER BY id")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, (row.get(2)?, row.get(3)?, row.get(4)?))))?
                .collect::<Result<_>>()?;
            if sources.is_empty() {
                return Ok(Some(Vec::new()));
            }
            let Some(risks) = risks(connection)? else { return Ok(None) };
            let mut found = Vec::new();
            for (id, kind, (name, as_of, digest)) in sources {
                let facts = match kind.as_str() {
                    ANSWER => read_graph(connection, id, &risks)?.map(UpdateFacts::Answer),
                    DATA => read_data(connection, id, &risks)?.map(UpdateFacts::Data),
                    _ => None,
                };
                let Some(facts) = facts else { return Ok(None) };
                let day = as_of.as_deref().and_then(Day::parse);
                if day.is_none() && as_of.is_some() {
                    return Ok(None);
                }
                found.push(HeldUpdates { source: UpdateSource { name, as_of: day, facts }, digest });
            }
            Ok(Some(found))
        };
        let found = read().map_err(|error| self.failed(&error))?;
        found.ok_or_else(|| self.damaged("its data on OpenShift updates are unreadable"))
    }
}

/// The risks by their numbers; `None` if a row is damaged, as in the functions below.
fn risks(connection: &Connection) -> Result<Option<BTreeMap<i64, Risk>>> {
    let mut statement = connection.prepare("SELECT id, name, url, message, matching_rules FROM update_risk")?;
    let mut rows = statement.query([])?;
    let mut risks = BTreeMap::new();
    let mut reader = json::Reader::new();
    while let Some(row) = rows.next()? {
        let rules: String = row.get(4)?;
        let Ok(rules) = reader.read(&rules) else { return Ok(None) };
        let matching_rules = rules.items().map(MatchingRule::read).collect();
        let risk = Risk { name: row.get(1)?, url: row.get(2)?, message: row.get(3)?, matching_rules };
        risks.insert(row.get(0)?, risk);
    }
    Ok(Some(risks))
}

fn read_graph(connection: &Connection, id: i64, risks: &BTreeMap<i64, Risk>) -> Result<Option<Graph>> {
    let mut graph = Graph::default();
    let sql = "SELECT version, channel, url FROM platform_release WHERE source = ?1 ORDER BY position";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        let (version, channel): (String, Option<String>) = (row.get(0)?, row.get(1)?);
        let url = row.get(2)?;
        let release =
            graph.releases.entry(version.clone()).or_insert_with(|| Release { version, url, ..Release::default() });
        release.channels.extend(channel);
    }
    let sql = "SELECT u.position, u.from_version, u.to_version, r.risk FROM platform_update u
               LEFT JOIN platform_update_risk r ON r.source = u.source AND r.\"update\" = u.position
               WHERE u.source = ?1 ORDER BY u.position, r.position";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([id])?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        let position: i64 = row.get(0)?;
        if last != Some(position) {
            let (from, to) = (row.get(1)?, row.get(2)?);
            graph.edges.push(Edge { from, to, risks: Vec::new(), is_estimated: false });
            last = Some(position);
        }
        if let (Some(risk), Some(edge)) = (row.get::<_, Option<i64>>(3)?, graph.edges.last_mut()) {
            let Some(risk) = risks.get(&risk) else { return Ok(None) };
            edge.risks.push(risk.clone());
        }
    }
    Ok(Some(graph))
}

fn read_data(connection: &Connection, id: i64, risks: &BTreeMap<i64, Risk>) -> Result<Option<GraphData>> {
    let mut data = GraphData::default();
    let sql = "SELECT channel, version, arch FROM platform_release WHERE source = ?1 ORDER BY position";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        data.channels.entry(row.get(0)?).or_default().push((row.get(1)?, row.get(2)?));
    }
    let sql = "SELECT to_version, from_pattern, risk, file FROM blocked_edge WHERE source = ?1 ORDER BY position";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        let from_text: String = row.get(1)?;
        let (Ok(from), Some(risk)) = (Pattern::parse(&from_text), risks.get(&row.get(2)?)) else { return Ok(None) };
        data.blocked.push(BlockedEdge { to: row.get(0)?, from, from_text, risk: risk.clone(), file: row.get(3)? });
    }
    let sql = "SELECT minor, arch, minor_min, minor_max, z_min, z_max, minor_block_list, z_block_list FROM build_suggestion WHERE source = ?1";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        let (minor, lists): (String, [String; 2]) = (row.get(0)?, [row.get(6)?, row.get(7)?]);
        let bounds: [Option<String>; 4] = [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?];
        let [minor_min, minor_max, z_min, z_max] = bounds.map(|it| it.and_then(|it| Version::parse(&it).ok()));
        let [before, own] = lists.map(|it| serde_json::from_str(&it));
        let (Some(minor), Ok(before), Ok(own)) = (coerce(&minor), before, own) else { return Ok(None) };
        let window = Window { minor: (minor_min, minor_max), z: (z_min, z_max), block_lists: (before, own) };
        let suggestion: &mut BTreeMap<String, Window> = data.suggestions.entry(minor).or_default();
        suggestion.insert(row.get(1)?, window);
    }
    Ok(Some(data))
}
