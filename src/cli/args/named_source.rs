//! Sources with the names that their catalogs get.

use std::path::{Path, PathBuf};

use crate::source::STDIN;

/// A source with the name that its catalog gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedSource {
    pub(crate) name: String,
    /// Whether the user chose the name.
    pub(crate) is_named: bool,
    pub(crate) path: PathBuf,
}

impl NamedSource {
    /// The name for people: the one that the user gave, else the path.
    pub(crate) fn shown(&self) -> String {
        if self.is_named { self.name.clone() } else { self.path.display().to_string() }
    }

    /// Takes `[NAME=]SOURCE` apart. If the whole text is an existing path, it is a source without a name.
    pub(crate) fn parse(text: &str) -> Self {
        if let Some((name, path)) = text.split_once('=')
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
            && !Path::new(text).exists()
        {
            return Self { name: name.to_owned(), is_named: true, path: PathBuf::from(path) };
        }
        let path = PathBuf::from(text);
        Self { name: default_name(&path), is_named: false, path }
    }
}

/// The default name of a catalog: that of its directory, or of its file without the part from the first dot on.
pub(super) fn default_name(path: &Path) -> String {
    if path.as_os_str() == STDIN {
        return "stdin".to_owned();
    }
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = real.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let stem =
        if real.is_dir() { name } else { name.split('.').find(|it| !it.is_empty()).unwrap_or_default().to_owned() };
    if stem.is_empty() { "catalog".to_owned() } else { stem }
}
