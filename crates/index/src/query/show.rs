//! Everything that is known of one package, channel or bundle; once for every catalog that has it.

use std::collections::HashMap;
use std::collections::hash_map::Entry as MapEntry;
use std::sync::Arc;

use rusqlite::{OptionalExtension as _, Row, params};
use serde_json::value::RawValue;

use super::detail::{
    BundleDetail, BundleSelector, ChannelDetail, ConstraintRow, Edge, EntryDetail, InstallMode, PackageDetail,
    PropertyRow, RelatedImage, RequiredPackage, Source,
};
use super::{BundlePlace, BundleRow, ChannelRow, Filter, catalogs_json};
use crate::{Index, IndexError, LightIndex, compression};
use olmdex_base::diag::Place;
use olmdex_fbc::{Api, ChannelPlaces, property_places};
use olmdex_rules::openshift::LifecyclePhases;
use olmdex_text::yaml::Position;
use olmdex_version::by_numbers;

macro_rules! bundles {
    ($condition:literal) => {
        concat!(
            "
SELECT b.document, c.id, c.name, b.package, b.name, b.version, b.release, coalesce(i.reference, ''), b.display_name,
       b.provider, b.maturity, b.capability_level, b.min_kube_version, b.openshift_versions, b.max_openshift_version,
       b.repository, b.support, b.created_at, b.subscription, b.facts_from, b.description,
       b.summary
FROM (SELECT * FROM bundle WHERE ",
            $condition,
            ") b
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
LEFT JOIN image i ON i.id = b.image
WHERE (?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1)))
  AND (?2 IS NULL OR b.package = ?2) AND (?3 IS NULL OR b.name = ?3)
  AND (?4 IS NULL OR b.version = ?4 OR b.version || '-' || b.release = ?4)
ORDER BY c.name, b.package, b.version_key, b.name"
        )
    };
}

const BY_NAME: &str = bundles!("name = ?3");
const BY_PACKAGE: &str = bundles!("package = ?2");
const NAMES_OF_VERSIONS: &str =
    "SELECT DISTINCT name, version, version || '-' || release FROM bundle WHERE package = ?1";

macro_rules! edges {
    ($mine:literal, $other:literal, $name:literal) => {
        concat!(
            "
SELECT ch.name, o.name, coalesce(b.version, ''), e.kind, ch.document, e.target,
       (SELECT min(k.position) FROM entry_skip k
        WHERE k.document = ch.document AND k.entry = e.target AND k.name = ",
            $name,
            ".name)
FROM (SELECT * FROM node WHERE document = ?1) n
CROSS JOIN catalog_channel cc ON cc.graph = n.graph AND cc.catalog = ?2
CROSS JOIN edge e ON e.graph = n.graph AND e.",
            $mine,
            " = n.number
CROSS JOIN node o ON o.graph = e.graph AND o.number = e.",
            $other,
            "
CROSS JOIN channel ch ON ch.document = cc.channel
LEFT JOIN bundle b ON b.document = o.document
ORDER BY ch.name, b.version_key, o.name, e.kind"
        )
    };
}

const EDGES_IN: &str = edges!("target", "source", "o");
const EDGES_OUT: &str = edges!("source", "target", "n");

const CHANNELS: &str = "
SELECT DISTINCT ch.name
FROM (SELECT * FROM node WHERE document = ?1) n
CROSS JOIN catalog_channel cc ON cc.graph = n.graph AND cc.catalog = ?2
CROSS JOIN channel ch ON ch.document = cc.channel
ORDER BY ch.name";

const SOURCE: &str = "
SELECT f.path, cd.line, cd.\"column\", coalesce(y.marks, x'')
FROM catalog_document cd INDEXED BY catalog_document_document
CROSS JOIN file f ON f.id = cd.file
LEFT JOIN layout y ON y.id = cd.layout
WHERE cd.document = ?1 AND cd.catalog = ?2 ORDER BY cd.position LIMIT 1";

const PROPERTIES: &str = "SELECT type, value FROM property WHERE document = ?1 ORDER BY position";
const KEYWORDS: &str = "SELECT keyword FROM keyword WHERE document = ?1 ORDER BY position";
const CATEGORIES: &str = "SELECT category FROM category WHERE document = ?1 ORDER BY position";
const INSTALL_MODES: &str = "SELECT type, supported FROM install_mode WHERE document = ?1 ORDER BY position";
const PLATFORMS: &str =
    "SELECT name, value = 'supported' FROM platform WHERE document = ?1 AND kind = ?2 ORDER BY name";
const FEATURES: &str = "SELECT name, value FROM feature WHERE document = ?1 ORDER BY name";
const PROVIDED: &str = "
SELECT a.\"group\", a.version, a.kind FROM provided_api p JOIN api a ON a.id = p.api
WHERE p.document = ?1 ORDER BY 1, 3, 2";
const REQUIRED: &str = "
SELECT a.\"group\", a.version, a.kind FROM required_api p JOIN api a ON a.id = p.api
WHERE p.document = ?1 ORDER BY 1, 3, 2";
const REQUIRED_PACKAGES: &str = "SELECT package, range FROM required_package WHERE document = ?1 ORDER BY position";
const CONSTRAINTS: &str = "SELECT value FROM bundle_constraint WHERE document = ?1 ORDER BY position";
const RELATED_IMAGES: &str = "
SELECT r.name, i.reference FROM related_image r JOIN image i ON i.id = r.image
WHERE r.document = ?1 ORDER BY r.position";
const DESCRIPTIONS: &str = "
SELECT b.name, b.version, b.description
FROM (SELECT * FROM bundle WHERE package = ?2) b
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE c.name = ?1 AND b.description IS NOT NULL
ORDER BY b.version_key DESC, b.name DESC";

const SUMMARY: &str = "
SELECT b.summary, b.description
FROM (SELECT * FROM bundle WHERE package = ?1 AND name = ?2) b
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE c.name = ?3";

const TEXT: &str = "SELECT codec, size, bytes FROM text WHERE id = ?1";

const PACKAGE: &str = "
SELECT p.document, c.id, k.description, i.mediatype, h.description, h.document
FROM catalog c
CROSS JOIN catalog_package p ON p.catalog = c.id AND p.package = ?2
LEFT JOIN package k ON k.document = p.document
LEFT JOIN package_icon i ON i.document = p.document
LEFT JOIN bundle h ON h.document = (
    SELECT n.document FROM channel ch
    CROSS JOIN catalog_channel cc ON cc.channel = ch.document AND cc.catalog = c.id
    CROSS JOIN graph g ON g.id = cc.graph
    CROSS JOIN node n ON n.graph = g.id AND n.number = g.head
    WHERE ch.package = ?2 AND ch.name = k.default_channel
)
WHERE c.name = ?1";

const CHANNEL: &str = "
SELECT ch.document, c.id, cc.graph
FROM (SELECT * FROM channel WHERE package = ?2 AND name = ?3) ch
CROSS JOIN catalog c
CROSS JOIN catalog_channel cc ON cc.catalog = c.id AND cc.channel = ch.document
WHERE c.name = ?1";

const ENTRIES: &str = "
SELECT e.name, coalesce(b.version, ''), e.replaces, e.skip_range, e.position
FROM (SELECT * FROM entry WHERE document = ?1) e
CROSS JOIN node n ON n.graph = ?2 AND n.number = e.position
LEFT JOIN bundle b ON b.document = n.document
ORDER BY e.position";

const SKIPS: &str = "SELECT name FROM entry_skip WHERE document = ?1 AND entry = ?2 ORDER BY position";

impl LightIndex {
    /// The bundles that a selector means, by catalog, package and version. A selector without package and name finds
    /// nothing.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn bundle_places(&self, selector: &BundleSelector) -> Result<Vec<BundlePlace>, IndexError> {
        self.selected(selector, |row| Ok((row.get(2)?, row.get(3)?, row.get(4)?)))
    }

    fn selected<T>(
        &self,
        selector: &BundleSelector,
        map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, IndexError> {
        let only_name = match (&selector.name, &selector.package, &selector.version) {
            (None, Some(package), Some(version)) => self.memory().only_name(package, version, || {
                self.rows(NAMES_OF_VERSIONS, [package], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))
            })?,
            _ => None,
        };
        let name = selector.name.as_ref().or(only_name.as_ref());
        let sql = match (name, &selector.package) {
            (Some(_), _) => BY_NAME,
            (None, Some(_)) => BY_PACKAGE,
            (None, None) => return Ok(Vec::new()),
        };
        self.rows(sql, params![catalogs_json(&selector.catalogs), selector.package, name, selector.version], map)
    }
}

impl Index {
    /// A package, with its channels and bundles.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn show_package(&self, catalogs: &[String], package: &str) -> Result<Vec<PackageDetail>, IndexError> {
        let filter = Filter { catalogs: catalogs.to_vec(), package: Some(package.to_owned()), channel: None };
        let rows = self.packages(&filter)?;
        let channels = self.channels(&filter)?;
        let bundles = self.bundles(&filter)?;
        let supported = self.supported(&filter)?;
        let mut details = Vec::with_capacity(rows.len());
        for row in rows {
            type Ids = (Option<i64>, i64, Option<i64>, Option<String>, Option<i64>, Option<i64>);
            let to_ids = |row: &Row<'_>| -> rusqlite::Result<Ids> {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
            };
            let (document, catalog, own, icon_mediatype, heads, head) = self
                .connection()
                .query_row(PACKAGE, [&row.catalog, package], to_ids)
                .map_err(|error| self.failed(&error))?;
            let of_document = |sql| match document {
                Some(document) => self.properties_of(sql, document, &[]),
                None => Ok(Vec::new()),
            };
            let catalog_name = row.catalog.clone();
            let lifecycle = supported.lifecycle(&row.catalog, package);
            details.push(PackageDetail {
                description: self.text(own.or(heads))?,
                icon_mediatype,
                keywords: self.rows(KEYWORDS, [head], |row| row.get(0))?,
                properties: of_document(PROPERTIES)?,
                channel_list: {
                    let own = channels.iter().filter(|it| it.catalog == catalog_name);
                    let mut own: Vec<ChannelRow> = own.cloned().collect();
                    // The default channel, and then the newest by name, as everywhere.
                    own.sort_by_cached_key(|it| std::cmp::Reverse((it.is_default, by_numbers(&it.channel))));
                    own
                },
                bundle_list: bundles.iter().filter(|it| it.catalog == catalog_name).cloned().collect(),
                lifecycle: lifecycle.iter().flat_map(|it| &it.versions).map(LifecyclePhases::from).collect(),
                source: match document {
                    Some(document) => self.source(document, catalog)?.map(|it| it.0),
                    None => None,
                },
                row,
            });
        }
        Ok(details)
    }

    /// A channel, with its entries.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn show_channel(
        &self,
        catalogs: &[String],
        package: &str,
        channel: &str,
    ) -> Result<Vec<ChannelDetail>, IndexError> {
        let filter = Filter {
            catalogs: catalogs.to_vec(),
            package: Some(package.to_owned()),
            channel: Some(channel.to_owned()),
        };
        let deprecated = self.deprecated("olm.bundle", &filter)?;
        let mut details = Vec::new();
        for row in self.channels(&filter)? {
            let ids = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
            let (document, catalog, graph) = self
                .connection()
                .query_row(CHANNEL, [&row.catalog, package, channel], ids)
                .map_err(|error| self.failed(&error))?;
            let source = self.source(document, catalog)?;
            let places = source.as_ref().map(channel_places).unwrap_or_default();
            let entries = self.rows(ENTRIES, [document, graph], |entry| {
                let place = places.entry(entry.get(4)?);
                let name: String = entry.get(0)?;
                let deprecation = deprecated.get(&(row.catalog.clone(), row.package.clone(), name.clone())).cloned();
                let detail = EntryDetail {
                    name,
                    version: entry.get(1)?,
                    replaces: entry.get(2)?,
                    skips: Vec::new(),
                    skip_range: entry.get(3)?,
                    deprecation,
                    line: place.line,
                    column: place.column,
                };
                Ok((entry.get::<_, i64>(4)?, detail))
            })?;
            let mut entry_list = Vec::with_capacity(entries.len());
            for (position, entry) in entries {
                let skips = self.rows(SKIPS, [document, position], |row| row.get(0))?;
                entry_list.push(EntryDetail { skips, ..entry });
            }
            details.push(ChannelDetail {
                properties: self.properties_of(PROPERTIES, document, &[])?,
                entry_list,
                source: source.map(|it| it.0),
                row,
            });
        }
        Ok(details)
    }

    /// The bundles of a package in a catalog, by name, whose description a newer one has too, each with the newest that
    /// has it.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn repeated_descriptions(
        &self,
        catalog: &str,
        package: &str,
    ) -> Result<HashMap<String, super::Neighbour>, IndexError> {
        let rows = self.rows(DESCRIPTIONS, params![catalog, package], |row| {
            let bundle = super::Neighbour { bundle: row.get(0)?, version: row.get(1)? };
            Ok((bundle, row.get::<_, i64>(2)?))
        })?;
        let mut newest: HashMap<i64, super::Neighbour> = HashMap::new();
        let mut repeated = HashMap::new();
        for (bundle, description) in rows {
            match newest.get(&description) {
                Some(first) => {
                    repeated.insert(bundle.bundle, first.clone());
                }
                None => {
                    newest.insert(description, bundle);
                }
            }
        }
        Ok(repeated)
    }

    /// The sentence that tells what the head of a package's default channel is for, or empty.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn head_summary(&self, row: &super::PackageRow) -> Result<String, IndexError> {
        Ok(self.summary_and_description(row)?.0)
    }

    /// The same, or the description of the head if it has no such sentence.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn head_description(&self, row: &super::PackageRow) -> Result<String, IndexError> {
        let (summary, description) = self.summary_and_description(row)?;
        if summary.is_empty() { self.text(description) } else { Ok(summary) }
    }

    fn summary_and_description(&self, row: &super::PackageRow) -> Result<(String, Option<i64>), IndexError> {
        let head = params![row.package, row.head, row.catalog];
        Ok(self.rows(SUMMARY, head, |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().next().unwrap_or_default())
    }

    /// The bundles that a selector means, in the order of [`LightIndex::bundle_places`].
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn show_bundle(&self, selector: &BundleSelector) -> Result<Vec<BundleDetail>, IndexError> {
        let rows = self.selected(selector, |row| {
            let detail = BundleDetail {
                row: BundleRow {
                    catalog: row.get(2)?,
                    package: row.get(3)?,
                    bundle: row.get(4)?,
                    version: row.get(5)?,
                    release: row.get(6)?,
                    image: row.get(7)?,
                    display_name: row.get(8)?,
                    ..BundleRow::default()
                },
                provider: row.get(9)?,
                summary: row.get(21)?,
                maturity: row.get(10)?,
                capability_level: row.get(11)?,
                min_kube_version: row.get(12)?,
                openshift_versions: row.get(13)?,
                max_openshift_version: row.get(14)?,
                repository: row.get(15)?,
                support: row.get(16)?,
                created_at: row.get(17)?,
                subscription: row.get(18)?,
                facts_from: row.get(19)?,
                ..BundleDetail::default()
            };
            Ok((row.get(0)?, row.get(1)?, row.get(20)?, detail))
        })?;
        // A package may have thousands of bundles and of deprecations.
        self.memory().while_on(|| {
            let details = rows.into_iter();
            details.map(|(document, catalog, text, detail)| self.complete(document, catalog, text, detail)).collect()
        })
    }

    /// Fills in the values from other tables.
    fn complete(
        &self,
        document: i64,
        catalog: i64,
        description: Option<i64>,
        mut it: BundleDetail,
    ) -> Result<BundleDetail, IndexError> {
        let texts = |sql| self.rows(sql, [document], |row| row.get(0));
        let apis = |sql| {
            self.rows(sql, [document], |row| Ok(Api { group: row.get(0)?, version: row.get(1)?, kind: row.get(2)? }))
        };
        // The supported platforms, and whether any label states one.
        let platforms = |kind| -> Result<(Vec<String>, bool), IndexError> {
            let labels: Vec<(String, bool)> =
                self.rows(PLATFORMS, params![document, kind], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let is_stated = !labels.is_empty();
            Ok((labels.into_iter().filter(|it| it.1).map(|it| it.0).collect(), is_stated))
        };
        it.row.channels = self.rows(CHANNELS, [document, catalog], |row| row.get(0))?;
        self.deprecations_of(&mut it)?;
        let supported = self.supported(&Filter::in_catalog(&it.row.catalog, &it.row.package))?;
        supported.complete(&mut it.row);
        let version = supported.version(&it.row.catalog, &it.row.package, &it.row.version);
        it.lifecycle = version.map(LifecyclePhases::from);
        it.description = self.text(description)?;
        it.keywords = texts(KEYWORDS)?;
        it.categories = texts(CATEGORIES)?;
        it.install_modes =
            self.rows(INSTALL_MODES, [document], |row| Ok(InstallMode { kind: row.get(0)?, supported: row.get(1)? }))?;
        (it.architectures, it.states_architecture) = platforms("arch")?;
        (it.operating_systems, it.states_operating_system) = platforms("os")?;
        let features = self.rows(FEATURES, [document], |row| Ok((row.get(0)?, row.get(1)?)))?;
        it.features = features.into_iter().collect();
        it.provides = apis(PROVIDED)?;
        it.requires = apis(REQUIRED)?;
        it.required_packages = self.rows(REQUIRED_PACKAGES, [document], |row| {
            Ok(RequiredPackage { package: row.get(0)?, range: row.get(1)? })
        })?;
        let constraints: Vec<String> = texts(CONSTRAINTS)?;
        it.constraints =
            constraints.into_iter().map(|it| self.json(it).map(ConstraintRow)).collect::<Result<_, _>>()?;
        it.related_images =
            self.rows(RELATED_IMAGES, [document], |row| Ok(RelatedImage { name: row.get(0)?, image: row.get(1)? }))?;
        let source = self.source(document, catalog)?;
        let places = source.as_ref().map(|(at, layout)| property_places(layout, start_of(at))).unwrap_or_default();
        it.properties = self.properties_of(PROPERTIES, document, &places)?;
        let mut channels = HashMap::new();
        let package = it.row.package.as_str();
        it.upgrades_from = self.edges(EDGES_IN, package, document, catalog, &mut channels)?;
        it.upgrades_to = self.edges(EDGES_OUT, package, document, catalog, &mut channels)?;
        it.source = source.map(|it| it.0);
        Ok(it)
    }

    /// The edges at a bundle; the places of channels that were read for them are kept in `channels`.
    fn edges(
        &self,
        sql: &str,
        package: &str,
        document: i64,
        catalog: i64,
        channels: &mut HashMap<i64, Arc<ChannelPlaces>>,
    ) -> Result<Vec<Edge>, IndexError> {
        let rows = self.rows(sql, [document, catalog], |row| {
            let edge = Edge {
                channel: row.get(0)?,
                bundle: row.get(1)?,
                version: row.get(2)?,
                kind: row.get(3)?,
                file: String::new(),
                line: 0,
                column: 0,
            };
            Ok((row.get::<_, i64>(4)?, row.get::<_, usize>(5)?, row.get::<_, Option<usize>>(6)?, edge))
        })?;
        let mut edges = Vec::with_capacity(rows.len());
        for (channel, entry, item, edge) in rows {
            let places = match channels.entry(channel) {
                MapEntry::Occupied(it) => it.into_mut(),
                MapEntry::Vacant(it) => it.insert(self.memory().places(package, (channel, catalog), || {
                    let source = self.source(channel, catalog)?;
                    Ok::<_, IndexError>(source.as_ref().map(channel_places).unwrap_or_default())
                })?),
            };
            let Place { file, line, column, .. } = match edge.kind.as_str() {
                "replaces" => places.replaces(entry),
                "skips" => places.skip(entry, item.unwrap_or_default()),
                _ => places.skip_range(entry),
            };
            edges.push(Edge { file, line, column, ..edge });
        }
        Ok(edges)
    }

    fn deprecations_of(&self, it: &mut BundleDetail) -> Result<(), IndexError> {
        let filter = Filter::of_package(&it.row.package);
        let key = |name: &str| (it.row.catalog.clone(), it.row.package.clone(), name.to_owned());
        it.row.deprecation = self.deprecated("olm.bundle", &filter)?.get(&key(&it.row.bundle)).cloned();
        if let Some(message) = self.deprecated("olm.package", &filter)?.get(&key("")) {
            it.other_deprecations.push(format!("olm.package {}: {message}", it.row.package));
        }
        let of_channels = self.deprecated("olm.channel", &filter)?;
        for channel in &it.row.channels {
            if let Some(message) = of_channels.get(&key(channel)) {
                it.other_deprecations.push(format!("olm.channel {channel}: {message}"));
            }
        }
        Ok(())
    }

    fn properties_of(&self, sql: &str, document: i64, places: &[Position]) -> Result<Vec<PropertyRow>, IndexError> {
        let rows = self.rows(sql, [document], |row| Ok((row.get(0)?, row.get::<_, Option<String>>(1)?)))?;
        let property = |(idx, (kind, value)): (usize, (String, Option<String>))| {
            let value = value.map(|it| self.json(it)).transpose()?;
            let place = places.get(idx);
            Ok(PropertyRow { kind, value, line: place.map(|it| it.line), column: place.map(|it| it.column) })
        };
        rows.into_iter().enumerate().map(property).collect()
    }

    /// The place of a document of a catalog, and its layout.
    fn source(&self, document: i64, catalog: i64) -> Result<Option<(Source, Vec<u8>)>, IndexError> {
        self.connection()
            .prepare_cached(SOURCE)
            .and_then(|mut statement| {
                let source = |row: &Row<'_>| {
                    Ok((Source { file: row.get(0)?, line: row.get(1)?, column: row.get(2)? }, row.get(3)?))
                };
                statement.query_row([document, catalog], source).optional()
            })
            .map_err(|error| self.failed(&error))
    }

    /// A text that is stored once; empty for none.
    fn text(&self, id: Option<i64>) -> Result<String, IndexError> {
        let Some(id) = id else { return Ok(String::new()) };
        let load = |row: &Row<'_>| {
            Ok(compression::load(row.get(0)?, row.get(1)?, row.get_ref(2)?.as_blob()?).map(|it| it.into_owned()))
        };
        let text = self.connection().query_row(TEXT, [id], load).map_err(|error| self.failed(&error))?;
        match text.map(String::from_utf8) {
            Some(Ok(text)) => Ok(text),
            _ => Err(self.damaged("a stored text cannot be unpacked")),
        }
    }

    fn json(&self, text: String) -> Result<Box<RawValue>, IndexError> {
        RawValue::from_string(text).ok().ok_or_else(|| self.damaged("a stored value is not JSON"))
    }
}

fn start_of(source: &Source) -> Position {
    Position { line: source.line, column: source.column }
}

fn channel_places((source, layout): &(Source, Vec<u8>)) -> ChannelPlaces {
    ChannelPlaces::new(source.file.clone(), (source.line, source.column), layout)
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("bundle by name", BY_NAME),
    ("bundle by package", BY_PACKAGE),
    ("names of the bundles of a package", NAMES_OF_VERSIONS),
    ("edges to a bundle", EDGES_IN),
    ("edges from a bundle", EDGES_OUT),
    ("channels of a bundle", CHANNELS),
    ("place of a document", SOURCE),
    ("properties", PROPERTIES),
    ("provided APIs", PROVIDED),
    ("related images", RELATED_IMAGES),
    ("package", PACKAGE),
    ("channel", CHANNEL),
    ("entries", ENTRIES),
];
