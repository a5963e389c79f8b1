//! The answer of `resolve` as data: it is printed as JSON, and the tables are made from it. Parts that the engine
//! already makes in that form are taken over unchanged. This file replaces numbers by names and facts by words, and
//! makes one record of each choice.

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
use super::resolution::{Because, Operator, Preferred, Resolution, Verdict};
use super::rows::World;
use super::steps::{NewSubscription, Steps, UpdatedSubscription};
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
    pub operators: Vec<OperatorAnswer>,
    /// The operators that stay as they are.
    pub kept: Vec<KeptAnswer>,
    /// The steps that OLM takes then.
    pub steps: StepsAnswer,
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

/// An operator that is to be installed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperatorAnswer {
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
    /// The bundle that it replaces, or empty. OLM takes that from the catalog even if nothing was installed.
    pub replaces: String,
    /// Whether it replaces something installed.
    pub is_upgrade: bool,
    /// Its image.
    pub image: String,
    /// The reason why it is there.
    pub because: Vec<BecauseAnswer>,
    /// The place where it is written.
    #[serde(flatten)]
    pub place: Place,
}

/// An installed operator that stays.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeptAnswer {
    /// Its name.
    pub name: String,
    /// Its version, or empty.
    pub version: String,
    /// The reason why it stays.
    pub because: Vec<BecauseAnswer>,
}

/// The reason why an operator is there.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BecauseAnswer {
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

/// The steps that OLM takes.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepsAnswer {
    /// Whether an InstallPlan is made. Without one nothing happens.
    pub install_plan: bool,
    /// Whether a person must approve it.
    pub needs_approval: bool,
    /// The bundles that are unpacked and installed.
    pub bundles: Vec<String>,
    /// Subscriptions that are made for dependencies.
    pub new_subscriptions: Vec<NewSubscription>,
    /// Subscriptions that change.
    pub updated_subscriptions: Vec<UpdatedSubscription>,
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
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
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
        let mut answer = Self {
            namespace: world.namespace.clone(),
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
        self.operators = resolution.operators.iter().map(|it| operator(world, it)).collect();
        let kept = |it: &super::resolution::RetainedOperator| KeptAnswer {
            name: it.name.clone(),
            version: it.version.clone(),
            because: it.because.iter().map(because).collect(),
        };
        self.kept = resolution.kept.iter().map(kept).collect();
        self.warnings.clone_from(&resolution.warnings);
        self.warnings.extend(other_namespaces::warnings(world, resolution));
        let name = |it: &usize| resolution.operators.get(*it).map(|it| it.name.clone());
        self.steps = StepsAnswer {
            install_plan: steps.makes_install_plan,
            needs_approval: steps.needs_approval,
            bundles: steps.bundles.iter().filter_map(name).collect(),
            new_subscriptions: steps.new_subscriptions.clone(),
            updated_subscriptions: steps.updated_subscriptions.clone(),
        };
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

fn operator(world: &World, it: &Operator) -> OperatorAnswer {
    let catalog = world.catalogs.get(it.catalog).cloned().unwrap_or_default();
    OperatorAnswer {
        name: it.name.clone(),
        version: it.version.clone(),
        package: it.package.clone(),
        channel: it.channel.clone(),
        catalog: catalog.name,
        catalog_namespace: catalog.namespace,
        replaces: it.replaces.clone(),
        is_upgrade: world.installed.iter().any(|csv| csv.name == it.replaces && !csv.is_copied),
        image: it.image.clone(),
        because: it.because.iter().map(because).collect(),
        place: it.place.clone(),
    }
}

fn because(because: &Because) -> BecauseAnswer {
    let mut answer = BecauseAnswer { ..BecauseAnswer::default() };
    match because {
        Because::Installed => {}
        Because::Subscription { name, refused } => {
            answer.subscription.clone_from(name);
            answer.passed_over = *refused;
        }
        Because::Required { by, text, message, place, refused, provision } => {
            answer.place.clone_from(place);
            answer.is_shared = provision.is_shared;
            answer.passed_over_operators.clone_from(&provision.passed_over);
            answer.preferred_to.clone_from(&provision.preferred_to);
            answer.required_by.clone_from(by);
            answer.requirement.clone_from(text);
            answer.message.clone_from(message);
            answer.passed_over = *refused;
        }
    }
    answer
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
    let mut answer = CoreFact { olm_message: fact.message.clone(), place: fact.place.clone(), ..CoreFact::default() };
    let identifiers = |of: &[Named]| of.iter().map(|it| it.identifier.clone()).collect();
    let kind = match &fact.kind {
        FactKind::Subscription { name } => {
            answer.subscription.clone_from(name);
            "subscription"
        }
        FactKind::Invalid { name } => {
            answer.subscription.clone_from(name);
            "invalidSubscription"
        }
        FactKind::Subscribed { name, candidates } => {
            answer.subscription.clone_from(name);
            answer.operators = identifiers(candidates);
            "subscribed"
        }
        FactKind::Unreferenced { operator } => {
            answer.operator.clone_from(&operator.identifier);
            "unreferenced"
        }
        FactKind::Deprecated { operator } => {
            answer.operator.clone_from(&operator.identifier);
            "deprecated"
        }
        FactKind::Requires { operator, candidates, .. } => {
            answer.operator.clone_from(&operator.identifier);
            answer.operators = identifiers(candidates);
            "requires"
        }
        FactKind::Replaces { operator, installed } => {
            answer.operator.clone_from(&operator.identifier);
            answer.operators = identifiers(std::slice::from_ref(installed));
            "replaces"
        }
        FactKind::Providers { api, operators } => {
            answer.api = Some(api.clone());
            answer.operators = identifiers(operators);
            "oneProvider"
        }
        FactKind::Package { package, operators } => {
            answer.package.clone_from(package);
            answer.operators = identifiers(operators);
            "onePackage"
        }
    };
    kind.clone_into(&mut answer.kind);
    answer
}
