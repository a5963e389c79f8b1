//! The words of answers that both generations of OLM share.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::classic;
use super::installed::InstalledBundle;
use super::target::{NamedVersion, Target};
use super::v1::{self, bundle_version};
use olmdex_index::IndexError;
use olmdex_index::query::{CatalogRank, EdgeScope, GraphBundle, InstallModes, PackageGraph, Reach};
use olmdex_rules::cluster::LabelSelector;
use olmdex_text::tally;
use olmdex_version::Version;

/// A package in all catalogs that are asked, ready for both engines.
#[derive(Debug, Clone)]
pub struct PackageView {
    /// The package.
    pub package: String,
    /// The content of the catalogs.
    pub graphs: Vec<PackageGraph>,
    /// All bundles, each once, highest version first.
    bundles: Vec<NamedVersion>,
    /// The catalogs that are asked.
    pub(super) ranks: Vec<CatalogRank>,
    /// The same graphs as OLM Classic sees them, each made on first use: a plan asks hundreds of times.
    classic: Vec<OnceLock<classic::Package>>,
    /// The ClusterCatalogs that OLM v1 asks; none if the catalogs themselves count as such.
    served: Vec<v1::ServedCatalog>,
    /// The catalogs as OLM v1 sees them, made when it is asked first.
    v1: OnceLock<Vec<v1::Catalog>>,
    /// How OLM v1 reads releases.
    release: v1::ReleaseReading,
    /// The bundles of each graph by name, made at the first search: a way of ten thousand steps searches ten thousand
    /// times.
    by_name: Vec<OnceLock<HashMap<String, BundleMark>>>,
    /// The last question about the names between two ends: both generations of OLM and the search for a reason why
    /// there is no way ask the same one.
    pub(super) last_reach: LastReach,
}

/// The last question to an index about names between two ends, with its answer.
#[derive(Debug, Default)]
pub(super) struct LastReach(Mutex<Option<(ReachQuestion, Reach)>>);

/// Catalogs and channels, the start of the ways and their ends.
pub(super) type ReachQuestion = (EdgeScope, BTreeSet<String>, BTreeSet<String>);

impl LastReach {
    /// The answer to a question: the kept one, or else the result of `ask`.
    pub(super) fn or_ask(
        &self,
        question: ReachQuestion,
        ask: impl FnOnce(&ReachQuestion) -> Result<Reach, IndexError>,
    ) -> Result<Reach, IndexError> {
        // The lock is not held while the index is asked, so that threads which share a view do not wait for each other.
        let last = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, reach)) = last().as_ref().filter(|it| it.0 == question) {
            return Ok(reach.clone());
        }
        let reach = ask(&question)?;
        *last() = Some((question, reach.clone()));
        Ok(reach)
    }
}

impl Clone for LastReach {
    /// A copy asks anew, which changes no answer.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The known facts about a bundle, by its name.
#[derive(Debug, Clone, Copy)]
struct BundleMark {
    /// Its index among the bundles of the graph; if several share a name, that of the first.
    place: usize,
    is_deprecated: bool,
}

/// The question to both engines.
#[derive(Debug, Clone, Default)]
pub struct EngineQuestion {
    /// The installed bundle, if there is one.
    pub installed: Option<InstalledBundle>,
    /// The channels; OLM Classic knows only one.
    pub channels: Vec<String>,
    /// The version range of a ClusterExtension, or empty.
    pub version: String,
    /// The catalogs of a ClusterExtension; `None` for all.
    pub selector: Option<LabelSelector>,
    /// Whether the catalog's edges bind a ClusterExtension.
    pub policy: v1::Policy,
    /// How OLM v1 is to install it.
    pub installation: v1::Installation,
    /// The catalog that is asked, if others are asked the same.
    pub catalog: Option<String>,
    /// The object of a cluster that asks, if there is one: `Subscription NAMESPACE/NAME`.
    pub managed_by: Option<String>,
}

impl PackageView {
    /// A package from the data of an index about it and about its catalogs.
    pub fn new(package: &str, graphs: Vec<PackageGraph>, catalogs: &[CatalogRank]) -> Self {
        let classic = graphs.iter().map(|_| OnceLock::new()).collect();
        let by_name = graphs.iter().map(|_| OnceLock::new()).collect();
        let (bundles, ranks, v1) = (bundles(&graphs, false), catalogs.to_vec(), OnceLock::new());
        let (package, release) = (package.to_owned(), v1::ReleaseReading::default());
        let (served, last_reach) = (Vec::new(), LastReach::default());
        Self { package, graphs, bundles, ranks, classic, served, v1, release, by_name, last_reach }
    }

    /// The same package, with releases read as the feature gates of OLM v1 demand.
    #[must_use]
    pub fn with_gates(mut self, gates: &v1::Gates) -> Self {
        if gates.has_explicit_releases() {
            self.release = v1::ReleaseReading::Explicit;
            self.bundles = bundles(&self.graphs, true);
            self.v1 = OnceLock::new();
        }
        self
    }

    /// The same package, as ClusterCatalogs serve it to OLM v1. Without any, each catalog is one.
    #[must_use]
    pub fn served_by(mut self, served: Vec<v1::ServedCatalog>) -> Self {
        self.served = served;
        self.v1 = OnceLock::new();
        self
    }

    /// The catalogs as OLM v1 sees them.
    pub fn catalogs(&self) -> &[v1::Catalog] {
        self.v1.get_or_init(|| {
            let of = |it: &CatalogRank| {
                let graph = self.graphs.iter().find(|graph| graph.catalog == it.catalog);
                v1::Catalog::with_releases(&it.catalog, it.priority, &it.labels, graph, self.release)
            };
            let served = self.served.iter().map(|it| {
                let catalog = it.catalog.clone().unwrap_or_else(|| it.name.clone());
                of(&CatalogRank { catalog, ..CatalogRank::default() }).served_by(it)
            });
            if self.served.is_empty() { self.ranks.iter().map(of).collect() } else { served.collect() }
        })
    }

    /// A graph as OLM Classic sees it: one of the view's own is made once, another one each time.
    pub fn as_classic<'v>(&'v self, graph: &PackageGraph) -> Cow<'v, classic::Package> {
        let own = self.graphs.iter().zip(&self.classic).find(|it| std::ptr::eq(it.0, graph));
        match own {
            Some((own, made)) => Cow::Borrowed(made.get_or_init(|| classic::Package::new(own))),
            None => Cow::Owned(classic::Package::new(graph)),
        }
    }

    /// The part of one catalog; `None` if it has nothing about the package.
    pub fn of_catalog(&self, catalog: &str) -> Option<Self> {
        let graphs: Vec<PackageGraph> = self.graphs.iter().filter(|it| it.catalog == catalog).cloned().collect();
        let ranks: Vec<CatalogRank> = self.ranks.iter().filter(|it| it.catalog == catalog).cloned().collect();
        let view = Self { release: self.release, ..Self::new(&self.package, graphs, &ranks) };
        (!view.graphs.is_empty()).then_some(view)
    }

    /// All bundles, each once, highest version first.
    pub fn bundles(&self) -> &[NamedVersion] {
        &self.bundles
    }

    /// A bundle by its name or version.
    pub fn find(&self, text: &str) -> Option<NamedVersion> {
        let all = self.bundles();
        if let Some(found) = all.iter().find(|it| it.name == text || it.version == text) {
            return Some(found.clone());
        }
        let wanted = Version::parse_tolerant(text).ok()?;
        all.iter().find(|it| Version::parse(&it.version).is_ok_and(|version| version == wanted)).cloned()
    }

    /// A bundle of a catalog, with the graph that has it.
    fn known_bundle(&self, catalog: &str, bundle: &str) -> Option<(&GraphBundle, BundleMark)> {
        let (graph, made) = self.graphs.iter().zip(&self.by_name).find(|it| it.0.catalog == catalog)?;
        let by_name = made.get_or_init(|| by_name(graph));
        tally::step(1);
        let known = *by_name.get(bundle)?;
        graph.bundles.get(known.place).map(|it| (it, known))
    }

    /// A bundle of a catalog; if several share a name, the first.
    pub(super) fn bundle(&self, catalog: &str, bundle: &str) -> Option<&GraphBundle> {
        self.known_bundle(catalog, bundle).map(|it| it.0)
    }

    /// Whether a bundle of a catalog is deprecated.
    pub(super) fn is_deprecated(&self, catalog: &str, bundle: &str) -> bool {
        self.known_bundle(catalog, bundle).is_some_and(|it| it.1.is_deprecated)
    }

    /// The install modes that a bundle of a catalog states.
    fn install_modes_of(&self, catalog: &str, bundle: &str) -> Option<InstallModes> {
        self.bundle(catalog, bundle)?.install_modes
    }

    /// The deprecations of the package, of some channels and of an installed bundle, in words with the messages of
    /// their authors. OLM Classic reports the same in the conditions of a Subscription.
    pub fn deprecations(&self, channels: &[String], installed: Option<&InstalledBundle>) -> Vec<String> {
        let mut found = Vec::new();
        // The last of several blobs counts.
        let items = self.graphs.iter().filter_map(|graph| graph.deprecations.last()).flatten();
        for item in items {
            let what = match item.schema.as_str() {
                "olm.package" => format!("the package `{}`", self.package),
                "olm.channel" if channels.contains(&item.name) => format!("the channel {}/{}", self.package, item.name),
                "olm.bundle" if installed.is_some_and(|it| it.name == item.name) => {
                    format!("the installed bundle {}", item.name)
                }
                _ => continue,
            };
            let words =
                format!("{what} is deprecated: {}", item.message.split_whitespace().collect::<Vec<_>>().join(" "));
            if !found.contains(&words) {
                found.push(words);
            }
        }
        found
    }

    /// A step of OLM Classic as a target.
    pub fn step_target(&self, catalog: &str, step: classic::Step) -> Target {
        Target {
            catalog: catalog.to_owned(),
            is_deprecated: self.is_deprecated(catalog, &step.bundle),
            supports_all_namespaces: self.install_modes_of(catalog, &step.bundle).map(|it| it.all_namespaces),
            unknown: None,
            bundle: step.bundle,
            version: step.version,
            release: None,
            channels: vec![step.channel],
            refused_for: None,
            refusal: None,
            permits: step.permits,
        }
    }
}

impl EngineQuestion {
    /// The question to OLM v1.
    pub fn question(&self, package: &str) -> v1::Question {
        v1::Question {
            package: package.to_owned(),
            version: self.version.clone(),
            channels: self.channels.clone(),
            installed: self.installed.as_ref().map(InstalledBundle::as_v1),
            selector: self.selector.clone(),
            policy: self.policy,
        }
    }

    /// The channel of a Subscription.
    pub fn channel(&self) -> Option<&str> {
        self.channels.first().map(String::as_str)
    }
}

/// The bundles of a graph by name.
fn by_name(graph: &PackageGraph) -> HashMap<String, BundleMark> {
    // The last of several blobs counts.
    let deprecated = graph.deprecations.last().into_iter().flatten().filter(|it| it.schema == "olm.bundle");
    let deprecated: HashSet<&str> = deprecated.inspect(|_| tally::step(1)).map(|it| it.name.as_str()).collect();
    let mut by_name = HashMap::with_capacity(graph.bundles.len());
    for (place, bundle) in graph.bundles.iter().enumerate() {
        tally::step(1);
        let known = || BundleMark { place, is_deprecated: deprecated.contains(bundle.name.as_str()) };
        by_name.entry(bundle.name.clone()).or_insert_with(known);
    }
    by_name
}

/// All bundles, each once, highest version first.
fn bundles(graphs: &[PackageGraph], explicit_releases: bool) -> Vec<NamedVersion> {
    let mut all: Vec<(Option<v1::BundleVersion>, String)> = Vec::new();
    for bundle in graphs.iter().flat_map(|it| &it.bundles) {
        let version = bundle.package_property.as_deref().and_then(|it| bundle_version(it, explicit_releases).ok());
        all.push((version, bundle.name.clone()));
    }
    let by_version = |a: &Option<v1::BundleVersion>, b: &Option<v1::BundleVersion>| {
        a.as_ref().map(v1::BundleVersion::order).cmp(&b.as_ref().map(v1::BundleVersion::order))
    };
    all.sort_by(|a, b| by_version(&b.0, &a.0).then_with(|| a.1.cmp(&b.1)));
    all.dedup_by(|a, b| a.1 == b.1);
    let named = |(version, name): (Option<v1::BundleVersion>, String)| NamedVersion {
        name,
        version: version.as_ref().map(v1::BundleVersion::version_text).unwrap_or_default(),
        release: version.and_then(|it| it.release_text()),
    };
    all.into_iter().map(named).collect()
}

/// The words behind `in`: the channels, or that there is no restriction.
pub(super) fn channel_words(package: &str, channels: &[String]) -> String {
    match channels {
        [] => format!("any channel of {package}"),
        [only] => format!("{package}/{only}"),
        several => format!("{package}/{{{}}}", several.join(",")),
    }
}
