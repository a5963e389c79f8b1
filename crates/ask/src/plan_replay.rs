//! The steps of a plan, carried out one after another in the state of their namespace: a step is promised only if the
//! resolution of the whole namespace has its effect, too. Journeys look at each operator by itself.

use std::collections::BTreeSet;

use super::error::AskError;
use super::namespace::{NamespaceQuestion, Worlds};
use olmdex_constraint::openshift::Minor;
use olmdex_index::LightIndex;
use olmdex_olm::catalog_source::PlanCatalog;
use olmdex_olm::resolve::{IndexRows, Options, Verdict, World, generations_until, story};
use olmdex_plan::plan::{PathElement, Plan, PlanQuestion, PlanStep, StepKind};

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
        if !updated.contains(&namespace) || repaired.contains(&namespace) {
            continue;
        }
        let mut state = Replay { world, catalogs: &question.catalogs, index, options };
        for step in plan.steps.iter_mut().filter(|step| is_its(step)) {
            let minor = step.catalog.as_deref().and_then(|it| it.parse().ok());
            if !minor.is_some_and(|minor| state.move_to(minor)) {
                break;
            }
            if let Some(why) = state.carry_out(step) {
                step.warnings.push(format!("OLM does not take this step in the whole namespace: {why}"));
                // They would wait for what does not come.
                step.commands.clear();
                break;
            }
        }
    }
    Ok(())
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
        catalogs.iter_mut().map(|it| &mut it.name).chain(sources).all(|name| match at(name) {
            Some(catalog) => {
                name.clone_from(catalog);
                true
            }
            None => false,
        })
    }

    /// Carries a step out; returns why it does not have its effect, if it does not.
    fn carry_out(&mut self, step: &PlanStep) -> Option<String> {
        let package = step.subject.as_deref().and_then(|it| it.split_once('/')).map(|it| it.1.to_owned());
        let own = |of: &str| package.as_deref() == Some(of);
        match step.kind {
            StepKind::Operator | StepKind::Operators => return self.update(step),
            StepKind::Channel => {
                for it in self.world.subscriptions.iter_mut().filter(|it| own(&it.package)) {
                    it.channel = step.to.clone().unwrap_or_default();
                }
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

    /// Resolves until all bundles of the step were installed.
    fn update(&mut self, step: &PlanStep) -> Option<String> {
        let bundles = step.path.iter().flat_map(|element| match element {
            PathElement::Bundle(bundle) => std::slice::from_ref(bundle),
            PathElement::Together(bundles) => bundles.as_slice(),
        });
        let mut missing: BTreeSet<&String> = bundles.collect();
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
