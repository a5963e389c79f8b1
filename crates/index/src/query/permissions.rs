//! The permissions that the installation of a bundle grants, and its annotations. Only its ClusterServiceVersion states
//! them, which an index keeps as part of the document.

use std::borrow::Cow;

use super::super::compression;
use super::super::prepare::from_csv;
use super::super::service_version::find_object;
use crate::{Index, IndexError};
use olmdex_fbc::service_version::{CsvView, Permission};
use olmdex_fbc::{Typed, blob};
use olmdex_text::json::{self, Reader};

const TEXT: &str = "SELECT codec, size, bytes FROM document_text WHERE document = ?1";

impl Index {
    /// The permissions that the installation of a bundle grants; `None` if the catalog does not have its
    /// ClusterServiceVersion as a whole, for example because it has `olm.csv.metadata`.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn permissions(&self, document: i64) -> Result<Option<Vec<Permission>>, IndexError> {
        let texts = self.rows(TEXT, [document], |row| {
            let bytes = row.get_ref(2)?.as_blob()?;
            Ok(compression::load(row.get(0)?, row.get(1)?, bytes).map(|it| it.into_owned()))
        })?;
        let Some(text) = texts.into_iter().flatten().next() else { return Ok(None) };
        let text = json::decode_utf8(&text);
        let (mut outer, mut inner) = (Reader::new(), Reader::new());
        let Ok(value) = outer.read(&text) else { return Ok(None) };
        let Ok(blob) = blob::decode(value, false) else { return Ok(None) };
        let Typed::Bundle(bundle) = &blob.typed else { return Ok(None) };
        let Some(object) = find_object(bundle) else { return Ok(None) };
        let object = json::decode_utf8(&object);
        Ok(inner.read(&object).ok().map(|it| CsvView::of_object(it).permissions()))
    }

    /// An annotation of a bundle's ClusterServiceVersion; `None` if the catalog does not know it.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn csv_annotation(&self, catalog: &str, bundle: &str, name: &str) -> Result<Option<String>, IndexError> {
        let Some(text) = self.bundle_document(catalog, bundle)? else { return Ok(None) };
        let (mut outer, mut inner) = (Reader::new(), Reader::new());
        let Some(blob) = outer.read(&text).ok().and_then(|value| blob::decode(value, false).ok()) else {
            return Ok(None);
        };
        let Typed::Bundle(bundle) = &blob.typed else { return Ok(None) };
        let annotation = |csv: CsvView<'_>| csv.annotation(name).map(Cow::into_owned);
        Ok(from_csv(bundle, &mut inner, annotation).and_then(|found| found.1))
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[(&str, &str)] = &[("text of a document", TEXT)];
