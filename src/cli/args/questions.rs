//! The questions about upgrades that arguments ask: of one package, or of every operator of a cluster.
//!
//! What it deliberately does not do: it answers none.

use crate::cli::args::cluster::{read_cluster, shown};
use crate::cli::args::name::{PackageArgument, unknown_channel, unknown_package};
use crate::cli::args::upgrade::{Olm, UpgradeOptions, bundle, installed};
use crate::cli::speak::context::Context;
use crate::cli::speak::error::{CommandError, Exit};
use crate::cluster::{Cluster, ClusterExtension, Subscription};
use crate::index::Index;
use crate::index::query::{Filter, PackageGraph};
use crate::plan::family_and_minor;
use crate::platform::coerce;
use crate::resolve::{CATALOG_NAME_LABEL, CatalogSources};
use crate::upgrade::v1::{Installation, LabelSelector, LabelSelectorRequirement, Policy};
use crate::upgrade::{Asked, InstalledBundle, PackageView};
use crate::version::version_in_name;

/// A question about a package: which generations of OLM to ask, and all that the catalogs say of the package.
pub(crate) struct UpgradeQuestion {
    olm: Olm,
    pub(crate) view: PackageView,
    pub(crate) asked: Asked,
}

/// The questions of one command, with the index for what comes up later.
pub(crate) struct Questions {
    pub(crate) index: Index,
    pub(crate) questions: Vec<UpgradeQuestion>,
    /// Whether an object of the cluster was left out, with a warning. Then the command has not answered all that was asked.
    pub(crate) has_left_out: bool,
}

impl Questions {
    /// The name and the version of a bundle that a question is about.
    ///
    /// A bundle that only another catalog of the package has is no error: the answer says that this catalog lacks it.
    pub(crate) fn bundle(&self, question: &UpgradeQuestion, text: &str) -> Result<(String, String), CommandError> {
        let mut of_package = self.questions.iter().filter(|it| it.view.package == question.view.package);
        bundle(&question.view, text).or_else(|error| of_package.find_map(|it| it.view.find(text)).ok_or(error))
    }
}

impl UpgradeQuestion {
    /// Whether OLM Classic is asked.
    pub(crate) fn classic(&self) -> bool {
        self.olm != Olm::V1
    }

    /// Whether OLM v1 is asked.
    pub(crate) fn v1(&self) -> bool {
        self.olm != Olm::Classic
    }
}

/// How many channels may be named where a Subscription is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channels {
    /// The Subscription's own.
    One,
    /// All that it may change to.
    Several,
}

/// What a question is about, as far as it is given by words of the command line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'a> {
    /// The package, or what names one.
    pub(crate) name: Option<&'a str>,
    /// What is installed.
    pub(crate) installed: Option<&'a str>,
    /// The range of versions of a ClusterExtension.
    pub(crate) version: Option<&'a String>,
    pub(crate) channels: Channels,
    /// Whether a version in the name is one that is wanted, not what is installed.
    pub(crate) names_target: bool,
}

impl UpgradeOptions {
    /// The questions that the arguments and a cluster ask together.
    pub(crate) fn questions(&self, context: &Context, given: &Given<'_>) -> Result<Questions, CommandError> {
        if given.name.is_none() && self.cluster.is_empty() {
            let error = CommandError::usage("no package and no cluster given");
            return Err(error.help("name a package, or a cluster's manifests with `--cluster FILE`"));
        }
        let cluster = if self.cluster.is_empty() { None } else { Some(read_cluster(context, &self.cluster)?) };
        let index = self.ask.open(context)?;
        let mut argument = given.name.map(|it| PackageArgument::find(&index, it)).transpose()?;
        if let Some(argument) = argument.as_mut().filter(|_| given.names_target) {
            argument.installed = None;
        }
        if argument.as_ref().is_some_and(|it| it.installed.is_some()) && given.installed.is_some() {
            let name = given.name.unwrap_or_default();
            let error = CommandError::usage(format!("`{name}` and `--installed` both say what is installed"));
            return Err(error.help("leave one of them out"));
        }
        let asking = Asking { options: self, context, index: &index, given };
        let (has_left_out, questions) = match (cluster, argument) {
            (None, None) => (false, Vec::new()),
            (None, Some(argument)) => (false, asking.of_package(&argument)?),
            (Some(cluster), argument) => asking.of_cluster(&cluster, argument.as_ref())?,
        };
        Ok(Questions { index, questions, has_left_out })
    }

    /// Reads what all catalogs say of a package, with the one that a Subscription names.
    pub(crate) fn view_of_all(
        &self,
        context: &Context,
        name: &str,
    ) -> Result<(Index, PackageView, PackageArgument, String), CommandError> {
        let index = self.ask.open(context)?;
        let argument = PackageArgument::find(&index, name)?;
        let package = argument.package.as_str();
        let view = PackageView::read(&index, &Filter::default(), package)?;
        let names: Vec<&str> = view.graphs.iter().map(|it| it.catalog.as_str()).collect();
        let source = match (self.ask.catalog.as_slice(), names.as_slice()) {
            (_, []) => return Err(unknown_package(&index, package)?),
            ([only], _) => only.clone(),
            ([], [only]) => (*only).to_owned(),
            _ => {
                let error = CommandError::usage("a Subscription names one catalog");
                return Err(error.help(format!("choose it with `--catalog`: {}", names.join(", "))));
            }
        };
        self.check_channels(context, &index, (&argument, self.olm, Channels::One), &view.graphs)?;
        Ok((index, view, argument, source))
    }

    /// The question that the options ask by themselves.
    pub(crate) fn asked(
        &self,
        argument: &PackageArgument,
        installed: Option<InstalledBundle>,
        version: Option<&String>,
    ) -> Asked {
        Asked {
            installed,
            channels: self.channels(argument),
            version: version.cloned().unwrap_or_default(),
            selector: self.catalog_selector.clone(),
            policy: self.upgrade_constraint_policy,
            installation: Installation { gates: self.gates.gates(), ..Installation::default() },
            catalog: None,
            managed_by: None,
        }
    }

    /// Channels that were named must be there, as far as OLM asks for that.
    fn check_channels(
        &self,
        context: &Context,
        index: &Index,
        (argument, olm, allowed): (&PackageArgument, Olm, Channels),
        graphs: &[PackageGraph],
    ) -> Result<(), CommandError> {
        let channels = self.channels(argument);
        let package = &argument.package;
        let is_known =
            |it: &&String| graphs.iter().any(|graph| graph.channels.iter().any(|channel| &channel.name == *it));
        let (known, unknown): (Vec<&String>, Vec<&String>) = channels.iter().partition(is_known);
        for channel in unknown {
            // A ClusterExtension takes what the other channels have.
            if known.is_empty() || olm != Olm::V1 {
                return Err(unknown_channel(index, package, channel)?);
            }
            context.reporter.warning(&format!("package `{package}` has no channel `{channel}`"));
        }
        if allowed == Channels::One && olm != Olm::V1 && channels.len() > 1 {
            let error = CommandError::usage("a Subscription has one channel");
            return Err(error.help("give one channel, or ask with `--olm v1`"));
        }
        Ok(())
    }

    fn channels(&self, argument: &PackageArgument) -> Vec<String> {
        self.channel.iter().chain(&argument.channel).cloned().collect()
    }
}

fn subscription_words(of: &Subscription) -> String {
    format!("Subscription {}/{}", of.namespace, of.name)
}

/// What all questions of one command have in common.
struct Asking<'a> {
    options: &'a UpgradeOptions,
    context: &'a Context,
    index: &'a Index,
    given: &'a Given<'a>,
}

impl Asking<'_> {
    /// The question about a package that was named.
    fn of_package(&self, argument: &PackageArgument) -> Result<Vec<UpgradeQuestion>, CommandError> {
        let olm = self.options.olm;
        let view = self.view(argument, olm, &self.options.ask.catalog)?;
        let installed = self.installed(&view, argument)?;
        let asked = self.options.asked(argument, installed, self.given.version);
        // A Subscription names one catalog, and a ClusterExtension looks at all of them.
        if olm == Olm::V1 || view.graphs.len() < 2 {
            return Ok(vec![UpgradeQuestion { olm, view, asked }]);
        }
        let mut questions = Vec::new();
        for graph in &view.graphs {
            if let Some(view) = view.of_catalog(&graph.catalog) {
                let asked = Asked { catalog: Some(graph.catalog.clone()), ..asked.clone() };
                questions.push(UpgradeQuestion { olm: Olm::Classic, view, asked });
            }
        }
        if olm == Olm::Both {
            questions.push(UpgradeQuestion { olm: Olm::V1, view, asked });
        }
        Ok(questions)
    }

    /// What is installed according to the command line.
    fn installed(
        &self,
        view: &PackageView,
        argument: &PackageArgument,
    ) -> Result<Option<InstalledBundle>, CommandError> {
        self.given.installed.or(argument.installed.as_deref()).map(|it| installed(self.index, view, it)).transpose()
    }

    /// The questions of all Subscriptions and ClusterExtensions, or of those to one package. What the command line says
    /// counts more than what they say.
    fn of_cluster(
        &self,
        cluster: &Cluster,
        argument: Option<&PackageArgument>,
    ) -> Result<(bool, Vec<UpgradeQuestion>), CommandError> {
        cluster.warnings.iter().for_each(|it| self.context.reporter.warning(it));
        let fits = |package: &String| argument.is_none_or(|it| it.package == *package);
        let olm = self.options.olm;
        let mut questions = Vec::new();
        let mut n_found = 0;
        let mut refused = None;
        let ranks = self.index.catalog_ranks(&Filter::default())?;
        let sources = CatalogSources::new(
            &ranks,
            &self.options.source_map.source_map,
            cluster,
            None,
            self.options.ask.names_catalogs(),
        )?;
        // What is wrong with one must not keep back the answers for the others.
        let mut take =
            |asked: Result<Option<UpgradeQuestion>, CommandError>, whose: String| -> Result<(), CommandError> {
                n_found += 1;
                match asked {
                    Ok(question) => questions.extend(question),
                    Err(error) if matches!(error.exit, Exit::Usage | Exit::NotFound) => {
                        self.context.reporter.warning(&format!("{whose}: {}; it is left out", error.message()));
                        refused = refused.take().or(Some(error));
                    }
                    Err(error) => return Err(error),
                }
                Ok(())
            };
        for it in cluster.subscriptions.iter().filter(|it| olm != Olm::V1 && fits(&it.package)) {
            take(self.of_subscription(cluster, it, argument, &sources), subscription_words(it))?;
        }
        for it in cluster.extensions.iter().filter(|it| olm != Olm::Classic && fits(&it.package)) {
            take(self.of_extension(cluster, it, argument, &sources), format!("ClusterExtension {}", it.name))?;
        }
        if let Some(error) = refused.filter(|_| questions.is_empty()) {
            return Err(error);
        }
        let paths = shown(&self.options.cluster);
        if n_found == 0 {
            let of = argument.map(|it| format!(" of package `{}`", it.package)).unwrap_or_default();
            let what = match olm {
                Olm::Classic => "no Subscription",
                Olm::V1 => "no ClusterExtension",
                Olm::Both => "no Subscription and no ClusterExtension",
            };
            return Err(CommandError::new(Exit::Input, format!("{paths} has {what}{of}")));
        }
        if questions.is_empty() {
            let message = format!("no catalog is known that has a package which {paths} names");
            let help = "name the catalogs with `-i`, and tie CatalogSources to them with `--source-map`";
            return Err(CommandError::new(Exit::NotFound, message).help(help));
        }
        Ok((n_found > questions.len(), questions))
    }

    fn of_subscription(
        &self,
        cluster: &Cluster,
        subscription: &Subscription,
        argument: Option<&PackageArgument>,
        sources: &CatalogSources,
    ) -> Result<Option<UpgradeQuestion>, CommandError> {
        let Subscription { name, namespace, package, .. } = subscription;
        let mut argument = self.argument(package, argument);
        if self.options.channels(&argument).is_empty() && !subscription.channel.is_empty() {
            argument.channel = Some(subscription.channel.clone());
        }
        let Subscription { source, source_namespace, .. } = subscription;
        // A catalog that is named is meant for every Subscription.
        let own = match (self.options.ask.catalog.as_slice(), sources.catalog(source_namespace, source)) {
            ([], Some(catalog)) => vec![catalog],
            ([], None) => {
                let words = sources.unknown_words(source_namespace, source);
                self.context.reporter.warning(&format!("the Subscription {namespace}/{name} {words}; it is left out"));
                return Ok(None);
            }
            (named, _) => named.to_vec(),
        };
        let Some(view) = self.view_if_any(&argument, &own)? else {
            let of = own.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
            let what = format!("{of} does not have `{package}`, which the Subscription {namespace}/{name} names");
            self.context.reporter.warning(&format!("{what}; it is left out"));
            return Ok(None);
        };
        self.check(&argument, Olm::Classic, &view)?;
        let mut asked = self.options.asked(&argument, self.installed(&view, &argument)?, self.given.version);
        if asked.installed.is_none() && !subscription.installed.is_empty() {
            let name = &subscription.installed;
            let is_its = |it: &&crate::cluster::ClusterServiceVersion| it.name == *name && it.namespace == *namespace;
            let version = cluster.csvs.iter().find(is_its).map(|it| it.version.clone()).unwrap_or_default();
            asked.installed = Some(match view.find(name).filter(|it| it.0 == *name) {
                Some((name, version)) => InstalledBundle::held(name, version),
                None => {
                    let in_name = || version_in_name(name).map(|it| it.to_string()).unwrap_or_default();
                    let version = if version.is_empty() { in_name() } else { version };
                    InstalledBundle::named(name.clone(), version, false)
                }
            });
        }
        asked.managed_by = Some(subscription_words(subscription));
        Ok(Some(UpgradeQuestion { olm: Olm::Classic, view, asked }))
    }

    /// If catalogs are named after versions of OpenShift, and one after that of the cluster: those that are not named after another one.
    /// None if the command line says which are meant.
    fn served(&self, cluster: &Cluster) -> Result<Vec<String>, CommandError> {
        let Some(minor) = coerce(&cluster.openshift).filter(|_| self.options.ask.catalog.is_empty()) else {
            return Ok(Vec::new());
        };
        let mut names = self.index.catalog_names()?;
        let of_name = |it: &String| family_and_minor(it).map(|it| it.1);
        if !names.iter().any(|it| of_name(it) == Some(minor)) {
            return Ok(Vec::new());
        }
        names.retain(|it| of_name(it).is_none_or(|it| it == minor));
        Ok(names)
    }

    fn of_extension(
        &self,
        cluster: &Cluster,
        extension: &ClusterExtension,
        argument: Option<&PackageArgument>,
        sources: &CatalogSources,
    ) -> Result<Option<UpgradeQuestion>, CommandError> {
        let argument = self.argument(&extension.package, argument);
        // A label that names one ClusterCatalog chooses the catalog that this one is.
        let named = extension.match_labels.iter().find(|it| it.0 == CATALOG_NAME_LABEL).map(|it| it.1.as_str());
        let served = match named.filter(|_| self.options.ask.catalog.is_empty()) {
            None => self.served(cluster)?,
            Some(catalog) => match sources.catalog("", catalog) {
                Some(found) => vec![found],
                None => {
                    let words = sources.unknown_words("", catalog);
                    let whose = format!("the ClusterExtension {}", extension.name);
                    self.context.reporter.warning(&format!("{whose} {words}; it is left out"));
                    return Ok(None);
                }
            },
        };
        let catalogs = if served.is_empty() { &self.options.ask.catalog } else { &served };
        let Some(view) = self.view_if_any(&argument, catalogs)? else {
            if self.given.name.is_some() {
                return Err(unknown_package(self.index, &argument.package)?);
            }
            let what =
                format!("no catalog has `{}`, which the ClusterExtension {} names", argument.package, extension.name);
            self.context.reporter.warning(&format!("{what}; it is left out"));
            return Ok(None);
        };
        self.check(&argument, Olm::V1, &view)?;
        let mut asked = self.options.asked(&argument, self.installed(&view, &argument)?, self.given.version);
        if let (None, Some((name, version))) = (&asked.installed, &extension.installed) {
            let is_in_catalog = view.find(name).is_some_and(|it| it.0 == *name);
            asked.installed = Some(InstalledBundle::named(name.clone(), version.clone(), is_in_catalog));
        }
        if asked.channels.is_empty() {
            asked.channels.clone_from(&extension.channels);
        }
        if asked.version.is_empty() {
            asked.version.clone_from(&extension.version);
        }
        if asked.selector.is_none() && extension.has_selector {
            let requirement = |(key, operator, values): (String, String, Vec<String>)| LabelSelectorRequirement {
                key,
                operator,
                values,
            };
            let has_own = named.is_some() && self.options.ask.catalog.is_empty();
            let is_left = |it: &&(String, String)| !has_own || it.0 != CATALOG_NAME_LABEL;
            asked.selector = Some(LabelSelector {
                match_labels: extension.match_labels.iter().filter(is_left).cloned().collect(),
                match_expressions: extension.match_expressions.iter().cloned().map(requirement).collect(),
            });
        }
        // Every other text means the default.
        if extension.upgrade_constraint_policy == "SelfCertified" {
            asked.policy = Policy::SelfCertified;
        }
        asked.installation.config.clone_from(&extension.config);
        asked.installation.namespace.clone_from(&extension.namespace);
        asked.managed_by = Some(format!("ClusterExtension {}", extension.name));
        Ok(Some(UpgradeQuestion { olm: Olm::V1, view, asked }))
    }

    /// The package of an object of the cluster, with what the command line says of it.
    fn argument(&self, package: &str, argument: Option<&PackageArgument>) -> PackageArgument {
        argument.cloned().unwrap_or_else(|| PackageArgument::of(package))
    }

    /// All that the catalogs say of a package that must be there.
    fn view(&self, argument: &PackageArgument, olm: Olm, catalogs: &[String]) -> Result<PackageView, CommandError> {
        let Some(view) = self.view_if_any(argument, catalogs)? else {
            return Err(unknown_package(self.index, &argument.package)?);
        };
        self.options.check_channels(self.context, self.index, (argument, olm, self.given.channels), &view.graphs)?;
        Ok(view)
    }

    fn view_if_any(
        &self,
        argument: &PackageArgument,
        catalogs: &[String],
    ) -> Result<Option<PackageView>, CommandError> {
        let filter = Filter { catalogs: catalogs.to_vec(), ..Filter::default() };
        let view = PackageView::read(self.index, &filter, &argument.package)?;
        let view = view.with_gates(&self.options.gates.gates());
        Ok((!view.graphs.is_empty()).then_some(view))
    }

    fn check(&self, argument: &PackageArgument, olm: Olm, view: &PackageView) -> Result<(), CommandError> {
        let asked = (argument, olm, self.given.channels);
        self.options.check_channels(self.context, self.index, asked, &view.graphs)?;
        if olm != Olm::V1 && view.graphs.len() > 1 {
            let names: Vec<&str> = view.graphs.iter().map(|it| it.catalog.as_str()).collect();
            let message = format!("`{}` is in several catalogs: {}", argument.package, names.join(", "));
            let help = "a Subscription names one: choose it with `--catalog`, or ask with `--olm v1`";
            return Err(CommandError::usage(message).help(help));
        }
        Ok(())
    }
}
