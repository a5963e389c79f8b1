//! What a bundle demands and who meets that; and who demands something that a bundle meets. Apart from any namespace.
//!
//! What it deliberately does not do: nothing is chosen. What OLM would choose is a resolution.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::candidates::Candidates;
use super::conflict::{Named, named};
use super::failure::{Failure, MatchError, Overwork};
use super::resolution::Options;
use super::rows::{Rows, World};
use super::universe::{ChannelId, EntryId, Universe};
use crate::constraint::cel::Fuel;
use crate::constraint::property::{Meaning, read};
use crate::diag::Place;
use crate::index::{Index, IndexError};
use crate::tally;

/// What a bundle demands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleDemands {
    /// The bundle, in the first channel that has it.
    pub bundle: Named,
    /// Its demands, in the order of the bundle, each once.
    pub demands: Vec<Demand>,
}

/// A demand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    /// What is demanded, in plain words; or what is wrong with it.
    pub text: String,
    /// What the author says about it, or empty.
    pub message: String,
    /// What meets it, most preferred first.
    pub candidates: Vec<Named>,
    /// Whether it cannot be read. OLM then resolves nothing that has the bundle within reach.
    pub is_broken: bool,
    /// Whether it asks one operator for several things at once.
    pub is_all: bool,
    /// Where it is written.
    pub place: Place,
}

/// A bundle that demands something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Demander {
    /// The bundle.
    pub bundle: Named,
    /// The channels that have it.
    pub channels: Vec<String>,
    /// What it demands, in plain words.
    pub text: String,
    /// Where it says so.
    pub place: Place,
}

/// The types of properties that demand something.
const DEMANDING: [&str; 4] = ["olm.gvk.required", "olm.package.required", "olm.label.required", "olm.constraint"];

/// The packages of an index of which some bundle demands something, by name.
///
/// # Errors
/// If the index cannot be read.
pub fn demanding_packages(index: &Index) -> Result<Vec<String>, IndexError> {
    let mut packages = BTreeSet::new();
    for kind in DEMANDING {
        packages.extend(index.packages_with_property(kind)?.into_iter().map(|it| it.0));
    }
    Ok(packages.into_iter().collect())
}

/// What the bundles of a name in a package demand, one answer for each catalog.
///
/// # Errors
/// If the catalogs cannot be read, or a channel with candidates has no order, or a limit is reached.
pub fn demands(
    world: &World,
    rows: &dyn Rows,
    options: &Options,
    package: &str,
    bundle: &str,
) -> Result<Vec<BundleDemands>, Failure> {
    let mut universe = Universe::new(world, rows, Vec::new(), Fuel::new(options.steps));
    let mut candidates = Candidates::default();
    let entries = entries(&mut universe, package, bundle)?.into_values();
    entries.filter_map(|it| it.first().copied()).map(|id| of_entry(&mut universe, &mut candidates, id)).collect()
}

/// The first entry of each bundle of a package in each catalog, by the bundle's name.
type FirstEntries = HashMap<String, BTreeMap<usize, EntryId>>;

/// What bundles demand, one after another: each package is read once for all of them.
pub struct Demands<'r> {
    universe: Universe<'r>,
    candidates: Candidates,
    steps: u64,
    /// The package that was asked about last, with the first entry of each of its bundles in each catalog.
    first: Option<(String, FirstEntries)>,
}

impl<'r> Demands<'r> {
    /// Reads nothing yet.
    #[must_use]
    pub fn new(world: &'r World, rows: &'r dyn Rows, options: &Options) -> Self {
        let universe = Universe::new(world, rows, Vec::new(), Fuel::new(options.steps));
        Self { universe, candidates: Candidates::default(), steps: options.steps, first: None }
    }

    /// As [`demands`].
    ///
    /// # Errors
    /// As there.
    pub fn of(&mut self, package: &str, bundle: &str) -> Result<Vec<BundleDemands>, Failure> {
        self.universe.fuel.refill(self.steps);
        let first = match self.first.take().filter(|it| it.0 == package) {
            Some((_, known)) => known,
            None => first_entries(&mut self.universe, package)?,
        };
        tally::step(1);
        let ids: Vec<EntryId> = first.get(bundle).into_iter().flat_map(|it| it.values().copied()).collect();
        self.first = Some((package.to_owned(), first));
        ids.into_iter().map(|id| of_entry(&mut self.universe, &mut self.candidates, id)).collect()
    }
}

/// The first entry of each bundle of a package in each catalog, the default channel first.
fn first_entries(universe: &mut Universe<'_>, package: &str) -> Result<FirstEntries, Failure> {
    let mut found = FirstEntries::new();
    for channel in default_first(universe, package)?.into_iter().map(|it| universe.channel(it)) {
        for &id in &channel.entries {
            tally::step(1);
            found.entry(universe.entry(id).name.clone()).or_default().entry(channel.catalog).or_insert(id);
        }
    }
    Ok(found)
}

/// The channels of a package, the default ones first.
fn default_first(universe: &mut Universe<'_>, package: &str) -> Result<Vec<ChannelId>, Failure> {
    let mut channels = universe.package(package)?;
    channels.sort_by_cached_key(|it| (!universe.channel(*it).is_default, universe.channel(*it).name.clone()));
    Ok(channels)
}

/// A demand, and the bundles that meet it, with their packages, most preferred first.
pub(super) type Met = (String, Rc<[(String, String)]>);

/// What each bundle of a package demands that a channel has, by the names of the bundles. Bundles that demand nothing are left out, and
/// so is what cannot be read.
///
/// # Errors
/// As [`demands`].
pub(super) fn demands_of_package(
    world: &World,
    rows: &dyn Rows,
    options: &Options,
    package: &str,
) -> Result<BTreeMap<String, Vec<Met>>, Failure> {
    let mut universe = Universe::new(world, rows, Vec::new(), Fuel::new(options.steps));
    let mut candidates = Candidates::default();
    let mut found = BTreeMap::new();
    // Version after version demands the same.
    let mut met: BTreeMap<usize, Rc<[(String, String)]>> = BTreeMap::new();
    for channel in default_first(&mut universe, package)? {
        let ids = universe.channel(channel).entries.clone();
        universe.learn(&ids)?;
        for id in ids {
            let name = universe.entry(id).name.clone();
            if found.contains_key(&name) {
                continue;
            }
            let mut demands: Vec<Met> = Vec::new();
            for meaning in Rc::clone(&universe.said(id)?.meanings).iter() {
                let Meaning::Requires(requirement) = meaning else { continue };
                let names = match met.get(&requirement.number) {
                    Some(known) => Rc::clone(known),
                    None => {
                        let entries = candidates.of(&mut universe, requirement, id)?;
                        let name =
                            |it: &EntryId| (universe.bundle(*it).package.clone(), universe.entry(*it).name.clone());
                        let mut names: Vec<(String, String)> = entries.iter().map(name).collect();
                        names.dedup();
                        let names: Rc<[_]> = names.into();
                        met.insert(requirement.number, Rc::clone(&names));
                        names
                    }
                };
                demands.push((requirement.plain.clone(), names));
            }
            demands.sort();
            demands.dedup();
            if !demands.is_empty() {
                found.insert(name, demands);
            }
        }
    }
    Ok(found)
}

/// What the bundle of an entry demands.
fn of_entry(universe: &mut Universe<'_>, candidates: &mut Candidates, id: EntryId) -> Result<BundleDemands, Failure> {
    let mut demands: Vec<Demand> = Vec::new();
    for meaning in Rc::clone(&universe.said(id)?.meanings).iter() {
        let demand = match meaning {
            Meaning::Requires(requirement) => {
                let found = candidates.of(universe, requirement, id)?;
                Demand {
                    text: requirement.plain.clone(),
                    message: requirement.message.clone(),
                    candidates: found.iter().map(|it| named(universe, *it)).collect(),
                    is_broken: false,
                    is_all: requirement.is_all(),
                    place: universe.place_of_demand(id, requirement),
                }
            }
            Meaning::Broken(error) => Demand {
                text: error.to_string(),
                message: String::new(),
                candidates: Vec::new(),
                is_broken: true,
                is_all: false,
                place: universe.place_of_meaning(id, |it| matches!(it, Meaning::Broken(it) if Rc::ptr_eq(it, error))),
            },
            _ => continue,
        };
        // A file-based catalog's server says every demand twice.
        if !demands.contains(&demand) {
            demands.push(demand);
        }
    }
    Ok(BundleDemands { bundle: named(universe, id), demands })
}

/// Whether a bundle of the catalogs meets a constraint, the value of an `olm.constraint`. `None` if that cannot be told: it cannot be
/// read, or takes more steps than it may.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn is_met(
    world: &World,
    rows: &dyn Rows,
    options: &Options,
    constraint: &str,
) -> Result<Option<(String, bool)>, IndexError> {
    let mut universe = Universe::new(world, rows, Vec::new(), Fuel::new(options.steps));
    let Meaning::Requires(requirement) = read("olm.constraint", constraint, 0) else { return Ok(None) };
    Ok(universe.meeting(&requirement)?.ok().map(|it| (requirement.plain.clone(), !it.is_empty())))
}

/// The entries of a bundle in each catalog, the default channel first.
fn entries(universe: &mut Universe<'_>, package: &str, bundle: &str) -> Result<BTreeMap<usize, Vec<EntryId>>, Failure> {
    let mut found: BTreeMap<usize, Vec<EntryId>> = BTreeMap::new();
    for channel in default_first(universe, package)?.into_iter().map(|it| universe.channel(it)) {
        let entries = channel.entries.iter().copied().filter(|it| universe.entry(*it).name == bundle);
        found.entry(channel.catalog).or_default().extend(entries);
    }
    Ok(found)
}

/// What part of the steps a single demand may take while there is enough, and when there is not.
const SHARE: u64 = 10;
const SMALL_SHARE: u64 = 1000;

/// The bundles of `packages` that demand something that a bundle meets, in any of the catalogs; by catalog, package and
/// bundle. Besides, the demands that take too much work to say whether they are such.
///
/// # Errors
/// As [`demands`].
pub fn demanders(
    world: &World,
    rows: &dyn Rows,
    options: &Options,
    (package, bundle): (&str, &str),
    packages: &[String],
) -> Result<(Vec<Demander>, Vec<Overwork>), Failure> {
    let (mut spent, mut left_out) = (0_u64, Vec::new());
    let mut universe = Universe::new(world, rows, Vec::new(), Fuel::new(options.steps));
    let targets: Vec<EntryId> = entries(&mut universe, package, bundle)?.into_values().flatten().collect();
    let mut meets: BTreeMap<usize, bool> = BTreeMap::new();
    let mut found: BTreeMap<(String, String, String, String), Demander> = BTreeMap::new();
    for package in packages {
        for channel in universe.package(package)? {
            let ids = universe.channel(channel).entries.clone();
            universe.learn(&ids)?;
            for id in ids {
                for meaning in Rc::clone(&universe.said(id)?.meanings).iter() {
                    let Meaning::Requires(requirement) = meaning else { continue };
                    let is_met = match meets.get(&requirement.number) {
                        Some(known) => *known,
                        None => {
                            // One demand must not use up what the others need.
                            let share = if spent < options.steps { SHARE } else { SMALL_SHARE };
                            let limit = (options.steps / share).max(1);
                            universe.fuel.refill(limit);
                            let is_met = match universe.matches(requirement, id) {
                                Ok(matches) => targets.iter().any(|it| matches.binary_search(it).is_ok()),
                                Err(MatchError::Work(overwork)) => {
                                    universe.fuel.refill(0);
                                    left_out.push(*overwork);
                                    false
                                }
                                Err(error) => return Err(error.into()),
                            };
                            spent = spent.saturating_add(limit - universe.fuel.left());
                            meets.insert(requirement.number, is_met);
                            is_met
                        }
                    };
                    if !is_met {
                        continue;
                    }
                    let bundle = named(&universe, id);
                    let key = (bundle.catalog.clone(), package.clone(), bundle.name.clone(), requirement.plain.clone());
                    let channel = bundle.channel.clone();
                    let text = requirement.plain.clone();
                    let demander = found.entry(key).or_insert_with(|| {
                        let place = universe.place_of_demand(id, requirement);
                        Demander { bundle, channels: Vec::new(), text, place }
                    });
                    if !demander.channels.contains(&channel) {
                        demander.channels.push(channel);
                    }
                }
            }
        }
    }
    Ok((found.into_values().collect(), left_out))
}
