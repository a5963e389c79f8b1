//! The result of a journey.

use std::collections::BTreeMap;

use crate::plan::answer::{Blocker, Decision, PlanStep, RouteStep, Unknown};
use crate::plan::operator_state::OperatorState;
use olmdex_constraint::openshift::Minor;
use olmdex_olm::upgrade::compat::Compatibility;
use olmdex_olm::upgrade::{PathStep, Setting, Target};
use olmdex_rules::openshift::Support;

/// The time of a step, relative to a version of the platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::plan) enum When {
    /// After the platform has come to it.
    After(usize),
    /// Before the platform leaves it.
    Before(usize),
    /// At the end, as an option.
    AtTheEnd,
}

/// The result of a journey.
#[derive(Clone, Default)]
pub(in crate::plan) struct Journey {
    pub(in crate::plan) state: BTreeMap<Minor, OperatorState>,
    pub(in crate::plan) compatible: BTreeMap<Minor, Compatibility>,
    pub(in crate::plan) because: BTreeMap<Minor, String>,
    pub(in crate::plan) support: Option<Support>,
    pub(in crate::plan) now: Option<String>,
    pub(in crate::plan) target: Option<String>,
    pub(in crate::plan) target_support: Option<Support>,
    pub(in crate::plan) entry_point: BTreeMap<Minor, String>,
    pub(in crate::plan) steps: Vec<(When, PlanStep)>,
    /// The updates of all required steps, one after another, with the setting before each.
    pub(in crate::plan) way: Vec<PathStep>,
    pub(in crate::plan) blockers: Vec<Blocker>,
    pub(in crate::plan) decisions: Vec<Decision>,
    pub(in crate::plan) unknowns: Vec<Unknown>,
}

/// Any of some versions, in words.
pub(in crate::plan) fn either(minors: &[Minor]) -> String {
    minors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

pub(in crate::plan) fn setting(field: &str, value: &str) -> Option<Setting> {
    Some(Setting { field: field.to_owned(), value: value.to_owned() })
}

/// The updates from bundle to bundle.
pub(in crate::plan) fn route(way: &[Target]) -> Vec<RouteStep> {
    let step = |it: &Target| {
        let fields: Vec<String> = it.permits.iter().map(|it| format!("{} {}", it.field.as_str(), it.value)).collect();
        RouteStep {
            bundle: it.bundle.clone(),
            catalog: it.catalog.clone(),
            because: fields.join("; "),
            place: it.permits.first().map(olmdex_olm::upgrade::Permit::place).unwrap_or_default(),
        }
    };
    way.iter().map(step).collect()
}
