//! The data of a package that resolution needs: its channels and bundles; for the bundles that it looks at, the
//! properties that provide or demand something; and the packages that may offer something.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rusqlite::params;

use super::Filter;
use super::upgrade::{PackageGraph, add_bundles};
use crate::{IndexError, LightIndex};
use olmdex_base::diag::Place;
use olmdex_fbc::Property;
use olmdex_text::json::Tree;

/// A package in one catalog, as resolution asks for it.
pub type PackageDependencies = PackageGraph<DependencyBundle>;

/// A bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DependencyBundle {
    /// The document's number in the index, by which [`LightIndex::properties_of_bundles`] knows it; 0 if it comes from
    /// elsewhere.
    pub document: i64,
    /// Its name.
    pub name: String,
    /// Its version as written, or empty.
    pub version: String,
    /// Its image, or empty.
    pub image: String,
    /// Its properties, with those that stand for its dependencies behind them.
    /// [`LightIndex::package_dependencies`] leaves them out.
    pub properties: Vec<Property>,
    /// The place where it is written.
    pub place: Place,
}

impl PackageDependencies {
    /// The indexes of its bundles by their names; if several share a name, that of the first.
    pub fn bundles_by_name(&self) -> HashMap<&str, usize> {
        let mut by_name = HashMap::with_capacity(self.bundles.len());
        for (place, bundle) in self.bundles.iter().enumerate() {
            by_name.entry(bundle.name.as_str()).or_insert(place);
        }
        by_name
    }
}

const BUNDLES: &str = "
SELECT cd.catalog, b.document, b.name, b.version, coalesce(i.reference, ''), f.path, cd.line, cd.\"column\"
FROM bundle b
CROSS JOIN catalog_document cd ON cd.document = b.document
CROSS JOIN file f ON f.id = cd.file
LEFT JOIN image i ON i.id = b.image
WHERE b.package = ?1
ORDER BY cd.catalog, cd.position";

const PROPERTIES: &str = "
SELECT p.document, p.type, coalesce(p.value, 'null')
FROM property p
WHERE p.document IN (SELECT value FROM json_each(?1)) AND p.type NOT IN ('olm.bundle.object', 'olm.csv.metadata')
ORDER BY p.document, p.position";

const PROVIDERS: &str = "
SELECT DISTINCT b.package
FROM api a
CROSS JOIN provided_api p ON p.api = a.id
CROSS JOIN bundle b ON b.document = p.document
WHERE a.\"group\" = ?1 AND a.version = ?2 AND a.kind = ?3
ORDER BY b.package";

const PACKAGES_OF_BUNDLE: &str = "SELECT DISTINCT package FROM bundle WHERE name = ?1 ORDER BY package";

const PACKAGES_MENTIONING: &str = "
SELECT DISTINCT ch.package
FROM node n
CROSS JOIN graph g ON g.id = n.graph
CROSS JOIN channel ch ON ch.document = g.channel
WHERE n.name = ?1
ORDER BY ch.package";

const TYPED: &str = "
SELECT DISTINCT b.package, p.value
FROM property p
CROSS JOIN bundle b ON b.document = p.document
WHERE p.type = ?1 AND p.type NOT IN ('olm.gvk', 'olm.package', 'olm.bundle.object') AND p.value IS NOT NULL
ORDER BY b.package, p.value";

const COPIES: &str = "
SELECT count(*)
FROM entry e
CROSS JOIN channel ch ON ch.document = e.document
CROSS JOIN catalog_document cd ON cd.document = ch.document
CROSS JOIN catalog c ON c.id = cd.catalog
WHERE e.name = ?3 AND ch.name = ?2 AND c.name = ?1";

const HAS_ENTRIES: &str = "
SELECT 1
FROM catalog c
CROSS JOIN catalog_channel k ON k.catalog = c.id
CROSS JOIN entry e ON e.document = k.channel
WHERE c.name = ?1
LIMIT 1";

impl LightIndex {
    /// The channels and bundles of a package in the catalogs of the filter, by catalog. The filter's package and
    /// channel are ignored.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn package_dependencies(&self, filter: &Filter, package: &str) -> Result<Vec<PackageDependencies>, IndexError> {
        let bundle = |row: &rusqlite::Row<'_>| {
            let bundle = DependencyBundle {
                document: row.get(1)?,
                name: row.get(2)?,
                version: row.get(3)?,
                image: row.get(4)?,
                properties: Vec::new(),
                place: Place::at(row.get_ref(5)?.as_str()?, row.get(6)?, row.get(7)?),
            };
            Ok((row.get::<_, i64>(0)?, bundle))
        };
        self.packages_with(filter, package, |graphs| {
            add_bundles(graphs, self.rows(BUNDLES, [package], bundle)?);
            Ok(())
        })
    }

    /// The properties of a bundle of a package, as [`Self::properties_of_bundles`] has them; none if no catalog has it.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn properties_of(&self, filter: &Filter, package: &str, bundle: &str) -> Result<Vec<Property>, IndexError> {
        let graphs = self.package_dependencies(filter, package)?;
        let Some(found) = graphs.iter().flat_map(|it| &it.bundles).find(|it| it.name == bundle) else {
            return Ok(Vec::new());
        };
        Ok(self.properties_of_bundles(&[found.document])?.remove(&found.document).unwrap_or_default())
    }

    /// Types and values, as compact JSON, of the properties of documents, in their order; without the large ones that
    /// hold manifests. A document without properties is left out. Equal texts are one text.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn properties_of_bundles(&self, documents: &[i64]) -> Result<HashMap<i64, Vec<Property>>, IndexError> {
        let list = Tree::list(documents.iter().copied()).compact();
        let mut texts: HashSet<Arc<str>> = HashSet::new();
        let mut text = |row: &rusqlite::Row<'_>, column: usize| -> rusqlite::Result<Arc<str>> {
            let text = row.get_ref(column)?.as_str()?;
            if let Some(known) = texts.get(text) {
                return Ok(Arc::clone(known));
            }
            let text: Arc<str> = text.into();
            texts.insert(Arc::clone(&text));
            Ok(text)
        };
        let mut properties: HashMap<i64, Vec<Property>> = HashMap::with_capacity(documents.len());
        for (document, property) in self.rows(PROPERTIES, [list], |row| {
            Ok((row.get::<_, i64>(0)?, Property { kind: text(row, 1)?, value: text(row, 2)? }))
        })? {
            properties.entry(document).or_default().push(property);
        }
        Ok(properties)
    }

    /// The packages that have a bundle that provides an API, by name.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn packages_providing(&self, group: &str, version: &str, kind: &str) -> Result<Vec<String>, IndexError> {
        self.rows(PROVIDERS, [group, version, kind], |row| row.get(0))
    }

    /// The packages that have a bundle of a name.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn packages_of_bundle(&self, bundle: &str) -> Result<Vec<String>, IndexError> {
        self.rows(PACKAGES_OF_BUNDLE, [bundle], |row| row.get(0))
    }

    /// The packages whose channels mention a bundle's name: as an entry, in `replaces` or in `skips`.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn packages_mentioning(&self, bundle: &str) -> Result<Vec<String>, IndexError> {
        self.rows(PACKAGES_MENTIONING, [bundle], |row| row.get(0))
    }

    /// The packages whose bundles have properties of a type, with each distinct value, as JSON. It must not be asked
    /// for `olm.gvk` and `olm.package`, which every bundle has.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn packages_with_property(&self, kind: &str) -> Result<Vec<(String, String)>, IndexError> {
        self.rows(TYPED, [kind], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The number of entries of a name in channels of a name in a catalog, whatever their packages.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn entries_named(&self, catalog: &str, channel: &str, bundle: &str) -> Result<usize, IndexError> {
        Ok(self.rows(COPIES, params![catalog, channel, bundle], |row| row.get::<_, usize>(0))?.into_iter().sum())
    }

    /// Whether a catalog has any entry in any channel.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn has_entries(&self, catalog: &str) -> Result<bool, IndexError> {
        Ok(!self.rows(HAS_ENTRIES, [catalog], |row| row.get::<_, i64>(0))?.is_empty())
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("bundles of a package with versions", BUNDLES),
    ("what bundles say and demand", PROPERTIES),
    ("packages that provide an API", PROVIDERS),
    ("packages of a bundle", PACKAGES_OF_BUNDLE),
    ("packages whose channels mention a name", PACKAGES_MENTIONING),
    ("packages with properties of a type", TYPED),
    ("entries of a name in channels of a name", COPIES),
    ("whether a catalog has entries", HAS_ENTRIES),
];
