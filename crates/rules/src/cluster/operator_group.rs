//! OperatorGroups: how a namespace wants to be resolved (`docs/behaviour/olm-classic.md` 1.4, 2.9).

use super::object::Object;
use olmdex_base::diag::Place;

/// An OperatorGroup.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperatorGroup {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Whether the catalogs of the global namespace are not to be used.
    pub excludes_global: bool,
    /// Whether `spec.upgradeStrategy` is `TechPreviewUnsafeFailForward`.
    pub fails_forward: bool,
    /// The namespaces that it is for; an empty name stands for all. `None` if only the cluster knows them.
    pub targets: Option<Vec<String>>,
    /// `spec.targetNamespaces`
    pub target_namespaces: Vec<String>,
    /// `spec.selector` as JSON, if it selects anything; with `spec.targetNamespaces` it is ignored.
    pub selector: Option<String>,
    /// `spec.serviceAccountName`, or empty.
    pub service_account: String,
    /// `spec` as JSON.
    pub spec: String,
    /// The place where it is written.
    pub place: Place,
}

impl OperatorGroup {
    pub(super) fn read(object: &Object<'_>) -> Self {
        let excludes = object.annotation("olm.operatorframework.io/exclude-global-namespace-resolution");
        Self {
            name: object.name(),
            namespace: object.namespace(),
            excludes_global: excludes.as_deref() == Some("true"),
            fails_forward: object.text(&["spec", "upgradeStrategy"]) == "TechPreviewUnsafeFailForward",
            targets: targets(object),
            target_namespaces: texts(object, &["spec", "targetNamespaces"]),
            selector: object.json(&["spec", "selector"]).filter(|_| selects(object)),
            service_account: object.text(&["spec", "serviceAccountName"]),
            spec: object.json(&["spec"]).unwrap_or_else(|| "{}".to_owned()),
            place: object.place.clone(),
        }
    }
}

fn texts(object: &Object<'_>, path: &[&str]) -> Vec<String> {
    object.items(path).into_iter().filter_map(|it| Some(it.as_str()?.into_owned())).collect()
}

/// Whether its selector has anything in it; an empty one selects all namespaces.
fn selects(object: &Object<'_>) -> bool {
    let has_labels = object.at(&["spec", "selector", "matchLabels"]).is_some_and(|it| it.members().next().is_some());
    has_labels || !object.items(&["spec", "selector", "matchExpressions"]).is_empty()
}

/// The cluster's own answer comes first, then the request.
fn targets(object: &Object<'_>) -> Option<Vec<String>> {
    for path in [["status", "namespaces"], ["spec", "targetNamespaces"]] {
        let found = texts(object, &path);
        if !found.is_empty() {
            return Some(found);
        }
    }
    if object.at(&["spec", "selector"]).is_some() { None } else { Some(vec![String::new()]) }
}
