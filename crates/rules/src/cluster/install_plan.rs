//! InstallPlans: the objects that OLM Classic is about to install (`docs/behaviour/olm-classic.md` 5.3).

use super::object::Object;
use olmdex_base::diag::Place;
use olmdex_text::json::Value;

/// From which CatalogSource a bundle was taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lookup {
    /// The bundle: the name of its ClusterServiceVersion.
    pub bundle: String,
    /// The namespace of the CatalogSource.
    pub namespace: String,
    /// The CatalogSource.
    pub name: String,
}

/// An InstallPlan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InstallPlan {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// `spec.approved`
    pub is_approved: bool,
    /// `spec.clusterServiceVersionNames`
    pub csvs: Vec<String>,
    /// `status.phase`, or empty.
    pub phase: String,
    /// The error in its status or its conditions, or empty.
    pub message: String,
    /// When it was made, or empty.
    pub since: String,
    /// From where its bundles were taken.
    pub lookups: Vec<Lookup>,
    /// The place where it is written.
    pub place: Place,
}

impl InstallPlan {
    pub(super) fn read(object: &Object<'_>) -> Self {
        let conditions = object.items(&["status", "conditions"]);
        let wrong = conditions.iter().find(|it| it.text_of("status") == "False");
        Self {
            name: object.name(),
            namespace: object.namespace(),
            is_approved: object.at(&["spec", "approved"]).and_then(|it| it.as_bool()).unwrap_or_default(),
            csvs: object
                .items(&["spec", "clusterServiceVersionNames"])
                .iter()
                .filter_map(|it| Some(it.as_str()?.into_owned()))
                .collect(),
            phase: object.text(&["status", "phase"]),
            lookups: object.items(&["status", "bundleLookups"]).into_iter().map(lookup).collect(),
            message: Some(object.text(&["status", "message"]))
                .filter(|message| !message.is_empty())
                .or_else(|| Some(wrong?.text_of("message")))
                .unwrap_or_default(),
            since: object.text(&["metadata", "creationTimestamp"]),
            place: object.place.clone(),
        }
    }

    /// The CatalogSource from which it took a bundle, if it names one.
    pub fn lookup(&self, bundle: &str) -> Option<&Lookup> {
        self.lookups.iter().find(|it| it.bundle == bundle && !it.name.is_empty())
    }

    /// Whether it waits for an approval.
    pub fn waits(&self) -> bool {
        !self.is_approved && matches!(self.phase.as_str(), "RequiresApproval" | "")
    }
}

fn lookup(value: Value<'_>) -> Lookup {
    let source = |key: &str| value.get("catalogSourceRef").map(|it| it.text_of(key)).unwrap_or_default();
    Lookup { bundle: value.text_of("identifier"), namespace: source("namespace"), name: source("name") }
}
