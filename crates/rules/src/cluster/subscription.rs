//! Subscriptions of OLM Classic (`docs/behaviour/olm-classic.md` 1.5).

use super::condition::Condition;
use super::object::Object;
use olmdex_base::diag::Place;

/// A Subscription.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subscription {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// `spec.name`: the package.
    pub package: String,
    /// `spec.channel`; empty for any.
    pub channel: String,
    /// `spec.source`
    pub source: String,
    /// `spec.sourceNamespace`
    pub source_namespace: String,
    /// `spec.startingCSV`, or empty.
    pub starting: String,
    /// Whether `spec.installPlanApproval` is `Manual`.
    pub is_manual: bool,
    /// `status.installedCSV`, or empty.
    pub installed: String,
    /// `status.currentCSV`, or empty.
    pub current: String,
    /// The InstallPlan that it waits for, or empty.
    pub install_plan: String,
    /// `status.state`, or empty.
    pub state: String,
    /// When its status last changed, or empty.
    pub since: String,
    /// The annotation `olm.generated-by`: OLM made it for an operator that requires this one.
    pub generated_by: Option<String>,
    /// `spec.config` as JSON, if there is one.
    pub config: Option<String>,
    /// `spec` as JSON.
    pub spec: String,
    /// Its conditions.
    pub conditions: Vec<Condition>,
    /// The place where it is written.
    pub place: Place,
}

impl Subscription {
    /// `NAMESPACE/NAME`
    pub fn id(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// Itself, in words.
    pub fn words(&self) -> String {
        format!("Subscription {}", self.id())
    }

    /// Its channel, if it has one.
    pub fn channels(&self) -> Vec<String> {
        Some(self.channel.clone()).filter(|it| !it.is_empty()).into_iter().collect()
    }

    /// The condition by which OLM reports that it cannot resolve the namespace.
    pub fn failed_resolution(&self) -> Option<&Condition> {
        Condition::find(&self.conditions, "ResolutionFailed").filter(|it| it.status == "True")
    }

    pub(super) fn read(object: &Object<'_>) -> Self {
        Self {
            name: object.name(),
            namespace: object.namespace(),
            package: object.text(&["spec", "name"]),
            channel: object.text(&["spec", "channel"]),
            source: object.text(&["spec", "source"]),
            source_namespace: object.text(&["spec", "sourceNamespace"]),
            starting: object.text(&["spec", "startingCSV"]),
            is_manual: object.text(&["spec", "installPlanApproval"]) == "Manual",
            installed: object.text(&["status", "installedCSV"]),
            current: object.text(&["status", "currentCSV"]),
            install_plan: object.text(&["status", "installPlanRef", "name"]),
            state: object.text(&["status", "state"]),
            since: object.text(&["status", "lastUpdated"]),
            generated_by: object.annotation("olm.generated-by"),
            config: object.json(&["spec", "config"]),
            spec: object.json(&["spec"]).unwrap_or_default(),
            conditions: Condition::all(object, &["status", "conditions"]),
            place: object.place.clone(),
        }
    }
}
