//! Changes to a catalog's files: a document with another value for one of its fields, and a file with another text for
//! one of its documents.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::ignore::FILE_NAME as IGNORE_FILE;
use super::load::Origin;
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

/// Replaces the text of a document in its file. The file is written anew and then renamed, so it is never seen half-written;
/// everything around the document stays as it is.
///
/// The new file is made in a directory beside the old one that hides what it holds from the catalog: if the process is
/// killed, what stays is no part of the catalog for any tool, and the next change removes it.
///
/// # Errors
/// If the file cannot be read or written, or has changed since the document was read from it.
pub fn replace_document(path: &Path, origin: Origin, raw: &[u8], text: &[u8]) -> io::Result<()> {
    // Through a link, the file that it leads to is replaced.
    let path = fs::canonicalize(path)?;
    let old = fs::read(&path)?;
    let start = usize::try_from(origin.offset).unwrap_or(usize::MAX);
    let end = start.saturating_add(raw.len());
    if old.get(start..end) != Some(raw) {
        return Err(io::Error::other("the file has changed meanwhile"));
    }
    remove_left(&path)?;
    let directory = hidden_beside(&path);
    let temporary = directory.join("new");
    let write = || -> io::Result<()> {
        fs::create_dir(&directory)?;
        fs::write(directory.join(IGNORE_FILE), "*\n")?;
        let mut file = fs::File::create(&temporary)?;
        for part in [&old[..start], text, &old[end..]] {
            file.write_all(part)?;
        }
        file.set_permissions(fs::metadata(&path)?.permissions())?;
        file.sync_all()?;
        fs::rename(&temporary, &path)
    };
    let written = write();
    // Nothing can be done if it stays.
    let _ = fs::remove_dir_all(&directory);
    written
}

/// Removes what a change of a file has left that was killed.
///
/// # Errors
/// If there is something that cannot be removed.
pub fn remove_left(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(hidden_beside(&fs::canonicalize(path)?)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The directory in which a file is written anew.
fn hidden_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".olmdex-edit");
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
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
