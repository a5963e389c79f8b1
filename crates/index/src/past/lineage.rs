//! A catalog from state to state: from when to when it had which file, document, package and channel.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use rusqlite::{Connection, Result, Statement, params};

use super::contents::{Content, Contents, Head};
use super::source::{LeftOut, MissingFile, PastImport};
use crate::graph::Graphs;
use crate::known_documents::Recall;
use crate::write::Interned;
use olmdex_base::diag::{Finding, Place, Severity};
use olmdex_fbc::{Input, Origin, Syntax};
use olmdex_rules::check::{Checker, Draft};
use olmdex_rules::openshift;
use olmdex_version::Version;

/// Paths in the order in which a catalog is read: by the bytes of their components.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct PathKey(Vec<u8>);

impl PathKey {
    fn new(path: &str) -> Self {
        Self(path.bytes().map(|it| if it == b'/' { 0 } else { it }).collect())
    }

    fn path(&self) -> String {
        let bytes = self.0.iter().map(|it| if *it == 0 { b'/' } else { *it }).collect();
        String::from_utf8(bytes).unwrap_or_default()
    }
}

/// The time since which something exists: a row that is written when it ends, or at the end.
#[derive(Debug, Clone, Copy)]
struct Since {
    first: i64,
    /// Whether the database has the row already.
    is_written: bool,
}

/// The verdict about a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Valid,
    /// Its checks found errors.
    Broken,
    /// A file that it has is not known.
    Unknown,
    /// Only lifecycles are about it: it is not a package of the catalog.
    Mentioned,
}

impl Status {
    /// Whether its documents are in the state.
    fn is_held(self) -> bool {
        matches!(self, Self::Valid | Self::Mentioned)
    }

    fn word(self) -> &'static str {
        olmdex_base::variant_name(&self)
    }

    fn parse(word: &str) -> Self {
        match word {
            "valid" => Self::Valid,
            "broken" => Self::Broken,
            "mentioned" => Self::Mentioned,
            _ => Self::Unknown,
        }
    }
}

/// The facts that follow from a package's documents.
#[derive(Debug)]
struct Shape {
    is_broken: bool,
    is_mentioned: bool,
    /// Its `olm.package`.
    document: Option<i64>,
    /// Channels with their graphs.
    channels: BTreeMap<i64, i64>,
    /// Its documents, each once.
    documents: BTreeSet<i64>,
    drafts: Vec<(usize, Draft)>,
}

/// A file of the last state.
#[derive(Debug)]
struct File {
    content: Option<i64>,
    /// The last content that was known.
    known: Option<i64>,
    since: Since,
}

/// A package of the last state.
#[derive(Debug)]
struct Package {
    status: Status,
    document: Option<i64>,
    since: Since,
    channels: BTreeMap<i64, (i64, Since)>,
    documents: BTreeMap<i64, Since>,
}

/// Follows catalogs, with the parts that they share.
pub(super) struct Follower<'c> {
    connection: &'c Connection,
    graphs: Graphs<'c>,
    recall: Recall<'c>,
    shapes: HashMap<Vec<i64>, Rc<Shape>>,
    rows: Rows<'c>,
}

/// Statements that write rows of the past.
struct Rows<'c> {
    file: Statement<'c>,
    end_file: Statement<'c>,
    document: Statement<'c>,
    end_document: Statement<'c>,
    package: Statement<'c>,
    end_package: Statement<'c>,
    channel: Statement<'c>,
    end_channel: Statement<'c>,
}

/// A catalog that is followed from state to state.
#[derive(Debug, Default)]
pub(super) struct Lineage {
    pub(super) catalog: i64,
    /// The prefix of the paths of files in findings.
    pub(super) shown: String,
    files: BTreeMap<PathKey, File>,
    packages: BTreeMap<String, Package>,
    /// The files that have a part of a package, or whose part of it is not known.
    of_packages: HashMap<String, BTreeSet<PathKey>>,
}

impl<'c> Follower<'c> {
    pub(super) fn new(connection: &'c Connection) -> Result<Self> {
        let prepare = |sql| connection.prepare(sql);
        let rows = Rows {
            file: prepare("INSERT INTO past_file VALUES (?1, ?2, ?3, ?4, ?5)")?,
            end_file: prepare("UPDATE past_file SET last = ?4 WHERE catalog = ?1 AND path = ?2 AND first = ?3")?,
            document: prepare("INSERT INTO past_document VALUES (?2, ?1, ?3, ?4)")?,
            end_document: prepare(
                "UPDATE past_document SET last = ?4 WHERE document = ?2 AND catalog = ?1 AND first = ?3",
            )?,
            package: prepare("INSERT INTO past_package VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?,
            end_package: prepare(
                "UPDATE past_package SET last = ?4 WHERE catalog = ?1 AND package = ?2 AND first = ?3",
            )?,
            channel: prepare("INSERT INTO past_channel VALUES (?1, ?2, ?3, ?4, ?5)")?,
            end_channel: prepare(
                "UPDATE past_channel SET last = ?4 WHERE catalog = ?1 AND channel = ?2 AND first = ?3",
            )?,
        };
        let (graphs, recall) = (Graphs::new(connection)?, Recall::new(connection)?);
        Ok(Self { connection, graphs, recall, shapes: HashMap::new(), rows })
    }

    /// The facts that follow from a list of documents of one package.
    fn shape(&mut self, documents: &[i64], heads: &[Rc<Head>], interned: &mut Interned) -> Result<Rc<Shape>> {
        if let Some(known) = self.shapes.get(documents) {
            return Ok(Rc::clone(known));
        }
        let mut checker = Checker::new();
        for (number, document) in documents.iter().enumerate() {
            let line = u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1);
            let origin = Origin { file: 0, line, column: 1, syntax: Syntax::Json, offset: 0, len: 0 };
            checker.add(self.recall.inspected(*document, origin)?);
        }
        let mut drafts = checker.drafts(&Input::default());
        drafts.retain(|it| it.1.rule.severity == Severity::Error);
        let of_schema = |schema: &'static str| {
            documents.iter().zip(heads).filter(move |it| it.1.schema == schema).map(|it| (*it.0, it.1))
        };
        // A document without a package may break rules; there is nothing to leave out for it.
        let is_broken = !drafts.is_empty() && heads.first().is_some_and(|it| !it.package.is_empty());
        let mut channels = BTreeMap::new();
        if !is_broken {
            let (mut bundles, mut versions) = (HashMap::new(), HashMap::new());
            for (document, head) in of_schema("olm.bundle") {
                bundles.entry(head.name.clone()).or_insert(document);
                versions.extend(Version::parse(&head.version).ok().map(|it| (document, it)));
            }
            for (document, head) in of_schema("olm.channel") {
                let name = (head.package.as_str(), head.name.as_str());
                channels.insert(document, self.graphs.of(document, name, &bundles, &versions, interned)?);
            }
        }
        let document = of_schema("olm.package").map(|it| it.0).min();
        let documents_once = documents.iter().copied().collect();
        let is_mentioned = heads.iter().all(|it| it.schema == openshift::SCHEMA);
        let shape = Rc::new(Shape { is_broken, is_mentioned, document, channels, documents: documents_once, drafts });
        self.shapes.insert(documents.to_vec(), Rc::clone(&shape));
        Ok(shape)
    }
}

/// A file that changed.
#[derive(Debug)]
pub(super) struct ChangedFile {
    pub(super) path: String,
    /// Its present state; `None` if it is gone.
    pub(super) file: Option<FileNow>,
}

/// The present state of a file.
#[derive(Debug)]
pub(super) struct FileNow {
    /// Its content; `None` if that is not known.
    pub(super) content: Option<i64>,
    /// The name that the repository gives the content.
    pub(super) name: String,
}

/// A state of the catalog, by its number and its name.
#[derive(Clone, Copy)]
pub(super) struct StateName<'s> {
    pub(super) number: i64,
    pub(super) name: &'s str,
}

/// The step to a state, with all that it reads and fills.
pub(super) struct Advance<'a, 'c> {
    pub(super) follower: &'a mut Follower<'c>,
    pub(super) contents: &'a mut Contents,
    pub(super) interned: &'a mut Interned,
    pub(super) state: StateName<'a>,
    pub(super) import: &'a mut PastImport,
}

/// The state that a package should have next.
struct NextState {
    status: Status,
    shape: Option<Rc<Shape>>,
}

impl Lineage {
    /// A catalog as it is in its last state.
    pub(super) fn resume(
        connection: &Connection,
        catalog: i64,
        shown: String,
        contents: &mut Contents,
    ) -> Result<Self> {
        let mut lineage = Self { catalog, shown, ..Self::default() };
        let sql = "SELECT path, first, content, (SELECT o.content FROM past_file o WHERE o.catalog = f.catalog AND o.path = f.path
                     AND o.first < f.first AND o.content IS NOT NULL ORDER BY o.first DESC LIMIT 1)
                   FROM past_file f WHERE catalog = ?1 AND last IS NULL";
        let row = |row: &rusqlite::Row<'_>| {
            let content: Option<i64> = row.get(2)?;
            let before: Option<i64> = row.get(3)?;
            let since = Since { first: row.get(1)?, is_written: true };
            Ok((PathKey::new(&row.get::<_, String>(0)?), File { content, known: content.or(before), since }))
        };
        let files: Vec<(PathKey, File)> = connection.prepare(sql)?.query_map([catalog], row)?.collect::<Result<_>>()?;
        for (key, file) in files {
            lineage.list(connection, contents, &key, file.known, true)?;
            lineage.files.insert(key, file);
        }
        let sql = "SELECT package, first, status, document FROM past_package WHERE catalog = ?1 AND last IS NULL";
        let row = |row: &rusqlite::Row<'_>| {
            let since = Since { first: row.get(1)?, is_written: true };
            let (status, document) = (Status::parse(row.get_ref(2)?.as_str()?), row.get(3)?);
            let (channels, documents) = (BTreeMap::new(), BTreeMap::new());
            Ok((row.get(0)?, Package { status, document, since, channels, documents }))
        };
        lineage.packages = connection.prepare(sql)?.query_map([catalog], row)?.collect::<Result<_>>()?;
        let sql =
            "SELECT d.package, p.document, p.first FROM past_document p CROSS JOIN document d ON d.id = p.document
                   WHERE p.catalog = ?1 AND p.last IS NULL";
        lineage.each_open(connection, sql, |package, row, since| {
            package.documents.insert(row.get(1)?, since);
            Ok(())
        })?;
        let sql = "SELECT d.package, p.channel, p.first, p.graph FROM past_channel p CROSS JOIN document d ON d.id = p.channel
                   WHERE p.catalog = ?1 AND p.last IS NULL";
        lineage.each_open(connection, sql, |package, row, since| {
            package.channels.insert(row.get(1)?, (row.get(3)?, since));
            Ok(())
        })?;
        Ok(lineage)
    }

    /// Hands each row that has not ended to its package: rows begin with the package's name, and have their first state
    /// third.
    fn each_open(
        &mut self,
        connection: &Connection,
        sql: &str,
        mut give: impl FnMut(&mut Package, &rusqlite::Row<'_>, Since) -> Result<()>,
    ) -> Result<()> {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([self.catalog])?;
        while let Some(row) = rows.next()? {
            let since = Since { first: row.get(2)?, is_written: true };
            if let Some(package) = self.packages.get_mut(row.get_ref(0)?.as_str()?) {
                give(package, row, since)?;
            }
        }
        Ok(())
    }

    /// Notes which packages a file has something of, or takes the note away. Gives these packages.
    fn list(
        &mut self,
        connection: &Connection,
        contents: &mut Contents,
        key: &PathKey,
        content: Option<i64>,
        is_there: bool,
    ) -> Result<BTreeSet<String>> {
        let Some(content) = content else { return Ok(BTreeSet::new()) };
        let content = contents.get(connection, content)?;
        for package in &content.packages {
            let paths = self.of_packages.entry(package.clone()).or_default();
            if is_there {
                paths.insert(key.clone());
            } else {
                paths.remove(key);
            }
        }
        Ok(content.packages.clone())
    }

    /// The paths of the last state.
    pub(super) fn paths(&self) -> Vec<String> {
        self.files.keys().map(PathKey::path).collect()
    }

    /// Goes on to the next state, in which these files are others.
    pub(super) fn advance(&mut self, mut step: Advance<'_, '_>, changes: &[ChangedFile]) -> Result<()> {
        let (StateName { number, name }, connection) = (step.state, step.follower.connection);
        let mut affected: BTreeSet<String> = BTreeSet::new();
        for ChangedFile { path, file } in changes {
            let key = PathKey::new(path);
            let old = self.files.remove(&key);
            let content = file.as_ref().map(|it| it.content);
            let old = match old {
                // Another name of the same content.
                Some(old) if content == Some(old.content) => {
                    self.files.insert(key, old);
                    continue;
                }
                old => old,
            };
            let known = old.as_ref().and_then(|it| it.known);
            affected.extend(self.list(connection, step.contents, &key, known, false)?);
            if let Some(old) = old {
                let row = params![self.catalog, path, old.since.first, number - 1, old.content];
                let rows = &mut step.follower.rows;
                end(old.since, number, row, &mut rows.file, &mut rows.end_file)?;
            }
            let Some(FileNow { content, name: content_name }) = file else { continue };
            if content.is_none() && !step.import.missing.iter().any(|it| it.content == *content_name) {
                let (path, content, state) = (path.clone(), content_name.clone(), name.to_owned());
                step.import.missing.push(MissingFile { path, content, state });
            }
            let known = content.or(known);
            affected.extend(self.list(connection, step.contents, &key, known, true)?);
            let since = Since { first: number, is_written: false };
            self.files.insert(key, File { content: *content, known, since });
        }
        for package in affected {
            let wanted = self.wanted(&mut step, &package)?;
            self.change(step.follower, number, &package, wanted)?;
        }
        Ok(())
    }

    /// The state that a package should have, given the present files.
    fn wanted(&self, step: &mut Advance<'_, '_>, package: &str) -> Result<Option<NextState>> {
        let connection = step.follower.connection;
        let paths: Vec<PathKey> = self.of_packages.get(package).into_iter().flatten().cloned().collect();
        let mut documents = Vec::new();
        let mut places = Vec::new();
        let mut heads = Vec::new();
        let (mut is_unknown, mut has_defects) = (false, false);
        for key in paths {
            let Some(content) = self.files.get(&key).map(|it| it.content) else { continue };
            let Some(content) = content else {
                is_unknown = true;
                continue;
            };
            let content = step.contents.get(connection, content)?;
            for it in &content.documents {
                let head = step.contents.head(connection, it.document)?;
                if head.package == package {
                    documents.push(it.document);
                    places.push((key.clone(), it.line));
                    heads.push(head);
                }
            }
            has_defects |= content.defects.iter().any(|it| it.package == package && !package.is_empty());
            self.note_defects(step, &key, &content, package);
        }
        if is_unknown {
            return Ok(Some(NextState { status: Status::Unknown, shape: None }));
        }
        if documents.is_empty() && !has_defects {
            return Ok(None);
        }
        let shape = step.follower.shape(&documents, &heads, step.interned)?;
        if !shape.is_broken && !has_defects {
            let status = if shape.is_mentioned { Status::Mentioned } else { Status::Valid };
            return Ok(Some(NextState { status, shape: Some(shape) }));
        }
        let is_new = self.packages.get(package).is_none_or(|it| it.status != Status::Broken);
        let (import, state) = (&mut *step.import, step.state.name);
        import.is_broken = true;
        if is_new {
            import.left_out.push(LeftOut { package: package.to_owned(), state: state.to_owned() });
            for (number, draft) in &shape.drafts {
                if let Some((key, line)) = places.get(*number) {
                    import.findings.push(self.finding(key, *line, package, state, draft));
                }
            }
        }
        Ok(Some(NextState { status: Status::Broken, shape: None }))
    }

    fn note_defects(&self, step: &mut Advance<'_, '_>, key: &PathKey, content: &Content, package: &str) {
        let (import, state) = (&mut *step.import, step.state.name);
        for defect in content.defects.iter().filter(|it| it.package == package) {
            import.is_broken = true;
            for draft in &defect.drafts {
                let finding = self.finding(key, defect.line, package, state, draft);
                let is_new = |it: &Finding| it.message != finding.message || it.package != finding.package;
                if import.findings.iter().all(is_new) {
                    import.findings.push(finding);
                }
            }
        }
    }

    /// A finding about a document of a state. The text of the document is not available, so the place is its beginning.
    fn finding(&self, key: &PathKey, line: u32, package: &str, state: &str, draft: &Draft) -> Finding {
        let file = format!("{}/{}", self.shown, key.path());
        let place = Place { file, line, column: 1, source: None, source_column: 1 };
        let message = format!("{} (in `{state}`)", draft.message);
        // The help may name places by lines, which are not known here.
        Finding { message, help: None, ..draft.finding(place, package) }
    }

    /// Brings a package into its new state: ends rows of removed parts, and begins those of added parts.
    fn change(
        &mut self,
        follower: &mut Follower<'_>,
        number: i64,
        package: &str,
        wanted: Option<NextState>,
    ) -> Result<()> {
        let rows = &mut follower.rows;
        let catalog = self.catalog;
        let now = Since { first: number, is_written: false };
        let shape = wanted.as_ref().and_then(|it| it.shape.as_deref());
        let mut held = self.packages.remove(package);
        let (mut documents, mut channels) = (BTreeMap::new(), BTreeMap::new());
        let (old_documents, old_channels) = match &mut held {
            Some(it) => (std::mem::take(&mut it.documents), std::mem::take(&mut it.channels)),
            None => Default::default(),
        };
        for (document, since) in old_documents {
            if shape.is_some_and(|it| it.documents.contains(&document)) {
                documents.insert(document, since);
            } else {
                let row = params![catalog, document, since.first, number - 1];
                end(since, number, row, &mut rows.document, &mut rows.end_document)?;
            }
        }
        for (channel, (graph, since)) in old_channels {
            if shape.is_some_and(|it| it.channels.get(&channel) == Some(&graph)) {
                channels.insert(channel, (graph, since));
            } else {
                let row = params![catalog, channel, since.first, number - 1, graph];
                end(since, number, row, &mut rows.channel, &mut rows.end_channel)?;
            }
        }
        if let Some(shape) = shape {
            for document in &shape.documents {
                documents.entry(*document).or_insert(now);
            }
            for (channel, graph) in &shape.channels {
                channels.entry(*channel).or_insert((*graph, now));
            }
        }
        let state = wanted.as_ref().map(|it| (it.status, it.shape.as_ref().and_then(|it| it.document)));
        let since = match held {
            Some(old) if state == Some((old.status, old.document)) => old.since,
            Some(old) => {
                let row = params![catalog, package, old.since.first, number - 1, old.status.word(), old.document];
                end(old.since, number, row, &mut rows.package, &mut rows.end_package)?;
                now
            }
            None => now,
        };
        if let Some((status, document)) = state {
            let package_now = Package { status, document, since, channels, documents };
            self.packages.insert(package.to_owned(), package_now);
        }
        Ok(())
    }

    /// Writes the open rows of the last state, as far as they are new.
    pub(super) fn write_open(&mut self, follower: &mut Follower<'_>) -> Result<()> {
        let rows = &mut follower.rows;
        let catalog = self.catalog;
        let none: Option<i64> = None;
        for (key, file) in &mut self.files {
            if !std::mem::replace(&mut file.since.is_written, true) {
                rows.file.execute(params![catalog, key.path(), file.since.first, none, file.content])?;
            }
        }
        for (name, it) in &mut self.packages {
            if !std::mem::replace(&mut it.since.is_written, true) {
                rows.package.execute(params![catalog, name, it.since.first, none, it.status.word(), it.document])?;
            }
            for (document, since) in &mut it.documents {
                if !std::mem::replace(&mut since.is_written, true) {
                    rows.document.execute(params![catalog, document, since.first, none])?;
                }
            }
            for (channel, (graph, since)) in &mut it.channels {
                if !std::mem::replace(&mut since.is_written, true) {
                    rows.channel.execute(params![catalog, channel, since.first, none, *graph])?;
                }
            }
        }
        Ok(())
    }

    /// Writes the rows of the present catalog.
    pub(super) fn write_present(
        &self,
        connection: &Connection,
        contents: &mut Contents,
        next_file: &mut i64,
    ) -> Result<()> {
        let catalog = self.catalog;
        let mut file = connection.prepare_cached("INSERT INTO file VALUES (?, ?, ?, ?)")?;
        let mut document = connection.prepare_cached("INSERT INTO catalog_document VALUES (?, ?, ?, ?, ?, ?, ?)")?;
        let mut position = 0;
        for (number, (key, it)) in self.files.iter().enumerate() {
            let id = *next_file;
            *next_file += 1;
            file.execute(params![id, catalog, number, format!("{}/{}", self.shown, key.path())])?;
            let Some(content) = it.content else { continue };
            for it in &contents.get(connection, content)?.documents {
                let head = contents.head(connection, it.document)?;
                let is_valid = self.packages.get(&head.package).is_some_and(|it| it.status.is_held());
                if is_valid {
                    let row = params![catalog, position, it.document, id, it.line, it.column, it.layout];
                    document.execute(row)?;
                    position += 1;
                }
            }
        }
        let mut package = connection.prepare_cached("INSERT INTO catalog_package VALUES (?, ?, ?, 1)")?;
        let mut channel = connection.prepare_cached("INSERT INTO catalog_channel VALUES (?, ?, ?)")?;
        for (name, it) in self.packages.iter().filter(|it| it.1.status == Status::Valid && !it.0.is_empty()) {
            package.execute(params![catalog, name, it.document])?;
            for (document, (graph, _)) in &it.channels {
                channel.execute([catalog, *document, *graph])?;
            }
        }
        Ok(())
    }
}

/// Ends something before a state. If it began in that very state, it never existed.
fn end(
    since: Since,
    number: i64,
    row: &[&dyn rusqlite::ToSql],
    insert: &mut Statement<'_>,
    update: &mut Statement<'_>,
) -> Result<()> {
    if since.is_written {
        // The key and the last state come first in each row.
        update.execute(&row[..4]).map(drop)
    } else if since.first < number {
        insert.execute(row).map(drop)
    } else {
        Ok(())
    }
}
