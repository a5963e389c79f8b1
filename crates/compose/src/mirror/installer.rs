//! The service account with which OLM v1 installs, if it needs one (`docs/behaviour/olm-v1.md` 7.3).

use super::document::ManifestValue;

/// The name of the account for a ClusterExtension, and its ServiceAccount and ClusterRoleBinding: they grant all
/// rights, since no catalog states the rights that an operator's installation needs.
pub fn installer(extension: &str, namespace: &str) -> (String, Vec<ManifestValue>) {
    let name = format!("{extension}-installer");
    let of_namespace = |name: &str| {
        ManifestValue::fields([("name", ManifestValue::text(name)), ("namespace", ManifestValue::text(namespace))])
    };
    let account = ManifestValue::fields([
        ("apiVersion", ManifestValue::text("v1")),
        ("kind", ManifestValue::text("ServiceAccount")),
        ("metadata", of_namespace(&name)),
    ]);
    let role = ManifestValue::fields([
        ("apiGroup", ManifestValue::text("rbac.authorization.k8s.io")),
        ("kind", ManifestValue::text("ClusterRole")),
        ("name", ManifestValue::text("cluster-admin")),
    ]);
    let subject = ManifestValue::fields([("kind", ManifestValue::text("ServiceAccount"))])
        .with("name", ManifestValue::text(&name))
        .with("namespace", ManifestValue::text(namespace));
    let binding = ManifestValue::fields([
        ("apiVersion", ManifestValue::text("rbac.authorization.k8s.io/v1")),
        ("kind", ManifestValue::text("ClusterRoleBinding")),
        // Bindings have no namespace, so the name must distinguish extensions of the same name in manifests for two
        // clusters.
        ("metadata", ManifestValue::fields([("name", ManifestValue::Text(format!("{namespace}-{name}")))])),
        ("roleRef", role),
        ("subjects", ManifestValue::List(vec![subject])),
    ]);
    (name, vec![account, binding])
}
