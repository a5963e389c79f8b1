//! Which documents two catalogs have, and which of them differ.
//!
//! What it deliberately does not do: it opens no document; digests say enough.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::OptionalExtension as _;

use super::change::{Change, ChangeKind, Side, Subject};
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

/// What a document is called: schema, package, name.
type Name = (String, String, String);

/// The documents of a catalog, by what they are called, in the catalog's order.
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

    /// The documents of packages. Of several of one name, which the checks report, the first counts.
    pub(super) fn of_packages<'i>(&'i self, packages: &'i BTreeSet<String>) -> impl Iterator<Item = i64> + 'i {
        self.documents
            .iter()
            .filter(|((_, package, _), _)| packages.contains(package))
            .filter_map(|(_, documents)| documents.first().map(|(id, _)| *id))
    }
}

/// A document that both catalogs have under one name, with other content.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) old: i64,
    pub(super) new: i64,
    pub(super) key: Thing,
}

/// Where two catalogs differ.
#[derive(Debug, Default)]
pub(super) struct Differing {
    pub(super) packages: BTreeSet<String>,
    /// Documents that only the old catalog has.
    pub(super) old: BTreeSet<i64>,
    /// Documents that only the new catalog has.
    pub(super) new: BTreeSet<i64>,
    pub(super) pairs: Vec<Pair>,
    /// Changes of documents whose schema is not understood.
    pub(super) others: Vec<Change>,
}

pub(super) fn compare(old: &Inventory, new: &Inventory) -> Differing {
    let mut differing = Differing::default();
    let names: BTreeSet<&Name> = old.documents.keys().chain(new.documents.keys()).collect();
    for name in names {
        let of = |side: &Inventory| side.documents.get(name).cloned().unwrap_or_default();
        let (olds, news) = (of(old), of(new));
        let digests = |documents: &[(i64, Vec<u8>)]| -> BTreeSet<Vec<u8>> {
            documents.iter().map(|(_, digest)| digest.clone()).collect()
        };
        let (old_digests, new_digests) = (digests(&olds), digests(&news));
        let (schema, package, text) = name;
        let known = known_schema(schema, package, text);
        let is_same = match known {
            Schema::Thing(_) => olds.first().map(|it| &it.1) == news.first().map(|it| &it.1),
            Schema::Deprecations | Schema::Other => old_digests == new_digests,
        };
        if is_same {
            continue;
        }
        differing.packages.insert(package.clone());
        differing.old.extend(olds.iter().filter(|it| !new_digests.contains(&it.1)).map(|it| it.0));
        differing.new.extend(news.iter().filter(|it| !old_digests.contains(&it.1)).map(|it| it.0));
        match known {
            Schema::Thing(key) => {
                if let (Some(old), Some(new)) = (olds.first(), news.first()) {
                    differing.pairs.push(Pair { old: old.0, new: new.0, key });
                }
            }
            Schema::Deprecations => {}
            Schema::Other => {
                let change = match (olds.is_empty(), news.is_empty()) {
                    (true, _) => ChangeKind::Added,
                    (_, true) => ChangeKind::Removed,
                    _ => ChangeKind::Changed,
                };
                differing.others.push(of_other_schema(name, change));
            }
        }
    }
    differing
}

/// What this module knows of a document's schema.
enum Schema {
    Thing(Thing),
    Deprecations,
    Other,
}

fn known_schema(schema: &str, package: &str, name: &str) -> Schema {
    match schema {
        "olm.package" => Schema::Thing(Thing::new(Subject::Package, package, "", "")),
        "olm.channel" => Schema::Thing(Thing::new(Subject::Channel, package, name, "")),
        "olm.bundle" => Schema::Thing(Thing::new(Subject::Bundle, package, "", name)),
        "olm.deprecations" => Schema::Deprecations,
        _ => Schema::Other,
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
