//! The documents of two catalogs, and those that differ.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rusqlite::OptionalExtension as _;

use super::change::{Change, ChangeKind, NestedChanges, Side, Subject};
use super::merge::of_both;
use super::thing::Thing;
use crate::IndexError;

const CATALOG: &str = "SELECT id FROM catalog WHERE name = ?1";

/// The documents of a catalog, by number.
pub(super) const DOCUMENTS: &str = "
SELECT d.id, d.digest, d.schema, d.package, d.name
FROM catalog_document cd
CROSS JOIN document d ON d.id = cd.document
WHERE cd.catalog = ?1 AND (?2 IS NULL OR d.package IN (SELECT value FROM json_each(?2)))
ORDER BY cd.position";

/// The identity of a document: schema, package, name.
type Name = (String, String, String);

/// The documents of a catalog, by identity, in the catalog's order.
#[derive(Debug)]
pub(super) struct Inventory {
    pub(super) catalog: i64,
    documents: BTreeMap<Name, Vec<(i64, Vec<u8>)>>,
}

impl Inventory {
    pub(super) fn read(side: Side<'_>, packages: &[String]) -> Result<Self, IndexError> {
        let failed = |error: rusqlite::Error| side.index.failed(&error);
        let id = side.index.connection().query_row(CATALOG, [side.catalog], |row| row.get(0)).optional();
        let Some(catalog) = id.map_err(failed)? else {
            let known = side.index.catalog_names()?;
            return Err(IndexError::NoSuchCatalog { name: side.catalog.to_owned(), known });
        };
        let mut documents: BTreeMap<Name, Vec<(i64, Vec<u8>)>> = BTreeMap::new();
        let packages = super::super::catalogs_json(packages);
        let rows = side.index.rows(DOCUMENTS, rusqlite::params![catalog, packages], |row| {
            Ok(((row.get(2)?, row.get(3)?, row.get(4)?), (row.get(0)?, row.get(1)?)))
        })?;
        for (name, document) in rows {
            documents.entry(name).or_default().push(document);
        }
        Ok(Self { catalog, documents })
    }

    /// The documents of packages. If several share a name, which the checks report, the first counts.
    fn of_packages<'i>(&'i self, packages: &'i BTreeSet<String>) -> impl Iterator<Item = (&'i Name, i64)> + 'i {
        self.documents
            .iter()
            .filter(|((_, package, _), _)| packages.contains(package))
            .filter_map(|(name, documents)| documents.first().map(|(id, _)| (name, *id)))
    }

    /// The packages that only one of the catalogs has a part of.
    pub(super) fn one_sided<'i>(&'i self, other: &'i Self) -> HashSet<&'i str> {
        self.packages().symmetric_difference(&other.packages()).copied().collect()
    }

    /// The packages with a package document, a channel or a bundle in the catalog.
    fn packages(&self) -> HashSet<&str> {
        let names = self.documents.keys().filter(|it| Schema::of(it).is_thing());
        names.map(|(_, package, _)| package.as_str()).collect()
    }
}

/// Documents of one catalog, by the parts that are read.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// Packages with any part: a package without its document is one all the same.
    pub(super) packages: BTreeSet<String>,
    /// Packages and channels.
    pub(super) outlines: Vec<i64>,
    /// Channels whose entries may differ.
    pub(super) channels: Vec<i64>,
    /// Bundles that may differ.
    pub(super) bundles: Vec<i64>,
    /// Documents whose images and properties may differ.
    pub(super) contents: Vec<i64>,
    pub(super) deprecations: Vec<i64>,
    /// Bundles that the other catalog has too, with the same content.
    pub(super) common_bundles: Vec<i64>,
}

impl Selection {
    /// Selects the documents that must be read for one side of a comparison: a document with the same content on both
    /// sides makes no difference, and a nested change need not be read if nobody wants it.
    pub(super) fn of(
        side: &Inventory,
        other: &Inventory,
        packages: &BTreeSet<String>,
        one_sided: &HashSet<&str>,
        differing: &HashSet<i64>,
        nested: NestedChanges,
    ) -> Self {
        let mut selection = Self::default();
        let is_skipped = nested == NestedChanges::Skipped;
        for (name, document) in side.of_packages(packages) {
            let schema = Schema::of(name);
            if schema.is_thing() && !selection.packages.contains(&name.1) {
                selection.packages.insert(name.1.clone());
            }
            if matches!(schema, Schema::Package | Schema::Channel) {
                selection.outlines.push(document);
            }
            // All parts of a package come and go with it.
            if is_skipped && one_sided.contains(name.1.as_str()) {
                continue;
            }
            let has_twin = other.documents.contains_key(name);
            let is_same = !differing.contains(&document);
            match schema {
                Schema::Bundle if is_same => selection.common_bundles.push(document),
                Schema::Bundle => selection.bundles.push(document),
                Schema::Channel if !is_same && (has_twin || !is_skipped) => selection.channels.push(document),
                Schema::Deprecations => selection.deprecations.push(document),
                _ => {}
            }
            if schema.is_thing() && !is_same && (has_twin || !is_skipped) {
                selection.contents.push(document);
            }
        }
        selection
    }
}

/// A document that both catalogs have under one name, with other content.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) old: i64,
    pub(super) new: i64,
    pub(super) key: Thing,
}

/// The differing parts of two catalogs.
#[derive(Debug, Default)]
pub(super) struct Differing {
    pub(super) packages: BTreeSet<String>,
    /// For each catalog, the documents that the other one lacks under the same name.
    pub(super) of_old: HashSet<i64>,
    pub(super) of_new: HashSet<i64>,
    pub(super) pairs: Vec<Pair>,
    /// Changes of documents with an unknown schema.
    pub(super) others: Vec<Change>,
}

pub(super) fn compare(old: &Inventory, new: &Inventory) -> Differing {
    let mut differing = Differing::default();
    for (name, olds, news) in of_both(&old.documents, &new.documents) {
        let (olds, news) = (olds.map_or(&[][..], Vec::as_slice), news.map_or(&[][..], Vec::as_slice));
        let digests = |documents: &'_ [(i64, Vec<u8>)]| -> BTreeSet<Vec<u8>> {
            documents.iter().map(|(_, digest)| digest.clone()).collect()
        };
        let schema = Schema::of(name);
        let is_same = match schema {
            _ if olds == news => true,
            Schema::Deprecations | Schema::Other => digests(olds) == digests(news),
            _ => olds.first().map(|it| &it.1) == news.first().map(|it| &it.1),
        };
        if is_same {
            continue;
        }
        differing.packages.insert(name.1.clone());
        differing.of_old.extend(olds.first().map(|it| it.0));
        differing.of_new.extend(news.first().map(|it| it.0));
        match (schema.thing(name), olds.first(), news.first()) {
            (Some(key), Some(old), Some(new)) => differing.pairs.push(Pair { old: old.0, new: new.0, key }),
            (None, old, new) if schema == Schema::Other => {
                let change = match (old, new) {
                    (None, _) => ChangeKind::Added,
                    (_, None) => ChangeKind::Removed,
                    _ => ChangeKind::Changed,
                };
                differing.others.push(of_other_schema(name, change));
            }
            _ => {}
        }
    }
    differing
}

/// The schemas that this module tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Schema {
    Package,
    Channel,
    Bundle,
    Deprecations,
    Other,
}

impl Schema {
    fn of((schema, ..): &Name) -> Self {
        match schema.as_str() {
            "olm.package" => Self::Package,
            "olm.channel" => Self::Channel,
            "olm.bundle" => Self::Bundle,
            "olm.deprecations" => Self::Deprecations,
            _ => Self::Other,
        }
    }

    fn is_thing(self) -> bool {
        matches!(self, Self::Package | Self::Channel | Self::Bundle)
    }

    /// The thing that a document of the schema is.
    fn thing(self, (_, package, name): &Name) -> Option<Thing> {
        match self {
            Self::Package => Some(Thing::new(Subject::Package, package, "", "")),
            Self::Channel => Some(Thing::new(Subject::Channel, package, name, "")),
            Self::Bundle => Some(Thing::new(Subject::Bundle, package, "", name)),
            Self::Deprecations | Self::Other => None,
        }
    }
}

fn of_other_schema((schema, package, name): &Name, change: ChangeKind) -> Change {
    Change {
        package: package.clone(),
        change,
        subject: Subject::Document,
        channel: None,
        bundle: None,
        version: None,
        field: Some(if name.is_empty() { schema.clone() } else { format!("{schema} {name}") }),
        old: None,
        new: None,
        breaking: false,
        detail: false,
    }
}
