//! The properties of installed operators that OLM v1 looks at, and the dependencies between the operators.

use std::collections::BTreeSet;

use super::bundle::BundleTraits;
use olmdex_base::diag::Place;
use olmdex_fbc::{Api, Property};
use olmdex_index::query::{InstallModes, KnownCsv, Obstacles, V1Bundle};
use olmdex_rules::cluster::{Cluster, ClusterServiceVersion, Subscription};
use olmdex_version::version_in_name;

/// The operators that a cluster's Subscriptions have installed.
pub struct InstalledOperators<'c> {
    all: Vec<Installed<'c>>,
}

struct Installed<'c> {
    subscription: &'c Subscription,
    csv: &'c ClusterServiceVersion,
    dependencies: Dependencies,
}

/// The requirements of an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Dependencies {
    /// The requirements, in words.
    words: Vec<String>,
    packages: Vec<String>,
    apis: Vec<Api>,
}

impl<'c> InstalledOperators<'c> {
    /// The operators of a cluster.
    pub fn of(cluster: &'c Cluster) -> Self {
        let installed = |subscription: &'c Subscription| {
            let csv = cluster.installed_by(subscription)?;
            Some(Installed { subscription, csv, dependencies: dependencies_of(csv).unwrap_or_default() })
        };
        Self { all: cluster.subscriptions.iter().filter_map(installed).collect() }
    }

    fn find(&self, subscription: &Subscription) -> Option<&Installed<'c>> {
        self.all.iter().find(|it| std::ptr::eq(it.subscription, subscription))
    }

    /// The version that a Subscription has installed, or empty.
    pub fn version_of(&self, subscription: &Subscription, in_catalog: Option<&V1Bundle>) -> String {
        let of_csv = self.find(subscription).map(|it| it.csv.version.clone()).filter(|it| !it.is_empty());
        let of_catalog = || in_catalog.map(|it| it.version.clone()).filter(|it| !it.is_empty());
        let in_name = || version_in_name(&subscription.installed).map(|it| it.to_string());
        of_csv.or_else(of_catalog).or_else(in_name).unwrap_or_default()
    }

    /// The traits of the bundle that a Subscription has installed.
    pub fn traits_of(&self, subscription: &Subscription, in_catalog: Option<&V1Bundle>) -> BundleTraits {
        let of_catalog = in_catalog.map(BundleTraits::from).unwrap_or_default();
        let Some(Installed { csv, .. }) = self.find(subscription) else {
            return BundleTraits { name: subscription.installed.clone(), ..of_catalog };
        };
        let place: Option<Place> = Some(csv.place.clone());
        let own = obstacles_of(csv);
        let (obstacles, from_csv) = match own.known >= of_catalog.obstacles.known {
            true => (own, true),
            false => (of_catalog.obstacles, false),
        };
        let modes = InstallModes::of_stated(&csv.install_modes);
        let dependencies = dependencies_of(csv);
        let depends_on = match &dependencies {
            Some(it) => self.providers_of(it),
            None => of_catalog.depends_on,
        };
        BundleTraits {
            name: csv.name.clone(),
            place: if from_csv || modes.is_some() { place.clone() } else { of_catalog.place },
            install_modes: modes.or(of_catalog.install_modes),
            obstacles,
            dependency_place: dependencies.as_ref().and(place),
            dependencies: dependencies.map(|it| it.words).or(of_catalog.dependencies),
            depends_on,
        }
    }

    /// The packages that meet the requirements of an operator: those that it names, and those whose operators own the
    /// APIs.
    fn providers_of(&self, dependencies: &Dependencies) -> Vec<String> {
        let owners = self.all.iter().filter(|it| dependencies.apis.iter().any(|api| it.csv.owned.contains(api)));
        let owners = owners.map(|it| it.subscription.package.clone());
        let packages: BTreeSet<String> = dependencies.packages.iter().cloned().chain(owners).collect();
        packages.into_iter().collect()
    }

    /// The Subscriptions whose operators depend on the bundle that this one has installed, as `NAMESPACE/NAME`.
    pub fn dependents_of(&self, subscription: &Subscription) -> Vec<String> {
        let Some(own) = self.find(subscription) else { return Vec::new() };
        let needs_it = |it: &&Installed<'_>| {
            !std::ptr::eq(it.subscription, subscription)
                && (it.dependencies.packages.contains(&subscription.package)
                    || it.dependencies.apis.iter().any(|api| own.csv.owned.contains(api)))
        };
        self.all.iter().filter(needs_it).map(|it| it.subscription.id()).collect()
    }
}

/// The obstacles that a ClusterServiceVersion states. Manifests may be cut down to a part of the object, so the answer
/// says how much of it is known.
fn obstacles_of(csv: &ClusterServiceVersion) -> Obstacles {
    let known = match (&csv.olm_access, csv.install_modes.is_empty()) {
        (Some(_), _) => KnownCsv::Whole,
        (None, false) => KnownCsv::Metadata,
        (None, true) => KnownCsv::Nothing,
    };
    Obstacles {
        api_services: csv.owned_services.iter().map(ToString::to_string).collect(),
        webhooks: csv.webhooks.clone(),
        olm_access: csv.olm_access.iter().flatten().map(|it| (*it).to_owned()).collect(),
        known,
    }
}

/// The requirements of an operator; `None` if its object does not state them.
fn dependencies_of(csv: &ClusterServiceVersion) -> Option<Dependencies> {
    if csv.failure.is_some() {
        return None;
    }
    let mut found = Dependencies::default();
    match &csv.properties {
        Some(properties) => properties.iter().for_each(|it| found.add(it)),
        None => found.apis.clone_from(&csv.required),
    }
    if csv.properties.is_none() && csv.required.is_empty() && csv.olm_access.is_none() {
        return None;
    }
    found.words.extend(found.apis.iter().map(|it| format!("API {it}")));
    Some(found)
}

impl Dependencies {
    fn add(&mut self, property: &Property) {
        let value: serde_json::Value = serde_json::from_str(&property.value).unwrap_or_default();
        let text = |key: &str| value.get(key).and_then(|it| it.as_str()).unwrap_or_default().to_owned();
        match &*property.kind {
            "olm.package.required" => {
                self.words
                    .push(format!("package {} {}", text("packageName"), text("versionRange")).trim_end().to_owned());
                self.packages.push(text("packageName"));
            }
            "olm.gvk.required" => {
                self.apis.push(Api { group: text("group"), version: text("version"), kind: text("kind") });
            }
            "olm.constraint" => self.words.push("an olm.constraint".to_owned()),
            _ => {}
        }
    }
}
