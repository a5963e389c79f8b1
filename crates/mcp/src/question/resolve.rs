//! The bundles that OLM Classic installs together.

use olmdex_ask::{DEFAULT_WORK, NamespaceQuestion, ResolutionWish, options_of_work, resolutions};
use olmdex_olm::resolve::Options;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Question;
use super::catalog::known_catalogs;
use super::cluster::minor_of;
use crate::answer::{Answer, AnswerError};
use crate::world::World;

/// The bundles that OLM Classic installs.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Resolve {
    /// The bundles to subscribe to: PKG, PKG@VERSION, PKG/CHANNEL or the name of a bundle; in a namespace of its own as
    /// NS:PKG.
    install: Vec<String>,
    /// The installed bundles: PKG, PKG@VERSION, PKG/CHANNEL or the name of a bundle, also as BUNDLE@CHANNEL and NS:PKG.
    installed: Vec<String>,
    /// The namespace; that of the cluster, if it has just one.
    namespace: Option<String>,
    /// The namespace whose catalogs all namespaces see.
    global_namespace: Option<String>,
    /// Skip Subscriptions to catalogs that are not given.
    ignore_missing_catalogs: bool,
    /// Resolve again and again until nothing changes.
    until_stable: bool,
    /// Show where OLM itself may give another answer, and why.
    show_olm_quirks: bool,
    /// The cluster's version of OpenShift, for example 4.18.
    openshift: Option<String>,
    /// The cluster's version of Kubernetes, for example 1.31.
    kubernetes: Option<String>,
    /// Whether the contents of the cluster count, if the server knows one. Default: true.
    cluster: Option<bool>,
    /// Only these catalogs.
    catalog: Vec<String>,
}

impl Question for Resolve {
    fn ask(&self, world: &World) -> Result<Answer, AnswerError> {
        let cluster = world.cluster(self.cluster.unwrap_or(true));
        if cluster.is_none() && self.install.is_empty() && self.installed.is_empty() {
            return Err(AnswerError::of("nothing to resolve").help("name a package with `install`"));
        }
        let index = world.index();
        known_catalogs(&index, &self.catalog)?;
        let question = NamespaceQuestion {
            cluster: cluster.map(|it| it.0).unwrap_or_default(),
            install: self.install.clone(),
            installed: self.installed.clone(),
            source_map: world.source_map.clone(),
            namespace: self.namespace.clone(),
            global_namespace: self.global_namespace.clone(),
            ignores_missing: self.ignore_missing_catalogs,
            openshift: minor_of(self.openshift.as_ref())?,
            kubernetes: minor_of(self.kubernetes.as_ref())?,
            catalogs: self.catalog.clone(),
            are_named: world.are_named,
        };
        let worlds = question.worlds(&index)?;
        let mut warnings = worlds.warnings.clone();
        let options = Options { explains: true, ..options_of_work(DEFAULT_WORK) };
        let wish = ResolutionWish { until_stable: self.until_stable, shows_quirks: self.show_olm_quirks, options };
        let mut found = resolutions(&index, worlds, &wish)?;
        found.warn_of_definitions(&index)?;
        warnings.extend(found.warnings().into_iter().cloned());
        warnings.extend(found.failure.map(|it| it.to_string()));
        Ok(Answer::of("Resolution", &found.answers)?.warned(warnings))
    }

    fn command(&self, world: &World) -> String {
        let words = world.with_cluster(world.words(), self.cluster.unwrap_or(true));
        let words = words.options("--catalog", &self.catalog).options("--install", &self.install);
        let words = words.options("--installed", &self.installed).option("--namespace", self.namespace.as_ref());
        let words = words.option("--global-namespace", self.global_namespace.as_ref());
        let words = words.flag("--ignore-missing-catalogs", self.ignore_missing_catalogs);
        let words = words.flag("--until-stable", self.until_stable).flag("--show-olm-quirks", self.show_olm_quirks);
        words
            .option("--openshift", self.openshift.as_ref())
            .option("--kubernetes", self.kubernetes.as_ref())
            .line("resolve")
    }

    fn is_of_cluster(&self) -> bool {
        self.cluster.unwrap_or(true)
    }
}
