//! The conclusion from the conditions.

use schemars::JsonSchema;
use serde::Serialize;

use super::condition::{Acknowledgement, Condition, Met};

/// The readiness of an operator for OLM v1, in the order of reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// A ClusterExtension has taken its place, and the Subscription still exists.
    Conflict,
    /// It cannot move.
    Ineligible,
    /// The input does not show whether it can move.
    #[default]
    NotKnown,
    /// A ClusterExtension has taken its place.
    AlreadyMigrated,
    /// It can move.
    Eligible,
}

impl State {
    /// The words for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conflict => "conflict",
            Self::Ineligible => "ineligible",
            Self::NotKnown => "not known",
            Self::AlreadyMigrated => "already migrated",
            Self::Eligible => "eligible",
        }
    }

    /// Whether nothing speaks against OLM v1.
    pub fn is_good(self) -> bool {
        matches!(self, Self::AlreadyMigrated | Self::Eligible)
    }
}

/// The operators that are to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moving {
    /// An operator of a cluster, about which everything can be known.
    Installed,
    /// A bundle of a catalog. Conditions that only a cluster can decide, and that can be acknowledged there, do not
    /// count.
    FromCatalog,
}

/// Acknowledges conditions, and returns the state that they lead to.
pub fn state_of(conditions: &mut [Condition], acknowledged: &[Acknowledgement], moving: Moving) -> State {
    for condition in conditions.iter_mut().filter(|it| it.verdict != Met::Yes) {
        condition.is_acknowledged = condition.acknowledgement.is_some_and(|it| acknowledged.contains(&it));
    }
    let mut open = conditions.iter().filter(|it| it.decides());
    if open.clone().any(|it| it.verdict == Met::No) {
        return State::Ineligible;
    }
    let is_left_open = |it: &Condition| moving == Moving::Installed || it.acknowledgement.is_none();
    if open.any(is_left_open) { State::NotKnown } else { State::Eligible }
}
