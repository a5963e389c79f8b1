//! The question that a plan answers.

use std::collections::BTreeSet;

use olmdex_constraint::openshift::Minor;
use olmdex_index::Index;
use olmdex_olm::upgrade::v1::Gates;
use olmdex_rules::cluster::Cluster;
use olmdex_rules::openshift::{Graph, Lifecycle, SupportLevel};
use olmdex_text::calendar::Day;

use olmdex_olm::catalog_source::PlanCatalog;
use olmdex_olm::namespace::{NamespaceState, Obstacle};

/// The question that a plan answers.
pub struct PlanQuestion<'q> {
    /// The cluster.
    pub cluster: &'q Cluster,
    /// The present version.
    pub from: Minor,
    /// The version to upgrade to.
    pub to: Minor,
    /// The minor versions from the first to the last.
    pub path: Vec<Minor>,
    /// Whether to go from one version with extended support to the next, with paused pools.
    pub eus: bool,
    /// The day on which support is judged.
    pub day: Day,
    /// Which phases count as supported.
    pub level: SupportLevel,
    /// The lifecycles of packages.
    pub lifecycles: Vec<Lifecycle>,
    /// The index with the catalogs.
    pub index: &'q Index,
    /// Which of them is for which version.
    pub catalogs: Vec<PlanCatalog>,
    /// The family of catalogs of each CatalogSource (`NAMESPACE/NAME` or `NAME`).
    pub source_map: Vec<(String, String)>,
    /// The updates of OpenShift that are known.
    pub graph: Graph,
    /// The source of the updates, for people.
    pub graph_source: String,
    /// The channel of each update of the platform, by the target version.
    pub channels: Vec<(Minor, String)>,
    /// Those of these channels that no source of updates has, as far as that is known.
    pub unknown_channels: Vec<(Minor, String)>,
    /// The architecture of the cluster.
    pub arch: String,
    /// The namespaces to cover; all if there are none.
    pub scope: Vec<String>,
    /// The feature gates of operator-controller.
    pub gates: Gates,
    /// Blockers and decisions that count as settled, by their codes or `CODE:SUBJECT`.
    pub assume: Vec<String>,
    /// The states of the cluster's namespaces with the catalogs of its present version, as far as they are known.
    pub namespaces: Vec<NamespaceState>,
}

impl PlanQuestion<'_> {
    /// With `--eus`, the version with extended support that the step at an index of the way belongs to: the pools are
    /// paused until then. From there to the last, every second version is one.
    pub(super) fn eus_goal(&self, idx: usize) -> Option<Minor> {
        eus_goal(&self.path, idx).filter(|_| self.eus)
    }

    /// The catalogs of the present version.
    pub(super) fn present_catalogs(&self) -> Vec<String> {
        let present = self.catalogs.iter().filter(|it| it.minor.is_same(self.from));
        present.map(|it| it.catalog.clone()).collect()
    }
}

/// An obstacle as the reason of a step.
pub(super) fn told(obstacle: &Obstacle) -> String {
    match (obstacle.message.as_str(), obstacle.because.as_slice()) {
        (_, because @ [_, ..]) => format!("{}: {}", obstacle.text, because.join("; ")),
        ("", []) => obstacle.text.clone(),
        (message, []) => format!("{}: {message}", obstacle.text),
    }
}

/// As [`PlanQuestion::eus_goal`], for the minor versions of a way.
pub(super) fn eus_goal(path: &[Minor], idx: usize) -> Option<Minor> {
    let n_more = path.len().checked_sub(idx + 2)?;
    path.get(idx + 1 + n_more % 2).copied()
}

/// How many minor versions a plan spans at most.
const MAX_PATH: usize = 40;

/// The minor versions from one to another, each once. No minor version is ever skipped.
pub fn path_of(from: Minor, to: Minor) -> Vec<Minor> {
    let mut path: Vec<Minor> = from.until(to).take(MAX_PATH).collect();
    path.push(to);
    path
}

/// The same, with other names of the versions on the way if they are known: 5.0 may be called 4.23.
pub fn path_by_name(from: Minor, to: Minor, known: &BTreeSet<Minor>) -> Vec<Minor> {
    let mut path = path_of(from, to);
    let between = path.len().saturating_sub(1);
    for it in path.iter_mut().take(between).skip(1).filter(|it| !known.contains(it)) {
        *it = known.iter().copied().find(|name| name.is_same(*it)).unwrap_or(*it);
    }
    path
}
