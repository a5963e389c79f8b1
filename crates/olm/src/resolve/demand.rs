//! The demands of a bundle and the bundles that meet them; and the bundles whose demands a bundle meets. No namespace
//! is involved.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::candidates::Candidates;
use super::conflict::{Named, named};
use super::failure::{Failure, Overwork};
use super::resolution::Options;
use super::rows::{Rows, World};
use super::universe::{ChannelId, EntryId, Universe};
use olmdex_base::diag::Place;
use olmdex_constraint::cel::budget;
use olmdex_constraint::property::{Meaning, Requirement, read};
use olmdex_fbc::Property;
use olmdex_index::{IndexError, LightIndex};
use olmdex_text::tally;

/// The demands of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleDemands {
    /// The bundle, in the first channel that has it.
    pub bundle: Named,
    /// Its demands, in the order of the bundle, each once.
    pub demands: Vec<Demand>,
}

/// A demand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand<M = Vec<Named>> {
    /// The demand, in plain words; or the error in it.
    pub text: String,
    /// The message of the demand's author, or empty.
    pub message: String,
    /// The bundles that meet it, most preferred first.
    pub met: M,
    /// Whether it cannot be read. OLM then resolves nothing that has the bundle within reach.
    pub is_broken: bool,
    /// Whether it asks one operator for several things at once.
    pub is_all: bool,
    /// The place where it is written.
    pub place: Place,
}

/// The demands of a bundle, each with a summary of the bundles that meet it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleNeeds {
    /// The bundle, in the first channel that has it.
    pub bundle: Named,
    /// Its demands, in the order of the bundle, each once.
    pub needs: Vec<Need>,
}

/// A demand, with a summary of its providers.
pub type Need = Demand<Rc<Providers>>;

/// A summary of the bundles that meet a demand: many bundles may meet the demand of many others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Providers {
    /// The most preferred bundle.
    pub first: Option<Named>,
    /// The first packages, [`MAX_NAMED`] at most, each once, the preferred ones first.
    pub packages: Vec<String>,
    /// The number of packages.
    pub n_packages: usize,
}

/// The number of packages that [`Providers`] name.
pub const MAX_NAMED: usize = 20;

impl Providers {
    fn of<'n>(first: Option<Named>, packages: impl Iterator<Item = &'n str>) -> Self {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut named = Vec::new();
        for package in packages.inspect(|_| tally::step(1)) {
            if seen.insert(package) && named.len() < MAX_NAMED {
                named.push(package.to_owned());
            }
        }
        Self { first, packages: named, n_packages: seen.len() }
    }
}

impl From<BundleDemands> for BundleNeeds {
    fn from(BundleDemands { bundle, demands }: BundleDemands) -> Self {
        let need = |it: Demand| Need {
            met: Rc::new(Providers::of(it.met.first().cloned(), it.met.iter().map(|it| &*it.package))),
            text: it.text,
            message: it.message,
            is_broken: it.is_broken,
            is_all: it.is_all,
            place: it.place,
        };
        Self { bundle, needs: demands.into_iter().map(need).collect() }
    }
}

/// A summary of providers for each demand of a world, by the property that states the demand: all bundles with the same
/// demand share it.
pub type Met = HashMap<Property, Rc<Providers>>;

/// A bundle that demands something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Demander {
    /// The bundle.
    pub bundle: Named,
    /// The channels that have it.
    pub channels: Vec<String>,
    /// The demand, in plain words.
    pub text: String,
    /// The place where it states that.
    pub place: Place,
}

/// The types of properties that demand something.
const DEMANDING: [&str; 4] = ["olm.gvk.required", "olm.package.required", "olm.label.required", "olm.constraint"];

/// The packages of an index with at least one bundle that demands something, by name.
///
/// # Errors
/// If the index cannot be read.
pub fn demanding_packages(index: &LightIndex) -> Result<Vec<String>, IndexError> {
    let mut packages = BTreeSet::new();
    for kind in DEMANDING {
        packages.extend(index.packages_with_property(kind)?.into_iter().map(|it| it.0));
    }
    Ok(packages.into_iter().collect())
}

/// The demands of the bundles of one name in a package, one answer for each catalog.
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
    let mut universe = Universe::new(world, rows, Vec::new(), budget(options.steps));
    let mut candidates = Candidates::default();
    let entries = entries(&mut universe, package, bundle)?.into_values();
    entries.filter_map(|it| it.first().copied()).map(|id| of_entry(&mut universe, &mut candidates, id)).collect()
}

/// The first entry of each bundle of a package in each catalog, by the bundle's name.
type FirstEntries = HashMap<String, BTreeMap<usize, EntryId>>;

/// The demands of bundles, one after another: all that they share is read once.
pub struct Demands<'r> {
    universe: Universe<'r>,
    candidates: Candidates,
    steps: u64,
    /// The package that was asked about last, with the first entry of each of its bundles in each catalog.
    first: Option<(String, FirstEntries)>,
    /// The bundles that meet a requirement, by its number: version after version demands the same, and so do packages.
    met: HashMap<usize, Rc<[(String, String)]>>,
}

impl<'r> Demands<'r> {
    /// Makes a reader that has read nothing yet.
    pub fn new(world: &'r World, rows: &'r dyn Rows, options: &Options) -> Self {
        let universe = Universe::new(world, rows, Vec::new(), budget(options.steps));
        let candidates = Candidates::default();
        Self { universe, candidates, steps: options.steps, first: None, met: HashMap::new() }
    }

    /// Like [`demands`], but with a summary of the providers. The providers of a demand that `known` already has for
    /// the same world are taken from there; new ones are added to it.
    ///
    /// # Errors
    /// The errors of [`demands`].
    pub fn of(&mut self, package: &str, bundle: &str, known: &mut Met) -> Result<Vec<BundleNeeds>, Failure> {
        self.universe.budget.refill(self.steps);
        let first = match self.first.take().filter(|it| it.0 == package) {
            Some((_, known)) => known,
            None => first_entries(&mut self.universe, package)?,
        };
        tally::step(1);
        let ids: Vec<EntryId> = first.get(bundle).into_iter().flat_map(|it| it.values().copied()).collect();
        self.first = Some((package.to_owned(), first));
        ids.into_iter().map(|id| needs_of(&mut self.universe, &mut self.candidates, id, known)).collect()
    }

    /// The demands of each bundle of a package that is in a channel, by the names of the bundles. Bundles that demand
    /// nothing, and properties that cannot be read, are left out.
    ///
    /// # Errors
    /// The errors of [`demands`].
    pub(super) fn of_package(&mut self, package: &str) -> Result<BTreeMap<String, Vec<MetBy>>, Failure> {
        let Self { universe, candidates, met, steps, .. } = self;
        universe.budget.refill(*steps);
        let mut found = BTreeMap::new();
        for channel in default_first(universe, package)? {
            let ids = universe.channel(channel).entries.clone();
            universe.learn(&ids)?;
            for id in ids {
                tally::step(1);
                let name = universe.entry(id).fields.name.clone();
                if found.contains_key(&name) {
                    continue;
                }
                let mut demands: Vec<MetBy> = Vec::new();
                for meaning in Rc::clone(&universe.wording(id)?.meanings).iter() {
                    let Meaning::Requires(requirement) = meaning else { continue };
                    let names = match met.get(&requirement.number) {
                        Some(known) => Rc::clone(known),
                        None => {
                            let entries = candidates.of(universe, requirement, id)?;
                            let name = |it: &EntryId| {
                                tally::step(1);
                                (universe.bundle(*it).package.clone(), universe.entry(*it).fields.name.clone())
                            };
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
}

/// The first entry of each bundle of a package in each catalog, the default channel first.
fn first_entries(universe: &mut Universe<'_>, package: &str) -> Result<FirstEntries, Failure> {
    let mut found = FirstEntries::new();
    for channel in default_first(universe, package)?.into_iter().map(|it| universe.channel(it)) {
        for &id in &channel.entries {
            tally::step(1);
            found.entry(universe.entry(id).fields.name.clone()).or_default().entry(channel.catalog).or_insert(id);
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
pub(super) type MetBy = (String, Rc<[(String, String)]>);

/// The demands of the bundle of an entry.
fn of_entry(universe: &mut Universe<'_>, candidates: &mut Candidates, id: EntryId) -> Result<BundleDemands, Failure> {
    let demands = each_demand(universe, id, |universe, requirement, _| {
        let found = candidates.of(universe, requirement, id)?;
        Ok(found.iter().map(|it| named(universe, *it)).collect())
    })?;
    Ok(BundleDemands { bundle: named(universe, id), demands })
}

/// The same with summaries.
fn needs_of(
    universe: &mut Universe<'_>,
    candidates: &mut Candidates,
    id: EntryId,
    known: &mut Met,
) -> Result<BundleNeeds, Failure> {
    let needs = each_demand(universe, id, |universe, requirement, property| {
        if let Some(met) = known.get(&property) {
            return Ok(Rc::clone(met));
        }
        let found = candidates.of(universe, requirement, id)?;
        let packages = found.iter().map(|it| named(universe, *it).package).collect::<Vec<_>>();
        let first = found.first().map(|it| named(universe, *it));
        let met = Rc::new(Providers::of(first, packages.iter().map(String::as_str)));
        known.insert(property, Rc::clone(&met));
        Ok(met)
    })?;
    Ok(BundleNeeds { bundle: named(universe, id), needs })
}

/// The demands of the bundle of an entry, with what `meet` finds for each.
fn each_demand<'u, M: Default + PartialEq>(
    universe: &mut Universe<'u>,
    id: EntryId,
    mut meet: impl FnMut(&mut Universe<'u>, &Rc<Requirement>, Property) -> Result<M, Failure>,
) -> Result<Vec<Demand<M>>, Failure> {
    let mut demands = Once::default();
    let wording = universe.wording(id)?;
    let (properties, meanings) = (wording.properties.clone(), Rc::clone(&wording.meanings));
    for (property, meaning) in properties.into_iter().zip(meanings.iter()) {
        let (text, message, met, is_all) = match meaning {
            Meaning::Requires(it) => (it.plain.clone(), it.message.clone(), meet(universe, it, property)?, it.is_all()),
            Meaning::Broken(error) => (error.to_string(), String::new(), M::default(), false),
            _ => continue,
        };
        let (is_broken, place) = (matches!(meaning, Meaning::Broken(_)), place_of(universe, id, meaning));
        demands.add(text.clone(), Demand { text, message, met, is_broken, is_all, place });
    }
    Ok(demands.all)
}

/// The place where a bundle states a demand.
fn place_of(universe: &Universe<'_>, id: EntryId, meaning: &Meaning) -> Place {
    match meaning {
        Meaning::Requires(requirement) => universe.place_of_demand(id, requirement),
        Meaning::Broken(error) => {
            universe.place_of_meaning(id, |it| matches!(it, Meaning::Broken(it) if Rc::ptr_eq(it, error)))
        }
        _ => Place::default(),
    }
}

/// Things in their order, each once: a file-based catalog's server says every demand twice.
struct Once<T> {
    all: Vec<T>,
    by_text: HashMap<String, Vec<usize>>,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self { all: Vec::new(), by_text: HashMap::new() }
    }
}

impl<T: PartialEq> Once<T> {
    fn add(&mut self, text: String, new: T) {
        let same = self.by_text.entry(text).or_default();
        if same.iter().filter_map(|it| self.all.get(*it)).all(|it| *it != new) {
            same.push(self.all.len());
            self.all.push(new);
        }
    }
}

/// Whether a bundle of the catalogs meets a constraint, the value of an `olm.constraint`. `None` if that cannot be
/// decided: the constraint cannot be read, or it takes more steps than allowed.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn is_met(
    world: &World,
    rows: &dyn Rows,
    options: &Options,
    constraint: &str,
) -> Result<Option<(String, bool)>, IndexError> {
    let mut universe = Universe::new(world, rows, Vec::new(), budget(options.steps));
    let Meaning::Requires(requirement) = read("olm.constraint", constraint, 0) else { return Ok(None) };
    Ok(universe.meeting(&requirement)?.ok().map(|it| (requirement.plain.clone(), !it.is_empty())))
}

/// The entries of a bundle in each catalog, the default channel first.
fn entries(universe: &mut Universe<'_>, package: &str, bundle: &str) -> Result<BTreeMap<usize, Vec<EntryId>>, Failure> {
    let mut found: BTreeMap<usize, Vec<EntryId>> = BTreeMap::new();
    for channel in default_first(universe, package)?.into_iter().map(|it| universe.channel(it)) {
        let entries = channel.entries.iter().copied().filter(|it| universe.entry(*it).fields.name == bundle);
        found.entry(channel.catalog).or_default().extend(entries);
    }
    Ok(found)
}

/// A single demand may take one part in `SHARE` of the steps while enough are left, and one part in `SMALL_SHARE` after
/// that.
const SHARE: u64 = 10;
const SMALL_SHARE: u64 = 1000;

/// The bundles of `packages` that demand something that a bundle meets, in any of the catalogs; by catalog, package and
/// bundle. Also the demands for which deciding that takes too much work.
///
/// # Errors
/// The errors of [`demands`].
pub fn demanders(
    world: &World,
    rows: &dyn Rows,
    options: &Options,
    package: &str,
    bundle: &str,
    packages: &[String],
) -> Result<(Vec<Demander>, Vec<Overwork>), Failure> {
    let mut universe = Universe::new(world, rows, Vec::new(), budget(options.steps));
    let targets = entries(&mut universe, package, bundle)?.into_values().flatten().collect();
    let mut meeting = Meeting { targets, steps: options.steps, spent: 0, known: BTreeMap::new(), left_out: Vec::new() };
    // By catalog, package, bundle and text.
    let mut found: BTreeMap<[String; 4], Demander> = BTreeMap::new();
    for package in packages {
        for channel in universe.package(package)? {
            let ids = universe.channel(channel).entries.clone();
            universe.learn(&ids)?;
            for id in ids {
                for meaning in Rc::clone(&universe.wording(id)?.meanings).iter() {
                    let Meaning::Requires(requirement) = meaning else { continue };
                    if !meeting.meets(&mut universe, requirement, id)? {
                        continue;
                    }
                    let (bundle, text) = (named(&universe, id), requirement.plain.clone());
                    let key = [&bundle.catalog, package, &bundle.name, &text].map(String::clone);
                    let channel = bundle.channel.clone();
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
    Ok((found.into_values().collect(), meeting.left_out))
}

/// Which requirements some entries meet.
struct Meeting {
    targets: Vec<EntryId>,
    /// The steps for all requirements, and those that were taken.
    steps: u64,
    spent: u64,
    /// By the number of the requirement.
    known: BTreeMap<usize, bool>,
    /// The requirements that take too much work.
    left_out: Vec<Overwork>,
}

impl Meeting {
    fn meets(&mut self, universe: &mut Universe<'_>, requirement: &Requirement, id: EntryId) -> Result<bool, Failure> {
        if let Some(known) = self.known.get(&requirement.number) {
            return Ok(*known);
        }
        // One demand must not use up the steps that the others need.
        let share = if self.spent < self.steps { SHARE } else { SMALL_SHARE };
        let limit = (self.steps / share).max(1);
        universe.budget.refill(limit);
        let is_met = match universe.matches(requirement, id) {
            Ok(matches) => self.targets.iter().any(|target| matches.binary_search(target).is_ok()),
            Err(Failure::Work(overwork)) => {
                universe.budget.refill(0);
                self.left_out.push(*overwork);
                false
            }
            Err(error) => return Err(error),
        };
        self.spent = self.spent.saturating_add(limit - universe.budget.steps_left());
        self.known.insert(requirement.number, is_met);
        Ok(is_met)
    }
}
