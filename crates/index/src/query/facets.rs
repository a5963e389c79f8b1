//! The facets of the packages of an index: their status, and the values that their bundles have.

use std::collections::{BTreeMap, BTreeSet};

use super::Filter;
use crate::{Index, IndexError};

/// The kinds of values by which packages can be filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FacetKind {
    /// Their providers.
    Provider,
    /// Annotation `categories`.
    Category,
    /// Annotation `capabilities`.
    Capability,
    /// Features with the value `true`.
    Feature,
    /// Architectures; [`super::DEFAULT_ARCHITECTURE`] of bundles that state none.
    Architecture,
    /// Install modes.
    InstallMode,
    /// [`super::Status`] of the package.
    Status,
}

/// A value that a package of a catalog has, or the bundle of it that one installs by default: its default head.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Facet {
    /// The kind of value.
    pub kind: FacetKind,
    /// The value.
    pub value: String,
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
}

/// The packages whose head holds a value, a row for each value, package and catalog.
macro_rules! values {
    ($value:literal, $from:literal) => {
        concat!(heads!(), " SELECT DISTINCT head.catalog_name, head.package, ", $value, " FROM head ", $from)
    };
}

const STATEMENTS: &[(FacetKind, &str)] = &[
    (FacetKind::Provider, values!("b.provider", "CROSS JOIN bundle b ON b.document = head.document")),
    (FacetKind::Category, values!("x.category", "CROSS JOIN category x ON x.document = head.document")),
    (FacetKind::Capability, values!("b.capability_level", "CROSS JOIN bundle b ON b.document = head.document")),
    (FacetKind::Feature, values!("x.name", "CROSS JOIN feature x ON x.document = head.document AND x.value = 'true'")),
    (
        FacetKind::Architecture,
        values!(
            "x.name",
            "CROSS JOIN platform x ON x.document = head.document AND x.kind = 'arch' AND x.value = 'supported'"
        ),
    ),
    (
        FacetKind::Architecture,
        values!(
            "'amd64'",
            "WHERE head.document IS NOT NULL \
             AND NOT EXISTS (SELECT 1 FROM platform x WHERE x.document = head.document AND x.kind = 'arch')"
        ),
    ),
    (
        FacetKind::InstallMode,
        values!("x.type", "CROSS JOIN install_mode x ON x.document = head.document AND x.supported"),
    ),
];

impl Index {
    /// The values of all packages, by kind, value, catalog and package; empty ones are left out.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn facets(&self) -> Result<Vec<Facet>, IndexError> {
        let mut found = Vec::new();
        for (kind, sql) in STATEMENTS {
            found.extend(self.rows(sql, [], |row| {
                Ok(Facet { kind: *kind, catalog: row.get(0)?, package: row.get(1)?, value: row.get(2)? })
            })?);
        }
        found.extend(self.packages(&Filter::default())?.into_iter().map(|it| {
            let value = it.status().word().to_owned();
            Facet { kind: FacetKind::Status, catalog: it.catalog, package: it.package, value }
        }));
        found.retain(|it: &Facet| !it.value.is_empty());
        found.sort();
        Ok(found)
    }

    /// The keywords that the bundles of each package state. This reads every bundle with keywords.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn keywords(&self) -> Result<BTreeMap<String, BTreeSet<String>>, IndexError> {
        let sql = "SELECT DISTINCT b.package, k.keyword FROM keyword k CROSS JOIN bundle b ON b.document = k.document";
        let mut keywords: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (package, keyword) in self.rows(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))? {
            keywords.entry(package).or_default().insert(keyword);
        }
        Ok(keywords)
    }

    /// The names of all features, whatever their values, sorted.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn feature_names(&self) -> Result<Vec<String>, IndexError> {
        self.rows("SELECT DISTINCT name FROM feature ORDER BY name", [], |row| row.get(0))
    }
}
