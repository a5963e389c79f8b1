//! Kinds of OLM Classic (`docs/behaviour/olm-classic.md` 1): what a namespace wants, what OLM is about to install, and
//! what operators report.

use super::object::{Condition, Object};
use olmdex_base::diag::Place;
use olmdex_text::json::Value;

/// A CatalogSource: a catalog of a cluster, and how it is preferred (`docs/behaviour/olm-classic.md` 1.4).
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

/// An OperatorGroup: how a namespace wants to be resolved (`docs/behaviour/olm-classic.md` 1.4, 2.9).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperatorGroup {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Whether the catalogs of the global namespace are not to be used.
    pub excludes_global: bool,
    /// Whether `spec.upgradeStrategy` is `TechPreviewUnsafeFailForward`.
    pub fails_forward: bool,
    /// The namespaces that it is for; an empty name stands for all. `None` if only the cluster knows them.
    pub targets: Option<Vec<String>>,
    /// `spec.targetNamespaces`
    pub target_namespaces: Vec<String>,
    /// `spec.selector` as JSON, if it selects anything; with `spec.targetNamespaces` it is ignored.
    pub selector: Option<String>,
    /// `spec.serviceAccountName`, or empty.
    pub service_account: String,
    /// `spec` as JSON.
    pub spec: String,
    /// The place where it is written.
    pub place: Place,
}

impl OperatorGroup {
    pub(super) fn read(object: &Object<'_>) -> Self {
        let excludes = object.annotation("olm.operatorframework.io/exclude-global-namespace-resolution");
        Self {
            name: object.name(),
            namespace: object.namespace(),
            excludes_global: excludes.as_deref() == Some("true"),
            fails_forward: object.text(&["spec", "upgradeStrategy"]) == "TechPreviewUnsafeFailForward",
            targets: targets(object),
            target_namespaces: texts(object, &["spec", "targetNamespaces"]),
            selector: object.json(&["spec", "selector"]).filter(|_| selects(object)),
            service_account: object.text(&["spec", "serviceAccountName"]),
            spec: object.json(&["spec"]).unwrap_or_else(|| "{}".to_owned()),
            place: object.place.clone(),
        }
    }
}

fn texts(object: &Object<'_>, path: &[&str]) -> Vec<String> {
    object.items(path).into_iter().filter_map(|it| Some(it.as_str()?.into_owned())).collect()
}

/// Whether its selector has anything in it; an empty one selects all namespaces.
fn selects(object: &Object<'_>) -> bool {
    let has_labels = object.at(&["spec", "selector", "matchLabels"]).is_some_and(|it| it.members().next().is_some());
    has_labels || !object.items(&["spec", "selector", "matchExpressions"]).is_empty()
}

/// The cluster's own answer comes first, then the request.
fn targets(object: &Object<'_>) -> Option<Vec<String>> {
    for path in [["status", "namespaces"], ["spec", "targetNamespaces"]] {
        let found = texts(object, &path);
        if !found.is_empty() {
            return Some(found);
        }
    }
    if object.at(&["spec", "selector"]).is_some() { None } else { Some(vec![String::new()]) }
}

/// A Subscription (`docs/behaviour/olm-classic.md` 1.5).
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

/// An InstallPlan: the objects that OLM Classic is about to install (`docs/behaviour/olm-classic.md` 5.3).
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

/// An OperatorCondition: the reports of an operator about its own updates.
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
