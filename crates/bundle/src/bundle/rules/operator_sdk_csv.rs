//! The ClusterServiceVersion by itself (`docs/behaviour/authoring.md` B.6).

use super::examples;
use super::names::{dns1123_subdomain, is_label_value};
use super::problem::Problem;
use super::service_version::{Csv, KIND};
use super::table as rules;
use olmdex_text::json::Kind;
use olmdex_version::Version;
use olmdex_version::blang::{HOW_TO_WRITE_A_RANGE, Range};

/// Checks the ClusterServiceVersion.
pub(super) fn check(csv: &Csv<'_>) -> Vec<Problem> {
    let mut found = Vec::new();
    names(csv, &mut found);
    examples::check(csv, &mut found);
    install_modes(csv, &mut found);
    found.extend(min_kube_version(csv));
    required_fields(csv, &mut found);
    annotations(csv, &mut found);
    type_of_object(csv, &mut found);
    found
}

fn names(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    let replaces = csv.spec("replaces").text();
    let both = [("metadata.name", csv.name(), true), ("spec.replaces", replaces.clone(), !replaces.is_empty())];
    for (field, name, is_checked) in both {
        if !is_checked || (dns1123_subdomain(&name).is_empty() && is_label_value(&name)) {
            continue;
        }
        let message = match name.len() {
            0 => format!("`{field}` is empty"),
            1..=63 => format!("`{field}` is not a valid Kubernetes name: `{name}`"),
            n => format!(
                "`{field}` has {n} characters, but OLM writes it into a label, which holds at most 63: `{name}`"
            ),
        };
        let help = "use at most 63 lower-case letters, digits, `-` and `.`, with a letter or digit at both ends";
        found.push(Problem::new(rules::CSV_NAME, csv.at(field), message, help).reported_as(KIND));
    }
}

fn install_modes(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    let modes: Vec<(String, bool)> =
        csv.spec("installModes").items().map(|it| (it.text_of("type"), it.get("supported").is_true())).collect();
    let at = || csv.at("spec.installModes");
    if modes.is_empty() {
        let help = "list OwnNamespace, SingleNamespace, MultiNamespace and AllNamespaces, each with `supported`";
        let it =
            Problem::new(rules::INSTALL_MODES_ABSENT, at(), "the ClusterServiceVersion has no install modes", help);
        found.push(it.reported_as(KIND));
        return;
    }
    for (idx, (mode, _)) in modes.iter().enumerate() {
        if modes.iter().take(idx).any(|(it, _)| it == mode) {
            let message = format!("install mode `{mode}` is listed twice");
            let at = csv.at(&format!("spec.installModes.{idx}"));
            found.push(Problem::new(
                rules::INSTALL_MODE_TWICE,
                at,
                message,
                "keep one of the two; the last one counts",
            ));
        }
    }
    let only_all = modes.iter().all(|(mode, supported)| (mode == "AllNamespaces") == *supported);
    for (idx, webhook) in csv.spec("webhookdefinitions").items().enumerate() {
        if webhook.get("conversionCRDs").n_items() > 0 && !only_all {
            let message = "a conversion webhook serves the whole cluster, but the operator supports install modes \
                other than AllNamespaces";
            let help = "support only AllNamespaces, or remove `conversionCRDs`";
            let at = csv.at(&format!("spec.webhookdefinitions.{idx}.conversionCRDs"));
            found.push(Problem::new(rules::CONVERSION_MODES, at, message, help).reported_as(KIND));
        }
    }
    if !modes.iter().any(|(_, supported)| *supported) {
        let message = "no install mode is supported, so OLM cannot install the operator anywhere";
        let it = Problem::new(rules::INSTALL_MODES_UNSUPPORTED, at(), message, "set `supported: true` for one of them");
        found.push(it.reported_as(KIND));
    }
}

/// The lowest version of Kubernetes, which two validators ask for.
pub(super) fn min_kube_version(csv: &Csv<'_>) -> Option<Problem> {
    let text = csv.spec("minKubeVersion").text();
    if text.trim().is_empty() {
        let message = "`spec.minKubeVersion` is missing, so OLM offers the operator to every cluster";
        let help = "state the lowest version of Kubernetes, for example `minKubeVersion: 1.25.0`";
        let it = Problem::new(rules::MIN_KUBE_ABSENT, csv.at("spec"), message, help);
        return Some(it.reported_as(KIND));
    }
    let error = Version::parse(&text).err()?;
    let message = format!("`spec.minKubeVersion` is not a version: `{text}`: {error}");
    let it = Problem::new(
        rules::MIN_KUBE_INVALID,
        csv.at("spec.minKubeVersion"),
        message,
        "write all three numbers and no `v`, for example `1.25.0`",
    );
    Some(it.reported_as(KIND))
}

/// The fields that Go's type does not mark as optional.
fn required_fields(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    let mut add = |path: &str| {
        let what = match path {
            "" => "neither `apiVersion` nor `kind`".to_owned(),
            it => format!("no `{it}`"),
        };
        let message = format!("the ClusterServiceVersion has {what}");
        let help = if path.is_empty() { "add both" } else { "add the field" };
        found.push(Problem::new(rules::FIELD_ABSENT, csv.at(path), message, help).reported_as("FieldNotFound"));
    };
    let root = csv.node;
    if root.text_of("apiVersion").is_empty() && root.text_of("kind").is_empty() {
        add("");
    }
    if !root.get("metadata").is_filled() {
        add("metadata");
    }
    let spec = root.get("spec");
    if !spec.is_filled() {
        add("spec");
        return;
    }
    let install = spec.get("install");
    if install.text_of("strategy").is_empty() && !install.get("spec").is_filled() {
        add("spec.install");
    } else {
        if install.text_of("strategy").is_empty() {
            add("spec.install.strategy");
        }
        let strategy = install.get("spec");
        if strategy.is_filled() && strategy.get("deployments").kind() != Kind::Array {
            add("spec.install.spec.deployments");
        }
    }
    if spec.text_of("displayName").is_empty() {
        add("spec.displayName");
    }
}

/// Annotations in which OLM minds letter case.
const CASED: [&str; 5] =
    ["olm.operatorGroup", "olm.operatorNamespace", "olm.targetNamespaces", "olm.providedAPIs", "olm.skipRange"];

fn annotations(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    for (key, _) in csv.node.at("metadata.annotations").map() {
        let meant = CASED.into_iter().find(|it| it.to_lowercase() == key.to_lowercase() && *it != key);
        if let Some(meant) = meant {
            let message = format!("the annotation `{key}` is not `{meant}`, and OLM does not read it");
            let it = Problem::new(rules::ANNOTATION_CASE, csv.at_annotation(&key), message, format!("write `{meant}`"));
            found.push(it.reported_as("ValidationFailed"));
        }
        if key == "olm.skipRange" {
            found.extend(skip_range(csv));
        }
        if key == "olm.properties" {
            let message = "an annotation of the ClusterServiceVersion holds the properties";
            let help = "move them to `metadata/properties.yaml`";
            let it = Problem::new(rules::PROPERTIES_ANNOTATION, csv.at_annotation(&key), message, help);
            found.push(it.reported_as("PropertiesAnnotationUsed"));
        }
    }
}

/// A range that a catalog refuses. The real validators do not read it.
fn skip_range(csv: &Csv<'_>) -> Option<Problem> {
    let range = csv.annotation("olm.skipRange").filter(|it| !it.is_empty())?;
    let (what, help) = match Range::parse(&range) {
        Err(error) => (format!("is not a version range: {}", error.plain()), HOW_TO_WRITE_A_RANGE),
        Ok(it) if it.has_empty_group() => {
            ("has an empty alternative, which makes OLM crash".to_owned(), "remove the extra `||`")
        }
        Ok(_) => return None,
    };
    let message = format!("`olm.skipRange: {range}` {what}");
    Some(Problem::new(rules::SKIP_RANGE, csv.at_annotation("olm.skipRange"), message, help))
}

fn type_of_object(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    if csv.object.gvk().version.is_empty() {
        let help = "add `apiVersion: operators.coreos.com/v1alpha1`";
        let it =
            Problem::new(rules::API_VERSION_ABSENT, csv.at(""), "the ClusterServiceVersion has no `apiVersion`", help);
        found.push(it.reported_as(KIND));
    }
}
