//! Questions about upgrades: of one package that a word names, or of every operator of a cluster, each with its package
//! as the catalogs have it.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use super::catalog::Catalogs;
#[cfg(feature = "clap")]
use super::command_line::one_of;
use super::error::AskError;
use super::installed::{InstalledOperator, version_of};
use super::name::{PackageName, list_bundles, no_bundle, no_channel, no_package};
use super::question::{State, as_text};
use olmdex_base::diag::Listed;
use olmdex_base::olm::OlmSet;
use olmdex_index::LightIndex;
use olmdex_index::query::{CatalogRank, Filter, PackageGraph};
use olmdex_olm::catalog_source::{CATALOG_NAME_LABEL, CatalogSources, served_catalogs};
use olmdex_olm::namespace::{Obstacle, first_obstacle, next_bundle, of_extension};
use olmdex_olm::upgrade::v1::{Gates, Installation, Policy, ServedCatalog};
use olmdex_olm::upgrade::{EngineQuestion, InstalledBundle, InstalledError, NamedVersion, PackageView};
use olmdex_rules::cluster::LabelSelector;
use olmdex_rules::cluster::{BundleStatus, Cluster, ClusterExtension, Subscription};
use olmdex_rules::openshift::coerce;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The feature gates of operator-controller.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct GateOptions {
    /// The feature gates of operator-controller, as its own option takes them (OLM v1): for example
    /// `SingleOwnNamespaceInstallSupport=true,BundleReleaseSupport=true`
    #[cfg_attr(feature = "clap", arg(long, value_name = "GATE=BOOL,…"))]
    #[serde(with = "as_text")]
    #[schemars(with = "Option<String>")]
    pub feature_gates: Option<Gates>,
}

impl GateOptions {
    /// The gates, the default ones if none are given.
    pub fn gates(&self) -> Gates {
        self.feature_gates.unwrap_or_default()
    }
}

/// The options that all questions about upgrades have.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct UpgradeOptions {
    /// The channel; may be repeated for OLM v1. Default: all, as for a Subscription or ClusterExtension without one
    #[cfg_attr(feature = "clap", arg(long, value_name = "CHANNEL"))]
    pub channel: Vec<String>,
    /// Which generation of OLM to ask
    #[cfg_attr(feature = "clap", arg(long, value_parser = one_of::<OlmSet>(), default_value = "both"))]
    pub olm: OlmSet,
    /// Whether the catalog's edges bind a ClusterExtension (OLM v1)
    #[cfg_attr(feature = "clap", arg(long, value_parser = one_of::<Policy>(), value_name = "POLICY", default_value = "catalog-provided"))]
    pub upgrade_constraint_policy: Policy,
    /// The feature gates of operator-controller.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub gates: GateOptions,
    /// The catalogs of a ClusterExtension by their labels, as `kubectl -l` takes them (OLM v1)
    #[cfg_attr(feature = "clap", arg(long, value_name = "SELECTOR"))]
    #[serde(with = "as_text")]
    #[schemars(with = "Option<String>")]
    pub catalog_selector: Option<LabelSelector>,
    /// Only this catalog; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub catalog: Vec<String>,
}

/// A question about one package: the generations of OLM to ask, and the package as the catalogs have it.
#[derive(Debug)]
pub struct PackageQuestion {
    /// The generations of OLM to ask.
    pub olm: OlmSet,
    /// The package as the catalogs have it.
    pub view: PackageView,
    /// The installed bundle, and the wanted one.
    pub asked: EngineQuestion,
    /// The first obstacle between the operator and its next version, in the namespace of its Subscription.
    pub obstacle: Option<Obstacle>,
    /// The bundle that OLM installs next there, if it is known.
    pub next: Option<String>,
}

impl PackageQuestion {
    pub(crate) fn new(olm: OlmSet, view: PackageView, asked: EngineQuestion) -> Self {
        Self { olm, view, asked, obstacle: None, next: None }
    }
}

/// The questions about packages that one question stands for.
#[derive(Debug)]
pub struct PackageQuestions {
    /// The questions.
    pub questions: Vec<PackageQuestion>,
    /// Whether an object of the cluster was left out, with a warning. Then the answer is not complete.
    pub has_left_out: bool,
    /// The ClusterCatalogs of ClusterExtensions that are none of the catalogs: what OLM v1 finds there is not known.
    pub unknown_catalogs: BTreeSet<String>,
}

impl PackageQuestions {
    /// The name and the version of a bundle in a question.
    ///
    /// A bundle that only another catalog of the package has is not an error: the answer states that this catalog lacks
    /// it.
    ///
    /// # Errors
    /// [`AskError::NoBundle`]
    pub fn bundle(&self, question: &PackageQuestion, text: &str) -> Result<NamedVersion, AskError> {
        let mut of_package = self.questions.iter().filter(|it| it.view.package == question.view.package);
        bundle(&question.view, text).or_else(|error| of_package.find_map(|it| it.view.find(text)).ok_or(error))
    }
}

/// The installed bundle that a text names.
///
/// # Errors
/// [`AskError::NoBundle`]; [`AskError::SeveralBundles`]; if the catalogs cannot be read.
pub fn installed(index: &LightIndex, view: &PackageView, text: &str) -> Result<InstalledBundle, AskError> {
    const HELP: &str = "to ask about it anyway, name its bundle: `--installed NAME`, or `NAME@VERSION` if the name \
        does not end with the version";
    view.find_installed_in(index, text).map_err(|it| match it {
        InstalledError::Unknown { .. } => no_bundle(view, text, HELP),
        InstalledError::Several { .. } => AskError::SeveralBundles(it.to_string()),
        InstalledError::Index(error) => error.into(),
    })
}

/// A bundle of a catalog that a text names.
///
/// # Errors
/// [`AskError::NoBundle`]
pub fn bundle(view: &PackageView, text: &str) -> Result<NamedVersion, AskError> {
    view.find(text).ok_or_else(|| no_bundle(view, text, &list_bundles(&view.package)))
}

/// Receives the warnings that come up while a question is answered.
pub type Warn<'w> = &'w mut dyn FnMut(&str);

/// A question about upgrades that is being answered.
pub(crate) struct UpgradeInquiry<'a> {
    pub(crate) state: State<'a, LightIndex>,
    pub(crate) options: &'a UpgradeOptions,
    /// The package, or a word that names one, see [`PackageName`]. Without it, every operator of the cluster.
    pub(crate) name: Option<&'a str>,
    /// Whether a version in the name is the wanted one, and not the installed one.
    pub(crate) names_target: bool,
    /// The installed bundle: a version, a bundle's name, or NAME@VERSION for a bundle that no catalog holds.
    pub(crate) installed: Option<&'a str>,
    /// The range of versions of a ClusterExtension.
    pub(crate) version: &'a str,
    /// Whether a question about a Subscription may name several channels: those that it may change to.
    pub(crate) may_change_channel: bool,
    pub(crate) warnings: Vec<String>,
}

impl<'a> UpgradeInquiry<'a> {
    pub(crate) fn new(
        state: &State<'a, impl Borrow<LightIndex>>,
        options: &'a UpgradeOptions,
        name: Option<&'a String>,
        installed: Option<&'a String>,
    ) -> Self {
        Self {
            state: state.light(),
            options,
            name: name.map(String::as_str),
            names_target: false,
            installed: installed.map(String::as_str),
            version: "",
            may_change_channel: false,
            warnings: Vec::new(),
        }
    }

    /// The questions about packages that this question stands for, with a warning for each package that is left out.
    ///
    /// # Errors
    /// If the question is ambiguous, or the catalogs lack its subject.
    pub(crate) fn questions(&mut self) -> Result<PackageQuestions, AskError> {
        let mut name = self.name.map(|it| PackageName::find(self.state.index, it)).transpose()?;
        if let Some(name) = name.as_mut().filter(|_| self.names_target) {
            name.installed = None;
        }
        if name.as_ref().is_some_and(|it| it.installed.is_some()) && self.installed.is_some() {
            return Err(AskError::InstalledTwice(self.name.unwrap_or_default().to_owned()));
        }
        let found = match (self.state.cluster, name) {
            (None, None) => Err(AskError::NothingAsked),
            (None, Some(name)) => {
                let (questions, unknown_catalogs) = (self.of_package(&name)?, BTreeSet::new());
                Ok(PackageQuestions { questions, has_left_out: false, unknown_catalogs })
            }
            (Some((cluster, words)), name) => self.of_cluster(cluster, words, name.as_ref()),
        }?;
        self.warn_of_deprecations(&found.questions);
        Ok(found)
    }

    /// Warns of packages, channels and installed bundles that their authors have given up. OLM v1 has conditions for
    /// these, which its answers show.
    pub(crate) fn warn_of_deprecations(&mut self, questions: &[PackageQuestion]) {
        for PackageQuestion { view, asked, .. } in questions.iter().filter(|it| it.olm.is_classic()) {
            for words in view.deprecations(&asked.channels, asked.installed.as_ref()) {
                if !self.warnings.contains(&words) {
                    self.warnings.push(words);
                }
            }
        }
    }

    /// The package in all catalogs, and the catalog that its Subscription names.
    ///
    /// # Errors
    /// The errors of [`Self::questions`].
    pub(crate) fn view_of_all(&mut self) -> Result<(PackageView, PackageName, String), AskError> {
        let index = self.state.index;
        let name = PackageName::find(index, self.name.ok_or(AskError::NothingAsked)?)?;
        let view = PackageView::read(index, &Filter::default(), &name.package)?;
        let catalogs: Vec<String> = view.graphs.iter().map(|it| it.catalog.clone()).collect();
        let source = match (self.options.catalog.as_slice(), catalogs.as_slice()) {
            (_, []) => return Err(no_package(index, &name.package)?),
            ([only], _) | ([], [only]) => only.clone(),
            _ => return Err(AskError::WhichCatalog { catalogs }),
        };
        self.check_channels(&view.graphs, &name, self.options.olm)?;
        Ok((view, name, source))
    }

    /// The question that the words ask by themselves.
    pub(crate) fn asked(&self, name: &PackageName, installed: Option<InstalledBundle>) -> EngineQuestion {
        EngineQuestion {
            installed,
            channels: self.channels(name),
            version: self.version.to_owned(),
            selector: self.options.catalog_selector.clone(),
            policy: self.options.upgrade_constraint_policy,
            installation: Installation { gates: self.options.gates.gates(), ..Installation::default() },
            catalog: None,
            managed_by: None,
        }
    }

    /// Named channels must exist, as far as OLM demands that.
    fn check_channels(&mut self, graphs: &[PackageGraph], name: &PackageName, olm: OlmSet) -> Result<(), AskError> {
        let channels = self.channels(name);
        let package = &name.package;
        let is_known =
            |it: &&String| graphs.iter().any(|graph| graph.channels.iter().any(|channel| &channel.name == *it));
        let (known, unknown): (Vec<&String>, Vec<&String>) = channels.iter().partition(is_known);
        for channel in unknown {
            // A ClusterExtension uses the other channels.
            if known.is_empty() || olm.is_classic() {
                return Err(no_channel(self.state.index, package, channel)?);
            }
            self.warnings.push(format!("package `{package}` has no channel `{channel}`"));
        }
        if !self.may_change_channel && olm.is_classic() && channels.len() > 1 {
            return Err(AskError::SeveralChannels);
        }
        Ok(())
    }

    fn channels(&self, name: &PackageName) -> Vec<String> {
        self.options.channel.iter().chain(&name.channel).cloned().collect()
    }

    /// The questions about a package that was named.
    pub(crate) fn of_package(&mut self, name: &PackageName) -> Result<Vec<PackageQuestion>, AskError> {
        let olm = self.options.olm;
        let Some(view) = self.view(name, &self.options.catalog)? else {
            return Err(no_package(self.state.index, &name.package)?);
        };
        self.check_channels(&view.graphs, name, olm)?;
        let asked = self.asked(name, self.installed(&view, name)?);
        // A Subscription names one catalog, and a ClusterExtension uses all of them.
        if olm == OlmSet::V1 || view.graphs.len() < 2 {
            return Ok(vec![PackageQuestion::new(olm, view, asked)]);
        }
        let mut questions = Vec::new();
        for graph in &view.graphs {
            if let Some(view) = view.of_catalog(&graph.catalog) {
                let asked = EngineQuestion { catalog: Some(graph.catalog.clone()), ..asked.clone() };
                questions.push(PackageQuestion::new(OlmSet::Classic, view, asked));
            }
        }
        if olm == OlmSet::Both {
            questions.push(PackageQuestion::new(OlmSet::V1, view, asked));
        }
        Ok(questions)
    }

    /// The installed bundle that the words name.
    fn installed(&self, view: &PackageView, name: &PackageName) -> Result<Option<InstalledBundle>, AskError> {
        let text = self.installed.or(name.installed.as_deref());
        text.map(|it| installed(self.state.index, view, it)).transpose()
    }

    /// The questions of all Subscriptions and ClusterExtensions, or of those to one package. The words take precedence
    /// over these objects.
    pub(crate) fn of_cluster(
        &mut self,
        cluster: &Cluster,
        words: &str,
        name: Option<&PackageName>,
    ) -> Result<PackageQuestions, AskError> {
        self.warnings.extend(cluster.warnings.iter().cloned());
        let ranks = self.state.index.catalog_ranks(&Filter::default())?;
        let sources = self.state.sources(&ranks, cluster)?;
        let served = served_catalogs(cluster, |name| sources.catalog("", name));
        let olm = self.options.olm;
        let fits = |package: &String| name.is_none_or(|it| it.package == *package);
        let mut gathered = ClusterQuestions::default();
        for it in cluster.subscriptions.iter().filter(|it| olm.is_classic() && fits(&it.package)) {
            let question = self.of_subscription(cluster, it, name, &sources);
            self.take(question, &it.words(), &mut gathered)?;
        }
        for it in cluster.extensions.iter().filter(|it| olm.is_v1() && fits(&it.package)) {
            let around = ClusterCatalogs { cluster, ranks: &ranks, sources: &sources, served: &served };
            let question = self.of_extension(&around, it, name, &mut gathered.unknown);
            self.take(question, &format!("ClusterExtension {}", it.name), &mut gathered)?;
        }
        let ClusterQuestions { questions, n_found, refused, unknown } = gathered;
        if !unknown.is_empty() {
            self.warnings.push(sources.unknown_cluster_catalogs(&unknown));
        }
        if let Some(error) = refused.filter(|_| questions.is_empty()) {
            return Err(error);
        }
        if n_found == 0 {
            let of = name.map(|it| format!(" of package `{}`", it.package)).unwrap_or_default();
            let what = match olm {
                OlmSet::Classic => "no Subscription",
                OlmSet::V1 => "no ClusterExtension",
                OlmSet::Both => "no Subscription and no ClusterExtension",
            };
            let has_moved = olm != OlmSet::V1 || !cluster.subscriptions.iter().any(|it| fits(&it.package));
            let way = "; `olmdex plan --to olm-v1` shows which of its Subscriptions can become one";
            let hint = if has_moved { "" } else { way };
            return Err(AskError::NothingInCluster(format!("{words} has {what}{of}{hint}")));
        }
        if questions.is_empty() {
            return Err(AskError::NoCatalogForCluster(words.to_owned()));
        }
        Ok(PackageQuestions { has_left_out: n_found > questions.len(), questions, unknown_catalogs: unknown })
    }

    /// Takes a question, if there is one. An object without a question must not keep back the answers for the others.
    fn take(
        &mut self,
        question: Result<PackageQuestion, LeftOut>,
        whose: &str,
        gathered: &mut ClusterQuestions,
    ) -> Result<(), AskError> {
        gathered.n_found += 1;
        match question {
            Ok(question) => gathered.questions.push(question),
            Err(LeftOut::Warned) => {}
            Err(LeftOut::Refused(error)) if error.is_about_words() => {
                self.warnings.push(format!("{whose}: {error}; left out"));
                gathered.refused = gathered.refused.take().or(Some(error));
            }
            Err(LeftOut::Refused(error)) => return Err(error),
        }
        Ok(())
    }

    fn of_subscription(
        &mut self,
        cluster: &Cluster,
        subscription: &Subscription,
        name: Option<&PackageName>,
        sources: &CatalogSources,
    ) -> Result<PackageQuestion, LeftOut> {
        let Subscription { source, source_namespace, .. } = subscription;
        let whose = format!("the {}", subscription.words());
        let mut name = name_of(&subscription.package, name);
        let has_own_channel = self.channels(&name).is_empty() && !subscription.channel.is_empty();
        if has_own_channel {
            name.channel = Some(subscription.channel.clone());
        }
        // A named catalog applies to every Subscription.
        let own = match (self.options.catalog.as_slice(), sources.catalog(source_namespace, source)) {
            ([], Some(catalog)) => vec![catalog],
            ([], None) => {
                return self.left_out(&format!("{whose} {}", sources.unknown_words(source_namespace, source)));
            }
            (named, _) => named.to_vec(),
        };
        let Some(view) = self.view(&name, &own)? else {
            let of = Listed::quoted(own.iter());
            return self.left_out(&format!("{of} does not have `{}`, which {whose} names", subscription.package));
        };
        // OLM reports that a Subscription's channel is gone, and so does the answer.
        if !has_own_channel {
            self.check_channels(&view.graphs, &name, OlmSet::Classic)?;
        }
        self.check_catalogs(&name, &view)?;
        let mut asked = self.asked(&name, self.installed(&view, &name)?);
        if asked.installed.is_none() && !subscription.installed.is_empty() {
            asked.installed = Some(installed_by(cluster, subscription, &view));
        }
        asked.managed_by = Some(subscription.words());
        let mut question = PackageQuestion::new(OlmSet::Classic, view, asked);
        // Another version than the installed one, or another channel, is a question about another cluster.
        if self.installed.is_none() && self.options.channel.is_empty() {
            let Subscription { namespace, name, .. } = subscription;
            let states = self.state.namespaces;
            question.obstacle = first_obstacle(states, namespace, name).cloned();
            question.next = next_bundle(states, namespace, name).map(str::to_owned);
        }
        Ok(question)
    }

    fn of_extension(
        &mut self,
        around: &ClusterCatalogs<'_>,
        extension: &ClusterExtension,
        name: Option<&PackageName>,
        unknown: &mut BTreeSet<String>,
    ) -> Result<PackageQuestion, LeftOut> {
        let name = name_of(&extension.package, name);
        let own = self.of_version(around.cluster)?;
        let selector = self.options.catalog_selector.as_ref().or(extension.selector.as_ref());
        let served = around.served_to(extension, selector, [&self.options.catalog, &own], unknown);
        // Without its ClusterCatalog, a label that names one chooses the catalog behind it.
        let named = extension.named_catalog().filter(|_| served.is_empty() && self.options.catalog.is_empty());
        let own = match named.map(|it| (it, around.sources.catalog("", it))) {
            None if !served.is_empty() => served.iter().filter_map(|it| it.catalog.clone()).collect(),
            None => own,
            Some((_, Some(found))) => vec![found],
            Some((catalog, None)) => {
                let words = around.sources.unknown_words("", catalog);
                return self.left_out(&format!("the ClusterExtension {} {words}", extension.name));
            }
        };
        let catalogs = if own.is_empty() { &self.options.catalog } else { &own };
        let Some(view) = self.view(&name, catalogs)? else {
            if self.name.is_some() {
                return Err(no_package(self.state.index, &name.package)?.into());
            }
            let (package, extension) = (&name.package, &extension.name);
            return self.left_out(&format!("no catalog has `{package}`, which the ClusterExtension {extension} names"));
        };
        let view = view.served_by(served);
        self.check_channels(&view.graphs, &name, OlmSet::V1)?;
        let mut asked = self.asked(&name, self.installed(&view, &name)?);
        complete(&mut asked, extension, &view, named.is_some());
        let mut question = PackageQuestion::new(OlmSet::V1, view, asked);
        if self.installed.is_none() && self.options.channel.is_empty() && self.version.is_empty() {
            question.obstacle = of_extension(around.cluster, extension, None).into_iter().find(Obstacle::is_now);
        }
        Ok(question)
    }

    fn left_out(&mut self, why: &str) -> Result<PackageQuestion, LeftOut> {
        self.warnings.push(format!("{why}; left out"));
        Err(LeftOut::Warned)
    }

    /// The catalogs of the cluster's version of OpenShift; none if all are, or if the words name the catalogs.
    fn of_version(&self, cluster: &Cluster) -> Result<Vec<String>, AskError> {
        let Some(minor) = coerce(&cluster.openshift).filter(|_| self.options.catalog.is_empty()) else {
            return Ok(Vec::new());
        };
        Ok(Catalogs::of(self.state.index)?.of_cluster(minor).unwrap_or_default())
    }

    /// A package in the catalogs; `None` if they do not have it.
    fn view(&self, name: &PackageName, catalogs: &[String]) -> Result<Option<PackageView>, AskError> {
        let filter = Filter { catalogs: catalogs.to_vec(), ..Filter::default() };
        let view = PackageView::read(self.state.index, &filter, &name.package)?.with_gates(&self.options.gates.gates());
        Ok((!view.graphs.is_empty()).then_some(view))
    }

    /// A Subscription names one catalog.
    fn check_catalogs(&self, name: &PackageName, view: &PackageView) -> Result<(), AskError> {
        if view.graphs.len() > 1 {
            let catalogs = view.graphs.iter().map(|it| it.catalog.clone()).collect();
            return Err(AskError::SeveralCatalogs { package: name.package.clone(), catalogs });
        }
        Ok(())
    }
}

/// The package of an object of the cluster, with the other parts of the name in the words.
fn name_of(package: &str, name: Option<&PackageName>) -> PackageName {
    name.cloned().unwrap_or_else(|| PackageName::of(package))
}

/// The reason why a question about an object of the cluster is left out: a warning, or an error if it was the only one.
enum LeftOut {
    Warned,
    Refused(AskError),
}

impl From<AskError> for LeftOut {
    fn from(error: AskError) -> Self {
        Self::Refused(error)
    }
}

impl From<olmdex_index::IndexError> for LeftOut {
    fn from(error: olmdex_index::IndexError) -> Self {
        Self::Refused(error.into())
    }
}

/// The questions about the objects of a cluster, so far.
#[derive(Default)]
struct ClusterQuestions {
    questions: Vec<PackageQuestion>,
    n_found: usize,
    /// The reason why there is no question about an object, if there was one.
    refused: Option<AskError>,
    /// The ClusterCatalogs that ClusterExtensions select and that are none of the catalogs.
    unknown: BTreeSet<String>,
}

/// The ClusterCatalogs of a cluster beside the catalogs that are known.
struct ClusterCatalogs<'a> {
    cluster: &'a Cluster,
    ranks: &'a [CatalogRank],
    sources: &'a CatalogSources,
    served: &'a [ServedCatalog],
}

impl ClusterCatalogs<'_> {
    /// The ClusterCatalogs that OLM v1 asks for a ClusterExtension; none if the manifests do not tell. `wanted` are the
    /// catalogs that the words name, and else those for the version of the cluster; empty for all. A catalog that no
    /// ClusterCatalog serves counts for itself if the words name it, or if it may be what an unknown one serves.
    fn served_to(
        &self,
        extension: &ClusterExtension,
        selector: Option<&LabelSelector>,
        wanted: [&Vec<String>; 2],
        unknown: &mut BTreeSet<String>,
    ) -> Vec<ServedCatalog> {
        let is_there = |name: &str| self.served.iter().any(|it| it.name == name);
        let [named, of_version] = wanted;
        if self.served.is_empty() || (named.is_empty() && extension.named_catalog().is_some_and(|it| !is_there(it))) {
            return Vec::new();
        }
        let is_wanted = |catalog: &String| {
            let wanted = if named.is_empty() { of_version } else { named };
            wanted.is_empty() || wanted.contains(catalog)
        };
        let is_unknown = |it: &&ServedCatalog| it.catalog.is_none() && named.is_empty();
        let is_selected = |it: &ServedCatalog| selector.is_none_or(|selector| selector.matches(&it.labels));
        let unknown_here = self.served.iter().filter(is_unknown);
        unknown.extend(unknown_here.filter(|it| is_selected(it)).map(|it| it.name.clone()));
        let is_served = |catalog: &String| self.served.iter().any(|it| it.catalog.as_ref() == Some(catalog));
        let others = self.ranks.iter().filter(|it| is_wanted(&it.catalog) && !is_served(&it.catalog));
        let others = others.filter(|_| !named.is_empty() || self.served.iter().any(|it| is_unknown(&it)));
        let by_itself = |it: &CatalogRank| ServedCatalog::of(&it.catalog, it.priority, &it.labels);
        let own = self.served.iter().filter(|it| it.catalog.as_ref().map_or(named.is_empty(), is_wanted));
        own.cloned().chain(others.map(by_itself)).collect()
    }
}

/// The bundle that a Subscription has installed.
fn installed_by(cluster: &Cluster, subscription: &Subscription, view: &PackageView) -> InstalledBundle {
    let name = &subscription.installed;
    if let Some(NamedVersion { name, version, .. }) = view.find(name).filter(|it| it.name == *name) {
        return InstalledBundle::held(name, version);
    }
    let version = version_of(name, cluster.installed_by(subscription));
    InstalledBundle::named(name.clone(), version, false)
}

/// Adds the fields of a ClusterExtension to the words. `has_own` means that its label has chosen the catalog.
fn complete(asked: &mut EngineQuestion, extension: &ClusterExtension, view: &PackageView, has_own: bool) {
    if let (None, Some(BundleStatus { name, version, release })) = (&asked.installed, extension.installed.clone()) {
        let is_in_catalog = view.find(&name).is_some_and(|it| it.name == name);
        asked.installed = Some(InstalledBundle::named(name, version, is_in_catalog).with_release(release));
    }
    if asked.channels.is_empty() {
        asked.channels.clone_from(&extension.channels);
    }
    if asked.version.is_empty() {
        asked.version.clone_from(&extension.version);
    }
    if asked.selector.is_none() {
        asked.selector.clone_from(&extension.selector);
        if let Some(selector) = asked.selector.as_mut().filter(|_| has_own) {
            selector.match_labels.remove(CATALOG_NAME_LABEL);
        }
    }
    // Every other text means the default.
    if extension.upgrade_constraint_policy == "SelfCertified" {
        asked.policy = Policy::SelfCertified;
    }
    asked.installation.config.clone_from(&extension.config);
    asked.installation.namespace.clone_from(&extension.namespace);
    asked.managed_by = Some(format!("ClusterExtension {}", extension.name));
}

/// Adds what the catalogs of their sources say about operators.
///
/// # Errors
/// If the index cannot be read, or a tie names nothing that is known.
pub fn add_catalogs(operators: &mut [InstalledOperator], state: &State<'_, LightIndex>) -> Result<(), AskError> {
    let Some((cluster, _)) = state.cluster else { return Ok(()) };
    let ranks = state.index.catalog_ranks(&Filter::default())?;
    let sources = state.sources(&ranks, cluster)?;
    for it in operators.iter_mut().filter(|it| !it.package.is_empty() && !it.source.is_empty()) {
        let (namespace, name) = it.source.rsplit_once('/').unwrap_or(("", &it.source));
        let Some(catalog) = sources.catalog(namespace, name) else {
            it.remarks.push(format!("it {}", sources.unknown_words(namespace, name)));
            continue;
        };
        let filter = Filter::of_catalog(&catalog);
        let view = PackageView::read(state.index, &filter, &it.package)?;
        let bundle = Some(&it.bundle).filter(|it| !it.is_empty());
        let bundle = bundle.map(|bundle| installed(state.index, &view, bundle)).transpose()?;
        it.remarks = view.deprecations(&it.channels, bundle.as_ref());
        let own = Filter { package: Some(it.package.clone()), channel: it.channels.first().cloned(), ..filter };
        let head = state.index.channels(&own)?.into_iter().find(|row| own.channel.is_some() || row.is_default);
        match head {
            Some(head) => it.newest = head.head_version,
            None => it.remarks.push("its catalog does not have its channel".to_owned()),
        }
    }
    Ok(())
}
