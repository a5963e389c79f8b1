//! The steps of a plan, carried out one after another in the state of their namespace: a step is promised only if the
//! resolution of the whole namespace has its effect, too. Journeys look at each operator by itself.

use std::collections::BTreeSet;

use super::error::AskError;
use super::namespace::{NamespaceQuestion, Worlds};
use olmdex_constraint::openshift::Minor;
use olmdex_index::LightIndex;
use olmdex_olm::catalog_source::PlanCatalog;
use olmdex_olm::resolve::{IndexRows, Options, Verdict, World, generations_until, story};
use olmdex_olm::upgrade::{Move, Stay};
use olmdex_plan::plan::{PathElement, Plan, PlanQuestion, PlanStep, StepKind, path_of};

/// Notes the steps that do not have their effect. Namespaces in which something has to be repaired first are left out:
/// the repair is tried by itself, and changes what follows.
///
/// # Errors
/// If the catalogs cannot be read.
pub(super) fn replay(
    plan: &mut Plan,
    question: &PlanQuestion<'_>,
    source_map: &[String],
    options: &Options,
) -> Result<(), AskError> {
    let updated: BTreeSet<String> = plan.steps.iter().filter(|it| is_update(it)).filter_map(namespace_of).collect();
    let repaired: BTreeSet<String> =
        plan.steps.iter().filter(|it| it.kind == StepKind::Mend).filter_map(namespace_of).collect();
    if updated.is_subset(&repaired) {
        return Ok(());
    }
    let asked = NamespaceQuestion {
        cluster: question.cluster.clone(),
        source_map: source_map.to_vec(),
        ignores_missing: true,
        openshift: Some(question.from),
        catalogs: question.catalogs.iter().map(|it| it.catalog.clone()).collect(),
        ..NamespaceQuestion::default()
    };
    let index: &LightIndex = question.index;
    let Worlds { worlds, .. } = asked.worlds(index)?;
    let options = &Options { explains: true, ..*options };
    for world in worlds {
        let namespace = world.namespace.clone();
        let is_its = |step: &PlanStep| namespace_of(step).as_ref() == Some(&namespace);
        if !updated.contains(&namespace) || repaired.contains(&namespace) || !world.is_whole() {
            continue;
        }
        let mut state = Replay { world, catalogs: &question.catalogs, index, options };
        let own: Vec<usize> = (0..plan.steps.len()).filter(|index| is_its(&plan.steps[*index])).collect();
        for index in own {
            let step = &plan.steps[index];
            let minor = step.catalog.as_deref().and_then(|it| it.parse().ok());
            if !minor.is_some_and(|minor| state.move_to(minor)) {
                break;
            }
            if let Some(why) = state.carry_out(step) {
                plan.refuse(index, &why);
                break;
            }
        }
    }
    Ok(())
}

/// Carries a way out in a namespace; returns why OLM does not take it, if it does not.
pub(super) fn replay_way(
    world: &World,
    row: &Stay,
    Move { from, to }: Move,
    catalogs: &[PlanCatalog],
    index: &LightIndex,
    options: &Options,
) -> Option<String> {
    let way = row.way.as_ref().filter(|_| world.is_whole())?;
    let options = &Options { explains: true, ..*options };
    let mut state = Replay { world: world.clone(), catalogs, index, options };
    let path = path_of(from, to);
    let mut n_done = 0;
    for stop in &row.stops {
        // The steps are taken at the version before. Without its catalogs nothing can be carried out.
        let before = path.windows(2).find(|pair| pair[1].to_string() == stop.openshift).map(|pair| pair[0]);
        if !before.is_some_and(|minor| state.move_to(minor)) {
            return None;
        }
        for step in way.get(n_done..stop.steps).unwrap_or_default() {
            if let Some(setting) = step.set.first() {
                state.set_channel(&row.package, &setting.value);
            }
            if let Some(why) = state.install(BTreeSet::from([&step.target.bundle])) {
                return Some(why);
            }
        }
        n_done = stop.steps.max(n_done);
    }
    None
}

fn is_update(step: &PlanStep) -> bool {
    matches!(step.kind, StepKind::Operator | StepKind::Operators)
}

/// The namespace of a step about a Subscription; `None` for a ClusterExtension or the platform.
fn namespace_of(step: &PlanStep) -> Option<String> {
    let subject = step.subject.as_ref()?;
    match (subject.split_once('/'), step.kind) {
        (Some((namespace, _)), _) => Some(namespace.to_owned()),
        (None, StepKind::Operators) => Some(subject.clone()),
        (None, _) => None,
    }
}

/// A namespace after some steps.
struct Replay<'r> {
    world: World,
    catalogs: &'r [PlanCatalog],
    index: &'r LightIndex,
    options: &'r Options,
}

impl Replay<'_> {
    /// Gives each CatalogSource the content that it has with a version of OpenShift, whatever its name is then. Whether
    /// all are known.
    fn move_to(&mut self, minor: Minor) -> bool {
        let at = |catalog: &str| {
            let family = &self.catalogs.iter().find(|it| it.catalog == catalog)?.family;
            self.catalogs.iter().find(|it| it.family == *family && it.minor.is_same(minor)).map(|it| &it.catalog)
        };
        let World { catalogs, subscriptions, .. } = &mut self.world;
        let sources = subscriptions.iter_mut().map(|it| &mut it.source);
        let are_known = catalogs.iter_mut().map(|it| &mut it.name).chain(sources).all(|name| match at(name) {
            Some(catalog) => {
                name.clone_from(catalog);
                true
            }
            None => false,
        });
        // Without CatalogSources, the world has the catalogs of all versions.
        let mut seen = BTreeSet::new();
        catalogs.retain(|it| seen.insert((it.namespace.clone(), it.name.clone())));
        are_known
    }

    /// Carries a step out; returns why it does not have its effect, if it does not.
    fn carry_out(&mut self, step: &PlanStep) -> Option<String> {
        let package = step.subject.as_deref().and_then(|it| it.split_once('/')).map(|it| it.1.to_owned());
        let own = |of: &str| package.as_deref() == Some(of);
        match step.kind {
            StepKind::Operator | StepKind::Operators => return self.update(step),
            StepKind::Channel => {
                self.set_channel(package.as_deref().unwrap_or_default(), step.to.as_deref().unwrap_or_default());
            }
            StepKind::Uninstall => {
                let gone = self.world.subscriptions.iter().filter(|it| own(&it.package)).map(|it| it.installed.clone());
                let gone: BTreeSet<String> = gone.collect();
                self.world.subscriptions.retain(|it| !own(&it.package));
                self.world.installed.retain(|it| !gone.contains(&it.name));
            }
            _ => {}
        }
        None
    }

    fn set_channel(&mut self, package: &str, channel: &str) {
        for subscription in self.world.subscriptions.iter_mut().filter(|it| it.package == package) {
            channel.clone_into(&mut subscription.channel);
        }
    }

    fn update(&mut self, step: &PlanStep) -> Option<String> {
        self.install(step.path.iter().flat_map(PathElement::bundles).collect())
    }

    /// Resolves until all bundles were installed.
    fn install(&mut self, mut missing: BTreeSet<&String>) -> Option<String> {
        let rows = IndexRows::new(self.index, &self.world);
        let course = generations_until(&mut self.world, &rows, self.options, |world| {
            missing.retain(|bundle| world.installed.iter().all(|it| it.is_copied || it.name != **bundle));
            missing.is_empty()
        });
        let next = missing.first()?;
        let last = course.generations.last();
        Some(match (course.failure, last.map(|it| (&it.verdict, it.repeats))) {
            (Some(failure), _) => failure.to_string(),
            (None, Some((Verdict::Unsatisfiable(conflict), _))) => {
                format!("constraints not satisfiable: {}", conflict.messages().join(", "))
            }
            (None, Some((_, Some(_)))) => format!("it goes round, and {next} is not installed"),
            (None, Some((Verdict::Resolved(resolution), None))) => {
                let behind = resolution.behind.iter().find(|it| it.wanted.name == **next);
                let because = behind.map(|it| story(&it.facts)).unwrap_or_default();
                let because: String = because.iter().map(|it| format!("; {}", it.text)).collect();
                format!("it does not install {next}{because}")
            }
            (None, None) => format!("it does not install {next}"),
        })
    }
}
