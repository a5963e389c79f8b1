//! The refusals of opm about `manifests/` (`docs/behaviour/authoring.md` B.3).

use std::collections::BTreeSet;

use super::contents::{Contents, Entry, Object};
use super::crd::{self, Definition};
use super::format::media_type;
use super::loader::{CRD_V1, CRD_V1BETA1};
use super::node::Field;
use super::operator_sdk_csv;
use super::problem::{At, Problem};
use super::service_version::Csv;
use super::table as rules;
use olmdex_base::diag::{Rule, Severity};
use olmdex_fbc::Spot;
use olmdex_text::gotype::{Decoder, GoType};

/// Kinds that a bundle may have.
const SUPPORTED: [&str; 22] = [
    "ClusterServiceVersion",
    "CustomResourceDefinition",
    "Secret",
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "ServiceAccount",
    "Service",
    "Role",
    "RoleBinding",
    "PrometheusRule",
    "ServiceMonitor",
    "PodMonitor",
    "PodDisruptionBudget",
    "PriorityClass",
    "VerticalPodAutoscaler",
    "ConsoleYAMLSample",
    "ConsoleQuickStart",
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "NetworkPolicy",
];

/// Whether OLM applies objects of a kind.
pub(super) fn is_supported(kind: &str) -> bool {
    SUPPORTED.contains(&kind)
}

/// Checks the content as opm does. A problem that the other validators find too is marked as not ours here.
pub(super) fn check(contents: &Contents) -> Vec<Problem> {
    let mut found = Vec::new();
    let media_type = media_type(contents);
    if media_type == Some("helm") {
        return found;
    }
    let manifests = || At::Path("manifests".to_owned());
    if media_type.is_none() {
        found.push(found_before(rules::EMPTY, manifests()));
    }
    if !contents.has_manifests {
        found.push(found_before(rules::DIRECTORIES, manifests()));
    }
    let mut kept = Vec::new();
    for (number, file) in contents.manifests() {
        if file.entry != Entry::File {
            found.push(found_before(rules::UNREADABLE_MANIFEST, At::Path(file.path.clone())));
            continue;
        }
        match file.object(number) {
            Err(_) => found.push(found_before(rules::UNREADABLE_MANIFEST, At::Path(file.path.clone()))),
            Ok(object) => {
                kept.push(object);
                if media_type == Some("registry+v1") && !is_supported(&object.kind()) {
                    found.push(unsupported(&object));
                } else if object.kind() == "ClusterServiceVersion" {
                    service_version(&object, &mut found);
                } else if object.kind() == "CustomResourceDefinition" {
                    definition(&object, &mut found);
                } else {
                    found.extend(without_name(&object));
                }
            }
        }
    }
    registry(&kept, &mut found);
    found
}

/// A problem that another validator reports in words.
fn found_before(rule: &'static Rule, at: At) -> Problem {
    Problem::new(rule, at, "", "").reported().tool_only()
}

pub(super) fn unsupported(object: &Object<'_>) -> Problem {
    let message = format!("a bundle cannot contain a {}", object.kind());
    let help = "remove the object; the operator can create it, and a Deployment belongs in the ClusterServiceVersion";
    let at = At::File(object.file, Spot::Path(vec!["kind".into()]));
    Problem::new(rules::UNSUPPORTED_KIND, at, message, help).reported()
}

fn service_version(object: &Object<'_>, found: &mut Vec<Problem>) {
    if GoType::SERVICE_VERSION.misfit(object.value, Decoder::Converter).is_some() {
        found.push(found_before(rules::MISFIT, At::File(object.file, Spot::Start)));
        return;
    }
    let csv = Csv::new(*object);
    found.extend(operator_sdk_csv::check(&csv).into_iter().filter(is_error).map(Problem::tool_only));
}

fn is_error(it: &Problem) -> bool {
    it.kind.is_some() && it.rule.severity == Severity::Error
}

fn definition(object: &Object<'_>, found: &mut Vec<Problem>) {
    let version = object.api_version();
    if version != CRD_V1 && version != CRD_V1BETA1 {
        found.push(found_before(rules::MISFIT, At::File(object.file, Spot::Start)));
        return;
    }
    let of = if version == CRD_V1 { GoType::DEFINITION } else { GoType::OLD_DEFINITION };
    if of.misfit(object.value, Decoder::Yaml).is_some() {
        found.push(found_before(rules::MISFIT, At::File(object.file, Spot::Start)));
    } else if let Some(definition) = Definition::of(object) {
        let mut of_definition = Vec::new();
        crd::check(&definition, &mut of_definition);
        found.extend(of_definition.into_iter().map(Problem::tool_only));
    }
}

fn without_name(object: &Object<'_>) -> Option<Problem> {
    let node = Field(Some(object.value));
    let metadata = node.get("metadata");
    if !metadata.text_of("name").is_empty() || !metadata.text_of("generateName").is_empty() {
        return None;
    }
    let message = format!("the {} has no name", object.kind());
    let at = At::File(object.file, Spot::Path(vec!["metadata".into()]));
    Some(Problem::new(rules::WITHOUT_NAME, at, message, "set `metadata.name`").reported())
}

/// The registry's own look at the bundle, which knows definitions by their names.
fn registry(objects: &[Object<'_>], found: &mut Vec<Problem>) {
    let Some(object) = objects.iter().find(|it| it.kind() == "ClusterServiceVersion") else { return };
    let csv = Csv::new(*object);
    let mut keys = BTreeSet::new();
    for definition in objects.iter().filter_map(Definition::of) {
        let (name, kind) = (&definition.name, &definition.kind);
        let mut add = |version: &str| {
            keys.insert((kind.clone(), name.clone(), version.to_owned()));
        };
        if definition.version.is_empty() {
            definition.versions.iter().for_each(|it| add(&it.name));
        } else {
            add(&definition.version);
        }
    }
    for owned in csv.definitions("owned") {
        let (name, version, kind) = (&owned.name, &owned.gvk.version, &owned.gvk.kind);
        // A key with a group is in no definition.
        let group = owned.node.text_of("group");
        if !group.is_empty() || !keys.remove(&(kind.clone(), name.clone(), version.clone())) {
            let at = csv.at(&format!("spec.customresourcedefinitions.owned.{}", owned.idx));
            // operator-sdk compares group, version and kind, and reports the error if none of the definitions has them.
            // A definition with a wrong name has a rule of its own.
            let is_there = objects.iter().filter_map(Definition::of).any(|it| {
                let gvk = &owned.gvk;
                let has = it.version == gvk.version || it.versions.iter().any(|it| it.name == gvk.version);
                has && it.group == gvk.group && it.kind == gvk.kind && it.is_well_named()
            });
            let (message, help) = if group.is_empty() {
                let what = "whose definition has another name, or is owned twice";
                let message = format!("the ClusterServiceVersion owns `{name}` {version} as {kind}, {what}");
                (message, "correct name, version and kind of the owned definition, and list it once")
            } else {
                let message = format!(
                    "opm refuses the `group` that the ClusterServiceVersion states for the definition `{name}`"
                );
                (message, "remove `group`: it follows from the name")
            };
            let it = Problem::new(rules::OWNED_MISSING, at, message, help).reported_as("BundleNotValid");
            found.push(if is_there { it } else { it.tool_only() });
        }
    }
    let substitutes = csv.annotation("olm.substitutesFor").unwrap_or_default();
    if !csv.spec("release").text().is_empty() && !substitutes.is_empty() {
        let message = "the bundle has a release, and also substitutes for another bundle";
        let help = "remove `spec.release` or the annotation `olm.substitutesFor`";
        let at = csv.at_annotation("olm.substitutesFor");
        let it = Problem::new(rules::RELEASE_AND_SUBSTITUTE, at, message, help);
        found.push(it.reported_as("BundleNotValid"));
    }
}
