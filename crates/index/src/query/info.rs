//! The content of an index and the sizes of its parts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::{CatalogRow, Filter, Outdated};
use crate::{Index, IndexError, ListIndex, SCHEMA_VERSION, Verified};
use olmdex_base::file::Cache;

/// The content of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Info {
    /// The version of its schema.
    pub schema_version: i32,
    /// The catalogs, by name.
    pub catalogs: Vec<CatalogRow>,
    /// How often catalogs hold documents.
    pub references: u64,
    /// The number of distinct documents.
    pub documents: u64,
    /// Bytes of all references' texts in normal form.
    pub referenced_bytes: u64,
    /// Bytes of the distinct documents' texts in normal form.
    pub document_bytes: u64,
    /// How many documents there are of each schema.
    pub schemas: BTreeMap<String, u64>,
    /// The sources of the known updates of OpenShift, in the order in which they were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub update_sources: Vec<UpdateSourceRow>,
    /// The sizes of its parts in the file, largest first.
    pub sizes: Vec<Size>,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Catalogs whose sources on this machine have changed since.
    pub outdated: Vec<Outdated>,
    /// The texts and rows that were compared with digests; null if none were.
    pub verified: Option<Verified>,
}

/// A source of known updates of OpenShift.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateSourceRow {
    /// How it was given.
    pub source: String,
    /// `answer` of the update service, whose updates are exact, or `data`, a copy of the graph data, which has no
    /// updates.
    pub kind: String,
    /// The day of the newest of its files, if that is known.
    pub as_of: Option<String>,
    /// The number of releases that it knows.
    pub releases: u64,
    /// The newest of them that is not an early release, or empty.
    pub newest: String,
    /// The number of updates that it knows.
    pub updates: u64,
    /// The number of rules against updates that it has.
    pub blocked_edges: u64,
}

/// The size of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Size {
    /// The kind of content.
    pub kind: String,
    /// Bytes of its pages.
    pub bytes: u64,
}

/// All names, for completion and for suggestions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Names {
    /// Names of catalogs.
    pub catalogs: Vec<String>,
    /// Names of packages.
    pub packages: Vec<String>,
    /// Names of channels, of the package that was asked for or of all.
    pub channels: Vec<String>,
    /// Names of bundles, of the package that was asked for or of all.
    pub bundles: Vec<String>,
}

const TOTALS: &str = "
SELECT (SELECT count(*) FROM catalog_document), (SELECT count(*) FROM document),
       (SELECT coalesce(sum(t.size), 0) FROM catalog_document cd JOIN document_text t ON t.document = cd.document),
       (SELECT coalesce(sum(size), 0) FROM document_text)";

const CATALOG_NAMES: &str = "SELECT name FROM catalog ORDER BY name";

const PACKAGES_OF_CATALOG: &str = "
SELECT p.package FROM catalog c CROSS JOIN catalog_package p ON p.catalog = c.id WHERE c.name = ?1 ORDER BY p.package";

const CATALOGS_OF_PACKAGE: &str = "
SELECT c.name FROM catalog c CROSS JOIN catalog_package p ON p.catalog = c.id AND p.package = ?1 ORDER BY c.name";

const MOST_ENTRIES: &str = "
SELECT coalesce(max(n), 0)
FROM (SELECT count(*) AS n FROM channel ch JOIN entry e ON e.document = ch.document GROUP BY ch.package)";

const PACKAGE_NAMES: &str = "SELECT DISTINCT package FROM catalog_package ORDER BY package";

const UPDATE_SOURCES: &str = "
SELECT s.source, s.kind, s.as_of,
       (SELECT count(DISTINCT version) FROM platform_release WHERE source = s.id),
       coalesce((SELECT version FROM platform_release WHERE source = s.id AND version NOT LIKE '%-%'
                 ORDER BY version_key DESC, version DESC LIMIT 1), ''),
       (SELECT count(*) FROM platform_update WHERE source = s.id),
       (SELECT count(*) FROM blocked_edge WHERE source = s.id)
FROM update_source s ORDER BY s.id";

/// Indexes and shadow tables count as their table.
const SIZES: &str = "
SELECT coalesce(s.tbl_name, p.name), sum(p.pgsize)
FROM dbstat p LEFT JOIN sqlite_schema s ON s.name = p.name
WHERE p.aggregate = TRUE GROUP BY 1";

impl Index {
    /// The content of the index. Reads the whole file; `cache` and `composed` are for [`Self::outdated`].
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn info(
        &self,
        cache: Option<&Cache>,
        composed: &dyn Fn(&Path, &str) -> Vec<PathBuf>,
    ) -> Result<Info, IndexError> {
        let (references, documents, referenced_bytes, document_bytes) = self
            .connection()
            .query_row(TOTALS, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .map_err(|error| self.failed(&error))?;
        let schemas = self
            .rows("SELECT schema, count(*) FROM document GROUP BY schema", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut sizes: BTreeMap<&'static str, u64> = BTreeMap::new();
        for (table, bytes) in self.rows(SIZES, [], |row| Ok((row.get::<_, String>(0)?, row.get::<_, u64>(1)?)))? {
            *sizes.entry(kind_of(&table)).or_default() += bytes;
        }
        let mut sizes: Vec<Size> =
            sizes.into_iter().map(|(kind, bytes)| Size { kind: kind.to_owned(), bytes }).collect();
        sizes.sort_by(|a, b| b.bytes.cmp(&a.bytes).then(a.kind.cmp(&b.kind)));
        let update_sources = self.rows(UPDATE_SOURCES, [], |row| {
            Ok(UpdateSourceRow {
                source: row.get(0)?,
                kind: row.get(1)?,
                as_of: row.get(2)?,
                releases: row.get(3)?,
                newest: row.get(4)?,
                updates: row.get(5)?,
                blocked_edges: row.get(6)?,
            })
        })?;
        Ok(Info {
            update_sources,
            schema_version: SCHEMA_VERSION,
            catalogs: self.catalogs(&Filter::default())?,
            references,
            documents,
            referenced_bytes,
            document_bytes,
            schemas: schemas.into_iter().collect(),
            file_bytes: sizes.iter().map(|it| it.bytes).sum(),
            outdated: self.outdated(cache, composed)?,
            sizes,
            verified: None,
        })
    }
}

impl ListIndex {
    /// The names of its catalogs, sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn catalog_names(&self) -> Result<Vec<String>, IndexError> {
        self.rows(CATALOG_NAMES, [], |row| row.get(0))
    }

    /// The names of the packages of all catalogs, sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn package_names(&self) -> Result<Vec<String>, IndexError> {
        self.rows(PACKAGE_NAMES, [], |row| row.get(0))
    }

    /// The most entries that the channels of a package have together.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn most_entries(&self) -> Result<usize, IndexError> {
        Ok(self.rows(MOST_ENTRIES, [], |row| row.get(0))?.first().copied().unwrap_or_default())
    }

    /// The names of the packages of a catalog, sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn packages_of_catalog(&self, catalog: &str) -> Result<Vec<String>, IndexError> {
        self.rows(PACKAGES_OF_CATALOG, [catalog], |row| row.get(0))
    }

    /// The names of the catalogs that have a package, sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn catalogs_of_package(&self, package: &str) -> Result<Vec<String>, IndexError> {
        self.rows(CATALOGS_OF_PACKAGE, [package], |row| row.get(0))
    }

    /// The packages that have the manifests of a bundle, and so its permissions, each with the name of a catalog where
    /// this is so; sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn packages_with_manifests(&self) -> Result<Vec<(String, String)>, IndexError> {
        let sql = "SELECT DISTINCT b.package, c.name FROM bundle b JOIN catalog_document cd ON cd.document = b.document \
                   JOIN catalog c ON c.id = cd.catalog WHERE b.facts_from = 'olm.bundle.object' ORDER BY 1, 2";
        self.rows(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The APIs that bundles provide or require, as `GROUP/VERSION/KIND`, sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn api_names(&self) -> Result<Vec<String>, IndexError> {
        let sql = "SELECT \"group\" || '/' || version || '/' || kind FROM api ORDER BY 1";
        self.rows(sql, [], |row| row.get(0))
    }

    /// All names, sorted; channels and bundles of one package if one is given.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn names(&self, package: Option<&str>) -> Result<Names, IndexError> {
        let names_of = |all, of_package| match package {
            Some(package) => self.rows(of_package, [package], |row| row.get(0)),
            None => self.rows(all, [], |row| row.get(0)),
        };
        Ok(Names {
            catalogs: self.catalog_names()?,
            packages: self.package_names()?,
            channels: names_of(
                "SELECT DISTINCT name FROM channel ORDER BY name",
                "SELECT DISTINCT name FROM channel WHERE package = ?1 ORDER BY name",
            )?,
            bundles: names_of(
                "SELECT DISTINCT name FROM bundle ORDER BY name",
                "SELECT DISTINCT name FROM bundle WHERE package = ?1 ORDER BY name",
            )?,
        })
    }
}

fn kind_of(table: &str) -> &'static str {
    match table {
        "packed_text" => "documents",
        "text" => "descriptions",
        "package_icon" => "icons",
        "image" | "related_image" => "images",
        "api" | "provided_api" | "required_api" => "APIs",
        "property" => "properties",
        "graph" | "node" | "edge" | "catalog_channel" => "upgrade graphs",
        "entry" | "entry_skip" | "channel" => "channels",
        "profile" => "search",
        name if name.starts_with("search") => "search",
        "document" | "document_source" | "layout" | "catalog_document" | "file" | "catalog" | "catalog_label"
        | "catalog_image" | "catalog_package" => "bookkeeping",
        "finding" | "complaint" => "findings",
        "update_source"
        | "update_warning"
        | "update_risk"
        | "platform_release"
        | "platform_update"
        | "platform_update_risk"
        | "blocked_edge"
        | "build_suggestion" => "updates of OpenShift",
        "bundle" | "package" | "keyword" | "category" | "install_mode" | "maintainer" | "link" | "platform"
        | "feature" | "required_package" | "bundle_constraint" | "deprecation" => "packages and bundles",
        _ => "other",
    }
}
