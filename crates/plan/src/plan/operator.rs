//! An installed operator, with the Subscription or ClusterExtension that manages it.

use olmdex_olm::namespace::Obstacle;
use olmdex_olm::upgrade::Olm;
use olmdex_olm::upgrade::v1::{Installation, ServedCatalog};

/// An installed operator.
#[derive(Debug, Clone, Default)]
pub(super) struct Operator {
    /// `None` for a ClusterExtension.
    pub(super) namespace: Option<String>,
    pub(super) package: String,
    pub(super) package_is_guessed: bool,
    /// The name of the Subscription or ClusterExtension; empty without one.
    pub(super) name: String,
    pub(super) installed: String,
    pub(super) version: String,
    /// Its release, if the cluster records one apart from the version.
    pub(super) release: Option<String>,
    pub(super) olm: Olm,
    pub(super) channels: Vec<String>,
    /// The range of versions of a ClusterExtension.
    pub(super) range: String,
    /// How a ClusterExtension installs.
    pub(super) installation: Installation,
    /// `NAMESPACE/NAME` of the CatalogSource, or empty.
    pub(super) source: String,
    /// The families of catalogs that it follows; empty if they are not known.
    pub(super) families: Vec<String>,
    /// The ClusterCatalogs that OLM v1 asks, each with its family; empty if they are not known.
    pub(super) served: Vec<ServedCatalog>,
    pub(super) is_managed: bool,
    /// Whether the input has no Subscriptions, so that it is not known which one manages it.
    pub(super) lacks_subscriptions: bool,
    /// Whether InstallPlans of its namespace must be approved.
    pub(super) is_manual: bool,
    /// The highest OpenShift version, as the installed bundle states it on the cluster.
    pub(super) own_max: Option<Result<Vec<String>, String>>,
    pub(super) min_kube_version: String,
    pub(super) phase: String,
    pub(super) message: String,
    /// A newer bundle that is being installed.
    pub(super) in_flight: Option<String>,
    /// Why the operator itself refuses updates.
    pub(super) refusal: Option<String>,
    /// The waiting InstallPlan, and its bundles.
    pub(super) pending: Option<(String, Vec<String>)>,
    /// The reason why OLM v1 does not go on.
    pub(super) unresolved: Option<String>,
    /// The bundle that OLM Classic installs next, if the whole namespace was resolved, and the catalogs of that
    /// resolution.
    pub(super) next: Option<(String, Vec<String>)>,
    /// The first obstacle between it and its next version in its namespace.
    pub(super) obstacle: Option<Obstacle>,
    pub(super) place: String,
}

impl Operator {
    /// An installed operator without other known facts, in a normal subscription: managed under the name of its
    /// package, with automatic updates, and healthy.
    pub(super) fn new(olm: Olm, package: &str, installed: &str, version: &str) -> Self {
        Self {
            namespace: (olm == Olm::Classic).then(String::new),
            package: package.to_owned(),
            name: package.to_owned(),
            installed: installed.to_owned(),
            version: version.to_owned(),
            olm,
            is_managed: true,
            ..Self::default()
        }
    }

    /// The name of the operator in steps and blockers.
    pub(super) fn subject(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.package),
            None => self.name.clone(),
        }
    }
}
