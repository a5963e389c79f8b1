//! Whole catalogs from an index, to be checked or copied.

use std::sync::Arc;

use memchr::memmem;
use rusqlite::OptionalExtension as _;

use super::error::IndexError;
use super::open::Index;
use super::query::Filter;
use olmdex_fbc::{BUNDLE_OBJECT, FromImage, Input};
use olmdex_text::json::{self, ObjectEnd, ObjectScanner, Value};

impl Index {
    /// A catalog as a stream of JSON in memory, to be read like a file.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn catalog_input(&self, catalog: &str) -> Result<Input, IndexError> {
        let mut text = Vec::new();
        self.documents(&Filter::of_catalog(catalog), |_, document| {
            text.extend_from_slice(document.as_bytes());
            text.push(b'\n');
            Ok::<(), IndexError>(())
        })?;
        let input = Input::bytes(&format!("{}#{catalog}", self.path().display()), Arc::from(text));
        let image: Option<String> = self
            .connection()
            .query_row(
                "SELECT i.digest FROM catalog c JOIN catalog_image i ON i.catalog = c.id WHERE c.name = ?1",
                [catalog],
                |row| row.get(0),
            )
            .optional()
            .map_err(|error| self.failed(&error))?;
        // The index may hold less than the image does.
        Ok(Input { image: image.map(|digest| FromImage { digest, content: None, created: None }), ..input })
    }

    /// Like [`Self::catalog_input`], with these packages only, and the documents that belong to no package.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn packages_input<'n>(
        &self,
        catalog: &str,
        packages: impl Iterator<Item = &'n str>,
    ) -> Result<Input, IndexError> {
        self.packages_text(catalog, packages, |text, document| text.extend_from_slice(document.as_bytes()))
    }

    /// Like [`Self::packages_input`], with bundles without the properties that hold their manifests: a caller that
    /// looks only at edges and dependencies reads a tenth of the bytes.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn packages_without_manifests<'n>(
        &self,
        catalog: &str,
        packages: impl Iterator<Item = &'n str>,
    ) -> Result<Input, IndexError> {
        let (mut reader, mut short) = (json::Reader::new(), String::new());
        self.packages_text(catalog, packages, |text, document| {
            push_without_manifests(document, (&mut reader, &mut short), text);
        })
    }

    fn packages_text<'n>(
        &self,
        catalog: &str,
        packages: impl Iterator<Item = &'n str>,
        mut write: impl FnMut(&mut Vec<u8>, &str),
    ) -> Result<Input, IndexError> {
        let mut text = Vec::new();
        for package in std::iter::once("").chain(packages.filter(|it| !it.is_empty())) {
            self.documents(&Filter::in_catalog(catalog, package), |_, document| {
                write(&mut text, document);
                text.push(b'\n');
                Ok::<(), IndexError>(())
            })?;
        }
        Ok(Input::bytes(&format!("{}#{catalog}", self.path().display()), Arc::from(text)))
    }
}

/// The beginning of a property, as documents of an index have it.
const PROPERTY: &str = r#"{"type":"olm."#;

/// The rest of properties that hold manifests, up to their values.
const MANIFESTS: [&str; 2] = [r#"csv.metadata","value":"#, r#"bundle.object","value":"#];

/// Writes a document of an index, which is compact JSON, without properties that hold manifests.
fn push_without_manifests(document: &str, (reader, short): (&mut json::Reader, &mut String), out: &mut Vec<u8>) {
    let start = out.len();
    // Manifests are most of the text, so their values are left out before it is read.
    let cuts = cut_manifests(document, short);
    if let Ok(value) = reader.read(short)
        && write_without_manifests(value, &cuts, out) == cuts.len()
    {
        return;
    }
    // Something other than a property looks like one.
    out.truncate(start);
    match reader.read(document) {
        Ok(value) => drop(write_without_manifests(value, &[], out)),
        Err(_) => out.extend_from_slice(document.as_bytes()),
    }
}

/// Copies a document with `null` in place of the manifests in properties, as far as these are easy to find: others stay
/// as they are. Returns the offsets of these nulls in the copy.
fn cut_manifests(document: &str, short: &mut String) -> Vec<usize> {
    short.clear();
    let mut cuts = Vec::new();
    let mut rest = document;
    // In a text, the quotes would be escaped.
    while let Some(at) = memmem::find(rest.as_bytes(), PROPERTY.as_bytes()) {
        let kind = &rest[at + PROPERTY.len()..];
        let value = MANIFESTS.iter().find_map(|it| kind.strip_prefix(it)).filter(|it| it.starts_with('{'));
        let end = value.map(|it| ObjectScanner::new().scan(it.as_bytes()));
        match (value, end) {
            (Some(value), Some(ObjectEnd::At(end))) if value[end..].starts_with('}') => {
                short.push_str(&rest[..rest.len() - value.len()]);
                cuts.push(short.len());
                short.push_str("null");
                rest = &value[end..];
            }
            _ => {
                short.push_str(&rest[..rest.len() - kind.len()]);
                rest = kind;
            }
        }
    }
    short.push_str(rest);
    cuts
}

/// Writes a document of an index, which is compact JSON, without properties that hold manifests. Returns how many of
/// those have a value at one of these offsets, which are sorted.
fn write_without_manifests(document: Value<'_>, cuts: &[usize], out: &mut Vec<u8>) -> usize {
    let is_manifest = |property: &Value<'_>| {
        let kind = property.get_field("type").and_then(|it| it.as_str());
        kind.is_some_and(|it| it == "olm.csv.metadata" || it == BUNDLE_OBJECT)
    };
    let mut n_met = 0;
    out.push(b'{');
    for (number, (key, value)) in document.members().enumerate() {
        out.extend_from_slice(if number > 0 { b"," } else { b"" });
        json::write_compact(key, out);
        out.push(b':');
        if key.as_str().is_some_and(|it| it == "properties") {
            out.push(b'[');
            let mut n_written = 0;
            for property in value.items() {
                if is_manifest(&property) {
                    let value = property.get_field("value").map(|it| it.offset());
                    n_met += usize::from(value.is_some_and(|it| cuts.binary_search(&it).is_ok()));
                    continue;
                }
                out.extend_from_slice(if n_written > 0 { b"," } else { b"" });
                json::write_compact(property, out);
                n_written += 1;
            }
            out.push(b']');
        } else {
            json::write_compact(value, out);
        }
    }
    out.push(b'}');
    n_met
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_left_out_of_properties_only() {
        let cases: &[(&str, &str, usize)] = &[
            (r#"{"properties":[]}"#, r#"{"properties":[]}"#, 0),
            (
                r#"{"properties":[{"type":"olm.csv.metadata","value":{"a":"}\"{"}},{"type":"x","value":1},{"type":"olm.bundle.object","value":{"data":"eA=="}}],"z":1}"#,
                r#"{"properties":[{"type":"x","value":1}],"z":1}"#,
                2,
            ),
            // One is not a property, and another one has its keys in another order.
            (
                r#"{"other":[{"type":"olm.bundle.object","value":{"data":"eA=="}}],"properties":[{"value":{},"type":"olm.bundle.object"}]}"#,
                r#"{"other":[{"type":"olm.bundle.object","value":{"data":"eA=="}}],"properties":[]}"#,
                1,
            ),
            // As many manifests without a value as there are other things that look like one.
            (
                r#"{"other":[{"type":"olm.bundle.object","value":{}}],"properties":[{"type":"olm.bundle.object","value":null}]}"#,
                r#"{"other":[{"type":"olm.bundle.object","value":{}}],"properties":[]}"#,
                1,
            ),
            // The last type counts.
            (
                r#"{"properties":[{"type":"olm.bundle.object","value":{},"type":"x"}]}"#,
                r#"{"properties":[{"type":"x","value":{}}]}"#,
                0,
            ),
            (
                r#"{"properties":[{"type":"x","value":"{\"type\":\"olm.bundle.object\",\"value\":{}}"}]}"#,
                r#"{"properties":[{"type":"x","value":"{\"type\":\"olm.bundle.object\",\"value\":{}}"}]}"#,
                0,
            ),
            // A document that cannot be read stays.
            (
                r#"{"properties":[{"type":"olm.bundle.object","value":{"#,
                r#"{"properties":[{"type":"olm.bundle.object","value":{"#,
                0,
            ),
        ];
        let (mut reader, mut short) = (json::Reader::new(), String::new());
        for (document, expected, n_cut) in cases {
            let mut out = Vec::new();
            push_without_manifests(document, (&mut reader, &mut short), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), *expected);
            assert_eq!(cut_manifests(document, &mut short).len(), *n_cut, "{document}");
        }
    }
}
