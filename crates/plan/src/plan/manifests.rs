//! Objects of steps as YAML, for people who keep the wanted state of their cluster in files.
//!
//! Every text is written as a JSON string, so it stays one value, whatever it holds.

use super::answer::Plan;
use olmdex_base::diag::printable;
use olmdex_rules::cluster::{ClusterExtension, Subscription};
use olmdex_text::json::quoted;

/// A Subscription with another channel or source.
pub(super) fn subscription(it: &Subscription, channel: &str, source: &str) -> String {
    let approval = if it.is_manual { "  installPlanApproval: Manual\n" } else { "" };
    // Without a channel it follows the default one.
    let channel = if channel.is_empty() { String::new() } else { format!("  channel: {}\n", quoted(channel)) };
    format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata:\n  name: {}\n  namespace: {}\nspec:\n  name: {}\n{channel}  source: {}\n  sourceNamespace: {}\n{approval}",
        quoted(&it.name),
        quoted(&it.namespace),
        quoted(&it.package),
        quoted(source),
        quoted(&it.source_namespace),
    )
}

/// A ClusterExtension with another version range, other channels, or another ClusterCatalog.
pub(super) fn extension(
    it: &ClusterExtension,
    version: Option<&String>,
    channels: Option<&Vec<String>>,
    catalog: Option<&String>,
) -> String {
    let mut text = format!(
        "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata:\n  name: {}\nspec:\n  source:\n    sourceType: Catalog\n    catalog:\n      packageName: {}\n",
        quoted(&it.name),
        quoted(&it.package)
    );
    let version = version.unwrap_or(&it.version);
    if !version.is_empty() {
        text.push_str(&format!("      version: {}\n", quoted(version)));
    }
    let channels = channels.unwrap_or(&it.channels);
    if !channels.is_empty() {
        let channels: Vec<String> = channels.iter().map(|it| quoted(it)).collect();
        text.push_str(&format!("      channels: [{}]\n", channels.join(", ")));
    }
    if let Some(catalog) = catalog {
        let label = quoted(olmdex_olm::catalog_source::CATALOG_NAME_LABEL);
        text.push_str(&format!("      selector:\n        matchLabels:\n          {label}: {}\n", quoted(catalog)));
    }
    text
}

/// The ClusterVersion with a channel, and the release to update to, if that is known.
pub(super) fn cluster_version(channel: Option<&str>, release: Option<&str>) -> Option<String> {
    let mut text =
        String::from("apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata:\n  name: version\nspec:\n");
    if channel.is_none() && release.is_none() {
        return None;
    }
    if let Some(channel) = channel {
        text.push_str(&format!("  channel: {}\n", quoted(channel)));
    }
    if let Some(release) = release {
        text.push_str(&format!("  desiredUpdate:\n    version: {}\n", quoted(release)));
    }
    Some(text)
}

/// A MachineConfigPool that is paused or not.
pub(super) fn pool(name: &str, is_paused: bool) -> String {
    format!(
        "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata:\n  name: {}\nspec:\n  paused: {is_paused}\n",
        quoted(name)
    )
}

/// The objects of all steps in their order, each with a remark that names its step. A step without objects is only a
/// remark.
pub fn manifests(plan: &Plan) -> String {
    let remark = |text: &str| format!("# {}\n", printable(text).split_whitespace().collect::<Vec<_>>().join(" "));
    let mut out = remark(&plan.summary());
    out.push_str(&remark("Merge each object into yours when its step is due: all other fields stay unchanged."));
    for step in &plan.steps {
        let title = format!("{}. {}", step.number, step.title());
        match &step.manifest {
            Some(manifest) => out.push_str(&format!("---\n{}{manifest}", remark(&title))),
            None => out.push_str(&remark(&format!("{title}: no object changes"))),
        }
    }
    out
}
