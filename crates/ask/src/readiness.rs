//! The Subscriptions of a cluster, or the packages of catalogs, that can move to OLM v1: every condition by itself, and
//! the state that follows.

use std::cmp::Reverse;

use super::bundle::Target;
#[cfg(feature = "clap")]
use super::command_line::one_of;
use super::dependencies::needs;
use super::error::AskError;
use super::hint::{Help, Hint};
use super::name::{PackageName, no_channel, no_package, no_version};
use super::question::{Answer, Question, State, Verdict, answer, as_text};
use super::upgrade::GateOptions;
use olmdex_base::diag::{Listed, Place};
use olmdex_compose::mirror::Install;
use olmdex_constraint::openshift::Minor;
use olmdex_index::LightIndex;
use olmdex_index::query::{Filter, V1Bundle, V1Facts};
use olmdex_olm::catalog_source::CatalogSources;
use olmdex_olm::readiness::{
    self, Acknowledgement, BundleTraits, Condition, Conversion, InstalledOperators, Met, Moving, Readiness, Ready,
    catalog_condition, compare_scopes, convert, of_bundle, of_subscription, watch_namespace,
};
use olmdex_olm::resolve::Options;
use olmdex_olm::upgrade::v1::Gates;
use olmdex_rules::cluster::{BundleStatus, Cluster, ClusterCatalog, ClusterExtension, Subscription};
use olmdex_rules::openshift::coerce;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The operators that can move to OLM v1, and what keeps the others
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct ReadinessQuestion {
    /// Packages, also PKG@VERSION, PKG/CHANNEL or bundles; with `--cluster` packages or Subscriptions as
    /// NAMESPACE/NAME. Default: all
    #[cfg_attr(feature = "clap", arg(value_name = "PKG[@VERSION|/CHANNEL]"))]
    pub names: Vec<String>,
    /// Move operators although this condition is not met; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_parser = one_of::<Acknowledgement>(), value_delimiter = ',', value_name = "WORD"))]
    pub acknowledge: Vec<Acknowledgement>,
    /// The version of OpenShift that the manifests are for: up to 4.22 a ClusterExtension needs a service account.
    /// Default: that of the cluster
    #[cfg_attr(feature = "clap", arg(long, value_name = "VERSION"))]
    #[serde(with = "as_text")]
    #[schemars(with = "Option<String>")]
    pub openshift: Option<Minor>,
    /// The target's operator-controller renders API services (operator-controller#2885)
    #[cfg_attr(feature = "clap", arg(long))]
    pub renders_api_services: bool,
    /// The feature gates of operator-controller.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub gates: GateOptions,
    /// Only this catalog; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub catalog: Vec<String>,
    /// Whether the packages that meet dependencies are left out: finding them reads the whole catalog.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub is_brief: bool,
}

/// The obstacles to installing operators with OLM v1, in words: versions that it cannot tell apart, bundles that it
/// refuses by conditions that cannot be acknowledged, and ranges that the API server refuses.
pub fn v1_install_warnings(installs: &[Install]) -> Vec<String> {
    let ambiguous = installs.iter().filter(|install| install.is_ambiguous()).map(|install| {
        format!(
            "the version of {} has build metadata, and OLM v1 cannot distinguish versions of package `{}` by build \
            metadata",
            install.bundle, install.package
        )
    });
    let refused = installs.iter().flat_map(|install| {
        let traits = BundleTraits {
            name: install.bundle.clone(),
            install_modes: install.modes.stated,
            obstacles: install.modes.obstacles.clone(),
            dependencies: Some(install.modes.dependencies.iter().cloned().collect()),
            ..BundleTraits::default()
        };
        let found = of_bundle(&traits, &Gates::default(), false).into_iter().filter(Condition::is_refusal);
        found.map(move |it| format!("OLM v1 does not install {}: {}", install.bundle, it.reason))
    });
    let ranges = installs
        .iter()
        .filter_map(|install| Some(format!("package `{}`: {}", install.package, install.version_refusal()?)));
    ambiguous.chain(refused).chain(ranges).collect()
}

impl Question for ReadinessQuestion {
    const NAME: &'static str = "v1 check";
    const KIND: &'static str = "V1Readiness";
    const OF_CLUSTER: Option<&'static str> = Some("true");
    type Index = LightIndex;
    type Item = Readiness;

    fn names(&self) -> Vec<&String> {
        self.names.iter().collect()
    }

    /// An item for each Subscription of the cluster, or for each package of each catalog, by state. The verdict is
    /// negative if something keeps one of them from OLM v1. Without catalogs it is not known which of them serve
    /// packages.
    fn ask(&self, state: &State<'_, LightIndex>) -> Result<Answer<Readiness>, AskError> {
        self.ask_converting(state).0
    }
}

impl ReadinessQuestion {
    /// The same answer, and the ClusterExtensions that replace the Subscriptions that can move.
    pub fn ask_converting(&self, state: &State<'_, LightIndex>) -> (Result<Answer<Readiness>, AskError>, Conversion) {
        let mut conversion = Conversion::default();
        let (found, warnings) = match state.cluster {
            Some((cluster, words)) => {
                (self.of_cluster(cluster, words, state, &mut conversion), cluster.warnings.clone())
            }
            None => (self.of_catalogs(state.index), Vec::new()),
        };
        let judged = found.map(|mut items| {
            items.sort_by(|a, b| {
                (a.state, &a.subscription, &a.package, &a.catalog).cmp(&(
                    b.state,
                    &b.subscription,
                    &b.package,
                    &b.catalog,
                ))
            });
            let is_negative = items.iter().any(|it| !it.state.is_good());
            (items, Verdict::negative_if(is_negative))
        });
        (answer(judged, warnings), conversion)
    }

    /// The version of OpenShift on which the operators will be.
    pub fn openshift_of(&self, cluster: Option<&Cluster>) -> Option<Minor> {
        self.openshift.or_else(|| coerce(&cluster?.openshift))
    }

    fn gates_on(&self, cluster: Option<&Cluster>) -> Gates {
        self.gates.gates().on_openshift(self.openshift_of(cluster))
    }

    /// The packages of catalogs: the head of the default channel of each, unless a name asks for another bundle.
    fn of_catalogs(&self, index: &LightIndex) -> Result<Vec<Readiness>, AskError> {
        let filter = Filter { catalogs: self.catalog.clone(), ..Filter::default() };
        let mut facts = if self.names.is_empty() { index.v1_heads(&filter)? } else { Vec::new() };
        for name in &self.names {
            facts.extend(named(index, &filter, &PackageName::find(index, name)?)?);
        }
        let mut items = Vec::with_capacity(facts.len());
        for it in facts {
            items.push(self.of_package(index, it)?);
        }
        if items.is_empty() {
            return Err(AskError::NothingInCluster("no catalog has a package".to_owned()));
        }
        Ok(items)
    }

    fn of_package(&self, index: &LightIndex, facts: V1Facts) -> Result<Readiness, AskError> {
        let V1Facts { catalog, package, default_channel, is_valid, bundle } = facts;
        let mut item = Readiness::new(package);
        item.catalog = Some(catalog);
        let Some(bundle) = bundle.filter(|_| is_valid) else {
            item.reason = match (is_valid, default_channel.as_str()) {
                (false, _) => format!("the package has errors: `olmdex check` shows those of {}", item.package),
                (true, "") => "the package has no default channel".to_owned(),
                (true, channel) => format!("channel {channel} has no single head"),
            };
            return Ok(item);
        };
        let mut traits = BundleTraits::from(&bundle);
        if !self.is_brief {
            add_providers(index, &item, &bundle, &mut traits)?;
        }
        let gates = self.gates_on(None);
        item.conditions = of_bundle(&traits, &gates, self.renders_api_services);
        let serves = format!("`{}` has the package", item.catalog.as_deref().unwrap_or_default());
        item.conditions.push(catalog_condition(Met::Yes, serves, Some(bundle.place.clone())));
        (item.bundle, item.version) = (bundle.name, bundle.version);
        item.finish(&self.acknowledge, Moving::FromCatalog);
        item.warn_of_webhooks(&traits, &gates);
        Ok(item)
    }

    fn of_cluster(
        &self,
        cluster: &Cluster,
        words: &str,
        state: &State<'_, LightIndex>,
        conversion: &mut Conversion,
    ) -> Result<Vec<Readiness>, AskError> {
        let index = state.index;
        let filter = Filter { catalogs: self.catalog.clone(), ..Filter::default() };
        let ranks = index.catalog_ranks(&filter)?;
        let inquiry = ReadinessInquiry {
            asked: self,
            cluster,
            gates: self.gates_on(Some(cluster)),
            index,
            has_catalogs: !index.catalog_names()?.is_empty(),
            sources: state.sources(&ranks, cluster)?,
            operators: InstalledOperators::of(cluster),
        };
        let mut items = Vec::new();
        let mut ready = Vec::new();
        for subscription in cluster.subscriptions.iter().filter(|it| self.names_subscription(it)) {
            let (item, moving) = inquiry.of_subscription(subscription)?;
            ready.extend(moving.filter(|_| item.state == readiness::State::Eligible));
            items.push(item);
        }
        items.extend(cluster.extensions.iter().filter_map(|it| self.migrated(cluster, it)));
        for name in &self.names {
            if !items.iter().any(|it| is_named(it, name)) {
                return Err(no_subscription(cluster, words, name));
            }
        }
        if items.is_empty() {
            let what = format!("{words} has no Subscription, and no ClusterExtension that was one");
            return Err(AskError::NothingInCluster(what));
        }
        *conversion = convert(cluster, &ready);
        Ok(items)
    }

    fn names_subscription(&self, subscription: &Subscription) -> bool {
        let full = subscription.id();
        let is_meant = |it: &String| *it == subscription.package || *it == full || *it == subscription.name;
        self.names.is_empty() || self.names.iter().any(is_meant)
    }

    /// A ClusterExtension whose Subscription is gone.
    fn migrated(&self, cluster: &Cluster, extension: &ClusterExtension) -> Option<Readiness> {
        let from = extension.migrated_from.as_ref()?;
        let still_is = |it: &Subscription| it.id() == *from;
        let is_meant = |it: &String| *it == extension.package || it == from || *it == extension.name;
        let is_asked = self.names.is_empty() || self.names.iter().any(is_meant);
        if !is_asked || cluster.subscriptions.iter().any(still_is) {
            return None;
        }
        let mut item = Readiness::new(extension.package.clone());
        item.state = readiness::State::AlreadyMigrated;
        item.subscription = Some(from.clone());
        item.cluster_extension = Some(extension.name.clone());
        BundleStatus { name: item.bundle, version: item.version, .. } = extension.installed.clone().unwrap_or_default();
        item.catalog = extension.named_catalog().map(str::to_owned);
        item.reason = format!("ClusterExtension {} has replaced Subscription {from}", extension.name);
        Some(item)
    }
}

/// Whether a name stands for an item of a cluster: by its package, by its Subscription, or by its ClusterExtension.
fn is_named(item: &Readiness, name: &str) -> bool {
    let subscription = item.subscription.as_deref().unwrap_or_default();
    let own = subscription.split_once('/').map_or("", |it| it.1);
    [item.package.as_str(), subscription, own].contains(&name) || item.cluster_extension.as_deref() == Some(name)
}

fn no_subscription(cluster: &Cluster, words: &str, name: &str) -> AskError {
    let known = cluster.subscriptions.iter().map(|it| it.package.as_str());
    let help = Help::new(Hint::of(name, known), "name its package, or NAMESPACE/NAME");
    AskError::NoSubscription { cluster: words.to_owned(), name: name.to_owned(), help }
}

/// The facts in a catalog about the bundles of a name: those of a version, the head of a channel, or that of the
/// default channel.
pub(super) fn named(index: &LightIndex, filter: &Filter, name: &PackageName) -> Result<Vec<V1Facts>, AskError> {
    let package = &name.package;
    let of_package = Filter { package: Some(package.clone()), ..filter.clone() };
    if let Some(wanted) = &name.installed {
        let wanted = wanted.as_str();
        let is_it = |bundle: &str, version: &str| {
            bundle == wanted || version == wanted || version == wanted.trim_start_matches('v')
        };
        let found = index.v1_bundles(filter, package, is_it)?;
        return if found.is_empty() { Err(no_version(index, &filter.catalogs, package, wanted)?) } else { Ok(found) };
    }
    if let Some(channel) = &name.channel {
        let of_channel = Filter { channel: Some(channel.clone()), ..of_package };
        let heads = index.channels(&of_channel)?;
        let mut found = Vec::new();
        for head in &heads {
            let in_catalog = Filter::of_catalog(&head.catalog);
            found.extend(index.v1_bundles(&in_catalog, package, |bundle, _| bundle == head.head)?);
        }
        return if found.is_empty() { Err(no_channel(index, package, channel)?) } else { Ok(found) };
    }
    let found = index.v1_heads(&of_package)?;
    if found.is_empty() { Err(no_package(index, package)?) } else { Ok(found) }
}

/// Adds the packages that meet a bundle's dependencies, with the places of the dependencies.
fn add_providers(
    index: &LightIndex,
    item: &Readiness,
    bundle: &V1Bundle,
    traits: &mut BundleTraits,
) -> Result<(), AskError> {
    if traits.dependencies.as_ref().is_none_or(Vec::is_empty) {
        return Ok(());
    }
    let is_dependency =
        |kind: &str, _: &str| matches!(kind, "olm.package.required" | "olm.gvk.required" | "olm.constraint");
    traits.dependency_place = Some(index.place_of_property(bundle.document, &bundle.place, is_dependency)?);
    if bundle.required_apis.is_empty() && !bundle.has_constraint {
        return Ok(());
    }
    let catalog = item.catalog.as_deref().unwrap_or_default();
    let target = Target { package: item.package.clone(), bundle: bundle.name.clone() };
    let found = needs(index, catalog, &target, &Options::default())?;
    for need in found.iter().flat_map(|it| &it.needs) {
        traits.depends_on.extend(need.met.packages.iter().cloned());
    }
    traits.depends_on.sort();
    traits.depends_on.dedup();
    Ok(())
}

/// A question about a cluster in progress.
struct ReadinessInquiry<'a> {
    asked: &'a ReadinessQuestion,
    cluster: &'a Cluster,
    gates: Gates,
    index: &'a LightIndex,
    has_catalogs: bool,
    sources: CatalogSources,
    operators: InstalledOperators<'a>,
}

impl<'a> ReadinessInquiry<'a> {
    /// The state of a Subscription, and the objects that move it.
    fn of_subscription(&self, subscription: &'a Subscription) -> Result<(Readiness, Option<Ready<'a>>), AskError> {
        let shown = subscription.id();
        let mut item = Readiness::new(subscription.package.clone());
        item.subscription = Some(shown.clone());
        item.bundle.clone_from(&subscription.installed);
        let (mut served, facts) = self.catalogs_of(subscription)?;
        item.catalog = facts.as_ref().map(|it| it.catalog.clone());
        let default_channel = facts.as_ref().map(|it| it.default_channel.clone()).filter(|it| !it.is_empty());
        let in_catalog = self.bundle_of(subscription, item.catalog.as_deref())?;
        let traits = self.operators.traits_of(subscription, in_catalog.as_ref());
        item.version = self.operators.version_of(subscription, in_catalog.as_ref());
        item.conditions = of_subscription(self.cluster, subscription);
        item.conditions.extend(of_bundle(&traits, &self.gates, self.asked.renders_api_services));
        if served.verdict == Met::NotKnown && !self.has_catalogs {
            served.reason = "no catalog given: name catalogs with `-i`".to_owned();
        }
        item.conditions.push(served);
        let mut groups = self.cluster.operator_groups.iter().filter(|it| it.namespace == subscription.namespace);
        let watched = watch_namespace(groups.next(), &traits, &self.gates);
        compare_scopes(&mut item.conditions, &traits, &self.gates, watched.as_deref());
        item.finish(&self.asked.acknowledge, Moving::Installed);
        item.dependents = self.operators.dependents_of(subscription);
        if !item.dependents.is_empty() {
            let dependents = item.dependents.join(", ");
            item.warnings.push(format!(
                "{dependents} depends on it, and OLM Classic can no longer resolve it once this operator has moved"
            ));
        }
        item.warn_of_webhooks(&traits, &self.gates);
        if let Some(same) = self.cluster.extensions.iter().find(|it| it.migrated_from.as_deref() == Some(&shown)) {
            item.state = readiness::State::Conflict;
            item.cluster_extension = Some(same.name.clone());
            item.reason =
                format!("ClusterExtension {} has replaced it, but Subscription {shown} still exists", same.name);
            item.warnings.push(format!(
                "`migrate-operators-v0-to-v1 cleanup` of the migration library finishes the move of ClusterExtension {}",
                same.name
            ));
            return Ok((item, None));
        }
        if let Some(other) = self.cluster.extensions.iter().find(|it| it.package == subscription.package) {
            item.warnings.push(format!("ClusterExtension {} wants the same package", other.name));
        }
        let is_used = |it: &&Condition| it.is_acknowledged && it.verdict != Met::Yes;
        let acknowledged = item.conditions.iter().filter(is_used).filter_map(|it| it.acknowledgement).collect();
        let ready = Ready {
            subscription,
            version: item.version.clone(),
            default_channel,
            acknowledged,
            has_dependents: !item.dependents.is_empty(),
            has_webhooks: !traits.obstacles.webhooks.is_empty(),
            watch_namespace: watched,
        };
        Ok((item, Some(ready)))
    }

    /// Whether a ClusterCatalog serves the package of a Subscription, or the one that its CatalogSource becomes; and
    /// the catalog's facts.
    fn catalogs_of(&self, subscription: &Subscription) -> Result<(Condition, Option<V1Facts>), AskError> {
        let Subscription { source, source_namespace, package, .. } = subscription;
        let own = match self.asked.catalog.as_slice() {
            [] => self.sources.catalog(source_namespace, source).into_iter().collect(),
            named => named.to_vec(),
        };
        let off = self.unavailable(source_namespace, source);
        let mut of_cluster: Vec<_> = self.cluster.cluster_catalogs.iter().filter(|it| it.serves()).collect();
        of_cluster.sort_by_key(|it| Reverse(it.priority));
        let others = of_cluster.into_iter().filter_map(|it| Some((self.sources.catalog("", &it.name)?, Some(it))));
        let mut all: Vec<(String, Option<&ClusterCatalog>)> = own.iter().map(|it| (it.clone(), None)).collect();
        all.extend(others);
        let mut lacking: Vec<String> = Vec::new();
        for (catalog, served_by) in all {
            if !self.has_catalogs {
                break;
            }
            let filter = Filter::in_catalog(&catalog, package);
            let Some(facts) = self.index.v1_heads(&filter)?.into_iter().next() else {
                if !lacking.contains(&catalog) {
                    lacking.push(catalog);
                }
                continue;
            };
            let place = facts.bundle.as_ref().map(|it| it.place.clone());
            return Ok(match (off.filter(|_| served_by.is_none()), served_by) {
                (Some(off), _) => {
                    let reason = format!("ClusterCatalog {}, which has the package, does not serve", off.name);
                    (catalog_condition(Met::No, reason, Some(off.place.clone())), Some(facts))
                }
                (None, Some(it)) => {
                    let reason = format!("ClusterCatalog {} serves it", it.name);
                    (catalog_condition(Met::Yes, reason, Some(it.place.clone())), Some(facts))
                }
                (None, None) => {
                    let reason = format!("`{catalog}`, which CatalogSource {source} serves, has it");
                    (catalog_condition(Met::Yes, reason, place), Some(facts))
                }
            });
        }
        let place: Option<Place> = Some(subscription.place.clone());
        if lacking.is_empty() {
            let reason = format!("the package {}", self.sources.unknown_words(source_namespace, source));
            return Ok((catalog_condition(Met::NotKnown, reason, place), None));
        }
        let names = Listed::quoted(lacking.iter());
        let reason = format!("{names} does not have the package");
        // Another, unknown ClusterCatalog may have it.
        let verdict = if own.is_empty() { Met::NotKnown } else { Met::No };
        Ok((catalog_condition(verdict, reason, place), None))
    }

    /// The ClusterCatalog of a CatalogSource's image that is not serving.
    fn unavailable(&self, namespace: &str, name: &str) -> Option<&ClusterCatalog> {
        let source = self.cluster.catalog_sources.iter().find(|it| it.namespace == namespace && it.name == name)?;
        let same = |it: &&ClusterCatalog| !source.image.is_empty() && it.image == source.image;
        self.cluster.cluster_catalogs.iter().filter(same).find(|it| !it.serves())
    }

    /// The facts in a catalog about the bundle that a Subscription has installed.
    fn bundle_of(&self, subscription: &Subscription, catalog: Option<&str>) -> Result<Option<V1Bundle>, AskError> {
        let Some(catalog) = catalog.filter(|_| !subscription.installed.is_empty()) else { return Ok(None) };
        let filter = Filter::of_catalog(catalog);
        let found = self.index.v1_bundles(&filter, &subscription.package, |name, _| name == subscription.installed)?;
        Ok(found.into_iter().next().and_then(|it| it.bundle))
    }
}
