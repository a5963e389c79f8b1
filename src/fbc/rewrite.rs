//! Changes to a catalog's files: a document with another value for one of its fields, and a file with another text for
//! one of its documents.

use std::io::{self, Write as _};
use std::path::Path;

use super::load::Origin;
use crate::file::{FileError, Replacement, read_regular};
use crate::json::{self, Kind, Value};

/// The text of a document, as compact JSON, in which a top-level field has another value (also JSON). All else is kept; a
/// document without the field gets it. `None` if the document is no object.
#[must_use]
pub fn with_field(document: Value<'_>, field: &str, value: &str) -> Option<String> {
    if document.kind() != Kind::Object {
        return None;
    }
    let mut out = Vec::from(b"{");
    let mut is_there = false;
    for (key, old) in document.members() {
        if out.len() > 1 {
            out.push(b',');
        }
        let name = key.as_str().unwrap_or_default();
        json::write_string(&name, &mut out);
        out.push(b':');
        if json::fold_eq(&name, field) {
            is_there = true;
            out.extend_from_slice(value.as_bytes());
        } else {
            json::write_compact(old, &mut out);
        }
    }
    if !is_there {
        if out.len() > 1 {
            out.push(b',');
        }
        json::write_string(field, &mut out);
        out.push(b':');
        out.extend_from_slice(value.as_bytes());
    }
    out.push(b'}');
    String::from_utf8(out).ok()
}

/// Replaces the text of a document in its file; everything around the document stays as it is. Where the path is a link, the file that
/// it leads to is changed.
///
/// # Errors
/// If the file cannot be read or written, or has changed since the document was read from it.
pub fn replace_document(path: &Path, origin: Origin, raw: &[u8], text: &[u8]) -> Result<(), FileError> {
    let failed = |source: io::Error| FileError::Io { path: path.to_owned(), source };
    let mut new = Replacement::begin(path)?;
    let old = read_regular(new.target()).map_err(failed)?;
    let start = usize::try_from(origin.offset).unwrap_or(usize::MAX);
    let end = start.saturating_add(raw.len());
    if old.get(start..end) != Some(raw) {
        return Err(failed(io::Error::other("the file has changed meanwhile")));
    }
    for part in [&old[..start], text, &old[end..]] {
        new.file().write_all(part).map_err(failed)?;
    }
    new.finish()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fbc::Syntax;
    use crate::json::Reader;

    #[test]
    fn only_the_document_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.yaml");
        fs::write(&path, "one\n---\ntwo\n---\nthree\n").unwrap();
        let origin = Origin { file: 0, line: 3, column: 1, syntax: Syntax::Yaml, offset: 8, len: 4 };
        assert!(replace_document(&path, origin, b"tow\n", b"2\n").is_err());
        replace_document(&path, origin, b"two\n", b"2\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\n---\n2\n---\nthree\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn one_field_changes_and_the_rest_stays() {
        for (document, expected) in [
            (r#"{"a":1,"entries":[1],"b":"x"}"#, Some(r#"{"a":1,"entries":[],"b":"x"}"#)),
            (r#"{"Entries":[1]}"#, Some(r#"{"Entries":[]}"#)),
            (r#"{"a":1}"#, Some(r#"{"a":1,"entries":[]}"#)),
            ("{}", Some(r#"{"entries":[]}"#)),
            ("[]", None),
        ] {
            let mut reader = Reader::new();
            let value = reader.read(document).unwrap();
            assert_eq!(with_field(value, "entries", "[]").as_deref(), expected);
        }
    }
}
