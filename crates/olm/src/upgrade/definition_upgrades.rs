//! Whether upgrades change definitions in a way that OLM refuses: every edge of every channel whose two bundles are
//! available.
//!
//! Consecutive versions have the same definitions, so each pair of different ones is compared once, however many edges
//! have it. A package is read, compared and forgotten before the next one is read.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::classic::{Channel, Package};
use olmdex_base::diag::envelope::{DefinitionChecks, RefusedUpgrade};
use olmdex_base::diag::{Finding, Place, Rule, Severity, counted};
use olmdex_base::olm::OlmSet;
use olmdex_index::query::Filter;
use olmdex_index::{Index, IndexError};
use olmdex_rules::crd::Crd;
use olmdex_rules::crd::findings::{LocatedCrd, judge_schemas};
use rayon::prelude::*;

/// Objects of bundles that a catalog does not carry, as JSON with their places, by the names of the bundles.
pub type BundleObjects = HashMap<String, Vec<(String, Place)>>;

/// The result of comparing.
#[derive(Debug, Default)]
pub struct DefinitionUpgrades {
    /// One for each problem of a package of a catalog, however many upgrades have it.
    pub findings: Vec<Finding>,
    /// Each upgrade with a problem.
    pub refused: Vec<RefusedUpgrade>,
    /// How much was compared.
    pub checks: DefinitionChecks,
}

/// Compares the definitions along all edges of the catalogs of a filter.
///
/// # Errors
/// If the index is damaged.
pub fn definition_upgrades(
    index: &Index,
    filter: &Filter,
    olm: OlmSet,
    at_hand: &BundleObjects,
) -> Result<DefinitionUpgrades, IndexError> {
    let mut answer = DefinitionUpgrades::default();
    for package in index.package_names()? {
        for graph in index.package_graphs(filter, &package)? {
            let edges = edges(&Package::new(&graph));
            answer.checks.edges += edges.len();
            if edges.is_empty() {
                continue;
            }
            let names: BTreeSet<&String> = edges.keys().flat_map(|it| [&it.0, &it.1]).collect();
            let mut definitions = Definitions::default();
            for name in names {
                let objects = match index.carried_objects(&graph.catalog, name)? {
                    none if none.is_empty() => at_hand.get(name).cloned().unwrap_or_default(),
                    found => found,
                };
                definitions.add(name, objects);
            }
            let compared = definitions.compare(&edges, olm);
            answer.checks.compared +=
                edges.keys().filter(|it| definitions.has(&it.0) && definitions.has(&it.1)).count();
            answer.checks.pairs += compared.len();
            answer.checks.unreadable += definitions.n_unreadable;
            report(&graph.catalog, &package, &edges, &definitions, &compared, &mut answer);
        }
    }
    Ok(answer)
}

/// The bundles from which and to which upgrades lead, with the channels that have the edge.
type Edges = BTreeMap<(String, String), Vec<String>>;

/// All edges of all channels between bundles that the package has.
fn edges(package: &Package) -> Edges {
    let mut edges = Edges::new();
    for channel in &package.channels {
        let mut add = |from: &str, to: &str| {
            let channels = edges.entry((from.to_owned(), to.to_owned())).or_default();
            if !channels.contains(&channel.name) {
                channels.push(channel.name.clone());
            }
        };
        each_edge(channel, &mut add);
    }
    edges
}

fn each_edge(channel: &Channel, add: &mut dyn FnMut(&str, &str)) {
    for to in &channel.entries {
        let name = &to.fields.name;
        let named = to.fields.skips.iter().chain([&to.fields.replaces]);
        for from in named.filter(|it| *it != name && channel.entry(it).is_some()) {
            add(from, name);
        }
        let Some(range) = &to.range else { continue };
        for from in channel.entries.iter().filter(|it| it.fields.name != *name) {
            if from.version.as_ref().is_some_and(|it| range.contains(it).unwrap_or(false)) {
                add(&from.fields.name, name);
            }
        }
    }
}

/// The definitions of bundles, each text once.
#[derive(Default)]
struct Definitions {
    numbers: HashMap<String, Option<usize>>,
    all: Vec<LocatedCrd>,
    /// The definitions of available bundles, by name.
    of_bundle: HashMap<String, BTreeMap<String, usize>>,
    n_unreadable: usize,
}

impl Definitions {
    fn add(&mut self, bundle: &str, objects: Vec<(String, Place)>) {
        if objects.is_empty() {
            return;
        }
        let mut own = BTreeMap::new();
        for (json, place) in objects {
            let number = match self.numbers.get(&json) {
                Some(known) => *known,
                None => {
                    let number = match Crd::from_json(&json) {
                        Ok(crd) => {
                            self.all.push(LocatedCrd { crd, place, owned: None });
                            Some(self.all.len() - 1)
                        }
                        Err(olmdex_rules::crd::CrdError::OtherKind) => None,
                        Err(_) => {
                            self.n_unreadable += 1;
                            None
                        }
                    };
                    // Objects that are no definitions differ from bundle to bundle.
                    if number.is_some() {
                        self.numbers.insert(json, number);
                    }
                    number
                }
            };
            if let Some(number) = number {
                own.insert(self.all[number].crd.name.clone(), number);
            }
        }
        self.of_bundle.insert(bundle.to_owned(), own);
    }

    /// Whether the definitions of a bundle are known.
    fn has(&self, bundle: &str) -> bool {
        self.of_bundle.contains_key(bundle)
    }

    /// The definitions that an edge changes: the old and the new one of each.
    fn changed(&self, (from, to): &(String, String)) -> Vec<(usize, usize)> {
        let (Some(old), Some(new)) = (self.of_bundle.get(from), self.of_bundle.get(to)) else { return Vec::new() };
        new.iter().filter_map(|(name, new)| Some((*old.get(name)?, *new))).filter(|it| it.0 != it.1).collect()
    }

    fn compare(&self, edges: &Edges, olm: OlmSet) -> HashMap<(usize, usize), Vec<Finding>> {
        let pairs: BTreeSet<(usize, usize)> = edges.keys().flat_map(|it| self.changed(it)).collect();
        let pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
        let compare = |&(old, new): &(usize, usize)| ((old, new), judge_schemas(olm, &self.all[old], &self.all[new]));
        pairs.par_iter().map(compare).collect()
    }
}

/// Reports the findings: once for all upgrades, and for each upgrade.
fn report(
    catalog: &str,
    package: &str,
    edges: &Edges,
    definitions: &Definitions,
    compared: &HashMap<(usize, usize), Vec<Finding>>,
    answer: &mut DefinitionUpgrades,
) {
    /// The upgrades that share a problem, and the first finding of it.
    type Same<'e> = (Vec<&'e (String, String)>, Option<Place>, Option<String>);
    let mut all: BTreeMap<(&str, &str), (&'static Rule, Same<'_>)> = BTreeMap::new();
    for (edge, channels) in edges {
        for pair in definitions.changed(edge) {
            for Finding { rule, message, place, help, .. } in compared.get(&pair).into_iter().flatten() {
                let same =
                    all.entry((rule.id, message)).or_insert_with(|| (rule, (Vec::new(), place.clone(), help.clone())));
                same.1.0.push(edge);
                answer.refused.push(RefusedUpgrade {
                    catalog: catalog.to_owned(),
                    package: package.to_owned(),
                    channels: channels.clone(),
                    from: edge.0.clone(),
                    to: edge.1.clone(),
                    definition: definitions.all[pair.1].crd.name.clone(),
                    is_refused: rule.severity == Severity::Error,
                    rule: rule.id.to_owned(),
                    message: message.clone(),
                });
            }
        }
    }
    for ((_, message), (rule, (edges, place, help))) in all {
        let Some((from, to)) = edges.first() else { continue };
        let more = match edges.len() {
            1 => String::new(),
            n => format!(", and {} more", counted(n as u64 - 1, "upgrade")),
        };
        let finding = rule.finding(format!("{message}: {from} to {to}{more}")).at(place).of_package(package.to_owned());
        answer.findings.push(Finding { help, ..finding });
    }
}

/// The errors and warnings of OLM Classic about the definitions that a step from one bundle of a catalog to another
/// changes.
///
/// # Errors
/// If the index is damaged.
pub fn unsafe_definitions(index: &Index, catalog: &str, from: &str, to: &str) -> Result<Vec<String>, IndexError> {
    let definitions = |bundle: &str| -> Result<Vec<LocatedCrd>, IndexError> {
        let objects = index.carried_objects(catalog, bundle)?;
        Ok(objects.iter().filter_map(|(json, place)| LocatedCrd::read(json, place)).collect())
    };
    let old = definitions(from)?;
    if old.is_empty() {
        return Ok(Vec::new());
    }
    let mut words = Vec::new();
    for next in definitions(to)? {
        if let Some(before) = old.iter().find(|it| it.crd.name == next.crd.name) {
            let found = judge_schemas(OlmSet::Classic, before, &next);
            words.extend(found.into_iter().map(|it| it.message));
        }
    }
    Ok(words)
}
