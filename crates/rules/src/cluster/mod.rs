//! Kubernetes objects as `kubectl get -o yaml` prints them: the content of a namespace, and what is requested for it.
//!
//! Manifests come as lists, as documents of one file, as JSON, or scattered over the directories of a must-gather.
//! Objects of other kinds are skipped. A file has the kinds of one
//! system.

mod check;
mod classic;
mod collect;
mod insights;
mod manifest;
mod object;
mod platform;
mod reading;
pub mod rules;
mod selector;
mod service_version;
mod v1;

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub use check::{check, unreadable};
pub use classic::{CatalogSource, InstallPlan, Lookup, OperatorCondition, OperatorGroup, Subscription};
pub use manifest::{
    AnyObject, DEFINING_KINDS, ObjectText, read, read_objects, read_text, read_text_within,
    read_texts_with_definitions, read_with_definitions,
};
pub use object::Condition;
pub use platform::{
    AdminGates, ApiClient, ApiRequestCount, ClusterDefinition, ClusterOperator, ClusterVersion, MachineConfigPool,
};
pub use reading::{Archives, ClusterError};
pub use selector::{LabelSelector, LabelSelectorRequirement};
pub use service_version::ClusterServiceVersion;
pub use v1::{
    BundleStatus, CATALOG_NAME_LABEL, ClusterCatalog, ClusterExtension, ClusterObjectSet, MIGRATED_FROM,
    needs_service_account,
};

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterNode {
    /// Its name.
    pub name: String,
    /// The version of its kubelet, or empty.
    pub kubelet: String,
    /// Its architecture, such as `amd64`, or empty.
    pub architecture: String,
}

/// The objects that were found, in the order in which they were read; of two of one name the later.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cluster {
    /// Subscriptions of OLM Classic.
    pub subscriptions: Vec<Subscription>,
    /// ClusterServiceVersions.
    pub csvs: Vec<ClusterServiceVersion>,
    /// CatalogSources.
    pub catalog_sources: Vec<CatalogSource>,
    /// ClusterExtensions of OLM v1.
    pub extensions: Vec<ClusterExtension>,
    /// ClusterCatalogs of OLM v1.
    pub cluster_catalogs: Vec<ClusterCatalog>,
    /// ClusterObjectSets of OLM v1.
    pub object_sets: Vec<ClusterObjectSet>,
    /// OperatorGroups.
    pub operator_groups: Vec<OperatorGroup>,
    /// InstallPlans.
    pub install_plans: Vec<InstallPlan>,
    /// OperatorConditions.
    pub operator_conditions: Vec<OperatorCondition>,
    /// CustomResourceDefinitions, without their schemas.
    pub definitions: Vec<ClusterDefinition>,
    /// The name that people use for the cluster, from its Infrastructure, or empty.
    pub name: String,
    /// The version of OpenShift, or empty.
    pub openshift: String,
    /// The ClusterVersion.
    pub cluster_version: Option<ClusterVersion>,
    /// ClusterOperators.
    pub cluster_operators: Vec<ClusterOperator>,
    /// MachineConfigPools.
    pub pools: Vec<MachineConfigPool>,
    /// Nodes.
    pub nodes: Vec<ClusterNode>,
    /// Requests for APIs, by the clients that make them.
    pub api_requests: Vec<ApiRequestCount>,
    /// The acknowledgements that an update needs.
    pub admin_gates: AdminGates,
    /// The time of the last change, as far as it is known: `2026-01-31T12:00:00Z`.
    pub newest: String,
    /// The namespaces with any object.
    pub collected: BTreeSet<String>,
    /// The copies of ClusterServiceVersions of other namespaces, by their namespace, with their names, their phases
    /// and what they replace. There may be a hundred times as many as originals.
    pub copies: BTreeMap<String, Vec<ClusterServiceVersion>>,
    /// The number of objects of each kind that is not used here.
    pub skipped: BTreeMap<String, u64>,
    /// The parts that could not be read, in words. They are only those of a directory, in which not every file need be
    /// a manifest.
    pub warnings: Vec<String>,
}

impl Cluster {
    /// The Subscription that has installed a ClusterServiceVersion.
    pub fn subscription_of(&self, csv: &ClusterServiceVersion) -> Option<&Subscription> {
        self.subscriptions.iter().find(|it| it.installed == csv.name && it.namespace == csv.namespace)
    }

    /// The ClusterServiceVersion that a Subscription has installed.
    pub fn installed_by(&self, subscription: &Subscription) -> Option<&ClusterServiceVersion> {
        self.csvs.iter().find(|it| it.name == subscription.installed && it.namespace == subscription.namespace)
    }

    /// Takes a package away as if it were uninstalled: its Subscriptions, and what they have installed. Returns whether
    /// there was one.
    pub fn uninstall(&mut self, package: &str) -> bool {
        let gone: Vec<Subscription> = self.subscriptions.extract_if(.., |it| it.package == package).collect();
        let is_gone = |csv: &ClusterServiceVersion| {
            gone.iter().any(|it| it.namespace == csv.namespace && it.installed == csv.name)
        };
        self.csvs.retain(|csv| !is_gone(csv));
        !gone.is_empty()
    }

    /// The ClusterServiceVersions that are no copies.
    pub fn own_csvs(&self) -> impl Iterator<Item = &ClusterServiceVersion> {
        self.csvs.iter().filter(|it| !it.is_copied)
    }

    /// The InstallPlan of a Subscription that waits for an approval.
    pub fn waiting_plan(&self, subscription: &Subscription) -> Option<&InstallPlan> {
        self.install_plans.iter().find(|plan| {
            let is_its_own = plan.csvs.contains(&subscription.current) || subscription.install_plan == plan.name;
            plan.namespace == subscription.namespace && plan.waits() && is_its_own
        })
    }

    /// Adds the objects of another reading. If two objects share kind and name, the later one counts.
    pub fn add(&mut self, other: Self) {
        fn put<T>(list: &mut Vec<T>, others: Vec<T>, key: impl Fn(&T) -> (String, String)) {
            let mut known: HashMap<_, usize> = list.iter().enumerate().map(|(at, it)| (key(it), at)).collect();
            for object in others {
                let next = list.len();
                match list.get_mut(*known.entry(key(&object)).or_insert(next)) {
                    Some(same) => *same = object,
                    None => list.push(object),
                }
            }
        }
        put(&mut self.subscriptions, other.subscriptions, |it| (it.namespace.clone(), it.name.clone()));
        put(&mut self.csvs, other.csvs, |it| (it.namespace.clone(), it.name.clone()));
        put(&mut self.catalog_sources, other.catalog_sources, |it| (it.namespace.clone(), it.name.clone()));
        put(&mut self.extensions, other.extensions, |it| (String::new(), it.name.clone()));
        put(&mut self.cluster_catalogs, other.cluster_catalogs, |it| (String::new(), it.name.clone()));
        put(&mut self.object_sets, other.object_sets, |it| (String::new(), it.name.clone()));
        put(&mut self.operator_groups, other.operator_groups, |it| (it.namespace.clone(), it.name.clone()));
        put(&mut self.install_plans, other.install_plans, |it| (it.namespace.clone(), it.name.clone()));
        put(&mut self.operator_conditions, other.operator_conditions, |it| (it.namespace.clone(), it.name.clone()));
        put(&mut self.definitions, other.definitions, |it| (String::new(), it.name.clone()));
        put(&mut self.cluster_operators, other.cluster_operators, |it| (String::new(), it.name.clone()));
        put(&mut self.pools, other.pools, |it| (String::new(), it.name.clone()));
        put(&mut self.nodes, other.nodes, |it| (String::new(), it.name.clone()));
        put(&mut self.api_requests, other.api_requests, |it| (String::new(), it.name.clone()));
        v1::fill_in(&mut self.extensions, &self.object_sets);
        self.collected.extend(other.collected);
        for (namespace, copies) in other.copies {
            put(self.copies.entry(namespace).or_default(), copies, |it| (String::new(), it.name.clone()));
        }
        self.warnings.extend(other.warnings);
        if let Some(version) = other.cluster_version {
            self.take_version(version);
        }
        if !other.name.is_empty() {
            self.name = other.name;
        }
        for (kind, n) in other.skipped {
            *self.skipped.entry(kind).or_default() += n;
        }
        if !other.admin_gates.gates.is_empty() {
            self.admin_gates.gates = other.admin_gates.gates;
            self.admin_gates.place = other.admin_gates.place;
        }
        self.admin_gates.acknowledged.extend(other.admin_gates.acknowledged);
        self.newest = std::mem::take(&mut self.newest).max(other.newest);
    }

    /// Takes a ClusterVersion; if there are two, the later one counts. If they are of different clusters, that is a
    /// warning.
    fn take_version(&mut self, version: ClusterVersion) {
        if let Some(known) = &self.cluster_version {
            let (one, other) = (&known.cluster_id, &version.cluster_id);
            if !one.is_empty() && !other.is_empty() && one != other {
                self.warnings.push(format!(
                    "the manifests belong to two clusters, `{one}` and `{other}`: the answers mix both, with the \
                    version of the second"
                ));
            }
        }
        if !version.version.is_empty() {
            self.openshift.clone_from(&version.version);
        }
        self.cluster_version = Some(version);
    }

    /// The architecture of its releases, as channels name it: that of its ClusterVersion, or else that of its nodes if
    /// all have the same.
    pub fn architecture(&self) -> Option<String> {
        if let Some(wording) = self.cluster_version.as_ref().and_then(ClusterVersion::architecture_said) {
            return Some(wording);
        }
        let mut of_nodes = self.nodes.iter().map(|it| it.architecture.as_str()).filter(|it| !it.is_empty());
        let first = of_nodes.next()?;
        of_nodes.all(|it| it == first).then(|| first.to_owned())
    }

    /// Whether ClusterServiceVersions were read, copies included.
    pub fn has_service_versions(&self) -> bool {
        !self.csvs.is_empty() || !self.copies.is_empty()
    }

    /// The namespaces that have Subscriptions or ClusterServiceVersions that are no copies, by name.
    pub fn namespaces(&self) -> Vec<&str> {
        let mut namespaces: Vec<&str> = self.namespaces_of_operators().collect();
        namespaces.sort_unstable();
        namespaces.dedup();
        namespaces
    }

    /// Whether a namespace is one of [`Self::namespaces`].
    pub fn has_namespace(&self, name: &str) -> bool {
        self.namespaces_of_operators().any(|namespace| namespace == name)
    }

    /// The namespace of each Subscription, and of each ClusterServiceVersion that is no copy.
    fn namespaces_of_operators(&self) -> impl Iterator<Item = &str> {
        self.subscriptions.iter().map(|it| it.namespace.as_str()).chain(self.own_csvs().map(|it| it.namespace.as_str()))
    }
}
