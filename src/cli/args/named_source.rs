//! Sources with the names that their catalogs get.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::terminal::error::CommandError;
use crate::index::Index;
use crate::source::{STDIN, Source};

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

/// The names of a command's catalogs, each with its source. No name may come twice: one catalog would replace the other
/// without a word.
#[derive(Debug, Default)]
pub(crate) struct CatalogNames(BTreeMap<String, String>);

impl CatalogNames {
    /// The names of the catalogs of sources that are open.
    pub(crate) fn of(sources: &[(NamedSource, Source)]) -> Result<Self, CommandError> {
        let mut names = Self::default();
        for (named, source) in sources {
            match source {
                Source::Catalog(_) => names.add(&named.name, &named.path.display().to_string())?,
                Source::Index(path) => drop(names.add_index(named, &Index::open(path)?)?),
            }
        }
        Ok(names)
    }

    pub(crate) fn add(&mut self, name: &str, source: &str) -> Result<(), CommandError> {
        match self.0.insert(name.to_owned(), source.to_owned()) {
            None => Ok(()),
            Some(other) => {
                let message = format!("`{other}` and `{source}` would both be the catalog `{name}`");
                Err(CommandError::usage(message).help("give one of them another name: `NAME=SOURCE`"))
            }
        }
    }

    /// Adds the catalogs of an index, and returns the name of each there with the one that it gets: the name of the
    /// source, if the user chose one. Several catalogs cannot share that name.
    pub(crate) fn add_index(
        &mut self,
        named: &NamedSource,
        index: &Index,
    ) -> Result<Vec<(String, String)>, CommandError> {
        let held = index.catalog_names()?;
        let path = named.path.display().to_string();
        if named.is_named && held.len() != 1 {
            let message =
                format!("`{path}` has {} catalogs, so it cannot take the one name `{}`", held.len(), named.name);
            return Err(CommandError::usage(message).help("leave the name out: the catalogs keep their own names"));
        }
        let renamed = |name: String| (name.clone(), if named.is_named { named.name.clone() } else { name });
        let pairs: Vec<(String, String)> = held.into_iter().map(renamed).collect();
        pairs.iter().try_for_each(|(_, name)| self.add(name, &path))?;
        Ok(pairs)
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
