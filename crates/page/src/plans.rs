//! The data that the pages about a cluster are made from.

use std::sync::Arc;

use olmdex_constraint::openshift::Minor;
use olmdex_plan::plan::PlanBasis;
use olmdex_rules::cluster::Cluster;
use olmdex_text::calendar::Day;

/// A cluster that a server was given.
#[derive(Debug)]
pub struct ServedCluster {
    /// Its objects.
    pub cluster: Cluster,
    /// The catalogs that CatalogSources mean, as NAMESPACE/NAME=CATALOG.
    pub ties: Vec<String>,
    /// How a command names the cluster: options with their values.
    pub words: Vec<(&'static str, String)>,
    /// Directories of this machine, with a slash at the end, which are no business of the readers of pages: they are
    /// cut from places.
    pub hidden: Vec<String>,
}

/// The basis of the plans of a cluster.
#[derive(Debug)]
pub struct Plans {
    /// The cluster.
    pub of: Arc<ServedCluster>,
    /// Its version.
    pub from: Minor,
    /// The version to upgrade to if a question names none.
    pub to: Option<Minor>,
    /// The basis of plans.
    pub basis: PlanBasis,
    /// The present day.
    pub today: fn() -> Day,
}
