//! The icons of packages.

use crate::{Index, IndexError};

const ICONS: &str = "SELECT document, mediatype, bytes FROM package_icon ORDER BY document";

const PLACES: &str = "
SELECT k.document, c.name, k.name
FROM package_icon i
CROSS JOIN package k ON k.document = i.document
CROSS JOIN catalog_document cd ON cd.document = k.document
CROSS JOIN catalog c ON c.id = cd.catalog
ORDER BY k.name, c.name";

/// The use of an icon: its document, the catalog and the package.
pub type IconPlace = (i64, String, String);

impl Index {
    /// The result of `make` for each icon, given by its media type and bytes, with the number of its document. An icon
    /// that several catalogs hold comes once.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn icons<T>(&self, mut make: impl FnMut(&str, &[u8]) -> T) -> Result<Vec<(i64, T)>, IndexError> {
        self.rows(ICONS, [], |row| {
            let (media_type, bytes): (String, Vec<u8>) = (row.get(1)?, row.get(2)?);
            Ok((row.get(0)?, make(&media_type, &bytes)))
        })
    }

    /// The packages that have icons, by package and catalog.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn icon_places(&self) -> Result<Vec<IconPlace>, IndexError> {
        self.rows(PLACES, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }
}
