//! The state of a namespace: what keeps its operators from their next version, in the order in which OLM Classic asks.
//!
//! OLM asks whether the CatalogSources can be reached, whether there is one OperatorGroup, whether an InstallPlan is
//! under way, and only then which operators belong together; afterwards the ClusterServiceVersions decide whether an
//! upgrade is carried out (`docs/behaviour/olm-classic.md` 1.4, 2.9, 5.3, 5.4). [`NamespaceInquiry::state`] asks in the
//! same order, and all that it finds stands in one list: the first obstacle is the one to remove first. A change that
//! concerns the resolution is only offered after the namespace was resolved with it.
//!
//! Objects that are not in the input are not taken for missing: then the answer names what is not known.

mod commands;
mod definitions;
mod extensions;
mod fixes;
mod install_modes;
mod resolved;
mod service_versions;
mod sources;
mod standing;
mod subscriptions;

pub use crate::obstacle::{Effect, Obstacle, ObstacleCode, Remedy};
pub use commands::{SUBSCRIPTIONS, merge_patch, plain_name};
pub use extensions::{of_extension, state_of_extensions, unsafe_definitions};
pub use install_modes::unsupported_targets;
pub use standing::{NamespaceState, OperatorStanding, first_obstacle, headline, lasting_obstacle, next_bundle};

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;

use commands::Commands;

use crate::resolve::{ClusterFacts, Failure, Options, Resolution, Rows, Verdict, World, resolve};
use olmdex_base::diag::Place;
use olmdex_index::LightIndex;
use olmdex_rules::cluster::{Cluster, ClusterServiceVersion, Subscription};

/// A question about the state of a namespace.
pub struct NamespaceInquiry<'a> {
    /// The objects of the cluster; CatalogSources have the names of the catalogs that they mean.
    pub cluster: &'a Cluster,
    /// The namespace. Its catalogs are those that are given.
    pub world: &'a World,
    /// The content of these catalogs.
    pub rows: &'a dyn Rows,
    /// The same catalogs.
    pub index: &'a LightIndex,
    /// The versions of the cluster.
    pub facts: &'a ClusterFacts,
    /// How much an answer may cost.
    pub options: &'a Options,
    /// How many changes are still tried, each of which is a resolution: see [`MAX_TRIES`].
    pub tries: Cell<usize>,
    /// The objects of the namespace.
    pub own: OwnObjects<'a>,
}

/// The objects of a namespace, once they were looked up among those of the cluster.
#[derive(Debug, Default)]
pub struct OwnObjects<'a> {
    subscriptions: OnceCell<Vec<&'a Subscription>>,
    /// Those that are no copies.
    service_versions: OnceCell<Vec<&'a ClusterServiceVersion>>,
    replacements: OnceCell<BTreeMap<(&'a str, &'a str), &'a ClusterServiceVersion>>,
}

/// How many changes are tried for one namespace. Its objects may be anybody's, and each of them may ask for some.
pub const MAX_TRIES: usize = 100;

impl NamespaceInquiry<'_> {
    /// The state of the namespace.
    ///
    /// # Errors
    /// If the catalogs cannot be read, or a limit ends the work before there is an answer.
    fn resolved_state(&self) -> Result<NamespaceState, Failure> {
        let mut obstacles = self.of_sources()?;
        let is_kept_from_resolving = obstacles.iter().any(|it| it.effect == Effect::Stops && it.subjects.is_empty());
        obstacles.extend(self.of_subscriptions());
        let mut resolution = None;
        if !is_kept_from_resolving && !self.world.subscriptions.is_empty() && self.is_whole() {
            let options = Options { explains: true, ..*self.options };
            match resolve(self.world, self.rows, &options) {
                Ok(Verdict::Resolved(resolved)) => {
                    obstacles.extend(self.of_resolution(&resolved)?);
                    resolution = Some(resolved);
                }
                Ok(Verdict::Unsatisfiable(conflict)) => obstacles.push(self.of_conflict(&conflict)?),
                Err(failure) => obstacles.push(self.of_failure(failure)?),
            }
        }
        obstacles.extend(self.of_service_versions(resolution.as_ref())?);
        // An upgrade that removes the conflict comes first: it may be stuck.
        let is_replacing = self.replacing().is_some();
        obstacles.sort_by_key(|it| is_replacing && it.code == ObstacleCode::ResolutionFailed);
        if let Some(resolution) = &resolution {
            obstacles.extend(self.misfits(resolution)?);
        }
        Ok(self.standing(obstacles, resolution.as_ref()))
    }

    /// The state of the namespace; what its objects show if a limit ends the resolution. Other namespaces of a cluster
    /// have an answer all the same.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    pub fn state(&self) -> Result<NamespaceState, Failure> {
        let failure = match self.resolved_state() {
            Err(failure) if failure.is_limit() => failure,
            state => return state,
        };
        let mut obstacles = match self.of_objects(None) {
            Err(failure) if failure.is_limit() => Vec::new(),
            obstacles => obstacles?,
        };
        let object = format!("Namespace {}", self.namespace());
        let text = "whether OLM can resolve the namespace is not known".to_owned();
        let code = ObstacleCode::ResolutionUnknown;
        let mut found = Obstacle::new(code, Effect::Unknown, object, text, &Place::default());
        found.because.push(failure.to_string());
        obstacles.push(found.remedy("ask about it alone, with a higher `--max-work`", Vec::new()));
        Ok(self.standing(obstacles, None))
    }

    /// The obstacles that the cluster's own objects show; `resolution` tells which operators have a next version.
    ///
    /// # Errors
    /// The errors of [`Self::state`].
    pub fn of_objects(&self, resolution: Option<&Resolution>) -> Result<Vec<Obstacle>, Failure> {
        let mut obstacles = self.of_sources()?;
        obstacles.extend(self.of_subscriptions());
        obstacles.extend(self.of_service_versions(resolution)?);
        Ok(obstacles)
    }

    fn namespace(&self) -> &str {
        &self.world.namespace
    }

    fn commands(&self) -> Commands<'_> {
        Commands(self.namespace())
    }

    /// The Subscriptions of the namespace, also those whose catalogs are not given.
    fn subscriptions(&self) -> impl Iterator<Item = &Subscription> {
        let is_own = |it: &&Subscription| it.namespace == self.namespace();
        self.own
            .subscriptions
            .get_or_init(|| self.cluster.subscriptions.iter().filter(is_own).collect())
            .iter()
            .copied()
    }

    /// [`World::is_whole`]
    fn is_whole(&self) -> bool {
        self.world.has_all(self.subscriptions())
    }

    fn is_given(&self, subscription: &Subscription) -> bool {
        self.world.subscriptions.iter().any(|known| known.name == subscription.name)
    }
}
