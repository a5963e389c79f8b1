//! The errors that composing a document can end with, in go-yaml's words and order.

use libyaml_safer::Mark;

use super::error::{YamlError, YamlErrorKind};
use crate::json::{EXPANDS_TOO_FAR, MAX_DEPTH};

/// An error of the composer, and when it counts.
pub(super) enum Fault {
    /// Found while parsing: it ends everything.
    Now(YamlError),
    /// Found while decoding: an error of syntax further on would come first.
    Later(YamlError),
}

/// The values that JSON lacks, as Go words them, and what stands for each until it is known whether a member with the
/// same key replaces it: half a surrogate pair, which no text of YAML has.
pub(super) const UNSUPPORTED: [(&str, &str); 3] =
    [("\"\\ud801\"", "+Inf"), ("\"\\ud802\"", "-Inf"), ("\"\\ud803\"", "NaN")];

/// A JSON value in the notation of Go's messages.
pub(super) fn go_syntax(json: &[u8]) -> String {
    if json == b"null" {
        return "interface {}(nil)".to_owned();
    }
    let mut text = String::from_utf8_lossy(json).into_owned();
    for (stand_in, shown) in UNSUPPORTED {
        text = text.replace(stand_in, shown);
    }
    let mut out = String::new();
    let mut in_string = false;
    let mut is_escaped = false;
    for c in text.chars() {
        match c {
            _ if in_string => {
                out.push(c);
                in_string = is_escaped || c != '"';
                is_escaped = !is_escaped && c == '\\';
            }
            '{' => out.push_str("map[interface {}]interface {}{"),
            '[' => out.push_str("[]interface {}{"),
            ']' => out.push('}'),
            ',' => out.push_str(", "),
            _ => {
                in_string = c == '"';
                out.push(c);
                if out.ends_with("null") {
                    out.truncate(out.len() - 4);
                    out.push_str("interface {}(nil)");
                }
            }
        }
    }
    out
}

pub(super) fn unknown_anchor(name: &str, mark: Mark) -> YamlError {
    YamlError::new(YamlErrorKind::Meaning, mark, format!("unknown anchor '{name}' referenced"))
}

pub(super) fn too_deep(mark: Mark) -> YamlError {
    YamlError::new(YamlErrorKind::Limit, mark, format!("exceeded max depth of {MAX_DEPTH}"))
}

pub(super) fn long_token(mark: Mark) -> YamlError {
    YamlError::new(YamlErrorKind::Limit, mark, EXPANDS_TOO_FAR)
}

pub(super) fn not_mergeable(mark: Mark) -> Fault {
    later(mark, "map merge requires map or sequence of maps as the value")
}

pub(super) fn limit(mark: Mark, message: &'static str) -> Fault {
    Fault::Now(YamlError::new(YamlErrorKind::Limit, mark, message))
}

pub(super) fn later(mark: Mark, message: impl Into<String>) -> Fault {
    Fault::Later(YamlError::new(YamlErrorKind::Meaning, mark, message))
}
