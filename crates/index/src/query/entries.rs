//! Entries of channels with the images of their bundles: one row for each bundle in each channel.

use std::collections::HashMap;

use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;

use super::Filter;
use crate::{Index, IndexError};

/// An entry of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntryRow {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// Name of the bundle.
    pub bundle: String,
    /// The bundle that it replaces, or empty.
    pub replaces: String,
    /// The bundles that it skips.
    pub skips: Vec<String>,
    /// The range of versions that it skips, or empty.
    pub skip_range: String,
    /// The bundle's image; empty if the catalog does not have the bundle.
    pub image: String,
}

const N_SKIPS: &str = "
SELECT count(*)
FROM channel ch
CROSS JOIN catalog_channel cc ON cc.channel = ch.document
CROSS JOIN catalog c ON c.id = cc.catalog
CROSS JOIN entry_skip s ON s.document = ch.document
WHERE ch.package = ?2 AND c.name = ?1";

impl Index {
    /// How many names the entries of a package skip in a catalog. Each is an edge.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn n_skips(&self, catalog: &str, package: &str) -> Result<u64, IndexError> {
        Ok(self.rows(N_SKIPS, params![catalog, package], |row| row.get(0))?.pop().unwrap_or_default())
    }
}

const ENTRIES: &str = "
SELECT c.name, ch.package, ch.name, e.name, e.replaces, e.skip_range, coalesce(i.reference, ''), e.document, e.position
FROM catalog c
CROSS JOIN catalog_channel cc ON cc.catalog = c.id
CROSS JOIN channel ch ON ch.document = cc.channel
CROSS JOIN entry e ON e.document = ch.document
LEFT JOIN node n ON n.graph = cc.graph AND n.number = e.position
LEFT JOIN bundle b ON b.document = n.document
LEFT JOIN image i ON i.id = b.image
WHERE (?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1)))
  AND (?2 IS NULL OR ch.package = ?2) AND (?3 IS NULL OR ch.name = ?3)
ORDER BY c.name, ch.package, ch.name, e.position";

const SKIPS: &str = "SELECT document, entry, name FROM entry_skip ORDER BY document, entry, position";

const DISPLAY_NAMES: &str = "
SELECT DISTINCT c.name, b.name, b.display_name
FROM bundle b
JOIN catalog_document cd ON cd.document = b.document
JOIN catalog c ON c.id = cd.catalog
WHERE b.facts_from = 'olm.bundle.object' AND (?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1)))";

impl Index {
    /// The entries of channels, by catalog, package, channel and place.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn entries(&self, filter: &Filter) -> Result<Vec<EntryRow>, IndexError> {
        let mut skips: HashMap<(i64, i64), Vec<String>> = HashMap::new();
        for (document, entry, name) in
            self.rows(SKIPS, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?)))?
        {
            skips.entry((document, entry)).or_default().push(name);
        }
        self.rows(ENTRIES, params![filter.catalogs_json(), filter.package, filter.channel], |row| {
            Ok(EntryRow {
                catalog: row.get(0)?,
                package: row.get(1)?,
                channel: row.get(2)?,
                bundle: row.get(3)?,
                replaces: row.get(4)?,
                skips: skips.get(&(row.get(7)?, row.get(8)?)).cloned().unwrap_or_default(),
                skip_range: row.get(5)?,
                image: row.get(6)?,
            })
        })
    }

    /// Display names that bundles have in their `olm.bundle.object` properties, by catalog and bundle: the only ones
    /// that the real tool's lists know.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn display_names_in_objects(&self, filter: &Filter) -> Result<HashMap<(String, String), String>, IndexError> {
        let rows =
            self.rows(DISPLAY_NAMES, [filter.catalogs_json()], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
        Ok(rows.into_iter().collect())
    }
}
