//! What the pages about a cluster's upgrade are made of.
//!
//! What it deliberately does not do: it plans nothing, and reads no clock.

use olmdex_constraint::openshift::Minor;
use olmdex_plan::plan::PlanBasis;
use olmdex_rules::cluster::Cluster;
use olmdex_text::calendar::Day;

/// A cluster, and what plans of it are made of.
#[derive(Debug)]
pub struct Plans {
    /// The cluster.
    pub cluster: Cluster,
    /// Its version.
    pub from: Minor,
    /// Where it shall go if nothing else is asked.
    pub to: Option<Minor>,
    /// What plans are made of.
    pub basis: PlanBasis,
    /// How a command names the cluster: options with their values.
    pub words: Vec<(&'static str, String)>,
    /// Directories of this machine, with a slash at the end, which are no business of who reads the pages: they are cut from places.
    pub hidden: Vec<String>,
    /// Which day it is.
    pub today: fn() -> Day,
}
