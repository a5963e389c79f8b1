//! APIs that Kubernetes 1.22, 1.25 and 1.26 do not serve any more (`docs/behaviour/authoring.md` B.8).

use std::collections::{BTreeMap, BTreeSet};

use super::contents::{Object, api_of};
use super::crd::Definition;
use super::options::Options;
use super::problem::{At, Problem};
use super::service_version::Csv;
use super::table as rules;
use olmdex_fbc::{Api, Spot};
use olmdex_version::Version;

const KIND: &str = "ValidationFailed";

/// Names by kind, with the place of the first.
pub(super) struct Removed {
    kinds: BTreeMap<String, Vec<String>>,
    at: Option<At>,
}

impl Removed {
    fn new() -> Self {
        Self { kinds: BTreeMap::new(), at: None }
    }

    fn add(&mut self, kind: &str, name: String, at: At) {
        self.kinds.entry(kind.to_owned()).or_default().push(name);
        self.at.get_or_insert(at);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    pub(super) fn at(&self) -> At {
        self.at.clone().unwrap_or(At::Path(String::new()))
    }

    fn words(&self) -> String {
        let one = |(kind, names): (&String, &Vec<String>)| format!("{kind} {}", names.join(", "));
        self.kinds.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}

const OF_1_22: &[(&str, &[&str])] = &[
    ("scheduling.k8s.io/v1beta1", &["PriorityClass"]),
    ("rbac.authorization.k8s.io/v1beta1", &["Role", "ClusterRoleBinding", "RoleBinding", "ClusterRole"]),
    ("apiregistration.k8s.io/v1beta1", &["APIService"]),
    ("authentication.k8s.io/v1beta1", &["TokenReview"]),
    ("authorization.k8s.io/v1beta1", &["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SubjectAccessReview"]),
    ("admissionregistration.k8s.io/v1beta1", &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]),
    ("coordination.k8s.io/v1beta1", &["Lease"]),
    ("extensions/v1beta1", &["Ingress"]),
    ("networking.k8s.io/v1beta1", &["Ingress", "IngressClass"]),
    ("storage.k8s.io/v1beta1", &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"]),
    ("certificates.k8s.io/v1beta1", &["CertificateSigningRequest"]),
];

const OF_1_25: &[(&str, &str)] = &[
    ("batch/v1beta1", "CronJob"),
    ("discovery.k8s.io/v1beta1", "EndpointSlice"),
    ("events.k8s.io/v1beta1", "Event"),
    ("autoscaling/v2beta1", "HorizontalPodAutoscaler"),
    ("policy/v1beta1", "PodDisruptionBudget"),
    ("policy/v1beta1", "PodSecurityPolicy"),
    ("node.k8s.io/v1beta1", "RuntimeClass"),
];

/// The APIs that Kubernetes 1.22 removed.
pub(super) fn of_1_22(definitions: &[Definition<'_>], objects: &[Object<'_>]) -> Removed {
    let mut removed = Removed::new();
    for definition in definitions.iter().filter(|it| it.is_v1beta1) {
        removed.add("CRD", definition.name.clone(), At::File(definition.file, Spot::Path(vec!["apiVersion".into()])));
    }
    for object in objects {
        let (version, kind) = (object.api_version(), object.kind());
        if OF_1_22.iter().any(|(of, kinds)| *of == version && kinds.contains(&kind.as_str())) {
            removed.add(&kind, object.name(), at(object));
        }
    }
    removed
}

fn at(object: &Object<'_>) -> At {
    At::File(object.file, Spot::Path(vec!["apiVersion".into()]))
}

fn is_of_1_25(gvk: &Api) -> bool {
    OF_1_25.iter().any(|(version, kind)| api_of(version, kind) == *gvk)
}

/// The APIs that Kubernetes 1.25 removed, and the permissions that have no effect there.
fn of_1_25(csv: &Csv<'_>, objects: &[Object<'_>]) -> (Removed, Removed) {
    let (mut removed, mut useless) = (Removed::new(), Removed::new());
    for object in objects {
        let is_csv =
            object.kind() == "ClusterServiceVersion" && object.api_version() == "operators.coreos.com/v1alpha1";
        if !is_csv && object.api_version() != "operators.coreos.com/v1alpha1" && is_of_1_25(&object.gvk()) {
            removed.add(&object.kind(), object.name(), at(object));
        }
    }
    if csv.object.api_version() != "operators.coreos.com/v1alpha1" {
        return (removed, useless);
    }
    let mut listed = BTreeSet::new();
    for (which, word) in [("owned", "Owned"), ("required", "Required")] {
        for definition in csv.definitions(which) {
            for (idx, resource) in definition.node.get("resources").items().enumerate() {
                let kind = resource.text_of("kind");
                listed.insert(format!("{}s", kind.to_lowercase()));
                if is_of_1_25(&api_of(&resource.text_of("version"), &kind)) {
                    let number = definition.idx;
                    let name = format!(
                        "ClusterServiceVersion.Spec.CustomResourceDefinitions.{word}[{number}].Resource[{idx}]"
                    );
                    let at = csv.at(&format!("spec.customresourcedefinitions.{which}.{number}.resources.{idx}"));
                    removed.add(&kind, name, at);
                }
            }
        }
    }
    let resource = "podsecuritypolicies";
    for (which, word) in [("clusterPermissions", "ClusterPermissions"), ("permissions", "Permissions")] {
        for (permission, rule, node) in csv.rules(which) {
            let n_groups = node.get("apiGroups").texts().iter().filter(|it| *it == "policy").count();
            let n_resources = node.get("resources").texts().iter().filter(|it| *it == resource).count();
            if listed.contains(resource) {
                continue;
            }
            for _ in 0..n_groups.saturating_mul(n_resources) {
                let name = format!(
                    "ClusterServiceVersion.Spec.InstallStrategy.StrategySpec.{word}[{permission}].Rules[{rule}]"
                );
                let at = csv.at(&format!("spec.install.spec.{which}.{permission}.rules.{rule}"));
                useless.add(resource, name, at);
            }
        }
    }
    (removed, useless)
}

fn of_1_26(objects: &[Object<'_>]) -> Removed {
    let mut removed = Removed::new();
    for object in objects {
        if object.api_version() == "autoscaling/v2beta2" && object.kind() == "HorizontalPodAutoscaler" {
            removed.add(&object.kind(), object.name(), at(object));
        }
    }
    removed
}

/// Checks all steps. Warnings become errors for the versions that the bundle is meant for, or that the user names.
pub(super) fn check(
    csv: &Csv<'_>,
    definitions: &[Definition<'_>],
    objects: &[Object<'_>],
    options: &Options,
) -> Vec<Problem> {
    let mut found = Vec::new();
    let named = Version::parse_tolerant(&options.k8s_version).ok();
    if named.is_none() && !options.k8s_version.is_empty() {
        let text = &options.k8s_version;
        let message = format!("`{text}`, given as k8s-version, is not a version");
        let it =
            Problem::new(rules::KUBERNETES_VERSION, At::Path(String::new()), message, "write, for example, `1.25`");
        found.push(it.reported_as(KIND));
    }
    let text = csv.spec("minKubeVersion").text();
    let lowest = Version::parse_tolerant(&text).ok();
    if lowest.is_none() && !text.is_empty() {
        let message = format!("`spec.minKubeVersion` is not a version, so the served APIs are unknown: `{text}`");
        let it = Problem::new(
            rules::KUBERNETES_VERSION,
            csv.at("spec.minKubeVersion"),
            message,
            "write, for example, `1.25.0`",
        );
        found.push(it.reported_as(KIND));
    }
    let (removed, useless) = of_1_25(csv, objects);
    let steps = [
        (22, of_1_22(definitions, objects), Removed::new()),
        (25, removed, useless),
        (26, of_1_26(objects), Removed::new()),
    ];
    for (minor, removed, useless) in steps {
        let step = Version::new(1, minor, 0);
        let is_reached = [&named, &lowest].into_iter().flatten().any(|it| it.cmp_precedence(&step).is_ge());
        for (removed, is_error) in [(removed, is_reached), (useless, false)] {
            if removed.is_empty() {
                continue;
            }
            let message = format!("Kubernetes 1.{minor} removed APIs that the bundle uses: {}", removed.words());
            let help = "move to the version of the API that is still served";
            let rule = if is_error { rules::REMOVED_API_REACHED } else { rules::REMOVED_API };
            found.push(Problem::new(rule, removed.at(), message, help).reported_as(KIND));
        }
    }
    found
}
