//! ClusterCatalogs of OLM v1 (`docs/behaviour/olm-v1.md` 5.1).

use std::collections::BTreeMap;

use super::condition::Condition;
use super::object::Object;
use olmdex_base::diag::Place;

/// A ClusterCatalog.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterCatalog {
    /// Its name.
    pub name: String,
    /// `spec.source.image.ref`, or empty.
    pub image: String,
    /// `spec.priority`; higher is preferred.
    pub priority: i64,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Whether `spec.availabilityMode` is `Unavailable`.
    pub is_unavailable: bool,
    /// Its conditions.
    pub conditions: Vec<Condition>,
    /// The place where it is written.
    pub place: Place,
}

impl ClusterCatalog {
    pub(super) fn read(object: &Object<'_>) -> Self {
        Self {
            name: object.name(),
            image: object.text(&["spec", "source", "image", "ref"]),
            priority: object.at(&["spec", "priority"]).and_then(|it| it.as_f64()).unwrap_or_default() as i64,
            labels: object.labels(),
            is_unavailable: object.text(&["spec", "availabilityMode"]) == "Unavailable",
            conditions: Condition::all(object, &["status", "conditions"]),
            place: object.place.clone(),
        }
    }

    /// Whether it answers questions, according to its own conditions: one that never did has none of the type Serving.
    #[must_use]
    pub fn serves(&self) -> bool {
        !self.is_unavailable && (self.conditions.is_empty() || Condition::is(&self.conditions, "Serving", "True"))
    }
}
