//! The old side: a legacy file, by plain queries of its own.
//!
//! What a schema has no place for is taken from where that schema has it (`docs/behaviour/legacy-index.md` 1.5 and
//! 1.7): APIs from the tables of providers and requirers, which up to schema 5 hang at entries of channels; versions,
//! ranges and images from ClusterServiceVersions. Nothing of the conversion's reader is used, so that what that reader
//! gets wrong shows.
//!
//! What it deliberately does not do: it decides nothing about packages; which can be converted is the conversion's claim.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use base64::Engine as _;
use rayon::prelude::*;
use rusqlite::{Connection, Row};

use super::forms::{
    BASE64, BundleFacts, ChannelName, Digest, Icon, Link, api, digest, digest_manifest, digest_value, normal,
    required_package, text_in, texts,
};
use super::report::Report;
use crate::fbc::BUNDLE_OBJECT;
use crate::json::{self, Kind, Reader, Value};
use crate::legacy::cells::{bytes, each, text};
use crate::legacy::era::Fidelity;
use crate::legacy::file::{Claim, LegacyFile};
use crate::legacy::rules;

/// The first schema with tables of properties and dependencies that are filled.
const WHOLE: i64 = 9;

/// How many bundles one task reads.
const PART: usize = 32;

/// A row of an edge.
#[derive(Debug)]
pub(super) struct EntryRow {
    pub(super) package: String,
    pub(super) channel: String,
    pub(super) bundle: String,
    /// How it leads where, if it leads anywhere.
    pub(super) from: Option<(Link, String)>,
    /// Whether it leads to a row that is not there.
    pub(super) is_dangling: bool,
}

/// A type and a value.
type Pair = (Arc<str>, Arc<str>);

/// Types and values by name of the bundle. Most values occur many times, and are kept once.
#[derive(Debug, Default)]
struct Values {
    of: HashMap<String, BTreeSet<Pair>>,
    known: BTreeSet<Arc<str>>,
}

impl Values {
    fn once(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.known.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.known.insert(Arc::clone(&new));
        new
    }

    fn add(&mut self, bundle: String, kind: &str, value: &str) {
        let pair = (self.once(kind), self.once(value));
        self.of.entry(bundle).or_default().insert(pair);
    }

    fn of(&self, bundle: &str) -> impl Iterator<Item = (&str, &str)> {
        self.of.get(bundle).into_iter().flatten().map(|(kind, value)| (&**kind, &**value))
    }
}

/// A legacy file, read but for the rows of its bundles.
#[derive(Debug)]
pub(super) struct OldSide<'a> {
    file: &'a LegacyFile,
    gaps: Gaps,
    /// Name and default channel.
    pub(super) packages: BTreeMap<String, String>,
    pub(super) icons: BTreeMap<String, Icon>,
    /// With the head that the row names.
    pub(super) channels: BTreeMap<ChannelName, Option<String>>,
    pub(super) entries: Vec<EntryRow>,
    /// Rows of `bundles` by their numbers.
    rowids: Vec<i64>,
    properties: Values,
    dependencies: Values,
    images: HashMap<String, BTreeSet<String>>,
    /// Names in the table of deprecated bundles.
    pub(super) deprecated: BTreeSet<String>,
}

/// What the schema lacks, and whether it is to be had elsewhere.
#[derive(Debug, Clone, Copy)]
struct Gaps {
    /// Versions, ranges and paths that are NULL are filled.
    fills_rows: bool,
    required_from_csv: bool,
    images_from_csv: bool,
    provided_from_apis: bool,
    required_from_apis: bool,
    /// Whether the real tool's migration gives dependencies the value of another one.
    mixes_dependencies: bool,
}

impl Gaps {
    fn of(file: &LegacyFile, fidelity: Fidelity) -> Self {
        let has = |table: &str| file.has_table(table);
        let claim = match file.claim() {
            Claim::Number(number) => *number,
            Claim::None | Claim::Text(_) => -1,
        };
        let (fills_rows, is_older) = match fidelity {
            Fidelity::Kept => {
                let fills = file.schema() < WHOLE || !has("properties") || !has("dependencies");
                (fills, fills)
            }
            // Its migrations fill no row; they make dependencies of required APIs once.
            Fidelity::Opm => (false, claim < 8),
        };
        Self {
            fills_rows,
            required_from_csv: fills_rows && !has("api_requirer") && !has("dependencies"),
            images_from_csv: fills_rows && !has("related_image"),
            provided_from_apis: match fidelity {
                Fidelity::Kept => !has("properties"),
                Fidelity::Opm => claim < WHOLE,
            },
            required_from_apis: is_older,
            mixes_dependencies: fidelity == Fidelity::Opm && claim < WHOLE,
        }
    }
}

/// What became of a row of a bundle.
#[derive(Debug)]
pub(super) enum Standing {
    /// It counts, with this range of versions that it skips.
    Counts { skip_range: String },
    /// It has no value in a column that must have one.
    Lacks(&'static str),
    /// It carries the mark of deprecated bundles.
    Deprecated,
}

/// A bundle that counts.
#[derive(Debug, Default)]
pub(super) struct OldBundle {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) facts: BundleFacts,
    /// The first ClusterServiceVersion among the manifests.
    pub(super) csv: Option<String>,
    /// What its own columns say that it replaces or skips.
    pub(super) column_edges: BTreeSet<String>,
}

impl<'a> OldSide<'a> {
    /// Reads everything but the rows of bundles. What has no place in blobs, or no meaning, is reported.
    pub(super) fn read(file: &'a LegacyFile, fidelity: Fidelity, report: &mut Report) -> rusqlite::Result<Self> {
        let mut side = Self {
            file,
            gaps: Gaps::of(file, fidelity),
            packages: BTreeMap::new(),
            icons: BTreeMap::new(),
            channels: BTreeMap::new(),
            entries: Vec::new(),
            rowids: Vec::new(),
            properties: Values::default(),
            dependencies: Values::default(),
            images: HashMap::new(),
            deprecated: BTreeSet::new(),
        };
        let connection = file.connect_plainly()?;
        side.graph(&connection, report)?;
        side.attached(&connection)?;
        side.names(&connection, report)?;
        Ok(side)
    }

    fn graph(&mut self, connection: &Connection, report: &mut Report) -> rusqlite::Result<()> {
        each(connection, "SELECT name, default_channel FROM package WHERE name IS NOT NULL", |row| {
            self.packages.insert(text(row, 0)?.unwrap_or_default(), text(row, 1)?.unwrap_or_default());
            Ok(())
        })?;
        let channels = "SELECT package_name, name, head_operatorbundle_name FROM channel
                        WHERE package_name IS NOT NULL AND name IS NOT NULL";
        each(connection, channels, |row| {
            let name = (text(row, 0)?.unwrap_or_default(), text(row, 1)?.unwrap_or_default());
            self.channels.insert(name, text(row, 2)?);
            Ok(())
        })?;
        // An edge is a `replaces` if its row is on a chain that starts at the least depth of the whole file; all others
        // are skips.
        let edges = "WITH RECURSIVE
                       chain (id) AS (
                         SELECT entry_id FROM channel_entry WHERE depth = (SELECT min(depth) FROM channel_entry)
                         UNION
                         SELECT e.replaces FROM chain JOIN channel_entry e ON e.entry_id = chain.id
                         WHERE e.replaces IS NOT NULL
                       )
                     SELECT e.package_name, e.channel_name, e.operatorbundle_name, r.operatorbundle_name,
                            e.entry_id IN (SELECT id FROM chain),
                            e.replaces IS NOT NULL AND r.entry_id IS NULL
                     FROM channel_entry e LEFT JOIN channel_entry r ON r.entry_id = e.replaces";
        let mut n_incomplete = 0;
        each(connection, edges, |row| {
            let (Some(package), Some(channel), Some(bundle)) = (text(row, 0)?, text(row, 1)?, text(row, 2)?) else {
                n_incomplete += 1;
                return Ok(());
            };
            let link = if row.get(4)? { Link::Replaces } else { Link::Skips };
            let from = text(row, 3)?.map(|from| (link, from));
            self.entries.push(EntryRow { package, channel, bundle, from, is_dangling: row.get(5)? });
            Ok(())
        })?;
        if n_incomplete > 0 {
            let message =
                format!("{n_incomplete} entries of channels name no bundle, channel or package, and are lost");
            report.say(rules::ROW_WITHOUT_VALUE, message, None);
        }
        Ok(())
    }

    fn attached(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        for (table, into) in [("properties", &mut self.properties), ("dependencies", &mut self.dependencies)] {
            if self.file.has_table(table) {
                each(connection, &format!("SELECT operatorbundle_name, type, value FROM {table}"), |row| {
                    if let Some(bundle) = text(row, 0)? {
                        into.add(bundle, &text(row, 1)?.unwrap_or_default(), &text(row, 2)?.unwrap_or_default());
                    }
                    Ok(())
                })?;
            }
        }
        let apis = [
            (self.gaps.provided_from_apis, "api_provider", &mut self.properties),
            (self.gaps.required_from_apis, "api_requirer", &mut self.dependencies),
        ];
        for (_, table, into) in apis.into_iter().filter(|it| it.0) {
            // Before the sixth migration the rows belong to entries of channels.
            let of_bundle = if self.file.has_column(table, "operatorbundle_name") {
                format!("SELECT operatorbundle_name, group_name, version, kind FROM {table}")
            } else if self.file.has_column(table, "channel_entry_id") {
                format!(
                    "SELECT e.operatorbundle_name, a.group_name, a.version, a.kind
                     FROM {table} a JOIN channel_entry e ON e.entry_id = a.channel_entry_id"
                )
            } else {
                continue;
            };
            each(connection, &of_bundle, |row| {
                let columns = (text(row, 0)?, text(row, 1)?, text(row, 2)?, text(row, 3)?);
                if let (Some(bundle), Some(group), Some(version), Some(kind)) = columns {
                    into.add(bundle, "olm.gvk", &texts(&[("group", &group), ("kind", &kind), ("version", &version)]));
                }
                Ok(())
            })?;
        }
        if self.file.has_table("related_image") {
            let images = "SELECT operatorbundle_name, image FROM related_image
                          WHERE operatorbundle_name IS NOT NULL AND image IS NOT NULL";
            each(connection, images, |row| {
                let (bundle, image) = (text(row, 0)?.unwrap_or_default(), text(row, 1)?.unwrap_or_default());
                self.images.entry(bundle).or_default().insert(image);
                Ok(())
            })?;
        }
        if self.file.has_table("deprecated") {
            each(connection, "SELECT operatorbundle_name FROM deprecated", |row| {
                self.deprecated.extend(text(row, 0)?);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The names of bundles: who is there, and what belongs to nobody; and the icons of heads.
    fn names(&mut self, connection: &Connection, report: &mut Report) -> rusqlite::Result<()> {
        let mut rowids: HashMap<String, i64> = HashMap::new();
        let mut n_nameless = 0;
        each(connection, "SELECT rowid, name FROM operatorbundle", |row| {
            match text(row, 1)? {
                Some(name) => {
                    rowids.insert(name, row.get(0)?);
                }
                None => n_nameless += 1,
            }
            Ok(())
        })?;
        if n_nameless > 0 {
            let message = format!("{n_nameless} rows of bundles have no name, and are lost");
            report.say(rules::ROW_WITHOUT_VALUE, message, None);
        }
        let attached: [(&str, BTreeSet<&String>); 3] = [
            ("properties", self.properties.of.keys().collect()),
            ("dependencies", self.dependencies.of.keys().collect()),
            ("related_image", self.images.keys().collect()),
        ];
        for (table, names) in attached {
            for name in names.into_iter().filter(|it| !rowids.contains_key(*it)) {
                let message = format!("what `{table}` says of `{name}`, which is not there, is lost");
                report.say(rules::ORPHAN_ROWS, message, None);
            }
        }
        for (package, default) in &self.packages {
            let head = self.channels.get(&(package.clone(), default.clone())).and_then(Option::as_ref);
            let Some(rowid) = head.and_then(|it| rowids.get(it)) else { continue };
            let mut found = None;
            connection.prepare_cached("SELECT csv FROM operatorbundle WHERE rowid = ?1")?.query_row(
                [rowid],
                |row| {
                    found = icon(&bytes(row, 0)?);
                    Ok(())
                },
            )?;
            match found {
                Some(Ok(icon)) => {
                    self.icons.insert(package.clone(), icon);
                }
                Some(Err(())) => {
                    let message = format!("the icon of package `{package}` is no base64, and lost");
                    report.say(rules::UNREADABLE_ICON, message, Some(package));
                }
                None => {}
            }
        }
        self.rowids = rowids.into_values().collect();
        self.rowids.sort_unstable();
        Ok(())
    }

    /// Whether dependencies may be those of another bundle, as the real tool's migration leaves them.
    pub(super) fn mixes_dependencies(&self) -> bool {
        self.gaps.mixes_dependencies
    }

    /// Whether a dependency of any bundle becomes this value.
    pub(super) fn has_dependency(&self, value: &str) -> bool {
        let mut reader = Reader::new();
        let mut is_it = |text: &str| api(text, &mut reader) == value || required_package(text, &mut reader) == value;
        self.dependencies.known.iter().any(|it| is_it(it))
    }

    /// Reads the row of every bundle, several at a time, and hands it over with what is lost of it. Results are in the
    /// order of the rows.
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
        let mut reader = Reader::new();
        let (mut image, mut version, mut skip_range) = (text(row, 1)?, text(row, 2)?, text(row, 3)?);
        let csv_column = bytes(row, 7)?;
        let csv_column = json::decode_utf8(&csv_column);
        let mut bundle = OldBundle { name: name.clone(), ..OldBundle::default() };
        let name = name.as_str();
        let facts = &mut bundle.facts;
        let is_incomplete = version.is_none() || skip_range.is_none();
        let needs_csv = self.gaps.required_from_csv || self.gaps.images_from_csv || is_incomplete;
        if self.gaps.fills_rows {
            image.get_or_insert_default();
            let csv = reader.read(&csv_column).ok().filter(|it| needs_csv && it.kind() == Kind::Object);
            if let Some(csv) = csv {
                version.get_or_insert_with(|| at(csv, &["spec"]).map(|it| text_in(it, "version")).unwrap_or_default());
                skip_range.get_or_insert_with(|| skip_range_of(csv));
                if self.gaps.required_from_csv {
                    facts.properties.extend(required_apis(csv).map(|it| ("olm.gvk.required".to_owned(), it)));
                }
                if self.gaps.images_from_csv {
                    facts.images.extend(used_images(csv).map(|it| (String::new(), it)));
                }
            }
        }
        let (Some(image), Some(version)) = (image, version) else {
            let lacking = if version_is_null(row)? { "version" } else { "path" };
            return Ok((Standing::Lacks(lacking), bundle));
        };
        (facts.image, bundle.version) = (image, version);
        for (kind, value) in self.properties.of(name) {
            match kind {
                "olm.deprecated" => return Ok((Standing::Deprecated, bundle)),
                BUNDLE_OBJECT => facts.manifests.extend(stored_manifest(value, &mut reader)),
                "olm.gvk" => {
                    facts.properties.insert((kind.to_owned(), api(value, &mut reader)));
                }
                _ => {
                    facts.properties.insert((kind.to_owned(), normal(value, &mut reader)));
                }
            }
        }
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
        let substitutes = text(row, 4)?.unwrap_or_default();
        if !substitutes.is_empty() {
            let message = format!("bundle `{name}`: that it substitutes for `{substitutes}` is lost");
            report.say(rules::LOST_COLUMN, message, None);
        }
        for column in [5, 6] {
            let names = text(row, column)?.unwrap_or_default();
            bundle.column_edges.extend(names.split(',').filter(|it| !it.is_empty()).map(str::to_owned));
        }
        let manifests = bytes(row, 8)?;
        let manifests = json::decode_utf8(&manifests);
        bundle.csv = read_manifests(name, &manifests, csv_column.trim_ascii(), facts, report);
        // Images that the ClusterServiceVersion lists have names there.
        let mut named: BTreeSet<(String, String)> = BTreeSet::new();
        if let Some(csv) = bundle.csv.as_deref().and_then(|it| reader.read(it).ok()) {
            let listed = at(csv, &["spec", "relatedImages"]).into_iter().flat_map(|it| it.items());
            named.extend(listed.map(|it| (text_in(it, "name"), text_in(it, "image"))));
        }
        let listed: BTreeSet<&String> = named.iter().map(|it| &it.1).collect();
        facts.images.extend(self.images.get(name).into_iter().flatten().map(|it| (String::new(), it.clone())));
        facts.images.retain(|it| !listed.contains(&it.1));
        facts.images.extend(named);
        Ok((Standing::Counts { skip_range: skip_range.unwrap_or_default() }, bundle))
    }
}

fn version_is_null(row: &Row<'_>) -> rusqlite::Result<bool> {
    Ok(text(row, 2)?.is_none())
}

/// Reads the manifests, and compares the ClusterServiceVersion of the other column with them. Gives the first
/// ClusterServiceVersion among them.
fn read_manifests(
    name: &str,
    manifests: &str,
    column: &str,
    facts: &mut BundleFacts,
    report: &mut Report,
) -> Option<String> {
    let mut reader = Reader::new();
    let mut csv = None;
    let mut has_column = column.is_empty();
    let mut n_found = 0;
    let mut at = 0;
    while let Ok((value, end)) = reader.read_at(manifests, at) {
        let raw = manifests[at..end].trim_ascii();
        if csv.is_none() && value.get("kind").and_then(|it| it.as_str()).as_deref() == Some("ClusterServiceVersion") {
            csv = Some(raw.to_owned());
        }
        has_column |= raw == column;
        facts.manifests.insert(digest_value(value));
        n_found += 1;
        at = end;
    }
    if !manifests[at..].trim_ascii().is_empty() {
        let message = format!("bundle `{name}`: what follows its manifests is no JSON, and lost");
        report.say(rules::LOST_MANIFESTS, message, None);
    }
    if n_found == 0 && !has_column {
        let message = format!("bundle `{name}`: its ClusterServiceVersion is lost, as it has no manifests");
        report.say(rules::LOST_MANIFESTS, message, None);
    } else if !has_column && !facts.manifests.contains(&digest_manifest(column.as_bytes(), &mut reader)) {
        let message = format!("bundle `{name}`: its `csv` column holds none of its manifests, and is lost");
        report.say(rules::LOST_MANIFESTS, message, None);
    }
    csv
}

/// The value at a path of fields.
fn at<'d>(value: Value<'d>, path: &[&str]) -> Option<Value<'d>> {
    path.iter().try_fold(value, |it, key| it.get_field(key))
}

fn skip_range_of(csv: Value<'_>) -> String {
    let annotations = at(csv, &["metadata", "annotations"]);
    let range = annotations.and_then(|it| it.get("olm.skipRange")).and_then(|it| it.as_str());
    range.unwrap_or_default().into_owned()
}

/// The APIs that a ClusterServiceVersion requires, in normal form.
fn required_apis(csv: Value<'_>) -> impl Iterator<Item = String> {
    let list = |kind: &str| at(csv, &["spec", kind, "required"]).into_iter().flat_map(|it| it.items());
    let definitions = list("customresourcedefinitions").map(|it| {
        // The plural, a dot and the group.
        let name = text_in(it, "name");
        (name.split_once('.').map_or("", |it| it.1).to_owned(), it)
    });
    let services = list("apiservicedefinitions").map(|it| (text_in(it, "group"), it));
    definitions.chain(services).map(|(group, it)| {
        texts(&[("group", &group), ("kind", &text_in(it, "kind")), ("version", &text_in(it, "version"))])
    })
}

/// The images in a ClusterServiceVersion's deployments and list.
fn used_images(csv: Value<'_>) -> impl Iterator<Item = String> {
    let install = at(csv, &["spec", "install"]).filter(|it| text_in(*it, "strategy") == "deployment");
    let deployments = install.and_then(|it| at(it, &["spec", "deployments"])).into_iter().flat_map(|it| it.items());
    let containers = deployments.flat_map(|it| {
        let of = move |kind| at(it, &["spec", "template", "spec", kind]).into_iter().flat_map(|it| it.items());
        of("containers").chain(of("initContainers"))
    });
    let listed = at(csv, &["spec", "relatedImages"]).into_iter().flat_map(|it| it.items());
    containers.chain(listed).map(|it| text_in(it, "image"))
}

/// The icon in a ClusterServiceVersion, if there is one; an error if it is not base64.
fn icon(csv: &[u8]) -> Option<Result<Icon, ()>> {
    let csv = json::decode_utf8(csv);
    let mut reader = Reader::new();
    let icon = at(reader.read(&csv).ok()?, &["spec", "icon"])?.items().next()?;
    let data = text_in(icon, "base64data").replace(['\r', '\n'], "");
    let Ok(data) = BASE64.decode(&data).or_else(|_| BASE64.decode(data.replace(' ', ""))) else { return Some(Err(())) };
    (!data.is_empty()).then(|| Ok((digest(&data), text_in(icon, "mediatype"))))
}

/// The digest of a manifest that is stored as a property.
fn stored_manifest(value: &str, reader: &mut Reader) -> Option<Digest> {
    let data = reader.read(value).ok()?.get_field("data")?.as_str()?.into_owned();
    let manifest = BASE64.decode(data.replace(['\r', '\n'], "")).ok()?;
    Some(digest_manifest(&manifest, reader))
}
