//! OperatorConditions: what operators say of their own updates.
//!
//! What it deliberately does not do: an operator cannot keep the platform from an update this way, only its own.

use super::condition::Condition;
use super::object::Object;
use olmdex_base::diag::Place;

/// An OperatorCondition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperatorCondition {
    /// Its name: that of the ClusterServiceVersion.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// What it says, with what administrators say instead.
    pub conditions: Vec<Condition>,
    /// Its `status.conditions`: what the operator itself has reported.
    pub reported: Vec<Condition>,
    /// Where it is written.
    pub place: Place,
}

impl OperatorCondition {
    pub(super) fn read(object: &Object<'_>) -> Self {
        // An override counts before what the operator says.
        let mut conditions = Condition::all(object, &["spec", "overrides"]);
        conditions.extend(Condition::all(object, &["spec", "conditions"]));
        let reported = Condition::all(object, &["status", "conditions"]);
        conditions.extend(reported.iter().cloned());
        Self { name: object.name(), namespace: object.namespace(), conditions, reported, place: object.place.clone() }
    }

    /// Why the operator is not to be updated now; `None` if it may be.
    #[must_use]
    pub fn refusal(&self) -> Option<&Condition> {
        Condition::find(&self.conditions, "Upgradeable").filter(|it| it.status == "False")
    }
}
