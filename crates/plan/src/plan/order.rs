//! The steps of all operators and of the platform in one order (`docs/behaviour/platform.md` 3.4).

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{
    CatalogOfPlan, ClusterIdentity, OperatorPlan, PathElement, Plan, PlanMetadata, PlanOptions, PlanStep, PlanVerdict,
    Reason, StepKind, Unknown,
};
use super::catalogs::Catalogs;
use super::code::Code;
use super::inventory::Inventory;
use super::journey::{Journey, When};
use super::operator::Operator;
use super::prose::times;
use super::question::{PlanQuestion, told};
use olmdex_constraint::openshift::Minor;
use olmdex_index::IndexError;
use olmdex_index::query::Filter;
use olmdex_olm::namespace::{Effect, Obstacle, ObstacleCode, first_obstacle, of_extension};
use olmdex_olm::upgrade::Olm;
use olmdex_rules::cluster::Subscription;
use olmdex_rules::openshift::{Goal, PlatformPath, Support, may_have_extended_support, platform_path};
use olmdex_text::json;

/// A step with its operator, and the number of the operator's earlier steps at the same time.
struct Timed {
    when: When,
    place: (usize, usize),
    step: PlanStep,
}

/// Puts a plan together.
pub(super) fn assemble(
    question: &PlanQuestion<'_>,
    catalogs: &Catalogs<'_>,
    path: &[Minor],
    inventory: Inventory,
    journeys: Vec<Journey>,
) -> Result<Plan, IndexError> {
    let Inventory { operators, mut unknowns } = inventory;
    unknowns.extend(missing_catalogs(question, catalogs, path, &operators));
    let (mut blockers, mut decisions, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let mut timed: Vec<Timed> = Vec::new();
    for (idx, (operator, journey)) in operators.iter().zip(journeys).enumerate() {
        let Journey { steps, blockers: own, decisions: to_decide, unknowns: not_known, .. } = &journey;
        for (number, (when, step)) in steps.iter().enumerate() {
            let n_before = steps[..number].iter().filter(|it| it.0 == *when).count();
            timed.push(Timed { when: *when, place: (idx, n_before), step: step.clone() });
        }
        blockers.extend(own.iter().cloned());
        decisions.extend(to_decide.iter().cloned());
        unknowns.extend(not_known.iter().cloned());
        let limit = operator.obstacle.as_ref().filter(|it| it.code == ObstacleCode::ResolutionUnknown);
        unknowns.extend(limit.map(|it| Unknown::new(Code::Unresolved, Some(operator.subject()), None, told(it))));
        rows.push(row(operator, journey));
    }
    // The decision that holds up the most operators of a namespace comes first.
    let in_namespace = |subject: &Option<String>| {
        let namespace = subject.as_ref().and_then(|it| it.split('/').next()).unwrap_or_default();
        operators.iter().filter(|it| it.namespace.as_deref() == Some(namespace)).count()
    };
    decisions.sort_by_key(|it| std::cmp::Reverse(in_namespace(&it.subject)));
    let merged = together(catalogs, &operators, path, &mut rows, timed)?;
    let steps = in_order(question, path, &operators, merged);
    let catalogs = question.catalogs.iter().map(|it| CatalogOfPlan {
        minor: it.minor.to_string(),
        name: it.catalog.clone(),
        family: it.family.clone(),
    });
    let exact = question.cluster.openshift.clone();
    let version = question.cluster.cluster_version.as_ref();
    let cluster = ClusterIdentity {
        name: question.cluster.name.clone(),
        id: version.map(|it| it.cluster_id.clone()).unwrap_or_default(),
    };
    let metadata = PlanMetadata {
        cluster,
        from: if exact.is_empty() { question.from.to_string() } else { exact },
        to: question.to.to_string(),
        path: path.iter().map(ToString::to_string).collect(),
        date: question.day.to_string(),
        cluster_changed: question.cluster.newest.clone(),
        catalogs: catalogs.collect(),
        graph: question.graph_source.clone(),
        channels: channels_of(question),
        arch: question.arch.clone(),
        skipped: question.cluster.skipped.clone(),
        warnings: question.cluster.warnings.clone(),
        options: PlanOptions::default(),
    };
    Ok(Plan {
        api_version: "olmdex/v1".to_owned(),
        kind: "Plan".to_owned(),
        metadata,
        verdict: PlanVerdict::Unknown,
        operators: rows,
        steps,
        blockers,
        decisions,
        unknowns,
    })
}

/// The versions without a catalog: at all, or of a family that operators follow.
fn missing_catalogs(
    question: &PlanQuestion<'_>,
    catalogs: &Catalogs<'_>,
    path: &[Minor],
    operators: &[Operator],
) -> Vec<Unknown> {
    let given: BTreeSet<Minor> = question.catalogs.iter().map(|it| it.minor).collect();
    let is_beside = !path.iter().any(|it| catalogs.has(*it));
    let given: Vec<String> = given.iter().filter(|_| is_beside).map(ToString::to_string).collect();
    let beside = if given.is_empty() { String::new() } else { format!("; those given are for {}", given.join(", ")) };
    // OLM v1 searches every catalog, so only OLM Classic needs a particular family.
    let followed = operators.iter().filter(|it| it.olm == Olm::Classic).flat_map(|it| &it.families);
    let followed: BTreeSet<&String> = followed.collect();
    let mut unknowns = Vec::new();
    for minor in path {
        if !catalogs.has(*minor) {
            let text = format!("no catalog is given for OpenShift {minor}{beside}");
            unknowns.push(Unknown::new(Code::CatalogMissing, None, Some(*minor), text));
            continue;
        }
        for family in &followed {
            if catalogs.names(std::slice::from_ref(*family), *minor).is_empty() {
                let text = format!("no catalog of {family} is given for OpenShift {minor}, only others");
                unknowns.push(Unknown::new(Code::CatalogMissing, Some((*family).clone()), Some(*minor), text));
            }
        }
    }
    unknowns
}

/// The channels of the updates, each once.
fn channels_of(question: &PlanQuestion<'_>) -> Vec<String> {
    let mut channels: Vec<String> = question.channels.iter().map(|it| it.1.clone()).collect();
    channels.dedup();
    channels
}

fn by_name<T>(of_minors: BTreeMap<Minor, T>) -> BTreeMap<String, T> {
    of_minors.into_iter().map(|(minor, it)| (minor.to_string(), it)).collect()
}

fn row(operator: &Operator, journey: Journey) -> OperatorPlan {
    OperatorPlan {
        namespace: operator.namespace.clone(),
        package: operator.package.clone(),
        package_is_guessed: operator.package_is_guessed,
        installed: operator.installed.clone(),
        version: operator.version.clone(),
        olm: operator.olm,
        extension: operator.namespace.is_none().then(|| operator.name.clone()),
        channel: operator.channels.join(","),
        source: operator.source.clone(),
        state: by_name(journey.state),
        compatible: by_name(journey.compatible)
            .into_iter()
            .map(|(minor, fit)| (minor, fit.in_plan().to_owned()))
            .collect(),
        because: by_name(journey.because),
        support: journey.support.unwrap_or_else(Support::no_data),
        now: journey.now,
        target: journey.target,
        target_support: journey.target_support,
        needs: Vec::new(),
        entry_point: by_name(journey.entry_point),
        pending_install_plan: operator.pending.as_ref().map(|it| it.0.clone()),
        place: operator.place.clone(),
    }
}

/// Joins the updates of operators of one namespace that are due at the same time: OLM resolves a namespace as a whole,
/// and one InstallPlan has all of them.
fn together(
    catalogs: &Catalogs<'_>,
    operators: &[Operator],
    path: &[Minor],
    rows: &mut [OperatorPlan],
    timed: Vec<Timed>,
) -> Result<Vec<Timed>, IndexError> {
    let mut groups: BTreeMap<(When, String), Vec<Timed>> = BTreeMap::new();
    let mut merged: Vec<Timed> = Vec::new();
    for it in timed {
        match (&operators[it.place.0].namespace, it.step.kind) {
            (Some(namespace), StepKind::Operator) => groups.entry((it.when, namespace.clone())).or_default().push(it),
            _ => merged.push(it),
        }
    }
    for ((when, namespace), group) in groups {
        if group.len() == 1 {
            merged.extend(group);
            continue;
        }
        // The group comes after the earlier steps that any of its operators needs.
        let places = group.iter().map(|it| it.place);
        let first = places.clone().filter(|it| it.1 > 0).max().or(places.min()).unwrap_or_default();
        let mut steps: Vec<(usize, PlanStep)> = group.into_iter().map(|it| (it.place.0, it.step)).collect();
        let minor = match when {
            When::After(at) | When::Before(at) => path[at],
            When::AtTheEnd => path[path.len() - 1],
        };
        let mut needs = BTreeMap::new();
        for (idx, step) in &steps {
            let operator = &operators[*idx];
            let names = catalogs.names(&operator.families, minor);
            let target = step.route.last().map(|it| it.bundle.as_str()).unwrap_or_default();
            needs.insert(operator.package.clone(), Needs::of(catalogs, &names, &operator.package, target)?);
        }
        for (idx, _) in &steps {
            let own = &needs[&operators[*idx].package];
            let others =
                needs.iter().filter(|(package, other)| **package != operators[*idx].package && own.has(package, other));
            rows[*idx].needs = others.map(|it| it.0.clone()).collect();
        }
        let order = order(&needs);
        let place = |idx: usize| order.iter().position(|it| *it == operators[idx].package);
        steps.sort_by_key(|(idx, _)| (place(*idx), *idx));
        let n_rounds = steps.iter().map(|it| it.1.path.len()).max().unwrap_or_default();
        let mut step = PlanStep::new(StepKind::Operators);
        for round in 0..n_rounds {
            let bundles = steps.iter().filter_map(|(_, step)| match step.path.get(round)? {
                PathElement::Bundle(bundle) => Some(bundle.clone()),
                PathElement::Together(_) => None,
            });
            step.path.push(PathElement::Together(bundles.collect()));
        }
        let mut codes = BTreeSet::new();
        for (_, other) in steps {
            step.catalog = other.catalog;
            step.approval = other.approval;
            step.optional = other.optional;
            step.route.extend(other.route);
            step.warnings.extend(other.warnings);
            step.because
                .extend(other.because.into_iter().filter(|it| codes.insert((it.code.clone(), it.text.clone()))));
        }
        step.subject = Some(namespace);
        step.together = true;
        step.order = order;
        merged.push(Timed { when, place: first, step });
    }
    Ok(merged)
}

/// All steps in their order, with those of the platform, numbered.
fn in_order(question: &PlanQuestion<'_>, path: &[Minor], operators: &[Operator], timed: Vec<Timed>) -> Vec<PlanStep> {
    let mut at: BTreeMap<When, Vec<Timed>> = BTreeMap::new();
    for it in timed {
        at.entry(it.when).or_default().push(it);
    }
    let planned: Vec<&PlanStep> = at.values().flatten().map(|it| &it.step).collect();
    let mut steps = mend(question, operators, &planned);
    let mut take = |when: When| {
        let mut steps = at.remove(&when).unwrap_or_default();
        // The order is that of operators: by namespace, package and version. A changed source comes before the updates,
        // which come from it.
        steps.sort_by_key(|it| (it.step.kind != StepKind::Source, it.place));
        steps.into_iter().map(|it| it.step)
    };
    let routes = platform_routes(question, path);
    let present = question.cluster.cluster_version.as_ref().map(|it| it.channel.clone());
    for (idx, minor) in path.iter().enumerate() {
        steps.extend(take(When::After(idx)));
        steps.extend(take(When::Before(idx)));
        let Some(next) = path.get(idx + 1) else { continue };
        let goal = question.eus_goal(idx);
        if let Some(goal) = goal.filter(|goal| idx == 0 || question.eus_goal(idx - 1) != Some(*goal)) {
            let channel = format!("eus-{goal}");
            if idx > 0 || present.as_ref() != Some(&channel) {
                let text = format!("it holds {minor} and all releases that lead to {goal}");
                steps.push(PlanStep {
                    to: Some(channel),
                    because: vec![Reason { code: Code::Eus, text }],
                    ..PlanStep::new(StepKind::ChannelOfCluster)
                });
            }
            let text = format!("workers are updated once, from {minor} to {goal}");
            let because = vec![Reason { code: Code::Eus, text }];
            steps.push(PlanStep { because, ..PlanStep::new(StepKind::PausePools) });
        }
        let mut step = PlanStep::new(StepKind::Platform);
        step.from = Some(minor.to_string());
        step.to = Some(next.to_string());
        let route = routes.as_ref().and_then(|it| it.hops.iter().find(|it| is_minor(&it.to, *next)));
        step.release = route.map(|it| it.to.clone());
        if route.is_some_and(|it| it.is_estimated) {
            step.warnings.push("this update probably exists, but the graph data hold no updates".to_owned());
        }
        step.because = vec![Reason { code: Code::Platform, text: "minor versions are updated one by one".to_owned() }];
        if let Some(goal) = saved_reboots(question).filter(|_| idx == 0) {
            step.warnings.push(goal);
        }
        steps.push(step);
        if goal == Some(*next) {
            let text = format!("the control plane has reached {next}");
            let because = vec![Reason { code: Code::Eus, text }];
            steps.push(PlanStep { because, ..PlanStep::new(StepKind::ResumePools) });
        }
    }
    steps.extend(take(When::AtTheEnd));
    for (idx, step) in steps.iter_mut().enumerate() {
        step.number = idx + 1;
    }
    steps
}

/// A note if paused pools could save reboots of workers, as between versions with extended support.
fn saved_reboots(question: &PlanQuestion<'_>) -> Option<String> {
    let is_extended = |it: Minor| it.major == 4 && may_have_extended_support(it);
    let n_steps = question.path.len().saturating_sub(1);
    let is_way = is_extended(question.from) && is_extended(question.to) && n_steps >= 2 && !question.eus;
    let (few, many) = (times(n_steps / 2), times(n_steps));
    is_way.then(|| format!("with `--eus`, which pauses their pools on the way, workers reboot {few} instead of {many}"))
}

fn is_minor(release: &str, minor: Minor) -> bool {
    olmdex_version::Version::parse(release).is_ok_and(|it| Minor::of(&it).is_same(minor))
}

/// The releases on the platform's way, if the updates are known.
fn platform_routes(question: &PlanQuestion<'_>, path: &[Minor]) -> Option<PlatformPath> {
    let from = &question.cluster.openshift;
    if from.is_empty() || question.graph.is_empty() {
        return None;
    }
    let whole = platform_path(&question.graph, from, &Goal::Minor(question.to));
    // If no updates are known for the whole way, those of the first step are better than none.
    whole.or_else(|| platform_path(&question.graph, from, &Goal::Minor(*path.get(1)?)))
}

/// The repairs that come before anything else. One that concerns a whole namespace is made once.
fn mend(question: &PlanQuestion<'_>, operators: &[Operator], planned: &[&PlanStep]) -> Vec<PlanStep> {
    let of_operators = operators.iter().filter_map(|it| {
        let stop = it.obstacle.as_ref().filter(|obstacle| obstacle.effect == Effect::Stops);
        let step = match (stop, &it.obstacle, &it.in_flight, &it.unresolved) {
            (Some(stop), ..) => removed(stop),
            (None, _, Some(bundle), _) => {
                let text = format!("the update to {bundle} is not finished");
                let path = vec![PathElement::Bundle(bundle.clone())];
                PlanStep { path, ..because(StepKind::Wait, Code::UpdateInFlight, text) }
            }
            (None, Some(obstacle), ..)
                if obstacle.is_now() && !is_planned(obstacle, it.pending.as_ref().map(|(_, csvs)| csvs), planned) =>
            {
                removed(obstacle)
            }
            (None, None, None, _) if it.phase == "Failed" => {
                because(StepKind::Mend, Code::Unhealthy, format!("{} is Failed: {}", it.installed, it.message))
            }
            (None, None, None, Some(message)) => because(StepKind::Mend, Code::Unresolved, message.clone()),
            _ => return None,
        };
        Some((it.subject(), step))
    });
    // A Subscription that cannot install anything keeps the others of its namespace.
    let is_operator = |it: &&Subscription| {
        operators.iter().any(|operator| operator.name == it.name && operator.namespace.as_ref() == Some(&it.namespace))
    };
    let is_asked = |it: &&Subscription| question.scope.is_empty() || question.scope.contains(&it.namespace);
    let others = question.cluster.subscriptions.iter().filter(is_asked).filter(|it| !is_operator(it));
    let of_others = others.filter_map(|it| {
        let obstacle = first_obstacle(&question.namespaces, &it.namespace, &it.name).filter(|it| it.is_now())?;
        let pending = question.cluster.waiting_plan(it).map(|plan| &plan.csvs);
        if is_planned(obstacle, pending, planned) {
            return None;
        }
        Some((format!("{}/{}", it.namespace, it.package), removed(obstacle)))
    });
    let extensions = question.cluster.extensions.iter().filter(|_| question.scope.is_empty());
    let of_extensions = extensions.filter(|it| it.installed.is_none()).filter_map(|it| {
        let obstacle = of_extension(question.cluster, it, None).into_iter().find(Obstacle::is_now)?;
        Some((it.name.clone(), removed(&obstacle)))
    });
    let mut steps: Vec<PlanStep> = Vec::new();
    for (subject, step) in of_operators.chain(of_others).chain(of_extensions) {
        let namespace = |subject: &str| subject.split('/').next().map(str::to_owned);
        let in_namespace = |other: &PlanStep| {
            other.subject.as_deref().and_then(namespace) == namespace(&subject) && other.because == step.because
        };
        if !steps.iter().any(in_namespace) {
            steps.push(PlanStep { subject: Some(subject), ..step });
        }
    }
    steps
}

/// The step that removes an obstacle, or waits until it has gone.
fn removed(obstacle: &Obstacle) -> PlanStep {
    let (kind, code) = match (obstacle.effect, obstacle.code) {
        (Effect::Stops, ObstacleCode::NotUpgradeable) => (StepKind::Wait, Code::Unhealthy),
        (Effect::Stops, ObstacleCode::ServiceVersionFailed | ObstacleCode::ServiceVersionPending) => {
            (StepKind::Mend, Code::Unhealthy)
        }
        (Effect::Stops, _) => (StepKind::Mend, Code::Unresolved),
        (_, ObstacleCode::ExtensionStuck) => (StepKind::Wait, Code::Unhealthy),
        _ => (StepKind::Wait, Code::UpdateInFlight),
    };
    let approval = (obstacle.code == ObstacleCode::ApprovalNeeded).then(|| "Manual".to_owned());
    PlanStep { approval, remedy: obstacle.remedies.first().cloned(), ..because(kind, code, told(obstacle)) }
}

fn because(kind: StepKind, code: Code, text: String) -> PlanStep {
    PlanStep { because: vec![Reason { code, text }], ..PlanStep::new(kind) }
}

/// Whether a step of the plan approves the InstallPlan that an operator waits for, with the bundles of that.
fn is_planned(obstacle: &Obstacle, pending: Option<&Vec<String>>, planned: &[&PlanStep]) -> bool {
    let Some(bundles) = pending.filter(|_| obstacle.code == ObstacleCode::ApprovalNeeded) else { return false };
    let has = |element: &PathElement| element.bundles().iter().any(|bundle| bundles.contains(bundle));
    // Nobody need take an optional step.
    planned
        .iter()
        .filter(|step| !step.optional)
        .any(|step| step.path.iter().any(has) || step.then.iter().any(|bundle| bundles.contains(bundle)))
}

/// The provisions and needs of a bundle.
#[derive(Debug, Clone, Default)]
struct Needs {
    packages: BTreeSet<String>,
    required: BTreeSet<String>,
    provided: BTreeSet<String>,
}

impl Needs {
    /// The needs of a bundle of a package in some catalogs.
    fn of(catalogs: &Catalogs<'_>, names: &[String], package: &str, bundle: &str) -> Result<Self, IndexError> {
        let mut needs = Self::default();
        if names.is_empty() {
            return Ok(needs);
        }
        let filter = Filter { catalogs: names.to_vec(), ..Filter::default() };
        for property in catalogs.index().properties_of(&filter, package, bundle)? {
            let mut reader = json::Reader::new();
            let Ok(value) = reader.read(&property.value) else { continue };
            let field = |name: &str| value.text_of_field(name);
            let api = || format!("{}/{}/{}", field("group"), field("version"), field("kind"));
            match &*property.kind {
                "olm.package.required" => drop(needs.packages.insert(field("packageName"))),
                "olm.gvk.required" => drop(needs.required.insert(api())),
                "olm.gvk" => drop(needs.provided.insert(api())),
                _ => {}
            }
        }
        Ok(needs)
    }

    /// Whether it needs another bundle, which is of a package.
    fn has(&self, package: &str, other: &Self) -> bool {
        self.packages.contains(package) || self.required.iter().any(|it| other.provided.contains(it))
    }
}

/// Packages in the order of their dependencies; those that need each other by name.
fn order(needs: &BTreeMap<String, Needs>) -> Vec<String> {
    let mut left: BTreeSet<&String> = needs.keys().collect();
    let mut order = Vec::new();
    while let Some(first) = left.first().copied() {
        let is_free = |package: &&&String| {
            !left.iter().any(|other| *other != **package && needs[**package].has(other, &needs[*other]))
        };
        let next = left.iter().find(is_free).copied().unwrap_or(first);
        left.remove(next);
        order.push(next.clone());
    }
    order
}
