//! Upgrades of packages: the bundle that OLM takes, the path, and why OLM does not take a version.

use olmdex_ask::{Channels, FewestWish, PathWish, UpgradeQuestion};
use olmdex_rules::cluster::LabelSelector;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Question;
use super::catalog::known_catalogs;
use super::choice::{List, OlmWord, PolicyWord};
use super::cluster::{gates_of, minor_of};
use crate::answer::{Answer, AnswerError};
use crate::words::Words;
use crate::world::World;

/// The common parts of the questions about upgrades.
struct UpgradeFields<'a> {
    name: Option<&'a String>,
    installed: Option<&'a String>,
    version: Option<&'a String>,
    channel: &'a List,
    olm: Option<OlmWord>,
    policy: Option<PolicyWord>,
    gates: Option<&'a String>,
    selector: Option<&'a String>,
    cluster: bool,
    catalog: &'a List,
}

/// Reads the fields that all of them have.
macro_rules! upgrade_fields {
    ($it:expr, $name:expr, $version:expr) => {
        UpgradeFields {
            name: $name,
            installed: $it.installed.as_ref(),
            version: $version,
            channel: &$it.channel,
            olm: $it.olm,
            policy: $it.upgrade_constraint_policy,
            gates: $it.feature_gates.as_ref(),
            selector: $it.catalog_selector.as_ref(),
            cluster: $it.cluster.unwrap_or(true),
            catalog: &$it.catalog,
        }
    };
}

impl UpgradeFields<'_> {
    fn question(&self, world: &World) -> Result<UpgradeQuestion, AnswerError> {
        known_catalogs(&world.index(), self.catalog)?;
        let selector = self.selector.map(|it| LabelSelector::parse(it)).transpose();
        Ok(UpgradeQuestion {
            name: self.name.cloned(),
            installed: self.installed.cloned(),
            version: self.version.cloned(),
            channels: self.channel.0.clone(),
            olm: self.olm.map(OlmWord::value).unwrap_or_default(),
            policy: self.policy.map(PolicyWord::value).unwrap_or_default(),
            gates: gates_of(self.gates)?,
            selector: selector.map_err(AnswerError::of)?,
            cluster: world.cluster(self.cluster),
            source_map: world.source_map.clone(),
            catalogs: self.catalog.0.clone(),
            are_named: world.are_named,
            ..UpgradeQuestion::default()
        })
    }

    fn words(&self, world: &World) -> Words {
        let words = world.with_cluster(world.words(), self.cluster).options("--catalog", &self.catalog.0);
        let words = words.option("--installed", self.installed).option("--version", self.version);
        let words = words.options("--channel", &self.channel.0).option("--olm", self.olm.map(OlmWord::word));
        let words = words.option("--upgrade-constraint-policy", self.policy.map(PolicyWord::word));
        let words = words.option("--feature-gates", self.gates).option("--catalog-selector", self.selector);
        words.names(self.name)
    }
}

/// The bundles that OLM upgrades to.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Updates {
    /// The package; PKG@VERSION or a bundle is the installed one, PKG/CHANNEL has the Subscription's channel. Default:
    /// every operator of the cluster, if the server knows one.
    name: Option<String>,
    /// The installed bundle: a version, a bundle's name, or NAME@VERSION for a bundle that no catalog holds. Default:
    /// none.
    installed: Option<String>,
    /// The version range of a ClusterExtension (OLM v1).
    version: Option<String>,
    /// The channels; several for OLM v1 only.
    channel: List,
    /// Which generation of OLM to ask. Default: both.
    olm: Option<OlmWord>,
    /// Whether the catalog's edges bind a ClusterExtension (OLM v1). Default: catalog-provided.
    upgrade_constraint_policy: Option<PolicyWord>,
    /// Feature gates of operator-controller, as GATE=BOOL,….
    feature_gates: Option<String>,
    /// The catalogs of a ClusterExtension by their labels, as `kubectl -l` takes them (OLM v1).
    catalog_selector: Option<String>,
    /// Whether the contents of the cluster count, if the server knows one. Default: true.
    cluster: Option<bool>,
    /// Only these catalogs.
    catalog: List,
}

impl Question for Updates {
    fn ask(&self, world: &World) -> Result<Answer, AnswerError> {
        let question = upgrade_fields!(self, self.name.as_ref(), self.version.as_ref()).question(world)?;
        let mut warnings = Vec::new();
        let found = question.updates(&world.index(), &mut |it| warnings.push(it.to_owned()))?;
        Ok(Answer::of("Updates", &found.answers)?.warned(warnings))
    }

    fn command(&self, world: &World) -> String {
        upgrade_fields!(self, self.name.as_ref(), self.version.as_ref()).words(world).line("updates")
    }

    fn is_of_cluster(&self) -> bool {
        self.cluster.unwrap_or(true)
    }
}

/// The upgrades that OLM makes one after another.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Path {
    /// The package; PKG@VERSION or a bundle is the installed one, PKG/CHANNEL has the Subscription's channel. Default:
    /// every operator of the cluster, if the server knows one.
    name: Option<String>,
    /// The installed bundle, where the path begins: a version, a bundle's name, or NAME@VERSION for a bundle that no
    /// catalog holds.
    installed: Option<String>,
    /// The end of the path: a version or a bundle's name. Default: as far as possible.
    to: Option<String>,
    /// Show the fewest steps instead of those that OLM makes by itself; needs `to`.
    shortest: bool,
    /// With `shortest`: up to this many paths. Default: 1.
    alternatives: Option<u16>,
    /// With `shortest`: avoid deprecated bundles.
    avoid_deprecated: bool,
    /// With `shortest`: avoid bundles that state that they do not support this version of OpenShift, for example 4.18.
    openshift: Option<String>,
    /// The channels; with `shortest` those that may be used.
    channel: List,
    /// Which generation of OLM to ask. Default: both.
    olm: Option<OlmWord>,
    /// Whether the catalog's edges bind a ClusterExtension (OLM v1). Default: catalog-provided.
    upgrade_constraint_policy: Option<PolicyWord>,
    /// Feature gates of operator-controller, as GATE=BOOL,….
    feature_gates: Option<String>,
    /// The catalogs of a ClusterExtension by their labels, as `kubectl -l` takes them (OLM v1).
    catalog_selector: Option<String>,
    /// Whether the contents of the cluster count, if the server knows one. Default: true.
    cluster: Option<bool>,
    /// Only these catalogs.
    catalog: List,
}

/// The highest number of steps that are examined to find alternatives: the default of the command.
const MAX_STEPS: u64 = 5_000_000;

impl Question for Path {
    fn ask(&self, world: &World) -> Result<Answer, AnswerError> {
        if self.shortest && self.to.is_none() {
            return Err(AnswerError::of("`shortest` needs `to`: the fewest steps to which version?"));
        }
        if self.alternatives == Some(0) {
            return Err(AnswerError::of("`alternatives` must be at least 1"));
        }
        if !self.shortest && (self.alternatives.is_some() || self.avoid_deprecated || self.openshift.is_some()) {
            return Err(AnswerError::of("`alternatives`, `avoid_deprecated` and `openshift` need `shortest`"));
        }
        let fewest = FewestWish {
            at_most: self.alternatives.unwrap_or(1),
            avoids_deprecated: self.avoid_deprecated,
            openshift: minor_of(self.openshift.as_ref())?,
            max_work: MAX_STEPS,
        };
        let wish = PathWish { to: self.to.clone(), fewest: self.shortest.then_some(fewest) };
        let question = upgrade_fields!(self, self.name.as_ref(), None).question(world)?;
        let may_name = if self.shortest { Channels::Several } else { Channels::One };
        let question = UpgradeQuestion { may_name, ..question };
        let mut warnings = Vec::new();
        let found = question.paths(&world.index(), &wish, &mut |it| warnings.push(it.to_owned()))?;
        if found.gave_up {
            warnings.push("the search reached its limit before it found all alternatives".to_owned());
        }
        Ok(Answer::of("UpgradePath", &found.answers)?.warned(warnings))
    }

    fn command(&self, world: &World) -> String {
        let words = upgrade_fields!(self, self.name.as_ref(), None).words(world).option("--to", self.to.as_ref());
        let words = words.flag("--shortest", self.shortest).option("--alternatives", self.alternatives);
        let words = words.flag("--avoid-deprecated", self.avoid_deprecated);
        words.option("--openshift", self.openshift.as_ref()).line("path")
    }

    fn is_of_cluster(&self) -> bool {
        self.cluster.unwrap_or(true)
    }
}

/// Why OLM does not take a version.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhyNot {
    /// The wanted version: PKG@VERSION, the name of a bundle, PKG/CHANNEL (its head) or PKG (the head of its default
    /// channel).
    name: String,
    /// The installed bundle: a version, a bundle's name, or NAME@VERSION for a bundle that no catalog holds. Default:
    /// none.
    installed: Option<String>,
    /// The version range of a ClusterExtension (OLM v1).
    version: Option<String>,
    /// The channels; several for OLM v1 only.
    #[serde(default)]
    channel: List,
    /// Which generation of OLM to ask. Default: both.
    olm: Option<OlmWord>,
    /// Whether the catalog's edges bind a ClusterExtension (OLM v1). Default: catalog-provided.
    upgrade_constraint_policy: Option<PolicyWord>,
    /// Feature gates of operator-controller, as GATE=BOOL,….
    feature_gates: Option<String>,
    /// The catalogs of a ClusterExtension by their labels, as `kubectl -l` takes them (OLM v1).
    catalog_selector: Option<String>,
    /// Whether the contents of the cluster count, if the server knows one. Default: true.
    cluster: Option<bool>,
    /// Only these catalogs.
    #[serde(default)]
    catalog: List,
}

impl Question for WhyNot {
    fn ask(&self, world: &World) -> Result<Answer, AnswerError> {
        let question = upgrade_fields!(self, Some(&self.name), self.version.as_ref()).question(world)?;
        let question = UpgradeQuestion { names_target: true, ..question };
        let mut warnings = Vec::new();
        let found = question.why_not(&world.index(), &mut |it| warnings.push(it.to_owned()))?;
        Ok(Answer::of("WhyNot", &found.answers)?.warned(warnings))
    }

    fn command(&self, world: &World) -> String {
        upgrade_fields!(self, Some(&self.name), self.version.as_ref()).words(world).line("why-not")
    }

    fn is_of_cluster(&self) -> bool {
        self.cluster.unwrap_or(true)
    }
}
