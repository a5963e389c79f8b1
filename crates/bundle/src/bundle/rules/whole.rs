//! The checks that need several parts of a bundle: definitions and the list of owned ones, ServiceAccounts, size, name,
//! images (`docs/behaviour/authoring.md` B.5).

use std::collections::{BTreeMap, BTreeSet};

use super::contents::{Contents, Entry, Object, go_form};
use super::crd::Definition;
use super::node::Field;
use super::problem::{At, Problem};
use super::service_version::Csv;
use super::table as rules;
use crate::bundle::size;
use olmdex_fbc::{Api, Spot, check_image};
use olmdex_version::Version;

/// The largest bundle that OLM can unpack: that of a ConfigMap.
const MAX_SIZE: u64 = 1 << 20;

const KIND: &str = "BundleNotValid";

/// A bundle with its ClusterServiceVersion.
pub(super) struct Parts<'a> {
    pub(super) contents: &'a Contents,
    pub(super) csv: Csv<'a>,
    pub(super) objects: &'a [Object<'a>],
    pub(super) definitions: &'a [Definition<'a>],
    /// The package in the annotations; the real tool, which does not see them here, has none.
    pub(super) package: Option<String>,
}

/// Checks the bundle as a whole.
pub(super) fn check(parts: &Parts<'_>) -> Vec<Problem> {
    let mut found = Vec::new();
    definitions(parts, &mut found);
    service_accounts(parts, &mut found);
    sizes(parts, &mut found);
    released_name(parts, &mut found);
    related_images(&parts.csv, &mut found);
    found
}

/// The APIs of the definitions, with the file of each. v1 comes first.
fn apis(definitions: &[Definition<'_>]) -> Vec<(Api, usize)> {
    let mut apis = Vec::new();
    for is_v1beta1 in [false, true] {
        for definition in definitions.iter().filter(|it| it.is_v1beta1 == is_v1beta1) {
            let names: Vec<&str> = match definition.versions.as_slice() {
                [] if is_v1beta1 => vec![&definition.version],
                versions => versions.iter().map(|it| it.name.as_str()).collect(),
            };
            let (group, kind) = (&definition.group, &definition.kind);
            let gvk = |version: &str| Api { group: group.clone(), version: version.to_owned(), kind: kind.clone() };
            apis.extend(names.into_iter().map(|it| (gvk(it), definition.file)));
        }
    }
    apis
}

fn definitions(parts: &Parts<'_>, found: &mut Vec<Problem>) {
    let mut keys: BTreeMap<Api, usize> = BTreeMap::new();
    for (gvk, file) in apis(parts.definitions) {
        if keys.contains_key(&gvk) {
            let message = format!("two definitions have `{}`", go_form(&gvk));
            let at = At::File(file, Spot::Start);
            found.push(Problem::new(rules::CRD_TWICE, at, message, "keep the definition of v1").reported_as(KIND));
        }
        keys.insert(gvk, file);
    }
    let mut owned_kinds = BTreeSet::new();
    for owned in parts.csv.definitions("owned") {
        if keys.remove(&owned.gvk).is_some() {
            owned_kinds.insert((owned.gvk.group, owned.gvk.kind));
            continue;
        }
        let gvk = owned.gvk;
        let message =
            format!("the ClusterServiceVersion owns `{}`, which no definition in `manifests/` has", go_form(&gvk));
        let at = parts.csv.at(&format!("spec.customresourcedefinitions.owned.{}", owned.idx));
        let help = "add the definition to `manifests/`, or correct name, version and kind of the owned definition";
        found.push(Problem::new(rules::OWNED_MISSING, at, message, help).reported_as(KIND));
    }
    for (gvk, file) in keys {
        if owned_kinds.contains(&(gvk.group.clone(), gvk.kind.clone())) {
            continue;
        }
        let message = format!(
            "the bundle has the definition of `{}`, but the ClusterServiceVersion does not own it",
            go_form(&gvk)
        );
        let help = "list it in `spec.customresourcedefinitions.owned`, or remove the definition";
        let it = Problem::new(rules::WITHOUT_OWNER, At::File(file, Spot::Start), message, help);
        found.push(it.reported_as(KIND));
    }
}

fn service_accounts(parts: &Parts<'_>, found: &mut Vec<Problem>) {
    let deployments = parts.csv.spec("install.spec.deployments");
    let named: BTreeSet<String> =
        deployments.items().map(|it| it.at("spec.template.spec.serviceAccountName").text()).collect();
    for object in parts.objects {
        let is_account = object.kind() == "ServiceAccount" && object.api_version() == "v1";
        let name = object.name();
        if !is_account || !named.contains(&name) {
            continue;
        }
        let message = format!("OLM creates the ServiceAccount `{name}` for a deployment, but the bundle also has it");
        let help = "remove the ServiceAccount from `manifests/`, or rename one of the two";
        let at = At::File(object.file, Spot::Path(vec!["metadata".into(), "name".into()]));
        found.push(Problem::new(rules::ACCOUNT_CLASH, at, message, help).reported_as(KIND));
    }
}

fn sizes(parts: &Parts<'_>, found: &mut Vec<Problem>) {
    let files = parts.contents.manifests().filter(|(_, it)| it.entry == Entry::File);
    let compressed: u64 = files.map(|(_, file)| size::compressed(&file.text)).sum();
    let is_large = compressed > MAX_SIZE;
    if !is_large && compressed * 100 <= MAX_SIZE * 85 {
        return;
    }
    let (size, max) = (in_units(compressed), in_units(MAX_SIZE));
    let help = "shorten descriptions in definitions and examples, or move large objects out of the bundle";
    let at = At::Path("manifests".to_owned());
    let (rule, message) = if is_large {
        (rules::TOO_LARGE, format!("the compressed manifests have {size}, but OLM unpacks at most {max}"))
    } else {
        let message = format!("the compressed manifests have {size}, which is near the limit of {max}");
        (rules::NEARLY_TOO_LARGE, message)
    };
    found.push(Problem::new(rule, at, message, help).reported_as(KIND));
}

/// Bytes in decimal units, with one digit behind the point.
fn in_units(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut unit = 0;
    let mut value = bytes as f64 / 1000.0;
    let units = ["kB", "MB", "GB", "TB"];
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", units.get(unit).copied().unwrap_or_default())
}

/// A bundle with a release is named after package, version and release. The real tool, which reads only `manifests/`,
/// knows no package and so refuses every name.
fn released_name(parts: &Parts<'_>, found: &mut Vec<Problem>) {
    let release = parts.csv.spec("release").text();
    if release.is_empty() {
        return;
    }
    let text = parts.csv.spec("version").text();
    let version = Version::parse_tolerant(&text).map_or(text, |it| it.to_string());
    let name = parts.csv.name();
    let package = parts.package.clone().unwrap_or_default();
    let wanted = format!("{package}-v{version}-{release}");
    let is_wanted = name == wanted;
    let message = if is_wanted {
        format!("operator-sdk knows no package, so it refuses the name `{name}` of a bundle with release `{release}`")
    } else {
        format!("the bundle has release `{release}`, but its name is `{name}`, not `{wanted}`")
    };
    let help = format!("name the ClusterServiceVersion `{wanted}`, or remove `spec.release`");
    let it = Problem::new(rules::RELEASE_NAME, parts.csv.at("metadata.name"), message, help).reported_as(KIND);
    found.push(if is_wanted { it.tool_only() } else { it });
}

fn related_images(csv: &Csv<'_>, found: &mut Vec<Problem>) {
    for (idx, item) in csv.spec("relatedImages").items().enumerate() {
        let image = Field::text_of(item, "image");
        let at = csv.at(&format!("spec.relatedImages.{idx}.image"));
        if image.is_empty() {
            let message = format!("related image {} has no reference", idx + 1);
            let help = "give the reference, or remove the item";
            found.push(Problem::new(rules::RELATED_EMPTY, at, message, help).reported_as(KIND));
        } else if let Err(error) = check_image(&image) {
            let message = format!("`{image}` is not an image reference: {error}");
            let help = "write REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:DIGEST, without a scheme";
            found.push(Problem::new(rules::RELATED_INVALID, at, message, help).reported_as(KIND));
        }
    }
}
