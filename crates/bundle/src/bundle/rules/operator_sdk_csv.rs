//! The ClusterServiceVersion by itself (`docs/behaviour/authoring.md` B.6).

use super::examples;
use super::names::{dns1123_subdomain, label_value};
use super::problem::{Observed, Problem};
use super::service_version::Csv;
use super::table as rules;
use olmdex_base::diag::Severity::{Error, Warning};
use olmdex_text::json::Kind;
use olmdex_version::blang::{HOW_TO_WRITE_A_RANGE, Range};
use olmdex_version::{Quoted, Version};

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
        let mut wrong = dns1123_subdomain(&name);
        wrong.extend(label_value(&name));
        if !is_checked || wrong.is_empty() {
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
        let wording = csv.says(Error, &format!("{field} {} is invalid: {}", Quoted(&name), wrong.join(",")));
        found.push(Problem::new(rules::CSV_NAME, csv.at(field), message, help).observed(wording));
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
        found.push(it.observed(csv.says(Error, "install modes not found")));
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
            let wording = "only AllNamespaces InstallModeType is supported when conversionCRDs is present";
            found.push(Problem::new(rules::CONVERSION_MODES, at, message, help).observed(csv.says(Error, wording)));
        }
    }
    if !modes.iter().any(|(_, supported)| *supported) {
        let message = "no install mode is supported, so OLM cannot install the operator anywhere";
        let it = Problem::new(rules::INSTALL_MODES_UNSUPPORTED, at(), message, "set `supported: true` for one of them");
        found.push(it.observed(csv.says(Error, "none of InstallModeTypes are supported")));
    }
}

/// The lowest version of Kubernetes, which two validators ask for.
pub(super) fn min_kube_version(csv: &Csv<'_>) -> Option<Problem> {
    let text = csv.spec("minKubeVersion").text();
    if text.trim().is_empty() {
        let message = "`spec.minKubeVersion` is missing, so OLM offers the operator to every cluster";
        let help = "state the lowest version of Kubernetes, for example `minKubeVersion: 1.25.0`";
        let wording = "csv.Spec.minKubeVersion is not informed. It is recommended you provide this information. Otherwise, it would mean that your operator project can be distributed and installed in any cluster version available, which is not necessarily the case for all projects.";
        let it = Problem::new(rules::MIN_KUBE_ABSENT, csv.at("spec"), message, help);
        return Some(it.observed(csv.says(Warning, wording)));
    }
    let error = Version::parse(&text).err()?;
    let message = format!("`spec.minKubeVersion` is not a version: `{text}`: {error}");
    let it = Problem::new(
        rules::MIN_KUBE_INVALID,
        csv.at("spec.minKubeVersion"),
        message,
        "write all three numbers and no `v`, for example `1.25.0`",
    );
    Some(it.observed(csv.says(Error, &format!("csv.Spec.MinKubeVersion has an invalid value: {text}"))))
}

/// The fields that Go's type does not mark as optional, with Go's names.
fn required_fields(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    let mut add = |go: &str, kind: &str, path: &str| {
        let what = match path {
            "" => "neither `apiVersion` nor `kind`".to_owned(),
            it => format!("no `{it}`"),
        };
        let message = format!("the ClusterServiceVersion has {what}");
        let wording = Observed {
            level: Error,
            kind: "FieldNotFound".to_owned(),
            field: go.to_owned(),
            value: Some(kind.to_owned()),
            detail: "required field missing".to_owned(),
        };
        let help = if path.is_empty() { "add both" } else { "add the field" };
        found.push(Problem::new(rules::FIELD_ABSENT, csv.at(path), message, help).observed(wording));
    };
    let root = csv.node;
    if root.text_of("apiVersion").is_empty() && root.text_of("kind").is_empty() {
        add("TypeMeta", "struct", "");
    }
    if !root.get("metadata").is_filled() {
        add("ObjectMeta", "struct", "metadata");
    }
    let spec = root.get("spec");
    if !spec.is_filled() {
        add("Spec", "struct", "spec");
        return;
    }
    let install = spec.get("install");
    if install.text_of("strategy").is_empty() && !install.get("spec").is_filled() {
        add("Spec.InstallStrategy", "struct", "spec.install");
    } else {
        if install.text_of("strategy").is_empty() {
            add("Spec.InstallStrategy.StrategyName", "field", "spec.install.strategy");
        }
        let strategy = install.get("spec");
        if strategy.is_filled() && strategy.get("deployments").kind() != Kind::Array {
            add("Spec.InstallStrategy.StrategySpec.DeploymentSpecs", "field", "spec.install.spec.deployments");
        }
    }
    if spec.text_of("displayName").is_empty() {
        add("Spec.DisplayName", "field", "spec.displayName");
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
            let wording = format!("provided annotation {key} uses wrong case and should be {meant} instead");
            let wording = Observed::new(Error, "ValidationFailed", csv.name(), wording);
            let it = Problem::new(rules::ANNOTATION_CASE, csv.at_annotation(&key), message, format!("write `{meant}`"));
            found.push(it.observed(wording));
        }
        if key == "olm.skipRange" {
            found.extend(skip_range(csv));
        }
        if key == "olm.properties" {
            let message = "an annotation of the ClusterServiceVersion holds the properties";
            let help = "move them to `metadata/properties.yaml`";
            let wording =
                "found olm.properties annotation, please define these properties in metadata/properties.yaml instead";
            let wording = Observed::new(Warning, "PropertiesAnnotationUsed", "", wording);
            found.push(
                Problem::new(rules::PROPERTIES_ANNOTATION, csv.at_annotation(&key), message, help).observed(wording),
            );
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
        found.push(it.observed(csv.says(Error, "'apiVersion' is missing")));
    }
}
