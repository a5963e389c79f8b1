//! The content of a catalog, independent of its files: so that two catalogs can be compared by content.

use crate::{Index, IndexError};

const DIGESTS: &str = "
SELECT d.digest
FROM catalog c
CROSS JOIN catalog_document cd ON cd.catalog = c.id
CROSS JOIN document d ON d.id = cd.document
WHERE c.name = ?1
ORDER BY d.digest";

impl Index {
    /// The digests of all documents of a catalog, sorted, one after the other: equal for catalogs with the same
    /// documents, in any files and any order.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn content_of_catalog(&self, catalog: &str) -> Result<Vec<u8>, IndexError> {
        let digests: Vec<Vec<u8>> = self.rows(DIGESTS, [catalog], |row| row.get(0))?;
        Ok(digests.concat())
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[("digests of a catalog's documents", DIGESTS)];
