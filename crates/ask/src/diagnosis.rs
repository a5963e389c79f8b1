//! Why operators of a cluster are stuck: the state of each namespace, which every question about a cluster asks.

use std::collections::BTreeSet;

use super::dependencies::WorkOptions;
use super::error::AskError;
use super::hint::{Help, Hint};
use super::name::PackageName;
use super::namespace::{NamespaceQuestion, Worlds};
use super::question::{Answer, Question, State, Verdict, answer};
use super::resolution::{DEFAULT_WORK, options_of_work};
use super::upgrade::{GateOptions, PackageQuestion, UpgradeInquiry, UpgradeOptions};
use olmdex_base::olm::OlmSet;
use olmdex_constraint::fields::api_of;
use olmdex_constraint::openshift::Minor;
use olmdex_fbc::Api;
use olmdex_index::LightIndex;
use olmdex_index::query::Filter;
use olmdex_olm::namespace::{
    MAX_TRIES, NamespaceInquiry, NamespaceState, Obstacle, OwnObjects, of_extension, state_of_extensions,
    unsafe_definitions,
};
use olmdex_olm::resolve::{IndexRows, Options};
use olmdex_olm::upgrade::v1_updates;
use olmdex_rules::cluster::{Cluster, ClusterExtension};
use olmdex_rules::openshift::coerce;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Find out why operators of a cluster are stuck
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct DiagnoseQuestion {
    /// Only these namespaces, packages, Subscriptions or ClusterExtensions. Default: all of the cluster
    #[cfg_attr(feature = "clap", arg(value_name = "NAMESPACE|PKG"))]
    pub name: Vec<String>,
    /// How much the answer may cost.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub work: WorkOptions,
    /// The feature gates of operator-controller.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub gates: GateOptions,
    /// Only this catalog; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub catalog: Vec<String>,
}

impl Question for DiagnoseQuestion {
    const NAME: &'static str = "diagnose";
    const KIND: &'static str = "Diagnosis";
    const OF_CLUSTER: Option<&'static str> = Some("true");
    type Index = LightIndex;
    type Item = NamespaceState;

    fn names(&self) -> Vec<&String> {
        Vec::new()
    }

    /// The state of each namespace, those with something stuck first. The verdict is negative if anything is stuck.
    fn ask(&self, state: &State<'_, LightIndex>) -> Result<Answer<NamespaceState>, AskError> {
        let Some((cluster, words)) = state.cluster else {
            let what = "a diagnosis needs the objects of a cluster: add `--cluster`".to_owned();
            return Err(AskError::NothingInCluster(what));
        };
        self.refuse_unknown(cluster, words)?;
        let mut warnings = Vec::new();
        // All remarks on missing parts of the namespaces are obstacles.
        warnings.extend(cluster.warnings.iter().cloned());
        let options = self.work.options();
        let mut items = namespace_states(state, &self.catalog, None, &options, |namespace| {
            self.names_namespace(cluster, namespace)
        })?;
        items.extend(self.of_extensions(state, cluster, &mut warnings)?);
        for item in &mut items {
            self.keep(item);
        }
        items.retain(|it| !it.operators.is_empty() || !it.obstacles.is_empty());
        items.sort_by_key(|it| !it.is_stuck());
        let is_stuck = items.iter().any(|state| state.is_stuck() || state.is_unknown());
        answer(Ok((items, Verdict::negative_if(is_stuck))), warnings)
    }
}

impl DiagnoseQuestion {
    /// A name must be that of something in the cluster.
    fn refuse_unknown(&self, cluster: &Cluster, words: &str) -> Result<(), AskError> {
        let subscriptions = cluster.subscriptions.iter();
        let known: BTreeSet<&str> = subscriptions
            .flat_map(|it| [it.namespace.as_str(), it.package.as_str(), it.name.as_str()])
            .chain(cluster.own_csvs().flat_map(|it| [&*it.namespace, &*it.name]))
            .chain(cluster.extensions.iter().flat_map(|it| [it.package.as_str(), it.name.as_str()]))
            .collect();
        if known.is_empty() {
            let what = format!("{words} has no Subscription, no ClusterServiceVersion and no ClusterExtension");
            return Err(AskError::NothingInCluster(what));
        }
        match self.name.iter().find(|name| !known.contains(name.as_str())) {
            Some(name) => {
                let help = Help::new(Hint::of(name, known), "name a namespace, a package or a Subscription");
                Err(AskError::NotInCluster { cluster: words.to_owned(), name: name.clone(), help })
            }
            None => Ok(()),
        }
    }

    fn is_named(&self, names: &[&str]) -> bool {
        self.name.is_empty() || self.name.iter().any(|name| names.contains(&name.as_str()))
    }

    fn names_namespace(&self, cluster: &Cluster, namespace: &str) -> bool {
        let mut subscriptions = cluster.subscriptions.iter().filter(|it| it.namespace == namespace);
        let mut csvs = cluster.own_csvs().filter(|it| it.namespace == namespace);
        self.is_named(&[namespace])
            || subscriptions.any(|it| self.is_named(&[&it.package, &it.name]))
            || csvs.any(|it| self.is_named(&[&it.name]))
    }

    /// Leaves the operators that are asked for, and what concerns them.
    fn keep(&self, state: &mut NamespaceState) {
        if self.is_named(&[&state.namespace]) {
            return;
        }
        state.operators.retain(|it| self.is_named(&[&it.package, &it.name, &it.installed]));
        let operators = &state.operators;
        state.obstacles.retain(|obstacle| operators.iter().any(|it| obstacle.concerns(it.subject())));
    }

    /// The ClusterExtensions of OLM v1, which belong to no namespace.
    fn of_extensions(
        &self,
        state: &State<'_, LightIndex>,
        cluster: &Cluster,
        warnings: &mut Vec<String>,
    ) -> Result<Option<NamespaceState>, AskError> {
        let is_asked = |it: &&ClusterExtension| self.is_named(&[&it.package, &it.name]);
        let asked: Vec<&ClusterExtension> = cluster.extensions.iter().filter(is_asked).collect();
        if asked.is_empty() {
            return Ok(None);
        }
        let options = UpgradeOptions {
            olm: OlmSet::V1,
            gates: GateOptions { feature_gates: Some(self.gates.gates().on_openshift(coerce(&cluster.openshift))) },
            catalog: self.catalog.clone(),
            ..UpgradeOptions::default()
        };
        let mut inquiry = UpgradeInquiry::new(state, &options, None, None);
        let (questions, unknown) = match inquiry.questions() {
            Ok(found) => (found.questions, found.unknown_catalogs),
            // The objects by themselves tell a lot.
            Err(error) if error.is_about_words() => {
                inquiry.warnings.push(error.to_string());
                Default::default()
            }
            Err(AskError::NoCatalogForCluster(_) | AskError::NothingInCluster(_)) => Default::default(),
            Err(error) => return Err(error),
        };
        warnings.extend(inquiry.warnings);
        let mut found: Vec<Obstacle> = Vec::new();
        let mut next = Vec::new();
        for extension in asked.iter().copied() {
            let words = format!("ClusterExtension {}", extension.name);
            let question = questions.iter().find(|it| it.asked.managed_by.as_ref() == Some(&words));
            let is_known =
                !cluster.cluster_catalogs.iter().any(|it| extension.asks(&it.labels) && unknown.contains(&it.name));
            let question = question.filter(|_| is_known);
            let updates = question.map(|PackageQuestion { view, asked, .. }| v1_updates(view, asked));
            found.extend(of_extension(cluster, extension, updates.as_ref()));
            let target = updates.and_then(|it| it.target.filter(|_| it.refusal.is_none()));
            if let (Some(target), Some(installed)) = (&target, &extension.installed) {
                let apis = |bundle: &str| apis_of(state.index, &target.catalog, &extension.package, bundle);
                let (of_next, owned) = (apis(&target.bundle)?, apis(&installed.name)?);
                found.extend(unsafe_definitions(cluster, extension, (&target.bundle, &of_next), &owned));
            }
            next.push(target.map(|it| it.bundle));
        }
        Ok(Some(state_of_extensions(&asked, &next, found)))
    }
}

/// The APIs that a bundle of a catalog provides.
fn apis_of(index: &LightIndex, catalog: &str, package: &str, bundle: &str) -> Result<Vec<Api>, AskError> {
    let filter = Filter::of_catalog(catalog);
    let properties = index.properties_of(&filter, package, bundle)?;
    Ok(properties.iter().filter(|it| &*it.kind == "olm.gvk").filter_map(|it| api_of(&it.value)).collect())
}

/// The states of the namespaces that decide about the answers to questions: those with a Subscription of a package that
/// they name, and all if one names none.
///
/// # Errors
/// If the catalogs cannot be read, or a limit ends the work.
pub fn states_for<Q: Question>(
    questions: &[Q],
    state: &State<'_, LightIndex>,
    catalogs: &[String],
) -> Result<Vec<NamespaceState>, AskError> {
    let Some((cluster, _)) = state.cluster.filter(|_| Q::NEEDS_NAMESPACES) else { return Ok(Vec::new()) };
    let mut packages = BTreeSet::new();
    for name in questions.iter().flat_map(Q::names) {
        packages.insert(PackageName::find(state.index, name)?.package);
    }
    let asks_all = questions.iter().any(|question| question.names().is_empty());
    namespace_states(state, catalogs, None, &options_of_work(DEFAULT_WORK), |namespace| {
        let mut own = cluster.subscriptions.iter().filter(|it| it.namespace == namespace);
        asks_all || own.any(|it| packages.contains(&it.package))
    })
}

/// The obstacles between the operators of a cluster and their next versions, and what their authors have given up, in
/// words: for answers about what is installed.
///
/// # Errors
/// If the catalogs cannot be read.
pub(crate) fn words_about_installed(
    state: &State<'_, LightIndex>,
    catalogs: &[String],
) -> Result<Vec<String>, AskError> {
    let Some((cluster, words)) = state.cluster else { return Ok(Vec::new()) };
    let namespaces = namespace_states(state, catalogs, None, &options_of_work(DEFAULT_WORK), |_| true)?;
    let options = UpgradeOptions { catalog: catalogs.to_vec(), ..UpgradeOptions::default() };
    let mut inquiry = UpgradeInquiry::new(&State { namespaces: &namespaces, ..*state }, &options, None, None);
    let questions = match inquiry.of_cluster(cluster, words, None) {
        Ok(found) => found.questions,
        // The caller reports what it does not find.
        Err(AskError::NothingInCluster(_)) => return Ok(Vec::new()),
        Err(error) if error.is_not_found() || error.is_about_words() => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    inquiry.warnings.clone_from(&cluster.warnings);
    inquiry.warn_of_deprecations(&questions);
    let of_object = |question: &PackageQuestion| {
        let (whose, obstacle) = question.asked.managed_by.as_ref().zip(question.obstacle.as_ref())?;
        Some(format!("{whose}: {}", obstacle.text))
    };
    inquiry.warnings.extend(questions.iter().filter_map(of_object));
    Ok(inquiry.warnings)
}

/// The namespaces of a cluster as worlds; none, if it has none.
///
/// # Errors
/// If the catalogs cannot be read.
pub(crate) fn worlds_of(
    state: &State<'_, LightIndex>,
    catalogs: &[String],
    openshift: Option<Minor>,
) -> Result<Worlds, AskError> {
    let Some((cluster, _)) = state.cluster.filter(|(cluster, _)| !cluster.namespaces().is_empty()) else {
        return Ok(Worlds::default());
    };
    let question = NamespaceQuestion {
        cluster: cluster.clone(),
        source_map: state.source_map.to_vec(),
        ignores_missing: true,
        openshift,
        catalogs: catalogs.to_vec(),
        are_named: state.are_named,
        ..NamespaceQuestion::default()
    };
    question.worlds(state.index)
}

/// The states of the namespaces of a cluster that are asked for; `openshift` is its version, if that is known otherwise
/// than by its objects. Where a limit ends the resolution of one, an obstacle says so.
///
/// # Errors
/// If the catalogs cannot be read.
pub(crate) fn namespace_states(
    state: &State<'_, LightIndex>,
    catalogs: &[String],
    openshift: Option<Minor>,
    options: &Options,
    is_asked: impl Fn(&str) -> bool,
) -> Result<Vec<NamespaceState>, AskError> {
    states_of(&worlds_of(state, catalogs, openshift)?, state, options, is_asked)
}

/// As [`namespace_states`], for worlds that are known.
///
/// # Errors
/// If the catalogs cannot be read.
pub(crate) fn states_of(
    Worlds { worlds, facts, .. }: &Worlds,
    state: &State<'_, LightIndex>,
    options: &Options,
    is_asked: impl Fn(&str) -> bool,
) -> Result<Vec<NamespaceState>, AskError> {
    let Some((cluster, _)) = state.cluster else { return Ok(Vec::new()) };
    let mut states = Vec::new();
    for world in worlds.iter().filter(|it| is_asked(&it.namespace)) {
        let rows = IndexRows::new(state.index, world);
        let (index, tries) = (state.index, MAX_TRIES.into());
        let own = OwnObjects::default();
        let inquiry = NamespaceInquiry { cluster, world, rows: &rows, index, facts, options, tries, own };
        states.push(inquiry.state()?);
    }
    Ok(states)
}
