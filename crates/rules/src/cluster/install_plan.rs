//! InstallPlans: what OLM Classic is about to install (`docs/behaviour/olm-classic.md` 5.3).
//!
//! What it deliberately does not do: it does not read the steps.

use super::object::{Object, text};
use olmdex_base::diag::Place;

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
    /// What its conditions say is wrong, or empty.
    pub message: String,
    /// Where it is written.
    pub place: Place,
}

impl InstallPlan {
    pub(super) fn read(object: &Object<'_>) -> Self {
        let conditions = object.items(&["status", "conditions"]);
        let wrong = conditions.iter().find(|it| text(**it, "status") == "False");
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
            message: wrong.map(|it| text(*it, "message")).unwrap_or_default(),
            place: object.place.clone(),
        }
    }

    /// Whether somebody must approve it.
    #[must_use]
    pub fn waits(&self) -> bool {
        !self.is_approved && matches!(self.phase.as_str(), "RequiresApproval" | "")
    }
}
