//! Whole catalogs out of an index: to check them, and to copy them.

use std::sync::Arc;

use rusqlite::OptionalExtension as _;

use super::error::IndexError;
use super::open::Index;
use super::query::Filter;
use crate::fbc::{FromImage, Input};

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
        Ok(Input { image: image.map(|digest| FromImage { digest, content: None }), ..input })
    }

    /// As [`Self::catalog_input`], with these packages only, and what belongs to no package.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn packages_input<'n>(
        &self,
        catalog: &str,
        packages: impl Iterator<Item = &'n str>,
    ) -> Result<Input, IndexError> {
        let mut text = Vec::new();
        for package in std::iter::once("").chain(packages.filter(|it| !it.is_empty())) {
            let filter =
                Filter { catalogs: vec![catalog.to_owned()], package: Some(package.to_owned()), ..Filter::default() };
            self.documents(&filter, |_, document| {
                text.extend_from_slice(document.as_bytes());
                text.push(b'\n');
                Ok::<(), IndexError>(())
            })?;
        }
        Ok(Input::bytes(&format!("{}#{catalog}", self.path().display()), Arc::from(text)))
    }
}
