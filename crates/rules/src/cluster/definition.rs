//! CustomResourceDefinitions of a cluster, without their schemas: what they serve and store decides whether operators
//! go on (`docs/behaviour/olm-classic.md` 7).

use super::object::Object;
use olmdex_base::diag::Place;

/// A CustomResourceDefinition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterDefinition {
    /// Its name: `<plural>.<group>`.
    pub name: String,
    /// The group of its APIs.
    pub group: String,
    /// The kind of its objects.
    pub kind: String,
    /// The versions that it serves.
    pub served: Vec<String>,
    /// `status.storedVersions`.
    pub stored: Vec<String>,
    /// The place where it is written.
    pub place: Place,
}

impl ClusterDefinition {
    pub(super) fn read(object: &Object<'_>) -> Self {
        let versions = object.items(&["spec", "versions"]).into_iter();
        let is_served = |version: &olmdex_text::json::Value<'_>| {
            version.get("served").and_then(|it| it.as_bool()).unwrap_or_default()
        };
        let stored = object.items(&["status", "storedVersions"]).into_iter();
        Self {
            name: object.name(),
            group: object.text(&["spec", "group"]),
            kind: object.text(&["spec", "names", "kind"]),
            served: versions.filter(is_served).map(|version| version.text_of("name")).collect(),
            stored: stored.filter_map(|version| Some(version.as_str()?.into_owned())).collect(),
            place: object.place.clone(),
        }
    }
}
