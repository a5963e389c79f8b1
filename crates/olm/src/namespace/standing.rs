//! The state of a namespace as an answer.

use schemars::JsonSchema;
use serde::Serialize;

use super::NamespaceInquiry;
use crate::obstacle::{Effect, Obstacle, ObstacleCode};
use crate::resolve::{Operator, Resolution};
use olmdex_base::diag::counted;
use olmdex_rules::cluster::Subscription;

/// The state of a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamespaceState {
    /// The namespace; empty for the ClusterExtensions of OLM v1, which belong to none.
    pub namespace: String,
    /// Its operators.
    pub operators: Vec<OperatorStanding>,
    /// All that keeps operators from their next version, in the order in which OLM asks.
    pub obstacles: Vec<Obstacle>,
}

/// An operator of a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperatorStanding {
    /// Its package; its ClusterServiceVersion if no Subscription names it.
    pub package: String,
    /// Its Subscription or ClusterExtension, or empty.
    pub name: String,
    /// The installed bundle, or empty.
    pub installed: String,
    /// The bundle that OLM installs next, if it does.
    pub next: Option<String>,
    /// The next deed of OLM, or the reason why there is none.
    pub state: String,
    /// Since when, as in `2026-01-31T12:00:00Z`, or empty.
    pub since: String,
    /// The next step of a person, or empty.
    pub step: String,
    /// Whether it is stuck: nothing changes until somebody acts.
    pub is_stuck: bool,
}

impl NamespaceInquiry<'_> {
    /// The state with these obstacles.
    pub(super) fn standing(&self, obstacles: Vec<Obstacle>, resolution: Option<&Resolution>) -> NamespaceState {
        let world = self.world;
        let next = |subscription: &Subscription| -> Option<&Operator> {
            let own = world.subscriptions.iter().find(|it| it.name == subscription.name)?;
            let operators = &resolution?.operators;
            operators.iter().find(|it| crate::resolve::is_about(own, it) && it.name != own.installed)
        };
        let mut operators: Vec<OperatorStanding> = self
            .subscriptions()
            .map(|it| {
                let installed = it.installed.clone();
                OperatorStanding::new(&it.package, &it.name, installed, next(it).map(|it| it.name.clone()), &obstacles)
            })
            .collect();
        let alone = self.own().filter(|csv| self.is_unmanaged(csv)).map(|csv| &csv.name);
        operators.extend(alone.map(|name| OperatorStanding::new(name, "", name.clone(), None, &obstacles)));
        NamespaceState { namespace: world.namespace.clone(), operators, obstacles }
    }
}

impl NamespaceState {
    /// Whether a limit ended the resolution.
    pub fn is_unknown(&self) -> bool {
        self.obstacles.iter().any(|it| it.code == ObstacleCode::ResolutionUnknown)
    }

    /// Whether nothing changes until somebody acts.
    pub fn is_stuck(&self) -> bool {
        self.obstacles.iter().any(|it| it.effect == Effect::Stops)
    }
}

/// How many operators are stuck, wait for an approval, cannot be judged, and go on.
pub fn headline(states: &[NamespaceState]) -> String {
    let all: Vec<_> =
        states.iter().flat_map(|state| state.operators.iter().map(move |it| (it, it.first(state)))).collect();
    let n_with = |is_so: &dyn Fn(&OperatorStanding, &Obstacle) -> bool| {
        all.iter().filter(|(operator, first)| first.is_some_and(|it| is_so(operator, it))).count() as u64
    };
    let n_stuck = n_with(&|operator, _| operator.is_stuck);
    let n_waiting = n_with(&|_, first| first.code == ObstacleCode::ApprovalNeeded);
    let n_unjudged = n_with(&|operator, first| operator.next.is_none() && first.effect == Effect::Unknown);
    let without_catalog = n_with(&|_, first| first.code == ObstacleCode::CatalogNotGiven) == n_unjudged;
    let operators = counted(all.len() as u64, "operator");
    let later = states.iter().flat_map(|it| &it.obstacles).filter(|it| it.effect == Effect::Later).count() as u64;
    let more =
        if later == 0 { String::new() } else { format!("; {} will stop a later step", counted(later, "problem")) };
    let more = match states.iter().filter(|state| state.is_unknown()).count() as u64 {
        0 => more,
        n => format!("; {} beyond the limits of olmdex{more}", counted(n, "namespace")),
    };
    let mut parts = match n_stuck {
        0 if n_waiting + n_unjudged > 0 => Vec::new(),
        0 if all.len() == 1 => vec!["the operator is not stuck".to_owned()],
        0 => vec![format!("none of {operators} is stuck")],
        1 => vec![format!("1 of {operators} is stuck")],
        n => vec![format!("{n} of {operators} are stuck")],
    };
    let of_all = |parts: &[String]| if parts.is_empty() { format!(" of {operators}") } else { String::new() };
    match n_waiting {
        0 => {}
        1 => parts.push(format!("1{} waits for you", of_all(&parts))),
        n => parts.push(format!("{n}{} wait for you", of_all(&parts))),
    }
    if n_unjudged > 0 {
        let why = if without_catalog { ": no catalog is tied" } else { "" };
        parts.push(format!("{n_unjudged}{} cannot be judged{why}", of_all(&parts)));
    }
    parts.join(", ") + &more
}

/// The first thing that keeps an operator of a namespace from every other version now; `subject` is its Subscription or
/// ClusterServiceVersion. A channel that leads nowhere is no such thing: another channel may lead on. A limit that
/// ended the resolution is one.
pub fn first_obstacle<'s>(states: &'s [NamespaceState], namespace: &str, subject: &str) -> Option<&'s Obstacle> {
    let mut own = states.iter().filter(|state| state.namespace == namespace).flat_map(|state| &state.obstacles);
    let now = own.clone().find(|it| it.is_now() && it.concerns(subject) && it.code != ObstacleCode::Stranded);
    now.or_else(|| own.find(|it| it.code == ObstacleCode::ResolutionUnknown))
}

/// The reason why nothing follows an operator of a namespace by itself: its channel leads nowhere, or it has no
/// Subscription.
pub fn lasting_obstacle<'s>(states: &'s [NamespaceState], namespace: &str, subject: &str) -> Option<&'s Obstacle> {
    let mut own = states.iter().filter(|state| state.namespace == namespace).flat_map(|state| &state.obstacles);
    own.find(|it| it.concerns(subject) && matches!(it.code, ObstacleCode::Stranded | ObstacleCode::Unmanaged))
}

/// The bundle that OLM installs next for an operator of a namespace; `subject` is its Subscription or
/// ClusterServiceVersion.
pub fn next_bundle<'s>(states: &'s [NamespaceState], namespace: &str, subject: &str) -> Option<&'s str> {
    let own = states.iter().filter(|state| state.namespace == namespace).flat_map(|state| &state.operators);
    own.into_iter().find(|operator| operator.subject() == subject)?.next.as_deref()
}

fn first<'s>(subject: &str, obstacles: &'s [Obstacle]) -> Option<&'s Obstacle> {
    let own = obstacles.iter().filter(|obstacle| obstacle.concerns(subject));
    own.min_by_key(|obstacle| (!obstacle.is_now(), obstacle.effect != Effect::Unknown))
}

impl OperatorStanding {
    /// The name that obstacles use for it.
    pub fn subject(&self) -> &str {
        if self.name.is_empty() { &self.installed } else { &self.name }
    }

    /// The obstacle that explains its state: present ones come first, then unknown facts, then those of later steps.
    pub fn first<'s>(&self, state: &'s NamespaceState) -> Option<&'s Obstacle> {
        first(self.subject(), &state.obstacles)
    }

    pub(super) fn new(
        package: &str,
        name: &str,
        installed: String,
        next: Option<String>,
        obstacles: &[Obstacle],
    ) -> Self {
        let subject = if name.is_empty() { installed.as_str() } else { name };
        let first = first(subject, obstacles);
        let state = match (first, &next, installed.is_empty()) {
            (Some(obstacle), ..) if obstacle.is_now() || next.is_none() => obstacle.text.clone(),
            (_, Some(next), true) => format!("OLM installs {next}"),
            (_, Some(next), false) => format!("OLM upgrades it to {next}"),
            (_, None, true) => "nothing to install".to_owned(),
            (_, None, false) => "up to date".to_owned(),
        };
        Self {
            package: package.to_owned(),
            name: name.to_owned(),
            installed,
            next,
            state,
            since: first.map(|it| it.since.clone()).unwrap_or_default(),
            step: first.and_then(|it| it.remedies.first()).map(|it| it.change.clone()).unwrap_or_default(),
            is_stuck: first.is_some_and(|it| it.effect == Effect::Stops),
        }
    }
}
