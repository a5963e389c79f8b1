//! The documents of an index, as they were read: for rendering, checking and copying catalogs.

use std::sync::Arc;

use rusqlite::params;

use super::error::{IndexError, NotAnIndex};
use super::open::Index;
use super::stored;
use crate::fbc::Input;

impl Index {
    /// The names of its catalogs, sorted.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn catalog_names(&self) -> Result<Vec<String>, IndexError> {
        let failed = |error: rusqlite::Error| self.failed(&error);
        let mut statement =
            self.connection().prepare_cached("SELECT name FROM catalog ORDER BY name").map_err(failed)?;
        let names = statement.query_map([], |row| row.get(0)).map_err(failed)?;
        names.collect::<Result<_, _>>().map_err(failed)
    }

    /// Hands the documents of a catalog to `each`, as compact JSON with sorted keys, in the order in which the catalog
    /// was read; only those of one package if one is named.
    ///
    /// # Errors
    /// If the file is damaged, or what `each` returned.
    pub fn for_each_document<E: From<IndexError>>(
        &self,
        catalog: &str,
        package: Option<&str>,
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        const ALL: &str = "SELECT t.codec, t.size, t.bytes FROM catalog c
             JOIN catalog_document cd ON cd.catalog = c.id JOIN document_text t ON t.document = cd.document
             WHERE c.name = ?1 AND ?2 IS NULL ORDER BY cd.position";
        const OF_PACKAGE: &str = "SELECT t.codec, t.size, t.bytes FROM catalog c
             JOIN document d ON d.package = ?2
             JOIN catalog_document cd ON cd.document = d.id AND cd.catalog = c.id
             JOIN document_text t ON t.document = d.id
             WHERE c.name = ?1 ORDER BY cd.position";
        let failed = |error: rusqlite::Error| E::from(self.failed(&error));
        let sql = if package.is_some() { OF_PACKAGE } else { ALL };
        let mut statement = self.connection().prepare_cached(sql).map_err(failed)?;
        let mut rows = statement.query(params![catalog, package]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let (codec, size): (i64, i64) = (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
            let bytes = row.get_ref(2).and_then(|it| Ok(it.as_blob()?)).map_err(failed)?;
            let Some(text) = stored::load(codec, size, bytes) else {
                let reason = NotAnIndex::Damaged { message: "a document cannot be decompressed".to_owned() };
                return Err(E::from(IndexError::not_an_index(self.path(), reason)));
            };
            each(&text)?;
        }
        Ok(())
    }

    /// A catalog as a stream of JSON, to be read like a file.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn catalog_input(&self, catalog: &str) -> Result<Input, IndexError> {
        let mut text = Vec::new();
        self.for_each_document(catalog, None, |document| {
            text.extend_from_slice(document);
            text.push(b'\n');
            Ok::<(), IndexError>(())
        })?;
        Ok(Input::bytes(&format!("{}#{catalog}", self.path().display()), Arc::from(text)))
    }
}
