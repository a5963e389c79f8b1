//! The sources that a user names, and the catalogs that they bring: their names, and what an index gets of them. Every
//! front end loads catalogs through this module, so none of them can lose one of two catalogs of a name.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use thiserror::Error;

use super::building::builder;
use super::catalog::must_have;
use super::error::AskError;
use olmdex_fbc::Input;
use olmdex_index::{Builder, CatalogSpec, HeldUpdates, Index, IndexError, Kind, Mode};
use olmdex_olm::catalog_source::name_of_image;
use olmdex_open::source::{Opener, STDIN, Source, SourceError, is_revision, path_and_tag};

/// A source with the name that its catalog gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSource {
    /// The name.
    pub name: String,
    /// Whether the user chose the name.
    pub is_named: bool,
    /// The source: a path, a reference, or `-`.
    pub path: PathBuf,
}

impl NamedSource {
    /// A source with its default name: that of its directory, of its file without the part from the first dot on, or of
    /// its image.
    pub fn unnamed(path: PathBuf) -> Self {
        Self { name: default_name(&path), is_named: false, path }
    }

    /// Takes `[NAME=]SOURCE` apart. If the whole text is an existing path, it is a source without a name.
    pub fn parse(text: &str) -> Self {
        if let Some((name, path)) = text.split_once('=')
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
            && !Path::new(text).exists()
        {
            return Self { name: name.to_owned(), is_named: true, path: PathBuf::from(path) };
        }
        Self::unnamed(PathBuf::from(text))
    }

    /// The name for people: the one that the user gave, else the path.
    pub fn shown(&self) -> String {
        if self.is_named { self.name.clone() } else { self.path.display().to_string() }
    }
}

fn default_name(path: &Path) -> String {
    if path.as_os_str() == STDIN {
        return "stdin".to_owned();
    }
    let text = path.to_string_lossy();
    if let Some(image) = text.strip_prefix("docker://") {
        return name_of_image(image);
    }
    let (own, tag) = path_and_tag(path).unwrap_or_else(|| (path.to_owned(), None));
    let real = if is_revision(path) { own } else { std::fs::canonicalize(&own).unwrap_or(own) };
    let name = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = if real.is_dir() || is_directory_of_revision(path) {
        name
    } else {
        name.split('.').find(|part| !part.is_empty()).unwrap_or_default().to_owned()
    };
    match tag.filter(|tag| !stem.is_empty() && !tag.contains(['/', ':'])) {
        Some(tag) => format!("{stem}-{tag}"),
        None if stem.is_empty() => "catalog".to_owned(),
        None => stem,
    }
}

/// Whether a path is `git:REF:PATH` of something that is no file of a catalog by its name.
fn is_directory_of_revision(path: &Path) -> bool {
    const FILES: [&str; 4] = ["yaml", "yml", "json", "tar"];
    let is_file = path.extension().is_some_and(|ending| FILES.iter().any(|it| ending == *it));
    is_revision(path) && !is_file
}

/// The reasons why sources cannot be loaded together.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Two catalogs would have one name.
    #[error("`{first}` and `{second}` would both be the catalog `{name}`")]
    SameName { first: String, second: String, name: String },
    /// A name for a source that does not bring exactly one catalog.
    #[error("`{path}` has {n_catalogs} catalogs, so it cannot take the one name `{name}`")]
    OneName { path: String, n_catalogs: usize, name: String },
    /// A catalog is chosen from a source that is no index.
    #[error("`--catalog` chooses from an index, and `{0}` is not one")]
    NotAnIndex(String),
    /// The index does not have the chosen catalog.
    #[error(transparent)]
    Choice(Box<AskError>),
    /// An index has no catalog.
    #[error("`{0}` has no catalog")]
    Empty(String),
    /// An index has several catalogs, and none is chosen.
    #[error("`{path}` has several catalogs: {}", .names.join(", "))]
    Several { path: String, names: Vec<String> },
    /// A source cannot be opened.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file of a catalog cannot be read.
    #[error("`{path}` is not a readable catalog: {message}")]
    Unreadable { path: String, message: String },
    /// An index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl LoadError {
    /// The way out.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::SameName { .. } => Some("give one of them another name: `NAME=SOURCE`"),
            Self::OneName { .. } => Some("leave the name out: the catalogs keep their own names"),
            Self::Several { .. } => Some("choose one with `--catalog`"),
            _ => None,
        }
    }
}

/// The catalogs of a source.
#[derive(Debug)]
pub struct LoadedSource<'s> {
    /// The catalogs.
    pub catalogs: Vec<LoadedCatalog<'s>>,
    /// The known updates of OpenShift, if the source is an index.
    pub updates: Vec<HeldUpdates>,
}

/// A catalog of a source.
#[derive(Debug)]
pub struct LoadedCatalog<'s> {
    /// Its name and its source.
    pub spec: CatalogSpec,
    held: Held<'s>,
}

#[derive(Debug)]
enum Held<'s> {
    Files(&'s Input),
    /// A catalog of an index, by its name there.
    Indexed(Rc<Index>, String),
}

impl<'s> LoadedCatalog<'s> {
    /// Its files, if it is not a catalog of an index.
    pub fn files(&self) -> Option<&'s Input> {
        match self.held {
            Held::Files(input) => Some(input),
            Held::Indexed(..) => None,
        }
    }

    /// The index that it comes from, and its name there.
    pub fn index(&self) -> Option<(&Rc<Index>, &str)> {
        match &self.held {
            Held::Files(_) => None,
            Held::Indexed(index, name) => Some((index, name)),
        }
    }

    /// Its documents. Those of an index are read by this.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn input(&self) -> Result<Cow<'s, Input>, IndexError> {
        self.packages(None)
    }

    /// Its documents; of a catalog of an index only those of some packages, if these are given.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn packages(&self, wanted: Option<&BTreeSet<&str>>) -> Result<Cow<'s, Input>, IndexError> {
        match &self.held {
            Held::Files(input) => Ok(Cow::Borrowed(input)),
            Held::Indexed(index, name) => documents_of(index, name, wanted).map(Cow::Owned),
        }
    }
}

/// The documents of a catalog of an index, or those of some of its packages.
pub(super) fn documents_of(
    index: &Index,
    catalog: &str,
    packages: Option<&BTreeSet<&str>>,
) -> Result<Input, IndexError> {
    match packages {
        Some(packages) => index.packages_input(catalog, packages.iter().copied()),
        None => index.catalog_input(catalog),
    }
}

/// The catalog of a source that is open, for a command that takes one. An index may hold several: then it is the chosen
/// one, or the one that is `called` as the command expects it.
///
/// # Errors
/// [`LoadError`]
pub fn only_catalog<'s>(
    path: &Path,
    source: &'s Source,
    chosen: Option<&str>,
    called: Option<&str>,
) -> Result<LoadedCatalog<'s>, LoadError> {
    let shown = || path.display().to_string();
    if matches!(source, Source::Catalog(_)) && chosen.is_some() {
        return Err(LoadError::NotAnIndex(shown()));
    }
    let mut catalogs = CatalogNames::default().load(&NamedSource::unnamed(path.to_owned()), source)?.catalogs;
    let names: Vec<String> = catalogs.iter().map(|catalog| catalog.spec.name.clone()).collect();
    if let Some(chosen) = chosen {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        must_have(chosen, &names).map_err(|error| LoadError::Choice(Box::new(error)))?;
    }
    let meant = chosen.or(called).and_then(|name| names.iter().position(|held| held == name));
    match (meant, catalogs.len()) {
        (Some(at), _) => Ok(catalogs.swap_remove(at)),
        (None, 1) => Ok(catalogs.swap_remove(0)),
        (None, 0) => Err(LoadError::Empty(shown())),
        (None, _) => Err(LoadError::Several { path: shown(), names }),
    }
}

/// The names of catalogs that are loaded together, each with its source. No name may come twice: one catalog would
/// replace the other without a word.
#[derive(Debug, Default)]
pub struct CatalogNames(BTreeMap<String, String>);

impl CatalogNames {
    /// Adds a name.
    ///
    /// # Errors
    /// [`LoadError::SameName`]
    pub fn add(&mut self, name: &str, source: &str) -> Result<(), LoadError> {
        match self.0.insert(name.to_owned(), source.to_owned()) {
            None => Ok(()),
            Some(first) => Err(LoadError::SameName { first, second: source.to_owned(), name: name.to_owned() }),
        }
    }

    /// The catalogs of a source that is open, with their names, which are added. A catalog of an index has the name of
    /// the source, if the user chose one, and otherwise its own; its source in the index to be is `PATH#NAME`.
    ///
    /// # Errors
    /// [`LoadError`]
    pub fn load<'s>(&mut self, named: &NamedSource, source: &'s Source) -> Result<LoadedSource<'s>, LoadError> {
        let shown = named.path.display().to_string();
        let index = match source {
            Source::Catalog(input) => {
                self.add(&named.name, &shown)?;
                let spec = CatalogSpec { name: named.name.clone(), source: shown, ..CatalogSpec::default() };
                let catalogs = vec![LoadedCatalog { spec, held: Held::Files(input) }];
                return Ok(LoadedSource { catalogs, updates: Vec::new() });
            }
            Source::Index(path) => Rc::new(Index::open(path)?),
        };
        let names = index.catalog_names()?;
        if named.is_named && names.len() != 1 {
            return Err(LoadError::OneName { path: shown, n_catalogs: names.len(), name: named.name.clone() });
        }
        let mut catalogs = Vec::with_capacity(names.len());
        for held in names {
            let name = if named.is_named { named.name.clone() } else { held.clone() };
            self.add(&name, &shown)?;
            let spec = CatalogSpec { name, source: format!("{shown}#{held}"), ..CatalogSpec::default() };
            catalogs.push(LoadedCatalog { spec, held: Held::Indexed(Rc::clone(&index), held) });
        }
        Ok(LoadedSource { catalogs, updates: index.held_updates()? })
    }
}

/// Loads all catalogs of sources that are open into an index: `add` imports each of them. Returns their names in the
/// order of the sources, and whether the known updates of OpenShift have changed.
///
/// # Errors
/// The errors of `add`, of names, and of indexes.
pub fn load_into<K: Kind, E: From<LoadError> + From<IndexError>>(
    builder: &mut Builder<K>,
    sources: &[(impl Borrow<NamedSource>, Source)],
    mut add: impl FnMut(&mut Builder<K>, &NamedSource, &LoadedCatalog<'_>) -> Result<(), E>,
) -> Result<(Vec<String>, bool), E> {
    let (mut known, mut names, mut updates) = (CatalogNames::default(), Vec::new(), Vec::new());
    for (named, source) in sources {
        let loaded = known.load(named.borrow(), source)?;
        updates.extend(loaded.updates);
        for catalog in loaded.catalogs {
            add(builder, named.borrow(), &catalog)?;
            names.push(catalog.spec.name);
        }
    }
    let has_updates = !updates.is_empty() || builder.has_updates()?;
    Ok((names, has_updates && builder.adopt_updates(&updates)?))
}

/// Opens sources as one index, each as `[NAME=]SOURCE`: an index as it is; directories, files, images and several
/// indexes in memory. Packages that opm would refuse are part of it, and answers about them say so.
///
/// # Errors
/// [`LoadError`]
pub fn open(opener: &Opener, words: &[&str]) -> Result<Index, LoadError> {
    let mut sources = Vec::with_capacity(words.len());
    for word in words {
        let named = NamedSource::parse(word);
        let source = opener.open(&named.path, &mut std::io::stdin().lock())?;
        sources.push((named, source));
    }
    if let [(named, Source::Index(path))] = sources.as_slice()
        && !named.is_named
    {
        return Ok(Index::open(path)?);
    }
    let mut builder = builder();
    load_into(&mut builder, &sources, |builder, _, catalog| {
        let import = builder.add_catalog(&catalog.spec, &*catalog.input()?, Mode::Tolerant)?;
        let fault = import.report.findings.into_iter().find(|finding| finding.rule.id.starts_with("E00"));
        fault.map_or(Ok(()), |fault| {
            Err(LoadError::Unreadable { path: catalog.spec.source.clone(), message: fault.message })
        })
    })?;
    Ok(builder.into_index()?)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn no_name_comes_twice() {
        let source = || Source::Catalog(Input::bytes("c.json", Arc::from(&b""[..])));
        let (first, second) = (source(), source());
        let mut names = CatalogNames::default();
        let named = NamedSource { name: "shop".to_owned(), is_named: true, path: PathBuf::from("a") };
        let loaded = names.load(&named, &first).unwrap();
        assert!(loaded.catalogs[0].files().is_some() && loaded.catalogs[0].spec.name == "shop");
        let other = NamedSource { path: PathBuf::from("b"), ..named };
        let error = names.load(&other, &second).unwrap_err();
        assert_eq!(error.to_string(), "`a` and `b` would both be the catalog `shop`");
    }

    #[test]
    fn a_catalog_is_chosen_from_an_index_only() {
        let files = Source::Catalog(Input::bytes("c.json", Arc::from(&b""[..])));
        let only = |chosen| only_catalog(Path::new("c.json"), &files, chosen, Some("shop"));
        assert_eq!(only(None).unwrap().spec.name, "c");
        let refused = only(Some("c")).unwrap_err();
        assert_eq!(refused.to_string(), "`--catalog` chooses from an index, and `c.json` is not one");
    }

    #[test]
    fn a_name_comes_before_an_equals_sign() {
        let layout = tempfile::tempdir().unwrap();
        let layout = format!("oci:{}/lay", layout.path().display());
        std::fs::create_dir(layout.strip_prefix("oci:").unwrap()).unwrap();
        for (text, name, is_named) in [
            ("shop=a/b", "shop", true),
            ("a/b=c", "b=c", false),
            ("dir/v4.json", "v4", false),
            ("-", "stdin", false),
            ("git:HEAD:cat", "cat", false),
            ("git:HEAD~1:a/cat.v1.yaml", "cat", false),
            ("docker://quay.io/a/cat:v1.2", "cat-v1.2", false),
            (&layout, "lay", false),
            (&format!("{layout}:v4.20"), "lay-v4.20", false),
        ] {
            let found = NamedSource::parse(text);
            assert_eq!((found.name.as_str(), found.is_named), (name, is_named), "{text}");
        }
    }
}
