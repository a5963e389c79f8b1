//! The maintainers of an operator and the links about it, from its ClusterServiceVersion.

use rusqlite::params;

use crate::{Index, IndexError};

/// Names and addresses of a ClusterServiceVersion, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contacts {
    /// Maintainers: a name and an address of mail; either may be empty.
    pub maintainers: Vec<(String, String)>,
    /// Links: a name and an address; either may be empty.
    pub links: Vec<(String, String)>,
}

macro_rules! named {
    ($columns:literal, $table:literal) => {
        concat!(
            "
SELECT ",
            $columns,
            "
FROM bundle b INDEXED BY bundle_package
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
CROSS JOIN ",
            $table,
            " x ON x.document = b.document
WHERE b.package = ?1 AND b.name = ?2 AND c.name = ?3
ORDER BY x.position"
        )
    };
}

const MAINTAINERS: &str = named!("x.name, x.email", "maintainer");
const LINKS: &str = named!("x.name, x.url", "link");

impl Index {
    /// The maintainers and links of a bundle.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn contacts(&self, catalog: &str, package: &str, bundle: &str) -> Result<Contacts, IndexError> {
        let pairs = |sql| self.rows(sql, params![package, bundle, catalog], |row| Ok((row.get(0)?, row.get(1)?)));
        Ok(Contacts { maintainers: pairs(MAINTAINERS)?, links: pairs(LINKS)? })
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] =
    &[("maintainers of a bundle", MAINTAINERS), ("links of a bundle", LINKS)];
