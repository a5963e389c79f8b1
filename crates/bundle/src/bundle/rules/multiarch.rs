//! Architectures and systems: the labels of the ClusterServiceVersion, and the demands of its deployments on nodes
//! (`docs/behaviour/authoring.md` B.8).
//!
//! This module does not inspect images, which the real validator does over the network; so it produces none of the
//! texts about them.

use std::collections::BTreeSet;

use super::node::Field;
use super::problem::{At, Problem};
use super::service_version::Csv;
use super::table as rules;
use olmdex_fbc::Spot;

/// The prefix of labels for an architecture or system, the label of nodes that it stands for, and the default without
/// any.
const KINDS: [(&str, &str, &str, &str); 2] = [
    ("operatorframework.io/arch.", "kubernetes.io/arch", "amd64", "architecture"),
    ("operatorframework.io/os.", "kubernetes.io/os", "linux", "operating system"),
];

/// Checks labels and node affinities.
pub(super) fn check(csv: &Csv<'_>) -> Vec<Problem> {
    let mut found = Vec::new();
    let labels = csv.node.at("metadata.labels").map();
    for (prefix, node_label, default, what) in KINDS {
        let mut supported = BTreeSet::new();
        for (key, value) in &labels {
            let Some(name) = key.strip_prefix(prefix) else { continue };
            let path = vec!["metadata".into(), "labels".into(), key.as_str().into()];
            let at = At::File(csv.object.file, Spot::Key(path));
            if name.is_empty() || value != "supported" {
                let message = format!("the label `{key}: {value}` does not name a supported {what}");
                let help = format!("write `{prefix}NAME: supported`, or remove the label");
                found.push(Problem::new(rules::ARCH_LABEL, at, message, help));
            } else {
                supported.insert(name.to_owned());
            }
        }
        if supported.is_empty() {
            supported.insert(default.to_owned());
        }
        for (path, name) in asked_of_nodes(csv, node_label) {
            if !supported.contains(&name) {
                let message =
                    format!("a deployment runs on {what} `{name}`, but the ClusterServiceVersion has no label for it");
                let help = format!(
                    "add the label `{prefix}{name}: supported`; without any label, only `{default}` is supported"
                );
                found.push(Problem::new(rules::ARCH_AFFINITY, csv.at(&path), message, help));
            }
        }
    }
    found
}

/// The values that deployments want a label of their nodes to have, each once, with the path of the first.
fn asked_of_nodes(csv: &Csv<'_>, label: &str) -> Vec<(String, String)> {
    let mut asked: Vec<(String, String)> = Vec::new();
    for (idx, deployment) in csv.spec("install.spec.deployments").items().enumerate() {
        let terms = deployment.at(
            "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
        );
        for (term, it) in terms.items().enumerate() {
            for (number, expression) in it.get("matchExpressions").items().enumerate() {
                if expression.text_of("key") != label || expression.text_of("operator") != "In" {
                    continue;
                }
                let path = format!(
                    "spec.install.spec.deployments.{idx}.spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.{term}.matchExpressions.{number}"
                );
                for value in Field::texts(expression.get("values")) {
                    if !asked.iter().any(|(_, it)| *it == value) {
                        asked.push((path.clone(), value));
                    }
                }
            }
        }
    }
    asked
}
