//! The refusals of opm about `manifests/` (`docs/behaviour/authoring.md` B.3).

use std::collections::BTreeSet;

use super::contents::{Contents, Entry, File, Object};
use super::crd::{self, Definition};
use super::format::media_type;
use super::loader::{CRD_V1, CRD_V1BETA1};
use super::node::Field;
use super::objects::printed_head;
use super::operator_sdk_csv;
use super::problem::{At, Observed, Problem};
use super::service_version::Csv;
use super::table as rules;
use olmdex_base::diag::Severity::Error;
use olmdex_fbc::Spot;
use olmdex_text::gotype::{Decoder, GoType};
use olmdex_version::Quoted;

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
    if media_type == Ok("helm") {
        return found;
    }
    let of_tool = |text: String| {
        let at = At::Path("manifests".to_owned());
        Problem::new(rules::UNREADABLE_MANIFEST, at, "", "").wording(text).tool_only()
    };
    if let Err(error) = &media_type {
        found.push(of_tool(error.clone()));
    }
    if !contents.has_manifests {
        found.push(of_tool(format!("open {}: no such file or directory", contents.shown("manifests"))));
    }
    let mut kept = Vec::new();
    let mut bundle = String::new();
    for (number, file) in contents.manifests() {
        if file.entry != Entry::File {
            let path = contents.shown(&file.path);
            found.push(of_tool(format!("Unable to read file {path} in supported types")));
            continue;
        }
        match file.object(number) {
            Err(error) => found.push(of_tool(error.go)),
            Ok(object) => {
                kept.push(object);
                if media_type == Ok("registry+v1") && !is_supported(&object.kind()) {
                    found.push(unsupported(contents, file, &object));
                } else if object.kind() == "ClusterServiceVersion" {
                    service_version(&object, &mut bundle, &mut found);
                } else if object.kind() == "CustomResourceDefinition" {
                    definition(&object, &mut found);
                } else {
                    found.extend(without_name(&object));
                }
            }
        }
    }
    registry(&kept, &bundle, &mut found);
    found
}

fn unsupported(contents: &Contents, file: &File, object: &Object<'_>) -> Problem {
    let kind = object.kind();
    let message = format!("a bundle cannot contain a {kind}");
    let help = "remove the object; the operator can create it, and a Deployment belongs in the ClusterServiceVersion";
    let at = At::File(object.file, Spot::Path(vec!["kind".into()]));
    let path = contents.shown(&file.path);
    Problem::new(rules::UNSUPPORTED_KIND, at, message, help)
        .wording(format!("{kind} is not supported type for registryV1 bundle: {path}"))
}

fn service_version(object: &Object<'_>, bundle: &mut String, found: &mut Vec<Problem>) {
    if let Some(misfit) = GoType::SERVICE_VERSION.misfit(object.value, Decoder::Converter) {
        let at = At::File(object.file, Spot::Start);
        found.push(Problem::new(rules::MISFIT, at, "", "").wording(misfit.go).tool_only());
        return;
    }
    let csv = Csv::new(*object);
    *bundle = csv.name();
    found.extend(operator_sdk_csv::check(&csv).into_iter().filter(is_error).map(Problem::tool_only));
}

fn is_error(it: &Problem) -> bool {
    it.observed.as_ref().is_some_and(|it| it.level == Error)
}

fn definition(object: &Object<'_>, found: &mut Vec<Problem>) {
    let version = object.api_version();
    if version != CRD_V1 && version != CRD_V1BETA1 {
        let at = At::File(object.file, Spot::Start);
        let it = Problem::new(rules::MISFIT, at, "", "");
        found.push(it.wording(format!("Unsupported api version of CRD: {version}")).tool_only());
        return;
    }
    let of = if version == CRD_V1 { GoType::DEFINITION } else { GoType::OLD_DEFINITION };
    if let Some(misfit) = of.misfit(object.value, Decoder::Yaml) {
        let at = At::File(object.file, Spot::Start);
        let wording = format!("error unmarshaling JSON: while decoding JSON: {}", misfit.go);
        found.push(Problem::new(rules::MISFIT, at, "", "").wording(wording).tool_only());
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
    let wording = format!(
        "error validating object metadata: metadata.name: Required value: name or generateName is required. &{{{}}}",
        printed_head(node)
    );
    Some(Problem::new(rules::WITHOUT_NAME, at, message, "set `metadata.name`").wording(wording))
}

/// The registry's own look at the bundle, which knows definitions by their names.
fn registry(objects: &[Object<'_>], bundle: &str, found: &mut Vec<Problem>) {
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
            let wording = format!("owned CRD {name}/{version} not found in bundle {}", Quoted(bundle));
            let wording =
                Observed::new(Error, "BundleNotValid", format!("{{{group} {kind} {name} {version}}}"), wording);
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
                    "the ClusterServiceVersion states a `group` for the definition `{name}` that it owns, which opm refuses"
                );
                (message, "remove `group`: it follows from the name")
            };
            let it = Problem::new(rules::OWNED_MISSING, at, message, help).observed(wording);
            found.push(if is_there { it } else { it.tool_only() });
        }
    }
    let release = csv.spec("release").text();
    let substitutes = csv.annotation("olm.substitutesFor").unwrap_or_default();
    if !release.is_empty() && !substitutes.is_empty() {
        let (name, release, instead) = (Quoted(bundle), Quoted(&release), Quoted(&substitutes));
        let wording = format!(
            "bundle {name} cannot have both a release version ({release}) and olm.substitutesFor annotation ({instead})"
        );
        let wording = Observed::new(Error, "BundleNotValid", "{   }", wording);
        let message = "the bundle has a release, and also substitutes for another bundle";
        let help = "remove `spec.release` or the annotation `olm.substitutesFor`";
        found.push(
            Problem::new(rules::RELEASE_AND_SUBSTITUTE, csv.at_annotation("olm.substitutesFor"), message, help)
                .observed(wording),
        );
    }
}
