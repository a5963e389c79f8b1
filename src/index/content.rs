//! Whole catalogs out of an index: to check them, and to copy them.

use std::sync::Arc;

use super::error::IndexError;
use super::open::Index;
use super::query::Filter;
use crate::fbc::Input;

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
        Ok(Input::bytes(&format!("{}#{catalog}", self.path().display()), Arc::from(text)))
    }
}
