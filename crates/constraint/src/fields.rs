//! The fields of simple properties: packages, APIs and labels.

use super::tree::ConstraintError;
use olmdex_text::api::Api;
use olmdex_text::gotype::{Expected, go_type_error};
use olmdex_text::json::{self, Kind, Step, Value};

/// The texts of an object, as Go's decoder reads them: other fields are ignored, `null` is empty.
pub(super) fn fields<const N: usize>(text: &str, names: [&str; N]) -> Result<[String; N], ConstraintError> {
    let mut reader = json::Reader::new();
    let wrong = |error: String| ConstraintError::Property(error);
    let value = reader.read(text).map_err(|error| wrong(error.to_string()))?;
    if !matches!(value.kind(), Kind::Object | Kind::Null) {
        return Err(wrong(format!("json: cannot unmarshal {} into Go value", value.kind().name())));
    }
    let mut found = [const { String::new() }; N];
    for (slot, name) in found.iter_mut().zip(names) {
        let Some(value) = value.get_field(name).filter(|it| !it.is_null()) else { continue };
        let text = value.as_str().map(std::borrow::Cow::into_owned);
        let path = [Step::from(name)];
        *slot = text.ok_or_else(|| wrong(go_type_error(value.kind(), Expected::String, "", &path)))?;
    }
    Ok(found)
}

/// The label that a property demands.
pub(crate) fn label_demand(text: &str) -> Result<String, ConstraintError> {
    fields(text, ["label"]).map(|[label]| label)
}

/// Reads the object of a property that is only examined.
fn with_object<T>(text: &str, read: impl FnOnce(Value<'_>) -> Option<T>) -> Option<T> {
    let mut reader = json::Reader::new();
    let value = reader.read(text).ok()?;
    if matches!(value.kind(), Kind::Object | Kind::Null) { read(value) } else { None }
}

/// A field of a property that is only examined: `None` if it is not a text.
fn text_field(value: Value<'_>, name: &str) -> Option<String> {
    match value.get_field(name) {
        Some(it) if !it.is_null() => it.as_str().map(std::borrow::Cow::into_owned),
        _ => Some(String::new()),
    }
}

/// Name and version of an `olm.package` property.
pub fn package_of(text: &str) -> Option<(String, String)> {
    with_object(text, |it| Some((text_field(it, "packageName")?, text_field(it, "version")?)))
}

/// The API of an `olm.gvk` property.
pub fn api_of(text: &str) -> Option<Api> {
    with_object(text, |it| {
        Some(Api {
            group: text_field(it, "group")?,
            version: text_field(it, "version")?,
            kind: text_field(it, "kind")?,
        })
    })
}

/// The label of an `olm.label` property.
pub fn label_of(text: &str) -> Option<String> {
    with_object(text, |it| text_field(it, "label"))
}
