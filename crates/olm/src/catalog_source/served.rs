//! The ClusterCatalogs of a cluster as OLM v1 asks them: by labels and priority, and only those that are available
//! (`docs/behaviour/olm-v1.md` 2.1, 2.3).

use crate::upgrade::v1::{CatalogState, ServedCatalog};
use olmdex_rules::cluster::{CATALOG_NAME_LABEL, Cluster, ClusterCatalog};

/// The ClusterCatalogs of a cluster. `meant` finds the catalog, or the family of catalogs, behind a name.
pub fn served_catalogs(cluster: &Cluster, meant: impl Fn(&str) -> Option<String>) -> Vec<ServedCatalog> {
    let of = |it: &ClusterCatalog| {
        let mut labels = it.labels.clone();
        // A webhook sets it, whatever the manifest states.
        labels.insert(CATALOG_NAME_LABEL.to_owned(), it.name.clone());
        let state = match (it.is_unavailable, it.serves()) {
            (true, _) => CatalogState::Unavailable,
            (false, true) => CatalogState::Serving,
            (false, false) => CatalogState::NotServing,
        };
        ServedCatalog { name: it.name.clone(), catalog: meant(&it.name), priority: it.priority, labels, state }
    };
    cluster.cluster_catalogs.iter().map(of).collect()
}
