//! Good practices: requests of containers, descriptions, names of channels and versions, permissions on definitions
//! (`docs/behaviour/authoring.md` B.8).

use super::node::Field;
use super::problem::{At, Problem};
use super::service_version::Csv;
use super::table as rules;
use olmdex_base::diag::Listed;
use olmdex_fbc::Spot;
use olmdex_text::json::Kind;
use olmdex_version::Version;

const KIND: &str = "ValidationFailed";

/// The channels of a bundle, and the file that names them.
pub(super) struct Channels {
    pub(super) file: usize,
    pub(super) names: Vec<String>,
}

/// Checks good practices.
pub(super) fn check(csv: &Csv<'_>, channels: Option<&Channels>) -> Vec<Problem> {
    let mut found = Vec::new();
    requests(csv, &mut found);
    descriptions(csv, &mut found);
    found.extend(channels.and_then(channel_names));
    permissions(csv, &mut found);
    name(csv, &mut found);
    found
}

fn requests(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    let deployments = csv.spec("install.spec.deployments");
    if deployments.kind() != Kind::Array {
        let it = Problem::new(
            rules::WITHOUT_DEPLOYMENTS,
            csv.at("spec.install.spec.deployments"),
            "the ClusterServiceVersion installs no deployment",
            "list the operator's deployment in `spec.install.spec.deployments`",
        );
        found.push(it.reported_as(KIND));
        return;
    }
    for (idx, deployment) in deployments.items().enumerate() {
        for (number, container) in deployment.at("spec.template.spec.containers").items().enumerate() {
            if container.at("resources.requests").kind() == Kind::Object {
                continue;
            }
            let name = container.text_of("name");
            let path = format!("spec.install.spec.deployments.{idx}.spec.template.spec.containers.{number}");
            let message = format!("container `{name}` requests neither CPU nor memory");
            let help = "set `resources.requests`; clusters with quotas refuse pods without them";
            let it = Problem::new(rules::WITHOUT_REQUESTS, csv.at(&path), message, help);
            found.push(it.reported_as(KIND));
        }
    }
}

fn descriptions(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    for which in ["owned", "required"] {
        for listed in csv.definitions(which).into_iter().filter(|it| it.node.text_of("description").is_empty()) {
            let message = format!("the {which} definition `{}` has no description", listed.name);
            let at = csv.at(&format!("spec.customresourcedefinitions.{which}.{}", listed.idx));
            let it = Problem::new(
                rules::WITHOUT_DESCRIPTION,
                at,
                message,
                "describe the purpose of the resource in `description`",
            );
            found.push(it.reported_as(KIND));
        }
    }
}

/// The real tool reports nothing about channels here, since it does not read `metadata/`.
fn channel_names(channels: &Channels) -> Option<Problem> {
    let mut odd: Vec<&str> = Vec::new();
    for name in channels.names.iter().map(|it| it.trim()).filter(|it| !it.is_empty()) {
        let is_usual = ["candidate", "fast", "stable"].iter().any(|it| name.starts_with(it));
        if !is_usual && !odd.contains(&name) {
            odd.push(name);
        }
    }
    if odd.is_empty() {
        return None;
    }
    let message = format!("channel names usually begin with candidate, fast or stable: {}", Listed::quoted(&odd));
    let key = "operators.operatorframework.io.bundle.channels.v1";
    let at = At::File(channels.file, Spot::Path(vec!["annotations".into(), key.into()]));
    let help = "rename the channels, or ignore this finding if users know their names";
    Some(Problem::new(rules::CHANNEL_NAME, at, message, help))
}

fn permissions(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    let has = |node: Field<'_>, key: &str, wanted: &[&str]| {
        node.get(key).texts().iter().any(|it| wanted.contains(&it.as_str()))
    };
    for which in ["permissions", "clusterPermissions"] {
        for (permission, rule, node) in csv.rules(which) {
            let is_meant = has(node, "apiGroups", &["apiextensions.k8s.io"])
                && has(node, "resources", &["customresourcedefinitions", "*", "[*]"])
                && has(node, "verbs", &["create", "*", "[*]", "patch"]);
            if !is_meant {
                continue;
            }
            let message =
                "the operator has permission to create or change CustomResourceDefinitions, which is OLM's task";
            let help = "add the definitions to the bundle, or depend on the operator that owns them";
            let at = csv.at(&format!("spec.install.spec.{which}.{permission}.rules.{rule}"));
            let it = Problem::new(rules::MAY_CREATE_CRDS, at, message, help);
            found.push(it.reported_as(KIND));
            // The real validator stops at the first.
            return;
        }
    }
}

/// The version at the end of a name: three numbers, then pre-release and build metadata.
fn version_at_end(name: &str) -> Option<&str> {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let is_word = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    let is_version = |text: &str| {
        let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
        let (numbers, pre) = text.split_once('-').map_or((text, None), |(text, pre)| (text, Some(pre)));
        let numbers: Vec<&str> = numbers.split('.').collect();
        numbers.len() == 3
            && numbers.iter().all(|it| is_number(it))
            && pre.is_none_or(|it| it.split('.').all(is_word))
            && build.is_none_or(is_word)
    };
    let starts = name.char_indices().filter(|(_, c)| c.is_ascii_digit());
    starts.map(|(at, _)| &name[at..]).find(|it| is_version(it))
}

fn name(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    let name = csv.name();
    let mut add = |message: String| {
        let help = "name it PACKAGE.vMAJOR.MINOR.PATCH, for example `shop.v1.2.0`";
        let it = Problem::new(rules::NAME_CONVENTION, csv.at("metadata.name"), message, help);
        found.push(it.reported_as(KIND));
    };
    if version_at_end(&name).is_none_or(|it| Version::parse(it).is_err()) {
        add(format!("the name `{name}` does not end with a version"));
    }
    if name.split(".v").count() != 2 {
        add(format!("the name `{name}` does not have the form NAME.vVERSION"));
    }
}
