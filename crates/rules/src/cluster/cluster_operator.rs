//! ClusterOperators and MachineConfigPools: the state of the platform itself.

use super::condition::Condition;
use super::object::Object;
use olmdex_base::diag::Place;

/// A ClusterOperator.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterOperator {
    /// Its name.
    pub name: String,
    /// Its conditions.
    pub conditions: Vec<Condition>,
    /// `status.versions`: name and version.
    pub versions: Vec<(String, String)>,
    /// The place where it is written.
    pub place: Place,
}

impl ClusterOperator {
    pub(super) fn read(object: &Object<'_>) -> Self {
        let versions = object.items(&["status", "versions"]);
        Self {
            name: object.name(),
            conditions: Condition::all(object, &["status", "conditions"]),
            versions: versions.into_iter().map(|it| (it.text_of("name"), it.text_of("version"))).collect(),
            place: object.place.clone(),
        }
    }
}

/// A MachineConfigPool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MachineConfigPool {
    /// Its name.
    pub name: String,
    /// `spec.paused`
    pub is_paused: bool,
    /// Its conditions.
    pub conditions: Vec<Condition>,
    /// The place where it is written.
    pub place: Place,
}

impl MachineConfigPool {
    pub(super) fn read(object: &Object<'_>) -> Self {
        Self {
            name: object.name(),
            is_paused: object.at(&["spec", "paused"]).and_then(|it| it.as_bool()).unwrap_or_default(),
            conditions: Condition::all(object, &["status", "conditions"]),
            place: object.place.clone(),
        }
    }
}
