//! The settings of the user for the validators.

use std::path::{Path, PathBuf};

use olmdex_base::file::read_regular;
use olmdex_text::json::{self, Reader};

/// Values that optional validators look at.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `k8s-version`: the Kubernetes version for which removed APIs are errors; empty if none was named.
    pub k8s_version: String,
    /// `index-path`: the Dockerfile whose labels name the target of the bundle.
    pub index_path: Option<PathBuf>,
    /// Categories that replace the standard ones.
    pub categories: Option<Vec<String>>,
}

impl Options {
    /// Reads a file of categories: `{"categories": ["…"]}`.
    ///
    /// # Errors
    /// Why the file has none, in words.
    pub fn read_categories(path: &Path) -> Result<Vec<String>, String> {
        let bytes = read_regular(path).map_err(|error| error.to_string())?;
        let text = json::decode_utf8(&bytes);
        let mut reader = Reader::new();
        let value = reader.read(&text).map_err(|error| error.to_string())?;
        let listed = value.get_field("categories").into_iter().flat_map(|it| it.items());
        Ok(listed.filter_map(|it| it.as_str()).map(|it| it.into_owned()).collect())
    }
}
