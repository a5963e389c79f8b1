//! The old side's bundles: each row with its dependent rows, and its losses.

use std::collections::BTreeSet;

use rayon::prelude::*;
use rusqlite::Row;

use super::forms::{BundleFacts, api, normal, required_package, text_in};
use super::manifests::{at, read_manifests, required_apis, skip_range_of, stored_manifest, used_images};
use super::old::OldSide;
use super::report::Report;
use crate::cells::{bytes, text};
use crate::rules;
use olmdex_fbc::BUNDLE_OBJECT;
use olmdex_text::json::{self, Kind, Reader};

/// The number of bundles that one task reads.
const PART: usize = 32;

/// The property that marks a deprecated bundle.
const DEPRECATED: &str = "olm.deprecated";

/// The results for a row of a bundle.
#[derive(Debug)]
pub(super) enum Standing {
    /// It counts, with this range of versions that it skips.
    Counts { skip_range: String },
    /// It has no value in a column that must have one.
    Lacks(&'static str),
    /// It carries the mark of deprecated bundles.
    Deprecated,
}

/// A bundle whose row is [`Standing::Counts`].
#[derive(Debug, Default)]
pub(super) struct OldBundle {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) facts: BundleFacts,
    /// The first ClusterServiceVersion among the manifests.
    pub(super) csv: Option<String>,
    /// The bundles that its own columns replace or skip.
    pub(super) column_edges: BTreeSet<String>,
}

/// Columns that may be filled from elsewhere.
struct Columns {
    image: Option<String>,
    version: Option<String>,
    skip_range: Option<String>,
}

impl OldSide<'_> {
    /// Reads the row of every bundle, several at a time, and hands it over with its losses. Results are in the order of
    /// the rows.
    pub(super) fn bundles<T: Send>(
        &self,
        each: impl Fn(Standing, OldBundle, Report) -> T + Sync,
    ) -> rusqlite::Result<Vec<T>> {
        let column =
            |name: &str| if self.file.has_column("operatorbundle", name) { name.to_owned() } else { "NULL".into() };
        let names = ["bundlepath", "version", "skiprange", "substitutesfor", "replaces", "skips", "csv", "bundle"];
        let sql = format!(
            "SELECT name, {} FROM operatorbundle WHERE rowid BETWEEN ?1 AND ?2 AND name IS NOT NULL ORDER BY rowid",
            names.map(column).join(", ")
        );
        let parts: Vec<rusqlite::Result<Vec<T>>> = self
            .rowids
            .par_chunks(PART)
            .map(|part| {
                let (Some(first), Some(last)) = (part.first(), part.last()) else { return Ok(Vec::new()) };
                let connection = self.file.connect_plainly()?;
                let mut statement = connection.prepare(&sql)?;
                let mut rows = statement.query([first, last])?;
                let mut done = Vec::new();
                while let Some(row) = rows.next()? {
                    let name = text(row, 0)?.unwrap_or_default();
                    let mut report = Report::default();
                    let (standing, bundle) = self.bundle(row, name, &mut report)?;
                    done.push(each(standing, bundle, report));
                }
                Ok(done)
            })
            .collect();
        let mut all = Vec::with_capacity(self.rowids.len());
        for part in parts {
            all.extend(part?);
        }
        Ok(all)
    }

    fn bundle(&self, row: &Row<'_>, name: String, report: &mut Report) -> rusqlite::Result<(Standing, OldBundle)> {
        let mut columns = Columns { image: text(row, 1)?, version: text(row, 2)?, skip_range: text(row, 3)? };
        let has_version = columns.version.is_some();
        let csv_column = bytes(row, 7)?;
        let csv_column = json::decode_utf8(&csv_column);
        let mut bundle = OldBundle { name: name.clone(), ..OldBundle::default() };
        let name = name.as_str();
        if self.gaps.fills_rows {
            self.fill(&mut columns, &csv_column, &mut bundle.facts);
        }
        let (Some(image), Some(version)) = (columns.image, columns.version) else {
            let lacking = if has_version { "path" } else { "version" };
            return Ok((Standing::Lacks(lacking), bundle));
        };
        (bundle.facts.image, bundle.version) = (image, version);
        if self.properties.of(name).any(|it| it.0 == DEPRECATED) {
            return Ok((Standing::Deprecated, bundle));
        }
        self.properties_of(name, &mut bundle.facts);
        self.dependencies_of(name, &mut bundle.facts, report);
        let substitutes = text(row, 4)?.unwrap_or_default();
        if !substitutes.is_empty() {
            let message = format!("bundle `{name}`: its `substitutesfor` `{substitutes}` is lost");
            report.say(rules::LOST_COLUMN, message, None);
        }
        for column in [5, 6] {
            let names = text(row, column)?.unwrap_or_default();
            bundle.column_edges.extend(names.split(',').filter(|it| !it.is_empty()).map(str::to_owned));
        }
        let manifests = bytes(row, 8)?;
        let manifests = json::decode_utf8(&manifests);
        bundle.csv = read_manifests(name, &manifests, csv_column.trim_ascii(), &mut bundle.facts, report);
        self.images_of(&mut bundle);
        Ok((Standing::Counts { skip_range: columns.skip_range.unwrap_or_default() }, bundle))
    }

    /// Takes values for which the schema has no column from the ClusterServiceVersion.
    fn fill(&self, columns: &mut Columns, csv: &str, facts: &mut BundleFacts) {
        let Columns { image, version, skip_range } = columns;
        image.get_or_insert_default();
        let is_incomplete = version.is_none() || skip_range.is_none();
        if !(self.gaps.required_from_csv || self.gaps.images_from_csv || is_incomplete) {
            return;
        }
        let mut reader = Reader::new();
        let Some(csv) = reader.read(csv).ok().filter(|it| it.kind() == Kind::Object) else { return };
        version.get_or_insert_with(|| at(csv, &["spec"]).map(|it| text_in(it, "version")).unwrap_or_default());
        skip_range.get_or_insert_with(|| skip_range_of(csv));
        if self.gaps.required_from_csv {
            facts.properties.extend(required_apis(csv).map(|it| ("olm.gvk.required".to_owned(), it)));
        }
        if self.gaps.images_from_csv {
            facts.images.extend(used_images(csv).map(|it| (String::new(), it)));
        }
    }

    fn properties_of(&self, name: &str, facts: &mut BundleFacts) {
        let mut reader = Reader::new();
        for (kind, value) in self.properties.of(name) {
            let value = match kind {
                BUNDLE_OBJECT => {
                    facts.manifests.extend(stored_manifest(value, &mut reader));
                    continue;
                }
                "olm.gvk" => api(value, &mut reader),
                _ => normal(value, &mut reader),
            };
            facts.properties.insert((kind.to_owned(), value));
        }
    }

    fn dependencies_of(&self, name: &str, facts: &mut BundleFacts, report: &mut Report) {
        let mut reader = Reader::new();
        for (kind, value) in self.dependencies.of(name) {
            let (kind, value) = match kind {
                "olm.gvk" => ("olm.gvk.required", api(value, &mut reader)),
                "olm.package" => ("olm.package.required", required_package(value, &mut reader)),
                _ => {
                    let message = format!("bundle `{name}`: the dependency `{kind}` {value} is lost");
                    report.say(rules::LOST_DEPENDENCY, message, None);
                    continue;
                }
            };
            facts.properties.insert((kind.to_owned(), value));
        }
    }

    /// The related images. Those that the ClusterServiceVersion lists have names there.
    fn images_of(&self, bundle: &mut OldBundle) {
        let mut reader = Reader::new();
        let mut named: BTreeSet<(String, String)> = BTreeSet::new();
        if let Some(csv) = bundle.csv.as_deref().and_then(|it| reader.read(it).ok()) {
            let listed = at(csv, &["spec", "relatedImages"]).into_iter().flat_map(|it| it.items());
            named.extend(listed.map(|it| (text_in(it, "name"), text_in(it, "image"))));
        }
        let listed: BTreeSet<&String> = named.iter().map(|it| &it.1).collect();
        let images = &mut bundle.facts.images;
        images.extend(self.images.get(&bundle.name).into_iter().flatten().map(|it| (String::new(), it.clone())));
        images.retain(|it| !listed.contains(&it.1));
        images.extend(named);
    }
}
