//! ClusterVersions: which version of OpenShift a cluster runs.
//!
//! What it deliberately does not do: it does not look at what the cluster is being updated to.

use super::object::{Object, text};

/// The version that was reached last; else the one that is wanted. Empty if the object says neither.
pub(super) fn version(object: &Object<'_>) -> String {
    let history = object.items(&["status", "history"]);
    let reached = history.iter().find(|it| text(**it, "state") == "Completed").map(|it| text(*it, "version"));
    reached.unwrap_or_else(|| object.text(&["status", "desired", "version"]))
}
