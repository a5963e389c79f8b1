//! The words of Go's decoder for one value of the wrong kind.

use crate::json::{Kind, Step};

/// The wanted type of a field, with the name that Go's decoder has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A string.
    String,
    /// An object of the named Go type.
    Object(&'static str),
    /// A list of the named Go type.
    ListOf(&'static str),
}

/// The Go type's name in a decoder message.
fn go_type(expected: Expected) -> String {
    match expected {
        Expected::String => "string".to_owned(),
        Expected::Object(name) => name.to_owned(),
        Expected::ListOf(name) => format!("[]{name}"),
    }
}

/// The words of Go's decoder for a value of the wrong kind at `path` inside the struct `root`.
pub fn go_type_error(found: Kind, expected: Expected, root: &str, path: &[Step]) -> String {
    let found = found.name();
    let wanted = go_type(expected);
    if path.is_empty() {
        return format!("json: cannot unmarshal {found} into Go value of type {wanted}");
    }
    let field = go_path(root, path);
    // An item of a list is reported without the words "Go struct field".
    if matches!(path.last(), Some(Step::Index(_))) {
        return format!("json: cannot unmarshal {found} into {field} of type {wanted}");
    }
    format!("json: cannot unmarshal {found} into Go struct field {field} of type {wanted}")
}

/// A path in the form `Channel.entries.0.name`.
pub fn go_path(root: &str, path: &[Step]) -> String {
    let mut field = root.to_owned();
    for step in path {
        field.push('.');
        match step {
            Step::Key(key) => field.push_str(key),
            Step::Index(idx) => field.push_str(&idx.to_string()),
        }
    }
    field
}
