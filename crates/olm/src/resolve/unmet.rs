//! The demands of the bundles of whole catalogs that nothing meets: each demand once for all versions of a package that
//! make it, with the first version that made it, and with the bundles that come nearest to meeting it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::failure::{Failure, Overwork};
use super::resolution::Options;
use super::rows::{Rows, World};
use super::universe::{EntryId, Universe};
use olmdex_base::diag::Place;
use olmdex_constraint::cel::budget;
use olmdex_constraint::property::{Meaning, Requirement};
use olmdex_constraint::tree::Condition;
use olmdex_version::Version;

/// A demand that nothing meets, of a package in a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnmetDemand {
    /// The catalog: its place in [`World::catalogs`].
    pub catalog: usize,
    /// The package.
    pub package: String,
    /// The demand, in plain words; or the error in it.
    pub text: String,
    /// The message of the demand's author, or empty.
    pub message: String,
    /// Whether it cannot be read. OLM then resolves nothing that has the bundle within reach.
    pub is_broken: bool,
    /// Whether each of its parts is met, but not by one bundle.
    pub is_scattered: bool,
    /// The bundles that make it, the lowest version first.
    pub bundles: Vec<DemandingBundle>,
    /// The channels whose head is one of them, by name.
    pub heads: Vec<String>,
    /// Packages that come near.
    pub near: Vec<NearProvider>,
    /// The package that is demanded, where a package is and no catalog has it.
    pub absent: Option<String>,
    /// The place where the first of the bundles makes it.
    pub place: Place,
}

/// A bundle that makes a demand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DemandingBundle {
    /// Its name.
    pub name: String,
    /// Its version, or empty.
    pub version: String,
}

/// A package that provides an API in another version, or has another version than the demanded one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NearProvider {
    /// The catalog: its place in [`World::catalogs`].
    pub catalog: usize,
    /// The package.
    pub package: String,
    /// The versions of the API that it provides, if an API is demanded.
    pub api_versions: Vec<String>,
    /// The lowest and the highest of its versions, if the package is demanded.
    pub versions: Option<(String, String)>,
}

/// All demands that nothing meets, and those for which that cannot be decided.
#[derive(Debug, Default)]
pub struct Unmet {
    /// By catalog, package and the version that made the demand first.
    pub demands: Vec<UnmetDemand>,
    /// The demands that take too much work.
    pub left_out: Vec<(UnmetDemand, Overwork)>,
    /// The number of different demands that were looked at.
    pub n_demands: usize,
}

/// A single demand may take one part in `SHARE` of the steps while enough are left, and one part in `SMALL_SHARE` after
/// that.
const SHARE: u64 = 10;
const SMALL_SHARE: u64 = 1000;

/// A demand of a package, on the way to an [`UnmetDemand`].
struct Open {
    demand: UnmetDemand,
    requirement: Option<Rc<Requirement>>,
    overwork: Option<Overwork>,
    /// With the version of each, by which they are sorted.
    bundles: BTreeMap<(Option<Version>, String), EntryId>,
}

/// A demand of a package in a catalog: the catalog, the package, its words and its message.
type Key = (usize, String, String, String);

/// The demands of all bundles in channels of a world's catalogs that no bundle in a channel of them meets.
///
/// # Errors
/// If the catalogs cannot be read.
pub fn unmet(world: &World, rows: &dyn Rows, options: &Options) -> Result<Unmet, Failure> {
    let mut universe = Universe::new(world, rows, Vec::new(), budget(options.steps));
    let mut judge = Judge { steps: options.steps, spent: 0, known: HashMap::new() };
    let mut open: BTreeMap<Key, Open> = BTreeMap::new();
    let mut heads: BTreeSet<(String, EntryId)> = BTreeSet::new();
    for package in rows.all()? {
        for channel in universe.package(&package)? {
            let ids = universe.channel(channel).entries.clone();
            universe.learn(&ids)?;
            if let Some(head) = universe.order(channel).ok().and_then(|it| it.first().copied()) {
                heads.insert((universe.channel(channel).name.clone(), head));
            }
            let catalog = universe.channel(channel).catalog;
            for id in ids {
                for meaning in Rc::clone(&universe.wording(id)?.meanings).iter() {
                    let Some(found) = judge.open(&mut universe, id, meaning)? else { continue };
                    let key = (catalog, package.clone(), found.demand.text.clone(), found.demand.message.clone());
                    let it = open.entry(key).or_insert(found);
                    let bundle = universe.bundle(id);
                    it.bundles.entry((bundle.version.clone(), universe.entry(id).fields.name.clone())).or_insert(id);
                }
            }
        }
    }
    let heads_of = heads_of(&universe, heads);
    let near = Near::of(&universe)?;
    let mut answer = Unmet { n_demands: judge.known.len(), ..Unmet::default() };
    for ((catalog, package, ..), found) in open {
        let Open { demand, requirement, overwork, bundles } = found;
        let Some((_, &first)) = bundles.first_key_value() else { continue };
        let mut demand = UnmetDemand { catalog, package, ..demand };
        for (version, name) in bundles.keys() {
            let version = version.as_ref().map(ToString::to_string).unwrap_or_default();
            demand.bundles.push(DemandingBundle { name: name.clone(), version });
        }
        let channels = bundles.keys().filter_map(|it| heads_of.get(&(catalog, demand.package.clone(), it.1.clone())));
        demand.heads = channels.flatten().cloned().collect::<BTreeSet<String>>().into_iter().collect();
        match &requirement {
            Some(requirement) => {
                demand.place = universe.place_of_demand(first, requirement);
                judge.look_near(&mut universe, &near, requirement, &mut demand)?;
            }
            None => demand.place = universe.place_of_meaning(first, |it| is_broken_so(it, &demand.text)),
        }
        match overwork {
            None => answer.demands.push(demand),
            Some(overwork) => answer.left_out.push((demand, overwork)),
        }
    }
    let by_version = |it: &UnmetDemand| {
        let version = it.bundles.first().and_then(|it| Version::parse_tolerant(&it.version).ok());
        (it.catalog, it.package.clone(), version)
    };
    answer.demands.sort_by_cached_key(by_version);
    Ok(answer)
}

fn is_broken_so(meaning: &Meaning, words: &str) -> bool {
    matches!(meaning, Meaning::Broken(error) if error.to_string() == words)
}

/// The channels whose head is a bundle, by catalog, package and name of the bundle.
fn heads_of(
    universe: &Universe<'_>,
    heads: BTreeSet<(String, EntryId)>,
) -> HashMap<(usize, String, String), Vec<String>> {
    let mut found: HashMap<(usize, String, String), Vec<String>> = HashMap::new();
    for (channel, id) in heads {
        let catalog = universe.channel_of(id).map(|it| it.catalog).unwrap_or_default();
        let key = (catalog, universe.bundle(id).package.clone(), universe.entry(id).fields.name.clone());
        found.entry(key).or_default().push(channel);
    }
    found
}

/// The result for a demand.
#[derive(Clone)]
enum DemandOutcome {
    Met,
    Nothing,
    TooMuch(Box<Overwork>),
}

/// Asks about each demand once.
struct Judge {
    steps: u64,
    spent: u64,
    known: HashMap<usize, DemandOutcome>,
}

impl Judge {
    /// Starts an answer, unless a meaning is no demand or is met.
    fn open(&mut self, universe: &mut Universe<'_>, id: EntryId, meaning: &Meaning) -> Result<Option<Open>, Failure> {
        let demand = |text: String, message: String, is_broken: bool| UnmetDemand {
            text,
            message,
            is_broken,
            ..UnmetDemand::default()
        };
        Ok(match meaning {
            Meaning::Requires(requirement) => {
                let overwork = match self.ask(universe, id, requirement)? {
                    DemandOutcome::Met => return Ok(None),
                    DemandOutcome::Nothing => None,
                    DemandOutcome::TooMuch(overwork) => Some(*overwork),
                };
                let demand = demand(requirement.plain.clone(), requirement.message.clone(), false);
                let requirement = Some(Rc::clone(requirement));
                Some(Open { demand, requirement, overwork, bundles: BTreeMap::new() })
            }
            Meaning::Broken(error) => {
                let demand = demand(error.to_string(), String::new(), true);
                Some(Open { demand, requirement: None, overwork: None, bundles: BTreeMap::new() })
            }
            _ => None,
        })
    }

    fn ask(&mut self, universe: &mut Universe<'_>, id: EntryId, it: &Requirement) -> Result<DemandOutcome, Failure> {
        if let Some(known) = self.known.get(&it.number) {
            return Ok(known.clone());
        }
        let found = match self.meeting(universe, it)? {
            Ok(met) if met => DemandOutcome::Met,
            Ok(_) => DemandOutcome::Nothing,
            Err(error) => DemandOutcome::TooMuch(Box::new(Overwork {
                error,
                operator: universe.entry(id).fields.name.clone(),
                demand: it.shortened(),
                place: universe.place_of_demand(id, it),
            })),
        };
        self.known.insert(it.number, found.clone());
        Ok(found)
    }

    /// Whether something meets a requirement. One demand must not use up the steps that the others need.
    fn meeting(
        &mut self,
        universe: &mut Universe<'_>,
        requirement: &Requirement,
    ) -> Result<Result<bool, olmdex_base::budget::Exhausted>, Failure> {
        let share = if self.spent < self.steps { SHARE } else { SMALL_SHARE };
        let limit = (self.steps / share).max(1);
        universe.budget.refill(limit);
        let met = universe.meeting(requirement)?;
        let left = if met.is_err() { 0 } else { universe.budget.steps_left() };
        self.spent = self.spent.saturating_add(limit - left);
        Ok(met.map(|it| !it.is_empty()))
    }

    /// Notes the bundles that come near to meeting the parts that nothing meets.
    fn look_near(
        &mut self,
        universe: &mut Universe<'_>,
        near: &Near,
        requirement: &Requirement,
        demand: &mut UnmetDemand,
    ) -> Result<(), Failure> {
        let (mut n_leaves, mut n_met) = (0, 0);
        for (idx, leaf) in requirement.tree.nodes.iter().enumerate() {
            if matches!(leaf, Condition::All(_) | Condition::Any(_) | Condition::Not(_)) {
                continue;
            }
            n_leaves += 1;
            let is_whole = requirement.tree.nodes.len() == 1;
            if !is_whole && self.meeting(universe, &requirement.part(idx))? == Ok(true) {
                n_met += 1;
                continue;
            }
            match leaf {
                Condition::Api(api) => {
                    let of_kind = near.of_kind.get(&(api.group.clone(), api.kind.clone())).into_iter().flatten();
                    demand.near.extend(of_kind.map(|((catalog, package), versions)| NearProvider {
                        catalog: *catalog,
                        package: package.clone(),
                        api_versions: versions.iter().cloned().collect(),
                        versions: None,
                    }));
                }
                Condition::Package { name, .. } => match near.of_package.get(name) {
                    None => demand.absent = Some(name.clone()),
                    Some(all) => demand.near.extend(all.iter().map(|(catalog, (lowest, highest))| NearProvider {
                        catalog: *catalog,
                        package: name.clone(),
                        api_versions: Vec::new(),
                        versions: Some((lowest.to_string(), highest.to_string())),
                    })),
                },
                _ => {}
            }
        }
        demand.near.sort();
        demand.near.dedup();
        demand.is_scattered = n_leaves > 1 && n_met == n_leaves;
        Ok(())
    }
}

/// Packages with the versions of an API, by catalog.
type OfKind = BTreeMap<(usize, String), BTreeSet<String>>;

/// The content of the catalogs, by what a demand may ask for.
struct Near {
    of_kind: HashMap<(String, String), OfKind>,
    /// The lowest and the highest version in each catalog.
    of_package: HashMap<String, BTreeMap<usize, (Version, Version)>>,
}

impl Near {
    /// Collects it from everything that was read.
    fn of(universe: &Universe<'_>) -> Result<Self, Failure> {
        let mut near = Self { of_kind: HashMap::new(), of_package: HashMap::new() };
        for id in universe.all_entries() {
            let Some(catalog) = universe.channel_of(id).map(|it| it.catalog) else { continue };
            let bundle = universe.bundle(id);
            if let Some(version) = &bundle.version {
                let of_package = near.of_package.entry(bundle.package.clone()).or_default();
                let (lowest, highest) = of_package.entry(catalog).or_insert_with(|| (version.clone(), version.clone()));
                if *version < *lowest {
                    lowest.clone_from(version);
                }
                if *version > *highest {
                    highest.clone_from(version);
                }
            }
            for meaning in universe.wording(id)?.meanings.iter() {
                let Meaning::Provides(api) = meaning else { continue };
                let of_kind = near.of_kind.entry((api.group.clone(), api.kind.clone())).or_default();
                let versions = of_kind.entry((catalog, bundle.package.clone())).or_default();
                if !versions.contains(&api.version) {
                    versions.insert(api.version.clone());
                }
            }
        }
        Ok(near)
    }
}
