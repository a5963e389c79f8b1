//! A catalog into a light index, for resolution and dependencies: it is read and checked as ever, but no document is
//! kept, no word can be searched, and nothing is recognised in a later build. An index for lists has even less.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::compression::Digest;
use super::error::IndexError;
use super::import::{Importing, Watch};
use super::open::Extent;
use super::prepare::{Layout, NewDocument, Rows, light_bundle, named_bundle, rows_of, versioned_bundle};
use super::service_version::{CsvFacts, facts};
use super::write::{DocumentPlace, Writer};
use olmdex_base::diag::Rule;
use olmdex_fbc::service_version::CsvView;
use olmdex_fbc::{self as fbc, Blob, Consumer, Document, Origin, Typed, layout_of, start_in_file};
use olmdex_rules::check::{Checker, Inspected};
use olmdex_text::json;
use olmdex_text::yaml::Position;

/// A document as a light index has it; without rows if it cannot be read.
struct LightDocument {
    origin: Origin,
    start: Position,
    inspected: Box<Inspected>,
    document: Option<(NewDocument, Layout)>,
}

/// Prepares documents.
struct LightPreparer<'p> {
    extent: Extent,
    practices: &'p [&'static Rule],
    readers: Mutex<Vec<json::Reader>>,
}

impl LightPreparer<'_> {
    fn rows(&self, blob: &Blob<'_>, inspected: &Inspected) -> Rows {
        let readers = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let pooled = readers().pop();
        let mut reader = pooled.unwrap_or_else(json::Reader::new);
        let rows = match &blob.typed {
            Typed::Bundle(bundle) => Rows::Bundle(Box::new(match self.extent {
                Extent::Graphs => versioned_bundle(bundle),
                Extent::Lists => named_bundle(bundle, &mut reader, names),
                Extent::Light | Extent::Whole => light_bundle(bundle, &mut reader, light_facts),
            })),
            _ => rows_of(blob, Some(&inspected.facts), &mut reader).without_words(),
        };
        readers().push(reader);
        rows
    }
}

/// The facts of a ClusterServiceVersion that lists show.
fn names(csv: CsvView<'_>) -> CsvFacts {
    CsvFacts { display_name: csv.text("displayName"), provider: csv.provider(), ..CsvFacts::default() }
}

/// The facts that resolution, dependencies and the check for OLM v1 need too.
fn light_facts(csv: CsvView<'_>) -> CsvFacts {
    CsvFacts {
        keywords: Vec::new(),
        categories: Vec::new(),
        maintainers: Vec::new(),
        links: Vec::new(),
        platforms: BTreeMap::new(),
        features: BTreeMap::new(),
        ..facts(csv)
    }
}

impl Consumer for LightPreparer<'_> {
    type Output = LightDocument;

    fn wants_places(&self) -> bool {
        self.extent != Extent::Lists
    }

    fn document(&self, document: Document<'_>) -> LightDocument {
        let inspected = Box::new(Checker::inspect(self.practices, &document));
        let of = |blob: &Blob<'_>| NewDocument {
            digest: Digest::default(),
            schema: blob.schema.to_string(),
            package: blob.package.to_string(),
            name: blob.name.to_string(),
            text: None,
            rows: self.rows(blob, &inspected),
        };
        let new = document.blob.as_ref().ok().map(|blob| (of(blob), layout_of(&document)));
        let start = start_in_file(document.origin, document.raw);
        LightDocument { origin: document.origin, start, inspected, document: new }
    }
}

/// A digest that no other document has: nothing looks for documents by their digests here.
fn number_as_digest(id: i64) -> Digest {
    let mut digest = Digest::default();
    digest[..size_of::<i64>()].copy_from_slice(&id.to_le_bytes());
    digest
}

impl Importing<'_> {
    /// Writes files, and the rows of each document that a light index has. Returns the checker that has seen all
    /// documents, of which `watch` takes note.
    pub(super) fn light_documents(
        &mut self,
        path: &std::path::Path,
        watch: &mut Watch<'_>,
    ) -> Result<Checker, IndexError> {
        let failed = |error: rusqlite::Error| IndexError::writing(path, &error);
        let first_file = self.files().map_err(failed)?;
        let mut writer = Writer::new(self.connection).map_err(failed)?;
        let mut checker = Checker::new().with_practices(watch.practices);
        let mut position = 0;
        let mut take = |light: LightDocument| -> rusqlite::Result<()> {
            let LightDocument { origin, start, inspected, document } = light;
            if let Some((mut document, layout)) = document {
                let id = self.interned.next_document;
                self.interned.next_document += 1;
                document.digest = number_as_digest(id);
                writer.document(id, &document, &inspected, self.interned)?;
                let file = first_file + i64::from(origin.file);
                let (catalog, layout) = (self.catalog, writer.layout(layout, self.interned)?);
                writer.place(&DocumentPlace { catalog, position, document: id, file, start, layout })?;
                position += 1;
                self.counts.new += 1;
            }
            (watch.note)(&inspected);
            checker.add(*inspected);
            Ok(())
        };
        let preparer = LightPreparer { extent: self.extent, practices: watch.practices, readers: Mutex::default() };
        fbc::load(self.input, &preparer, |light| take(light).map_err(failed))?;
        Ok(checker)
    }
}
