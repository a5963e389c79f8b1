//! Kinds of Kubernetes and OpenShift that decide about an update of the cluster.

use std::collections::BTreeMap;

use super::object::{Condition, Object};
use olmdex_base::diag::Place;
use olmdex_text::json::Value;

/// A ClusterVersion: the version of OpenShift that a cluster runs, and the updates that it knows of.
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

/// A ClusterOperator: the state of a part of the platform.
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

/// Namespace and name of the ConfigMap with the gates, and of the one with the acknowledgements.
const GATES: (&str, &str) = ("openshift-config-managed", "admin-gates");
const ACKS: (&str, &str) = ("openshift-config", "admin-acks");

/// The acknowledgements that an administrator must give before an update: two ConfigMaps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AdminGates {
    /// Each gate with its text.
    pub gates: Vec<(String, String)>,
    /// The gates that were acknowledged.
    pub acknowledged: Vec<String>,
    /// The place where the gates are written.
    pub place: Place,
}

impl AdminGates {
    /// Takes a ConfigMap; whether it is one of the two.
    pub(super) fn add(&mut self, object: &Object<'_>) -> bool {
        let (namespace, name) = (object.namespace(), object.name());
        let data = object.at(&["data"]);
        let data = data.into_iter().flat_map(|it| it.members()).filter_map(|(key, value)| {
            Some((key.as_str()?.into_owned(), value.as_str().unwrap_or_default().into_owned()))
        });
        if (namespace.as_str(), name.as_str()) == GATES {
            self.gates = data.collect();
            self.place = object.place.clone();
            return true;
        }
        if (namespace.as_str(), name.as_str()) == ACKS {
            self.acknowledged = data.filter(|(_, value)| value == "true").map(|it| it.0).collect();
            return true;
        }
        false
    }

    /// The gates that are closed for updates of a minor version of OpenShift.
    pub fn closed(&self, minor: impl std::fmt::Display) -> impl Iterator<Item = &(String, String)> {
        let prefix = format!("ack-{minor}-");
        self.gates.iter().filter(move |(name, _)| name.starts_with(&prefix) && !self.acknowledged.contains(name))
    }
}

/// A client of an API.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApiClient {
    /// The user, such as `system:serviceaccount:NAMESPACE:NAME`.
    pub user: String,
    /// The program, or empty.
    pub agent: String,
    /// How often, within the last 24 hours.
    pub requests: u64,
}

/// An APIRequestCount: the requests for one version of an API, which a later version of Kubernetes may not have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApiRequestCount {
    /// `RESOURCE.VERSION.GROUP`
    pub name: String,
    /// The version of Kubernetes that does not have it any more, such as `1.32`, or empty.
    pub removed_in: String,
    /// How often it was asked for, within the last 24 hours.
    pub requests: u64,
    /// The clients, the most frequent first; a cluster reports only a limited number.
    pub clients: Vec<ApiClient>,
    /// The place where it is written.
    pub place: Place,
}

impl ApiRequestCount {
    pub(super) fn read(object: &Object<'_>) -> Self {
        let hours = object.items(&["status", "last24h"]);
        // The present hour is one of the last 24, unless they were left out.
        let hours = if hours.is_empty() { object.at(&["status", "currentHour"]).into_iter().collect() } else { hours };
        let mut counts: BTreeMap<(String, String), u64> = BTreeMap::new();
        for node in hours.iter().flat_map(|it| below(*it, "byNode")) {
            for user in below(node, "byUser") {
                let count = counts.entry((user.text_of("username"), user.text_of("userAgent"))).or_default();
                *count = count.saturating_add(number(user.get("requestCount")));
            }
        }
        let mut clients: Vec<ApiClient> =
            counts.into_iter().map(|((user, agent), requests)| ApiClient { user, agent, requests }).collect();
        clients.retain(|it| it.requests > 0);
        clients.sort_by_key(|it| std::cmp::Reverse(it.requests));
        Self {
            name: object.name(),
            removed_in: object.text(&["status", "removedInRelease"]),
            requests: number(object.at(&["status", "requestCount"])),
            clients,
            place: object.place.clone(),
        }
    }
}

/// The items of a list in a value.
fn below<'d>(of: Value<'d>, key: &str) -> Vec<Value<'d>> {
    of.get(key).map(|it| it.items().collect()).unwrap_or_default()
}

/// A count; a value that is not a number counts as 0.
fn number(value: Option<Value<'_>>) -> u64 {
    value.and_then(|it| it.raw().parse().ok()).unwrap_or_default()
}

/// A CustomResourceDefinition without its schemas: what it serves and stores decides whether operators go on
/// (`docs/behaviour/olm-classic.md` 7).
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

/// The name that people use for the cluster: the host of its API without `api.`, or else the prefix of its machines'
/// names, or empty.
pub(super) fn cluster_name(object: &Object<'_>) -> String {
    let address = object.text(&["status", "apiServerURL"]);
    let host = address.split_once("://").map_or(address.as_str(), |it| it.1);
    let host = host.split([':', '/']).next().unwrap_or_default();
    let name = host.strip_prefix("api.").unwrap_or(host);
    if name.is_empty() { object.text(&["status", "infrastructureName"]) } else { name.to_owned() }
}
