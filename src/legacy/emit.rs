//! Writing the packages of a catalog, many bundles at a time, in order.
//!
//! One thread reads manifests in the order of the output and hands what comes back to the sink; the threads of the pool
//! encode. Memory is bounded by the batches in flight, whatever the size of the file.
//!
//! What it deliberately does not do: it opens no output; where the bytes go is for the sink.

use std::collections::BTreeMap;
use std::sync::mpsc::sync_channel;

use super::blobs::{Level, write_bundle, write_head};
use super::error::LegacyError;
use super::file::LegacyFile;
use super::model::{BundleModel, PackageModel, Problem};
use super::rows::Rows;
use super::survey::with_column;
use crate::fbc::Format;

/// About how many bytes of manifests one task takes.
const BATCH: usize = 2 << 20;

/// Some bundles of a package, with their manifests; the first batch of a package carries the package too.
struct Batch<'a> {
    package: &'a PackageModel,
    has_head: bool,
    bundles: Vec<(&'a BundleModel, Vec<u8>)>,
}

/// A part of a package as text, or why it cannot be written.
struct Part<'a> {
    package: &'a str,
    text: Result<Vec<u8>, String>,
}

/// How a catalog is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) level: Level,
    pub(super) format: Format,
}

/// Writes packages in their order. The sink is called with the name of a package and the next part of its text. Gives
/// what could not be written.
pub(super) fn emit<E: From<LegacyError>>(
    file: &LegacyFile,
    rows: &Rows,
    packages: &[&PackageModel],
    manner: Manner,
    mut sink: impl FnMut(&str, &[u8]) -> Result<(), E>,
) -> Result<Vec<Problem>, E> {
    let n_in_flight = rayon::current_num_threads() + 1;
    let is_inline = rayon::current_thread_index().is_some();
    let connection = file.connect()?;
    let mut problems = Vec::new();
    let (sender, receiver) = sync_channel::<(usize, Part<'_>)>(n_in_flight + 1);
    rayon::in_place_scope(|scope| {
        let mut batches = Batches { rows, packages, next_package: 0, bundles: None };
        let mut waiting: BTreeMap<usize, Part<'_>> = BTreeMap::new();
        let (mut n_started, mut n_done) = (0, 0);
        loop {
            while n_started - n_done < n_in_flight {
                let read = |row: i64| {
                    with_column(&connection, "bundle", row, <[u8]>::to_vec)
                        .map_err(|error| LegacyError::sqlite(file.path(), &error))
                };
                let Some(batch) = batches.next(manner, read)? else { break };
                let number = n_started;
                n_started += 1;
                let sender = sender.clone();
                let work = move || {
                    // The receiver is gone only if the sink has failed; then nobody wants the result.
                    let _ = sender.send((number, batch.write(manner)));
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
                match part.text {
                    Ok(text) => sink(part.package, &text)?,
                    Err(text) => {
                        let package = Some(part.package.to_owned());
                        problems.push(Problem { package, text, is_verdict: false });
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
    fn next(
        &mut self,
        manner: Manner,
        mut read: impl FnMut(i64) -> Result<Vec<u8>, LegacyError>,
    ) -> Result<Option<Batch<'a>>, LegacyError> {
        let has_head = self.bundles.is_none();
        let Some(package) = self.packages.get(self.next_package).copied() else { return Ok(None) };
        let mut bundles = self.bundles.take().unwrap_or_else(|| package.bundles.values());
        let mut batch = Batch { package, has_head, bundles: Vec::new() };
        let mut size = 0;
        for bundle in bundles.by_ref() {
            let row = &self.rows.bundles[bundle.row];
            let manifests = if row.n_manifests == 0 { Vec::new() } else { read(row.rowid)? };
            let manifests = only_csv(bundle, manifests, manner.level);
            size += manifests.len() + 1024;
            batch.bundles.push((bundle, manifests));
            if size >= BATCH {
                break;
            }
        }
        if bundles.len() > 0 {
            self.bundles = Some(bundles);
        } else {
            self.next_package += 1;
        }
        Ok(Some(batch))
    }
}

/// Manifests that are not written need not be carried about; what is left stays at its place.
fn only_csv(bundle: &BundleModel, mut manifests: Vec<u8>, level: Level) -> Vec<u8> {
    if level == Level::CsvMetadata
        && !bundle.image.is_empty()
        && let Some(csv) = bundle.survey.csv.and_then(|idx| bundle.survey.objects.get(idx))
        && std::str::from_utf8(&manifests).is_ok()
        && !bundle.properties.iter().any(|(kind, _)| kind == "olm.csv.metadata")
    {
        manifests.truncate(csv.end);
        manifests.shrink_to_fit();
    }
    manifests
}

impl<'a> Batch<'a> {
    fn write(&self, manner: Manner) -> Part<'a> {
        let write = || -> Result<Vec<u8>, String> {
            let mut out = Vec::new();
            if self.has_head {
                write_head(self.package, manner.format, &mut out)?;
            }
            for (bundle, manifests) in &self.bundles {
                write_bundle(&self.package.name, bundle, manifests, manner.level, manner.format, &mut out)?;
            }
            Ok(out)
        };
        Part { package: &self.package.name, text: write() }
    }
}
