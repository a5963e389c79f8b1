//! CatalogSources: which catalogs a cluster has, and which it prefers (`docs/behaviour/olm-classic.md` 1.4).

use super::object::Object;
use olmdex_base::diag::Place;

/// A CatalogSource.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CatalogSource {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// `spec.priority`; higher is preferred.
    pub priority: i64,
    /// `spec.image`, or empty.
    pub image: String,
    /// `spec.sourceType`, or empty.
    pub source_type: String,
    /// `spec.updateStrategy.registryPoll.interval`, or empty.
    pub poll_interval: String,
    /// The fields of its `spec` that a ClusterCatalog has no place for.
    pub without_place: Vec<&'static str>,
    /// `status.connectionState.lastObservedState`, or empty.
    pub state: String,
    /// When its state was last observed to change, or empty.
    pub since: String,
    /// `status.message`: why it has no registry, or empty.
    pub message: String,
    /// The place where it is written.
    pub place: Place,
}

impl CatalogSource {
    pub(super) fn read(object: &Object<'_>) -> Self {
        Self {
            name: object.name(),
            namespace: object.namespace(),
            priority: object.at(&["spec", "priority"]).and_then(|it| it.as_f64()).unwrap_or_default() as i64,
            image: object.text(&["spec", "image"]),
            source_type: object.text(&["spec", "sourceType"]),
            poll_interval: object.text(&["spec", "updateStrategy", "registryPoll", "interval"]),
            without_place: ["secrets", "grpcPodConfig"]
                .into_iter()
                .filter(|it| object.at(&["spec", it]).is_some_and(|it| !it.is_null()))
                .collect(),
            state: object.text(&["status", "connectionState", "lastObservedState"]),
            since: object.text(&["status", "connectionState", "lastConnect"]),
            message: object.text(&["status", "message"]),
            place: object.place.clone(),
        }
    }

    /// Whether its registry is known not to answer. OLM connects by itself to one that is idle.
    pub fn is_unreachable(&self) -> bool {
        matches!(self.state.as_str(), "TRANSIENT_FAILURE" | "SHUTDOWN")
    }

    /// Whether its registry is not known to answer.
    pub fn is_unready(&self) -> bool {
        !matches!(self.state.as_str(), "" | "READY" | "IDLE")
    }
}
