//! Lists: catalogs, packages, channels.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;

use super::Filter;
use crate::memory::Deprecated;
use crate::{IndexError, ListIndex};

/// A catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogRow {
    /// Its name in the index.
    pub catalog: String,
    /// Its priority; higher is preferred.
    pub priority: i64,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The source that it was built from.
    pub source: String,
    /// The digest of the image that it came from; empty if it came from none.
    pub image: String,
    /// The number of packages that it has.
    pub packages: u64,
    /// How many channels.
    pub channels: u64,
    /// How many bundles.
    pub bundles: u64,
    /// The number of documents of all schemas.
    pub documents: u64,
}

/// A package of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackageRow {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// Display name of the default channel's head; empty if that says none.
    pub display_name: String,
    /// Provider of the default channel's head; empty if that says none.
    pub provider: String,
    /// Its default channel; empty if the catalog has no `olm.package` for it.
    pub default_channel: String,
    /// The head of the default channel; empty if there is not exactly one.
    pub head: String,
    /// Version of that bundle.
    pub head_version: String,
    /// The highest version of its bundles, in any channel.
    #[serde(skip)]
    pub highest_version: String,
    /// The number of channels that it has.
    pub channels: u64,
    /// How many bundles.
    pub bundles: u64,
    /// The message, if the package is deprecated.
    pub deprecation: Option<String>,
    /// Whether the checks found no errors in it. Only indexes in memory have packages with errors.
    pub is_valid: bool,
}

/// A channel of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChannelRow {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// Its head; empty if there is not exactly one.
    pub head: String,
    /// Version of that bundle.
    pub head_version: String,
    /// The number of entries that it has.
    pub entries: u64,
    /// Whether it is the package's default channel.
    pub is_default: bool,
    /// The message, if the channel is deprecated.
    pub deprecation: Option<String>,
}

const CATALOGS: &str = "
SELECT c.id, c.name, c.priority, c.source, coalesce((SELECT i.digest FROM catalog_image i WHERE i.catalog = c.id), ''),
       (SELECT count(*) FROM catalog_package p WHERE p.catalog = c.id),
       (SELECT count(*) FROM catalog_channel n WHERE n.catalog = c.id),
       (SELECT count(*) FROM catalog_document d CROSS JOIN document b ON b.id = d.document
        WHERE d.catalog = c.id AND b.schema = 'olm.bundle'),
       (SELECT count(*) FROM catalog_document d WHERE d.catalog = c.id)
FROM catalog c
WHERE ?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1))
ORDER BY c.name";

const LABELS: &str = "SELECT key, value FROM catalog_label WHERE catalog = ?1 ORDER BY key";

/// The columns of a package's row; a condition on `p` follows.
macro_rules! packages {
    ($condition:literal) => {
        concat!(
            "
SELECT c.name, p.package, coalesce(h.display_name, ''), coalesce(h.provider, ''), coalesce(k.default_channel, ''),
       coalesce(n.name, ''), coalesce(h.version, ''),
       (SELECT count(*) FROM (SELECT document FROM channel WHERE package = p.package) x
        CROSS JOIN catalog_document d INDEXED BY catalog_document_document
        ON d.document = x.document AND d.catalog = c.id),
       (SELECT count(*) FROM (SELECT document FROM bundle WHERE package = p.package) x
        CROSS JOIN catalog_document d INDEXED BY catalog_document_document
        ON d.document = x.document AND d.catalog = c.id),
       p.is_valid, ",
            highest_version!("p.package"),
            "
FROM catalog c
CROSS JOIN catalog_package p ON p.catalog = c.id
",
            default_head!(),
            "WHERE (?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1))) AND ",
            $condition,
            " ORDER BY c.name, p.package"
        )
    };
}

const ALL_PACKAGES: &str = packages!("?2 IS NULL");
const ONE_PACKAGE: &str = packages!("p.package = ?2");

macro_rules! channels {
    ($from:literal) => {
        concat!(
            "
SELECT c.name, ch.package, ch.name, coalesce(n.name, ''), coalesce(h.version, ''),
       (SELECT count(*) FROM entry e WHERE e.document = ch.document), coalesce(k.default_channel = ch.name, 0)
FROM ",
            $from,
            "
JOIN graph g ON g.id = cc.graph
LEFT JOIN node n ON n.graph = g.id AND n.number = g.head
LEFT JOIN bundle h ON h.document = n.document
LEFT JOIN catalog_package p ON p.catalog = c.id AND p.package = ch.package
LEFT JOIN package k ON k.document = p.document
WHERE (?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1)))
  AND (?2 IS NULL OR ch.package = ?2) AND (?3 IS NULL OR ch.name = ?3)
ORDER BY c.name, ch.package, ch.name"
        )
    };
}

const ALL_CHANNELS: &str = channels!(
    "catalog c CROSS JOIN catalog_channel cc ON cc.catalog = c.id CROSS JOIN channel ch ON ch.document = cc.channel"
);
const CHANNELS_OF_PACKAGE: &str = channels!(
    "(SELECT * FROM channel WHERE package = ?2) ch CROSS JOIN catalog c \
     CROSS JOIN catalog_channel cc ON cc.catalog = c.id AND cc.channel = ch.document"
);

macro_rules! deprecations {
    ($from:literal) => {
        concat!(
            "
SELECT c.name, d.package, x.schema, x.name, x.message
FROM ",
            $from,
            "
CROSS JOIN catalog_document cd ON cd.document = x.document
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE x.schema = ?1 AND (?2 IS NULL OR d.package = ?2)"
        )
    };
}

/// Deprecations are few.
const ALL_DEPRECATIONS: &str = deprecations!("deprecation x CROSS JOIN document d ON d.id = x.document");
const DEPRECATIONS_OF_PACKAGE: &str = deprecations!(
    "document d INDEXED BY document_package CROSS JOIN deprecation x \
     ON d.package = ?2 AND d.schema = 'olm.deprecations' AND x.document = d.id"
);

impl ListIndex {
    /// The catalogs, by name.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn catalogs(&self, filter: &Filter) -> Result<Vec<CatalogRow>, IndexError> {
        let rows = self.rows(CATALOGS, [filter.catalogs_json()], |row| {
            let row_of = CatalogRow {
                catalog: row.get(1)?,
                priority: row.get(2)?,
                labels: BTreeMap::new(),
                source: row.get(3)?,
                image: row.get(4)?,
                packages: row.get(5)?,
                channels: row.get(6)?,
                bundles: row.get(7)?,
                documents: row.get(8)?,
            };
            Ok((row.get::<_, i64>(0)?, row_of))
        })?;
        rows.into_iter()
            .map(|(id, row)| {
                let labels = self.rows(LABELS, [id], |row| Ok((row.get(0)?, row.get(1)?)))?;
                Ok(CatalogRow { labels: labels.into_iter().collect(), ..row })
            })
            .collect()
    }

    /// The packages, by catalog and name.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn packages(&self, filter: &Filter) -> Result<Vec<PackageRow>, IndexError> {
        let deprecated = self.deprecated("olm.package", filter)?;
        let sql = if filter.package.is_some() { ONE_PACKAGE } else { ALL_PACKAGES };
        self.rows(sql, params![filter.catalogs_json(), filter.package], |row| {
            let (catalog, package): (String, String) = (row.get(0)?, row.get(1)?);
            // A reference to a package has no name.
            let deprecation = deprecated.get(&(catalog.clone(), package.clone(), String::new())).cloned();
            Ok(PackageRow {
                catalog,
                package,
                display_name: row.get(2)?,
                provider: row.get(3)?,
                default_channel: row.get(4)?,
                head: row.get(5)?,
                head_version: row.get(6)?,
                channels: row.get(7)?,
                bundles: row.get(8)?,
                deprecation,
                is_valid: row.get(9)?,
                highest_version: row.get(10)?,
            })
        })
    }

    /// The channels, by catalog, package and name.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn channels(&self, filter: &Filter) -> Result<Vec<ChannelRow>, IndexError> {
        let deprecated = self.deprecated("olm.channel", filter)?;
        let sql = if filter.package.is_some() { CHANNELS_OF_PACKAGE } else { ALL_CHANNELS };
        self.rows(sql, params![filter.catalogs_json(), filter.package, filter.channel], |row| {
            let (catalog, package, channel): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let deprecation = deprecated.get(&(catalog.clone(), package.clone(), channel.clone())).cloned();
            Ok(ChannelRow {
                catalog,
                package,
                channel,
                head: row.get(3)?,
                head_version: row.get(4)?,
                entries: row.get(5)?,
                is_default: row.get(6)?,
                deprecation,
            })
        })
    }

    /// The deprecations of one schema.
    pub(super) fn deprecated(&self, schema: &str, filter: &Filter) -> Result<Arc<Deprecated>, IndexError> {
        match &filter.package {
            Some(package) => self.memory().deprecated(schema, package, || self.read_deprecated(schema, filter)),
            None => self.read_deprecated(schema, filter).map(Arc::new),
        }
    }

    fn read_deprecated(&self, schema: &str, filter: &Filter) -> Result<Deprecated, IndexError> {
        let sql = if filter.package.is_some() { DEPRECATIONS_OF_PACKAGE } else { ALL_DEPRECATIONS };
        let rows = self.rows(sql, params![schema, filter.package], |row| {
            Ok(((row.get(0)?, row.get(1)?, row.get(3)?), row.get(4)?))
        })?;
        Ok(rows.into_iter().collect())
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("all packages", ALL_PACKAGES),
    ("one package", ONE_PACKAGE),
    ("all channels", ALL_CHANNELS),
    ("channels of a package", CHANNELS_OF_PACKAGE),
    ("all deprecations", ALL_DEPRECATIONS),
    ("deprecations of a package", DEPRECATIONS_OF_PACKAGE),
];
