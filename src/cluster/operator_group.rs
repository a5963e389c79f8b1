//! OperatorGroups: how a namespace wants to be resolved (`docs/behaviour/olm-classic.md` 1.4, 2.9).
//!
//! What it deliberately does not do: no target namespaces.

use super::object::Object;
use crate::diag::Place;

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
            place: object.place.clone(),
        }
    }
}
