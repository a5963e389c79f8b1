//! The icons of packages.

use rusqlite::params;

use super::Filter;
use crate::index::{Index, IndexError};

/// The icon of a package of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageIcon {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The media type, as the catalog says it.
    pub media_type: String,
    /// The picture, as the catalog has it.
    pub bytes: Vec<u8>,
}

const ICONS: &str = "
SELECT c.name, k.name, i.mediatype, i.bytes
FROM package k
CROSS JOIN package_icon i ON i.document = k.document
CROSS JOIN catalog_document cd ON cd.document = k.document
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE (?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1))) AND (?2 IS NULL OR k.name = ?2)
ORDER BY k.name, c.name";

impl Index {
    /// The icons of packages, by package and catalog. The filter's channel is not looked at.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn icons(&self, filter: &Filter) -> Result<Vec<PackageIcon>, IndexError> {
        self.rows(ICONS, params![filter.catalogs_json(), filter.package], |row| {
            Ok(PackageIcon { catalog: row.get(0)?, package: row.get(1)?, media_type: row.get(2)?, bytes: row.get(3)? })
        })
    }
}
