//! Writing the packages of a catalog, many bundles at a time, in order.
//!
//! The threads of the pool read and encode, each with a connection of its own; one thread hands their results to the
//! sink, in order. Memory is bounded by the batches in flight, whatever the size of the file.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;

use rusqlite::Connection;

use super::blobs::{write_bundle, write_head};
use super::cells::with_column;
use super::error::LegacyError;
use super::file::LegacyFile;
use super::package::{BundleModel, PackageModel, Problem};
use super::rows::Rows;
use super::thread_pool::{give, take};
use olmdex_fbc::{Format, Level};

/// About how many bytes of manifests one task takes.
const BATCH: u64 = 2 << 20;

/// Some bundles of a package; the first batch of a package carries the package too.
struct Batch<'a> {
    package: &'a PackageModel,
    has_head: bool,
    bundles: Vec<&'a BundleModel>,
}

/// A part of a package: its text, why it cannot be written, or why it cannot be read.
struct Part<'a> {
    package: &'a str,
    text: Result<Result<Vec<u8>, String>, LegacyError>,
}

/// The settings for writing a catalog.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) level: Level,
    pub(super) format: Format,
}

/// Writes packages in their order. The sink is called with the name of a package and the next part of its text. Returns
/// the problems of packages that could not be written.
pub(super) fn emit<E: From<LegacyError>>(
    file: &LegacyFile,
    rows: &Rows,
    packages: &[&PackageModel],
    manner: Manner,
    mut sink: impl FnMut(&str, &[u8]) -> Result<(), E>,
) -> Result<Vec<Problem>, E> {
    let n_in_flight = rayon::current_num_threads() * 2;
    let is_inline = rayon::current_thread_index().is_some();
    let connections: Mutex<Vec<Connection>> = Mutex::new(Vec::new());
    let mut problems = Vec::new();
    let (sender, receiver) = sync_channel::<(usize, Part<'_>)>(n_in_flight + 1);
    rayon::in_place_scope(|scope| {
        let mut batches = Batches { rows, packages, next_package: 0, bundles: None };
        let mut waiting: BTreeMap<usize, Part<'_>> = BTreeMap::new();
        let (mut n_started, mut n_done) = (0, 0);
        loop {
            while n_started - n_done < n_in_flight {
                let Some(batch) = batches.next() else { break };
                let number = n_started;
                n_started += 1;
                let sender = sender.clone();
                let connections = &connections;
                let work = move || {
                    // The receiver is gone only if the sink has failed; then the result is not needed.
                    let _ = sender.send((number, batch.write(file, rows, connections, manner)));
                };
                if is_inline {
                    work();
                } else {
                    scope.spawn(move |_| work());
                }
            }
            if n_started == n_done {
                return Ok(problems);
            }
            let Ok((number, part)) = receiver.recv() else { return Ok(problems) };
            waiting.insert(number, part);
            while let Some(part) = waiting.remove(&n_done) {
                n_done += 1;
                match part.text? {
                    Ok(text) => sink(part.package, &text)?,
                    Err(text) => {
                        let package = Some(part.package.to_owned());
                        problems.push(Problem { package, bundle: None, text, is_verdict: false });
                    }
                }
            }
        }
    })
}

/// The batches of a catalog, in order.
struct Batches<'a> {
    rows: &'a Rows,
    packages: &'a [&'a PackageModel],
    next_package: usize,
    bundles: Option<std::collections::btree_map::Values<'a, String, BundleModel>>,
}

impl<'a> Batches<'a> {
    fn next(&mut self) -> Option<Batch<'a>> {
        let has_head = self.bundles.is_none();
        let package = self.packages.get(self.next_package).copied()?;
        let mut bundles = self.bundles.take().unwrap_or_else(|| package.bundles.values());
        let mut batch = Batch { package, has_head, bundles: Vec::new() };
        let mut size = 0;
        for bundle in bundles.by_ref() {
            size += self.rows.bundles[bundle.row].n_manifests + 1024;
            batch.bundles.push(bundle);
            if size >= BATCH {
                break;
            }
        }
        if bundles.len() > 0 {
            self.bundles = Some(bundles);
        } else {
            self.next_package += 1;
        }
        Some(batch)
    }
}

impl<'a> Batch<'a> {
    fn write(&self, file: &LegacyFile, rows: &Rows, connections: &Mutex<Vec<Connection>>, manner: Manner) -> Part<'a> {
        let write = || -> Result<Result<Vec<u8>, String>, LegacyError> {
            let mut out = Vec::new();
            if self.has_head
                && let Err(error) = write_head(self.package, manner.format, &mut out)
            {
                return Ok(Err(error));
            }
            let connection = match take(connections) {
                Some(connection) => connection,
                None => file.connect()?,
            };
            for bundle in &self.bundles {
                let row = &rows.bundles[bundle.row];
                let name = &self.package.name;
                let written = if row.n_manifests == 0 {
                    write_bundle(name, bundle, b"", manner.level, manner.format, &mut out)
                } else {
                    let write = |bytes: &[u8]| write_bundle(name, bundle, bytes, manner.level, manner.format, &mut out);
                    with_column(&connection, "bundle", row.rowid, write)
                        .map_err(|error| LegacyError::sqlite(file.path(), &error))?
                };
                if let Err(error) = written {
                    return Ok(Err(error));
                }
            }
            give(connections, connection);
            Ok(Ok(out))
        };
        Part { package: &self.package.name, text: write() }
    }
}
