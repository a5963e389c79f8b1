//! The operators that a cluster has, as its own objects state it: no catalog is needed.

use std::collections::{BTreeMap, BTreeSet};

use super::bundle::Target;
use super::catalog::Catalogs;
use super::error::AskError;
use super::mirror_catalog::MirrorCatalog;
use super::question::State;
use olmdex_index::query::{BundlePlace, Filter};
use olmdex_index::{IndexError, LightIndex};
use olmdex_olm::catalog_source::CatalogSources;
use olmdex_rules::cluster::{BundleStatus, Cluster, ClusterExtension, ClusterServiceVersion, Condition, Subscription};
use olmdex_rules::openshift::coerce;
use olmdex_version::version_in_name;
use schemars::JsonSchema;
use serde::Serialize;

use olmdex_base::olm::Olm;

/// An operator of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstalledOperator {
    /// Which OLM manages it.
    pub olm: Olm,
    /// The namespace; for a ClusterExtension that of its objects.
    pub namespace: String,
    /// The name of its Subscription or ClusterExtension; empty for a ClusterServiceVersion without one.
    pub name: String,
    /// The package; empty if no object states it.
    pub package: String,
    /// The installed bundle; empty if nothing is installed yet.
    pub bundle: String,
    /// Its version; empty if it is not known.
    pub version: String,
    /// Its release; empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub release: String,
    /// The channels; empty if any will do.
    pub channels: Vec<String>,
    /// `Automatic` or `Manual`; empty without a Subscription, or if it is not known.
    pub approval: &'static str,
    /// The range of versions that a ClusterExtension asks for; empty for any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub range: String,
    /// The CatalogSource as `NAMESPACE/NAME`, or the ClusterCatalog; empty if none is named.
    pub source: String,
    /// Its state in the words of its objects: the phase of its ClusterServiceVersion, or why there is no change.
    pub state: String,
    /// The InstallPlan that waits for an approval; empty if none does.
    pub waits_for: String,
    /// The version of the head of its channel, in the catalog that its source is; empty if no catalog was asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub newest: String,
    /// The deprecations in that catalog, or why it is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl InstalledOperator {
    /// The object that asks for it, in words.
    pub(crate) fn whose(&self) -> String {
        match self.olm {
            Olm::Classic => format!("Subscription {}/{}", self.namespace, self.name),
            Olm::V1 => format!("ClusterExtension {}", self.name),
        }
    }
}

/// The operators of a cluster: those of Subscriptions, those without one, then the ClusterExtensions, each by name.
pub fn installed_operators(cluster: &Cluster) -> Vec<InstalledOperator> {
    let of_subscriptions = cluster.subscriptions.iter().map(|subscription| of_subscription(cluster, subscription));
    // A Subscription names the old one until the new one is ready.
    let is_current = |csv: &ClusterServiceVersion| {
        cluster.subscriptions.iter().any(|it| it.namespace == csv.namespace && it.current == csv.name)
    };
    let is_alone = |csv: &&ClusterServiceVersion| cluster.subscription_of(csv).is_none() && !is_current(csv);
    let alone = cluster.own_csvs().filter(is_alone).map(of_csv);
    let of_extensions = cluster.extensions.iter().map(of_extension);
    let mut all: Vec<_> = of_subscriptions.chain(alone).chain(of_extensions).collect();
    all.sort_by(|a, b| (a.olm, &a.namespace, &a.name, &a.bundle).cmp(&(b.olm, &b.namespace, &b.name, &b.bundle)));
    all
}

/// The images of each installed operator of a cluster, by the operator in words; `None` if no catalog has its bundle.
///
/// # Errors
/// If an index is damaged.
pub fn images_of_installed(
    cluster: &Cluster,
    catalogs: &[MirrorCatalog],
) -> Result<BTreeMap<String, Option<BTreeSet<String>>>, IndexError> {
    let operators: Vec<_> = installed_operators(cluster).into_iter().filter(|it| !it.bundle.is_empty()).collect();
    let bundles: BTreeSet<String> = operators.iter().map(|operator| operator.bundle.clone()).collect();
    let mut images: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for catalog in catalogs {
        for (bundle, found) in catalog.images_of(&bundles)? {
            images.entry(bundle).or_default().extend(found);
        }
    }
    let who = |operator: &InstalledOperator| match operator.name.as_str() {
        "" => format!("ClusterServiceVersion {}/{}", operator.namespace, operator.bundle),
        _ => format!("{} ({})", operator.whose(), operator.bundle),
    };
    Ok(operators.iter().map(|operator| (who(operator), images.get(&operator.bundle).cloned())).collect())
}

/// The installed operators of a cluster, with their bundles.
#[derive(Debug, Default)]
pub(crate) struct PlacedOperators {
    pub(crate) operators: Vec<(InstalledOperator, BundlePlace)>,
    /// Why others have no bundle in the catalogs.
    pub(crate) faults: Vec<AskError>,
}

impl PlacedOperators {
    /// Looks each up in the catalog that its source is; in these catalogs, if any are named.
    ///
    /// # Errors
    /// [`AskError::NothingInstalledThere`], or if the index cannot be read.
    pub(crate) fn find(
        state: &State<'_, LightIndex>,
        cluster: &Cluster,
        catalogs: &[String],
    ) -> Result<Self, AskError> {
        let ranks = state.index.catalog_ranks(&Filter { catalogs: catalogs.to_vec(), ..Filter::default() })?;
        let sources = state.sources(&ranks, cluster)?;
        let mut installed = installed_operators(cluster);
        installed.retain(|operator| !operator.bundle.is_empty());
        if installed.is_empty() {
            return Err(AskError::NothingInstalledThere);
        }
        // Without a source, the catalogs of the cluster's version count.
        let all: Catalogs = ranks.iter().collect();
        let present = coerce(&cluster.openshift).and_then(|it| all.of_cluster(it));
        let (mut operators, mut faults) = (Vec::new(), BTreeSet::new());
        for operator in installed {
            match place_of(state.index, &sources, &operator, catalogs, present.as_deref())? {
                Ok(place) => operators.push((operator, place)),
                // The same bundle may be installed in many namespaces.
                Err(fault) => {
                    faults.insert(fault);
                }
            }
        }
        Ok(Self { operators, faults: faults.into_iter().map(AskError::Unplaced).collect() })
    }
}

/// The bundle that an installed operator is, or the reason why no catalog is known to have it.
fn place_of(
    index: &LightIndex,
    sources: &CatalogSources,
    operator: &InstalledOperator,
    catalogs: &[String],
    present: Option<&[String]>,
) -> Result<Result<BundlePlace, String>, AskError> {
    let InstalledOperator { package, bundle, source, .. } = operator;
    let own = if catalogs.is_empty() && !source.is_empty() {
        let (namespace, name) = source.rsplit_once('/').unwrap_or(("", source));
        match sources.catalog(namespace, name) {
            Some(catalog) => vec![catalog],
            None => return Ok(Err(format!("`{bundle}` {}", sources.unknown_words(namespace, name)))),
        }
    } else {
        catalogs.to_vec()
    };
    let mut packages = index.packages_of_bundle(bundle)?;
    let at = packages.iter().position(|found| found == package).unwrap_or_default();
    if packages.is_empty() {
        return Ok(Err(format!("no catalog has the installed `{bundle}`")));
    }
    let target = Target { package: packages.swap_remove(at), bundle: bundle.clone() };
    let found = match present.filter(|_| own.is_empty()) {
        Some(present) => target.catalog(index, present)?,
        None => None,
    };
    let found = found.map_or_else(|| target.catalog(index, &own), |catalog| Ok(Some(catalog)))?;
    Ok(found.map(|catalog| (catalog, target.package, target.bundle)).ok_or_else(|| {
        let although = if catalogs.is_empty() { ", although it is installed from that catalog" } else { "" };
        format!("`{}` does not have `{bundle}`{although}", own.join(", "))
    }))
}

fn of_subscription(cluster: &Cluster, subscription: &Subscription) -> InstalledOperator {
    let csv = cluster.installed_by(subscription);
    let waiting = cluster.waiting_plan(subscription);
    InstalledOperator {
        olm: Olm::Classic,
        namespace: subscription.namespace.clone(),
        name: subscription.name.clone(),
        package: subscription.package.clone(),
        version: version_of(&subscription.installed, csv),
        bundle: subscription.installed.clone(),
        channels: subscription.channels(),
        // The input may have no more of it than that it is there.
        approval: match subscription.is_manual {
            true => "Manual",
            false if subscription.spec.is_empty() => "",
            false => "Automatic",
        },
        source: match subscription.source_namespace.as_str() {
            "" => subscription.source.clone(),
            namespace => format!("{namespace}/{}", subscription.source),
        },
        state: match (waiting, csv) {
            (Some(plan), _) => {
                format!("waits for an approval of {}: {}", plan.name, plan.csvs.join(", "))
            }
            _ if subscription.failed_resolution().is_some() => "ResolutionFailed".to_owned(),
            (_, Some(csv)) if !matches!(csv.phase.as_str(), "" | "Succeeded") => csv_state(csv),
            _ if !matches!(subscription.state.as_str(), "" | "AtLatestKnown") => subscription.state.clone(),
            (_, Some(csv)) => csv.phase.clone(),
            (None, None) => String::new(),
        },
        waits_for: waiting.map(|plan| plan.name.clone()).unwrap_or_default(),
        ..InstalledOperator::default()
    }
}

fn of_csv(csv: &ClusterServiceVersion) -> InstalledOperator {
    let phase = csv_state(csv);
    InstalledOperator {
        olm: Olm::Classic,
        namespace: csv.namespace.clone(),
        version: version_of(&csv.name, Some(csv)),
        bundle: csv.name.clone(),
        state: if phase.is_empty() { "no Subscription".to_owned() } else { format!("{phase}, no Subscription") },
        ..InstalledOperator::default()
    }
}

fn of_extension(extension: &ClusterExtension) -> InstalledOperator {
    let BundleStatus { name: bundle, version, release } = extension.installed.clone().unwrap_or_default();
    // `Progressing` names what keeps it from the wanted state; an installed one without is at rest.
    let unsettled = ["Installed", "Progressing"].iter().find_map(|kind| {
        let condition = Condition::find(&extension.conditions, kind)?;
        let is_settled = condition.status == "True" && matches!(condition.reason.as_str(), "Succeeded" | "");
        (!is_settled).then(|| condition.reason.clone())
    });
    InstalledOperator {
        olm: Olm::V1,
        namespace: extension.namespace.clone(),
        name: extension.name.clone(),
        package: extension.package.clone(),
        version: if version.is_empty() { version_of(&bundle, None) } else { version },
        release: release.unwrap_or_default(),
        state: match unsettled {
            Some(reason) => reason,
            None if bundle.is_empty() => String::new(),
            None => "Installed".to_owned(),
        },
        bundle,
        channels: extension.channels.clone(),
        range: extension.version.clone(),
        source: extension.named_catalog().unwrap_or_default().to_owned(),
        ..InstalledOperator::default()
    }
}

/// The phase of a ClusterServiceVersion, with its message if something is wrong.
fn csv_state(csv: &ClusterServiceVersion) -> String {
    match csv.message.as_str() {
        message if csv.phase == "Failed" && !message.is_empty() => format!("{}: {message}", csv.phase),
        _ => csv.phase.clone(),
    }
}

/// The version that the cluster states, or that the name of the bundle has.
pub(crate) fn version_of(bundle: &str, csv: Option<&ClusterServiceVersion>) -> String {
    let in_name = || version_in_name(bundle).map(|version| version.to_string()).unwrap_or_default();
    csv.map_or_else(in_name, ClusterServiceVersion::known_version)
}
