//! One resolution of a namespace: from the world to the operators that OLM installs, or the reason why it cannot.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::conflict::{Conflict, ConflictFact, Named, facts, named};
use super::failure::Failure;
use super::installed::installed;
use super::otherwise::otherwise;
use super::preference::{Preference, decisive};
use super::rows::{Rows, World};
use super::universe::{EntryId, Universe};
use super::variables::{Reason, Stands, Variables, variables};
use crate::solve::{Answer, Choice, Constraint, Limits, Solution, Var, solve};
use olmdex_base::diag::Place;
use olmdex_constraint::cel::budget;
use olmdex_fbc::Property;
use olmdex_rules::cluster::Subscription;

/// The limits on the cost of a resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Limits of the search.
    pub limits: Limits,
    /// Steps that rules and compound constraints may take, all together.
    pub steps: u64,
    /// Whether installed operators are looked at before the Subscriptions, as OLM may do: it takes them in random
    /// order.
    pub installed_first: bool,
    /// Whether to find out why Subscriptions do not get the best that there is, and why providers are preferred to
    /// others.
    pub explains: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { limits: Limits::default(), steps: 100_000_000, installed_first: false, explains: false }
    }
}

/// The result of a resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The operators that OLM installs, possibly none.
    Resolved(Resolution),
    /// It cannot be.
    Unsatisfiable(Conflict),
}

/// The operators that OLM installs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolution {
    /// The operators, in the order in which they were chosen.
    pub operators: Vec<Operator>,
    /// The operators that stay as they are, by name.
    pub kept: Vec<RetainedOperator>,
    /// Subscriptions that do not get the best that there is, and why; only if asked for.
    pub behind: Vec<Behind>,
    /// Whether only a search showed that a preferred candidate is impossible. There OLM's own search may go wrong.
    pub is_searched: bool,
    /// The other answers that OLM's own search may come to, because it takes guesses back and does not begin anew: each
    /// operator with its channel and the place of its catalog; only if asked for.
    pub otherwise: Vec<BTreeSet<(String, String, usize)>>,
    /// Warnings about input that OLM accepts although its documentation does not, or although its effect is not what it
    /// seems.
    pub warnings: Vec<String>,
}

/// An operator that is to be installed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "OperatorAnswer")]
pub struct Operator {
    /// Name of the bundle.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its package.
    pub package: String,
    /// The channel that it is taken from.
    pub channel: String,
    /// The catalog.
    pub catalog: String,
    /// The namespace of the catalog.
    pub catalog_namespace: String,
    /// The place of the catalog in the world.
    #[serde(skip)]
    pub catalog_at: usize,
    /// The bundle that it replaces, or empty. OLM takes that from the catalog even if nothing was installed.
    pub replaces: String,
    /// Whether it replaces something installed.
    pub is_upgrade: bool,
    /// Its name, if a Subscription asks to start with it; otherwise empty.
    #[serde(skip)]
    pub starting: String,
    /// Whether the channel is the default one.
    #[serde(skip)]
    pub is_default_channel: bool,
    /// Its properties in the form of the annotation on the installed object.
    #[serde(skip)]
    pub properties: Vec<Property>,
    /// Its image.
    pub image: String,
    /// The reason why it is there.
    pub because: Vec<Because>,
    /// The place where it is written.
    #[serde(flatten)]
    pub place: Place,
}

/// A Subscription that does not get the best that there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behind {
    /// Its name.
    pub subscription: String,
    /// The bundle that it gets or keeps.
    pub gets: String,
    /// The bundle that it prefers.
    pub wanted: Named,
    /// The facts that forbid that, as far as they say anything.
    pub facts: Vec<ConflictFact>,
    /// Whether it would be possible without the earlier choices: OLM may choose otherwise.
    pub is_choice: bool,
}

/// An installed operator that stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "KeptAnswer")]
pub struct RetainedOperator {
    /// Its name.
    pub name: String,
    /// Its version, or empty.
    pub version: String,
    /// The reason why it stays.
    pub because: Vec<Because>,
}

/// Candidates that were not taken, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Preferred {
    /// The deciding criterion.
    pub by: Preference,
    /// The candidates, the preferred ones first.
    pub operators: Vec<Named>,
}

/// The reason why an operator is there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BecauseAnswer")]
pub struct Because {
    /// The Subscription that asks for it, or empty.
    pub subscription: String,
    /// The operator that requires it, or empty.
    pub required_by: String,
    /// The requirement of that operator, in plain words.
    pub requirement: String,
    /// The message of the requirement's author, or empty.
    pub message: String,
    /// The place where the requirement is written; no file if there is none.
    #[serde(flatten)]
    pub place: Place,
    /// The number of preferred candidates that were refused.
    pub passed_over: usize,
    /// Whether the operator was there already for another reason, and also meets this requirement.
    pub is_shared: bool,
    /// The candidates that are preferred to it, and were not taken.
    pub passed_over_operators: Vec<Named>,
    /// The candidates that it is preferred to, by criterion.
    pub preferred_to: Vec<Preferred>,
}

impl Because {
    /// Whether another reason is the same for people, wherever it is written.
    fn says(&self, other: &Self) -> bool {
        (&self.subscription, &self.required_by, self.passed_over)
            == (&other.subscription, &other.required_by, other.passed_over)
            && (&self.requirement, &self.message) == (&other.requirement, &other.message)
    }
}

/// Resolves a namespace.
///
/// ```
/// use std::sync::Arc;
///
/// use olmdex_rules::cluster::Subscription;
/// use olmdex_fbc::Input;
/// use olmdex_index::{Builder, CatalogSpec, Mode};
/// use olmdex_olm::resolve::{Catalog, IndexRows, Options, Verdict, World, resolve};
///
/// let till = r#"
///     {"schema": "olm.package", "name": "till", "defaultChannel": "stable"}
///     {"schema": "olm.channel", "package": "till", "name": "stable", "entries": [{"name": "till.v1.0.0"}]}
///     {"schema": "olm.bundle", "package": "till", "name": "till.v1.0.0", "image": "example.com/till:1.0.0", "properties": [
///         {"type": "olm.package", "value": {"packageName": "till", "version": "1.0.0"}},
///         {"type": "olm.package.required", "value": {"packageName": "ledger", "versionRange": ">=1.0.0"}}]}
/// "#;
/// let mut builder = Builder::in_memory();
/// let spec = CatalogSpec { name: "shop".to_owned(), ..CatalogSpec::default() };
/// builder.add_catalog(&spec, &Input::bytes("till.json", Arc::from(till.as_bytes())), Mode::Strict)?;
/// let index = builder.into_index()?;
///
/// let world = World {
///     namespace: "olm".to_owned(),
///     catalogs: vec![Catalog { name: "shop".to_owned(), namespace: "olm".to_owned(), ..Catalog::default() }],
///     subscriptions: vec![Subscription {
///         name: "till".to_owned(),
///         package: "till".to_owned(),
///         source: "shop".to_owned(),
///         source_namespace: "olm".to_owned(),
///         ..Subscription::default()
///     }],
///     ..World::default()
/// };
/// let Verdict::Unsatisfiable(conflict) = resolve(&world, &IndexRows::new(&index, &world), &Options::default())? else {
///     panic!("nobody provides the ledger");
/// };
/// let facts: Vec<&str> = conflict.facts.iter().map(|fact| fact.message.as_str()).collect();
/// assert_eq!(facts[0], "subscription till exists");
/// assert!(facts.contains(
///     &"bundle till.v1.0.0 requires an operator with package: ledger and with version in range: >=1.0.0"
/// ));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors with which OLM stops before an answer; and if a limit is reached.
pub fn resolve(world: &World, rows: &dyn Rows, options: &Options) -> Result<Verdict, Failure> {
    let mut failures = world.failures();
    let installed = match installed(world) {
        Ok(installed) => installed,
        Err(failure) => {
            failures.push(failure);
            Vec::new()
        }
    };
    if let Some(failure) = Failure::joined(failures.into_iter().map(Failure::Refused).collect()) {
        return Err(failure);
    }
    let mut universe = Universe::new(world, rows, installed, budget(options.steps));
    let variables = variables(&mut universe, options.installed_first)?;
    match solve(&variables.problem, &options.limits)? {
        Answer::Satisfiable(solution) => {
            let mut resolution = resolution(&universe, &variables, &solution, options.explains)?;
            if options.explains {
                resolution.behind = behind(&universe, &variables, &solution, &options.limits)?;
                resolution.otherwise = otherwise(&universe, &variables, &solution, &options.limits);
            }
            Ok(Verdict::Resolved(resolution))
        }
        Answer::Unsatisfiable(core) => Ok(Verdict::Unsatisfiable(Conflict::new(&universe, &variables, &core))),
    }
}

fn resolution(
    universe: &Universe<'_>,
    variables: &Variables,
    solution: &Solution,
    explains: bool,
) -> Result<Resolution, Failure> {
    let mut resolution = Resolution {
        warnings: universe.warnings.clone(),
        is_searched: solution.choices.iter().any(|it| it.is_searched),
        ..Resolution::default()
    };
    let mut failures = Vec::new();
    for var in &solution.chosen {
        let Stands::Entry(ids) = variables.stands(*var) else { continue };
        let Some(&id) = ids.first() else { continue };
        let because = because(universe, variables, solution, *var, explains);
        let Some(channel) = universe.channel_of(id) else {
            let version = universe.installed_of(id).map(|it| world_version(universe, it.csv)).unwrap_or_default();
            resolution.kept.push(RetainedOperator { name: universe.entry(id).fields.name.clone(), version, because });
            continue;
        };
        let identifier = universe.identifier(id);
        if identifier.split('/').count() != 4 {
            let what = "error determining origin of operator: unable to parse identifier";
            failures.push(Failure::Refused(format!("{what} {identifier} for source info")));
            continue;
        }
        let n_copies = universe.copies(id)?;
        if n_copies != 1 {
            failures.push(Failure::Refused(format!("expected exactly one operator, got {n_copies}")));
            continue;
        }
        let (entry, bundle) = (universe.entry(id), universe.bundle(id));
        let replaced = variables.replaces.get(&id).map(|it| universe.entry(*it).fields.name.clone());
        let asks = |it: &Subscription| it.starting == entry.fields.name && !world_has(universe, &it.installed);
        let is_asked_for = universe.world.subscriptions.iter().any(asks);
        let replaces = replaced.unwrap_or_else(|| entry.fields.replaces.clone());
        let catalog = universe.world.catalogs.get(channel.catalog).cloned().unwrap_or_default();
        resolution.operators.push(Operator {
            name: entry.fields.name.clone(),
            version: bundle.version.as_ref().map(ToString::to_string).unwrap_or_default(),
            package: channel.package.clone(),
            channel: channel.name.clone(),
            catalog: catalog.name,
            catalog_namespace: catalog.namespace,
            catalog_at: channel.catalog,
            is_upgrade: universe.world.installed.iter().any(|csv| csv.name == replaces && !csv.is_copied),
            replaces,
            image: bundle.image().to_owned(),
            starting: if is_asked_for { entry.fields.name.clone() } else { String::new() },
            is_default_channel: channel.is_default,
            properties: universe.wording(id)?.properties.clone(),
            place: bundle.place().clone(),
            because,
        });
    }
    resolution.kept.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    match Failure::joined(failures) {
        Some(failure) => Err(failure),
        None => Ok(resolution),
    }
}

/// The Subscriptions that do not get the first of their candidates, each with the reason against that one.
fn behind(
    universe: &Universe<'_>,
    variables: &Variables,
    solution: &Solution,
    limits: &Limits,
) -> Result<Vec<Behind>, Failure> {
    let mut behind = Vec::new();
    for choice in &solution.choices {
        let Some(fact) = choice.fact.filter(|_| choice.place > 0) else { continue };
        let Reason::Subscribed(idx, _) = variables.reason(fact) else { continue };
        let Constraint::Dependency(candidates) = variables.problem.constraint(fact) else { continue };
        let Some(best) = candidates.first().copied() else { continue };
        let (Some(wanted), Some(gets)) = (variables.first_entry(best), variables.first_entry(choice.taken)) else {
            continue;
        };
        let mut wanting = variables.wanting(&[best]);
        let mut core = solve(&wanting.problem, limits)?;
        let is_choice = matches!(core, Answer::Satisfiable(_));
        if is_choice {
            // In this case the earlier choices stand in the way.
            let before = solution.chosen.iter().copied().take_while(|it| *it != choice.taken);
            wanting = variables.wanting(&before.chain([best]).collect::<Vec<Var>>());
            core = solve(&wanting.problem, limits)?;
        }
        let Answer::Unsatisfiable(core) = core else { continue };
        behind.push(Behind {
            subscription: universe.world.subscriptions[*idx].name.clone(),
            gets: universe.entry(gets).fields.name.clone(),
            wanted: named(universe, wanted),
            facts: facts(universe, &wanting, &core),
            is_choice,
        });
    }
    Ok(behind)
}

/// The version that an installed operator says it has.
fn world_version(universe: &Universe<'_>, csv: usize) -> String {
    universe.world.installed.get(csv).map(|it| it.version.clone()).unwrap_or_default()
}

/// Whether something of that name is installed.
fn world_has(universe: &Universe<'_>, name: &str) -> bool {
    !name.is_empty() && universe.installed.iter().any(|it| it.name == name)
}

fn because(
    universe: &Universe<'_>,
    variables: &Variables,
    solution: &Solution,
    var: Var,
    explains: bool,
) -> Vec<Because> {
    let mut because: Vec<Because> = Vec::new();
    for choice in solution.choices.iter().filter(|it| it.taken == var) {
        let reason = match choice.fact {
            // It is installed, and no Subscription refers to it.
            None => Because::default(),
            Some(fact) => match variables.reason(fact) {
                Reason::Subscribed(idx, _) => Because {
                    subscription: universe.world.subscriptions[*idx].name.clone(),
                    passed_over: choice.place,
                    ..Because::default()
                },
                Reason::Requires(by, requirement) => Because {
                    required_by: name_of(universe, *by),
                    requirement: requirement.plain.clone(),
                    message: requirement.message.clone(),
                    place: universe.place_of_demand(*by, requirement),
                    passed_over: choice.place,
                    ..match variables.problem.constraint(fact) {
                        Constraint::Dependency(candidates) if explains => {
                            provision(universe, variables, choice, *by, candidates)
                        }
                        _ => Because::default(),
                    }
                },
                _ => continue,
            },
        };
        // A file-based catalog says every demand twice, at two places.
        if !because.iter().any(|known| known.says(&reason)) {
            because.push(reason);
        }
    }
    because
}

/// Compares the chosen bundle with the other candidates of a demand of `by`: the part of the reason that says why this
/// bundle meets it, and no other.
fn provision(
    universe: &Universe<'_>,
    variables: &Variables,
    choice: &Choice,
    by: EntryId,
    candidates: &[Var],
) -> Because {
    let entries: Vec<EntryId> = candidates.iter().filter_map(|it| variables.first_entry(*it)).collect();
    let mut reason = Because {
        is_shared: !choice.is_new,
        passed_over_operators: entries.iter().take(choice.place).map(|it| named(universe, *it)).collect(),
        ..Because::default()
    };
    let Some(taken) = entries.get(choice.place).copied().filter(|_| choice.is_new) else { return reason };
    let own = universe.channel_of(by).map(|it| it.catalog);
    let mut by_preference: BTreeMap<Preference, Vec<Named>> = BTreeMap::new();
    for other in entries.iter().skip(choice.place + 1).filter(|it| **it != taken) {
        by_preference.entry(decisive(universe, taken, *other, own)).or_default().push(named(universe, *other));
    }
    reason.preferred_to = by_preference.into_iter().map(|(by, operators)| Preferred { by, operators }).collect();
    reason
}

fn name_of(universe: &Universe<'_>, id: EntryId) -> String {
    universe.entry(id).fields.name.clone()
}
