//! The facts of packages in one catalog, as keys with sets of values.
//!
//! What it deliberately does not do: it compares nothing, and reads no document's text.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::change::Subject;
use super::inventory::{DOCUMENTS, Inventory};
use super::thing::Thing;
use crate::{Index, IndexError};

/// What a value belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) thing: Thing,
    pub(super) subject: Subject,
    pub(super) field: String,
}

/// The version of a bundle.
#[derive(Debug)]
pub(super) struct BundleVersion {
    /// With its release.
    pub(super) text: String,
    /// Bytes that order as versions do; empty if it is none.
    pub(super) key: Vec<u8>,
}

/// Package and bundle.
type BundleName = (String, String);

/// What one catalog says of packages.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// With what each mainly is, for people.
    pub(super) things: BTreeMap<Thing, String>,
    pub(super) values: BTreeMap<Key, BTreeSet<String>>,
    /// Parts of documents that have no rows.
    pub(super) parts: BTreeMap<Key, BTreeSet<String>>,
    pub(super) versions: BTreeMap<BundleName, BundleVersion>,
}

/// Documents are given as a list of their numbers in JSON, so that every statement finds its rows by primary key.
const PACKAGES: &str = "
SELECT k.name, k.default_channel FROM json_each(?1) j CROSS JOIN package k ON k.document = j.value";

const CHANNELS: &str = "
SELECT ch.package, ch.name, coalesce(n.name, ''), coalesce(h.version, '')
FROM json_each(?1) j
CROSS JOIN channel ch ON ch.document = j.value
CROSS JOIN catalog_channel cc ON cc.catalog = ?2 AND cc.channel = ch.document
CROSS JOIN graph g ON g.id = cc.graph
LEFT JOIN node n ON n.graph = g.id AND n.number = g.head
LEFT JOIN bundle h ON h.document = n.document";

const ENTRIES: &str = "
SELECT ch.package, ch.name, e.name, e.replaces, e.skip_range, e.document, e.position
FROM json_each(?1) j
CROSS JOIN channel ch ON ch.document = j.value
CROSS JOIN entry e ON e.document = ch.document
ORDER BY e.document, e.position";

const SKIPS: &str = "
SELECT s.document, s.entry, s.name FROM json_each(?1) j CROSS JOIN entry_skip s ON s.document = j.value";

const BUNDLES: &str = "
SELECT b.document, b.package, b.name, b.version, b.release, coalesce(b.version_key, x''), coalesce(i.reference, '')
FROM json_each(?1) j
CROSS JOIN bundle b ON b.document = j.value
LEFT JOIN image i ON i.id = b.image";

const PROVIDED: &str = "
SELECT p.document, 'provides', a.\"group\" || '/' || a.version || '/' || a.kind
FROM json_each(?1) j CROSS JOIN provided_api p ON p.document = j.value CROSS JOIN api a ON a.id = p.api";

const REQUIRED: &str = "
SELECT p.document, 'requires', a.\"group\" || '/' || a.version || '/' || a.kind
FROM json_each(?1) j CROSS JOIN required_api p ON p.document = j.value CROSS JOIN api a ON a.id = p.api";

const REQUIRED_PACKAGES: &str = "
SELECT r.document, r.package, r.range FROM json_each(?1) j CROSS JOIN required_package r ON r.document = j.value";

const CONSTRAINTS: &str = "
SELECT r.document, '', r.value FROM json_each(?1) j CROSS JOIN bundle_constraint r ON r.document = j.value";

const RELATED_IMAGES: &str = "
SELECT r.document, r.name, i.reference
FROM json_each(?1) j CROSS JOIN related_image r ON r.document = j.value CROSS JOIN image i ON i.id = r.image";

/// The other properties. Of a property without value it counts that it is there.
const PROPERTIES: &str = "
SELECT p.document, p.type, coalesce(p.value, 'null')
FROM json_each(?1) j CROSS JOIN property p ON p.document = j.value
WHERE p.type NOT IN ('olm.package', 'olm.gvk', 'olm.gvk.required', 'olm.package.required', 'olm.constraint',
                     'olm.csv.metadata', 'olm.bundle.object')";

const NAMES: &str = "
SELECT d.id, d.schema, d.package, d.name FROM json_each(?1) j CROSS JOIN document d ON d.id = j.value";

const DEPRECATIONS: &str = "
SELECT d.package, x.schema, x.name, x.message
FROM json_each(?1) j CROSS JOIN document d ON d.id = j.value CROSS JOIN deprecation x ON x.document = d.id";

pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("documents to compare", DOCUMENTS),
    ("packages to compare", PACKAGES),
    ("channels to compare", CHANNELS),
    ("entries to compare", ENTRIES),
    ("skips to compare", SKIPS),
    ("bundles to compare", BUNDLES),
    ("provided APIs to compare", PROVIDED),
    ("required APIs to compare", REQUIRED),
    ("required packages to compare", REQUIRED_PACKAGES),
    ("constraints to compare", CONSTRAINTS),
    ("related images to compare", RELATED_IMAGES),
    ("properties to compare", PROPERTIES),
    ("deprecations to compare", DEPRECATIONS),
    ("names of documents to compare", NAMES),
];

/// A list of documents as the statements take it.
fn list(documents: impl Iterator<Item = i64>) -> String {
    let numbers: Vec<String> = documents.map(|it| it.to_string()).collect();
    format!("[{}]", numbers.join(","))
}

impl Facts {
    /// Reads what a catalog says of packages: images and properties only of the `differing` documents, all else of all,
    /// because it depends on more than one document, or is told only if the package says it for the first time.
    pub(super) fn read(
        index: &Index,
        inventory: &Inventory,
        packages: &BTreeSet<String>,
        differing: &BTreeSet<i64>,
    ) -> Result<Self, IndexError> {
        let mut facts = Self::default();
        let of_packages: BTreeSet<i64> = inventory.of_packages(packages).collect();
        let all = list(of_packages.iter().copied());
        let differing = list(of_packages.intersection(differing).copied());
        let leads_to = facts.channels(index, inventory.catalog, &all)?;
        let bundles = facts.bundles(index, &all)?;
        for (package, default_channel) in index.rows(PACKAGES, [&all], |row| Ok((row.get(0)?, row.get(1)?)))? {
            let (package, default_channel): (String, String) = (package, default_channel);
            let thing = Thing::new(Subject::Package, &package, "", "");
            facts.value(thing.clone(), Subject::Package, "defaultChannel", default_channel.clone());
            let version = leads_to.get(&(package, default_channel)).cloned().unwrap_or_default();
            facts.things.insert(thing, version);
        }
        // A package without its document is one as soon as something is of it.
        let named: BTreeSet<Thing> = facts.things.keys().map(Thing::package_thing).collect();
        for thing in named {
            facts.things.entry(thing).or_default();
        }
        for (sql, subject) in [
            (PROVIDED, Subject::Api),
            (REQUIRED, Subject::Api),
            (REQUIRED_PACKAGES, Subject::RequiredPackage),
            (CONSTRAINTS, Subject::Constraint),
        ] {
            facts.of_documents(index, sql, &all, subject, &bundles)?;
        }
        facts.of_documents(index, RELATED_IMAGES, &differing, Subject::Image, &bundles)?;
        facts.of_documents(index, PROPERTIES, &differing, Subject::Property, &things_of(index, &differing)?)?;
        facts.deprecations(index, &all)?;
        Ok(facts)
    }

    fn value(&mut self, thing: Thing, subject: Subject, field: &str, value: String) {
        if !value.is_empty() {
            let key = Key { thing, subject, field: field.to_owned() };
            self.values.entry(key).or_default().insert(value);
        }
    }

    /// Channels with their entries; the version that each channel leads to.
    fn channels(&mut self, index: &Index, catalog: i64, all: &str) -> Result<HashMap<BundleName, String>, IndexError> {
        let mut leads_to = HashMap::new();
        let rows = index.rows(CHANNELS, rusqlite::params![all, catalog], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get(3)?))
        })?;
        for (package, channel, head, version) in rows {
            let thing = Thing::new(Subject::Channel, &package, &channel, "");
            self.value(thing.clone(), Subject::Channel, "head", head.clone());
            self.things.insert(thing, head);
            leads_to.insert((package, channel), version);
        }
        let mut skips: HashMap<(i64, i64), BTreeSet<String>> = HashMap::new();
        for (document, entry, name) in index.rows(SKIPS, [all], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))? {
            skips.entry((document, entry)).or_default().insert(name);
        }
        let rows = index.rows(ENTRIES, [all], |row| {
            let thing =
                Thing { package: row.get(0)?, subject: Subject::Entry, channel: row.get(1)?, bundle: row.get(2)? };
            Ok((thing, row.get::<_, String>(3)?, row.get::<_, String>(4)?, (row.get(5)?, row.get(6)?)))
        })?;
        for (thing, replaces, skip_range, place) in rows {
            // Of several entries of one name, which the checks report, the first counts.
            if self.things.contains_key(&thing) {
                continue;
            }
            let skips: Vec<String> = skips.remove(&place).unwrap_or_default().into_iter().collect();
            let skips = skips.join(", ");
            let mut edges = Vec::new();
            for (field, value) in [("replaces", replaces), ("skips", skips), ("skipRange", skip_range)] {
                if !value.is_empty() {
                    edges.push(format!("{field} {value}"));
                }
                self.value(thing.clone(), Subject::Entry, field, value);
            }
            self.things.insert(thing, edges.join("; "));
        }
        Ok(leads_to)
    }

    /// Bundles; which document is which.
    fn bundles(&mut self, index: &Index, all: &str) -> Result<HashMap<i64, Thing>, IndexError> {
        let mut things = HashMap::new();
        let rows = index.rows(BUNDLES, [all], |row| {
            let thing =
                Thing { package: row.get(1)?, subject: Subject::Bundle, channel: String::new(), bundle: row.get(2)? };
            let (upstream, release): (String, String) = (row.get(3)?, row.get(4)?);
            let text = if release.is_empty() { upstream } else { format!("{upstream}-{release}") };
            Ok((row.get(0)?, thing, BundleVersion { text, key: row.get(5)? }, row.get::<_, String>(6)?))
        })?;
        for (document, thing, version, image) in rows {
            self.value(thing.clone(), Subject::Bundle, "version", version.text.clone());
            self.value(thing.clone(), Subject::Image, "image", image.clone());
            self.versions.insert((thing.package.clone(), thing.bundle.clone()), version);
            self.things.insert(thing.clone(), image);
            things.insert(document, thing);
        }
        Ok(things)
    }

    /// Rows of document, field and value.
    fn of_documents(
        &mut self,
        index: &Index,
        sql: &str,
        documents: &str,
        subject: Subject,
        things: &HashMap<i64, Thing>,
    ) -> Result<(), IndexError> {
        let rows =
            index.rows(sql, [documents], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get(2)?)))?;
        for (document, field, value) in rows {
            if let Some(thing) = things.get(&document) {
                let field = if subject == Subject::Image && field.is_empty() { "related" } else { &field };
                self.value(thing.clone(), subject, field, value);
            }
        }
        Ok(())
    }

    fn deprecations(&mut self, index: &Index, all: &str) -> Result<(), IndexError> {
        let rows = index.rows(DEPRECATIONS, [all], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get::<_, String>(3)?))
        })?;
        for (package, schema, name, message) in rows {
            let (channel, bundle) = match schema.as_str() {
                "olm.channel" => (name.as_str(), ""),
                "olm.bundle" => ("", name.as_str()),
                _ => ("", ""),
            };
            let thing = Thing::new(Subject::Deprecation, &package, channel, bundle);
            // A deprecation is one also without words.
            let message = if message.trim().is_empty() { "(no message)".to_owned() } else { message };
            self.value(thing, Subject::Deprecation, "message", message);
        }
        Ok(())
    }
}

/// Which document is which package, channel or bundle.
fn things_of(index: &Index, documents: &str) -> Result<HashMap<i64, Thing>, IndexError> {
    let rows = index.rows(NAMES, [documents], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get::<_, String>(3)?))
    })?;
    let thing = |(document, schema, package, name): (i64, String, String, String)| {
        let thing = match schema.as_str() {
            "olm.package" => Thing::new(Subject::Package, &package, "", ""),
            "olm.channel" => Thing::new(Subject::Channel, &package, &name, ""),
            "olm.bundle" => Thing::new(Subject::Bundle, &package, "", &name),
            _ => return None,
        };
        Some((document, thing))
    };
    Ok(rows.into_iter().filter_map(thing).collect())
}
