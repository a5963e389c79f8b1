//! What is asked of a plan.
//!
//! What it deliberately does not do: it has no defaults that depend on the day.

use crate::cluster::Cluster;
use crate::constraint::openshift::Minor;
use crate::index::Index;
use crate::platform::{Day, Graph, Lifecycle, SupportLevel};

use super::family::PlanCatalog;

/// The question after a plan.
pub struct PlanQuestion<'q> {
    /// The cluster.
    pub cluster: &'q Cluster,
    /// Where it is.
    pub from: Minor,
    /// Where it shall go.
    pub to: Minor,
    /// Whether from one version with extended support to the next, with paused pools.
    pub eus: bool,
    /// The day on which support is judged.
    pub day: Day,
    /// What counts as supported.
    pub level: SupportLevel,
    /// The lifecycles of packages.
    pub lifecycles: Vec<Lifecycle>,
    /// What holds the catalogs.
    pub index: &'q Index,
    /// Which of them is for which version.
    pub catalogs: Vec<PlanCatalog>,
    /// Which CatalogSource (`NAMESPACE/NAME` or `NAME`) is which family of catalogs.
    pub source_map: Vec<(String, String)>,
    /// The updates of OpenShift that are known.
    pub graph: Graph,
    /// Where they come from, for people.
    pub graph_source: String,
    /// The namespaces that are looked at; all if there are none.
    pub scope: Vec<String>,
    /// Blockers and decisions that are taken as settled, by their codes or `CODE:SUBJECT`.
    pub assume: Vec<String>,
}

/// How many minor versions a plan spans at most.
const MAX_PATH: usize = 40;

/// The minor versions from one to another, each once. No minor version is ever skipped.
#[must_use]
pub fn path_of(from: Minor, to: Minor) -> Vec<Minor> {
    let mut path: Vec<Minor> = from.until(to).take(MAX_PATH).collect();
    path.push(to);
    path
}
