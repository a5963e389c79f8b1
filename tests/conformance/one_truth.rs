//! The worlds of `classic/` and `classic-fuzz/` as clusters: `diagnose`, `updates`, `why-not`, `path` and `plan` must
//! promise what the real resolver does, and agree with each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use olmdex::ask::{
    AskError, CompatQuestion, DiagnoseQuestion, FleetAsker, FleetQuestion, NamespaceQuestion, OlmSet, PathQuestion,
    Question as _, State, UpdatesQuestion, UpgradeOptions, WhyNotQuestion, plan_of,
};
use olmdex::calendar::Day;
use olmdex::cluster::{CatalogSource, Cluster, ClusterServiceVersion, OperatorGroup};
use olmdex::fbc::{Input, Property};
use olmdex::fleet::FleetVerdict;
use olmdex::index::{Builder, CatalogSpec, LightIndex, Mode};
use olmdex::namespace::{Effect, NamespaceState, Obstacle, OperatorStanding};
use olmdex::openshift::{SupportLevel, coerce};
use olmdex::plan::{PlanBasis, PlanCatalog, PlanVerdict, PlanWish, StepKind};
use olmdex::resolve::{IndexRows, Options, World, generations_until};
use olmdex::upgrade::v1::Gates;
use olmdex::upgrade::{Move, Stay, Updates, UpgradePath, Verdict};
use serde_json::Value;

use crate::outcome::{Case, Folder, Outcome, entries};
use crate::resolution::Namespace;

pub(crate) const FOLDER: Folder = Folder { name: "classic/one-truth", run };

fn run(root: &Path) -> Vec<Case> {
    let read = |path: &Path| -> Option<Value> { serde_json::from_slice(&fs::read(path).ok()?).ok() };
    let mut cases = Vec::new();
    for folder in ["classic", "classic-fuzz"] {
        for (name, path) in entries(&root.join(folder).join("in"), "", ".json") {
            cases.push(Case::run(format!("{folder}/{name}#one-truth"), || {
                let (Some(input), Some(expected)) = (read(&path), read(&root.join(folder).join("out").join(&name)))
                else {
                    return Outcome::NotRunnable("no input or no answer".to_owned());
                };
                match Namespace::new(root, &input) {
                    Ok(case) if case.plain.is_some() => Outcome::NotRunnable("a catalog that is no FBC".to_owned()),
                    Ok(case) => compared(&case, &expected),
                    Err(why) => Outcome::NotRunnable(why),
                }
            }));
        }
    }
    cases
}

/// A cluster whose objects make the world.
fn cluster_of(world: &World) -> Cluster {
    let mut cluster = Cluster::default();
    let namespace = &world.namespace;
    for subscription in &world.subscriptions {
        let mut subscription = subscription.clone();
        subscription.namespace.clone_from(namespace);
        cluster.subscriptions.push(subscription);
    }
    for csv in &world.installed {
        let phase = if csv.phase.is_empty() { "Succeeded" } else { &csv.phase };
        cluster.csvs.push(ClusterServiceVersion {
            namespace: namespace.clone(),
            phase: phase.to_owned(),
            ..csv.clone()
        });
    }
    // Another one shows that the input has all of them, and so does a group of another namespace.
    if world.catalogs.is_empty() {
        let (name, namespace) = ("theirs".to_owned(), namespace.clone());
        cluster.catalog_sources.push(CatalogSource { name, namespace, ..CatalogSource::default() });
    }
    for catalog in &world.catalogs {
        let state = if catalog.failure.is_some() { "TRANSIENT_FAILURE" } else { "READY" };
        cluster.catalog_sources.push(CatalogSource {
            name: catalog.name.clone(),
            namespace: catalog.namespace.clone(),
            priority: catalog.priority,
            state: state.to_owned(),
            ..CatalogSource::default()
        });
    }
    let namespaces = std::iter::repeat_n(namespace.as_str(), world.groups.count).chain(["another"]);
    for (number, namespace) in namespaces.enumerate() {
        cluster.operator_groups.push(OperatorGroup {
            name: format!("group-{number}"),
            namespace: namespace.to_owned(),
            excludes_global: world.groups.excludes_global,
            fails_forward: world.groups.fails_forward,
            targets: Some(vec![namespace.to_owned()]),
            ..OperatorGroup::default()
        });
    }
    cluster
}

/// The operators of each of the resolver's answers, as package and name; nothing if it always refuses.
fn answers_of_olm(expected: &Value) -> Vec<Vec<(&str, &str)>> {
    let outcomes = expected["outcomes"].as_array().into_iter().flatten();
    let resolved = outcomes.filter_map(|outcome| outcome["operators"].as_array());
    resolved.map(|all| all.iter().map(|it| (text_of(it, "package"), text_of(it, "name"))).collect()).collect()
}

fn text_of<'o>(object: &'o Value, key: &str) -> &'o str {
    object[key].as_str().unwrap_or_default()
}

/// Whether the resolver does for an operator what the diagnosis says, in one of its answers.
fn is_kept(operator: &OperatorStanding, waits: bool, answers: &[Vec<(&str, &str)>]) -> bool {
    let own = |answer: &&Vec<(&str, &str)>| {
        let mut others = answer.iter().filter(|it| it.0 == operator.package && it.1 != operator.installed);
        match &operator.next {
            Some(next) => others.any(|it| it.1 == next),
            None => others.next().is_none(),
        }
    };
    match answers {
        [] => operator.next.is_none() && (operator.is_stuck || waits),
        answers => answers.iter().any(|answer| own(&answer)),
    }
}

fn compared(case: &Namespace, expected: &Value) -> Outcome {
    let cluster = cluster_of(&case.world);
    let ties: Vec<String> = case
        .world
        .catalogs
        .iter()
        .map(|it| format!("{}/{}={}.{}", it.namespace, it.name, it.name, it.namespace))
        .collect();
    let state = State { cluster: Some((&cluster, "the world")), source_map: &ties, ..State::of(&*case.index) };
    let mut wrong = Vec::new();
    let asked = promises(&state, expected, &mut wrong).and_then(|namespaces| {
        staying(&state, &namespaces, &mut wrong)?;
        planned(&case.world, &state, &namespaces, &mut wrong)
    });
    if let Err(error) = asked {
        return Outcome::Failed(error.to_string());
    }
    if wrong.is_empty() { Outcome::Passed } else { Outcome::Failed(wrong.join("\n")) }
}

/// The paths of all operators that are installed.
fn paths(state: &State<'_>, options: &UpgradeOptions, updates: &[Updates]) -> Result<Vec<UpgradePath>, AskError> {
    if updates.iter().all(|update| update.installed.is_none()) {
        return Ok(Vec::new());
    }
    Ok(PathQuestion { options: options.clone(), ..PathQuestion::default() }.ask(state)?.items)
}

/// Asks for the ways out of bundles of which none may stay, alone and as a fleet of one: a way begins with the step
/// that OLM takes, an operator that OLM upgrades has one, and with a stuck operator no cluster is ready.
fn staying(state: &State<'_>, namespaces: &[NamespaceState], wrong: &mut Vec<String>) -> Result<(), AskError> {
    let [from, to] = ["4.16", "4.17"].map(|minor| coerce(minor).expect("a version"));
    let Some((cluster, words)) = state.cluster.filter(|(cluster, _)| !cluster.csvs.is_empty()) else { return Ok(()) };
    let mut limited = cluster.clone();
    // Without the annotation, OLM takes the properties of a ClusterServiceVersion from its other fields.
    for properties in limited.csvs.iter_mut().filter_map(|csv| csv.properties.as_mut()) {
        properties.push(Property::new("olm.maxOpenShiftVersion", "\"4.16\""));
    }
    let asked =
        CompatQuestion { openshift: Some(from), to: Some(to), olm: OlmSet::Classic, ..CompatQuestion::default() };
    let rows = match asked.ask(&State { cluster: Some((&limited, words)), ..*state }).map_err(AskError::bare) {
        Err(AskError::NothingInstalledIn(_)) => return Ok(()),
        answer => answer?.items,
    };
    let index: &LightIndex = std::borrow::Borrow::borrow(state.index);
    let question = NamespaceQuestion {
        cluster: cluster.clone(),
        source_map: state.source_map.to_vec(),
        ignores_missing: true,
        ..NamespaceQuestion::default()
    };
    let worlds = question.worlds(index)?.worlds;
    let operators = || namespaces.iter().flat_map(|namespace| &namespace.operators);
    for row in &rows {
        let Some(operator) = operators().find(|operator| operator.installed == row.bundle) else {
            // Another ClusterServiceVersion replaces it.
            if row.way.is_some() {
                wrong.push(format!("compat: {} is no operator, and has a way out", row.bundle));
            }
            continue;
        };
        let first = row.way.as_ref().map(|way| way.first().map_or("", |step| step.target.bundle.as_str()));
        let is_right = match (&operator.next, first) {
            (Some(next), Some(first)) => !operator.is_stuck && next == first,
            (None, Some(_)) => false,
            (Some(next), None) if !operator.is_stuck && !row.verdict.may_stay() => {
                may_not_stay(state, row, Move { from, to }, next)?
            }
            (_, None) => true,
        };
        let mut missing: BTreeSet<&str> = row.way.iter().flatten().map(|step| step.target.bundle.as_str()).collect();
        for world in &worlds {
            let rows = IndexRows::new(index, world);
            generations_until(&mut world.clone(), &rows, &Options::default(), |world| {
                missing.retain(|bundle| world.installed.iter().all(|csv| csv.name != **bundle));
                missing.is_empty()
            });
        }
        if !missing.is_empty() {
            wrong.push(format!("compat of {}: OLM never installs {missing:?}", row.bundle));
        }
        if !is_right {
            wrong.push(format!("compat of {}: {first:?}, and the diagnosis: {operator:?}", row.bundle));
        }
    }
    let alone = State { source_map: state.source_map, ..State::of(state.index) };
    let mut fleet = FleetAsker::new(FleetQuestion::Compat(Box::new(asked), alone));
    fleet.add("the world", cluster.clone())?;
    let is_ready = fleet.finish().clusters.iter().any(|row| row.verdict == FleetVerdict::Ready);
    if is_ready && operators().any(|operator| operator.is_stuck && !operator.installed.is_empty()) {
        wrong.push("compat of a fleet: ready, and an operator is stuck".to_owned());
    }
    Ok(())
}

/// Whether a bundle of a catalog may not stay either.
fn may_not_stay(state: &State<'_>, row: &Stay, step: Move, bundle: &str) -> Result<bool, AskError> {
    let (name, openshift, to) = (vec![row.package.clone()], Some(step.from), Some(step.to));
    let rows = CompatQuestion { name, openshift, to, ..CompatQuestion::default() }.ask(&State::of(state.index))?.items;
    Ok(rows.iter().any(|row| row.bundle == bundle && !row.verdict.may_stay()))
}

thread_local! {
    /// The parts of a plan that do not depend on the world.
    static BASIS: PlanBasis = {
        let mut builder = Builder::in_memory();
        let spec = CatalogSpec { name: "v4.16".to_owned(), ..CatalogSpec::default() };
        builder.add_catalog(&spec, &Input::bytes("c.json", Arc::from(&b""[..])), Mode::Tolerant).expect("a catalog");
        PlanBasis::new(&builder.into_index().expect("an index"), &[], Vec::new()).expect("a basis")
    };
}

/// Plans the upgrade of OpenShift with the same catalogs for both versions: the first step of each operator must be the
/// one that OLM takes, and nobody who is stuck is ready.
fn planned(
    world: &World,
    state: &State<'_>,
    namespaces: &[NamespaceState],
    wrong: &mut Vec<String>,
) -> Result<(), AskError> {
    let [from, to] = ["4.16", "4.17"].map(|minor| coerce(minor).expect("a version"));
    let Some((cluster, _)) = state.cluster else { return Ok(()) };
    let mut basis = BASIS.with(PlanBasis::clone);
    basis.options.source_map = state.source_map.to_vec();
    basis.catalogs.clear();
    for catalog in &world.catalogs {
        let family = format!("{}.{}", catalog.name, catalog.namespace);
        basis.source_map.push((format!("{}/{}", catalog.namespace, catalog.name), family.clone()));
        for minor in [from, to] {
            basis.catalogs.push(PlanCatalog { catalog: family.clone(), minor, family: family.clone() });
        }
    }
    let wish = PlanWish {
        from,
        to,
        eus: false,
        day: Day::of_unix(1_790_000_000),
        level: SupportLevel::Extended,
        channel: None,
        arch: None,
        scope: Vec::new(),
        gates: Gates::default(),
        assume: Vec::new(),
    };
    let (plan, _) = plan_of(&basis, cluster, state.index, wish)?;
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for operator in namespaces.iter().flat_map(|namespace| &namespace.operators) {
        let is_kept = operator.is_stuck || namespaces.iter().any(|it| it.obstacles.iter().any(Obstacle::is_now));
        if is_kept && plan.verdict == PlanVerdict::Ready {
            wrong.push(format!("plan: ready, and {} is stuck", operator.name));
        }
    }
    let is_mended = plan.steps.iter().any(|step| step.kind == StepKind::Mend);
    for step in plan.steps.iter().filter(|step| step.kind == StepKind::Operator && !is_mended) {
        let (Some((_, package)), Some(first)) =
            (step.subject.as_deref().and_then(|it| it.split_once('/')), step.route.first())
        else {
            continue;
        };
        // Later steps begin where others have ended.
        if !seen.insert(package) || step.commands.is_empty() {
            continue;
        }
        let mut of_package = namespaces.iter().flat_map(|it| &it.operators).filter(|it| it.package == package);
        if !of_package.any(|operator| operator.next.as_ref() == Some(&first.bundle)) {
            wrong.push(format!("plan: {package} goes to {}", first.bundle));
        }
    }
    Ok(())
}

/// Asks all questions, and notes the answers that are wrong.
fn promises(state: &State<'_>, expected: &Value, wrong: &mut Vec<String>) -> Result<Vec<NamespaceState>, AskError> {
    let light = State {
        index: std::borrow::Borrow::borrow(state.index),
        cluster: state.cluster,
        source_map: state.source_map,
        are_named: false,
        namespaces: &[],
    };
    let namespaces: Vec<NamespaceState> = DiagnoseQuestion::default().ask(&light)?.items;
    let operators: BTreeMap<String, &OperatorStanding> = namespaces
        .iter()
        .flat_map(|state| state.operators.iter().map(move |operator| (&state.namespace, operator)))
        .filter(|(_, operator)| !operator.name.is_empty())
        .map(|(namespace, operator)| (format!("Subscription {namespace}/{}", operator.name), operator))
        .collect();
    let answers = answers_of_olm(expected);
    // An upgrade that is under way ends by itself, and then OLM resolves again.
    let obstacles: Vec<&Obstacle> = namespaces.iter().flat_map(|state| &state.obstacles).collect();
    let waits = |operator: &OperatorStanding| {
        obstacles.iter().any(|it| it.effect == Effect::Waits && it.concerns(operator.subject()))
    };
    for (object, operator) in &operators {
        if !is_kept(operator, waits(operator), &answers) {
            let (next, is_stuck) = (&operator.next, operator.is_stuck);
            wrong.push(format!("diagnose of {object}: next {next:?}, stuck {is_stuck}; OLM: {answers:?}"));
        }
    }
    let state = State { namespaces: &namespaces, ..*state };
    let options = UpgradeOptions { olm: OlmSet::Classic, ..UpgradeOptions::default() };
    let updates = UpdatesQuestion { options: options.clone(), ..UpdatesQuestion::default() };
    let updates = match updates.ask(&state) {
        Ok(answer) => answer.items,
        Err(error) => match error.bare() {
            AskError::NoCatalogForCluster(_) if operators.values().all(|it| it.next.is_none()) => Vec::new(),
            error => return Err(error),
        },
    };
    for path in paths(&state, &options, &updates)? {
        let operator = path.managed_by.as_ref().and_then(|object| operators.get(object));
        let first = path.steps.first().map(|step| step.target.bundle.as_str());
        if operator.is_some_and(|it| it.next.is_some() && it.next.as_deref() != first) {
            wrong.push(format!("path of {:?}: {first:?}", path.managed_by));
        }
    }
    for update in updates {
        let Some(operator) = update.managed_by.as_ref().and_then(|object| operators.get(object)) else {
            wrong.push(format!("updates of an unknown {:?}", update.managed_by));
            continue;
        };
        let is_taken = matches!(update.verdict, Verdict::Install | Verdict::Update);
        let target = update.target.as_ref().filter(|_| is_taken).map(|target| target.bundle.as_str());
        if waits(operator) && operator.next.is_none() {
            continue;
        }
        if target != operator.next.as_deref() {
            wrong.push(format!("updates of {:?}: {target:?}, diagnose {:?}", update.managed_by, operator.next));
        }
        // Each bundle that the answers name, asked about by itself.
        let others = update.others.iter().chain(&update.target).map(|target| target.bundle.as_str());
        for bundle in others.chain(operator.next.as_deref()).collect::<BTreeSet<_>>() {
            let question =
                WhyNotQuestion { name: bundle.to_owned(), options: options.clone(), ..WhyNotQuestion::default() };
            for answer in question.ask(&state)?.items.iter().filter(|it| it.managed_by == update.managed_by) {
                if answer.is_taken != (operator.next.as_deref() == Some(bundle)) {
                    wrong.push(format!("why-not {bundle} of {:?}: {}", update.managed_by, answer.is_taken));
                }
            }
        }
    }
    Ok(namespaces.clone())
}
