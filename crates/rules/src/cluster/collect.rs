//! Objects of a cluster, sorted by kind; each once, of two of one name the later.

use std::collections::HashMap;

use super::insights::{InsightsLists, kind_of};
use super::object::Object;
use super::platform::cluster_name;
use super::reading::{ClusterError, ReadingLimits, limited};
use super::v1;
use super::{
    ApiRequestCount, CatalogSource, Cluster, ClusterCatalog, ClusterDefinition, ClusterExtension, ClusterNode,
    ClusterObjectSet, ClusterOperator, ClusterServiceVersion, ClusterVersion, InstallPlan, MachineConfigPool,
    OperatorCondition, OperatorGroup, Subscription,
};
use olmdex_base::diag::Place;
use olmdex_text::json::Value;

fn node(object: &Object<'_>) -> ClusterNode {
    ClusterNode {
        name: object.name(),
        kubelet: object.text(&["status", "nodeInfo", "kubeletVersion"]),
        architecture: object.text(&["status", "nodeInfo", "architecture"]),
    }
}

/// Collects objects.
pub(super) struct Collector {
    limits: ReadingLimits,
    n_objects: usize,
    n_copies: usize,
    pub(super) cluster: Cluster,
    /// The index in its list of the object of a kind, namespace and name.
    seen: HashMap<(&'static str, String, String), usize>,
    insights: InsightsLists,
}

impl Collector {
    pub(super) fn new(limits: ReadingLimits) -> Self {
        Self {
            limits,
            n_objects: 0,
            n_copies: 0,
            cluster: Cluster::default(),
            seen: HashMap::new(),
            insights: InsightsLists::default(),
        }
    }

    fn put<T>(
        &mut self,
        kind: &'static str,
        object: &Object<'_>,
        list: impl Fn(&mut Cluster) -> &mut Vec<T>,
        read: impl Fn(&Object<'_>) -> T,
    ) {
        if self.n_objects > self.limits.objects {
            return;
        }
        let list = list(&mut self.cluster);
        let next = list.len();
        let at = *self.seen.entry((kind, object.namespace(), object.name())).or_insert(next);
        self.n_objects += usize::from(at == next);
        match list.get_mut(at) {
            Some(known) => *known = read(object),
            None => list.push(read(object)),
        }
    }

    /// Takes an object. One of a kind that is not known is counted.
    pub(super) fn add(&mut self, value: Value<'_>, place: Place) {
        let object = Object { value, place };
        let (mut group, mut kind) = (object.group(), object.kind());
        if kind.is_empty() {
            if self.n_objects <= self.limits.objects && self.insights.take(object.value, &object.place) {
                self.n_objects += 1;
                return;
            }
            let Some((of_path, named)) = kind_of(&object.place.file) else { return };
            (group, kind) = (of_path.to_owned(), named.to_owned());
        }
        if object.name().is_empty() {
            self.skip(&kind);
            return;
        }
        self.note_time(&object);
        let namespace = object.namespace();
        if !namespace.is_empty() && !self.cluster.collected.contains(&namespace) {
            self.cluster.collected.insert(namespace.clone());
        }
        match (group.as_str(), kind.as_str()) {
            ("olm.operatorframework.io", "ClusterExtension") => {
                self.put("ClusterExtension", &object, |it| &mut it.extensions, ClusterExtension::read);
            }
            ("olm.operatorframework.io", "ClusterCatalog") => {
                self.put("ClusterCatalog", &object, |it| &mut it.cluster_catalogs, ClusterCatalog::read);
            }
            // The second is the former name.
            ("olm.operatorframework.io", "ClusterObjectSet" | "ClusterExtensionRevision") => {
                self.put("ClusterObjectSet", &object, |it| &mut it.object_sets, ClusterObjectSet::read);
            }
            ("config.openshift.io", "ClusterVersion") => {
                let version = ClusterVersion::read(&object);
                self.cluster.take_version(version);
            }
            ("config.openshift.io", "Infrastructure") => self.cluster.name = cluster_name(&object),
            ("config.openshift.io", "ClusterOperator") => {
                self.put("ClusterOperator", &object, |it| &mut it.cluster_operators, ClusterOperator::read);
            }
            ("machineconfiguration.openshift.io", "MachineConfigPool") => {
                self.put("MachineConfigPool", &object, |it| &mut it.pools, MachineConfigPool::read);
            }
            ("operators.coreos.com", "Subscription") => {
                self.put("Subscription", &object, |it| &mut it.subscriptions, Subscription::read);
            }
            ("operators.coreos.com", "ClusterServiceVersion") => {
                if !ClusterServiceVersion::is_copy(&object) {
                    self.put("ClusterServiceVersion", &object, |it| &mut it.csvs, ClusterServiceVersion::read);
                } else if self.n_copies <= self.limits.copies {
                    self.n_copies += 1;
                    self.cluster.copies.entry(namespace).or_default().push(ClusterServiceVersion::read_copy(&object));
                }
            }
            ("operators.coreos.com", "CatalogSource") => {
                self.put("CatalogSource", &object, |it| &mut it.catalog_sources, CatalogSource::read);
            }
            ("operators.coreos.com", "OperatorGroup") => {
                self.put("OperatorGroup", &object, |it| &mut it.operator_groups, OperatorGroup::read);
            }
            ("operators.coreos.com", "InstallPlan") => {
                self.put("InstallPlan", &object, |it| &mut it.install_plans, InstallPlan::read);
            }
            ("operators.coreos.com", "OperatorCondition") => {
                self.put("OperatorCondition", &object, |it| &mut it.operator_conditions, OperatorCondition::read);
            }
            ("apiextensions.k8s.io", "CustomResourceDefinition") => {
                self.put("CustomResourceDefinition", &object, |it| &mut it.definitions, ClusterDefinition::read);
            }
            ("apiserver.openshift.io", "APIRequestCount") => {
                self.put("APIRequestCount", &object, |it| &mut it.api_requests, ApiRequestCount::read);
            }
            ("", "Node") => self.put("Node", &object, |it| &mut it.nodes, node),
            ("", "ConfigMap") => {
                if !self.cluster.admin_gates.add(&object) {
                    self.skip(&kind);
                }
            }
            _ => self.skip(&kind),
        }
    }

    /// The objects, completed with facts that they state about each other.
    ///
    /// # Errors
    /// [`ClusterError::Limit`]
    pub(super) fn finish(mut self) -> Result<Cluster, ClusterError> {
        limited(self.n_objects, self.limits.objects, "objects of OLM and the platform")?;
        limited(self.n_copies, self.limits.copies, "copies of ClusterServiceVersions")?;
        v1::fill_in(&mut self.cluster.extensions, &self.cluster.object_sets);
        self.insights.add_to(&mut self.cluster);
        let mut n_operators: HashMap<&str, usize> = HashMap::new();
        self.cluster.namespaces_of_operators().for_each(|namespace| *n_operators.entry(namespace).or_default() += 1);
        limited(n_operators.len(), self.limits.namespaces, "namespaces with Subscriptions or ClusterServiceVersions")?;
        let pairs = n_operators.len().saturating_mul(self.cluster.catalog_sources.len());
        limited(pairs, self.limits.pairs, "pairs of a namespace and a CatalogSource")?;
        let most = n_operators.into_values().max().unwrap_or_default();
        limited(most, self.limits.operators, "Subscriptions and ClusterServiceVersions in a namespace")?;
        Ok(self.cluster)
    }

    fn skip(&mut self, kind: &str) {
        *self.cluster.skipped.entry(kind.to_owned()).or_default() += 1;
    }

    /// Keeps the time of the newest change. Times of one form sort as texts.
    fn note_time(&mut self, object: &Object<'_>) {
        let mut times = vec![object.text(&["metadata", "creationTimestamp"])];
        for condition in object.items(&["status", "conditions"]) {
            times.extend(["lastTransitionTime", "lastUpdateTime"].map(|key| condition.text_of(key)));
        }
        for time in times {
            if time.len() == "2026-01-01T00:00:00Z".len() && time > self.cluster.newest {
                self.cluster.newest = time;
            }
        }
    }
}
