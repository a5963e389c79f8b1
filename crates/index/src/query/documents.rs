//! Documents as they were, for rendering.

use std::collections::BTreeMap;

use rusqlite::{Row, params};

use super::Filter;
use super::demand_places::PropertyPlaces;
use crate::stored_text::WrongText;
use crate::{Index, IndexError, ListIndex, compression};
use olmdex_base::diag::Place;
use olmdex_fbc::{self as fbc, Typed};
use olmdex_text::json;

/// The identity of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentHead {
    /// The catalog.
    pub catalog: String,
    /// The schema.
    pub schema: String,
    /// The package; of an `olm.package` its own name.
    pub package: String,
    /// The name.
    pub name: String,
}

const ALL: &str = "
SELECT d.digest, t.codec, t.size, t.bytes, c.name, d.schema, d.package, d.name
FROM catalog c
CROSS JOIN catalog_document cd ON cd.catalog = c.id
CROSS JOIN document d ON d.id = cd.document
CROSS JOIN document_text t ON t.document = d.id
WHERE (?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1))) AND ?2 IS NULL
ORDER BY c.name, cd.position";

const OF_PACKAGE: &str = "
SELECT d.digest, t.codec, t.size, t.bytes, c.name, d.schema, d.package, d.name
FROM (SELECT * FROM document WHERE package = ?2) d
CROSS JOIN catalog_document cd ON cd.document = d.id
CROSS JOIN catalog c ON c.id = cd.catalog
CROSS JOIN document_text t ON t.document = d.id
WHERE ?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1))
ORDER BY c.name, cd.position";

const OF_BUNDLE: &str = "
SELECT t.codec, t.size, t.bytes, b.document, f.path, cd.line, cd.\"column\"
FROM bundle b
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN catalog c ON c.id = cd.catalog
CROSS JOIN document_text t ON t.document = b.document
LEFT JOIN file f ON f.id = cd.file
WHERE b.name = ?2 AND c.name = ?1
ORDER BY cd.position LIMIT 1";

const OF_IMAGES: &str = "
SELECT i.reference, t.codec, t.size, t.bytes
FROM json_each(?1) j
CROSS JOIN image i ON i.reference = j.value
CROSS JOIN bundle b ON b.image = i.id
CROSS JOIN document_text t ON t.document = b.document
ORDER BY j.key, b.document";

/// No index has the digests of references, so each reference is looked at, once.
const OF_DIGESTS: &str = "
SELECT i.reference, t.codec, t.size, t.bytes
FROM image i
CROSS JOIN bundle b ON b.image = i.id
CROSS JOIN document_text t ON t.document = b.document
WHERE substr(i.reference, instr(i.reference, '@') + 1) IN (SELECT value FROM json_each(?1))
ORDER BY b.document";

/// A package with a bundle that requires something depends on the rest of the catalog.
const OF_INDEPENDENT_PACKAGE: &str = "
SELECT c.name, cd.document
FROM document d
CROSS JOIN catalog_document cd ON cd.document = d.id
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE d.package = ?1
  AND NOT EXISTS (
    SELECT 1 FROM bundle b WHERE b.package = ?1 AND (
      b.document IN (SELECT document FROM required_api) OR b.document IN (SELECT document FROM required_package)
      OR b.document IN (SELECT document FROM bundle_constraint)))
ORDER BY c.name, cd.document";

const HAS_DOCUMENTS: &str = "
SELECT EXISTS (
    SELECT 1 FROM catalog c CROSS JOIN catalog_document cd ON cd.catalog = c.id
    WHERE ?1 IS NULL OR c.name IN (SELECT value FROM json_each(?1))
)";

impl ListIndex {
    /// Whether one of the catalogs holds a document.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn has_documents(&self, filter: &Filter) -> Result<bool, IndexError> {
        Ok(self.rows(HAS_DOCUMENTS, [filter.catalogs_json()], |row| row.get(0))?.contains(&true))
    }
}

impl Index {
    /// Hands out the normal forms of documents, in the order of the catalogs' names and of the documents in them, one
    /// at a time. The filter's channel is ignored.
    ///
    /// # Errors
    /// If the index is damaged, and the errors of `each`.
    pub fn documents<E: From<IndexError>>(
        &self,
        filter: &Filter,
        mut each: impl FnMut(&DocumentHead, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = if filter.package.is_some() { OF_PACKAGE } else { ALL };
        let head = |row: &Row<'_>| {
            let (catalog, schema) = (row.get(4)?, row.get(5)?);
            Ok(Some(DocumentHead { catalog, schema, package: row.get(6)?, name: row.get(7)? }))
        };
        self.stored_texts(sql, params![filter.catalogs_json(), filter.package], head, |head, text| match text {
            Ok(text) => each(&head, &text),
            Err(WrongText::Damaged) => Err(self.damaged_document().into()),
            Err(WrongText::Another) => Err(self.forged_text(&head.schema, &head.name).into()),
        })
    }

    /// The documents of a package in each catalog, if none of its bundles requires anything; otherwise none.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn documents_of_independent_package(&self, package: &str) -> Result<BTreeMap<String, Vec<i64>>, IndexError> {
        let mut found: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for (catalog, document) in self.rows(OF_INDEPENDENT_PACKAGE, [package], |row| Ok((row.get(0)?, row.get(1)?)))? {
            found.entry(catalog).or_default().push(document);
        }
        Ok(found)
    }

    /// The normal form of a bundle's document; `None` if the catalog has no such bundle.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn bundle_document(&self, catalog: &str, bundle: &str) -> Result<Option<String>, IndexError> {
        Ok(self.placed_bundle_document(catalog, bundle)?.map(|it| it.0))
    }

    /// Like [`Self::bundle_document`], with the number of the document and its start.
    fn placed_bundle_document(&self, catalog: &str, bundle: &str) -> Result<Option<(String, i64, Place)>, IndexError> {
        let found = self.rows(OF_BUNDLE, params![catalog, bundle], |row| {
            let bytes: Vec<u8> = row.get(2)?;
            let file: Option<String> = row.get(4)?;
            let place = match file {
                Some(file) => Place::at(&file, row.get(5)?, row.get(6)?),
                None => Place::at_line(bundle, 1),
            };
            Ok((row.get(0)?, row.get(1)?, bytes, row.get(3)?, place))
        })?;
        let Some((codec, size, bytes, document, place)) = found.into_iter().next() else { return Ok(None) };
        let text = compression::load(codec, size, &bytes).ok_or_else(|| self.damaged_document())?;
        let text = String::from_utf8(text.into()).map_err(|_| self.damaged_document())?;
        Ok(Some((text, document, place)))
    }

    /// The normal forms of the bundles that have one of these images, with the image.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn bundles_of_images(&self, images: &[&str]) -> Result<Vec<(String, String)>, IndexError> {
        self.bundles_by(OF_IMAGES, images)
    }

    /// The normal forms of the bundles whose images have one of these digests (`sha256:…`), with the image.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn bundles_of_digests(&self, digests: &[&str]) -> Result<Vec<(String, String)>, IndexError> {
        self.bundles_by(OF_DIGESTS, digests)
    }

    fn bundles_by(&self, statement: &str, wanted: &[&str]) -> Result<Vec<(String, String)>, IndexError> {
        let list = serde_json::Value::from(wanted).to_string();
        let found = self.rows(statement, params![list], |row| {
            let bytes: Vec<u8> = row.get(3)?;
            Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, bytes))
        })?;
        let text = |(image, codec, size, bytes): (String, _, _, Vec<u8>)| {
            let text = compression::load(codec, size, &bytes).ok_or_else(|| self.damaged_document())?;
            let text = String::from_utf8(text.into()).map_err(|_| self.damaged_document())?;
            Ok((image, text))
        };
        found.into_iter().map(text).collect()
    }

    /// The objects that a catalog carries for a bundle in `olm.bundle.object` properties, as JSON, each with the place
    /// of its property. Objects that cannot be read are left out: the check of the catalog has reported them.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn carried_objects(&self, catalog: &str, bundle: &str) -> Result<Vec<(String, Place)>, IndexError> {
        let Some((text, document, place)) = self.placed_bundle_document(catalog, bundle)? else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        let mut reader = json::Reader::new();
        if let Ok(value) = reader.read(&text)
            && let Ok(blob) = fbc::blob::decode(value, false)
            && let Typed::Bundle(bundle) = &blob.typed
        {
            let _ = fbc::for_each_placed_object(bundle, |it| {
                found.push((String::from_utf8_lossy(it.json).into_owned(), it.property));
            });
        }
        let mut places = PropertyPlaces::new(self);
        let placed =
            found.into_iter().map(|(json, property)| Ok((json, places.of_number(document, &place, property)?)));
        placed.collect()
    }

    pub(super) fn damaged_document(&self) -> IndexError {
        self.damaged("a stored document is damaged and cannot be unpacked")
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("documents of a package", OF_PACKAGE),
    ("document of a bundle", OF_BUNDLE),
    ("documents of bundles by their images", OF_IMAGES),
];
