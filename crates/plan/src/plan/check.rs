//! The progress of a plan: its steps compared with the cluster as it is now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::answer::{Blocker, OperatorPlan, PathElement, Plan, PlanOptions, PlanStep, PlanVerdict, StepKind};
use super::code::Code;
use super::question::PlanQuestion;
use olmdex_constraint::openshift::Minor;
use olmdex_index::IndexError;
use olmdex_index::query::BundleSelector;
use olmdex_rules::openshift::coerce;
use olmdex_version::Version;

/// The parts of a saved plan that its progress needs.
#[derive(Debug, Clone, Deserialize)]
pub struct SavedPlan {
    kind: String,
    metadata: SavedMetadata,
    steps: Vec<PlanStep>,
    #[serde(default)]
    blockers: Vec<SavedBlocker>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedMetadata {
    from: String,
    to: String,
    #[serde(default)]
    cluster_changed: String,
    #[serde(default)]
    catalogs: Vec<SavedCatalog>,
    #[serde(default)]
    options: PlanOptions,
}

#[derive(Debug, Clone, Deserialize)]
struct SavedCatalog {
    minor: String,
    #[serde(default)]
    family: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct SavedBlocker {
    code: Code,
    subject: Option<String>,
    platform: Option<String>,
}

/// Why a text is not a saved plan.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("it is not a plan: {0}")]
pub struct NotAPlan(String);

impl SavedPlan {
    /// Reads the output of `olmdex plan -o json`.
    ///
    /// # Errors
    /// If it is something else.
    pub fn read(text: &[u8]) -> Result<Self, NotAPlan> {
        let plan: Self = serde_json::from_slice(text).map_err(|error| NotAPlan(error.to_string()))?;
        if plan.kind != "Plan" {
            return Err(NotAPlan(format!("its kind is `{}`", plan.kind)));
        }
        plan.to().ok_or_else(|| NotAPlan(format!("`{}` is not a version", plan.metadata.to)))?;
        Ok(plan)
    }

    /// The version that it leads to.
    pub fn to(&self) -> Option<Minor> {
        coerce(&self.metadata.to)
    }

    /// The options that it was made with; `None` if an older olmdex saved it.
    pub fn options(&self) -> &PlanOptions {
        &self.metadata.options
    }

    /// The catalogs that it was made with, as `MINOR` or `MINOR/FAMILY`.
    pub fn catalogs(&self) -> Vec<String> {
        let name = |it: &SavedCatalog| match it.family.as_str() {
            "" => it.minor.clone(),
            family => format!("{}/{family}", it.minor),
        };
        self.metadata.catalogs.iter().map(name).collect()
    }
}

/// The progress of a plan.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanProgress {
    /// Version of the output's form: `olmdex/v1`.
    pub api_version: String,
    /// `PlanProgress`
    pub kind: String,
    /// The subject of the progress.
    pub metadata: ProgressMetadata,
    /// Whether nothing required is left of the plan.
    pub is_done: bool,
    /// The verdict of planning again.
    pub verdict: PlanVerdict,
    /// The steps of the plan.
    pub steps: Vec<StepProgress>,
    /// The next step, by planning again; absent if nothing required is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<PlanStep>,
    /// Blockers that the plan did not know.
    pub new_blockers: Vec<Blocker>,
}

/// The subject of the progress of a plan.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProgressMetadata {
    /// The first version of the plan.
    pub from: String,
    /// The present version of the cluster.
    pub now: String,
    /// The target version of the plan.
    pub to: String,
    /// The time of the last change in the cluster when the plan was made, or empty.
    pub planned: String,
    /// The time of the last change in the cluster as it is now, or empty.
    pub checked: String,
}

/// The progress of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepProgress {
    /// Its number in the plan.
    pub number: usize,
    /// The step in a line.
    pub title: String,
    /// The progress.
    pub status: StepStatus,
    /// Whether the platform can be updated without it.
    pub optional: bool,
    /// The evidence for the progress.
    pub detail: String,
}

/// The progress of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepStatus {
    /// It is done.
    Done,
    /// A part of it is done.
    Partly,
    /// It is still to be done.
    Open,
    /// It is not done, and not needed any more.
    NotNeeded,
}

olmdex_base::named!(StepStatus => as_str);

/// Compares a saved plan with the plan of the present cluster.
///
/// # Errors
/// If the index cannot be read.
pub fn progress(saved: &SavedPlan, question: &PlanQuestion<'_>, now: &Plan) -> Result<PlanProgress, IndexError> {
    let mut steps = Vec::new();
    for step in &saved.steps {
        let (status, detail) = Comparison { question, now, saved }.step(step)?;
        let (title, optional) = (step.title(), step.optional);
        steps.push(StepProgress { number: step.number, title, status, optional, detail });
    }
    let is_required = |it: &&PlanStep| !it.optional;
    let is_known = |it: &&Blocker| {
        let it = SavedBlocker { code: it.code.clone(), subject: it.subject.clone(), platform: it.platform.clone() };
        saved.blockers.contains(&it)
    };
    let new_blockers: Vec<Blocker> = now.blockers.iter().filter(|it| !is_known(it)).cloned().collect();
    let next = now.steps.iter().find(is_required).cloned();
    let is_there = saved.to().is_some_and(|to| !question.from.is_before(to));
    let is_left = |it: &StepProgress| !it.optional && matches!(it.status, StepStatus::Open | StepStatus::Partly);
    Ok(PlanProgress {
        api_version: "olmdex/v1".to_owned(),
        kind: "PlanProgress".to_owned(),
        metadata: ProgressMetadata {
            from: saved.metadata.from.clone(),
            now: now.metadata.from.clone(),
            to: saved.metadata.to.clone(),
            planned: saved.metadata.cluster_changed.clone(),
            checked: now.metadata.cluster_changed.clone(),
        },
        is_done: is_there && next.is_none() && !steps.iter().any(is_left),
        verdict: now.verdict,
        steps,
        next,
        new_blockers,
    })
}

struct Comparison<'c> {
    question: &'c PlanQuestion<'c>,
    now: &'c Plan,
    saved: &'c SavedPlan,
}

impl Comparison<'_> {
    fn step(&self, step: &PlanStep) -> Result<(StepStatus, String), IndexError> {
        let cluster = self.question.cluster;
        let to = step.to.as_deref().unwrap_or_default();
        let has_reached = |minor: Option<Minor>| minor.is_some_and(|it| !self.question.from.is_before(it));
        let is_there = has_reached(self.saved.to());
        let yes_or_open =
            |is_done: bool, detail: String| (if is_done { StepStatus::Done } else { StepStatus::Open }, detail);
        let found = match step.kind {
            StepKind::Platform => {
                yes_or_open(has_reached(coerce(to)), format!("the cluster runs {}", self.now.metadata.from))
            }
            StepKind::ChannelOfCluster => {
                let channel = cluster.cluster_version.as_ref().map(|it| it.channel.as_str()).unwrap_or_default();
                yes_or_open(channel == to, format!("its channel is `{channel}`"))
            }
            StepKind::PausePools | StepKind::ResumePools => {
                let wanted = step.kind == StepKind::PausePools;
                let pools: Vec<_> = cluster.pools.iter().filter(|it| it.name != "master").collect();
                let n = pools.iter().filter(|it| it.is_paused).count();
                let detail = format!("{n} of {} pools are paused", pools.len());
                match (wanted, is_there) {
                    // Once the platform has arrived, nobody must pause the pools again.
                    (true, true) => (StepStatus::Done, detail),
                    (true, false) => yes_or_open(!pools.is_empty() && n == pools.len(), detail),
                    (false, true) => yes_or_open(!pools.is_empty() && n == 0, detail),
                    (false, false) => (StepStatus::Open, detail),
                }
            }
            StepKind::Channel => {
                let mut operators = self.subject(step);
                let operator = operators.next();
                let channel = operator.map(|it| it.channel.as_str()).unwrap_or_default();
                yes_or_open(operator.is_some() && channel == to, format!("its channel is `{channel}`"))
            }
            StepKind::Source => {
                let source = self.subject(step).next().map(|it| it.source.rsplit('/').next().unwrap_or_default());
                let words = format!("its source is `{}`", source.unwrap_or_default());
                yes_or_open(source.is_some_and(|it| it == to), words)
            }
            StepKind::Uninstall => {
                let n = self.subject(step).count();
                yes_or_open(n == 0, if n == 0 { "it is not installed" } else { "it is installed" }.to_owned())
            }
            StepKind::Mend => {
                let is_left = self.now.steps.iter().any(|it| it.kind == StepKind::Mend && it.subject == step.subject);
                yes_or_open(!is_left, if is_left { "it still needs repair" } else { "it is healthy" }.to_owned())
            }
            StepKind::Wait => {
                let is_left = self.now.steps.iter().any(|it| it.kind == StepKind::Wait && it.subject == step.subject);
                yes_or_open(
                    !is_left,
                    if is_left { "the update is not finished" } else { "no update is in progress" }.to_owned(),
                )
            }
            StepKind::Operator | StepKind::Operators | StepKind::Extension => self.updates(step)?,
        };
        Ok(self.unless_not_needed(step, found))
    }

    /// A step that is missing from the new plan is not needed any more, for whatever reason.
    fn unless_not_needed(&self, step: &PlanStep, found: (StepStatus, String)) -> (StepStatus, String) {
        let is_of_operator = matches!(
            step.kind,
            StepKind::Operator
                | StepKind::Operators
                | StepKind::Extension
                | StepKind::Channel
                | StepKind::Source
                | StepKind::Uninstall
        );
        if found.0 == StepStatus::Done || !is_of_operator || self.subject(step).next().is_none() {
            return found;
        }
        let subject = step.subject.as_deref().unwrap_or_default();
        let is_about = |it: &&PlanStep| {
            let other = it.subject.as_deref().unwrap_or_default();
            // A namespace's operators may be updated one by one, or together.
            other == subject
                || other.strip_prefix(subject).is_some_and(|it| it.starts_with('/'))
                || subject.strip_prefix(other).is_some_and(|it| !other.is_empty() && it.starts_with('/'))
        };
        let is_asked = self.now.steps.iter().filter(|it| step.optional || !it.optional).any(|it| is_about(&it));
        if is_asked { found } else { (StepStatus::NotNeeded, format!("{}; a new plan does not ask for it", found.1)) }
    }

    /// The operators that a step is about.
    fn subject<'s>(&'s self, step: &'s PlanStep) -> impl Iterator<Item = &'s OperatorPlan> {
        let subject = step.subject.as_deref().unwrap_or_default();
        self.now.operators.iter().filter(move |it| it.subject() == subject || it.namespace.as_deref() == Some(subject))
    }

    /// How many of the bundles on the path of a step have been reached or passed.
    fn updates(&self, step: &PlanStep) -> Result<(StepStatus, String), IndexError> {
        let bundles: Vec<&String> = step.path.iter().flat_map(PathElement::bundles).collect();
        let operators: Vec<&OperatorPlan> = self.subject(step).collect();
        if operators.is_empty() {
            return Ok((StepStatus::Open, "it is not installed".to_owned()));
        }
        let mut n_reached = 0;
        for bundle in &bundles {
            let selector = BundleSelector { name: Some((*bundle).clone()), ..BundleSelector::default() };
            let known = self.question.index.show_bundle(&selector)?;
            let is_reached = operators.iter().any(|it| {
                it.installed == **bundle
                    || known.iter().any(|row| {
                        let versions = (Version::parse(&it.version), Version::parse(&row.row.version));
                        row.row.package == it.package && matches!(versions, (Ok(now), Ok(then)) if now >= then)
                    })
            });
            n_reached += usize::from(is_reached);
        }
        let installed: Vec<&str> = operators.iter().map(|it| it.installed.as_str()).collect();
        let detail = format!("{} installed; {n_reached} of {} reached", installed.join(", "), bundles.len());
        let status = match n_reached {
            n if n == bundles.len() => StepStatus::Done,
            0 => StepStatus::Open,
            _ => StepStatus::Partly,
        };
        Ok((status, detail))
    }
}
