//! Objects and lists of JSON as texts: a part is exchanged, and everything else keeps its order.

use olmdex_text::json::{self, Kind, Reader, Value, quoted};
use olmdex_text::tally;

/// Reads a text that this module made or has read before; `None` if it is not valid.
pub(super) fn read<T>(text: &str, look: impl FnOnce(Value<'_>) -> T) -> Option<T> {
    tally::step(1);
    Reader::new().read(text).ok().map(look)
}

/// A text field; empty if it is absent.
pub(super) fn text(object: &str, field: &str) -> String {
    let found = read(object, |it| it.get_field(field).and_then(|it| it.as_str().map(|it| it.into_owned())));
    found.flatten().unwrap_or_default()
}

/// The items of a list field.
pub(super) fn items(object: &str, field: &str) -> Vec<String> {
    let found = read(object, |it| it.get_field(field).map(|it| it.items().map(|item| item.compact()).collect()));
    found.flatten().unwrap_or_default()
}

/// The texts in a list field.
pub(super) fn texts(object: &str, field: &str) -> Vec<String> {
    let found = read(object, |it| {
        let items = it.get_field(field).into_iter().flat_map(|it| it.items().collect::<Vec<_>>());
        items.filter_map(|it| it.as_str().map(|it| it.into_owned())).collect()
    });
    found.unwrap_or_default()
}

/// A list of values.
pub(super) fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// A list of texts.
pub(super) fn list_of_texts<S: AsRef<str>>(texts: &[S]) -> String {
    list(&texts.iter().map(|it| quoted(it.as_ref())).collect::<Vec<_>>())
}

/// An object with another value in a field, or without the field. A new field comes last.
pub(super) fn with(object: &str, field: &str, value: Option<&str>) -> String {
    let changed = read(object, |object| {
        if object.kind() != Kind::Object {
            return None;
        }
        let mut members: Vec<String> = Vec::new();
        let mut is_there = false;
        for (key, old) in object.members() {
            let name = key.as_str().unwrap_or_default();
            if !json::fold_eq(&name, field) {
                members.push(format!("{}:{}", quoted(&name), old.compact()));
            } else if let Some(value) = value {
                is_there = true;
                members.push(format!("{}:{value}", quoted(&name)));
            }
        }
        if let (false, Some(value)) = (is_there, value) {
            members.push(format!("{}:{value}", quoted(field)));
        }
        Some(format!("{{{}}}", members.join(",")))
    });
    changed.flatten().unwrap_or_else(|| object.to_owned())
}

/// The same with a text, or without the field if the text is empty.
pub(super) fn with_text(object: &str, field: &str, value: &str) -> String {
    with(object, field, (!value.is_empty()).then(|| quoted(value)).as_deref())
}

/// The same with a list of texts, or without the field if the list is empty.
pub(super) fn with_texts(object: &str, field: &str, values: &[String]) -> String {
    with(object, field, (!values.is_empty()).then(|| list_of_texts(values)).as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_order() {
        let object = r#"{"name":"a","replaces":"b","other":[1,{"x":null}]}"#;
        assert_eq!(with_text(object, "replaces", "c"), r#"{"name":"a","replaces":"c","other":[1,{"x":null}]}"#);
        assert_eq!(with_text(object, "replaces", ""), r#"{"name":"a","other":[1,{"x":null}]}"#);
        assert_eq!(
            with_texts(object, "skips", &["d".to_owned()]),
            r#"{"name":"a","replaces":"b","other":[1,{"x":null}],"skips":["d"]}"#
        );
        assert_eq!(with("3", "a", Some("4")), "3");
        assert_eq!(
            (text(object, "Name"), texts(object, "skips").len(), items(object, "other").len()),
            ("a".to_owned(), 0, 2)
        );
    }
}
