//! The reasons that keep a cluster from being upgraded: both generations of OLM report them.

use super::builder::{EXTENSIONS, Made, between, command, each};
use super::explanation::{MessageExplanation, PartExplanation};
use super::rule::{Rule, by_rules};

/// The first that fits counts.
const RULES: &[Rule] = &[
    Rule::Grammar(&["Found ClusterExtensions that require upgrades prior to upgrading cluster"], by_extensions),
    Rule::Grammar(
        &["error converting to semver for version ", "more than one olm.maxOpenShiftVersion found in bundle"],
        by_unreadable_property,
    ),
    Rule::Grammar(
        &["ClusterServiceVersions blocking minor version upgrades", "maximum supported OCP version for ", INVALID, OLD],
        by_operators,
    ),
];

/// The words until OpenShift 4.9.
const OLD: &str = " minor versions greater than ";
const INVALID: &str = " has invalid olm.maxOpenShiftVersion properties";
const WHY: &str = "says with `olm.maxOpenShiftVersion` that it does not run on the next version of OpenShift, so \
    OpenShift refuses the update until the operator is upgraded or removed";
const PATCHES: &str = "Patch releases of the present version are never blocked.";

/// Installed operators that keep the cluster from being upgraded: both generations of OLM report them.
pub(super) fn blocked_upgrade(message: &str) -> Option<MessageExplanation> {
    by_rules(RULES, message)
}

fn by_extensions(message: &str) -> Made {
    let mut made = Made::new("OLM v1", format!("Each of these bundles {WHY}. {PATCHES}"));
    for item in each(message, "bundle \"", "\"") {
        made = made.about(&[item]).next(command(["olmdex", "compat", "--openshift", "VERSION", "--installed", item]));
    }
    made.about(&each(message, "for ClusterExtension \"", "\"")).next(EXTENSIONS)
}

fn by_unreadable_property(message: &str) -> Made {
    let bundle = between(message, "error in bundle ", ":").unwrap_or_default();
    let extension = between(message, "error(s) with cluster extension ", ":").unwrap_or_default();
    let meaning = format!(
        "The property `olm.maxOpenShiftVersion` of {} is unreadable, which also blocks updates of the cluster.",
        if bundle.is_empty() { "a bundle" } else { bundle }
    );
    Made::new("OLM v1", meaning).about(&[bundle, extension]).next(EXTENSIONS)
}

fn by_operators(message: &str) -> Made {
    let mut made =
        Made::new("OLM Classic", format!("Each of these operators {WHY}; or its property is unreadable. {PATCHES}"));
    // OLM writes a line for each; here they are one text.
    for item in message.split(" - ").map(|it| it.trim_start_matches("- ")) {
        let maximum = between(item, "maximum supported OCP version for ", "").and_then(|it| it.split_once(" is "));
        let old = item.split_once(" is incompatible with ").zip(item.split_once(OLD));
        let old = old.map(|((before, _), (_, version))| (before.rsplit(": ").next().unwrap_or(before), version));
        let (name, meaning) = match (maximum.or(old), item.split_once(INVALID)) {
            (Some((name, version)), _) => {
                // Other words may follow in the paste.
                let version = version.split([' ', ',', ';']).next().unwrap_or_default();
                (name, format!("{name} runs up to OpenShift {version}."))
            }
            (None, Some((name, why))) => (
                name,
                format!(
                    "The property of {name} is unreadable{why}, so OLM treats it as if it did not run on the next \
                    version."
                ),
            ),
            (None, None) => continue,
        };
        made = made.about(&[name]);
        made.0.parts.push(PartExplanation { text: item.to_owned(), meaning });
    }
    made.next("olmdex plan --only blockers --openshift VERSION --cluster CLUSTER.yaml -i CATALOG=SOURCE")
        .next("kubectl get clusterserviceversions -A")
}
