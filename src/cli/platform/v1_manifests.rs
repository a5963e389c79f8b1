//! The ClusterExtensions that replace Subscriptions, as manifests, and as a script that makes the change step by step.

use crate::cluster::needs_service_account;
use crate::constraint::openshift::Minor;
use crate::diag::printable_line;
use crate::mirror::{ManifestValue, documents, installer};
use crate::readiness::{Acknowledgement, CatalogConversion, Conversion, ExtensionConversion};
use olmdex_text::encoding::shell::word;

const API: &str = "olm.operatorframework.io/v1";

/// ClusterCatalogs, then ClusterExtensions, each after the service account that it needs on this version of OpenShift.
pub(super) fn manifests(conversion: &Conversion, openshift: Option<Minor>) -> String {
    let mut nodes: Vec<ManifestValue> =
        conversion.catalogs.iter().filter(|it| !it.is_adopted).map(cluster_catalog).collect();
    for it in &conversion.extensions {
        let account = needs_service_account(openshift).then(|| installer(&it.name, &it.namespace));
        let (name, objects) = account.map_or((None, Vec::new()), |(name, objects)| (Some(name), objects));
        nodes.extend(objects);
        nodes.push(cluster_extension(it, name));
    }
    documents(&nodes)
}

fn object(kind: &str, metadata: ManifestValue, spec: ManifestValue) -> ManifestValue {
    ManifestValue::fields([
        ("apiVersion", ManifestValue::text(API)),
        ("kind", ManifestValue::text(kind)),
        ("metadata", metadata),
        ("spec", spec),
    ])
}

fn cluster_catalog(catalog: &CatalogConversion) -> ManifestValue {
    let mut image = ManifestValue::fields([("ref", ManifestValue::text(&catalog.image))]);
    if let Some(minutes) = catalog.poll_minutes {
        image = image.with("pollIntervalMinutes", ManifestValue::Json(minutes.to_string()));
    }
    let mut spec = ManifestValue::fields([]);
    if catalog.priority != 0 {
        spec = spec.with("priority", ManifestValue::Json(catalog.priority.to_string()));
    }
    let source = ManifestValue::fields([("type", ManifestValue::text("Image")), ("image", image)]);
    let annotations = ManifestValue::fields([(
        "olm.operatorframework.io/migrated-from-catalogsource",
        ManifestValue::Text(catalog.sources.join(",")),
    )]);
    let metadata = ManifestValue::fields([("name", ManifestValue::text(&catalog.name)), ("annotations", annotations)]);
    object("ClusterCatalog", metadata, spec.with("source", source))
}

fn cluster_extension(extension: &ExtensionConversion, account: Option<String>) -> ManifestValue {
    let label = "olm.operatorframework.io/metadata.name";
    let mut catalog = ManifestValue::fields([("packageName", ManifestValue::text(&extension.package))]);
    if let Some(channel) = &extension.channel {
        catalog = catalog.with("channels", ManifestValue::List(vec![ManifestValue::text(channel)]));
    }
    if let Some(version) = &extension.version {
        catalog = catalog.with("version", ManifestValue::Quoted(version.clone()));
    }
    let labels = ManifestValue::fields([(label, ManifestValue::text(&extension.catalog))]);
    catalog = catalog
        .with("selector", ManifestValue::fields([("matchLabels", labels)]))
        .with("upgradeConstraintPolicy", ManifestValue::text("CatalogProvided"));
    let mut spec = ManifestValue::fields([("namespace", ManifestValue::text(&extension.namespace))]);
    if let Some(account) = account {
        spec = spec.with("serviceAccount", ManifestValue::fields([("name", ManifestValue::Text(account))]));
    }
    spec = spec
        .with("source", ManifestValue::fields([("sourceType", ManifestValue::text("Catalog")), ("catalog", catalog)]));
    if !extension.config.is_empty() {
        let fields = extension.config.iter();
        let fields = fields.map(|(name, value)| ((*name).to_owned(), ManifestValue::Json(value.clone()))).collect();
        let inline = ManifestValue::Fields(fields);
        let config = [("configType", ManifestValue::text("Inline")), ("inline", inline)];
        spec = spec.with("config", ManifestValue::fields(config));
    }
    let annotations = extension.annotations.iter();
    let annotations = annotations.map(|(name, value)| (name.clone(), ManifestValue::Text(value.clone()))).collect();
    let metadata = ManifestValue::fields([
        ("name", ManifestValue::text(&extension.name)),
        ("annotations", ManifestValue::Fields(annotations)),
    ]);
    object("ClusterExtension", metadata, spec)
}

/// The first lines of the script.
const HEAD: &str = r#"#!/bin/sh
# Moves operators from OLM Classic to OLM v1, one after another, and stops at the first that fails.
#
#   sh SCRIPT          moves them
#   sh SCRIPT back     goes back, in the opposite order
#
# It needs kubectl, and the converter of github.com/operator-framework/library-olm, which hands over what OLM
# Classic has installed: OLM v1 does not take objects that it has not made. KUBECTL and CONVERTER name others.
set -eu
kubectl=${KUBECTL:-kubectl}
converter=${CONVERTER:-migrate-operators-v0-to-v1}
backups=${BACKUPS:-olm-classic-backup}
"#;

/// A shell script: catalogs first, then the operators, and the commands that undo it all.
pub(super) fn script(conversion: &Conversion) -> String {
    let mut text = HEAD.to_owned();
    text.push_str("\nforward() {\n");
    for catalog in &conversion.catalogs {
        forward_catalog(catalog, &mut text);
    }
    for (idx, extension) in conversion.extensions.iter().enumerate() {
        forward_extension(idx + 1, extension, &mut text);
    }
    if conversion.extensions.is_empty() {
        text.push_str("  echo 'nothing can move'\n");
    }
    text.push_str("}\n\nback() {\n");
    for extension in conversion.extensions.iter().rev() {
        back_extension(extension, &mut text);
    }
    for catalog in conversion.catalogs.iter().rev().filter(|it| !it.is_adopted) {
        let name = word(&catalog.name);
        text.push_str(&format!("  $kubectl delete clustercatalog {name} --ignore-not-found\n"));
    }
    if conversion.extensions.is_empty() {
        text.push_str("  echo 'nothing has moved'\n");
    }
    text.push_str("}\n\ncase ${1:-forward} in\n  forward | back) \"${1:-forward}\" ;;\n  *) echo 'usage: sh SCRIPT [back]' >&2; exit 2 ;;\nesac\n");
    text
}

/// A comment on one line, whatever the names in it are.
fn comment(words: &str, text: &mut String) {
    text.push_str(&format!("  # {}\n", printable_line(words)));
}

fn forward_catalog(catalog: &CatalogConversion, text: &mut String) {
    let name = word(&catalog.name);
    let sources = catalog.sources.join(", ");
    if catalog.is_adopted {
        comment(&format!("ClusterCatalog {} has the image of CatalogSource {sources}", catalog.name), text);
    } else {
        comment(&format!("ClusterCatalog {} for CatalogSource {sources}", catalog.name), text);
        text.push_str("  $kubectl apply -f - <<'EOF'\n");
        text.push_str(&cluster_catalog(catalog).to_yaml());
        text.push_str("EOF\n");
    }
    text.push_str(&format!("  $kubectl wait clustercatalog/{name} --for=condition=Serving --timeout=10m\n"));
}

fn forward_extension(number: usize, extension: &ExtensionConversion, text: &mut String) {
    let (namespace, subscription) = extension.subscription.split_once('/').unwrap_or_default();
    text.push('\n');
    comment(&format!("{number}. {}: {} in namespace {namespace}", extension.package, extension.installed), text);
    if extension.has_webhooks {
        text.push_str("  # Its webhooks get new certificates, and the operator restarts.\n");
    }
    let backup = word(&format!("{namespace}.{subscription}"));
    text.push_str(&format!(
        "  $converter convert {} -n {} --backup \"$backups\"/{backup}",
        word(subscription),
        word(namespace)
    ));
    // The converter of operators makes no catalogs.
    for it in extension.acknowledged.iter().filter(|it| **it != Acknowledgement::CatalogPriority) {
        text.push_str(&format!(" --acknowledge-{}", it.as_str()));
    }
    if extension.name != subscription {
        text.push_str(&format!(" --ce-name {}", word(&extension.name)));
    }
    text.push_str(&format!(
        "\n  $kubectl wait clusterextension/{} --for=condition=Installed --timeout=10m\n",
        word(&extension.name)
    ));
    for group in &extension.groups {
        text.push_str(&format!(
            "  # No Subscription remains in the namespace.\n  $kubectl delete operatorgroup {} -n {} --cascade=orphan --ignore-not-found\n",
            word(group),
            word(namespace)
        ));
    }
}

fn back_extension(extension: &ExtensionConversion, text: &mut String) {
    let (namespace, subscription) = extension.subscription.split_once('/').unwrap_or_default();
    comment(&format!("{}: back to Subscription {}", extension.package, extension.subscription), text);
    let backup = word(&format!("{namespace}.{subscription}"));
    if !extension.groups.is_empty() {
        text.push_str(&format!("  $kubectl apply -f \"$backups\"/{backup}/operatorgroup.yaml\n"));
    }
    text.push_str(&format!("  $converter rollback {}\n", word(&extension.name)));
    comment(&format!("The Subscription has then the spec {}", extension.way_back), text);
}
