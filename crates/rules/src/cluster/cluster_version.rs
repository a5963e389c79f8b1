//! ClusterVersions: which version of OpenShift a cluster runs, and which updates it knows of.

use super::condition::Condition;
use super::object::Object;
use olmdex_base::diag::Place;
use olmdex_text::json::Value;

/// A ClusterVersion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterVersion {
    /// `spec.clusterID`, or empty.
    pub cluster_id: String,
    /// The version that was reached last; otherwise the wanted one; or empty.
    pub version: String,
    /// `status.desired.version`, or empty.
    pub desired: String,
    /// `spec.channel`, or empty.
    pub channel: String,
    /// `status.desired.architecture`, which only releases for several architectures have (`Multi`), or empty.
    pub architecture: String,
    /// `status.availableUpdates`: recommended.
    pub available: Vec<String>,
    /// `status.conditionalUpdates`: the version, and the update with its risks as compact JSON.
    pub conditional: Vec<(String, String)>,
    /// Its conditions.
    pub conditions: Vec<Condition>,
    /// The place where it is written.
    pub place: Place,
}

impl ClusterVersion {
    /// The architecture of its release, as channels name it, if it is stated: by a field of its own, or by the message
    /// that its payload was loaded.
    pub(super) fn architecture_said(&self) -> Option<String> {
        let loaded = Condition::find(&self.conditions, "ReleaseAccepted").map(|it| it.message.as_str());
        let of_payload = loaded.and_then(|it| it.split_once("architecture=\"")?.1.split_once('"')).map(|it| it.0);
        let wording = Some(self.architecture.as_str()).filter(|it| !it.is_empty()).or(of_payload)?;
        Some(wording.to_lowercase()).filter(|it| !it.is_empty())
    }

    pub(super) fn read(object: &Object<'_>) -> Self {
        let history = object.items(&["status", "history"]);
        let desired = object.text(&["status", "desired", "version"]);
        let reached = history.iter().find(|it| it.text_of("state") == "Completed").map(|it| it.text_of("version"));
        let version_of = |it: Value<'_>| it.get("release").map(|it| it.text_of("version")).unwrap_or_default();
        let updates = |key: &str| object.items(&["status", key]);
        Self {
            cluster_id: object.text(&["spec", "clusterID"]),
            version: reached.unwrap_or_else(|| desired.clone()),
            desired,
            channel: object.text(&["spec", "channel"]),
            architecture: object.text(&["status", "desired", "architecture"]),
            available: updates("availableUpdates").into_iter().map(|it| it.text_of("version")).collect(),
            conditional: updates("conditionalUpdates").into_iter().map(|it| (version_of(it), it.compact())).collect(),
            conditions: Condition::all(object, &["status", "conditions"]),
            place: object.place.clone(),
        }
    }
}
