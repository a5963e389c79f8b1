//! The lifecycles that catalogs hold.
//!
//! What it deliberately does not do: it judges none, and takes no side between two of one package.

use rusqlite::params;

use super::Filter;
use crate::index::{Index, IndexError, stored};
use crate::json;
use crate::platform::{Lifecycle, SCHEMA};

const LIFECYCLES: &str = "
SELECT c.name, t.codec, t.size, t.bytes
FROM (SELECT id FROM document WHERE schema = ?2) d
CROSS JOIN catalog_document cd ON cd.document = d.id
CROSS JOIN catalog c ON c.id = cd.catalog
CROSS JOIN document_text t ON t.document = d.id
WHERE ?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1))
ORDER BY c.name, cd.position";

impl Index {
    /// The lifecycles of the catalogs of a filter, each with the catalog's name, in their order. The filter's package and channel are not
    /// looked at.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn lifecycles(&self, filter: &Filter) -> Result<Vec<(String, Lifecycle)>, IndexError> {
        let rows = self.rows(LIFECYCLES, params![filter.catalogs_json(), SCHEMA], |row| {
            let bytes: Vec<u8> = row.get(3)?;
            Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, bytes))
        })?;
        let mut found = Vec::new();
        let mut reader = json::Reader::new();
        for (catalog, codec, size, bytes) in rows {
            let text = stored::load(codec, size, &bytes).ok_or_else(|| self.damaged_document())?;
            let text = json::decode_utf8(&text);
            if let Ok(value) = reader.read(&text) {
                found.push((catalog, Lifecycle::read(value)));
            }
        }
        Ok(found)
    }
}
