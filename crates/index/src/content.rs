//! Whole catalogs out of an index: to check them, and to copy them.

use std::sync::Arc;

use rusqlite::OptionalExtension as _;

use super::error::IndexError;
use super::open::Index;
use super::query::Filter;
use olmdex_fbc::{BUNDLE_OBJECT, FromImage, Input};
use olmdex_text::json::{self, Value};

impl Index {
    /// A catalog as a stream of JSON in memory, to be read like a file.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn catalog_input(&self, catalog: &str) -> Result<Input, IndexError> {
        let mut text = Vec::new();
        let filter = Filter { catalogs: vec![catalog.to_owned()], ..Filter::default() };
        self.documents(&filter, |_, document| {
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
        let mut reader = json::Reader::new();
        self.packages_text(catalog, packages, |text, document| match reader.read(document) {
            Ok(value) => write_without_manifests(value, text),
            Err(_) => text.extend_from_slice(document.as_bytes()),
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
            let filter =
                Filter { catalogs: vec![catalog.to_owned()], package: Some(package.to_owned()), ..Filter::default() };
            self.documents(&filter, |_, document| {
                write(&mut text, document);
                text.push(b'\n');
                Ok::<(), IndexError>(())
            })?;
        }
        Ok(Input::bytes(&format!("{}#{catalog}", self.path().display()), Arc::from(text)))
    }
}

/// Writes a document of an index, which is compact JSON, without properties that hold manifests.
fn write_without_manifests(document: Value<'_>, out: &mut Vec<u8>) {
    let is_manifest = |property: &Value<'_>| {
        let kind = property.get_field("type").and_then(|it| it.as_str());
        kind.is_some_and(|it| it == "olm.csv.metadata" || it == BUNDLE_OBJECT)
    };
    out.push(b'{');
    for (number, (key, value)) in document.members().enumerate() {
        out.extend_from_slice(if number > 0 { b"," } else { b"" });
        json::write_compact(key, out);
        out.push(b':');
        if key.as_str().is_some_and(|it| it == "properties") {
            out.push(b'[');
            for (number, property) in value.items().filter(|it| !is_manifest(it)).enumerate() {
                out.extend_from_slice(if number > 0 { b"," } else { b"" });
                json::write_compact(property, out);
            }
            out.push(b']');
        } else {
            json::write_compact(value, out);
        }
    }
    out.push(b'}');
}
