//! The bundles that provide an API, that require an API or a package, or that demand anything at all.

use rusqlite::{Row, params};
use schemars::JsonSchema;
use serde::Serialize;

use super::search::ApiPattern;
use super::{Filter, catalogs_json};
use crate::{Index, IndexError};
use olmdex_base::diag::Place;
use olmdex_fbc::Api;

/// A bundle that provides or requires something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UseRow<T> {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its version, or empty.
    pub version: String,
    /// The channels that have it, by name.
    pub channels: Vec<String>,
    /// The API or package that it provides or requires.
    pub what: T,
    /// The number of its document in the index.
    pub document: i64,
    /// The number of that property, if it is known.
    pub property: Option<usize>,
    /// The start of the bundle.
    pub place: Place,
}

/// A bundle that provides an API.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provider {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// The channels that have it.
    pub channels: Vec<String>,
    /// The API: group, version and kind.
    pub api: Api,
}

/// An API in any version, and the packages of a catalog with a bundle that provides it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnedApi {
    /// The catalog.
    pub catalog: String,
    /// The API's group.
    pub group: String,
    /// Its kind.
    pub kind: String,
    /// Its versions, by name.
    pub versions: Vec<String>,
    /// The packages, by name.
    pub packages: Vec<String>,
}

/// The bundles that a table joins with an API.
macro_rules! bundles_of_api {
    ($table:literal, $of_group:literal) => {
        concat!(
            "
SELECT c.name, b.package, b.name, b.version, a.\"group\", a.version, a.kind,
       b.document, f.path, cd.line, cd.\"column\", NULL
FROM (SELECT id, \"group\", version, kind FROM api
      WHERE ",
            $of_group,
            " AND (?2 = '' OR version = ?2) AND (?3 = '' OR kind = ?3 COLLATE NOCASE)) a
CROSS JOIN ",
            $table,
            " p ON p.api = a.id
CROSS JOIN bundle b ON b.document = p.document
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
CROSS JOIN file f ON f.id = cd.file
WHERE ?4 IS NULL OR c.name IN (SELECT value FROM json_each(?4))
ORDER BY c.name, b.package, b.version_key, b.name, a.\"group\", a.version, a.kind"
        )
    };
}

const PROVIDES: &str = bundles_of_api!("provided_api", "(?1 = '' OR \"group\" = ?1)");
const REQUIRES_API: &str = bundles_of_api!("required_api", "(?1 = '' OR \"group\" = ?1)");
// If the group is known, the others are not looked at.
const PROVIDES_IN_GROUP: &str = bundles_of_api!("provided_api", "\"group\" = ?1");
const REQUIRES_IN_GROUP: &str = bundles_of_api!("required_api", "\"group\" = ?1");

const OWNERS: &str = "
SELECT DISTINCT c.name, a.\"group\", a.kind, a.version, b.package
FROM (SELECT id, \"group\", version, kind FROM api
      WHERE (?1 = '' OR \"group\" = ?1) AND (?2 = '' OR version = ?2) AND (?3 = '' OR kind = ?3 COLLATE NOCASE)) a
CROSS JOIN provided_api p ON p.api = a.id
CROSS JOIN bundle b ON b.document = p.document
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE ?4 IS NULL OR c.name IN (SELECT value FROM json_each(?4))
ORDER BY c.name, a.\"group\", a.kind, a.version, b.package";

const APIS_OF_PACKAGE: &str = "
SELECT DISTINCT a.\"group\", a.version, a.kind
FROM bundle b
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
CROSS JOIN provided_api p ON p.document = b.document
CROSS JOIN api a ON a.id = p.api
WHERE b.package = ?1 AND (?2 IS NULL OR c.name IN (SELECT value FROM json_each(?2)))
ORDER BY a.\"group\", a.version, a.kind";

const REQUIRES_PACKAGE: &str = "
SELECT c.name, b.package, b.name, b.version, p.package, p.range, '',
       b.document, f.path, cd.line, cd.\"column\", p.position
FROM required_package p
CROSS JOIN bundle b ON b.document = p.document
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
CROSS JOIN file f ON f.id = cd.file
WHERE p.package = ?1 AND (?2 IS NULL OR c.name IN (SELECT value FROM json_each(?2)))
ORDER BY c.name, b.package, b.version_key, b.name, p.position";

const WITH_PROPERTY: &str = "
SELECT c.name, b.package, b.name, b.version, p.type, p.value, '',
       b.document, f.path, cd.line, cd.\"column\", p.position
FROM property p
CROSS JOIN bundle b ON b.document = p.document
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
CROSS JOIN file f ON f.id = cd.file
WHERE p.type = ?1 AND p.type NOT IN ('olm.gvk', 'olm.package', 'olm.bundle.object') AND p.value IS NOT NULL
  AND (?2 IS NULL OR c.name IN (SELECT value FROM json_each(?2)))
ORDER BY c.name, b.package, b.version_key, b.name, p.position";

const CHANNELS: &str = "
SELECT DISTINCT ch.name
FROM entry e
CROSS JOIN channel ch ON ch.document = e.document AND ch.package = ?2
CROSS JOIN catalog_document cd ON cd.document = ch.document
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE e.name = ?3 AND c.name = ?1
ORDER BY ch.name";

/// The API of a row about one.
fn api_of(row: &Row<'_>) -> rusqlite::Result<Api> {
    Ok(Api { group: row.get(4)?, version: row.get(5)?, kind: row.get(6)? })
}

impl Index {
    /// The bundles that provide an API, by catalog, package and version. Only the catalogs of the filter count.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn providers(&self, filter: &Filter, api: &ApiPattern) -> Result<Vec<Provider>, IndexError> {
        let api = self.api_meant(api)?.unwrap_or_else(|| api.clone());
        let parameters = params![api.group, api.version, api.kind, catalogs_json(&filter.catalogs)];
        let provider = |it: UseRow<Api>| {
            let UseRow { catalog, package, bundle, version, channels, what, .. } = it;
            Provider { catalog, package, bundle, version, channels, api: what }
        };
        let sql = if api.group.is_empty() { PROVIDES } else { PROVIDES_IN_GROUP };
        Ok(self.uses(sql, parameters, api_of)?.into_iter().map(provider).collect())
    }

    /// The packages that provide an API, by catalog, group and kind: a definition has one name for all its versions.
    /// Only the catalogs of the filter count.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn owners(&self, filter: &Filter, api: &ApiPattern) -> Result<Vec<OwnedApi>, IndexError> {
        let api = self.api_meant(api)?.unwrap_or_else(|| api.clone());
        let parameters = params![api.group, api.version, api.kind, catalogs_json(&filter.catalogs)];
        let rows: Vec<[String; 5]> =
            self.rows(OWNERS, parameters, |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]))?;
        let mut found: Vec<OwnedApi> = Vec::new();
        for [catalog, group, kind, version, package] in rows {
            let is_next = |it: &OwnedApi| (&it.catalog, &it.group, &it.kind) != (&catalog, &group, &kind);
            if found.last().is_none_or(is_next) {
                found.push(OwnedApi { catalog, group, kind, versions: Vec::new(), packages: Vec::new() });
            }
            if let Some(last) = found.last_mut() {
                for (list, item) in [(&mut last.versions, version), (&mut last.packages, package)] {
                    if let Err(at) = list.binary_search(&item) {
                        list.insert(at, item);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The APIs that bundles of a package provide, in any of its versions.
    ///
    /// # Errors
    /// If the index is damaged.
    pub(crate) fn apis_of_package(&self, filter: &Filter, package: &str) -> Result<Vec<Api>, IndexError> {
        self.rows(APIS_OF_PACKAGE, params![package, catalogs_json(&filter.catalogs)], |row| {
            Ok(Api { group: row.get(0)?, version: row.get(1)?, kind: row.get(2)? })
        })
    }

    /// The bundles that require an API with `olm.gvk.required`.
    ///
    /// # Errors
    /// If the index is damaged.
    pub(crate) fn requirers_of_api(
        &self,
        filter: &Filter,
        pattern: &ApiPattern,
    ) -> Result<Vec<UseRow<Api>>, IndexError> {
        let ApiPattern { group, version, kind } = pattern;
        let sql = if group.is_empty() { REQUIRES_API } else { REQUIRES_IN_GROUP };
        self.uses(sql, params![group, version, kind, catalogs_json(&filter.catalogs)], api_of)
    }

    /// The bundles that require a package with `olm.package.required`: its name and the range of its versions.
    ///
    /// # Errors
    /// If the index is damaged.
    pub(crate) fn requirers_of_package(
        &self,
        filter: &Filter,
        package: &str,
    ) -> Result<Vec<UseRow<(String, String)>>, IndexError> {
        let name_and_range = |row: &Row<'_>| Ok((row.get(4)?, row.get(5)?));
        self.uses(REQUIRES_PACKAGE, params![package, catalogs_json(&filter.catalogs)], name_and_range)
    }

    /// The bundles with properties of a type, one row for each: its value, as JSON. Not for `olm.gvk` and
    /// `olm.package`.
    ///
    /// # Errors
    /// If the index is damaged.
    pub(crate) fn bundles_with_property(&self, filter: &Filter, kind: &str) -> Result<Vec<UseRow<String>>, IndexError> {
        self.uses(WITH_PROPERTY, params![kind, catalogs_json(&filter.catalogs)], |row| row.get(5))
    }

    fn uses<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        what: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<UseRow<T>>, IndexError> {
        let mut rows = self.rows(sql, parameters, |row| {
            Ok(UseRow {
                catalog: row.get(0)?,
                package: row.get(1)?,
                bundle: row.get(2)?,
                version: row.get(3)?,
                channels: Vec::new(),
                what: what(row)?,
                document: row.get(7)?,
                place: Place::at(row.get_ref(8)?.as_str()?, row.get(9)?, row.get(10)?),
                property: row.get(11)?,
            })
        })?;
        for row in &mut rows {
            let parameters = params![row.catalog, row.package, row.bundle];
            row.channels = self.rows(CHANNELS, parameters, |row| row.get(0))?;
        }
        Ok(rows)
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("bundles that provide an API", PROVIDES),
    ("packages that provide an API", OWNERS),
    ("bundles that require an API", REQUIRES_API),
    ("bundles that provide an API of a group", PROVIDES_IN_GROUP),
    ("bundles that require an API of a group", REQUIRES_IN_GROUP),
    ("APIs that a package provides", APIS_OF_PACKAGE),
    ("bundles that require a package", REQUIRES_PACKAGE),
    ("bundles with properties of a type", WITH_PROPERTY),
    ("channels of a bundle", CHANNELS),
];
