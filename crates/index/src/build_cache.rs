//! The results of reading a catalog, kept for as long as its files are the same: then they need not be read again.
//!
//! The stamps of the files decide, as in git. A file is not trusted if it was changed so shortly before it was read
//! that another change could get the same stamp.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::build::PROGRAM;
use super::compression::Digest;
use olmdex_base::diag::{Finding, Place};
use olmdex_base::file::Cache;
use olmdex_fbc::{FromImage, Input, Stamp};
use olmdex_rules::check::{Extent, Report, rules};

/// The least age of a stamp at the moment of reading. Clocks of file systems tick in up to two seconds.
const TICK: Duration = Duration::from_secs(2);

/// The kept results of a catalog. A program of another version does not use them.
#[derive(Debug, Serialize, Deserialize)]
struct CachedResults {
    program: String,
    /// The name of each file, with the numbers of its stamp.
    files: Vec<(String, [u64; 7])>,
    digest: Digest,
    findings: Vec<CachedFinding>,
    opm: Option<String>,
    /// Packages, channels and bundles.
    extent: [u64; 3],
}

/// Rule, message, place, help and package of a finding.
type CachedFinding = (String, String, Option<CachedPlace>, Option<String>, Option<String>);

/// File, line, column, text and its column of a place.
type CachedPlace = (String, u32, u32, Option<String>, u32);

impl CachedResults {
    fn into_report(self) -> Option<(Digest, Report)> {
        let findings = self.findings.into_iter().map(recalled).collect::<Option<_>>()?;
        let [packages, channels, bundles] = self.extent;
        let report = Report {
            findings,
            opm: self.opm,
            broken_packages: BTreeSet::new(),
            has_other_errors: false,
            extent: Extent { packages, channels, bundles },
            practices: Vec::new(),
        };
        Some((self.digest, report))
    }
}

fn cached(finding: &Finding) -> CachedFinding {
    let Finding { rule, message, place, help, package, .. } = finding.clone();
    let place = place.map(|it| (it.file, it.line, it.column, it.source, it.source_column));
    (rule.id.to_owned(), message, place, help, package)
}

fn recalled((rule, message, place, help, package): CachedFinding) -> Option<Finding> {
    let place =
        place.map(|(file, line, column, source, source_column)| Place { file, line, column, source, source_column });
    Some(Finding { help, ..rules::find(&rule)?.finding(message).at(place).of_package(package) })
}

/// The key of a catalog: the path of its first file. Another catalog with the same key costs time, but causes no error.
fn key(input: &Input, source: &str) -> Option<Vec<u8>> {
    let first = std::path::absolute(input.files.first()?.path()?).ok()?;
    Some([first.as_os_str().as_encoded_bytes(), b"\n", source.as_bytes()].concat())
}

/// The key of a catalog in an image, which identifies all of its content.
fn key_of_image(image: &FromImage, source: &str) -> Option<Vec<u8>> {
    Some(format!("image\n{}\n{}\n{source}", image.digest, image.content.as_ref()?).into_bytes())
}

/// The digest of a catalog in an image and the report of its checks.
pub(super) fn recall_image(cache: &Cache, image: &FromImage, source: &str) -> Option<(Digest, Report)> {
    let kept: CachedResults = serde_json::from_slice(&cache.read(&key_of_image(image, source)?)?).ok()?;
    if kept.program == PROGRAM { kept.into_report() } else { None }
}

/// The digest of a catalog and the report of its checks, if none of its files has changed since.
pub(super) fn recall(cache: &Cache, input: &Input, source: &str) -> Option<(Digest, Report)> {
    if let Some(image) = &input.image {
        return recall_image(cache, image, source);
    }
    let kept: CachedResults = serde_json::from_slice(&cache.read(&key(input, source)?)?).ok()?;
    if kept.program != PROGRAM || kept.files.len() != input.files.len() {
        return None;
    }
    let now = |path: &Path| std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|it| Stamp::of(&it));
    let is_same = input.files.iter().zip(&kept.files).all(|(file, (shown, stamp))| {
        file.shown == *shown && file.path().and_then(now) == Some(Stamp::from_numbers(*stamp))
    });
    if !is_same {
        return None;
    }
    kept.into_report()
}

/// Keeps the digest and the report of a catalog without errors that was read from `started` on. Nothing is kept if a
/// file is not in the file system, or is so young that its stamp does not show every change. A failure to keep the
/// results is no error.
pub(super) fn keep(cache: &Cache, input: &Input, source: &str, started: SystemTime, digest: Digest, report: &Report) {
    let Some(limit) = started.checked_sub(TICK) else { return };
    let stamp = |file: &olmdex_fbc::InputFile| {
        let stamp = file.stamp().filter(|it| it.is_older_than(limit))?;
        Some((file.shown.clone(), stamp.to_numbers()))
    };
    // Remarks about an image must be repeated each time that it is read.
    if input.image.is_some() && !input.remarks.is_empty() {
        return;
    }
    let (key, files) = match &input.image {
        Some(image) => (key_of_image(image, source), Some(Vec::new())),
        None => (key(input, source), input.files.iter().map(stamp).collect::<Option<Vec<_>>>()),
    };
    let Some(files) = files else { return };
    let findings = report.findings.iter().map(cached).collect();
    let extent = [report.extent.packages, report.extent.channels, report.extent.bundles];
    let kept = CachedResults { program: PROGRAM.to_owned(), files, digest, findings, opm: report.opm.clone(), extent };
    if let (Some(key), Ok(text)) = (key, serde_json::to_vec(&kept)) {
        let _ = cache.write(&key, &text);
    }
}
