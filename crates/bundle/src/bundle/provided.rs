//! The APIs that a bundle provides, and whether it provides those that its ClusterServiceVersion owns.

use std::collections::BTreeSet;

use super::error::BundleError;
use super::manifest::Manifest;
use olmdex_fbc::Api;
use olmdex_fbc::service_version::CsvView;
use olmdex_text::json::Value;

/// An API with the plural of its definition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProvidedApi {
    pub(super) api: Api,
    pub(super) plural: String,
}

impl std::fmt::Display for ProvidedApi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Api { group, version, kind } = &self.api;
        write!(f, "{group}/{version}/{kind} ({})", self.plural)
    }
}

/// The APIs of the definitions among the manifests, and of the servers that the ClusterServiceVersion owns.
pub(super) fn provided(
    name: &str,
    manifests: &[Manifest],
    csv: Value<'_>,
) -> Result<BTreeSet<ProvidedApi>, BundleError> {
    let mut provided = BTreeSet::new();
    for manifest in manifests.iter().filter(|it| it.kind == "CustomResourceDefinition") {
        let is_old = manifest.api_version == "apiextensions.k8s.io/v1beta1";
        if is_old || manifest.api_version == "apiextensions.k8s.io/v1" {
            provided.extend(of_definition(manifest.value(), is_old));
        }
    }
    // One that is null is an empty one.
    if csv.get("spec").is_none() {
        let opm =
            "error getting apiservice definitions: error unmarshaling into object map: unexpected end of JSON input";
        let message = "has a ClusterServiceVersion without `spec`".to_owned();
        return Err(BundleError::Apis { bundle: name.to_owned(), message, opm: opm.to_owned() });
    }
    let csv = CsvView::of_manifest(csv);
    provided.extend(csv.services("owned").map(|it| ProvidedApi { api: it.api, plural: it.name }));
    for owned in csv.definitions("owned") {
        let wrong = |message: String, opm: String| BundleError::Apis { bundle: name.to_owned(), message, opm };
        let Some((plural, _)) = owned.name.split_once('.') else {
            let message = format!("owns a definition `{}`, whose name is not PLURAL.GROUP", owned.name);
            return Err(wrong(message, format!("couldn't parse plural.group from crd name: {}", owned.name)));
        };
        let wanted = ProvidedApi { plural: plural.to_owned(), api: owned.api };
        if !provided.contains(&wanted) {
            let found: Vec<String> = provided.iter().map(|it| format!("{it}:{{}}")).collect();
            let message = format!("owns {wanted}, which no definition in `manifests/` provides");
            let opm = format!("couldn't find {wanted} in bundle. found: map[{}]", found.join(" "));
            return Err(wrong(message, opm));
        }
    }
    Ok(provided)
}

fn of_definition(definition: Value<'_>, is_old: bool) -> Vec<ProvidedApi> {
    let Some(spec) = definition.get("spec") else { return Vec::new() };
    let text = |of: Option<Value<'_>>| of.and_then(|it| it.as_str()).unwrap_or_default().into_owned();
    let names = spec.get("names");
    let (kind, plural) = (text(names.and_then(|it| it.get("kind"))), text(names.and_then(|it| it.get("plural"))));
    let group = text(spec.get("group"));
    let of_list = spec.get("versions").into_iter().flat_map(|it| it.items()).map(|it| text(it.get("name")));
    // Only v1beta1 has one version beside the list. A version of the list that has no name counts all the same.
    let single = Some(text(spec.get("version"))).filter(|it| is_old && !it.is_empty());
    let versions: BTreeSet<String> = of_list.chain(single).collect();
    let api = |version: String| ProvidedApi {
        api: Api { group: group.clone(), version, kind: kind.clone() },
        plural: plural.clone(),
    };
    versions.into_iter().map(api).collect()
}
