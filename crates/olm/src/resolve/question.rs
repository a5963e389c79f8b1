//! A question about a namespace: the manifests, and the additions that the question makes to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use thiserror::Error;

use super::rows::{Catalog, OperatorGroups, PackageRows, Rows, World};
use crate::catalog_source::CatalogSources;
use olmdex_fbc::without_v;
use olmdex_index::query::CatalogRank;
use olmdex_index::{IndexError, LightIndex};
use olmdex_rules::cluster::{Cluster, ClusterServiceVersion, Subscription};
use olmdex_version::version_in_name;

/// The namespace whose catalogs all namespaces see, unless the question names another one.
const GLOBAL_NAMESPACE: &str = "olm";
const OPENSHIFT_NAMESPACE: &str = "openshift-marketplace";
/// The namespace that questions without manifests are about.
const DEFAULT_NAMESPACE: &str = "operators";

/// A question.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The objects in the manifests.
    pub cluster: Arc<Cluster>,
    /// The namespace; that of the manifests, if they have just one.
    pub namespace: Option<String>,
    /// The namespace whose catalogs all namespaces see.
    pub global_namespace: Option<String>,
    /// The additional packages to install.
    pub install: Vec<Install>,
    /// The additional installed bundles.
    pub installed: Vec<Installed>,
    /// Whether Subscriptions to catalogs that are not available are skipped.
    pub ignores_missing: bool,
    /// CatalogSources that are none of the catalogs, each with the words for it.
    pub unknown_sources: BTreeMap<String, String>,
    /// Catalogs that are another version of one of the others than the cluster has.
    pub other_versions: BTreeSet<String>,
    /// The catalogs of CatalogSources, by their namespaces and names.
    pub catalogs_of_sources: BTreeMap<(String, String), String>,
}

/// A package to install.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Install {
    /// The namespace; that of the question, if none is given.
    pub namespace: Option<String>,
    /// The package.
    pub package: String,
    /// The channel, or the version or name of the bundle to start with.
    pub choice: Option<String>,
}

/// An installed bundle that the question adds to the manifests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Installed {
    /// The namespace; that of the question, if none is given.
    pub namespace: Option<String>,
    /// The name of the bundle.
    pub bundle: String,
    /// The channel of its Subscription, if that matters.
    pub channel: Option<String>,
}

/// The reasons why a question makes no world.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QuestionError {
    /// The manifests are about several namespaces, and OLM resolves one.
    #[error("the manifests cover several namespaces: {}", .0.join(", "))]
    SeveralNamespaces(Vec<String>),
    /// One namespace is asked about, and something is for another one.
    #[error("the question is about the namespace `{asked}`, not `{for_namespace}`")]
    OtherNamespace { asked: String, for_namespace: String },
    /// The manifests are not about that namespace.
    #[error("the manifests have nothing in the namespace `{name}`")]
    NoSuchNamespace { name: String, known: Vec<String> },
    /// A Subscription refers to a catalog that is not available.
    #[error("the Subscription `{subscription}` {}", .words.clone().unwrap_or_else(|| format!("names the catalog `{catalog}`, which was not given")))]
    NoSuchCatalog {
        subscription: String,
        catalog: String,
        /// The names that exist.
        known: Vec<String>,
        /// The fault of the source, if the caller found it.
        words: Option<String>,
    },
    /// No catalog has the package.
    #[error("no package `{name}`")]
    NoSuchPackage { name: String, known: Vec<String> },
    /// The package has no such channel, version or bundle.
    #[error("package `{package}` has no channel, no version and no bundle `{name}`")]
    NoSuchChoice { package: String, name: String, known: Vec<String> },
    /// No catalog has the bundle.
    #[error("no bundle `{name}`")]
    NoSuchBundle { name: String },
    /// The catalogs cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl Question {
    /// Makes Subscriptions name the catalogs that their CatalogSources mean; a source that means none of them keeps its
    /// name.
    pub fn tie(&mut self, sources: &CatalogSources) {
        for it in &mut Arc::make_mut(&mut self.cluster).subscriptions {
            match sources.catalog(&it.source_namespace, &it.source) {
                Some(catalog) => {
                    let key = (it.source_namespace.clone(), std::mem::replace(&mut it.source, catalog.clone()));
                    self.catalogs_of_sources.insert(key, catalog);
                }
                None => {
                    let words = sources.unknown_words(&it.source_namespace, &it.source);
                    self.unknown_sources.insert(it.source.clone(), words);
                }
            }
        }
        for it in &self.cluster.catalog_sources {
            if let Some(catalog) = sources.catalog(&it.namespace, &it.name) {
                self.catalogs_of_sources.insert((it.namespace.clone(), it.name.clone()), catalog);
            }
        }
    }

    /// The number of Subscriptions in these namespaces that are skipped, since their catalogs are not available.
    pub fn skipped(&self, ranks: &[CatalogRank], namespaces: &[String]) -> usize {
        let is_at_hand = |it: &&Subscription| ranks.iter().any(|rank| rank.catalog == it.source);
        let is_asked = |it: &&Subscription| it.namespace.is_empty() || namespaces.contains(&it.namespace);
        self.cluster.subscriptions.iter().filter(is_asked).filter(|it| !is_at_hand(it)).count()
    }

    /// The world without the facts that come from the catalogs, and remarks on the parts that were left out.
    ///
    /// # Errors
    /// If it is not clear which namespace is meant, or a catalog is not available.
    pub fn world(&self, ranks: &[CatalogRank]) -> Result<(World, Vec<String>), QuestionError> {
        let mut warnings = self.cluster.warnings.clone();
        let namespace = self.namespace()?;
        let is_here = |it: &str| it == namespace || it.is_empty();
        let mut subscriptions: Vec<Subscription> =
            self.cluster.subscriptions.iter().filter(|it| is_here(&it.namespace)).cloned().collect();
        let copies = [namespace.as_str(), ""].into_iter().filter_map(|name| self.cluster.copies.get(name)).flatten();
        let installed: Vec<ClusterServiceVersion> =
            self.cluster.csvs.iter().filter(|it| is_here(&it.namespace)).chain(copies).cloned().collect();
        let global_namespace = self.global_namespace(&subscriptions);
        let catalogs = self.catalogs(ranks, &global_namespace, &namespace, &subscriptions, &mut warnings);
        let known: Vec<String> = catalogs.iter().map(|it| it.name.clone()).collect();
        let is_at_hand = |it: &Subscription| ranks.iter().any(|rank| rank.catalog == it.source);
        if let Some(it) = subscriptions.iter().find(|it| !is_at_hand(it)) {
            if !self.ignores_missing {
                let (subscription, catalog) = (it.name.clone(), it.source.clone());
                let words = self.unknown_sources.get(&it.source).cloned();
                return Err(QuestionError::NoSuchCatalog { subscription, catalog, known, words });
            }
            for it in subscriptions.iter().filter(|it| !is_at_hand(it)) {
                let (name, source) = (&it.name, &it.source);
                warnings.push(match self.unknown_sources.get(source) {
                    Some(words) => format!("the Subscription `{name}` {words}; it is skipped"),
                    None => format!("the Subscription `{name}` is skipped: its catalog `{source}` was not given"),
                });
            }
            subscriptions.retain(is_at_hand);
        }
        if self.lacks_service_versions() {
            let text =
                "the manifests have no ClusterServiceVersions; what `status.installedCSV` names counts as installed";
            warnings.push(text.to_owned());
        }
        let groups: Vec<_> = self.cluster.operator_groups.iter().filter(|it| it.namespace == namespace).collect();
        if groups.is_empty() && !self.cluster.subscriptions.is_empty() {
            warnings.push(format!("the namespace {namespace} has no OperatorGroup in the manifests; one is assumed"));
        }
        let groups = OperatorGroups {
            count: groups.len().max(1),
            excludes_global: groups.iter().any(|it| it.excludes_global),
            fails_forward: groups.iter().any(|it| it.fails_forward),
        };
        let cluster = Arc::clone(&self.cluster);
        Ok((World { namespace, global_namespace, catalogs, subscriptions, installed, groups, cluster }, warnings))
    }

    /// Whether Subscriptions have installed something, and the manifests have no ClusterServiceVersions at all:
    /// somebody left them out.
    fn lacks_service_versions(&self) -> bool {
        !self.cluster.has_service_versions() && self.cluster.subscriptions.iter().any(|it| !it.installed.is_empty())
    }

    /// The namespaces that the question is about: the one that it names; otherwise all in which the manifests have
    /// objects and all in which something is to be installed. An item without a namespace belongs to the only namespace
    /// of the manifests.
    ///
    /// # Errors
    /// If that is not clear.
    pub fn namespaces(&self) -> Result<Vec<String>, QuestionError> {
        let named = self.named();
        if let Some(asked) = &self.namespace {
            if let Some(other) = named.iter().find(|it| *it != asked) {
                return Err(QuestionError::OtherNamespace { asked: asked.clone(), for_namespace: (*other).to_owned() });
            }
            return Ok(vec![self.namespace()?]);
        }
        let known = self.cluster.namespaces().into_iter().filter(|it| !it.is_empty());
        let mut all: BTreeSet<String> = known.chain(named).map(str::to_owned).collect();
        if self.has_unnamed() || all.is_empty() {
            all.insert(self.namespace_of_manifests()?);
        }
        Ok(all.into_iter().collect())
    }

    /// The question about one of its namespaces. An item without a namespace stays with the namespace that it belongs
    /// to.
    pub fn about(&self, namespace: &str) -> Self {
        let home = match self.has_unnamed() {
            true => self.namespace.clone().or_else(|| self.namespace_of_manifests().ok()),
            false => None,
        };
        let is_its = |it: &Option<String>| it.as_deref().or(home.as_deref()) == Some(namespace);
        Self {
            cluster: Arc::clone(&self.cluster),
            namespace: Some(namespace.to_owned()),
            global_namespace: self.global_namespace.clone(),
            install: self.install.iter().filter(|it| is_its(&it.namespace)).cloned().collect(),
            installed: self.installed.iter().filter(|it| is_its(&it.namespace)).cloned().collect(),
            ignores_missing: self.ignores_missing,
            unknown_sources: self.unknown_sources.clone(),
            other_versions: self.other_versions.clone(),
            catalogs_of_sources: self.catalogs_of_sources.clone(),
        }
    }

    /// Whether an item does not say which namespace it is for.
    fn has_unnamed(&self) -> bool {
        let named = self.install.iter().map(|it| &it.namespace).chain(self.installed.iter().map(|it| &it.namespace));
        named.into_iter().any(Option::is_none)
    }

    /// The namespaces that something is for by its own words.
    fn named(&self) -> BTreeSet<&str> {
        let install = self.install.iter().filter_map(|it| it.namespace.as_deref());
        install.chain(self.installed.iter().filter_map(|it| it.namespace.as_deref())).collect()
    }

    fn namespace(&self) -> Result<String, QuestionError> {
        let Some(name) = &self.namespace else { return self.namespace_of_manifests() };
        // A bundle can be installed in a namespace that is empty so far.
        if self.cluster.has_namespace(name) || self.named().contains(name.as_str()) {
            return Ok(name.clone());
        }
        let known = self.cluster.namespaces();
        if known.is_empty() || known == [""] {
            return Ok(name.clone());
        }
        Err(QuestionError::NoSuchNamespace {
            name: name.clone(),
            known: known.iter().map(ToString::to_string).collect(),
        })
    }

    /// The namespace of the manifests, if there is just one.
    fn namespace_of_manifests(&self) -> Result<String, QuestionError> {
        match self.cluster.namespaces().as_slice() {
            [] | [""] => Ok(DEFAULT_NAMESPACE.to_owned()),
            [only] => Ok((*only).to_owned()),
            several => Err(QuestionError::SeveralNamespaces(several.iter().map(ToString::to_string).collect())),
        }
    }

    fn global_namespace(&self, subscriptions: &[Subscription]) -> String {
        if let Some(named) = &self.global_namespace {
            return named.clone();
        }
        let has = |name: &str| {
            self.cluster.catalog_sources.iter().any(|it| it.namespace == name)
                || subscriptions.iter().any(|it| it.source_namespace == name)
        };
        if has(OPENSHIFT_NAMESPACE) { OPENSHIFT_NAMESPACE.to_owned() } else { GLOBAL_NAMESPACE.to_owned() }
    }

    /// The available CatalogSources of the manifests; all available catalogs, if there are no CatalogSources.
    fn catalogs(
        &self,
        ranks: &[CatalogRank],
        global: &str,
        namespace: &str,
        subscriptions: &[Subscription],
        warnings: &mut Vec<String>,
    ) -> Vec<Catalog> {
        let mut catalogs = Vec::new();
        for source in &self.cluster.catalog_sources {
            let is_visible = source.namespace == global || source.namespace == namespace;
            let key = (source.namespace.clone(), source.name.clone());
            let catalog = self.catalogs_of_sources.get(&key).unwrap_or(&source.name);
            let is_given = ranks.iter().any(|it| it.catalog == *catalog);
            // OLM connects to every CatalogSource that the namespace sees, whether a Subscription names it or not.
            let failure = source.is_unreachable().then(|| {
                format!("failed to list bundles: rpc error: code = Unavailable (its connection is {})", source.state)
            });
            if !is_given && is_visible && failure.is_none() {
                let name = &source.name;
                warnings.push(format!(
                    "no catalog is tied to the CatalogSource `{name}`, so its contents are ignored; tie one: `-i \
                    {name}=SOURCE`, or `--source-map {name}=CATALOG`"
                ));
            }
            if is_visible && failure.is_none() && source.is_unready() {
                let (name, state) = (&source.name, &source.state);
                warnings.push(format!(
                    "the CatalogSource `{name}` was not ready ({state}): OLM resolves nothing until it is"
                ));
            }
            if is_given || failure.is_some() {
                catalogs.push(Catalog {
                    name: catalog.clone(),
                    source: source.name.clone(),
                    namespace: source.namespace.clone(),
                    priority: source.priority,
                    failure,
                });
            }
        }
        if !self.cluster.catalog_sources.is_empty() {
            return catalogs;
        }
        let is_named = |name: &String| subscriptions.iter().any(|it| it.source == *name);
        for rank in ranks.iter().filter(|it| is_named(&it.catalog) || !self.other_versions.contains(&it.catalog)) {
            // A Subscription says where its catalog is.
            let wording = subscriptions.iter().find(|it| it.source == rank.catalog && !it.source_namespace.is_empty());
            let namespace = wording.map_or(global, |it| it.source_namespace.as_str()).to_owned();
            let priority = rank.priority;
            let name = rank.catalog.clone();
            let source = self.catalogs_of_sources.iter().find(|it| *it.1 == name && it.0.0 == namespace);
            let source = source.map(|((_, source), _)| source.clone()).unwrap_or_default();
            catalogs.push(Catalog { name, source, namespace, priority, ..Catalog::default() });
        }
        catalogs
    }

    /// Adds the installed bundles and the bundles to install.
    ///
    /// # Errors
    /// If the catalogs do not have them.
    pub fn complete(&self, world: &mut World, rows: &dyn Rows, index: &LightIndex) -> Result<(), QuestionError> {
        if self.lacks_service_versions() {
            assume_installed(world, rows)?;
        }
        for it in &self.installed {
            add_installed(world, rows, index, &it.bundle, it.channel.as_deref())?;
        }
        for install in &self.install {
            add_subscription(world, rows, install)?;
        }
        Ok(())
    }
}

/// Visible catalogs, the preferred first.
fn by_preference(world: &World, mut packages: Vec<PackageRows>) -> Vec<PackageRows> {
    packages.retain(|it| world.catalogs.get(it.catalog).is_some_and(|it| world.is_visible(it)));
    packages.sort_by_key(|it| {
        let catalog = &world.catalogs[it.catalog];
        (-catalog.priority, catalog.name.clone())
    });
    packages
}

/// The Subscription to a package.
fn subscription(world: &World, package: &PackageRows, channel: &str) -> Subscription {
    let catalog = &world.catalogs[package.catalog];
    Subscription {
        name: package.graph.package.clone(),
        namespace: world.namespace.clone(),
        package: package.graph.package.clone(),
        channel: channel.to_owned(),
        source: catalog.name.clone(),
        source_namespace: catalog.namespace.clone(),
        ..Subscription::default()
    }
}

fn add_subscription(world: &mut World, rows: &dyn Rows, install: &Install) -> Result<(), QuestionError> {
    let packages = by_preference(world, rows.package(&install.package)?);
    let Some(package) = packages.first() else {
        return Err(QuestionError::NoSuchPackage { name: install.package.clone(), known: rows.all()? });
    };
    let mut added = subscription(world, package, &package.graph.default_channel);
    if let Some(choice) = &install.choice {
        let with_channel = packages.iter().find(|it| it.graph.channels.iter().any(|it| it.name == *choice));
        // The default channel first, because a bundle may be in several.
        let entry_of = |package: &PackageRows| -> Option<(String, String)> {
            let graph = &package.graph;
            let by_name = graph.bundles_by_name();
            let has_version =
                |name: &str| by_name.get(name).is_some_and(|it| graph.bundles[*it].version == without_v(choice));
            let mut channels: Vec<_> = graph.channels.iter().collect();
            channels.sort_by_key(|it| (it.name != graph.default_channel, &it.name));
            channels.iter().find_map(|channel| {
                let entry = channel.entries.iter().find(|it| it.name == *choice || has_version(&it.name))?;
                Some((channel.name.clone(), entry.name.clone()))
            })
        };
        if let Some(package) = with_channel {
            added = subscription(world, package, choice);
        } else if let Some((package, (channel, bundle))) = packages.iter().find_map(|it| Some((it, entry_of(it)?))) {
            added = subscription(world, package, &channel);
            added.starting = bundle;
        } else {
            let known = package.graph.channels.iter().map(|it| it.name.clone()).collect();
            let (package, name) = (install.package.clone(), choice.clone());
            return Err(QuestionError::NoSuchChoice { package, name, known });
        }
    }
    let is_same = |it: &&mut Subscription| it.package == added.package && it.source == added.source;
    match world.subscriptions.iter_mut().find(is_same) {
        // A package that already has a Subscription changes its channel.
        Some(known) if install.choice.is_some() => {
            known.channel = added.channel;
            known.starting = added.starting;
        }
        Some(_) => {}
        None => world.subscriptions.push(added),
    }
    Ok(())
}

/// Adds what the Subscriptions have installed, with the properties that the catalogs know.
fn assume_installed(world: &mut World, rows: &dyn Rows) -> Result<(), QuestionError> {
    let installed: Vec<(String, String)> = world
        .subscriptions
        .iter()
        .filter(|it| !it.installed.is_empty())
        .map(|it| (it.package.clone(), it.installed.clone()))
        .collect();
    for (package, name) in installed {
        let mut csv = ClusterServiceVersion {
            version: version_in_name(&name).map(|it| it.to_string()).unwrap_or_default(),
            namespace: world.namespace.clone(),
            name,
            ..ClusterServiceVersion::default()
        };
        for known in by_preference(world, rows.package(&package)?) {
            let Some(bundle) = known.graph.bundles.iter().find(|it| it.name == csv.name) else { continue };
            csv.properties = rows.properties(&package, &[bundle])?.pop();
            csv.version.clone_from(&bundle.version);
            csv.place = bundle.place.clone();
            break;
        }
        world.installed.push(csv);
    }
    Ok(())
}

fn add_installed(
    world: &mut World,
    rows: &dyn Rows,
    index: &LightIndex,
    name: &str,
    channel: Option<&str>,
) -> Result<(), QuestionError> {
    let no_such_bundle = || QuestionError::NoSuchBundle { name: name.to_owned() };
    let mut packages = Vec::new();
    for package in index.packages_of_bundle(name)? {
        packages.extend(rows.package(&package)?);
    }
    for package in by_preference(world, packages) {
        let graph = &package.graph;
        let lists = graph.channels.iter().filter(|it| channel.is_none_or(|wanted| it.name == wanted));
        let lists = lists.filter(|it| it.entries.iter().any(|it| it.name == name));
        let Some(channel) = lists.min_by_key(|it| (it.name != graph.default_channel, &it.name)) else { continue };
        let Some(bundle) = graph.bundles.iter().find(|it| it.name == name) else { continue };
        let properties = rows.properties(&graph.package, &[bundle])?.pop().unwrap_or_default();
        world.installed.retain(|it| it.name != name);
        world.installed.push(ClusterServiceVersion {
            name: name.to_owned(),
            namespace: world.namespace.clone(),
            version: bundle.version.clone(),
            phase: "Succeeded".to_owned(),
            properties: Some(properties),
            place: bundle.place.clone(),
            ..ClusterServiceVersion::default()
        });
        match world.subscriptions.iter_mut().find(|it| it.package == graph.package) {
            Some(known) => (known.installed, known.current) = (name.to_owned(), name.to_owned()),
            None => {
                let mut added = subscription(world, &package, &channel.name);
                (added.installed, added.current) = (name.to_owned(), name.to_owned());
                world.subscriptions.push(added);
            }
        }
        return Ok(());
    }
    Err(no_such_bundle())
}
