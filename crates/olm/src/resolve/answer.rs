//! The answer of `resolve` as data: it is printed as JSON, and the tables are made from it. The engine makes operators
//! and steps in that form, and they are taken over unchanged. This file replaces facts by words.

use olmdex_rules::explain::decode;
use schemars::JsonSchema;
use serde::Serialize;

use super::conflict::{Conflict, ConflictFact, FactKind, Named};
use super::explain::{Sentence, story};
use super::failure::Failure;
use super::generations::Round;
use super::other_namespaces;
use super::position::Standing;
use super::repair::Repair;
use super::resolution::{Operator, Resolution, RetainedOperator, Verdict};
use super::rows::World;
use super::steps::Steps;
use crate::obstacle::Obstacle;
use olmdex_base::diag::Place;
use olmdex_fbc::Api;

/// The answer to a resolution of a namespace.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolutionAnswer {
    /// The namespace.
    pub namespace: String,
    /// The number of the resolution, from 1, if several follow each other.
    pub generation: usize,
    /// The result.
    pub outcome: Outcome,
    /// The operators to install, in the order in which they were chosen.
    pub operators: Vec<Operator>,
    /// The operators that stay as they are.
    pub kept: Vec<RetainedOperator>,
    /// The steps that OLM takes then.
    pub steps: Steps,
    /// Subscriptions that do not get the best that there is.
    pub behind: Vec<BehindAnswer>,
    /// The positions of Subscriptions that have something installed and get nothing new.
    pub standings: Vec<Standing>,
    /// The reason why it cannot be, if it cannot.
    pub conflict: Option<ConflictAnswer>,
    /// The reason why there is no answer, if there is none.
    pub failure: Option<FailureAnswer>,
    /// The names that are installed afterwards.
    pub installed: Vec<String>,
    /// The generation after which everything was as it is afterwards, 0 for the beginning; only if it was. Then the
    /// namespace never becomes stable.
    pub installed_before: Option<usize>,
    /// The points where OLM may give another answer; only on request.
    pub quirks: Vec<String>,
    /// The obstacles between the operators of the namespace and their next versions that the cluster's own objects
    /// show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<Obstacle>,
    /// The problems that come after the choice, which knows nothing of them: OLM installs the operator, and its
    /// ClusterServiceVersion then fails or stays in `Pending`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub afterwards: Vec<Obstacle>,
    /// The Subscriptions of the namespace that the answer leaves out, since their catalogs are not available: if there
    /// are any, no contradiction is certain, and neither is that nothing changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_subscriptions: Vec<String>,
    /// Warnings about the input.
    pub warnings: Vec<String>,
}

/// The result of a resolution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// There is an answer.
    #[default]
    Resolved,
    /// The requirements contradict each other.
    Unsatisfiable,
    /// OLM does not get as far as an answer.
    Failed,
}

/// A Subscription that does not get the best that there is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BehindAnswer {
    /// The Subscription.
    pub subscription: String,
    /// The bundle that it gets or keeps.
    pub gets: String,
    /// The bundle that it prefers.
    pub wanted: String,
    /// Whether only earlier choices stand in the way.
    pub is_choice: bool,
    /// Why not.
    pub because: Vec<Sentence>,
    /// Single changes after which it gets that bundle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Repair>,
}

/// The reason why a namespace cannot be resolved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConflictAnswer {
    /// The message in the conditions of all Subscriptions of the namespace.
    pub olm_message: String,
    /// In plain words.
    pub because: Vec<Sentence>,
    /// The facts, none of which can be left out.
    pub core: Vec<CoreFact>,
    /// Single changes that help.
    pub repairs: Vec<Repair>,
}

/// A fact of a contradiction.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreFact {
    /// The kind of fact: subscription, invalidSubscription, subscribed, unreferenced, deprecated, requires, replaces,
    /// oneProvider or onePackage.
    pub kind: String,
    /// In OLM's words.
    pub olm_message: String,
    /// The Subscription, or empty.
    pub subscription: String,
    /// The operator, or empty.
    pub operator: String,
    /// The package that may be there once, or empty.
    pub package: String,
    /// The API that may be provided once.
    pub api: Option<Api>,
    /// The operators that it is about, as OLM identifies them, the preferred ones first.
    pub operators: Vec<String>,
    /// The place where the fact is written; no file if it is in none.
    #[serde(flatten)]
    pub place: Place,
}

/// The reason why there is no answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureAnswer {
    /// In OLM's words.
    pub olm_message: String,
    /// The operator that is to blame, as OLM identifies it, or empty.
    pub operator: String,
    /// The remedy, or empty.
    pub help: String,
    /// The place where the cause is written; no file if it is in none.
    #[serde(flatten)]
    pub place: Place,
    /// The failures, each by itself, if OLM reports several at once.
    pub parts: Vec<FailureAnswer>,
}

impl ResolutionAnswer {
    /// The answer of one generation; `world` is the one that was resolved.
    pub fn new(world: &World, generation: &Round, number: usize) -> Self {
        let is_known = |name: &str| world.subscriptions.iter().any(|known| known.name == name);
        let all = world.cluster.subscriptions.iter().filter(|it| it.namespace == world.namespace);
        let mut answer = Self {
            namespace: world.namespace.clone(),
            skipped_subscriptions: all.map(|it| it.name.clone()).filter(|name| !is_known(name)).collect(),
            generation: number,
            installed: generation.installed.clone(),
            installed_before: generation.repeats,
            ..Self::default()
        };
        match &generation.verdict {
            Verdict::Resolved(resolution) => answer.fill(world, resolution, &generation.steps),
            Verdict::Unsatisfiable(conflict) => {
                answer.outcome = Outcome::Unsatisfiable;
                answer.warnings.clone_from(&conflict.warnings);
                answer.conflict = Some(self::conflict(conflict));
            }
        }
        answer
    }

    /// The answer that there is none, because of a failure that OLM has too; `number` counts resolutions from 1.
    pub fn of_failure(world: &World, failure: &Failure, number: usize) -> Self {
        let mut installed: Vec<String> =
            world.installed.iter().filter(|it| !it.is_copied).map(|it| it.name.clone()).collect();
        installed.sort();
        let generation = Round {
            verdict: Verdict::Resolved(Resolution::default()),
            steps: Steps::default(),
            installed: if number > 1 { installed } else { Vec::new() },
            repeats: None,
        };
        let mut answer = Self::new(world, &generation, number);
        answer.outcome = Outcome::Failed;
        answer.failure = Some(FailureAnswer::new(failure));
        answer
    }

    /// Adds the positions of Subscriptions that get nothing new.
    pub fn add_standings(&mut self, standings: Vec<Standing>) {
        self.standings = standings;
    }

    /// Adds the changes that help.
    pub fn add_repairs(&mut self, repairs: Vec<Repair>) {
        if let Some(conflict) = &mut self.conflict {
            conflict.repairs = repairs;
        }
    }

    fn fill(&mut self, world: &World, resolution: &Resolution, steps: &Steps) {
        self.operators.clone_from(&resolution.operators);
        self.kept.clone_from(&resolution.kept);
        self.steps.clone_from(steps);
        self.warnings.clone_from(&resolution.warnings);
        self.warnings.extend(other_namespaces::warnings(world, resolution));
        self.behind = resolution
            .behind
            .iter()
            .map(|it| BehindAnswer {
                subscription: it.subscription.clone(),
                gets: it.gets.clone(),
                wanted: it.wanted.name.clone(),
                is_choice: it.is_choice,
                because: story(&it.facts),
                repairs: Vec::new(),
            })
            .collect();
    }
}

impl FailureAnswer {
    fn new(failure: &Failure) -> Self {
        let (operator, help, place) = match failure {
            Failure::Constraint(it) => {
                (it.operator.clone(), it.error.help().unwrap_or_default().to_owned(), it.place.clone())
            }
            Failure::Several(_) => Default::default(),
            failure => {
                let meaning = decode(&failure.to_string()).map(|known| known.meaning);
                (String::new(), meaning.unwrap_or_default(), Place::default())
            }
        };
        let parts = match failure {
            // The other kinds of failure have no parts.
            Failure::Several(parts) => parts.iter().map(Self::new).collect(),
            _ => Vec::new(),
        };
        Self { olm_message: failure.to_string(), operator, help, place, parts }
    }
}

fn conflict(conflict: &Conflict) -> ConflictAnswer {
    ConflictAnswer {
        olm_message: conflict.olm_text(),
        because: story(&conflict.facts),
        core: conflict.facts.iter().map(core_fact).collect(),
        repairs: Vec::new(),
    }
}

fn core_fact(fact: &ConflictFact) -> CoreFact {
    let (kind, subscription, operator, operators): (&str, &str, Option<&Named>, &[Named]) = match &fact.kind {
        FactKind::Subscription { name } => ("subscription", name, None, &[]),
        FactKind::Invalid { name } => ("invalidSubscription", name, None, &[]),
        FactKind::Subscribed { name, candidates } => ("subscribed", name, None, candidates),
        FactKind::Unreferenced { operator } => ("unreferenced", "", Some(operator), &[]),
        FactKind::Deprecated { operator } => ("deprecated", "", Some(operator), &[]),
        FactKind::Requires { operator, candidates, .. } => ("requires", "", Some(operator), candidates),
        FactKind::Replaces { operator, installed } => ("replaces", "", Some(operator), std::slice::from_ref(installed)),
        FactKind::Providers { operators, .. } => ("oneProvider", "", None, operators),
        FactKind::Package { operators, .. } => ("onePackage", "", None, operators),
    };
    let (package, api) = match &fact.kind {
        FactKind::Package { package, .. } => (package.clone(), None),
        FactKind::Providers { api, .. } => (String::new(), Some(api.clone())),
        _ => (String::new(), None),
    };
    CoreFact {
        kind: kind.to_owned(),
        olm_message: fact.message.clone(),
        subscription: subscription.to_owned(),
        operator: operator.map(|operator| operator.identifier.clone()).unwrap_or_default(),
        package,
        api,
        operators: operators.iter().map(|operator| operator.identifier.clone()).collect(),
        place: fact.place.clone(),
    }
}
