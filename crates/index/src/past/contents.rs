//! The contents of files: read once, however many states and catalogs have them.
//!
//! Texts are cut into documents and digested first, by all threads. Only documents that are new, each at its first
//! occurrence, are then parsed: in a file that changes daily most documents are those of the day before.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::Path;
use std::rc::Rc;

use rusqlite::{Connection, OptionalExtension as _, Result, params};

use super::source::{PastSource, PastText};
use crate::compression::{Digest, digest};
use crate::error::IndexError;
use crate::packed_documents::{PlacedDocument, pack, unpack};
use crate::prepare::{Prepared, Preparer, RowPlan, Source, raw_digest};
use crate::write::{Interned, Writer};
use olmdex_base::file::Text;
use olmdex_fbc::{self as fbc, Consumer, Document, Input, Origin, TreeFile, start_in_file};
use olmdex_rules::check::Draft;
use olmdex_text::yaml::Position;

/// The number of bytes of texts that are in memory at once, and how many of them.
const BATCH: u64 = 96 << 20;
const BATCH_FILES: usize = 512;

/// A content.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) documents: Vec<PlacedDocument>,
    /// The packages that they belong to.
    pub(super) packages: BTreeSet<String>,
    pub(super) defects: Vec<Defect>,
}

/// A document that cannot be decoded.
#[derive(Debug)]
pub(super) struct Defect {
    pub(super) package: String,
    pub(super) line: u32,
    /// The findings about it; empty if an earlier build has reported them.
    pub(super) drafts: Vec<Draft>,
}

/// The properties of a document that states need.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) schema: String,
    pub(super) package: String,
    pub(super) name: String,
    pub(super) version: String,
}

/// All contents that are known.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    by_digest: HashMap<Digest, i64>,
    next: i64,
    known: HashMap<i64, Rc<Content>>,
    heads: HashMap<i64, Rc<Head>>,
    /// By the names that a repository gives them; `None` if it lacks them.
    names: HashMap<String, Option<i64>>,
}

impl Contents {
    pub(super) fn read(connection: &Connection) -> Result<Self> {
        let mut found = Self { next: 1, ..Self::default() };
        let mut statement = connection.prepare("SELECT id, digest FROM file_content")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            found.next = found.next.max(id + 1);
            found.by_digest.insert(row.get(1)?, id);
        }
        Ok(found)
    }

    /// From now on names are those of another repository.
    pub(super) fn forget_names(&mut self) {
        self.names.clear();
    }

    /// The content of a name that was read.
    pub(super) fn named(&self, name: &str) -> Option<i64> {
        self.names.get(name).copied().flatten()
    }

    /// The head of a document.
    pub(super) fn head(&mut self, connection: &Connection, document: i64) -> Result<Rc<Head>> {
        if let Some(known) = self.heads.get(&document) {
            return Ok(Rc::clone(known));
        }
        let sql = "SELECT schema, package, name, (SELECT version FROM bundle WHERE document = ?1) FROM document WHERE id = ?1";
        let row = |row: &rusqlite::Row<'_>| {
            let version: Option<String> = row.get(3)?;
            Ok(Head {
                schema: row.get(0)?,
                package: row.get(1)?,
                name: row.get(2)?,
                version: version.unwrap_or_default(),
            })
        };
        let head = Rc::new(connection.prepare_cached(sql)?.query_row([document], row)?);
        self.heads.insert(document, Rc::clone(&head));
        Ok(head)
    }

    /// A content.
    pub(super) fn get(&mut self, connection: &Connection, id: i64) -> Result<Rc<Content>> {
        if let Some(known) = self.known.get(&id) {
            return Ok(Rc::clone(known));
        }
        let sql = "SELECT documents FROM file_content WHERE id = ?1";
        let documents: Option<Vec<u8>> =
            connection.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()?;
        let documents = documents.and_then(|it| unpack(&it)).unwrap_or_default();
        let sql = "SELECT package FROM content_defect WHERE content = ?1 ORDER BY position";
        let mut defects = connection.prepare_cached(sql)?;
        let defect = |row: &rusqlite::Row<'_>| Ok(Defect { package: row.get(0)?, line: 1, drafts: Vec::new() });
        let defects: Vec<Defect> = defects.query_map([id], defect)?.collect::<Result<_>>()?;
        self.keep(connection, id, documents, defects)
    }

    fn keep(
        &mut self,
        connection: &Connection,
        id: i64,
        documents: Vec<PlacedDocument>,
        defects: Vec<Defect>,
    ) -> Result<Rc<Content>> {
        let mut packages: BTreeSet<String> = defects.iter().map(|it| it.package.clone()).collect();
        for it in &documents {
            let head = self.head(connection, it.document)?;
            if !packages.contains(&head.package) {
                packages.insert(head.package.clone());
            }
        }
        let content = Rc::new(Content { documents, packages, defects });
        self.known.insert(id, Rc::clone(&content));
        Ok(content)
    }

    /// Reads the contents of these names, unless they are known.
    pub(super) fn fetch<S: PastSource>(
        &mut self,
        connection: &Connection,
        interned: &mut Interned,
        path: &Path,
        names: impl Iterator<Item = String>,
        source: &mut S,
    ) -> std::result::Result<(), S::Error> {
        let failed = |error: rusqlite::Error| S::Error::from(IndexError::writing(path, &error));
        let mut batch = Batch::default();
        for name in names {
            if self.names.contains_key(&name) {
                continue;
            }
            let text = match source.text(&name)? {
                PastText::Missing => {
                    self.names.insert(name, None);
                    continue;
                }
                PastText::Text(text) => Ok(text),
                PastText::Refused(error) => Err(error),
            };
            let digest = digest_of(&text).map_err(|error| IndexError::write(path, error.to_string()))?;
            if let Some(&id) = self.by_digest.get(&digest) {
                self.names.insert(name, Some(id));
                continue;
            }
            let id = self.next;
            self.next += 1;
            self.by_digest.insert(digest, id);
            self.names.insert(name, Some(id));
            batch.add(id, digest, text);
            if batch.bytes > BATCH || batch.files.len() == BATCH_FILES {
                std::mem::take(&mut batch).write(self, connection, interned).map_err(failed)?;
            }
        }
        batch.write(self, connection, interned).map_err(failed)
    }
}

/// The digest of a text; all links are one.
fn digest_of(text: &std::result::Result<Text, io::Error>) -> io::Result<Digest> {
    match text {
        Ok(text) => {
            let len = usize::try_from(text.len()).map_err(io::Error::other)?;
            Ok(digest(&text.part(0, len)?))
        }
        Err(_) => Ok(digest(b"a link")),
    }
}

/// Contents that are read together.
#[derive(Default)]
struct Batch {
    /// In the order of the files: number and digest.
    ids: Vec<(i64, Digest)>,
    files: Vec<TreeFile>,
    bytes: u64,
}

/// A document that was cut out of a text.
struct Cut {
    origin: Origin,
    start: Position,
    raw: Digest,
}

/// The document in a text, or the defect of the text.
enum ParsedText {
    Document(Source),
    Defect(String, Vec<Draft>),
}

impl Batch {
    fn add(&mut self, id: i64, digest: Digest, text: std::result::Result<Text, io::Error>) {
        self.bytes += text.as_ref().map_or(0, Text::len);
        // The order of the names is that of the numbers.
        let components = vec![format!("{:08}", self.files.len()).into_bytes()];
        self.ids.push((id, digest));
        self.files.push(TreeFile { components, text });
    }

    fn write(self, contents: &mut Contents, connection: &Connection, interned: &mut Interned) -> Result<()> {
        if self.files.is_empty() {
            return Ok(());
        }
        let input = Input::tree("", self.files, true);
        let mut cuts: Vec<Cut> = Vec::new();
        let mut wanted: HashSet<(u32, u64)> = HashSet::new();
        let mut seen: HashSet<Digest> = HashSet::new();
        fbc::load(&input, &Cutting, |cut| {
            if !interned.documents.by_raw.contains_key(&cut.raw) && seen.insert(cut.raw) {
                wanted.insert((cut.origin.file, cut.origin.offset));
            }
            cuts.push(cut);
            Ok::<_, rusqlite::Error>(())
        })?;
        let mut found = write_new(connection, interned, &input, &wanted)?;
        let mut of_files: Vec<(Vec<PlacedDocument>, Vec<Defect>)> = Vec::new();
        of_files.resize_with(self.ids.len(), Default::default);
        for Cut { origin, start, raw } in cuts {
            let Some((documents, defects)) = of_files.get_mut(origin.file as usize) else { continue };
            match found.get_mut(&raw) {
                Some(ParsedText::Defect(package, drafts)) => {
                    let (package, drafts) = (package.clone(), drafts.clone());
                    defects.push(Defect { package, line: origin.line, drafts });
                }
                Some(ParsedText::Document(it)) => documents.push(placed(*it, start)),
                None => {
                    let known = interned.documents.by_raw.get(&raw).copied();
                    documents.extend(known.map(|it| placed(it, start)));
                }
            }
        }
        let mut insert = connection.prepare_cached("INSERT INTO file_content VALUES (?, ?, ?)")?;
        let mut insert_defect = connection.prepare_cached("INSERT INTO content_defect VALUES (?, ?, ?)")?;
        for ((id, digest), (documents, defects)) in self.ids.into_iter().zip(of_files) {
            insert.execute(params![id, digest, pack(&documents)])?;
            for (position, it) in defects.iter().enumerate() {
                insert_defect.execute(params![id, position, it.package])?;
            }
            contents.keep(connection, id, documents, defects)?;
        }
        Ok(())
    }
}

fn placed(source: Source, start: Position) -> PlacedDocument {
    PlacedDocument { document: source.document, line: start.line, column: start.column, layout: source.layout }
}

/// Writes the documents at some places, and returns the meaning of the texts there.
fn write_new(
    connection: &Connection,
    interned: &mut Interned,
    input: &Input,
    wanted: &HashSet<(u32, u64)>,
) -> Result<HashMap<Digest, ParsedText>> {
    let mut found = HashMap::new();
    if wanted.is_empty() {
        return Ok(found);
    }
    let mut writer = Writer::new(connection)?;
    let mut fresh: HashMap<Digest, i64> = HashMap::new();
    let known = std::mem::take(&mut interned.documents);
    let consumer = OnlyNew { preparer: Preparer::new(&known, input, false), wanted };
    let mut sources = Vec::new();
    let result = fbc::load(input, &consumer, |prepared| {
        let Some(Prepared { raw, is_read, plan, .. }) = prepared else { return Ok(()) };
        let source = match plan {
            RowPlan::Unreadable(it) => {
                found.insert(raw, ParsedText::Defect(it.facts.package().to_owned(), it.drafts));
                return Ok(());
            }
            RowPlan::Known(source) => source,
            RowPlan::Same(document, inspected, layout) => {
                writer.judged_again(document, &inspected)?;
                Source { document, layout: writer.layout(layout, interned)? }
            }
            RowPlan::New(document, inspected, layout) => {
                let id = match fresh.get(&document.digest) {
                    Some(&id) => id,
                    None => {
                        let id = interned.next_document;
                        interned.next_document += 1;
                        writer.document(id, &document, &inspected, interned)?;
                        fresh.insert(document.digest, id);
                        id
                    }
                };
                Source { document: id, layout: writer.layout(layout, interned)? }
            }
        };
        if is_read {
            writer.source(&raw, source)?;
            sources.push((raw, source));
        }
        found.insert(raw, ParsedText::Document(source));
        Ok::<_, rusqlite::Error>(())
    });
    interned.documents = known;
    result?;
    interned.documents.by_raw.extend(sources);
    interned.documents.by_digest.extend(fresh);
    Ok(found)
}

/// Cuts texts into documents, and decodes none.
struct Cutting;

impl Consumer for Cutting {
    type Output = Cut;

    fn recalls(&self) -> bool {
        true
    }

    fn recall(&self, origin: Origin, raw: &[u8]) -> Option<Cut> {
        Some(Cut { origin, start: start_in_file(origin, raw), raw: raw_digest(origin.syntax, raw) })
    }

    fn document(&self, document: Document<'_>) -> Cut {
        let Document { origin, raw, .. } = document;
        Cut { origin, start: start_in_file(origin, raw), raw: raw_digest(origin.syntax, raw) }
    }
}

/// Prepares the documents at some places, and skips all others.
struct OnlyNew<'k> {
    preparer: Preparer<'k>,
    wanted: &'k HashSet<(u32, u64)>,
}

impl Consumer for OnlyNew<'_> {
    type Output = Option<Prepared>;

    fn recalls(&self) -> bool {
        true
    }

    fn wants_places(&self) -> bool {
        true
    }

    fn recall(&self, origin: Origin, _: &[u8]) -> Option<Self::Output> {
        (!self.wanted.contains(&(origin.file, origin.offset))).then_some(None)
    }

    fn document(&self, document: Document<'_>) -> Self::Output {
        let is_wanted = self.wanted.contains(&(document.origin.file, document.origin.offset));
        is_wanted.then(|| self.preparer.document(document))
    }
}
