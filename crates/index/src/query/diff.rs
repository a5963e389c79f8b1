//! What differs between two catalogs, as one flat list of changes.
//!
//! Documents are compared by their digests first; what follows reads only the packages in which one differs. Facts of
//! those packages (`facts.rs`) are then compared as sets, key by key. The two catalogs may be in one index or in two:
//! digests mean the same everywhere.
//!
//! The order of entries, properties and images means nothing to OLM, so it is no difference.
//!
//! What it deliberately does not do: it decides no upgrade (which edge OLM would take), and compares no words of texts.

mod change;
mod content;
mod facts;
mod inventory;
mod thing;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::IndexError;
pub use change::{Change, ChangeKind, Side, Subject};
use facts::{Facts, Key};
use inventory::{Inventory, Pair};
use thing::Thing;

/// Statements of this question, for tests of their plans.
pub(super) const STATEMENTS: &[(&str, &str)] = facts::STATEMENTS;

/// Longest value of a part of a document that is told, in bytes.
const MAX_VALUE: usize = 200;

/// An upgrade that the old catalog had and the new one has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostUpgrade {
    /// The channel.
    pub channel: String,
    /// The bundle that could be upgraded; `None` if nothing in the channel can be upgraded any more.
    pub bundle: Option<String>,
    /// What it was upgraded to; `None` if it was the head.
    pub before: Option<String>,
}

/// The upgrades that a package has lost.
pub type FindLost<'f> = dyn Fn(&str) -> Result<Vec<LostUpgrade>, IndexError> + 'f;

/// What differs between two catalogs, sorted by package, and in a package from the whole to its parts. Only in these
/// packages, if any are named. Which upgrades a package has lost is asked of `find_lost`, since an index knows no upgrades.
///
/// # Errors
/// [`IndexError::NoSuchCatalog`] if an index has no such catalog, or if one is damaged.
pub fn diff_with(
    old: Side<'_>,
    new: Side<'_>,
    packages: &[String],
    find_lost: &FindLost<'_>,
) -> Result<Vec<Change>, IndexError> {
    let (old_inventory, new_inventory) = (Inventory::read(old, packages)?, Inventory::read(new, packages)?);
    let differing = inventory::compare(&old_inventory, &new_inventory);
    if differing.packages.is_empty() {
        return Ok(Vec::new());
    }
    let mut old_facts = Facts::read(old.index, &old_inventory, &differing.packages, &differing.old)?;
    let mut new_facts = Facts::read(new.index, &new_inventory, &differing.packages, &differing.new)?;
    for Pair { old: old_document, new: new_document, key } in &differing.pairs {
        content::read(old.index, *old_document, key, &mut old_facts.parts)?;
        content::read(new.index, *new_document, key, &mut new_facts.parts)?;
    }
    content::settle_forms(&differing.pairs, &mut old_facts.parts, &mut new_facts.parts);
    let mut changes = differing.others;
    let mut comparison = Comparison { old: &old_facts, new: &new_facts, changes: &mut changes };
    comparison.things();
    comparison.values();
    comparison.parts();
    for package in &differing.packages {
        comparison.lost(package, find_lost(package)?);
    }
    comparison.replaced_bundles(&differing.pairs);
    sort(&mut changes, &old_facts, &new_facts);
    changes.dedup();
    surface_news(&mut changes, &old_facts, &new_facts);
    Ok(changes)
}

struct Comparison<'f> {
    old: &'f Facts,
    new: &'f Facts,
    changes: &'f mut Vec<Change>,
}

impl Comparison<'_> {
    /// Packages, channels, entries and bundles as wholes.
    fn things(&mut self) {
        let keys: BTreeSet<&Thing> = self.old.things.keys().chain(self.new.things.keys()).collect();
        for thing in keys {
            let (old, new) = (self.old.things.get(thing), self.new.things.get(thing));
            if old.is_some() == new.is_some() {
                continue;
            }
            let change = if old.is_some() { ChangeKind::Removed } else { ChangeKind::Added };
            let told = |value: Option<&String>| value.filter(|it| !it.is_empty()).cloned();
            let detail = thing.container().is_some_and(|it| self.is_one_sided(&it));
            // The channels of a package that is gone are gone with it.
            let breaking = change == ChangeKind::Removed
                && !detail
                && matches!(thing.subject, Subject::Package | Subject::Channel);
            let key = Key { thing: thing.clone(), subject: thing.subject, field: String::new() };
            let row = self.change(&key, change, told(old), told(new));
            self.changes.push(Change { breaking, detail, ..row });
        }
    }

    /// Fields, images, APIs and so on: sets of values under one key.
    fn values(&mut self) {
        let none = BTreeSet::new();
        let keys: BTreeSet<&Key> = self.old.values.keys().chain(self.new.values.keys()).collect();
        for key in keys {
            let old = self.old.values.get(key).unwrap_or(&none);
            let new = self.new.values.get(key).unwrap_or(&none);
            let (removed, added): (Vec<_>, Vec<_>) = (old.difference(new).collect(), new.difference(old).collect());
            let detail = self.is_one_sided(&key.thing);
            match (removed.as_slice(), added.as_slice()) {
                // An API is what it is; another one is not a new value of it.
                ([old], [new]) if key.subject != Subject::Api => {
                    let row = self.change(key, ChangeKind::Changed, Some((*old).clone()), Some((*new).clone()));
                    self.changes.push(Change { detail, ..row });
                }
                _ => {
                    for value in removed {
                        let row = self.change(key, ChangeKind::Removed, Some(value.clone()), None);
                        self.changes.push(Change { detail, ..row });
                    }
                    for value in added {
                        let row = self.change(key, ChangeKind::Added, None, Some(value.clone()));
                        self.changes.push(Change { detail, ..row });
                    }
                }
            }
        }
    }

    /// Parts of documents that both catalogs have under one name.
    fn parts(&mut self) {
        let keys: BTreeSet<&Key> = self.old.parts.keys().chain(self.new.parts.keys()).collect();
        for key in keys {
            let (old, new) = (self.old.parts.get(key), self.new.parts.get(key));
            if old == new {
                continue;
            }
            let change = match (old, new) {
                (Some(_), None) => ChangeKind::Removed,
                (None, _) => ChangeKind::Added,
                _ => ChangeKind::Changed,
            };
            let told = |values: Option<&BTreeSet<String>>| {
                let mut values = values?.iter();
                let only = values.next().filter(|_| values.next().is_none());
                only.filter(|it| it.len() <= MAX_VALUE).cloned()
            };
            let row = self.change(key, change, told(old), told(new));
            self.changes.push(row);
        }
    }

    /// Versions that lose their upgrade, and channels in which all do.
    fn lost(&mut self, package: &str, lost: Vec<LostUpgrade>) {
        for LostUpgrade { channel, bundle, before } in lost {
            let (subject, bundle, now) = match &bundle {
                Some(bundle) => (Subject::Bundle, bundle.as_str(), Change::NO_UPGRADE),
                None => (Subject::Channel, "", Change::NO_ORDER),
            };
            let before = match (subject, before) {
                (Subject::Channel, _) => None,
                (_, Some(before)) => Some(before),
                (_, None) => Some(Change::HEAD.to_owned()),
            };
            let thing = Thing { package: package.to_owned(), subject, channel, bundle: bundle.to_owned() };
            let key = Key { thing, subject, field: Change::UPGRADE.to_owned() };
            let row = self.change(&key, ChangeKind::Stranded, before, Some(now.to_owned()));
            self.changes.push(Change { breaking: true, ..row });
        }
    }

    /// One mark for each bundle of which a part was told: bundles never change under their names.
    fn replaced_bundles(&mut self, pairs: &[Pair]) {
        let changed: HashSet<(&str, &str)> = self
            .changes
            .iter()
            .filter(|it| group(it) == BUNDLES && it.change != ChangeKind::Stranded)
            .filter(|it| it.field.as_deref() != Some(Change::METADATA_FORM))
            .filter_map(|it| Some((it.package.as_str(), it.bundle.as_deref()?)))
            .collect();
        let marks: Vec<Change> = pairs
            .iter()
            .filter(|it| it.key.subject == Subject::Bundle)
            .filter(|it| changed.contains(&(it.key.package.as_str(), it.key.bundle.as_str())))
            .map(|it| {
                let key = Key { thing: it.key.clone(), subject: Subject::Bundle, field: Change::CONTENT.to_owned() };
                Change { breaking: true, ..self.change(&key, ChangeKind::Changed, None, None) }
            })
            .collect();
        self.changes.extend(marks);
    }

    /// Whether only one of the catalogs has the thing, or what contains it.
    fn is_one_sided(&self, thing: &Thing) -> bool {
        self.old.things.contains_key(thing) != self.new.things.contains_key(thing)
            || thing.container().is_some_and(|it| self.is_one_sided(&it))
    }

    fn change(&self, key: &Key, change: ChangeKind, old: Option<String>, new: Option<String>) -> Change {
        let some = |text: &str| Some(text.to_owned()).filter(|it| !it.is_empty());
        Change {
            package: key.thing.package.clone(),
            change,
            subject: key.subject,
            channel: some(&key.thing.channel),
            bundle: some(&key.thing.bundle),
            version: self.version(&key.thing.package, &key.thing.bundle),
            field: some(&key.field),
            old,
            new,
            breaking: false,
            detail: false,
        }
    }

    fn version(&self, package: &str, bundle: &str) -> Option<String> {
        let name = (package.to_owned(), bundle.to_owned());
        let known = self.new.versions.get(&name).or_else(|| self.old.versions.get(&name))?;
        Some(known.text.clone()).filter(|it| !it.is_empty())
    }
}

/// Where bundles and what they consist of stand in the order of changes.
const BUNDLES: u8 = 3;

/// The order of changes in a package: what is about the whole first.
fn group(change: &Change) -> u8 {
    match change.subject {
        _ if change.change == ChangeKind::Stranded => 1,
        Subject::Package => 0,
        Subject::Channel | Subject::Entry => 2,
        Subject::Deprecation => 4,
        Subject::Document => 5,
        _ if change.bundle.is_some() => BUNDLES,
        _ if change.channel.is_some() => 2,
        _ => 0,
    }
}

fn sort(changes: &mut [Change], old: &Facts, new: &Facts) {
    let mut keys: BTreeMap<(&str, &str), &[u8]> = BTreeMap::new();
    for ((package, bundle), version) in old.versions.iter().chain(&new.versions) {
        keys.insert((package, bundle), &version.key);
    }
    let version =
        |it: &Change| it.bundle.as_deref().and_then(|bundle| keys.get(&(it.package.as_str(), bundle)).copied());
    let of_content = |it: &Change| it.field.as_deref() != Some(Change::CONTENT);
    changes.sort_by(|a, b| {
        let order = a.package.cmp(&b.package).then_with(|| group(a).cmp(&group(b)));
        let order = order.then_with(|| match group(a) {
            // A deprecated package comes before its channels, and these before its bundles.
            4 => (a.bundle.is_some(), &a.channel).cmp(&(b.bundle.is_some(), &b.channel)),
            _ => a.channel.cmp(&b.channel),
        });
        order
            .then_with(|| version(a).cmp(&version(b)))
            .then_with(|| a.bundle.cmp(&b.bundle))
            .then_with(|| a.subject.cmp(&b.subject))
            .then_with(|| of_content(a).cmp(&of_content(b)))
            .then_with(|| a.field.is_some().cmp(&b.field.is_some()))
            .then_with(|| rest(a).cmp(&rest(b)))
    });
    fn rest(it: &Change) -> (&Option<String>, ChangeKind, &Option<String>, &Option<String>) {
        (&it.field, it.change, &it.old, &it.new)
    }
    debug_assert!(changes.is_sorted_by(|a, b| a.package.cmp(&b.package) != Ordering::Greater));
}

/// What a new bundle provides or requires as the first of its package is news of the package, no detail of the bundle;
/// likewise what the last one did.
fn surface_news(changes: &mut [Change], old: &Facts, new: &Facts) {
    let known = |facts: &Facts| -> HashSet<(String, Subject, String, String)> {
        let is_news = |key: &&Key| matches!(key.subject, Subject::Api | Subject::RequiredPackage | Subject::Constraint);
        let keys = facts.values.iter().filter(|(key, _)| is_news(key));
        keys.flat_map(|(key, values)| {
            values.iter().map(|it| (key.thing.package.clone(), key.subject, key.field.clone(), it.clone()))
        })
        .collect()
    };
    let (in_old, in_new) = (known(old), known(new));
    let mut told = HashSet::new();
    let packages: HashSet<String> = changes
        .iter()
        .filter(|it| it.subject == Subject::Package && it.field.is_none() && it.change != ChangeKind::Changed)
        .map(|it| it.package.clone())
        .collect();
    for change in changes.iter_mut() {
        let (value, others) = match (change.change, &change.old, &change.new) {
            (ChangeKind::Added, _, Some(value)) => (value, &in_old),
            (ChangeKind::Removed, Some(value), _) => (value, &in_new),
            _ => continue,
        };
        let is_news =
            matches!(change.subject, Subject::Api | Subject::RequiredPackage | Subject::Constraint) && change.detail;
        if !is_news || packages.contains(&change.package) {
            continue;
        }
        let field = change.field.clone().unwrap_or_default();
        let key = (change.package.clone(), change.subject, field, value.clone());
        change.detail = others.contains(&key) || !told.insert((key, change.change));
    }
}
