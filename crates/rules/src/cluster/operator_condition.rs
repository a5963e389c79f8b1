//! OperatorConditions: the reports of operators about their own updates.

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
    /// The operator's conditions, with those that administrators set instead.
    pub conditions: Vec<Condition>,
    /// Its `status.conditions`: the reports of the operator itself.
    pub reported: Vec<Condition>,
    /// The place where it is written.
    pub place: Place,
}

impl OperatorCondition {
    pub(super) fn read(object: &Object<'_>) -> Self {
        // An override counts before the operator's report.
        let mut conditions = Condition::all(object, &["spec", "overrides"]);
        conditions.extend(Condition::all(object, &["spec", "conditions"]));
        let reported = Condition::all(object, &["status", "conditions"]);
        conditions.extend(reported.iter().cloned());
        Self { name: object.name(), namespace: object.namespace(), conditions, reported, place: object.place.clone() }
    }

    /// The reason why the operator is not to be updated now; `None` if it may be.
    pub fn refusal(&self) -> Option<&Condition> {
        Condition::find(&self.conditions, "Upgradeable").filter(|it| it.status == "False")
    }
}
