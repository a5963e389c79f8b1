//! The conditions that the objects of a cluster decide for a Subscription: C1, C4, C6, C8, C9 and C10.
//!
//! An absent object counts as missing from the cluster only if the manifests have others of its kind, and any object of
//! its namespace.

use super::condition::{Acknowledgement, Condition, Met};
use olmdex_rules::cluster::{CatalogSource, Cluster, OperatorGroup, Subscription};

/// The conditions, in their order.
pub fn of_subscription(cluster: &Cluster, subscription: &Subscription) -> Vec<Condition> {
    vec![
        watch_scope(cluster, subscription),
        operator_condition(cluster, subscription),
        service_account(cluster, subscription),
        steady_state(cluster, subscription),
        generated(subscription),
        catalog_source(cluster, subscription),
    ]
}

/// Whether objects that are not among the manifests are not on the cluster either.
fn is_complete(cluster: &Cluster, has_kind: bool, namespace: &str) -> bool {
    has_kind && cluster.collected.contains(namespace)
}

fn groups<'c>(cluster: &'c Cluster, namespace: &str) -> Vec<&'c OperatorGroup> {
    cluster.operator_groups.iter().filter(|it| it.namespace == namespace).collect()
}

/// The answer where a namespace has no OperatorGroup, if it has none.
fn without_group(cluster: &Cluster, subscription: &Subscription, id: &str) -> Condition {
    let namespace = &subscription.namespace;
    if is_complete(cluster, !cluster.operator_groups.is_empty(), namespace) {
        let reason = format!("namespace {namespace} has no OperatorGroup");
        return Condition::new(id, Met::Yes, reason, Some(subscription.place.clone()));
    }
    let reason = format!("the manifests have no OperatorGroup of namespace {namespace}");
    Condition::new(id, Met::NotKnown, reason, None)
}

fn watch_scope(cluster: &Cluster, subscription: &Subscription) -> Condition {
    let groups = groups(cluster, &subscription.namespace);
    let Some(first) = groups.first() else { return without_group(cluster, subscription, "C1") };
    for group in &groups {
        let place = Some(group.place.clone());
        // With both, OLM ignores the selector.
        if !group.target_namespaces.is_empty() {
            let reason = format!("OperatorGroup {} targets {}", group.name, group.target_namespaces.join(", "));
            return Condition::new("C1", Met::No, reason, place);
        }
        if let Some(selector) = &group.selector {
            let reason = format!("OperatorGroup {} selects namespaces by {selector}", group.name);
            return Condition::new("C1", Met::No, reason, place);
        }
    }
    let reason = format!("OperatorGroup {} targets all", first.name);
    Condition::new("C1", Met::Yes, reason, Some(first.place.clone()))
}

fn service_account(cluster: &Cluster, subscription: &Subscription) -> Condition {
    let groups = groups(cluster, &subscription.namespace);
    let Some(first) = groups.first() else { return without_group(cluster, subscription, "C6") };
    match groups.iter().find(|it| !it.service_account.is_empty()) {
        Some(group) => {
            let reason = format!("OperatorGroup {} sets serviceAccountName {}", group.name, group.service_account);
            Condition::new("C6", Met::No, reason, Some(group.place.clone()))
        }
        None => {
            let reason = format!("OperatorGroup {} sets none", first.name);
            Condition::new("C6", Met::Yes, reason, Some(first.place.clone()))
        }
    }
}

fn operator_condition(cluster: &Cluster, subscription: &Subscription) -> Condition {
    let Subscription { namespace, installed, .. } = subscription;
    if installed.is_empty() {
        return Condition::new("C4", Met::Yes, "nothing is installed that could report one", None);
    }
    let its = cluster.operator_conditions.iter().find(|it| it.namespace == *namespace && it.name == *installed);
    match its {
        Some(it) if it.reported.is_empty() => {
            let reason = format!("OperatorCondition {installed} has no status.conditions");
            Condition::new("C4", Met::Yes, reason, Some(it.place.clone()))
        }
        Some(it) => {
            let reported = it.reported.iter().map(|it| format!("{}={}", it.kind, it.status)).collect::<Vec<_>>();
            let reason = format!("OperatorCondition {installed} reports {}", reported.join(", "));
            Condition::new("C4", Met::No, reason, Some(it.place.clone()))
        }
        None if is_complete(cluster, !cluster.operator_conditions.is_empty(), namespace) => {
            Condition::new("C4", Met::Yes, format!("there is no OperatorCondition {installed}"), None)
        }
        None => {
            let reason = format!("the manifests have no OperatorCondition of namespace {namespace}");
            Condition::new("C4", Met::NotKnown, reason, None)
        }
    }
}

fn steady_state(cluster: &Cluster, subscription: &Subscription) -> Condition {
    let Subscription { namespace, installed, state, .. } = subscription;
    let place = Some(subscription.place.clone());
    if installed.is_empty() {
        return Condition::new("C8", Met::No, "the Subscription has installed nothing", place);
    }
    let csv = cluster.installed_by(subscription);
    if let Some(csv) = csv.filter(|it| !it.phase.is_empty() && it.phase != "Succeeded") {
        let message = if csv.message.is_empty() { String::new() } else { format!(": {}", csv.message) };
        let reason = format!("ClusterServiceVersion {installed} is {}{message}", csv.phase);
        return Condition::new("C8", Met::No, reason, Some(csv.place.clone()));
    }
    if !state.is_empty() && !matches!(state.as_str(), "AtLatestKnown" | "UpgradePending") {
        return Condition::new("C8", Met::No, format!("the Subscription is {state}"), place);
    }
    match csv {
        None if is_complete(cluster, cluster.has_service_versions(), namespace) => {
            Condition::new("C8", Met::No, format!("there is no ClusterServiceVersion {installed}"), place)
        }
        None => {
            let reason = format!("the manifests have no ClusterServiceVersion {installed}");
            Condition::new("C8", Met::NotKnown, reason, place)
        }
        Some(csv) if csv.phase.is_empty() => {
            let reason = format!("ClusterServiceVersion {installed} has no status.phase here");
            Condition::new("C8", Met::NotKnown, reason, Some(csv.place.clone()))
        }
        Some(_) if state.is_empty() => {
            Condition::new("C8", Met::NotKnown, "the Subscription has no status.state here", place)
        }
        Some(_) => {
            Condition::new("C8", Met::Yes, format!("{installed} is Succeeded, and the Subscription {state}"), place)
        }
    }
}

fn generated(subscription: &Subscription) -> Condition {
    let place = Some(subscription.place.clone());
    match &subscription.generated_by {
        None => Condition::new("C9", Met::Yes, "somebody has subscribed to it", place),
        Some(by) => {
            let by = if by.is_empty() { String::new() } else { format!(": olm.generated-by is {by}") };
            Condition::new("C9", Met::No, format!("OLM has subscribed to it for another operator{by}"), place)
        }
    }
}

/// The CatalogSources that a Subscription and its installed bundle come from: namespace and name.
pub(super) fn sources_of<'c>(cluster: &'c Cluster, subscription: &'c Subscription) -> Vec<(&'c str, &'c str)> {
    let own = (subscription.source_namespace.as_str(), subscription.source.as_str());
    let plans = cluster.install_plans.iter().filter(|it| it.namespace == subscription.namespace);
    let looked_up = plans.filter_map(|it| it.lookup(&subscription.installed));
    let mut sources = vec![own];
    for lookup in looked_up {
        let source = (lookup.namespace.as_str(), lookup.name.as_str());
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    sources
}

pub(super) fn source<'c>(cluster: &'c Cluster, namespace: &str, name: &str) -> Option<&'c CatalogSource> {
    cluster.catalog_sources.iter().find(|it| it.namespace == namespace && it.name == name)
}

fn catalog_source(cluster: &Cluster, subscription: &Subscription) -> Condition {
    let mut worst: Option<Condition> = None;
    for (namespace, name) in sources_of(cluster, subscription) {
        let found = one_source(cluster, subscription, namespace, name);
        if worst.as_ref().is_none_or(|it| found.verdict < it.verdict) {
            worst = Some(found);
        }
    }
    // The Subscription's own source is always one of them.
    worst.unwrap_or_else(|| Condition::new("C10", Met::NotKnown, "the Subscription names no CatalogSource", None))
}

fn one_source(cluster: &Cluster, subscription: &Subscription, namespace: &str, name: &str) -> Condition {
    let shown = format!("CatalogSource {namespace}/{name}");
    let Some(source) = source(cluster, namespace, name) else {
        let place = Some(subscription.place.clone());
        if is_complete(cluster, !cluster.catalog_sources.is_empty(), namespace) {
            return Condition::new("C10", Met::No, format!("{shown} is missing"), place);
        }
        return Condition::new("C10", Met::NotKnown, format!("the manifests do not have {shown}"), place);
    };
    let place = Some(source.place.clone());
    // As OLM reads it, the type decides; one without a type is not valid.
    if source.source_type != "grpc" {
        let kind = if source.source_type.is_empty() { "nothing" } else { &source.source_type };
        return Condition::new("C10", Met::No, format!("{shown} has sourceType {kind}, not grpc"), place);
    }
    if source.image.is_empty() {
        return Condition::new("C10", Met::No, format!("{shown} has an address, and no image"), place);
    }
    if i32::try_from(source.priority).is_err() {
        let reason = format!("{shown} has priority {}, which a ClusterCatalog cannot have", source.priority);
        return Condition::new("C10", Met::No, reason, place).acknowledged_by(Acknowledgement::CatalogPriority);
    }
    Condition::new("C10", Met::Yes, format!("{shown} serves {}", source.image), place)
}
