//! The Kubernetes objects that a bundle carries in `olm.bundle.object` properties.

use std::borrow::Cow;

use super::defect::{Defect, DefectKind, go_type_error};
use super::typed::{Bundle, bytes_of};
use crate::json::{self, Kind, Reader, Step};
use crate::version::Quoted;
use crate::yaml;

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
    let mut data: Vec<u8> = Vec::new();
    let mut converted = Vec::new();
    for (idx, property) in bundle.properties.iter().enumerate() {
        if property.kind != BUNDLE_OBJECT {
            continue;
        }
        let path = |last: &[&'static str]| {
            let mut path: Vec<Step> = vec!["properties".into(), idx.into(), "value".into()];
            path.extend(last.iter().map(|&it| Step::from(it)));
            path
        };
        let fail = |message: String, what: String, path: Vec<Step>| {
            let opm = format!(
                "read bundle objects: package {}, bundle {}: {what}",
                Quoted(&bundle.package),
                Quoted(&bundle.name)
            );
            Defect::at_path(DefectKind::BundleObject { message, opm }, path)
        };
        let parse = |error: String| format!("parse property at index {idx} as bundle object: {error}");
        let Some(value) = property.value else {
            let what = parse("unexpected end of JSON input".to_owned());
            return Err(fail("the property has no value".to_owned(), what, vec!["properties".into(), idx.into()]));
        };
        match value.kind() {
            Kind::Null => {}
            Kind::Object => match value.get_field("data") {
                None => {}
                Some(it) if it.is_null() => data.clear(),
                Some(it) => match bytes_of(it) {
                    Ok(bytes) => data = bytes,
                    Err(kind) => {
                        let error = match &kind {
                            DefectKind::Base64 { offset } => format!(
                                "json: cannot unmarshal string into Go struct field BundleObject.data of type []uint8: \
                                 illegal base64 data at input byte {offset}"
                            ),
                            DefectKind::WrongKind { found, expected } => {
                                go_type_error(*found, *expected, "BundleObject", &["data".into()])
                            }
                            other => other.to_string(),
                        };
                        return Err(fail(kind.to_string(), parse(error), path(&["data"])));
                    }
                },
            },
            kind => {
                let error =
                    format!("json: cannot unmarshal {} into Go value of type property.BundleObject", kind.name());
                return Err(fail(format!("expected an object, found {}", kind.words()), parse(error), path(&[])));
            }
        }
        let first = data.iter().position(|byte| !byte.is_ascii_whitespace());
        if first.is_some_and(|at| data[at] == b'{') {
            each(&data);
            continue;
        }
        converted.clear();
        if data.is_empty() {
            each(b"null");
        } else if let Err(error) = yaml::to_json(&data, &mut converted) {
            let what = format!("convert bundle object property at index {idx} to JSON: {error}");
            let message = format!("the embedded object is neither JSON nor YAML: {error}");
            return Err(fail(message, what, path(&["data"])));
        } else {
            each(&converted);
        }
    }
    Ok(())
}

/// The bundle's ClusterServiceVersion as JSON text, if one of its objects is one; the first counts.
///
/// # Errors
/// As [`for_each_object`].
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
