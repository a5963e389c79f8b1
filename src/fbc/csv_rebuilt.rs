//! The ClusterServiceVersion that opm's server makes of an `olm.csv.metadata` property, for clients that ask for one
//! (`docs/behaviour/serving.md` B.4).
//!
//! What it deliberately does not do: it has no deployments and no permissions, since the property has none.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::csv_metadata::{
    API_SERVICE, CRD, FieldForm, Fields, Form, INSTALL_MODE, KIND, LINK, MAINTAINER, NATIVE_API, object, quoted,
};
use super::typed::Bundle;
use crate::json::Value;

/// What the package of a bundle adds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageFacts {
    /// Its description; empty without one.
    pub description: String,
    /// Its icon: media type and bytes.
    pub icon: Option<(String, Vec<u8>)>,
}

/// The ClusterServiceVersion of a bundle from its `olm.csv.metadata` property, as compact JSON with the escapes of HTML. `None` if it
/// has no such property.
///
/// # Errors
/// In words, if a field of the property has the wrong kind.
pub fn rebuilt_csv(
    bundle: &Bundle<'_>,
    version: &str,
    package: impl FnOnce() -> PackageFacts,
) -> Result<Option<String>, String> {
    let mut found = bundle.properties.iter().filter(|it| it.kind == KIND);
    let Some(metadata) = found.next().and_then(|it| it.value) else { return Ok(None) };
    write(bundle, version, metadata, &package()).map(|text| Some(escape_html(&text)))
}

fn write(bundle: &Bundle<'_>, version: &str, from: Value<'_>, package: &PackageFacts) -> Result<String, String> {
    let from = Some(from);
    let member = |key: &str| from.and_then(|it| it.get_field(key));
    let some = |key: &'static str, form: Form| FieldForm { key, form, is_always: false };

    let mut meta = Fields::open();
    meta.key("name");
    meta.out.push_str(&quoted(&bundle.name));
    meta.strings_map("labels", member("labels"))?;
    meta.strings_map("annotations", member("annotations"))?;

    let mut spec = Fields::open();
    spec.key("install");
    spec.out.push_str(r#"{"strategy":"deployment","spec":{"deployments":null}}"#);
    spec.key("version");
    spec.out.push_str(&quoted(version));
    spec.field(from, &some("maturity", Form::Text))?;
    spec.definitions("customresourcedefinitions", member("crdDescriptions"), CRD)?;
    spec.definitions("apiservicedefinitions", member("apiServiceDefinitions"), API_SERVICE)?;
    spec.field(from, &some("nativeAPIs", Form::List(NATIVE_API)))?;
    spec.field(from, &some("minKubeVersion", Form::Text))?;
    spec.field(from, &FieldForm { key: "displayName", form: Form::Text, is_always: true })?;
    let own = member("description").and_then(|it| it.as_str()).filter(|it| !it.is_empty());
    let description = own.as_deref().unwrap_or(&package.description);
    if !description.is_empty() {
        spec.key("description");
        spec.out.push_str(&quoted(description));
    }
    spec.field(from, &some("keywords", Form::Texts))?;
    spec.field(from, &some("maintainers", Form::List(MAINTAINER)))?;
    spec.key("provider");
    spec.out.push_str(&object(member("provider"), LINK, "provider")?);
    spec.field(from, &some("links", Form::List(LINK)))?;
    if let Some((mediatype, bytes)) = &package.icon {
        spec.key("icon");
        let (data, mediatype) = (quoted(&STANDARD.encode(bytes)), quoted(mediatype));
        spec.out.push_str(&format!(r#"[{{"base64data":{data},"mediatype":{mediatype}}}]"#));
    }
    spec.field(from, &some("installModes", Form::List(INSTALL_MODE)))?;
    spec.key("cleanup");
    spec.out.push_str(r#"{"enabled":false}"#);
    if !bundle.related_images.is_empty() {
        spec.key("relatedImages");
        let image = |it: &super::typed::RelatedImage<'_>| {
            format!(r#"{{"name":{},"image":{}}}"#, quoted(&it.name), quoted(&it.image))
        };
        let images: Vec<String> = bundle.related_images.iter().map(image).collect();
        spec.out.push_str(&format!("[{}]", images.join(",")));
    }

    let mut csv = Fields::open();
    for (key, text) in [
        ("kind", "\"ClusterServiceVersion\"".to_owned()),
        ("apiVersion", "\"operators.coreos.com/v1alpha1\"".to_owned()),
        ("metadata", meta.close()),
        ("spec", spec.close()),
        ("status", r#"{"cleanup":{}}"#.to_owned()),
    ] {
        csv.key(key);
        csv.out.push_str(&text);
    }
    Ok(csv.close())
}

/// The three characters stand in strings only, so that they can be replaced in the text as a whole.
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
