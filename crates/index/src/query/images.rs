//! The images that bundles use.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::BundleSelector;
use crate::{Index, IndexError};

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

/// Documents first: an index with a past has images that no bundle of today uses.
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

pub(super) const STATEMENTS: &[(&str, &str)] =
    &[("references of all images", ALL), ("references of a catalog's images", OF_CATALOG)];

impl Index {
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
            let selector = BundleSelector {
                catalogs: vec![catalog.clone()],
                package: Some(package.clone()),
                name: Some(bundle.clone()),
                version: None,
            };
            for detail in self.show_bundle(&selector)?.into_iter().take(1) {
                let own = (detail.row.image.clone(), String::new());
                let related = detail.related_images.into_iter().map(|it| (it.image, it.name));
                for (image, name) in std::iter::once(own).filter(|it| !it.0.is_empty()).chain(related) {
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
        }
        Ok(found.into_values().collect())
    }
}
