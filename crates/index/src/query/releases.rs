//! The newest bundles and the days of heads, by the day that their ClusterServiceVersion names in the annotation
//! `createdAt`.

use std::collections::HashMap;

use rusqlite::{Params, params};

use crate::{Index, IndexError};
use olmdex_text::calendar::Day;

/// A bundle and its day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatedBundle {
    /// The first catalog that has it, by name.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// Its display name.
    pub display_name: String,
    /// The day on which it was made.
    pub day: Day,
    /// When on that day, as its author wrote it: a text that begins with the day.
    pub created_at: String,
}

/// A day in front, and then anything. Equal texts of several catalogs are one bundle.
macro_rules! dated {
    ($condition:literal, $limit:literal) => {
        concat!(
            "
SELECT min(c.name), b.package, b.name, b.version, b.display_name, b.created_at
FROM bundle b
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE ",
            $condition,
            "
  AND b.created_at GLOB '[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*'
GROUP BY b.package, b.name
ORDER BY substr(b.created_at, 1, 19) DESC, b.package, b.version_key DESC",
            $limit
        )
    };
}

const OF_PACKAGE: &str = dated!("b.package = ?1", "");
const OF_CATALOG: &str = dated!("(?1 IS NULL OR c.name = ?1)", "\nLIMIT ?2");

/// The days of the heads of default channels, by catalog and package.
pub type HeadDays = HashMap<(String, String), Day>;

const HEAD_DAYS: &str = concat!(
    "
SELECT c.name, p.package, substr(h.created_at, 1, 10)
FROM catalog c
CROSS JOIN catalog_package p ON p.catalog = c.id
",
    default_head!(),
    "WHERE h.created_at GLOB '[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*'"
);

impl Index {
    /// The day of the head of each package's default channel, as far as it states one.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn head_days(&self) -> Result<HeadDays, IndexError> {
        let rows = self.rows(HEAD_DAYS, [], |row| {
            Ok(((row.get::<_, String>(0)?, row.get::<_, String>(1)?), row.get::<_, String>(2)?))
        })?;
        Ok(rows.into_iter().filter_map(|(package, day)| Some((package, Day::parse(&day)?))).collect())
    }

    /// All dated bundles of a package, the newest first.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn dated_of_package(&self, package: &str) -> Result<Vec<DatedBundle>, IndexError> {
        self.dated(OF_PACKAGE, params![package])
    }

    /// The newest bundles of a catalog, or of all, the newest first.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn newest_of_catalog(&self, catalog: Option<&str>, n_most: usize) -> Result<Vec<DatedBundle>, IndexError> {
        self.dated(OF_CATALOG, params![catalog, n_most])
    }

    fn dated(&self, sql: &str, parameters: impl Params) -> Result<Vec<DatedBundle>, IndexError> {
        let rows = self.rows(sql, parameters, |row| {
            let created_at: String = row.get(5)?;
            // The statement has compared the first ten characters, which are ASCII.
            let Some(day) = created_at.get(..10).and_then(Day::parse) else { return Ok(None) };
            Ok(Some(DatedBundle {
                catalog: row.get(0)?,
                package: row.get(1)?,
                bundle: row.get(2)?,
                version: row.get(3)?,
                display_name: row.get(4)?,
                day,
                created_at,
            }))
        })?;
        Ok(rows.into_iter().flatten().collect())
    }
}
