//! The conditions that a bundle meets by its own content, which comes from a catalog or from the ClusterServiceVersion
//! on a cluster.

use super::condition::{Condition, Met};
use crate::upgrade::v1::{Gates, Unsupported};
use olmdex_base::diag::Place;
use olmdex_index::query::{InstallModes, KnownCsv, Obstacles, V1Bundle};
use olmdex_rules::cluster::OperatorGroup;

/// The properties of a bundle that OLM v1 looks at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BundleTraits {
    /// Its name.
    pub name: String,
    /// The place where it is written.
    pub place: Option<Place>,
    /// The install modes that it states; `None` if it states none.
    pub install_modes: Option<InstallModes>,
    /// API services, webhooks and rights, and how much of them is known.
    pub obstacles: Obstacles,
    /// Its dependencies in words; `None` if they are not known.
    pub dependencies: Option<Vec<String>>,
    /// The place where the first of them is written.
    pub dependency_place: Option<Place>,
    /// The packages that meet them, sorted.
    pub depends_on: Vec<String>,
}

impl From<&V1Bundle> for BundleTraits {
    fn from(bundle: &V1Bundle) -> Self {
        let packages = bundle.required_packages.iter().map(|it| format!("package {} {}", it.package, it.range));
        let apis = bundle.required_apis.iter().map(|it| format!("API {it}"));
        let constraints = bundle.has_constraint.then(|| "an olm.constraint".to_owned());
        let mut depends_on: Vec<String> = bundle.required_packages.iter().map(|it| it.package.clone()).collect();
        depends_on.sort();
        depends_on.dedup();
        Self {
            name: bundle.name.clone(),
            place: Some(bundle.place.clone()),
            install_modes: bundle.install_modes,
            obstacles: bundle.obstacles.clone(),
            dependencies: Some(packages.chain(apis).map(|it| it.trim_end().to_owned()).chain(constraints).collect()),
            dependency_place: None,
            depends_on,
        }
    }
}

/// Conditions C1a, C2, C3 and C5. `renders_api_services` says that the target's operator-controller renders API
/// services.
pub fn of_bundle(bundle: &BundleTraits, gates: &Gates, renders_api_services: bool) -> Vec<Condition> {
    vec![
        all_namespaces(bundle, gates),
        dependencies(bundle),
        api_services(bundle, gates, renders_api_services),
        olm_access(bundle),
    ]
}

/// The only namespace that an operator can go on watching in OLM v1: the single target of its OperatorGroup, if a
/// feature gate and its install modes allow it (operator-controller's `registryv1.go`).
pub fn watch_namespace(group: Option<&OperatorGroup>, bundle: &BundleTraits, gates: &Gates) -> Option<String> {
    let group = group?;
    let [target] = group.target_namespaces.as_slice() else { return None };
    let modes = bundle.install_modes.filter(|_| gates.has_watch_namespace())?;
    let is_own = *target == group.namespace;
    let is_supported = if is_own { modes.own_namespace } else { modes.single_namespace };
    is_supported.then(|| target.clone())
}

/// Compares the conditions about the watched namespaces with each other. The remedy of C1 is no remedy where the
/// install modes forbid it: OLM Classic fails a running operator whose OperatorGroup targets more than they allow. And
/// an operator that OLM v1 installs only for one namespace needs one.
pub fn compare_scopes(conditions: &mut [Condition], bundle: &BundleTraits, gates: &Gates, watched: Option<&str>) {
    let is_all = bundle.install_modes.is_none_or(|modes| modes.all_namespaces);
    for condition in conditions {
        match (condition.id, condition.verdict) {
            ("C1", Met::No) if watched.is_some() || !is_all => {
                condition.way_out = Some(match watched {
                    Some(namespace) => format!(
                        "keep the OperatorGroup and acknowledge it: the ClusterExtension gets `watchNamespace: \
                         {namespace}`, and the operator goes on watching the same namespace"
                    ),
                    None => "keep the OperatorGroup as it is: the operator does not support AllNamespaces, and OLM \
                             Classic would fail it"
                        .to_owned(),
                });
            }
            ("C1a", Met::Yes) if !is_all && watched.is_none() && gates.has_watch_namespace() => {
                condition.verdict = Met::No;
                condition.reason.push_str(", and its OperatorGroup does not target exactly one namespace that fits");
                condition.way_out =
                    Some("let the OperatorGroup target one namespace that the install modes allow".to_owned());
            }
            _ => {}
        }
    }
}

fn all_namespaces(bundle: &BundleTraits, gates: &Gates) -> Condition {
    let place = bundle.place.clone();
    let Some(modes) = bundle.install_modes else {
        let reason = match bundle.name.as_str() {
            "" => "nothing is installed".to_owned(),
            name => format!("{name} states no install modes here"),
        };
        return Condition::new("C1a", Met::NotKnown, reason, place);
    };
    let refused = gates.unsupported(Some(modes), &Obstacles::default());
    let supported = [
        (modes.all_namespaces, "AllNamespaces"),
        (modes.own_namespace, "OwnNamespace"),
        (modes.single_namespace, "SingleNamespace"),
        (modes.multi_namespace, "MultiNamespace"),
    ];
    let supported: Vec<&str> = supported.iter().filter(|it| it.0).map(|it| it.1).collect();
    let supported = if supported.is_empty() { "no install mode".to_owned() } else { supported.join(", ") };
    match refused.first() {
        None => Condition::new("C1a", Met::Yes, format!("it supports {supported}"), place),
        Some(Unsupported::NotAllNamespaces) if modes.own_namespace || modes.single_namespace => {
            let mut found = Condition::new("C1a", Met::No, format!("it supports {supported} only"), place);
            found.way_out = found
                .way_out
                .map(|it| format!("{it}; the feature gate {} (alpha) lifts it", Gates::SINGLE_OWN_NAMESPACE));
            found
        }
        Some(_) => Condition::new("C1a", Met::No, format!("it supports {supported} only"), place),
    }
}

fn dependencies(bundle: &BundleTraits) -> Condition {
    let place = bundle.dependency_place.clone().or_else(|| bundle.place.clone());
    match &bundle.dependencies {
        None => Condition::new("C2", Met::NotKnown, "its properties are not known", place),
        Some(none) if none.is_empty() => Condition::new("C2", Met::Yes, "it declares none", place),
        Some(several) => {
            let mut found = Condition::new("C2", Met::No, format!("it requires {}", several.join(", ")), place);
            found.depends_on.clone_from(&bundle.depends_on);
            found
        }
    }
}

fn api_services(bundle: &BundleTraits, gates: &Gates, renders_api_services: bool) -> Condition {
    let place = bundle.place.clone();
    let obstacles = &bundle.obstacles;
    if obstacles.known == KnownCsv::Nothing {
        return Condition::new("C3", Met::NotKnown, "its ClusterServiceVersion is not known", place);
    }
    // Its install modes are another condition.
    let is_refused = gates.unsupported(None, obstacles).contains(&Unsupported::ApiServices);
    if !is_refused {
        return Condition::new("C3", Met::Yes, "it owns none", place);
    }
    let services = obstacles.api_services.join(", ");
    if renders_api_services {
        return Condition::new("C3", Met::Yes, format!("it owns {services}, which operator-controller renders"), place);
    }
    Condition::new("C3", Met::No, format!("it owns {services}"), place)
}

fn olm_access(bundle: &BundleTraits) -> Condition {
    let place = bundle.place.clone();
    let obstacles = &bundle.obstacles;
    match (obstacles.known, obstacles.olm_access.as_slice()) {
        (KnownCsv::Whole, []) => Condition::new("C5", Met::Yes, "its RBAC grants nothing of OLM Classic alone", place),
        (KnownCsv::Whole, resources) => {
            let reason =
                format!("its RBAC grants {} of operators.coreos.com, and no API of OLM v1", resources.join(", "));
            Condition::new("C5", Met::No, reason, place)
        }
        (KnownCsv::Metadata, _) => Condition::new("C5", Met::NotKnown, "the catalog does not have its RBAC", place),
        (KnownCsv::Nothing, _) => Condition::new("C5", Met::NotKnown, "its RBAC is not known", place),
    }
}
