//! The next older and the next newer version of a bundle in its catalog.

use rusqlite::params;

use crate::{Index, IndexError};

/// A bundle by its name and its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
}

macro_rules! neighbour {
    ($than:literal, $order:literal) => {
        concat!(
            "
SELECT b.name, b.version
FROM bundle b INDEXED BY bundle_package
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE b.package = ?1 AND c.name = ?2
  AND b.version_key ",
            $than,
            " (SELECT min(version_key) FROM bundle WHERE package = ?1 AND name = ?3)
ORDER BY b.version_key ",
            $order,
            " LIMIT 1"
        )
    };
}

const OLDER: &str = neighbour!("<", "DESC");
const NEWER: &str = neighbour!(">", "ASC");

const ALL: &str = "
SELECT b.name, b.version
FROM bundle b INDEXED BY bundle_package
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE b.package = ?1 AND c.name = ?2
ORDER BY b.version_key DESC, b.name DESC";

impl Index {
    /// The bundles of a package in a catalog with their versions, the highest first: the data for a choice among them.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn version_list(&self, catalog: &str, package: &str) -> Result<Vec<Neighbour>, IndexError> {
        self.rows(ALL, params![package, catalog], |row| Ok(Neighbour { bundle: row.get(0)?, version: row.get(1)? }))
    }

    /// The next older and the next newer bundle of a package in a catalog.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn neighbours(
        &self,
        catalog: &str,
        package: &str,
        bundle: &str,
    ) -> Result<(Option<Neighbour>, Option<Neighbour>), IndexError> {
        let one = |sql: &str| {
            let rows = self.rows(sql, params![package, catalog, bundle], |row| {
                Ok(Neighbour { bundle: row.get(0)?, version: row.get(1)? })
            })?;
            Ok::<_, IndexError>(rows.into_iter().next())
        };
        Ok((one(OLDER)?, one(NEWER)?))
    }
}
