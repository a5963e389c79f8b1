//! The objects that replace Subscriptions, OperatorGroups and CatalogSources (`docs/behaviour/olm-v1.md` 7.3, 7.4), and
//! their order.

use std::collections::{BTreeMap, BTreeSet};

use super::condition::Acknowledgement;
use super::subscription::source;
use olmdex_rules::cluster::{CatalogSource, Cluster, MIGRATED_FROM, Subscription};
use serde_json::{Map, Value};

const PREFIX: &str = "olm.operatorframework.io/";

/// A Subscription that moves, with the facts that its objects do not state.
#[derive(Debug, Clone)]
pub struct Ready<'c> {
    /// The Subscription.
    pub subscription: &'c Subscription,
    /// The version that is installed, or empty.
    pub version: String,
    /// The default channel of its package, if that is known.
    pub default_channel: Option<String>,
    /// The acknowledgements for it.
    pub acknowledged: Vec<Acknowledgement>,
    /// Whether other operators depend on it.
    pub has_dependents: bool,
    /// Whether it has webhooks.
    pub has_webhooks: bool,
    /// The only namespace that it goes on watching; `None` if it will watch all.
    pub watch_namespace: Option<String>,
}

/// A ClusterCatalog that serves the content of CatalogSources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogConversion {
    /// Its name.
    pub name: String,
    /// Its image.
    pub image: String,
    /// How often the image is looked up, in minutes.
    pub poll_minutes: Option<u64>,
    /// Its priority.
    pub priority: i32,
    /// Whether the cluster has it already.
    pub is_adopted: bool,
    /// The CatalogSources, as `NAMESPACE/NAME`.
    pub sources: Vec<String>,
}

/// A ClusterExtension that replaces a Subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionConversion {
    /// Its name.
    pub name: String,
    /// The namespace that it installs to.
    pub namespace: String,
    /// The package.
    pub package: String,
    /// The channel, if it is known.
    pub channel: Option<String>,
    /// The version that it is pinned to, if it is.
    pub version: Option<String>,
    /// The ClusterCatalog.
    pub catalog: String,
    /// The fields of `spec.config.inline`, each as JSON.
    pub config: BTreeMap<&'static str, String>,
    /// Its annotations.
    pub annotations: BTreeMap<String, String>,
    /// The Subscription, as `NAMESPACE/NAME`.
    pub subscription: String,
    /// The bundle that is installed.
    pub installed: String,
    /// The acknowledgements for it.
    pub acknowledged: Vec<Acknowledgement>,
    /// Whether the operator gets new certificates and starts again.
    pub has_webhooks: bool,
    /// `spec` of the Subscription that goes back to OLM Classic, as JSON: it starts from the installed bundle.
    pub way_back: String,
    /// The OperatorGroups of the namespace that are not needed once this Subscription has moved.
    pub groups: Vec<String>,
}

/// The objects that replace Subscriptions, in the order in which they are made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversion {
    /// The ClusterCatalogs.
    pub catalogs: Vec<CatalogConversion>,
    /// The ClusterExtensions.
    pub extensions: Vec<ExtensionConversion>,
    /// The losses, and the points that are not certain.
    pub warnings: Vec<String>,
}

/// Converts the Subscriptions that are ready, with their CatalogSources.
pub fn convert(cluster: &Cluster, ready: &[Ready<'_>]) -> Conversion {
    let mut conversion = Conversion::default();
    let mut ready: Vec<&Ready<'_>> = ready.iter().collect();
    // Operators that others need stay until the end: until then OLM Classic resolves the others with them.
    ready.sort_by_key(|it| (it.has_dependents, &it.subscription.namespace, &it.subscription.name));
    let names = catalog_names(cluster);
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for (at, it) in ready.iter().enumerate() {
        let subscription = it.subscription;
        let Some(source) = source(cluster, &subscription.source_namespace, &subscription.source) else { continue };
        let catalog = conversion.take_catalog(cluster, source, &names);
        let mut name = subscription.name.clone();
        if !taken.insert(name.clone()) {
            name = format!("{name}-{}", subscription.namespace);
            conversion.warnings.push(format!(
                "several Subscriptions are called {}: that of namespace {} becomes ClusterExtension {name}",
                subscription.name, subscription.namespace
            ));
            taken.insert(name.clone());
        }
        if cluster.extensions.iter().any(|it| it.name == name) {
            conversion.warnings.push(format!("the cluster has a ClusterExtension {name} already"));
        }
        // An OperatorGroup is removed with the last Subscription of its namespace, if no other one stays.
        let namespace = &subscription.namespace;
        let is_moving = |it: &Subscription| {
            ready.iter().any(|one| one.subscription.name == it.name && one.subscription.namespace == it.namespace)
        };
        let is_last = ready[at + 1..].iter().all(|it| it.subscription.namespace != *namespace)
            && cluster.subscriptions.iter().filter(|it| it.namespace == *namespace).all(is_moving);
        let extension = extension(cluster, it, name, catalog, is_last, &mut conversion.warnings);
        conversion.extensions.push(extension);
    }
    conversion
}

impl Conversion {
    /// The name of the ClusterCatalog for a CatalogSource; it is made once.
    fn take_catalog(&mut self, cluster: &Cluster, source: &CatalogSource, names: &Names<'_>) -> String {
        let shown = format!("{}/{}", source.namespace, source.name);
        let adopted = cluster.cluster_catalogs.iter().find(|it| it.image == source.image);
        let name = adopted.map_or_else(|| names.of(cluster, source), |it| it.name.clone());
        if let Some(known) = self.catalogs.iter_mut().find(|it| it.name == name) {
            if !known.sources.contains(&shown) {
                known.sources.push(shown);
            }
            return name;
        }
        for field in &source.without_place {
            self.warnings.push(format!("CatalogSource {shown}: a ClusterCatalog has no place for spec.{field}"));
        }
        let priority = i32::try_from(source.priority);
        if priority.is_err() {
            self.warnings.push(format!("CatalogSource {shown}: its priority {} is cut", source.priority));
        }
        let cut = if source.priority < 0 { i32::MIN } else { i32::MAX };
        // An image that is named by its digest does not change.
        let is_digest = source.image.contains('@');
        self.catalogs.push(CatalogConversion {
            name: name.clone(),
            image: source.image.clone(),
            poll_minutes: minutes(&source.poll_interval).filter(|_| !is_digest),
            priority: priority.unwrap_or(cut),
            is_adopted: adopted.is_some(),
            sources: vec![shown],
        });
        name
    }
}

/// The images that CatalogSources of one name have.
struct Names<'c>(BTreeMap<&'c str, BTreeSet<&'c str>>);

fn catalog_names(cluster: &Cluster) -> Names<'_> {
    let mut images: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for source in cluster.catalog_sources.iter().filter(|it| !it.image.is_empty()) {
        images.entry(&source.name).or_default().insert(&source.image);
    }
    Names(images)
}

impl Names<'_> {
    /// The name of a new ClusterCatalog.
    fn of(&self, cluster: &Cluster, source: &CatalogSource) -> String {
        let is_ambiguous = self.0.get(source.name.as_str()).is_some_and(|it| it.len() > 1);
        let is_taken = cluster.cluster_catalogs.iter().any(|it| it.name == source.name);
        if is_ambiguous || is_taken { format!("{}-{}", source.name, source.namespace) } else { source.name.clone() }
    }
}

fn extension(
    cluster: &Cluster,
    ready: &Ready<'_>,
    name: String,
    catalog: String,
    is_last: bool,
    warnings: &mut Vec<String>,
) -> ExtensionConversion {
    let subscription = ready.subscription;
    let shown = subscription.id();
    let channel =
        Some(subscription.channel.clone()).filter(|it| !it.is_empty()).or_else(|| ready.default_channel.clone());
    if channel.is_none() {
        warnings.push(format!(
            "Subscription {shown} has no channel, and the default channel of {} is not known: OLM v1 looks at all channels",
            subscription.package
        ));
    }
    let version = Some(ready.version.clone()).filter(|it| subscription.is_manual && !it.is_empty());
    if subscription.is_manual && version.is_none() {
        warnings.push(format!(
            "Subscription {shown} is Manual, and the version to pin is not known: OLM v1 upgrades by itself"
        ));
    }
    let mut config = BTreeMap::new();
    if let Some(deployment_config) = subscription.config.as_deref().and_then(without_selector) {
        config.insert("deploymentConfig", deployment_config);
        warnings.push(format!(
            "Subscription {shown} has spec.config: on OpenShift deploymentConfig needs the feature gate NewOLMConfigAPI"
        ));
    }
    if let Some(namespace) = &ready.watch_namespace {
        config.insert("watchNamespace", Value::String(namespace.clone()).to_string());
    }
    let groups: Vec<_> = cluster.operator_groups.iter().filter(|it| it.namespace == subscription.namespace).collect();
    for group in groups.iter().filter(|it| it.fails_forward) {
        warnings.push(format!(
            "OperatorGroup {}/{} sets upgradeStrategy TechPreviewUnsafeFailForward, which OLM v1 does not have",
            group.namespace, group.name
        ));
    }
    let mut annotations = BTreeMap::from([
        (MIGRATED_FROM.to_owned(), shown.clone()),
        (format!("{PREFIX}migration-subscription-backup"), subscription.spec.clone()),
    ]);
    if let Some(group) = groups.first() {
        annotations.insert(format!("{PREFIX}migration-operatorgroup-backup"), group.spec.clone());
    }
    for it in &ready.acknowledged {
        annotations.insert(format!("{PREFIX}acknowledged-{}", it.as_str()), "true".to_owned());
    }
    ExtensionConversion {
        name,
        namespace: subscription.namespace.clone(),
        package: subscription.package.clone(),
        channel,
        version,
        catalog,
        config,
        annotations,
        subscription: shown,
        installed: subscription.installed.clone(),
        acknowledged: ready.acknowledged.clone(),
        has_webhooks: ready.has_webhooks,
        way_back: way_back(subscription),
        groups: if is_last { groups.iter().map(|it| it.name.clone()).collect() } else { Vec::new() },
    }
}

/// `spec.config` without the parts that OLM Classic never looked at; `None` if nothing is left.
fn without_selector(config: &str) -> Option<String> {
    let mut fields: Map<String, Value> = serde_json::from_str(config).ok()?;
    fields.remove("selector");
    if fields.is_empty() { None } else { serde_json::to_string(&fields).ok() }
}

/// The `spec` with which a Subscription adopts the installed bundle.
fn way_back(subscription: &Subscription) -> String {
    let mut fields: Map<String, Value> = serde_json::from_str(&subscription.spec).unwrap_or_default();
    if !subscription.installed.is_empty() {
        fields.insert("startingCSV".to_owned(), Value::String(subscription.installed.clone()));
    }
    serde_json::to_string(&fields).unwrap_or_default()
}

/// The whole minutes of one of Go's durations, at least one; `None` if the text is not a duration, or if it is zero or
/// negative.
fn minutes(text: &str) -> Option<u64> {
    let mut seconds = 0.0;
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|it: char| !it.is_ascii_digit() && it != '.')?;
        let (number, after) = rest.split_at(end);
        let unit_end = after.find(|it: char| it.is_ascii_digit() || it == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let of_unit = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" | "μs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        seconds += number.parse::<f64>().ok()? * of_unit;
        rest = after;
    }
    // Nobody means a poll interval of centuries; the largest is the one that an int32 holds.
    let minutes = (seconds / 60.0).ceil();
    (seconds > 0.0 && minutes <= f64::from(i32::MAX)).then_some(minutes as u64)
}

#[cfg(test)]
mod tests {
    use super::minutes;

    #[test]
    fn durations_become_whole_minutes() {
        for (text, expected) in [
            ("10m", Some(10)),
            ("1h30m", Some(90)),
            ("1.5h", Some(90)),
            ("45s", Some(1)),
            ("61s", Some(2)),
            ("30m0s", Some(30)),
            ("0s", None),
            ("", None),
            ("10", None),
            ("m", None),
            ("-5m", None),
            ("10d", None),
            ("999999999999h", None),
        ] {
            assert_eq!(minutes(text), expected, "{text}");
        }
    }
}
