//! The questions to the server of a catalog: packages, bundles in channels, replacements, providers, and documents of
//! foreign schemas.

use rusqlite::{Row, params};

use crate::{Index, IndexError, compression};
use olmdex_fbc::Api;

/// A package with its channels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServedPackage {
    /// The default channel.
    pub default_channel: String,
    /// Its deprecation.
    pub deprecation: Option<String>,
    /// Its channels by name.
    pub channels: Vec<ServedChannel>,
}

/// A channel of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServedChannel {
    /// Its name.
    pub name: String,
    /// The bundle at its head; empty if there is not exactly one.
    pub head: String,
    /// Its deprecation.
    pub deprecation: Option<String>,
}

/// An entry of a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServedEntry {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub bundle: String,
    /// The bundle that it replaces, or empty.
    pub replaces: String,
    /// The bundles that it skips.
    pub skips: Vec<String>,
    /// The range of versions that it can be installed over, or empty.
    pub skip_range: String,
    /// The bundle's version.
    pub version: String,
    /// The bundle's document in the index; `None` if the catalog has none.
    pub document: Option<i64>,
    /// The bundle's deprecation.
    pub deprecation: Option<String>,
}

/// The key of an entry in a channel. It is small, since a list has the keys of all its entries until it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryKey {
    document: u32,
    position: u32,
}

/// The row that a list of bundles has for a bundle with an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedListing {
    /// Its image.
    pub image: String,
    /// Types and values of its properties, except the large ones.
    pub properties: Vec<(String, String)>,
}

/// Documents of a catalog, by their fields. An empty value stands for all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentFilter {
    /// The schema.
    pub schema: String,
    /// The package.
    pub package: String,
    /// The name.
    pub name: String,
}

const PACKAGES: &str = "
SELECT p.package FROM catalog c CROSS JOIN catalog_package p ON p.catalog = c.id
WHERE c.name = ?1 AND p.document IS NOT NULL ORDER BY p.package";

const PACKAGE: &str = "
SELECT k.default_channel
FROM catalog c
CROSS JOIN catalog_package p ON p.catalog = c.id AND p.package = ?2
CROSS JOIN package k ON k.document = p.document
WHERE c.name = ?1";

const CHANNELS: &str = "
SELECT ch.name, coalesce(n.name, '')
FROM channel ch
CROSS JOIN catalog c ON c.name = ?1
CROSS JOIN catalog_channel cc ON cc.catalog = c.id AND cc.channel = ch.document
CROSS JOIN graph g ON g.id = cc.graph
LEFT JOIN node n ON n.graph = g.id AND n.number = g.head
WHERE ch.package = ?2
ORDER BY ch.name";

const DEPRECATIONS: &str = "
SELECT x.schema, x.name, x.message
FROM document d
CROSS JOIN catalog c ON c.name = ?1
CROSS JOIN catalog_document cd ON cd.document = d.id AND cd.catalog = c.id
CROSS JOIN deprecation x ON x.document = d.id
WHERE d.package = ?2 AND d.schema = 'olm.deprecations'
ORDER BY cd.position, x.position";

/// The columns of an entry, in the order of [`entry_of`]. Most entries skip nothing, and an ordered list is a table of
/// its own.
macro_rules! entry_columns {
    () => {
        "ch.package, ch.name, e.name, e.replaces, e.skip_range, coalesce(b.version, ''), n.document,
       CASE WHEN EXISTS (SELECT 1 FROM entry_skip s WHERE s.document = e.document AND s.entry = e.position)
       THEN (SELECT json_group_array(s.name ORDER BY s.position) FROM entry_skip s
             WHERE s.document = e.document AND s.entry = e.position) END,
       (SELECT x.message FROM document d
        CROSS JOIN catalog_document cd ON cd.document = d.id AND cd.catalog = c.id
        CROSS JOIN deprecation x ON x.document = d.id
        WHERE d.package = ch.package AND d.schema = 'olm.deprecations' AND x.schema = 'olm.bundle'
          AND x.name = e.name LIMIT 1)"
    };
}

const ENTRIES_OF_CHANNEL: &str = concat!(
    "SELECT ",
    entry_columns!(),
    "
FROM channel ch
CROSS JOIN catalog c ON c.name = ?1
CROSS JOIN catalog_channel cc ON cc.catalog = c.id AND cc.channel = ch.document
CROSS JOIN entry e ON e.document = ch.document
LEFT JOIN node n ON n.graph = cc.graph AND n.number = e.position
LEFT JOIN bundle b ON b.document = n.document
WHERE ch.package = ?2 AND ch.name = ?3 AND (?4 IS NULL OR e.name = ?4)
ORDER BY e.name"
);

const KEYS: &str = "
SELECT e.document, e.position
FROM catalog c
CROSS JOIN catalog_channel cc ON cc.catalog = c.id
CROSS JOIN channel ch ON ch.document = cc.channel
CROSS JOIN entry e ON e.document = ch.document
WHERE c.name = ?1
ORDER BY ch.name, ch.package, e.name";

/// An entry for each bundle whose document is large. This looks at the size of every document.
const LARGE_KEYS: &str = "
SELECT e.document, e.position
FROM document_text t
CROSS JOIN bundle b ON b.document = t.document
CROSS JOIN catalog c ON c.name = ?1
CROSS JOIN catalog_document cd ON cd.document = t.document AND cd.catalog = c.id
CROSS JOIN channel ch ON ch.package = b.package
CROSS JOIN catalog_channel cc ON cc.catalog = c.id AND cc.channel = ch.document
CROSS JOIN entry e ON e.document = ch.document AND e.name = b.name
WHERE t.size >= ?2
GROUP BY b.document
ORDER BY b.package, b.version_key, b.name";

const ENTRY: &str = concat!(
    "SELECT ",
    entry_columns!(),
    "
FROM entry e
CROSS JOIN channel ch ON ch.document = e.document
CROSS JOIN catalog c ON c.name = ?1
CROSS JOIN catalog_channel cc ON cc.catalog = c.id AND cc.channel = ch.document
LEFT JOIN node n ON n.graph = cc.graph AND n.number = e.position
LEFT JOIN bundle b ON b.document = n.document
WHERE e.document = ?2 AND e.position = ?3"
);

/// Entries that replace or skip a name, which is a node of their channel's graph.
const SUCCESSORS: &str = concat!(
    "SELECT DISTINCT ",
    entry_columns!(),
    "
FROM (SELECT graph, number FROM node WHERE name = ?2) s
CROSS JOIN edge g ON g.graph = s.graph AND g.source = s.number AND g.kind <> 'skipRange'
CROSS JOIN catalog c ON c.name = ?1
CROSS JOIN graph r ON r.id = s.graph
CROSS JOIN catalog_channel cc ON cc.catalog = c.id AND cc.channel = r.channel AND cc.graph = r.id
CROSS JOIN channel ch ON ch.document = cc.channel
CROSS JOIN node n ON n.graph = g.graph AND n.number = g.target
CROSS JOIN entry e ON e.document = ch.document AND e.position = n.entry
LEFT JOIN bundle b ON b.document = n.document
ORDER BY ch.package, ch.name, e.name"
);

const PROVIDERS: &str = concat!(
    "SELECT ",
    entry_columns!(),
    "
FROM (SELECT id FROM api WHERE \"group\" = ?2 AND version = ?3 AND kind = ?4) a
CROSS JOIN provided_api p ON p.api = a.id
CROSS JOIN node n ON n.document = p.document
CROSS JOIN catalog c ON c.name = ?1
CROSS JOIN graph r ON r.id = n.graph
CROSS JOIN catalog_channel cc ON cc.catalog = c.id AND cc.channel = r.channel AND cc.graph = r.id
CROSS JOIN channel ch ON ch.document = cc.channel
CROSS JOIN entry e ON e.document = ch.document AND e.position = n.entry
LEFT JOIN bundle b ON b.document = n.document
WHERE ?5 = 0 OR r.head = n.number
ORDER BY ch.package, ch.name, e.name"
);

const NAMES_IN_CHANNEL: &str = "
SELECT e.name
FROM channel ch
CROSS JOIN catalog c ON c.name = ?1
CROSS JOIN catalog_channel cc ON cc.catalog = c.id AND cc.channel = ch.document
CROSS JOIN entry e ON e.document = ch.document
WHERE ch.package = ?2 AND ch.name = ?3";

const TEXT: &str = "SELECT codec, size, bytes FROM document_text WHERE document = ?1";

/// A row for each property, or one row without a property. The large values, which nobody lists, are not in the table.
const LISTING: &str = "
SELECT i.reference, p.type, p.value
FROM bundle b
CROSS JOIN image i ON i.id = b.image
LEFT JOIN property p ON p.document = b.document AND p.value IS NOT NULL
WHERE b.document = ?1
ORDER BY p.position";

const ICON: &str = "
SELECT i.mediatype, i.bytes
FROM catalog c
CROSS JOIN catalog_package p ON p.catalog = c.id AND p.package = ?2
CROSS JOIN package_icon i ON i.document = p.document
WHERE c.name = ?1";

const DESCRIPTION: &str = "
SELECT t.codec, t.size, t.bytes
FROM catalog c
CROSS JOIN catalog_package p ON p.catalog = c.id AND p.package = ?2
CROSS JOIN package k ON k.document = p.document
CROSS JOIN text t ON t.id = k.description
WHERE c.name = ?1";

const DIGEST: &str = "SELECT source_digest FROM catalog WHERE name = ?1";

const SIZE: &str = "
SELECT coalesce(sum(t.size), 0)
FROM catalog c
CROSS JOIN catalog_document cd ON cd.catalog = c.id
CROSS JOIN document_text t ON t.document = cd.document
WHERE c.name = ?1";

const DOCUMENTS: &str = "
SELECT d.id, d.schema, d.package, d.name, t.size
FROM catalog c
CROSS JOIN catalog_document cd ON cd.catalog = c.id
CROSS JOIN document d ON d.id = cd.document
CROSS JOIN document_text t ON t.document = d.id
WHERE c.name = ?1 AND (?2 = '' OR d.schema = ?2) AND (?3 = '' OR d.package = ?3) AND (?4 = '' OR d.name = ?4)
ORDER BY cd.position";

const DOCUMENTS_OF_PACKAGE: &str = "
SELECT d.id, d.schema, d.package, d.name, t.size
FROM (SELECT * FROM document WHERE package = ?3) d
CROSS JOIN catalog c ON c.name = ?1
CROSS JOIN catalog_document cd ON cd.document = d.id AND cd.catalog = c.id
CROSS JOIN document_text t ON t.document = d.id
WHERE (?2 = '' OR d.schema = ?2) AND (?4 = '' OR d.name = ?4)
ORDER BY cd.position";

/// A document of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedDocument {
    /// Its number in the index.
    pub id: i64,
    /// Its schema.
    pub schema: String,
    /// Its package; of an `olm.package` its own name.
    pub package: String,
    /// Its name.
    pub name: String,
    /// The bytes of its text.
    pub size: u64,
}

fn entry_of(row: &Row<'_>) -> rusqlite::Result<ServedEntry> {
    let skips: Option<String> = row.get(7)?;
    Ok(ServedEntry {
        package: row.get(0)?,
        channel: row.get(1)?,
        bundle: row.get(2)?,
        replaces: row.get(3)?,
        skip_range: row.get(4)?,
        version: row.get(5)?,
        document: row.get(6)?,
        // SQLite wrote it.
        skips: skips.and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_default(),
        deprecation: row.get(8)?,
    })
}

impl Index {
    /// The packages of a catalog, by name.
    ///
    /// # Errors
    /// If the index is damaged. So are all errors here.
    pub fn served_packages(&self, catalog: &str) -> Result<Vec<String>, IndexError> {
        self.rows(PACKAGES, [catalog], |row| row.get(0))
    }

    /// A package with its channels. `None` if the catalog does not have it.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_package(&self, catalog: &str, package: &str) -> Result<Option<ServedPackage>, IndexError> {
        let found = self.rows(PACKAGE, [catalog, package], |row| row.get::<_, String>(0))?;
        let Some(default_channel) = found.into_iter().next() else { return Ok(None) };
        let channels = self.rows(CHANNELS, [catalog, package], |row| {
            Ok(ServedChannel { name: row.get(0)?, head: row.get(1)?, deprecation: None })
        })?;
        let mut found = ServedPackage { default_channel, channels, ..ServedPackage::default() };
        let deprecations: Vec<(String, String, String)> =
            self.rows(DEPRECATIONS, [catalog, package], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        for (schema, name, message) in deprecations {
            match schema.as_str() {
                "olm.package" => found.deprecation = Some(message),
                "olm.channel" => {
                    for channel in found.channels.iter_mut().filter(|it| it.name == name) {
                        channel.deprecation = Some(message.clone());
                    }
                }
                _ => {}
            }
        }
        Ok(Some(found))
    }

    /// The entries of a channel by name, or one of them.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_channel(
        &self,
        catalog: &str,
        package: &str,
        channel: &str,
        bundle: Option<&str>,
    ) -> Result<Vec<ServedEntry>, IndexError> {
        self.rows(ENTRIES_OF_CHANNEL, params![catalog, package, channel, bundle], entry_of)
    }

    /// The names of a channel's entries.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_names(&self, catalog: &str, package: &str, channel: &str) -> Result<Vec<String>, IndexError> {
        self.rows(NAMES_IN_CHANNEL, [catalog, package, channel], |row| row.get(0))
    }

    /// The keys of all entries of a catalog, by channel, package and bundle.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_keys(&self, catalog: &str) -> Result<Vec<EntryKey>, IndexError> {
        self.rows(KEYS, [catalog], |row| Ok(EntryKey { document: row.get(0)?, position: row.get(1)? }))
    }

    /// The keys of entries, one for each bundle whose document has at least `min_size` bytes.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_large_keys(&self, catalog: &str, min_size: usize) -> Result<Vec<EntryKey>, IndexError> {
        let min_size = i64::try_from(min_size).unwrap_or(i64::MAX);
        self.rows(LARGE_KEYS, params![catalog, min_size], |row| {
            Ok(EntryKey { document: row.get(0)?, position: row.get(1)? })
        })
    }

    /// An entry of a catalog by its key.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_entry(&self, catalog: &str, key: EntryKey) -> Result<ServedEntry, IndexError> {
        let EntryKey { document, position } = key;
        let rows = self.rows(ENTRY, params![catalog, document, position], entry_of)?;
        rows.into_iter()
            .next()
            .ok_or_else(|| self.damaged(format!("it has no entry {position} of document {document}")))
    }

    /// The entries that replace a bundle or skip it, by package, channel and name; not by their ranges.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_successors(&self, catalog: &str, bundle: &str) -> Result<Vec<ServedEntry>, IndexError> {
        self.rows(SUCCESSORS, [catalog, bundle], entry_of)
    }

    /// The entries whose bundles provide an API, by package, channel and name.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_providers(&self, catalog: &str, api: &Api, heads_only: bool) -> Result<Vec<ServedEntry>, IndexError> {
        self.rows(PROVIDERS, params![catalog, api.group, api.version, api.kind, heads_only], entry_of)
    }

    /// The description of a package; empty without one.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_description(&self, catalog: &str, package: &str) -> Result<String, IndexError> {
        let rows: Vec<(i64, i64, Vec<u8>)> =
            self.rows(DESCRIPTION, [catalog, package], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let Some((codec, size, bytes)) = rows.into_iter().next() else { return Ok(String::new()) };
        self.unpacked(codec, size, &bytes)
    }

    /// The icon of a package: media type and bytes.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_icon(&self, catalog: &str, package: &str) -> Result<Option<(String, Vec<u8>)>, IndexError> {
        let rows = self.rows(ICON, [catalog, package], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.into_iter().next())
    }

    /// The documents of a catalog that a filter lets through, in its order. The package of an `olm.package` is its own
    /// name.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_documents(&self, catalog: &str, filter: &DocumentFilter) -> Result<Vec<ServedDocument>, IndexError> {
        let DocumentFilter { schema, package, name } = filter;
        let sql = if package.is_empty() { DOCUMENTS } else { DOCUMENTS_OF_PACKAGE };
        self.rows(sql, [catalog, schema, package, name], |row| {
            let (id, schema, package, name) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(ServedDocument { id, schema, package, name, size: row.get(4)? })
        })
    }

    /// The bytes of the texts of a catalog's documents; 0 if there is no such catalog.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_size(&self, catalog: &str) -> Result<u64, IndexError> {
        Ok(self.rows(SIZE, [catalog], |row| row.get::<_, u64>(0))?.into_iter().sum())
    }

    /// The digest of a catalog's documents and their places. `None` if there is no such catalog.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_digest(&self, catalog: &str) -> Result<Option<Vec<u8>>, IndexError> {
        Ok(self.rows(DIGEST, [catalog], |row| row.get(0))?.into_iter().next())
    }

    /// The image of a bundle, and its properties as type and compact JSON; not the large `olm.csv.metadata` and
    /// `olm.bundle.object`. `None` for a bundle without an image.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_listing(&self, document: i64) -> Result<Option<ServedListing>, IndexError> {
        let mut image = String::new();
        let properties = self.rows(LISTING, [document], |row| {
            if image.is_empty() {
                image = row.get(0)?;
            }
            Ok(row.get::<_, Option<String>>(1)?.zip(row.get(2)?))
        })?;
        let properties = properties.into_iter().flatten().collect();
        Ok(Some(ServedListing { image, properties }).filter(|it| !it.image.is_empty()))
    }

    /// The normal form of a document.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn served_text(&self, document: i64) -> Result<String, IndexError> {
        let rows: Vec<(i64, i64, Vec<u8>)> =
            self.rows(TEXT, [document], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let damaged = || self.damaged(format!("it has no text of document {document}"));
        let (codec, size, bytes) = rows.into_iter().next().ok_or_else(damaged)?;
        self.unpacked(codec, size, &bytes)
    }

    fn unpacked(&self, codec: i64, size: i64, bytes: &[u8]) -> Result<String, IndexError> {
        let damaged = || self.damaged("a stored text cannot be unpacked");
        let text = compression::load(codec, size, bytes).ok_or_else(damaged)?;
        String::from_utf8(text.into()).map_err(|_| damaged())
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("served package", PACKAGE),
    ("channels of a served package", CHANNELS),
    ("deprecations of a served package", DEPRECATIONS),
    ("entries of a served channel", ENTRIES_OF_CHANNEL),
    ("an entry by its key", ENTRY),
    ("entries that replace a bundle", SUCCESSORS),
    ("entries that provide an API", PROVIDERS),
    ("names in a served channel", NAMES_IN_CHANNEL),
    ("text of a served document", TEXT),
    ("image and properties of a served bundle", LISTING),
    ("icon of a served package", ICON),
    ("description of a served package", DESCRIPTION),
    ("served documents of a package", DOCUMENTS_OF_PACKAGE),
];
