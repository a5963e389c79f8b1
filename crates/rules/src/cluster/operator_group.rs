//! OperatorGroups: how a namespace wants to be resolved (`docs/behaviour/olm-classic.md` 1.4, 2.9).
//!
//! What it deliberately does not do: no selector is evaluated.

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
    /// The namespaces that it is for; one without a name stands for all. `None` if only the cluster can tell.
    pub targets: Option<Vec<String>>,
    /// Where it is written.
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
            place: object.place.clone(),
        }
    }
}

/// The cluster's own word first, then what was asked of it.
fn targets(object: &Object<'_>) -> Option<Vec<String>> {
    let texts = |path: &[&str]| -> Vec<String> {
        object.items(path).into_iter().filter_map(|it| Some(it.as_str()?.into_owned())).collect()
    };
    for path in [["status", "namespaces"], ["spec", "targetNamespaces"]] {
        let found = texts(&path);
        if !found.is_empty() {
            return Some(found);
        }
    }
    if object.at(&["spec", "selector"]).is_some() { None } else { Some(vec![String::new()]) }
}
