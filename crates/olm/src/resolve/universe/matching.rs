//! The entries that meet a requirement: the possible ones are looked up, and then tested one by one.

use std::collections::HashMap;
use std::rc::Rc;

use super::{Bundle, EntryId, Leaf, Universe, Wording};
use crate::resolve::failure::{Failure, Overwork};
use olmdex_base::budget::{Budget, Exhausted};
use olmdex_constraint::cel::Value;
use olmdex_constraint::property::{Meaning, Requirement};
use olmdex_constraint::tree::{Condition, Facts, Reach};
use olmdex_index::IndexError;
use olmdex_version::Version;

impl Universe<'_> {
    /// The entries that could meet a requirement: all entries that meet it, and perhaps others.
    fn within_reach(&mut self, requirement: &Requirement) -> Result<Vec<EntryId>, IndexError> {
        let mut found: Vec<EntryId> = Vec::new();
        let leaves = match requirement.tree.reach() {
            Reach::Everywhere => {
                if !self.has_all {
                    self.load(self.rows.all()?)?;
                    self.has_all = true;
                }
                return Ok((0..self.entries.len() as u32).map(EntryId).collect());
            }
            Reach::Leaves(leaves) => leaves,
        };
        for leaf in leaves {
            let leaf = match &requirement.tree.nodes[leaf] {
                Condition::Api(api) => Leaf::Api(api.clone()),
                Condition::Label(label) => Leaf::Label(label.clone()),
                Condition::Package { name, .. } => {
                    for channel in self.package(name)? {
                        found.extend(&self.channels[channel.0 as usize].entries);
                    }
                    Leaf::Package(name.clone())
                }
                Condition::All(_) | Condition::Any(_) | Condition::Not(_) | Condition::Cel { .. } => continue,
            };
            found.extend(self.saying(leaf)?.iter());
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// The entries, and the installed operators, that match a leaf.
    fn saying(&mut self, leaf: Leaf) -> Result<Rc<[EntryId]>, IndexError> {
        if let Some(known) = self.saying.get(&leaf) {
            return Ok(Rc::clone(known));
        }
        let packages = match &leaf {
            Leaf::Api(api) => self.rows.providers(api)?,
            Leaf::Label(label) => self.rows.labelled(label)?,
            Leaf::Package(name) => self.rows.named(name)?,
        };
        let mut entries: Vec<EntryId> = self.installed_entries().collect();
        for package in packages {
            let channels = self.package(&package)?;
            entries.extend(channels.iter().flat_map(|it| &self.channel(*it).entries));
        }
        self.learn(&entries)?;
        let mut found = Vec::new();
        for id in entries {
            if self.wording(id)?.meanings.iter().any(|it| leaf.is(it)) {
                found.push(id);
            }
        }
        let found: Rc<[EntryId]> = found.into();
        self.saying.insert(leaf, Rc::clone(&found));
        Ok(found)
    }

    fn load(&mut self, packages: Vec<String>) -> Result<(), IndexError> {
        packages.into_iter().try_for_each(|it| self.package(&it).map(drop))
    }

    /// The messages of the parts of a requirement that apply. If nothing meets the requirement, these are the parts
    /// that nothing meets; otherwise they are the parts without which it is not met.
    pub(in crate::resolve) fn part_messages(&self, requirement: &Requirement) -> Vec<String> {
        if let Some(unmet) = self.unmet.get(&requirement.number) {
            return unmet.clone();
        }
        let necessary = requirement.necessary_parts();
        let parts = requirement.speaking_parts().into_iter().filter(|it| necessary.contains(it));
        parts.map(|it| requirement.tree.messages[it].clone()).collect()
    }

    /// Notes the parts of an unmet requirement that are not met by themselves either.
    pub(in crate::resolve) fn note_unmet(&mut self, requirement: &Requirement, by: EntryId) -> Result<(), Failure> {
        let mut unmet = Vec::new();
        for idx in requirement.speaking_parts() {
            let part = requirement.part(idx);
            // If a part could be met anywhere, a search through everything only for this note is not worth it.
            let is_unmet = part.tree.reach() == Reach::Everywhere || self.matches(&part, by)?.is_empty();
            if is_unmet && !unmet.contains(&part.message) {
                unmet.push(part.message);
            }
        }
        self.unmet.insert(requirement.number, unmet);
        Ok(())
    }

    /// The entries that meet a requirement of an entry, in the order in which they were read: installed operators
    /// first.
    pub(in crate::resolve) fn matches(
        &mut self,
        requirement: &Requirement,
        by: EntryId,
    ) -> Result<Vec<EntryId>, Failure> {
        for warning in &requirement.warnings {
            let place = self.place_of_demand(by, requirement);
            let at = if place.file.is_empty() { String::new() } else { format!(" [{place}]") };
            let warning = format!("{}{at} has {warning}", self.identifier(by));
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        self.meeting(requirement)?.map_err(|error| {
            let (operator, place) = (self.identifier(by), self.place_of_demand(by, requirement));
            let demand = requirement.shortened();
            Failure::Work(Box::new(Overwork { error, operator, demand, place }))
        })
    }

    /// The entries that meet a requirement, independent of the bundle that has it.
    pub(in crate::resolve) fn meeting(
        &mut self,
        requirement: &Requirement,
    ) -> Result<Result<Vec<EntryId>, Exhausted>, IndexError> {
        let within_reach = self.within_reach(requirement)?;
        self.learn(&within_reach)?;
        let mut found = Vec::new();
        // Copies of a bundle in several channels meet the same requirements.
        let mut known: HashMap<usize, bool> = HashMap::new();
        for id in within_reach {
            let bundle = self.entry(id).bundle;
            let holds = match known.get(&bundle) {
                Some(holds) => *holds,
                None => {
                    let facts =
                        BundleFacts { bundle: self.bundle(id), wording: self.wording(id)?, budget: &self.budget };
                    let spent = self.budget.spend(requirement.tree.nodes.len() as u64);
                    match spent.and_then(|()| requirement.tree.holds(&facts)) {
                        Ok(holds) => *known.entry(bundle).or_insert(holds),
                        Err(error) => return Ok(Err(error)),
                    }
                }
            };
            if holds {
                found.push(id);
            }
        }
        Ok(Ok(found))
    }
}

struct BundleFacts<'b> {
    bundle: &'b Bundle,
    wording: &'b Wording,
    budget: &'b Budget,
}

impl Facts<Exhausted> for BundleFacts<'_> {
    fn leaf(&self, node: &Condition) -> Result<bool, Exhausted> {
        let says = |is_it: &dyn Fn(&Meaning) -> bool| self.wording.meanings.iter().any(is_it);
        Ok(match node {
            Condition::Api(api) => says(&|it| matches!(it, Meaning::Provides(it) if it == api)),
            Condition::Label(label) => says(&|it| matches!(it, Meaning::Label(it) if it == label)),
            // Name and version may come from different places.
            Condition::Package { name, range, .. } => {
                let is_in = |it: &Version| range.contains(it).unwrap_or(false);
                let is_named = self.bundle.package == *name
                    || says(&|it| matches!(it, Meaning::Package { name: it, .. } if it == name));
                is_named
                    && (self.bundle.version.as_ref().is_some_and(is_in)
                        || says(&|it| matches!(it, Meaning::Package { version: Some(it), .. } if is_in(it))))
            }
            Condition::Cel { rule, .. } => {
                let properties = self.wording.value.get_or_init(|| {
                    Value::properties(self.wording.properties.iter().map(|it| (&*it.kind, &*it.value)))
                });
                rule.holds(properties, self.budget)?.unwrap_or(false)
            }
            Condition::All(_) | Condition::Any(_) | Condition::Not(_) => false,
        })
    }
}
