//! A catalog into an index that answers lists only: it is read and checked as ever, but no document is kept, no word
//! can be searched, and nothing is recognised in a later build.

use std::sync::{Mutex, PoisonError};

use super::compression::Digest;
use super::error::IndexError;
use super::import::Importing;
use super::prepare::{NewDocument, Rows, named_bundle, rows_of};
use super::service_version::CsvFacts;
use super::write::{DocumentPlace, Writer};
use olmdex_fbc::service_version::CsvView;
use olmdex_fbc::{self as fbc, Blob, Consumer, Document, Origin, Typed, start_in_file};
use olmdex_rules::check::{self, Checker, Inspected};
use olmdex_text::json;
use olmdex_text::yaml::Position;

/// A document as lists need it; without rows if it cannot be read.
struct Listed {
    origin: Origin,
    start: Position,
    inspected: Box<Inspected>,
    document: Option<NewDocument>,
}

/// Prepares documents.
#[derive(Default)]
struct Lister {
    readers: Mutex<Vec<json::Reader>>,
}

impl Lister {
    fn rows(&self, blob: &Blob<'_>, inspected: &Inspected) -> Rows {
        let readers = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let pooled = readers().pop();
        let mut reader = pooled.unwrap_or_else(json::Reader::new);
        let rows = match &blob.typed {
            Typed::Bundle(it) => Rows::Bundle(Box::new(named_bundle(it, &mut reader, names))),
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

impl Consumer for Lister {
    type Output = Listed;

    fn document(&self, document: Document<'_>) -> Listed {
        let inspected = Box::new(check::inspect(&document));
        let of = |blob: &Blob<'_>| NewDocument {
            digest: Digest::default(),
            schema: blob.schema.to_string(),
            package: blob.package.to_string(),
            name: blob.name.to_string(),
            text: None,
            rows: self.rows(blob, &inspected),
        };
        let new = document.blob.as_ref().ok().map(of);
        let start = start_in_file(document.origin, document.raw);
        Listed { origin: document.origin, start, inspected, document: new }
    }
}

/// A digest that no other document has: nothing looks for documents by their digests here.
fn number_as_digest(id: i64) -> Digest {
    let mut digest = Digest::default();
    digest[..size_of::<i64>()].copy_from_slice(&id.to_le_bytes());
    digest
}

impl Importing<'_> {
    /// Writes files, and of each document what lists need. Returns the checker that has seen all documents.
    pub(super) fn listed_documents(&mut self, path: &std::path::Path) -> Result<Checker, IndexError> {
        let failed = |error: rusqlite::Error| IndexError::writing(path, &error);
        let first_file = self.files().map_err(failed)?;
        let mut writer = Writer::new(self.connection).map_err(failed)?;
        let mut checker = Checker::new();
        let mut position = 0;
        let mut take = |listed: Listed| -> rusqlite::Result<()> {
            let Listed { origin, start, inspected, document } = listed;
            if let Some(mut document) = document {
                let id = self.interned.next_document;
                self.interned.next_document += 1;
                document.digest = number_as_digest(id);
                writer.document(id, &document, &inspected, self.interned)?;
                let file = first_file + i64::from(origin.file);
                let catalog = self.catalog;
                writer.place(&DocumentPlace { catalog, position, document: id, file, start, layout: None })?;
                position += 1;
                self.counts.new += 1;
            }
            checker.add(*inspected);
            Ok(())
        };
        fbc::load(self.input, &Lister::default(), |listed| take(listed).map_err(failed))?;
        Ok(checker)
    }
}
