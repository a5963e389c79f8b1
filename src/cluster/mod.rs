//! Kubernetes objects as `kubectl get -o yaml` prints them: what a namespace has and wants.
//!
//! Manifests come as lists, as documents of one file, as JSON, or scattered over the directories of a must-gather. Whatever
//! else they hold is passed over. One file for each kind.
//!
//! What it deliberately does not do: no cluster is asked, nothing is judged, and it knows no catalogs.

mod catalog_source;
mod cluster_version;
mod csv;
mod extension;
mod manifest;
mod object;
mod operator_group;
mod subscription;

pub use catalog_source::CatalogSource;
pub use csv::ClusterServiceVersion;
pub use extension::ClusterExtension;
pub use manifest::{AnyObject, Archives, ClusterError, ObjectText, read, read_objects, read_text};
pub use operator_group::OperatorGroup;
pub use subscription::Subscription;

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
    /// OperatorGroups.
    pub operator_groups: Vec<OperatorGroup>,
    /// The version of OpenShift, or empty.
    pub openshift: String,
    /// What could not be read, in words; only what was found in a directory, where not every file need be a manifest.
    pub warnings: Vec<String>,
}

impl Cluster {
    /// Adds what was read elsewhere.
    pub fn add(&mut self, other: Self) {
        self.subscriptions.extend(other.subscriptions);
        self.csvs.extend(other.csvs);
        self.catalog_sources.extend(other.catalog_sources);
        self.extensions.extend(other.extensions);
        self.operator_groups.extend(other.operator_groups);
        self.warnings.extend(other.warnings);
        if !other.openshift.is_empty() {
            self.openshift = other.openshift;
        }
    }

    /// The namespaces that have Subscriptions or ClusterServiceVersions that are no copies, by name.
    #[must_use]
    pub fn namespaces(&self) -> Vec<&str> {
        let subscriptions = self.subscriptions.iter().map(|it| it.namespace.as_str());
        let csvs = self.csvs.iter().filter(|it| !it.is_copied).map(|it| it.namespace.as_str());
        let mut namespaces: Vec<&str> = subscriptions.chain(csvs).collect();
        namespaces.sort_unstable();
        namespaces.dedup();
        namespaces
    }
}
