//! The Kubernetes objects that a bundle carries in `olm.bundle.object` properties.

use std::borrow::Cow;

use super::defect::{Defect, DefectKind};
use super::typed::{Bundle, bytes_of};
use olmdex_text::gotype::go_type_error;
use olmdex_text::json::{self, Expansion, Kind, Reader, Step, Value};
use olmdex_text::yaml::{self, YamlErrorKind};
use olmdex_version::Quoted;

/// Type of the properties that hold objects.
pub const BUNDLE_OBJECT: &str = "olm.bundle.object";

/// Hands the objects of a bundle, each as JSON text, to `each` in the order of the properties.
///
/// The quirks of `docs/behaviour/fbc.md` 1.5 are kept: empty or absent data is the object `null`, and a later property
/// without data has the data of the one before it. An object whose text starts with `{` is passed on as it is,
/// unparsed.
///
/// # Errors
/// The first property whose data cannot be read, as the real tool stops there too.
pub fn for_each_object(bundle: &Bundle<'_>, mut each: impl FnMut(&[u8])) -> Result<(), Defect> {
    for_each_placed_object(bundle, |it| each(it.json))
}

/// An object that a bundle carries.
#[derive(Debug, Clone, Copy)]
pub struct CarriedObject<'a> {
    /// Its text, as JSON.
    pub json: &'a [u8],
    /// Whether it was YAML: of those the real server sorts the keys.
    pub is_yaml: bool,
    /// The number of the property that has it.
    pub property: usize,
}

/// Like [`for_each_object`], with the other known facts about each object.
///
/// # Errors
/// The errors of [`for_each_object`].
pub fn for_each_placed_object(bundle: &Bundle<'_>, mut each: impl FnMut(CarriedObject<'_>)) -> Result<(), Defect> {
    let mut data: Vec<u8> = Vec::new();
    let mut converted = Vec::new();
    // All objects of a bundle together; `charge` counts those of all bundles.
    let expansion = Expansion::default();
    for (idx, property) in bundle.properties.iter().enumerate().filter(|(_, it)| it.kind == BUNDLE_OBJECT) {
        read_data(idx, property.value, &mut data)
            .and_then(|has_own| {
                if !has_own {
                    expansion.charge(data.len()).map_err(|error| Unreadable::data(idx, error.into(), error.into()))?;
                }
                let is_yaml = !json::looks_like_object(&data) && !data.is_empty();
                let json = as_json(idx, &data, &mut converted, &expansion)?;
                each(CarriedObject { json, is_yaml, property: idx });
                Ok(())
            })
            .map_err(|it| it.of_bundle(bundle))?;
    }
    Ok(())
}

/// Charges an input for the expanded objects of a bundle. Only objects from YAML are charged: an object of JSON does
/// not expand.
///
/// # Errors
/// The first property beyond the limit.
pub(super) fn charge(bundle: &Bundle<'_>, expansion: &Expansion) -> Result<(), Defect> {
    let mut converted = Vec::new();
    for (idx, property) in bundle.properties.iter().enumerate().filter(|(_, it)| it.kind == BUNDLE_OBJECT) {
        let Some(value) = property.value.and_then(|it| it.get_field("data")) else { continue };
        if value.as_str().is_none_or(|it| is_object_in_base64(it.as_bytes())) {
            continue;
        }
        // The reader of a value that is not valid reports it.
        let Ok(data) = bytes_of(value) else { continue };
        if memchr::memchr(b'&', &data).is_none() || memchr::memchr(b'*', &data).is_none() {
            continue;
        }
        converted.clear();
        if let Err(error) = yaml::to_json_within(&data, &mut converted, expansion)
            && error.kind == YamlErrorKind::Limit
        {
            let message = format!("olmdex does not read the embedded object: {}", error.message);
            return Err(Unreadable::data(idx, message, error.to_string()).of_bundle(bundle));
        }
    }
    Ok(())
}

/// Whether base64 text begins as `{` does.
fn is_object_in_base64(text: &[u8]) -> bool {
    matches!(text, [b'e', b'w'..=b'z' | b'0'..=b'9' | b'+' | b'/', ..])
}

/// The reason why a property has no object.
struct Unreadable {
    message: String,
    /// The words of the real tool.
    opm: String,
    path: Vec<Step>,
}

impl Unreadable {
    /// About the data of the property at `idx`.
    fn data(idx: usize, message: String, opm: String) -> Self {
        Self { message, opm, path: vec!["properties".into(), idx.into(), "value".into(), "data".into()] }
    }

    fn of_bundle(self, bundle: &Bundle<'_>) -> Defect {
        let Self { message, opm, path } = self;
        let (package, name) = (Quoted(&bundle.package), Quoted(&bundle.name));
        let opm = format!("read bundle objects: package {package}, bundle {name}: {opm}");
        Defect::at_path(DefectKind::BundleObject { message, opm }, path)
    }
}

/// Replaces `data` by that of the property at `idx`, if it has some, and tells whether it has.
fn read_data(idx: usize, value: Option<Value<'_>>, data: &mut Vec<u8>) -> Result<bool, Unreadable> {
    let parse = |error: String| format!("parse property at index {idx} as bundle object: {error}");
    let Some(value) = value else {
        let (message, opm) = ("the property has no value".to_owned(), parse("unexpected end of JSON input".to_owned()));
        return Err(Unreadable { message, opm, path: vec!["properties".into(), idx.into()] });
    };
    match value.kind() {
        Kind::Null => Ok(false),
        Kind::Object => match value.get_field("data") {
            None => Ok(false),
            Some(it) if it.is_null() => {
                data.clear();
                Ok(true)
            }
            Some(it) => match bytes_of(it) {
                Ok(bytes) => {
                    *data = bytes;
                    Ok(true)
                }
                Err(kind) => Err(Unreadable::data(idx, kind.to_string(), parse(go_data_error(&kind)))),
            },
        },
        kind => {
            let error = format!("json: cannot unmarshal {} into Go value of type property.BundleObject", kind.name());
            let message = format!("expected an object, found {}", kind.words());
            Err(Unreadable { message, opm: parse(error), path: vec!["properties".into(), idx.into(), "value".into()] })
        }
    }
}

/// The words of Go's decoder for data that is not a base64 text.
fn go_data_error(kind: &DefectKind) -> String {
    match kind {
        DefectKind::Base64 { offset } => format!(
            "json: cannot unmarshal string into Go struct field BundleObject.data of type []uint8: \
             illegal base64 data at input byte {offset}"
        ),
        DefectKind::WrongKind { found, expected } => go_type_error(*found, *expected, "BundleObject", &["data".into()]),
        other => other.to_string(),
    }
}

/// The object as JSON text; converted only if it must be.
fn as_json<'t>(
    idx: usize,
    data: &'t [u8],
    converted: &'t mut Vec<u8>,
    expansion: &Expansion,
) -> Result<&'t [u8], Unreadable> {
    if json::looks_like_object(data) {
        return Ok(data);
    }
    if data.is_empty() {
        return Ok(b"null");
    }
    converted.clear();
    match yaml::to_json_within(data, converted, expansion) {
        Ok(_) => Ok(converted),
        Err(error) => {
            let opm = format!("convert bundle object property at index {idx} to JSON: {error}");
            let message = format!("the embedded object is neither JSON nor YAML: {error}");
            Err(Unreadable::data(idx, message, opm))
        }
    }
}

/// The bundle's ClusterServiceVersion as JSON text, if one of its objects is one; the first counts.
///
/// # Errors
/// The errors of [`for_each_object`].
pub fn cluster_service_version(bundle: &Bundle<'_>) -> Result<Option<Vec<u8>>, Defect> {
    let mut found = None;
    for_each_object(bundle, |object| {
        if found.is_none() && is_cluster_service_version(object) {
            found = Some(object.to_vec());
        }
    })?;
    Ok(found)
}

fn is_cluster_service_version(object: &[u8]) -> bool {
    // Cheap test first: most objects are CRDs of many kilobytes.
    let needle = b"ClusterServiceVersion";
    let may_be = memchr::memmem::find(object, needle).is_some() || memchr::memmem::find(object, b"\\u").is_some();
    if !may_be {
        return false;
    }
    let text = json::decode_utf8(object);
    let mut reader = Reader::new();
    let mut converted = Vec::new();
    let text: Cow<'_, str> = if reader.read(&text).is_ok() {
        text
    } else if yaml::to_json(object, &mut converted).is_ok() {
        Cow::Owned(String::from_utf8_lossy(&converted).into_owned())
    } else {
        return false;
    };
    reader
        .read(&text)
        .ok()
        .and_then(|value| value.get("kind"))
        .and_then(|kind| kind.as_str())
        .is_some_and(|kind| kind == "ClusterServiceVersion")
}
