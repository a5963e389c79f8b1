//! The installed operators, with the Subscription or ClusterExtension that manages each.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::Unknown;
use super::code::Code;
use super::operator::Operator;
use super::question::PlanQuestion;
use olmdex_fbc::has_tag_or_digest;
use olmdex_olm::catalog_source::CatalogSources;
use olmdex_olm::namespace::{Obstacle, first_obstacle, next_bundle, of_extension};
use olmdex_olm::upgrade::Olm;
use olmdex_olm::upgrade::v1::{CatalogState, Installation, ServedCatalog};
use olmdex_rules::cluster::{BundleStatus, Cluster, ClusterExtension, ClusterServiceVersion, Subscription};
use olmdex_text::json;

/// The ClusterServiceVersions in question, and the facts of the Subscriptions about them.
struct InventoryScope<'c> {
    csvs: Vec<&'c ClusterServiceVersion>,
    replacements: BTreeMap<(&'c str, &'c str), &'c ClusterServiceVersion>,
    /// The namespaces and names of the ClusterServiceVersions that OLM is replacing.
    going: BTreeSet<(&'c str, &'c str)>,
    /// The Subscriptions by their namespace and installed bundle.
    by_installed: BTreeMap<(&'c str, &'c str), Vec<&'c Subscription>>,
    /// The namespaces that need approvals.
    manual: BTreeSet<&'c str>,
}

impl<'c> InventoryScope<'c> {
    fn new(question: &PlanQuestion<'c>) -> Self {
        let cluster = question.cluster;
        let is_in_scope = |namespace: &String| question.scope.is_empty() || question.scope.contains(namespace);
        let csvs: Vec<&ClusterServiceVersion> = cluster.own_csvs().filter(|it| is_in_scope(&it.namespace)).collect();
        let going = csvs.iter().filter(|csv| csv.is_going());
        let going = going.map(|csv| (csv.namespace.as_str(), csv.name.as_str())).collect();
        let mut by_installed: BTreeMap<(&str, &str), Vec<&Subscription>> = BTreeMap::new();
        let mut manual: BTreeSet<&str> = BTreeSet::new();
        for it in &cluster.subscriptions {
            by_installed.entry((&it.namespace, &it.installed)).or_default().push(it);
            if it.is_manual {
                manual.insert(&it.namespace);
            }
        }
        let replacements = ClusterServiceVersion::replacements(csvs.iter().copied());
        Self { csvs, replacements, going, by_installed, manual }
    }

    fn subscriptions(&self, csv: &ClusterServiceVersion) -> Vec<&'c Subscription> {
        let installed = |name| self.by_installed.get(&(csv.namespace.as_str(), name));
        // The Subscription names the old one until the new one is installed.
        let before = || installed(csv.replaces.as_str()).filter(|_| !csv.replaces.is_empty());
        installed(csv.name.as_str()).or_else(before).cloned().unwrap_or_default()
    }

    /// Whether something newer replaces it. Those that replace each other in a circle all stay.
    fn is_replaced(&self, csv: &ClusterServiceVersion) -> bool {
        let (namespace, mut at) = (csv.namespace.as_str(), csv.name.as_str());
        let mut seen = BTreeSet::from([at]);
        while let Some(next) = self.replacements.get(&(namespace, at)) {
            at = &next.name;
            if !seen.insert(at) {
                return false;
            }
        }
        at != csv.name
    }

    /// Whether it is replacing an older one.
    fn is_replacing(&self, csv: &ClusterServiceVersion) -> bool {
        self.going.contains(&(csv.namespace.as_str(), csv.replaces.as_str()))
    }
}

/// The installed operators.
pub(super) struct Inventory {
    pub(super) operators: Vec<Operator>,
    pub(super) unknowns: Vec<Unknown>,
}

impl Inventory {
    pub(super) fn new(question: &PlanQuestion<'_>) -> Self {
        let mut inventory = Self { operators: Vec::new(), unknowns: Vec::new() };
        let sources = families_of(question);
        inventory.csvs(question, &sources);
        inventory.extensions(question, &sources);
        inventory.without_csv(question);
        inventory.operators.sort_by(|a, b| {
            let key = |it: &Operator| (it.namespace.clone(), it.package.clone(), it.name.clone(), it.installed.clone());
            key(a).cmp(&key(b))
        });
        inventory
    }

    fn csvs(&mut self, question: &PlanQuestion<'_>, sources: &CatalogSources) {
        let scope = InventoryScope::new(question);
        // The newest one in a chain of updates counts.
        for csv in scope.csvs.iter().filter(|csv| !scope.is_replaced(csv)) {
            self.csv(question, sources, &scope, csv);
        }
    }

    fn csv(
        &mut self,
        question: &PlanQuestion<'_>,
        sources: &CatalogSources,
        scope: &InventoryScope<'_>,
        csv: &ClusterServiceVersion,
    ) {
        let cluster = question.cluster;
        let subscriptions = scope.subscriptions(csv);
        let subscription = subscriptions.first().copied();
        let (package, package_is_guessed) = package_of(csv, subscription);
        let subject = format!("{}/{package}", csv.namespace);
        self.doubts(csv, &package, &subscriptions, cluster.subscriptions.is_empty());
        let source = subscription.map(|it| format!("{}/{}", it.source_namespace, it.source)).unwrap_or_default();
        let family = subscription.and_then(|it| sources.family(&it.source_namespace, &it.source));
        let families: Vec<String> = family.into_iter().collect();
        if subscription.is_some() && families.is_empty() {
            let text = unknown_words(sources, "CatalogSource", &source);
            let unknown = Unknown::new(Code::SourceUnknown, Some(subject), None, text);
            self.unknowns.push(Unknown { source: Some(source.clone()), ..unknown });
        }
        let mut conditions = cluster.operator_conditions.iter();
        let condition = conditions.find(|it| it.namespace == csv.namespace && it.name == csv.name);
        let refusal = condition.and_then(|it| it.refusal());
        let pending = subscription.and_then(|it| cluster.waiting_plan(it));
        let subject = subscription.map_or(&csv.name, |it| &it.name);
        let obstacle = first_obstacle(&question.namespaces, &csv.namespace, subject);
        self.operators.push(Operator {
            namespace: Some(csv.namespace.clone()),
            package_is_guessed,
            name: subscription.map(|it| it.name.clone()).unwrap_or_default(),
            channels: subscription.map(Subscription::channels).unwrap_or_default(),
            source,
            families,
            is_managed: subscription.is_some(),
            lacks_subscriptions: cluster.subscriptions.is_empty(),
            is_manual: scope.manual.contains(csv.namespace.as_str()),
            own_max: Some(csv.max_openshift_versions()),
            min_kube_version: csv.min_kube_version.clone(),
            phase: csv.phase.clone(),
            message: csv.message.clone(),
            in_flight: scope.is_replacing(csv).then(|| csv.name.clone()),
            refusal: refusal.map(|it| it.message.clone()),
            pending: pending.map(|it| (it.name.clone(), it.csvs.clone())),
            unresolved: subscription.and_then(Subscription::failed_resolution).map(|it| it.message.clone()),
            next: next_bundle(&question.namespaces, &csv.namespace, subject)
                .map(|next| (next.to_owned(), question.present_catalogs())),
            obstacle: obstacle.cloned(),
            place: csv.place.to_string(),
            ..Operator::new(Olm::Classic, &package, &csv.name, &csv.known_version())
        });
    }

    /// Adds the doubts about the Subscriptions of an operator.
    fn doubts(
        &mut self,
        csv: &ClusterServiceVersion,
        package: &str,
        subscriptions: &[&Subscription],
        lacks_subscriptions: bool,
    ) {
        let subject = format!("{}/{package}", csv.namespace);
        if let Some(own) = package_stated(csv).filter(|it| *it != package) {
            let text = format!(
                "the Subscription is to `{package}`, but {} states the package `{own}`; olmdex follows the \
                Subscription",
                csv.name
            );
            self.unknowns.push(Unknown::new(Code::PackageContradicts, Some(subject.clone()), None, text));
        }
        if subscriptions.len() > 1 {
            let names: Vec<&str> = subscriptions.iter().map(|it| it.name.as_str()).collect();
            let text = format!("the Subscriptions {} are all to `{package}`; OLM expects only one", names.join(", "));
            self.unknowns.push(Unknown::new(Code::SubscriptionTwice, Some(subject), None, text));
        }
        if subscriptions.is_empty() {
            let (code, text) = match lacks_subscriptions {
                true => (
                    Code::SubscriptionsMissing,
                    "the input has no Subscriptions, so it is not known which one has installed it",
                ),
                false => (Code::NoSubscription, "no Subscription has installed it, so it gets no updates"),
            };
            let subject = format!("{}/{}", csv.namespace, csv.name);
            self.unknowns.push(Unknown::new(code, Some(subject), None, text.to_owned()));
        }
    }

    /// Subscriptions whose ClusterServiceVersion was not given: half of the facts are missing.
    fn without_csv(&mut self, question: &PlanQuestion<'_>) {
        let cluster = question.cluster;
        // A copy is not an installation.
        let known: BTreeSet<(&str, &str)> =
            cluster.own_csvs().map(|it| (it.namespace.as_str(), it.name.as_str())).collect();
        let is_in_scope = |namespace: &String| question.scope.is_empty() || question.scope.contains(namespace);
        for it in cluster.subscriptions.iter().filter(|it| is_in_scope(&it.namespace)) {
            let subject = Some(format!("{}/{}", it.namespace, it.package));
            let mut installed = [&it.installed, &it.current].into_iter().filter(|it| !it.is_empty());
            let has_csv = installed.clone().any(|name| known.contains(&(it.namespace.as_str(), name.as_str())));
            match installed.next() {
                _ if has_csv => {}
                Some(name) => {
                    let text = format!(
                        "the Subscription {} names {name}, but the input lacks its ClusterServiceVersion",
                        it.name
                    );
                    self.unknowns.push(Unknown::new(Code::CsvMissing, subject, None, text));
                }
                None => {
                    let text = format!("the Subscription {} has installed nothing", it.name);
                    self.unknowns.push(Unknown::new(Code::NotInstalled, subject, None, text));
                }
            }
        }
    }

    fn extensions(&mut self, question: &PlanQuestion<'_>, sources: &CatalogSources) {
        // A ClusterExtension belongs to no namespace.
        for it in question.cluster.extensions.iter().filter(|_| question.scope.is_empty()) {
            let Some(BundleStatus { name: installed, version, release }) = &it.installed else {
                let text = "this ClusterExtension has installed nothing".to_owned();
                self.unknowns.push(Unknown::new(Code::NotInstalled, Some(it.name.clone()), None, text));
                continue;
            };
            let named = it.named_catalog();
            let served = served(sources, question.cluster, it);
            let families: Vec<String> = match named {
                _ if !served.is_empty() => served.iter().filter_map(|it| it.catalog.clone()).collect(),
                Some(catalog) => sources.family("", catalog).into_iter().collect(),
                // OLM v1 searches all catalogs.
                None => sources.units().into_iter().map(str::to_owned).collect(),
            };
            let source = named.unwrap_or_default().to_owned();
            if families.is_empty() {
                let text = unknown_words(sources, "ClusterCatalog", &source);
                let unknown = Unknown::new(Code::SourceUnknown, Some(it.name.clone()), None, text);
                self.unknowns.push(Unknown { source: Some(source.clone()), ..unknown });
            }
            let retrying = it
                .conditions
                .iter()
                .find(|it| it.kind == "Progressing" && matches!(it.reason.as_str(), "Retrying" | "Blocked"));
            self.operators.push(Operator {
                name: it.name.clone(),
                channels: it.channels.clone(),
                range: it.version.clone(),
                installation: Installation {
                    gates: question.gates,
                    config: it.config.clone(),
                    namespace: it.namespace.clone(),
                },
                source,
                families,
                served,
                release: release.clone(),
                unresolved: retrying.map(|it| it.message.clone()),
                obstacle: of_extension(question.cluster, it, None).into_iter().find(Obstacle::is_now),
                place: it.place.to_string(),
                ..Operator::new(Olm::V1, &it.package, installed, version)
            });
        }
    }
}

/// The package of a ClusterServiceVersion, and whether it is a guess.
fn package_of(csv: &ClusterServiceVersion, subscription: Option<&Subscription>) -> (String, bool) {
    if let Some(subscription) = subscription.filter(|it| !it.package.is_empty()) {
        return (subscription.package.clone(), false);
    }
    match package_stated(csv) {
        Some(package) => (package, false),
        None => (csv.name.split(".v").next().unwrap_or_default().to_owned(), true),
    }
}

/// The package that a ClusterServiceVersion states.
fn package_stated(csv: &ClusterServiceVersion) -> Option<String> {
    csv.properties.iter().flatten().filter(|it| &*it.kind == "olm.package").find_map(|it| {
        let mut reader = json::Reader::new();
        let value = reader.read(&it.value).ok()?;
        Some(value.get("packageName")?.as_str()?.into_owned())
    })
}

/// The families of catalogs that the sources of a cluster mean. Images in the map tie no name.
fn families_of(question: &PlanQuestion<'_>) -> CatalogSources {
    let catalogs = question.catalogs.iter().map(|it| (it.catalog.clone(), Some((it.family.clone(), it.minor))));
    let is_free = question.source_map.iter().all(|(source, _)| has_tag_or_digest(source));
    CatalogSources::of(question.source_map.clone(), catalogs.collect(), question.cluster, None, is_free)
}

/// Reports that a source is none of the families, with a list of those.
fn unknown_words(sources: &CatalogSources, kind: &str, source: &str) -> String {
    let (known, name) = (sources.known_words(), source.rsplit('/').next().unwrap_or_default());
    format!(
        "no catalog is tied to the {kind} {source}{known}; tie one: `-i MINOR/{name}=SOURCE`, or `--source-map \
        {source}=CATALOG`"
    )
}

/// The ClusterCatalogs that OLM v1 asks for a ClusterExtension, each with its family; none if the manifests do not
/// tell, or a ClusterCatalog that it asks has no known family.
fn served(sources: &CatalogSources, cluster: &Cluster, extension: &ClusterExtension) -> Vec<ServedCatalog> {
    let asked = sources.served(cluster, extension);
    let is_known = |it: &ServedCatalog| it.catalog.is_some() || it.state == CatalogState::Unavailable;
    if asked.iter().all(is_known) && asked.iter().any(|it| it.catalog.is_some()) { asked } else { Vec::new() }
}
