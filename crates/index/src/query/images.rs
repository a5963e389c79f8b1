//! The images that bundles use.
//!
//! What it deliberately does not do: it asks no registry.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::{BundlePlace, BundleSelector};
use crate::{Index, IndexError};

/// An image.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageUse {
    /// Its reference; empty if a bundle has an empty one.
    pub image: String,
    /// Whether the reference names its content by a digest, so that it stays what it is.
    pub has_digest: bool,
    /// The bundles that use it, by name.
    pub bundles: Vec<String>,
    /// What they call it, by name.
    pub names: Vec<String>,
}

const ALL: &str = "SELECT reference FROM image WHERE reference != '' ORDER BY reference";

/// A common word is in nearly all references: bundles are looked through once, and none is asked for by its image.
const PACKAGES: &str = "
WITH found AS MATERIALIZED (SELECT id FROM image WHERE instr(reference, ?1) > 0)
SELECT b.package, count(*)
FROM bundle b CROSS JOIN catalog_document cd INDEXED BY catalog_document_document ON cd.document = b.document
WHERE b.image IN found
   OR EXISTS (SELECT 1 FROM related_image r WHERE r.document = b.document AND +r.image IN found)
GROUP BY b.package";

const USERS: &str = "
SELECT c.name, b.package, b.name, b.document
FROM bundle b
CROSS JOIN catalog_document cd INDEXED BY catalog_document_document ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE b.package = ?1 AND (
    EXISTS (SELECT 1 FROM image i WHERE i.id = b.image AND instr(i.reference, ?2) > 0)
    OR EXISTS (
        SELECT 1 FROM related_image r CROSS JOIN image i ON i.id = r.image
        WHERE r.document = b.document AND instr(i.reference, ?2) > 0
    )
)";

const REFERENCES: &str = "
SELECT i.reference FROM bundle b CROSS JOIN image i ON i.id = b.image
WHERE b.document = ?1 AND instr(i.reference, ?2) > 0
UNION
SELECT i.reference FROM related_image r CROSS JOIN image i ON i.id = r.image
WHERE r.document = ?1 AND instr(i.reference, ?2) > 0
ORDER BY 1";

const WITH_TEXT: &str =
    "SELECT reference FROM image WHERE reference != '' AND instr(reference, ?1) > 0 ORDER BY reference";

/// Each bundle once, whatever catalogs have it.
const OF_PACKAGE: &str = "
SELECT i.reference, b.name, b.version, min(c.name), b.version_key
FROM bundle b CROSS JOIN image i ON i.id = b.image
CROSS JOIN catalog_document cd ON cd.document = b.document CROSS JOIN catalog c ON c.id = cd.catalog
WHERE b.package = ?1 AND instr(i.reference, ?2) > 0
GROUP BY i.reference, b.name, b.version
UNION
SELECT i.reference, b.name, b.version, min(c.name), b.version_key
FROM bundle b CROSS JOIN related_image r ON r.document = b.document CROSS JOIN image i ON i.id = r.image
CROSS JOIN catalog_document cd ON cd.document = b.document CROSS JOIN catalog c ON c.id = cd.catalog
WHERE b.package = ?1 AND instr(i.reference, ?2) > 0
GROUP BY i.reference, b.name, b.version
ORDER BY 5 DESC, 2, 1";

/// A bundle that is an image, or uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageUser {
    /// The reference of the image.
    pub reference: String,
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// The first catalog that has it, by name.
    pub catalog: String,
}

pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("references of all images", ALL),
    ("packages that use images with a text", PACKAGES),
    ("bundles of a package that use images with a text", USERS),
    ("images with a text", REFERENCES),
    ("references with a text", WITH_TEXT),
    ("images of a package with a text", OF_PACKAGE),
];

impl Index {
    /// The references of all images that bundles of the index use, sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn image_references(&self) -> Result<Vec<String>, IndexError> {
        self.rows(ALL, [], |row| row.get(0))
    }

    /// The references with this text of images that bundles use, sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn image_references_with(&self, text: &str) -> Result<Vec<String>, IndexError> {
        self.rows(WITH_TEXT, [text], |row| row.get(0))
    }

    /// The images of a package with this text in their references, each with the bundles that are or use it, the highest version first.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn image_users(&self, package: &str, text: &str) -> Result<Vec<ImageUser>, IndexError> {
        self.rows(OF_PACKAGE, [package, text], |row| {
            Ok(ImageUser { reference: row.get(0)?, bundle: row.get(1)?, version: row.get(2)?, catalog: row.get(3)? })
        })
    }

    /// How many bundles of each package are, or use, an image with this text in its reference; those of none are not there.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn users_of_images(&self, text: &str) -> Result<BTreeMap<String, usize>, IndexError> {
        Ok(self.rows(PACKAGES, [text], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
    }

    /// The bundles of a package that are, or use, an image with this text in its reference, with their documents.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn users_of_images_in(&self, package: &str, text: &str) -> Result<HashMap<BundlePlace, i64>, IndexError> {
        let rows =
            self.rows(USERS, [package, text], |row| Ok(((row.get(0)?, row.get(1)?, row.get(2)?), row.get(3)?)))?;
        Ok(rows.into_iter().collect())
    }

    /// The references with this text that a bundle's document has, its own image's and the related ones', sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn images_with(&self, document: i64, text: &str) -> Result<Vec<String>, IndexError> {
        self.rows(REFERENCES, (document, text), |row| row.get(0))
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
