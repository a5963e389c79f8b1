//! A catalog into the index.

use std::collections::BTreeSet;
use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension as _, StatementStatus, params};
use sha2::{Digest as _, Sha256};

use super::build::{Builder, is_written_by_this_program};
use super::compression::Digest;
use super::counts::Counts;
use super::error::IndexError;
use super::known_documents::Recall;
use super::open::{Extent, Kind, LightIndex};
use super::prepare::{Prepared, Preparer, RowPlan, Source, raw_digest};
use super::write::{DocumentPlace, Interned, Writer};
use super::{build_cache, graph, remove};
use olmdex_base::diag::{Rule, Severity};
use olmdex_fbc::{self as fbc, Consumer, Document, FromImage, Input, Origin, Provenance};
use olmdex_rules::check::{Checker, Inspected, Report};
use olmdex_rules::openshift;
use olmdex_text::tally;

/// The catalog that is imported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogSpec {
    /// Its name in the index. A catalog of this name is replaced.
    pub name: String,
    /// Its priority; higher is preferred.
    pub priority: i64,
    /// Its labels.
    pub labels: std::collections::BTreeMap<String, String>,
    /// The source that it is read from, for people.
    pub source: String,
}

/// The treatment of a catalog with errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It is refused, and with it the whole build.
    Strict,
    /// Its broken packages, and the parts that cannot be read, are left out.
    KeepGoing,
    /// Everything that can be read is stored, and broken packages are marked. This is for indexes in memory: the
    /// answers about a catalog must not depend on mistakes in another part of it.
    Tolerant,
}

/// The result of an import.
#[derive(Debug, Clone)]
pub struct Import {
    /// The report of the checks.
    pub report: Report,
    /// How much there is.
    pub counts: Counts,
    /// Whether the files were read, which those are not that have the stamps of the last time
    /// ([`Builder::with_cache`]).
    pub was_read: bool,
    /// Whether the catalog in the index changed.
    pub changed: bool,
    /// Whether the catalog was refused ([`Mode::Strict`]). [`Builder::finish`] will fail.
    pub refused: bool,
    /// Packages that were left out ([`Mode::KeepGoing`]).
    pub left_out: BTreeSet<String>,
    /// Channels (`package/channel`) of this build with so many edges by `skipRange` that these are not in the index's
    /// tables. Questions about upgrades still work: they read the ranges.
    pub without_range_edges: Vec<String>,
}

impl Import {
    /// The import of a catalog that the index has as it is.
    fn without_change(report: Report, counts: Counts, was_read: bool) -> Self {
        let (left_out, without_range_edges) = (BTreeSet::new(), Vec::new());
        Self { report, counts, was_read, changed: false, refused: false, left_out, without_range_edges }
    }
}

/// The catalog as the index has it.
struct Existing {
    id: i64,
    /// Whether only the documents can differ.
    is_same: bool,
    source_digest: Vec<u8>,
    /// The digest of the image that it came from, or empty.
    image: String,
}

/// The digest of the image that a catalog comes from, or empty.
fn image_of(input: &Input) -> &str {
    input.image.as_ref().map_or("", |it| &it.digest)
}

/// Further wishes of a reader of a catalog's documents.
pub(super) struct Watch<'w> {
    pub(super) practices: &'w [&'static Rule],
    pub(super) note: &'w mut dyn FnMut(&Inspected),
}

impl Builder<LightIndex> {
    /// Like [`Self::add_catalog`]; the report has the breaches of these rules of good practice too, and `note` takes
    /// note of each document, in their order.
    ///
    /// # Errors
    /// Those of [`Self::add_catalog`].
    pub fn add_catalog_noting(
        &mut self,
        spec: &CatalogSpec,
        input: &Input,
        practices: &[&'static Rule],
        note: &mut dyn FnMut(&Inspected),
    ) -> Result<Import, IndexError> {
        self.add(spec, input, Mode::Tolerant, &mut Watch { practices, note })
    }
}

impl<K: Kind> Builder<K> {
    /// The import of the catalog of an image, if the index has it already and the results of its checks are kept: then
    /// it need not be read ([`Self::with_cache`]).
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn keep_image(&mut self, spec: &CatalogSpec, image: &FromImage) -> Result<Option<Import>, IndexError> {
        let path = self.path();
        let existing = match self.readable()? {
            Some(connection) => existing(connection, spec).map_err(|error| IndexError::reading(&path, &error))?,
            None => None,
        };
        let Some(existing) = existing.filter(|it| it.is_same && it.image == image.digest) else { return Ok(None) };
        let seen = self.cache.as_ref().and_then(|it| build_cache::recall_image(it, image, &spec.source));
        match seen.filter(|it| it.0[..] == existing.source_digest[..]) {
            Some((_, report)) => self.untouched(existing.id, report).map(Some),
            None => Ok(None),
        }
    }

    /// Adds a catalog, or replaces the one of the same name.
    ///
    /// # Errors
    /// If the database cannot be read or written. Findings about the catalog are in the result.
    pub fn add_catalog(&mut self, spec: &CatalogSpec, input: &Input, mode: Mode) -> Result<Import, IndexError> {
        self.add(spec, input, mode, &mut Watch { practices: &[], note: &mut |_| {} })
    }

    fn add(
        &mut self,
        spec: &CatalogSpec,
        input: &Input,
        mode: Mode,
        watch: &mut Watch<'_>,
    ) -> Result<Import, IndexError> {
        let started = SystemTime::now();
        let path = self.path();
        let existing = match self.readable()? {
            Some(connection) => existing(connection, spec).map_err(|error| IndexError::reading(&path, &error))?,
            None => None,
        };
        if let Some(existing) = &existing
            && existing.is_same
            && existing.image == image_of(input)
        {
            let seen = self.cache.as_ref().and_then(|it| build_cache::recall(it, input, &spec.source));
            if let Some((_, report)) = seen.filter(|it| it.0[..] == existing.source_digest[..]) {
                return self.untouched(existing.id, report);
            }
            self.know()?;
            if let Some(import) = self.unchanged(existing, input)? {
                self.remember(spec, input, started, &existing.source_digest, &import.report);
                return Ok(import);
            }
        }
        let id = existing.map(|it| it.id);
        self.has_removed |= id.is_some();
        let (keeps_all, advice, extent) = (self.keeps_all, self.advice, self.extent);
        let (connection, interned) = self.writing()?;
        let write = |error: rusqlite::Error| IndexError::writing(&path, &error);
        let mut import =
            Importing { connection, interned, input, catalog: 0, counts: Counts::default(), keeps_all, extent };
        import.begin(id, spec).map_err(write)?;
        let (checker, source_digest, fresh) = match extent {
            Extent::Light | Extent::Lists | Extent::Graphs => {
                (import.light_documents(&path, watch)?, None, Fresh::default())
            }
            Extent::Whole => import.documents(&path).map(|(checker, digest, fresh)| (checker, Some(digest), fresh))?,
        };
        let report = checker.advised_by(advice).finish(input);
        let has_errors = report.findings.iter().any(|it| it.rule.severity == Severity::Error)
            || report.has_other_errors
            || !report.broken_packages.is_empty();
        let mut left_out = BTreeSet::new();
        if has_errors && mode == Mode::KeepGoing {
            left_out.clone_from(&report.broken_packages);
            import.leave_out(&left_out).map_err(write)?;
        }
        // A catalog that was not stored completely must be looked at again next time.
        let source_digest = source_digest.filter(|_| !has_errors);
        let source_digest: &[u8] = source_digest.as_ref().map_or(&[], |it| it);
        let is_broken = |package: &str| mode == Mode::Tolerant && report.broken_packages.contains(package);
        let without_range_edges = import.complete(source_digest, is_broken).map_err(write)?;
        let counts = import.counts;
        interned.documents.by_raw.extend(fresh.by_raw);
        interned.documents.by_digest.extend(fresh.by_digest);
        self.has_removed |= !left_out.is_empty();
        let refused = has_errors && mode == Mode::Strict;
        if refused && self.refused.is_none() {
            self.refused = Some(spec.name.clone());
        }
        self.remember(spec, input, started, source_digest, &report);
        Ok(Import { report, counts, was_read: true, changed: !refused, refused, left_out, without_range_edges })
    }

    /// Keeps the results for a catalog, if it has no errors and there is a cache.
    fn remember(&self, spec: &CatalogSpec, input: &Input, started: SystemTime, digest: &[u8], report: &Report) {
        if let (Some(cache), Ok(digest)) = (&self.cache, digest.try_into()) {
            build_cache::keep(cache, input, &spec.source, started, digest, report);
        }
    }

    /// The import of a catalog with untouched files.
    fn untouched(&mut self, catalog: i64, report: Report) -> Result<Import, IndexError> {
        let path = self.path();
        let counts = match self.readable()? {
            Some(connection) => count(connection, catalog).map_err(|error| IndexError::reading(&path, &error))?,
            None => Counts::default(),
        };
        Ok(Import::without_change(report, counts, false))
    }

    /// The import of a catalog whose documents are all in their old places: nothing is parsed and nothing written.
    /// `None` if there is something to do.
    fn unchanged(&mut self, existing: &Existing, input: &Input) -> Result<Option<Import>, IndexError> {
        let mut source = SourceDigest::new(input);
        let mut places: Vec<(Origin, Digest)> = Vec::new();
        fbc::load(input, &Hashing, |(origin, raw)| {
            source.add(origin, &raw);
            places.push((origin, raw));
            Ok::<_, IndexError>(())
        })?;
        if source.finish()[..] != existing.source_digest[..] {
            return Ok(None);
        }
        let path = self.path();
        let Some(interned) = self.interned.take() else { return Ok(None) };
        let result = self.report_again(existing.id, &interned, input, places);
        self.interned = Some(interned);
        result.map_err(|error| IndexError::reading(&path, &error))
    }

    fn report_again(
        &mut self,
        catalog: i64,
        interned: &Interned,
        input: &Input,
        places: Vec<(Origin, Digest)>,
    ) -> rusqlite::Result<Option<Import>> {
        let advice = self.advice;
        let Ok(Some(connection)) = self.readable() else { return Ok(None) };
        let mut recall = Recall::new(connection)?;
        let mut checker = Checker::new().advised_by(advice);
        let mut stored: Option<Vec<i64>> = None;
        let n_places = places.len();
        for (idx, (origin, raw)) in places.into_iter().enumerate() {
            let document = match interned.documents.by_raw.get(&raw) {
                Some(source) => source.document,
                // A text that was not read to its end has a warning, which only reading it again gives.
                None if input.files.get(origin.file as usize).is_none_or(|it| it.made_of().is_none()) => {
                    return Ok(None);
                }
                None => {
                    // The index does not know texts that were made of other files. Equal digests mean that the catalog
                    // has these documents in this order.
                    let all = match stored.take() {
                        Some(all) => all,
                        None => documents_of(connection, catalog)?,
                    };
                    let document = all.get(idx).copied().filter(|_| all.len() == n_places);
                    stored = Some(all);
                    match document {
                        Some(document) => document,
                        None => return Ok(None),
                    }
                }
            };
            checker.add(recall.inspected(document, origin)?);
        }
        let report = checker.finish(input);
        let counts = count(connection, catalog)?;
        Ok(Some(Import::without_change(report, counts, true)))
    }
}

fn existing(connection: &Connection, spec: &CatalogSpec) -> rusqlite::Result<Option<Existing>> {
    let row = connection
        .query_row("SELECT id, priority, source_digest FROM catalog WHERE name = ?1", [&spec.name], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get(2)?))
        })
        .optional()?;
    let Some((id, priority, source_digest)) = row else { return Ok(None) };
    let labels: std::collections::BTreeMap<String, String> = connection
        .prepare("SELECT key, value FROM catalog_label WHERE catalog = ?1")?
        .query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let is_same = priority == spec.priority && labels == spec.labels && is_written_by_this_program(connection)?;
    // Older indexes have no table of images.
    let sql = "SELECT digest FROM catalog_image WHERE catalog = ?1";
    let image = if is_same { connection.query_row(sql, [id], |row| row.get(0)).optional()? } else { None };
    Ok(Some(Existing { id, is_same, source_digest, image: image.unwrap_or_default() }))
}

/// The documents of a catalog, in its order.
fn documents_of(connection: &Connection, catalog: i64) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT document FROM catalog_document WHERE catalog = ?1 ORDER BY position";
    connection.prepare(sql)?.query_map([catalog], |row| row.get(0))?.collect()
}

pub(super) fn count(connection: &Connection, catalog: i64) -> rusqlite::Result<Counts> {
    let sql = "SELECT (SELECT count(*) FROM file WHERE catalog = ?1), count(*),
                      sum(schema = 'olm.package'), sum(schema = 'olm.channel'), sum(schema = 'olm.bundle')
               FROM catalog_document JOIN document ON document.id = document WHERE catalog = ?1";
    connection.query_row(sql, [catalog], |row| {
        let number = |idx| row.get::<_, Option<u64>>(idx).map(Option::unwrap_or_default);
        Ok(Counts {
            files: number(0)?,
            documents: number(1)?,
            new: 0,
            packages: number(2)?,
            channels: number(3)?,
            bundles: number(4)?,
        })
    })
}

/// Only digests.
struct Hashing;

impl Consumer for Hashing {
    type Output = (Origin, Digest);

    fn recalls(&self) -> bool {
        true
    }

    fn recall(&self, origin: Origin, raw: &[u8]) -> Option<Self::Output> {
        Some((origin, raw_digest(origin.syntax, raw)))
    }

    fn document(&self, document: Document<'_>) -> Self::Output {
        // Entries without a text to hash, such as files that cannot be read, come here too. They are never equal to
        // anything stored, since a catalog with errors is stored without digest.
        (document.origin, raw_digest(document.origin.syntax, document.raw))
    }
}

/// The digest of a catalog's files, documents and places.
struct SourceDigest<'i> {
    hasher: Sha256,
    input: &'i Input,
    n_documents: u64,
}

impl<'i> SourceDigest<'i> {
    fn new(input: &'i Input) -> Self {
        let mut hasher = Sha256::new();
        for file in &input.files {
            hasher.update((file.shown.len() as u64).to_le_bytes());
            hasher.update(&file.shown);
            for (place, number) in file.made_of().into_iter().flat_map(Provenance::parts).map(|it| &it.1).zip(1_u64..) {
                hasher.update(format!("{number} {place} ").as_bytes());
            }
            if let Some(made_of) = file.made_of() {
                hasher.update(made_of.start().to_string().as_bytes());
            }
        }
        Self { hasher, input, n_documents: 0 }
    }

    fn add(&mut self, origin: Origin, raw: &Digest) {
        self.n_documents += 1;
        for number in [origin.file, origin.line, origin.column] {
            self.hasher.update(number.to_le_bytes());
        }
        self.hasher.update(raw);
    }

    fn finish(mut self) -> Digest {
        self.hasher.update(self.n_documents.to_le_bytes());
        self.hasher.update((self.input.files.len() as u64).to_le_bytes());
        self.hasher.finalize().into()
    }
}

/// Documents that came with this import.
#[derive(Default)]
struct Fresh {
    by_raw: std::collections::HashMap<Digest, Source>,
    by_digest: std::collections::HashMap<Digest, i64>,
}

/// One import at work.
pub(super) struct Importing<'b> {
    pub(super) connection: &'b Connection,
    pub(super) interned: &'b mut Interned,
    pub(super) input: &'b Input,
    pub(super) catalog: i64,
    pub(super) counts: Counts,
    keeps_all: bool,
    pub(super) extent: Extent,
}

impl Importing<'_> {
    /// Writes the catalog's own rows, and deletes its old content.
    fn begin(&mut self, existing: Option<i64>, spec: &CatalogSpec) -> rusqlite::Result<()> {
        match existing {
            Some(id) => {
                remove::catalog_rows(self.connection, id)?;
                let sql = "UPDATE catalog SET priority = ?2, source = ?3, source_digest = x'' WHERE id = ?1";
                self.connection.execute(sql, params![id, spec.priority, spec.source])?;
                self.catalog = id;
            }
            None => {
                let sql = "INSERT INTO catalog (name, priority, source, source_digest) VALUES (?1, ?2, ?3, x'')";
                self.connection.execute(sql, params![spec.name, spec.priority, spec.source])?;
                self.catalog = self.connection.last_insert_rowid();
            }
        }
        if let Some(image) = &self.input.image {
            self.connection
                .execute("INSERT INTO catalog_image VALUES (?1, ?2)", params![self.catalog, image.digest])?;
        }
        for (key, value) in &spec.labels {
            self.connection
                .execute("INSERT INTO catalog_label VALUES (?1, ?2, ?3)", params![self.catalog, key, value])?;
        }
        Ok(())
    }

    /// Writes the files. Returns the number of the first one.
    pub(super) fn files(&mut self) -> rusqlite::Result<i64> {
        let first_file = self.interned.next_file;
        self.interned.next_file += self.input.files.len() as i64;
        let mut insert = self.connection.prepare("INSERT INTO file VALUES (?, ?, ?, ?)")?;
        for (position, file) in self.input.files.iter().enumerate() {
            insert.execute(params![first_file + position as i64, self.catalog, position, file.shown])?;
        }
        Ok(first_file)
    }

    /// Writes files and documents. Returns the checker that has seen them, the catalog's digest and the new documents.
    fn documents(&mut self, path: &std::path::Path) -> Result<(Checker, Digest, Fresh), IndexError> {
        let failed = |error: rusqlite::Error| IndexError::writing(path, &error);
        let first_file = self.files().map_err(failed)?;
        let mut writer = Writer::new(self.connection).map_err(failed)?;
        let mut recall = Recall::new(self.connection).map_err(failed)?;
        let mut checker = Checker::new();
        let mut source = SourceDigest::new(self.input);
        let mut fresh = Fresh::default();
        let mut position = 0;
        // The threads read the values that were known at the start; only this thread knows the values of this import.
        let known = std::mem::take(&mut self.interned.documents);
        let preparer = Preparer::new(&known, self.input, self.keeps_all);
        let mut take = |prepared: Prepared| -> rusqlite::Result<()> {
            let Prepared { origin, start, raw, is_read, plan } = prepared;
            source.add(origin, &raw);
            let source_of_text = match plan {
                RowPlan::Unreadable(inspected) => {
                    checker.add(*inspected);
                    return Ok(());
                }
                RowPlan::Known(known) => {
                    checker.add(recall.inspected(known.document, origin)?);
                    known
                }
                RowPlan::Same(document, inspected, layout) => {
                    writer.judged_again(document, &inspected)?;
                    checker.add(*inspected);
                    Source { document, layout: writer.layout(layout, self.interned)? }
                }
                RowPlan::New(document, inspected, layout) => {
                    let id = match fresh.by_digest.get(&document.digest) {
                        Some(&id) => id,
                        None => {
                            let id = self.interned.next_document;
                            self.interned.next_document += 1;
                            writer.document(id, &document, &inspected, self.interned)?;
                            fresh.by_digest.insert(document.digest, id);
                            self.counts.new += 1;
                            id
                        }
                    };
                    checker.add(*inspected);
                    Source { document: id, layout: writer.layout(layout, self.interned)? }
                }
            };
            let Source { document, layout } = source_of_text;
            if is_read && !known.by_raw.contains_key(&raw) && fresh.by_raw.insert(raw, source_of_text).is_none() {
                writer.source(&raw, source_of_text)?;
            }
            let file = first_file + i64::from(origin.file);
            writer.place(&DocumentPlace { catalog: self.catalog, position, document, file, start, layout })?;
            position += 1;
            Ok(())
        };
        let result = fbc::load(self.input, &preparer, |prepared| take(prepared).map_err(failed));
        self.interned.documents = known;
        result?;
        Ok((checker, source.finish(), fresh))
    }

    /// Takes the documents of some packages out of the catalog.
    fn leave_out(&mut self, packages: &BTreeSet<String>) -> rusqlite::Result<()> {
        // All at once: for each alone SQLite may go through all documents, since an index that is loaded has no indexes
        // yet.
        self.connection.execute_batch("CREATE TEMP TABLE left_out (package TEXT PRIMARY KEY) WITHOUT ROWID")?;
        let mut insert = self.connection.prepare("INSERT INTO left_out VALUES (?)")?;
        for package in packages {
            insert.execute([package])?;
        }
        let sql = "DELETE FROM catalog_document WHERE catalog = ?1 AND document IN
                   (SELECT id FROM document WHERE package IN (SELECT package FROM left_out))";
        let mut delete = self.connection.prepare(sql)?;
        delete.execute([self.catalog])?;
        tally::step(usize::try_from(delete.get_status(StatementStatus::VmStep)).unwrap_or_default());
        drop((insert, delete));
        self.connection.execute_batch("DROP TABLE left_out")?;
        Ok(())
    }

    /// Writes the rows that depend on the catalog as a whole.
    fn complete(&mut self, source_digest: &[u8], is_broken: impl Fn(&str) -> bool) -> rusqlite::Result<Vec<String>> {
        let without_range_edges =
            graph::write(self.connection, self.catalog, self.interned, self.extent == Extent::Whole)?;
        // A lifecycle may be about any product, so a catalog that has one need not have the package.
        let sql = "SELECT d.package, min(CASE WHEN d.schema = 'olm.package' THEN d.id END)
                   FROM catalog_document cd JOIN document d ON d.id = cd.document
                   WHERE cd.catalog = ?1 AND d.package <> '' AND d.schema <> ?2 GROUP BY d.package ORDER BY d.package";
        let packages: Vec<(String, Option<i64>)> = self
            .connection
            .prepare(sql)?
            .query_map(params![self.catalog, openshift::SCHEMA], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        let mut insert = self.connection.prepare("INSERT INTO catalog_package VALUES (?, ?, ?, ?)")?;
        for (package, document) in packages {
            insert.execute(params![self.catalog, package, document, !is_broken(&package)])?;
        }
        let sql = "UPDATE catalog SET source_digest = ?2 WHERE id = ?1";
        self.connection.execute(sql, params![self.catalog, source_digest])?;
        let new = self.counts.new;
        let counts = count(self.connection, self.catalog)?;
        // Documents of packages that are left out were new, too.
        self.counts = Counts { new: new.min(counts.documents), ..counts };
        Ok(without_range_edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Builder;

    #[test]
    fn packages_are_left_out_in_steps_of_their_number() {
        tally::assert_grows_with_input(400, |size| {
            let text: String =
                (0..size).map(|it| format!("{{\"schema\":\"olm.package\",\"name\":\"p{it}\"}}\n")).collect();
            move || {
                let input = Input::bytes("c.json", std::sync::Arc::from(text.as_bytes()));
                let spec = CatalogSpec { name: "c".to_owned(), source: "c.json".to_owned(), ..CatalogSpec::default() };
                let import = Builder::in_memory().add_catalog(&spec, &input, Mode::KeepGoing).unwrap();
                assert_eq!(import.left_out.len(), size);
            }
        });
    }
}
