//! The facts of packages in one catalog, as keys with sets of values.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::change::Subject;
use super::inventory::Selection;
use super::thing::Thing;
use crate::{Index, IndexError};
use olmdex_text::json::Tree;

/// The item and the field that a value belongs to.
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
    /// Bytes that order as versions do; empty if there is no version.
    pub(super) key: Vec<u8>,
}

/// Package and bundle.
type BundleName = (String, String);

/// The facts of one catalog about packages.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The items, each with its main property, for people.
    pub(super) things: BTreeMap<Thing, String>,
    pub(super) values: BTreeMap<Key, BTreeSet<String>>,
    /// The versions of bundles, by package and bundle.
    pub(super) versions: HashMap<String, HashMap<String, BundleVersion>>,
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

/// The other properties. A property without value counts by its presence.
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

/// The APIs and packages that bundles provide and require, each with its subject.
const NEWS: [(&str, Subject); 4] = [
    (PROVIDED, Subject::Api),
    (REQUIRED, Subject::Api),
    (REQUIRED_PACKAGES, Subject::RequiredPackage),
    (CONSTRAINTS, Subject::Constraint),
];

/// An API or package that a bundle provides or requires: its package, the subject, the field and the value.
pub(super) type News = (String, Subject, String, String);

/// Whether something of the subject, seen for the first time in a package, is news of the package.
pub(super) fn may_be_news(subject: Subject) -> bool {
    NEWS.iter().any(|it| it.1 == subject)
}

/// A list of documents as the statements take it.
fn list(documents: &[i64]) -> String {
    let mut documents = documents.to_vec();
    documents.sort_unstable();
    Tree::list(documents).compact()
}

impl Facts {
    /// Reads the facts of a catalog in the selected documents.
    pub(super) fn read(index: &Index, catalog: i64, selection: &Selection) -> Result<Self, IndexError> {
        let mut facts = Self::default();
        let outlines = list(&selection.outlines);
        let leads_to = facts.channels(index, catalog, &outlines)?;
        facts.entries(index, &list(&selection.channels))?;
        let documents = list(&selection.bundles);
        let bundles = facts.bundles(index, &documents)?;
        for (package, default_channel) in index.rows(PACKAGES, [&outlines], |row| Ok((row.get(0)?, row.get(1)?)))? {
            let (package, default_channel): (String, String) = (package, default_channel);
            let thing = Thing::new(Subject::Package, &package, "", "");
            facts.value(thing.clone(), Subject::Package, "defaultChannel", default_channel.clone());
            let version = leads_to.get(&(package, default_channel)).cloned().unwrap_or_default();
            facts.things.insert(thing, version);
        }
        for package in &selection.packages {
            facts.things.entry(Thing::new(Subject::Package, package, "", "")).or_default();
        }
        for (sql, subject) in NEWS {
            facts.of_documents(index, sql, &documents, subject, &bundles)?;
        }
        let contents = list(&selection.contents);
        facts.of_documents(index, RELATED_IMAGES, &contents, Subject::Image, &bundles)?;
        facts.of_documents(index, PROPERTIES, &contents, Subject::Property, &things_of(index, &contents)?)?;
        facts.deprecations(index, &list(&selection.deprecations))?;
        Ok(facts)
    }

    /// Reads the versions of bundles that both catalogs have; returns the APIs and packages that these provide and
    /// require.
    pub(super) fn common_bundles(&mut self, index: &Index, documents: &[i64]) -> Result<HashSet<News>, IndexError> {
        let mut common = Self::default();
        let documents = list(documents);
        let bundles = common.bundles(index, &documents)?;
        for (sql, subject) in NEWS {
            common.of_documents(index, sql, &documents, subject, &bundles)?;
        }
        let news = common.news();
        for (package, versions) in common.versions {
            self.versions.entry(package).or_default().extend(versions);
        }
        Ok(news)
    }

    /// The APIs and packages that the bundles provide and require.
    pub(super) fn news(&self) -> HashSet<News> {
        let keys = self.values.iter().filter(|(key, _)| may_be_news(key.subject));
        keys.flat_map(|(key, values)| {
            values.iter().map(|it| (key.thing.package.clone(), key.subject, key.field.clone(), it.clone()))
        })
        .collect()
    }

    fn value(&mut self, thing: Thing, subject: Subject, field: &str, value: String) {
        if !value.is_empty() {
            let key = Key { thing, subject, field: field.to_owned() };
            self.values.entry(key).or_default().insert(value);
        }
    }

    /// Channels; the version that each leads to.
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
        Ok(leads_to)
    }

    /// The entries of channels.
    fn entries(&mut self, index: &Index, channels: &str) -> Result<(), IndexError> {
        let mut skips: HashMap<(i64, i64), BTreeSet<String>> = HashMap::new();
        for (document, entry, name) in
            index.rows(SKIPS, [channels], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        {
            skips.entry((document, entry)).or_default().insert(name);
        }
        let rows = index.rows(ENTRIES, [channels], |row| {
            let thing =
                Thing { package: row.get(0)?, subject: Subject::Entry, channel: row.get(1)?, bundle: row.get(2)? };
            Ok((thing, row.get::<_, String>(3)?, row.get::<_, String>(4)?, (row.get(5)?, row.get(6)?)))
        })?;
        for (thing, replaces, skip_range, place) in rows {
            // If several entries share a name, which the checks report, the first counts.
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
        Ok(())
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
            match self.versions.get_mut(&thing.package) {
                Some(of_package) => drop(of_package.insert(thing.bundle.clone(), version)),
                None => {
                    let of_package = HashMap::from([(thing.bundle.clone(), version)]);
                    self.versions.insert(thing.package.clone(), of_package);
                }
            }
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

/// The package, channel or bundle of each document.
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

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[
    ("documents to compare", super::inventory::DOCUMENTS),
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
