//! The ClusterServiceVersion that opm's server makes of an `olm.csv.metadata` property, for clients that ask for one
//! (`docs/behaviour/serving.md` B.4).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::csv_metadata::{CSV_METADATA, Fields, always, some, text};
use super::typed::Bundle;
use olmdex_text::gotype::{FieldKind, GoType};
use olmdex_text::json::{self, Value};

/// The fields that the package of a bundle adds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageFacts {
    /// Its description; empty without one.
    pub description: String,
    /// Its icon: media type and bytes.
    pub icon: Option<(String, Vec<u8>)>,
}

/// The ClusterServiceVersion of a bundle from its `olm.csv.metadata` property, as compact JSON with the escapes of
/// HTML. `None` if it has no such property.
///
/// # Errors
/// In words, if a field of the property has the wrong kind.
pub fn rebuilt_csv(
    bundle: &Bundle<'_>,
    version: &str,
    package: impl FnOnce() -> PackageFacts,
) -> Result<Option<String>, String> {
    let mut found = bundle.properties.iter().filter(|it| it.kind == CSV_METADATA);
    let Some(metadata) = found.next().and_then(|it| it.value) else { return Ok(None) };
    write(bundle, version, metadata, &package()).map(|text| Some(escape_html(&text)))
}

fn write(bundle: &Bundle<'_>, version: &str, from: Value<'_>, package: &PackageFacts) -> Result<String, String> {
    let member = |key: &str| from.get_field(key);
    let from = Some(from);
    let mut out = Vec::with_capacity(from.map_or(0, |it| it.raw().len() + package.description.len() + (1 << 10)));
    let mut csv = Fields::open(&mut out);
    json::write_string("ClusterServiceVersion", csv.key("kind"));
    json::write_string("operators.coreos.com/v1alpha1", csv.key("apiVersion"));

    let mut meta = Fields::open(csv.key("metadata"));
    json::write_string(&bundle.name, meta.key("name"));
    meta.strings_map("labels", member("labels"))?;
    meta.strings_map("annotations", member("annotations"))?;
    meta.close();

    let mut spec = Fields::open(csv.key("spec"));
    spec.key("install").extend_from_slice(br#"{"strategy":"deployment","spec":{"deployments":null}}"#);
    json::write_string(version, spec.key("version"));
    spec.field(from, &some("maturity", FieldKind::Text))?;
    spec.definitions("customresourcedefinitions", member("crdDescriptions"), GoType::CRD_DESCRIPTION)?;
    spec.definitions("apiservicedefinitions", member("apiServiceDefinitions"), GoType::API_SERVICE_DESCRIPTION)?;
    spec.field(from, &some("nativeAPIs", FieldKind::Objects(GoType::NATIVE_API.fields())))?;
    spec.field(from, &some("minKubeVersion", FieldKind::Text))?;
    spec.field(from, &always("displayName", FieldKind::Text))?;
    let own = member("description").and_then(|it| it.as_str()).filter(|it| !it.is_empty());
    let description = own.as_deref().unwrap_or(&package.description);
    if !description.is_empty() {
        json::write_string(description, spec.key("description"));
    }
    spec.field(from, &some("keywords", FieldKind::Texts))?;
    spec.field(from, &some("maintainers", FieldKind::Objects(GoType::MAINTAINER.fields())))?;
    spec.object("provider", member("provider"), GoType::LINK)?;
    spec.field(from, &some("links", FieldKind::Objects(GoType::LINK.fields())))?;
    if let Some((mediatype, bytes)) = &package.icon {
        let mut icons = spec.list("icon");
        let mut icon = Fields::open(icons.item());
        json::write_string(&STANDARD.encode(bytes), icon.key("base64data"));
        json::write_string(mediatype, icon.key("mediatype"));
        icon.close();
        icons.close();
    }
    spec.field(from, &some("installModes", FieldKind::Objects(GoType::INSTALL_MODE.fields())))?;
    spec.key("cleanup").extend_from_slice(br#"{"enabled":false}"#);
    let mut images = spec.list("relatedImages");
    for it in &bundle.related_images {
        let mut image = Fields::open(images.item());
        json::write_string(&it.name, image.key("name"));
        json::write_string(&it.image, image.key("image"));
        image.close();
    }
    images.close();
    spec.close();

    csv.key("status").extend_from_slice(br#"{"cleanup":{}}"#);
    csv.close();
    Ok(text(out))
}

/// The three characters occur in strings only, so that they can be replaced in the text as a whole.
fn escape_html(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    let mut rest = json;
    while let Some(at) = memchr::memchr3(b'<', b'>', b'&', rest.as_bytes()) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        out.push_str(match after.as_bytes().first() {
            Some(b'<') => "\\u003c",
            Some(b'>') => "\\u003e",
            _ => "\\u0026",
        });
        rest = &after[1..];
    }
    out.push_str(rest);
    out
}
