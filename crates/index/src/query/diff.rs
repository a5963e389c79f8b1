//! The differences between two catalogs, as one flat list of changes.
//!
//! Documents are compared by their digests first; later steps read only packages in which one differs, and in these
//! mainly the documents that differ. Their facts (`facts.rs`) are then compared as sets, key by key. The two catalogs
//! may be in one index or in two: digests mean the same everywhere.
//!
//! The order of entries, properties and images means nothing to OLM, so it is no difference.

mod change;
mod content;
mod facts;
mod inventory;
mod merge;
mod thing;

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};

use crate::IndexError;
pub use change::{Change, ChangeKind, NestedChanges, Side, Subject};
use content::DifferingParts;
use facts::{Facts, Key, News};
use inventory::{Inventory, Pair, Selection};
use merge::of_both;
use thing::Thing;

/// Longest value of a part of a document that a change quotes, in bytes.
const MAX_VALUE: usize = 200;

/// An upgrade that the old catalog had and the new one has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostUpgrade {
    /// The channel.
    pub channel: String,
    /// The bundle that could be upgraded; `None` if nothing in the channel can be upgraded any more.
    pub bundle: Option<String>,
    /// The bundle that it was upgraded to; `None` if it was the head.
    pub before: Option<String>,
}

/// The upgrades that a package has lost.
pub type FindLost<'f> = dyn Fn(&str) -> Result<Vec<LostUpgrade>, IndexError> + 'f;

/// The differences between two catalogs, sorted by package, and in a package from the whole to its parts. Only in these
/// packages, if any are named. `find_lost` finds the upgrades that a package has lost, since an index knows no
/// upgrades.
///
/// # Errors
/// [`IndexError::NoSuchCatalog`] if an index has no such catalog, or if one is damaged.
pub fn diff_with(
    old: Side<'_>,
    new: Side<'_>,
    packages: &[String],
    nested: NestedChanges,
    find_lost: &FindLost<'_>,
) -> Result<Vec<Change>, IndexError> {
    let (old_inventory, new_inventory) = (Inventory::read(old, packages)?, Inventory::read(new, packages)?);
    let differing = inventory::compare(&old_inventory, &new_inventory);
    if differing.packages.is_empty() {
        return Ok(Vec::new());
    }
    let one_sided = old_inventory.one_sided(&new_inventory);
    let select = |side, other, of_side| Selection::of(side, other, &differing.packages, &one_sided, of_side, nested);
    let of_old = select(&old_inventory, &new_inventory, &differing.of_old);
    let of_new = select(&new_inventory, &old_inventory, &differing.of_new);
    let old_facts = Facts::read(old.index, old_inventory.catalog, &of_old)?;
    let mut new_facts = Facts::read(new.index, new_inventory.catalog, &of_new)?;
    let common_news = new_facts.common_bundles(new.index, &of_new.common_bundles)?;
    let parts = content::differing_parts(old.index, new.index, &differing.pairs)?;
    let mut changes = differing.others;
    let mut comparison = Comparison { old: &old_facts, new: &new_facts, changes: &mut changes };
    comparison.things();
    comparison.values();
    comparison.parts(&parts);
    for package in &differing.packages {
        comparison.lost(package, find_lost(package)?);
    }
    comparison.replaced_bundles(&differing.pairs);
    let mut changes = sorted(changes, &old_facts, &new_facts);
    changes.dedup();
    surface_news(&mut changes, &old_facts, &new_facts, &common_news);
    if nested == NestedChanges::Skipped {
        changes.retain(|it| !it.detail);
    }
    Ok(changes)
}

struct Comparison<'f> {
    old: &'f Facts,
    new: &'f Facts,
    changes: &'f mut Vec<Change>,
}

impl<'f> Comparison<'f> {
    /// Packages, channels, entries and bundles as wholes.
    fn things(&mut self) {
        for (thing, old, new) in of_both(&self.old.things, &self.new.things) {
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
        // The values of one item follow each other.
        let mut last: Option<(&Thing, bool)> = None;
        for (key, old, new) in of_both(&self.old.values, &self.new.values) {
            if old == new {
                continue;
            }
            let (old, new) = (old.unwrap_or(&none), new.unwrap_or(&none));
            let (removed, added): (Vec<_>, Vec<_>) = (old.difference(new).collect(), new.difference(old).collect());
            let detail = match last {
                Some((thing, detail)) if *thing == key.thing => detail,
                _ => self.is_one_sided(&key.thing),
            };
            last = Some((&key.thing, detail));
            match (removed.as_slice(), added.as_slice()) {
                // APIs are not values that change: another API is a removal and an addition.
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
    fn parts(&mut self, parts: &DifferingParts) {
        for (key, (old, new)) in parts {
            let change = match (old, new) {
                (Some(_), None) => ChangeKind::Removed,
                (None, _) => ChangeKind::Added,
                _ => ChangeKind::Changed,
            };
            let told = |values: &Option<BTreeSet<String>>| {
                let mut values = values.as_ref()?.iter();
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

    /// Adds one mark for each bundle with a reported change of a part: bundles never change under their names.
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

    /// Whether only one of the catalogs has the item, or the one that contains it.
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
        // A damaged catalog may have a bundle without a name; a change that is about no bundle is not about that one.
        if bundle.is_empty() {
            return None;
        }
        let of = |facts: &'f Facts| facts.versions.get(package)?.get(bundle);
        let known = of(self.new).or_else(|| of(self.old))?;
        Some(known.text.clone()).filter(|it| !it.is_empty())
    }
}

/// The position of bundles and their parts in the order of changes.
const BUNDLES: u8 = 3;

/// The order of changes in a package: those of the whole come first.
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

fn sorted<'f>(changes: Vec<Change>, old: &'f Facts, new: &'f Facts) -> Vec<Change> {
    let version = |it: &Change| -> Option<&'f [u8]> {
        let bundle = it.bundle.as_deref()?;
        let of = |facts: &'f Facts| facts.versions.get(&it.package)?.get(bundle);
        of(new).or_else(|| of(old)).map(|it| it.key.as_slice())
    };
    let of_content = |it: &Change| it.field.as_deref() != Some(Change::CONTENT);
    // Versions are looked up once, and not for each comparison; changes are large, and moved once.
    let mut order: Vec<(Option<&[u8]>, usize)> = changes.iter().map(version).zip(0..).collect();
    order.sort_by(|(a_version, a), (b_version, b)| {
        let (a, b) = (&changes[*a], &changes[*b]);
        let order = a.package.cmp(&b.package).then_with(|| group(a).cmp(&group(b)));
        let order = order.then_with(|| match group(a) {
            // A deprecated package comes before its channels, and these before its bundles.
            4 => (a.bundle.is_some(), &a.channel).cmp(&(b.bundle.is_some(), &b.channel)),
            _ => a.channel.cmp(&b.channel),
        });
        order
            .then_with(|| a_version.cmp(b_version))
            .then_with(|| a.bundle.cmp(&b.bundle))
            .then_with(|| a.subject.cmp(&b.subject))
            .then_with(|| of_content(a).cmp(&of_content(b)))
            .then_with(|| a.field.is_some().cmp(&b.field.is_some()))
            .then_with(|| rest(a).cmp(&rest(b)))
    });
    fn rest(it: &Change) -> (&Option<String>, ChangeKind, &Option<String>, &Option<String>) {
        (&it.field, it.change, &it.old, &it.new)
    }
    let mut taken: Vec<Option<Change>> = changes.into_iter().map(Some).collect();
    let changes: Vec<Change> = order.into_iter().filter_map(|(_, it)| taken.get_mut(it)?.take()).collect();
    debug_assert!(changes.is_sorted_by(|a, b| a.package.cmp(&b.package) != Ordering::Greater));
    changes
}

/// If a new bundle is the first of its package to provide or require something, that is news of the package, not a
/// detail of the bundle. The same holds for the last bundle that did.
fn surface_news(changes: &mut [Change], old: &Facts, new: &Facts, common: &HashSet<News>) {
    let (in_old, in_new) = (old.news(), new.news());
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
        let is_news = facts::may_be_news(change.subject) && change.detail;
        if !is_news || packages.contains(&change.package) {
            continue;
        }
        let field = change.field.clone().unwrap_or_default();
        let key = (change.package.clone(), change.subject, field, value.clone());
        change.detail = others.contains(&key) || common.contains(&key) || !told.insert((key, change.change));
    }
}

/// Statements of this question, for tests of their plans.
#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = facts::STATEMENTS;
