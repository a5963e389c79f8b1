//! Conditions, as all kinds of objects have them.

use super::object::Object;
use olmdex_text::json::Value;

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Condition {
    /// Its type.
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// Its reason, or empty.
    pub reason: String,
    /// Its message, or empty.
    pub message: String,
    /// When it became so, as in `2026-01-31T12:00:00Z`, or empty.
    pub since: String,
}

/// When a condition last changed: OLM Classic's InstallPlans and Kubernetes name the time alike.
fn time_of(condition: Value<'_>) -> String {
    let times = ["lastTransitionTime", "lastUpdateTime"].map(|key| condition.text_of(key));
    times.into_iter().find(|time| !time.is_empty()).unwrap_or_default()
}

impl Condition {
    pub(super) fn read(value: Value<'_>) -> Self {
        Self {
            kind: value.text_of("type"),
            status: value.text_of("status"),
            reason: value.text_of("reason"),
            message: value.text_of("message"),
            since: time_of(value),
        }
    }

    pub(super) fn all(object: &Object<'_>, path: &[&str]) -> Vec<Self> {
        object.items(path).into_iter().map(Self::read).collect()
    }

    /// The condition of a type.
    pub fn find<'c>(conditions: &'c [Self], kind: &str) -> Option<&'c Self> {
        conditions.iter().find(|it| it.kind == kind)
    }

    /// Whether a condition has a status.
    pub fn is(conditions: &[Self], kind: &str, status: &str) -> bool {
        Self::find(conditions, kind).is_some_and(|it| it.status == status)
    }
}
