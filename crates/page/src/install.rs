//! The manifests that install a package: for OLM Classic a Subscription with its OperatorGroup, for OLM v1 a ClusterExtension.
//!
//! What it deliberately does not do: it applies nothing, and does not know how a cluster calls its catalogs; it takes the index's names.

use maud::{Markup, html};

use super::parts::shown;
use olmdex_index::query::{BundleDetail, PackageDetail};

/// The section of a page.
pub(super) fn section(package: &PackageDetail, head: Option<&BundleDetail>) -> Markup {
    let classic = classic(package, head);
    let v1 = v1(package);
    html! {
        @if !package.row.default_channel.is_empty() {
            section.install aria-labelledby="install" {
                h2 #install { "Install" }
                div.halves {
                    div {
                        h3 { "OLM Classic" }
                        pre.command.manifest tabindex="0" { code { (shown_lines(&classic)) } }
                    }
                    div {
                        h3 { "OLM v1" }
                        pre.command.manifest tabindex="0" { code { (shown_lines(&v1)) } }
                    }
                }
                p.quiet { "Other channels: put their names in the place of " code { (shown(&package.row.default_channel)) } "." }
            }
        }
    }
}

/// A text of several lines without what cannot be seen.
fn shown_lines(text: &str) -> String {
    text.lines().map(shown).collect::<Vec<_>>().join("\n")
}

/// A text as a scalar of YAML: plain where nobody could read anything else in it.
fn scalar(text: &str) -> String {
    const WORDS: &[&str] = &["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._/".contains(&it))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str());
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// The name of a namespace, as Kubernetes takes it.
fn namespace_of(package: &str) -> String {
    let name: String = package
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .take(63)
        .collect();
    match name.trim_matches('-') {
        "" => "operators".to_owned(),
        name => name.to_owned(),
    }
}

fn classic(package: &PackageDetail, head: Option<&BundleDetail>) -> String {
    let row = &package.row;
    let supports = |kind: &str| {
        let modes = head.map(|it| it.install_modes.as_slice()).unwrap_or_default();
        // Without a word about modes the operator goes where the others go.
        modes.is_empty() && kind == "AllNamespaces" || modes.iter().any(|it| it.kind == kind && it.supported)
    };
    let name = scalar(&row.package);
    let mut text = String::new();
    let namespace = if supports("AllNamespaces") {
        "openshift-operators".to_owned()
    } else {
        let namespace = namespace_of(&row.package);
        let targets =
            if supports("OwnNamespace") || supports("SingleNamespace") { namespace.as_str() } else { "NAMESPACE" };
        text.push_str(&format!(
            "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata:\n  name: {}\n  namespace: {}\nspec:\n  targetNamespaces: [{}]\n---\n",
            scalar(&namespace),
            scalar(&namespace),
            scalar(targets)
        ));
        namespace
    };
    text.push_str(&format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata:\n  name: {name}\n  namespace: {}\nspec:\n  name: {name}\n  channel: {}\n  source: {}\n  sourceNamespace: openshift-marketplace\n  installPlanApproval: Automatic\n",
        scalar(&namespace),
        scalar(&row.default_channel),
        scalar(&row.catalog),
    ));
    text
}

fn v1(package: &PackageDetail) -> String {
    let row = &package.row;
    let namespace = namespace_of(&row.package);
    format!(
        "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata:\n  name: {}\nspec:\n  namespace: {}\n  serviceAccount:\n    name: {}\n  source:\n    sourceType: Catalog\n    catalog:\n      packageName: {}\n      channels: [{}]\n",
        scalar(&namespace),
        scalar(&namespace),
        scalar(&format!("{namespace}-installer")),
        scalar(&row.package),
        scalar(&row.default_channel),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_mean_something_else_are_quoted() {
        for (text, written) in [
            ("stable", "stable"),
            ("strimzi-1.x", "strimzi-1.x"),
            ("1.0", "\"1.0\""),
            ("true", "\"true\""),
            ("No", "\"No\""),
            ("a: b", "\"a: b\""),
            ("", "\"\""),
            ("a\n---\nkind: Secret", "\"a\\n---\\nkind: Secret\""),
        ] {
            assert_eq!(scalar(text), written, "{text}");
        }
    }

    #[test]
    fn namespaces_have_names_that_kubernetes_takes() {
        for (package, namespace) in [("keda", "keda"), ("Ansible_Tower.x", "ansible-tower-x"), ("---", "operators")] {
            assert_eq!(namespace_of(package), namespace, "{package}");
        }
    }
}
