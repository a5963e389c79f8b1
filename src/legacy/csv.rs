//! What a ClusterServiceVersion says that older schemas have no columns for.
//!
//! What it deliberately does not do: fields that neither needs are not looked at, whatever stands in them.

use base64::Engine as _;

use crate::fbc::{Api, csv_metadata};
use crate::json::{self, Kind, Reader, Value};

/// Facts of a ClusterServiceVersion.
#[derive(Debug, Default)]
pub(super) struct CsvFacts {
    pub(super) version: String,
    pub(super) skip_range: String,
    /// Required APIs.
    pub(super) required: Vec<Api>,
    /// Images of deployments, and those that are listed.
    pub(super) images: Vec<String>,
}

fn string(of: Option<Value<'_>>, key: &str) -> String {
    of.and_then(|it| it.get_field(key)).and_then(|it| it.as_str()).unwrap_or_default().into_owned()
}

fn list<'d>(of: Option<Value<'d>>, path: &[&str]) -> impl Iterator<Item = Value<'d>> + use<'d> {
    path.iter().fold(of, |value, key| value.and_then(|it| it.get_field(key))).into_iter().flat_map(|it| it.items())
}

/// Reads facts; `None` if the text is no JSON object.
pub(super) fn facts(bytes: &[u8], reader: &mut Reader) -> Option<CsvFacts> {
    let text = json::decode_utf8(bytes);
    let csv = reader.read(&text).ok().filter(|it| it.kind() == Kind::Object)?;
    let spec = csv.get_field("spec");
    let annotations = csv.get_field("metadata").and_then(|it| it.get_field("annotations"));
    let mut facts = CsvFacts {
        version: string(spec, "version"),
        skip_range: annotations
            .and_then(|it| it.get("olm.skipRange"))
            .and_then(|it| it.as_str())
            .unwrap_or_default()
            .into(),
        ..CsvFacts::default()
    };
    for crd in list(spec, &["customresourcedefinitions", "required"]) {
        let name = string(Some(crd), "name");
        // The name is the plural, a dot and the group.
        let group = name.split_once('.').map_or("", |(_, group)| group).to_owned();
        facts.required.push(Api { group, version: string(Some(crd), "version"), kind: string(Some(crd), "kind") });
    }
    for service in list(spec, &["apiservicedefinitions", "required"]) {
        facts.required.push(Api::of_fields(service));
    }
    facts.images = images(spec);
    Some(facts)
}

/// The images of a ClusterServiceVersion's deployments and of its list.
pub(super) fn images(spec: Option<Value<'_>>) -> Vec<String> {
    let mut images = Vec::new();
    let install = spec.and_then(|it| it.get_field("install"));
    if string(install, "strategy") == "deployment" {
        for deployment in list(install, &["spec", "deployments"]) {
            for containers in ["initContainers", "containers"] {
                let containers = list(Some(deployment), &["spec", "template", "spec", containers]);
                images.extend(containers.map(|it| string(Some(it), "image")));
            }
        }
    }
    images.extend(list(spec, &["relatedImages"]).map(|it| string(Some(it), "image")));
    images
}

/// An icon's bytes and media type.
pub(super) type Icon = (Vec<u8>, String);

/// The icon in a ClusterServiceVersion, as the real tool takes it; `Ok(None)` if there is none or it is empty.
///
/// # Errors
/// The words of Go's decoder if the text is no ClusterServiceVersion; and `Ok(Err(…))` if only the icon's base64 is
/// wrong, which the real tool takes for no icon.
pub(super) fn icon(bytes: &[u8], reader: &mut Reader) -> Result<Result<Option<Icon>, String>, String> {
    let text = json::decode_utf8(bytes);
    if text.trim().is_empty() {
        return Err("unexpected end of JSON input".to_owned());
    }
    let csv = reader.read(&text).map_err(|error| super::survey::go_words(&error))?;
    csv_metadata::check(csv)?;
    let Some(icon) = list(csv.get_field("spec"), &["icon"]).next() else { return Ok(Ok(None)) };
    let data = string(Some(icon), "base64data");
    let mediatype = string(Some(icon), "mediatype");
    let engine = &base64::engine::general_purpose::GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        base64::engine::GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
    );
    let decode = |text: &str| engine.decode(text.replace(['\r', '\n'], ""));
    let Ok(data) = decode(&data).or_else(|_| decode(&data.replace(' ', ""))) else {
        return Ok(Err("the icon is not base64".to_owned()));
    };
    Ok(Ok((!data.is_empty()).then_some((data, mediatype))))
}
