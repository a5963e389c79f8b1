//! The proof of a migration: the legacy file and the blobs that were made of it, each read by a reader of its own, have
//! the same content.
//!
//! | part | what it does |
//! |---|---|
//! | `old`, `old_bundle`, `manifests` | read the legacy file, by queries of their own |
//! | `new` | reads the blobs, as any catalog is read |
//! | `bundles` | compares bundles |
//! | `graphs` | compares packages, channels, heads and edges |
//! | `forms` | the forms in which both are compared |
//! | `metadata` | compares an `olm.csv.metadata` property with the ClusterServiceVersion that it was made of |
//!
//! The proof shares with the conversion how the file is opened and how a cell becomes text, and nothing else: neither
//! its rows nor its graph nor its choice of bundles nor its survey of manifests. It gets the file, not the catalog that
//! the conversion made of it. If one side has something that the other has not, it is either one of the known losses,
//! which are named, or the proof fails.
//!
//! Bundles are compared as they are read, many at a time; only the content of the blobs is kept.

mod bundles;
mod forms;
mod graphs;
mod manifests;
mod metadata;
mod new;
mod old;
mod old_bundle;
mod report;

use self::bundles::Bundles;
use self::graphs::Graphs;
use self::old::OldSide;
use self::report::Report;
use super::error::LegacyError;
use super::file::LegacyFile;
use super::package::Problem;
use super::rules;
use super::schema_upgrade::Fidelity;
use olmdex_base::diag::Finding;
use olmdex_fbc::Input;

/// Compares a legacy file with the blobs that were made of it. `problems` are the reasons why packages are left out.
/// Losses are warnings, any other difference is an error.
///
/// # Errors
/// If the legacy file cannot be read.
pub fn prove<'a>(
    file: &LegacyFile,
    fidelity: Fidelity,
    problems: impl IntoIterator<Item = &'a Problem>,
    blobs: &Input,
) -> Result<Vec<Finding>, LegacyError> {
    let new = new::read(blobs);
    let prove = || -> rusqlite::Result<Report> {
        let mut report = Report::default();
        for missing in file.missing().into_iter().filter(|it| it.is_in_blobs) {
            report.say(rules::DAMAGED, format!("{missing}, which is lost"), None);
        }
        let old = OldSide::read(file, fidelity, &mut report)?;
        let of_bundles = Bundles::new(&old, &new);
        let mut bundles = old.bundles(|standing, bundle, report| of_bundles.compare(standing, bundle, report))?;
        Graphs { old: &old, new: &new }.compare(problems, &bundles, &mut report);
        bundles.sort_by(|a, b| a.name.cmp(&b.name));
        report.findings.extend(bundles.into_iter().flat_map(|it| it.report.findings));
        Ok(report)
    };
    match prove() {
        Ok(report) => Ok(report.findings),
        Err(error) => Err(LegacyError::sqlite(file.path(), &error)),
    }
}
