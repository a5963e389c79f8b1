//! The images that bundles use.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{IndexError, LightIndex};

/// An image.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageUse {
    /// Its reference; empty if a bundle has an empty one.
    pub image: String,
    /// Whether the reference names its content by a digest, so that the content cannot change.
    pub has_digest: bool,
    /// The bundles that use it, by name.
    pub bundles: Vec<String>,
    /// The names that they give it, sorted.
    pub names: Vec<String>,
}

const ALL: &str = "SELECT reference FROM image WHERE reference != '' ORDER BY reference";

/// Documents first: an index with a past has images that no present bundle uses.
const OF_CATALOG: &str = "
WITH held AS MATERIALIZED (
    SELECT DISTINCT cd.document FROM catalog c CROSS JOIN catalog_document cd ON cd.catalog = c.id WHERE c.name = ?1 OR ?1 IS NULL
)
SELECT reference FROM image
WHERE reference != '' AND id IN (
    SELECT b.image FROM held CROSS JOIN bundle b ON b.document = held.document
    UNION
    SELECT r.image FROM held CROSS JOIN related_image r ON r.document = held.document
)
ORDER BY reference";

/// If several bundles share a name, which the checks report, the first counts.
const OF_BUNDLE: &str = "
WITH found AS MATERIALIZED (
    SELECT b.document, b.image FROM (SELECT * FROM bundle WHERE name = ?3) b
    CROSS JOIN catalog_document cd ON cd.document = b.document CROSS JOIN catalog c ON c.id = cd.catalog
    WHERE c.name = ?1 AND b.package = ?2 ORDER BY b.version_key LIMIT 1
)
SELECT i.reference, '', -1 FROM found CROSS JOIN image i ON i.id = found.image WHERE i.reference != ''
UNION ALL
SELECT i.reference, r.name, r.position
FROM found CROSS JOIN related_image r ON r.document = found.document CROSS JOIN image i ON i.id = r.image
ORDER BY 3";

impl LightIndex {
    /// The references of all images that bundles of the index use, sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn image_references(&self) -> Result<Vec<String>, IndexError> {
        self.rows(ALL, [], |row| row.get(0))
    }

    /// The references of all images that bundles of a catalog use, or of all catalogs, as they are now; sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn image_references_of(&self, catalog: Option<&str>) -> Result<Vec<String>, IndexError> {
        self.rows(OF_CATALOG, [catalog], |row| row.get(0))
    }

    /// The images of bundles, given by catalog, package and name: their own and the related ones, each once.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn image_uses(&self, bundles: &[(String, String, String)]) -> Result<Vec<ImageUse>, IndexError> {
        let mut found: BTreeMap<String, ImageUse> = BTreeMap::new();
        for (catalog, package, bundle) in bundles {
            let images: Vec<(String, String)> =
                self.rows(OF_BUNDLE, [catalog, package, bundle], |row| Ok((row.get(0)?, row.get(1)?)))?;
            for (image, name) in images {
                let has_digest = image.contains("@sha256:") || image.contains("@sha512:");
                let entry = found.entry(image.clone()).or_insert_with(|| ImageUse {
                    image,
                    has_digest,
                    bundles: Vec::new(),
                    names: Vec::new(),
                });
                for (list, text) in [(&mut entry.bundles, bundle.clone()), (&mut entry.names, name)] {
                    if !text.is_empty() && !list.contains(&text) {
                        list.push(text);
                    }
                }
            }
        }
        Ok(found.into_values().collect())
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("references of all images", ALL),
    ("references of a catalog's images", OF_CATALOG),
    ("images of a bundle", OF_BUNDLE),
];
