//! The data that the pages about a cluster's upgrade are made from.

use olmdex_constraint::openshift::Minor;
use olmdex_plan::plan::PlanBasis;
use olmdex_rules::cluster::Cluster;
use olmdex_text::calendar::Day;

/// A cluster, and the basis of its plans.
#[derive(Debug)]
pub struct Plans {
    /// The cluster.
    pub cluster: Cluster,
    /// Its version.
    pub from: Minor,
    /// The version to upgrade to if a question names none.
    pub to: Option<Minor>,
    /// The basis of plans.
    pub basis: PlanBasis,
    /// How a command names the cluster: options with their values.
    pub words: Vec<(&'static str, String)>,
    /// Directories of this machine, with a slash at the end, which are no business of the readers of pages: they are
    /// cut from places.
    pub hidden: Vec<String>,
    /// The present day.
    pub today: fn() -> Day,
}
