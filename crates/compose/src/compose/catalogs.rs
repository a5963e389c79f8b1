//! The catalogs of `olmdex.toml`: the components of each, the parts to take from them, and the destination.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component as Step, Path, PathBuf};

use super::error::{At, ConfigError};
use super::form::{CatalogForm, ComponentForm, FormatForm, LevelForm, PackageForm, PackageWord, Word};
use super::reader::Reader;
use crate::mirror::{self, Package};
use olmdex_fbc::{Format, Level};

/// A catalog that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCatalog {
    /// The name.
    pub name: String,
    /// Its place in the file.
    pub at: At,
    /// The components: at least one.
    pub components: Vec<Component>,
    /// The destination that it is written to.
    pub destination: Option<Destination>,
    /// The format in which it is written.
    pub format: Format,
    /// The base image of its own image.
    pub base_image: Option<String>,
    /// The reference that an ImageSetConfiguration calls it by.
    pub image: Option<String>,
    /// Higher is preferred.
    pub priority: i64,
    /// Labels, by their keys.
    pub labels: BTreeMap<String, String>,
}

/// A component of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// Its place in the file.
    pub at: At,
    /// The origin of its content.
    pub origin: Origin,
    /// The packages to take from it; everything if there are none.
    pub packages: Vec<Package>,
    /// The first place of each of them in the file.
    pub places: BTreeMap<String, At>,
    /// Its directory below the destination, if it has one.
    pub path: Option<PathBuf>,
}

/// The origin of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A catalog.
    Source { path: PathBuf, catalog: Option<String> },
    /// A template.
    Template {
        /// Its file.
        path: PathBuf,
        /// Trees of bundle directories, and layouts.
        bundles: Vec<PathBuf>,
        /// Catalogs that have bundles.
        from: Vec<PathBuf>,
        /// Whether registries are asked for the rest.
        pulls: bool,
        /// How the manifests in the bundles are stored.
        level: Level,
    },
}

/// The destination of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The path as the file has it.
    pub words: String,
    /// The same, relative to the directory that the program runs in.
    pub path: PathBuf,
    /// Its place in the file.
    pub at: At,
}

impl NamedCatalog {
    /// The source, if the whole catalog comes from one source.
    pub fn source(&self) -> Option<&Path> {
        match self.components.as_slice() {
            [Component { origin: Origin::Source { path, catalog: None }, packages, .. }] if packages.is_empty() => {
                Some(path)
            }
            _ => None,
        }
    }
}

impl Component {
    /// All its inputs: its source, or its template with the places of the bundles.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        let besides = match &self.origin {
            Origin::Source { .. } => [&[][..], &[][..]],
            Origin::Template { bundles, from, .. } => [bundles.as_slice(), from.as_slice()],
        };
        std::iter::once(self.origin_path()).chain(besides.into_iter().flatten().map(PathBuf::as_path))
    }

    /// The file or source of the component.
    pub(crate) fn origin_path(&self) -> &Path {
        match &self.origin {
            Origin::Source { path, .. } | Origin::Template { path, .. } => path,
        }
    }
}

/// Reads the catalogs.
pub(super) fn read(reader: &Reader<'_>, forms: BTreeMap<Word, CatalogForm>) -> Result<Vec<NamedCatalog>, ConfigError> {
    let catalogs: Vec<(NamedCatalog, Range<usize>)> = forms
        .into_iter()
        .map(|(name, form)| {
            let span = form.destination.as_ref().map(Word::span).unwrap_or_default();
            Ok((catalog(reader, &name, form)?, span))
        })
        .collect::<Result<_, ConfigError>>()?;
    for (at, (catalog, span)) in catalogs.iter().enumerate() {
        let Some(own) = &catalog.destination else { continue };
        for (other, _) in &catalogs[..at] {
            let Some(taken) = &other.destination else { continue };
            if own.path.starts_with(&taken.path) || taken.path.starts_with(&own.path) {
                let message = format!("the destination `{}` overlaps that of catalog `{}`", own.words, other.name);
                let help = Some("give each catalog a separate directory, none inside another".to_owned());
                return Err(reader.wrong(span.clone(), message, help));
            }
        }
    }
    Ok(catalogs.into_iter().map(|it| it.0).collect())
}

fn catalog(reader: &Reader<'_>, word: &Word, mut form: CatalogForm) -> Result<NamedCatalog, ConfigError> {
    let name = reader.name(word)?;
    let own = form.take_part();
    let components = match form.components {
        None => vec![component(reader, word.span(), own)?],
        Some(forms) => {
            if let Some(key) = own.first_key() {
                let message = format!("catalog `{name}` has both `components` and `{key}`");
                let help = Some(format!("move `{key}` to the component that it belongs to"));
                return Err(reader.wrong(word.span(), message, help));
            }
            if forms.is_empty() {
                let help = Some("name a source: `components = [{ source = \"catalogs/community\" }]`".to_owned());
                return Err(reader.wrong(word.span(), format!("catalog `{name}` has no components"), help));
            }
            let mut components: Vec<Component> = Vec::new();
            for form in forms {
                let span = form.span();
                let new = component(reader, span.clone(), form.into_inner())?;
                let is_taken = |it: &&Component| match (&it.path, &new.path) {
                    (Some(a), Some(b)) => a.starts_with(b) || b.starts_with(a),
                    _ => false,
                };
                if let Some(other) = components.iter().find(is_taken) {
                    let path = new.path.as_deref().unwrap_or(Path::new("")).display();
                    let message = format!("the path `{path}` overlaps that of the component in line {}", other.at.line);
                    let help = Some("give each component a separate directory, none inside another".to_owned());
                    return Err(reader.wrong(span, message, help));
                }
                components.push(new);
            }
            components
        }
    };
    let destination = form.destination.map(|word| {
        let path = reader.path(&word)?;
        Ok(Destination { words: word.text().to_owned(), path, at: reader.at(word.span()) })
    });
    let base_image = form.base_image.map(|word| match word.text() {
        // It is written into a Dockerfile.
        text if text.is_empty() || text.chars().any(|it| it.is_whitespace() || it.is_control()) => {
            let help = Some("name an image, or `scratch`".to_owned());
            Err(reader.wrong(word.span(), format!("`{}` is not a valid image name", text.escape_debug()), help))
        }
        text => Ok(text.to_owned()),
    });
    Ok(NamedCatalog {
        name,
        at: reader.at(word.span()),
        components,
        destination: destination.transpose()?,
        format: match form.format {
            Some(FormatForm::Yaml) => Format::Yaml,
            Some(FormatForm::Json) | None => Format::Json,
        },
        base_image: base_image.transpose()?,
        image: form.image,
        priority: form.priority,
        labels: form.labels,
    })
}

fn component(reader: &Reader<'_>, span: Range<usize>, form: ComponentForm) -> Result<Component, ConfigError> {
    let wrong = |message: &str, help: &str| reader.wrong(span.clone(), message.to_owned(), Some(help.to_owned()));
    let paths = |words: &[Word]| words.iter().map(|it| reader.source(it)).collect::<Result<Vec<_>, _>>();
    let origin = match (&form.source, &form.template) {
        (Some(_), Some(_)) => {
            return Err(wrong("the component has both a `source` and a `template`", "make them two components"));
        }
        (None, None) => {
            return Err(wrong(
                "the key `source` is missing",
                "add `source`, `template` or, for a catalog of several parts, `components`",
            ));
        }
        (Some(source), None) => {
            if let Some(key) = form.first_key_of_templates() {
                return Err(wrong(
                    &format!("`{key}` is for templates"),
                    "leave it out, or write `template` instead of `source`",
                ));
            }
            let catalog = form.catalog.as_ref().map(|it| reader.name(it)).transpose()?;
            Origin::Source { path: reader.source(source)?, catalog }
        }
        (None, Some(template)) => {
            if form.catalog.is_some() {
                return Err(wrong("`catalog` is for indexes, but this is a template", "leave it out"));
            }
            let (bundles, from) = (paths(&form.bundles)?, paths(&form.from)?);
            let level = match form.migrate_level {
                None | Some(LevelForm::None) => Level::None,
                Some(LevelForm::BundleObjectToCsvMetadata | LevelForm::All) => Level::CsvMetadata,
            };
            Origin::Template { path: reader.path(template)?, bundles, from, pulls: form.pull, level }
        }
    };
    let path = form.path.as_ref().map(|word| match inner(word.text()) {
        Some(path) => Ok(path),
        None => {
            let help = "name a directory below the destination, without `..`, not hidden".to_owned();
            Err(reader.wrong(word.span(), format!("`{}` is not a valid path for a component", word.text()), Some(help)))
        }
    });
    let packages = form.packages.map(|words| packages(reader, &span, words)).transpose()?;
    let (packages, places) = packages.unwrap_or_default();
    let what = form.source.as_ref().or(form.template.as_ref());
    Ok(Component { at: reader.at(what.map_or(span, Word::span)), origin, packages, places, path: path.transpose()? })
}

/// A path that leads down, to nothing hidden: hidden files belong to other programs.
pub(super) fn inner(text: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for step in Path::new(text).components() {
        match step {
            Step::Normal(name) if !name.as_encoded_bytes().starts_with(b".") => path.push(name),
            Step::CurDir => {}
            _ => return None,
        }
    }
    let is_good = !path.as_os_str().is_empty() && !text.chars().any(char::is_control);
    is_good.then_some(path)
}

/// The packages to take, in the words that `olmdex mirror filter` takes on its command line.
fn packages(
    reader: &Reader<'_>,
    span: &Range<usize>,
    words: Vec<PackageWord>,
) -> Result<(Vec<Package>, BTreeMap<String, At>), ConfigError> {
    if words.is_empty() {
        let help = Some("name packages, or leave out `packages` to take all".to_owned());
        return Err(reader.wrong(span.clone(), "`packages` is empty".to_owned(), help));
    }
    let mut texts: Vec<String> = Vec::new();
    let mut spans = Vec::new();
    let mut defaults = BTreeMap::new();
    for word in words {
        let span = word.0.span();
        let new = match word.0.into_inner() {
            PackageForm::Text(text) => vec![text],
            PackageForm::Table(table) => {
                let name = table.name;
                if name.is_empty() || name.contains(['/', '@']) {
                    let help = Some("name a package only; channels and ranges have separate keys".to_owned());
                    return Err(reader.wrong(span, format!("`{name}` is not a valid package name"), help));
                }
                if let Some(channel) = table.default_channel {
                    defaults.insert(name.clone(), channel);
                }
                let mut texts: Vec<String> = Vec::new();
                if let Some(range) = &table.range {
                    texts.push(format!("{name}@{range}"));
                }
                texts.extend(table.channels.iter().map(|it| format!("{name}/{it}")));
                if texts.is_empty() { vec![name] } else { texts }
            }
        };
        for text in new {
            texts.push(text);
            spans.push(span.clone());
        }
    }
    let mut packages = mirror::packages(&texts).map_err(|error| {
        // More texts never remove an error, so the last text of the shortest list that fails is at fault.
        let (mut good, mut bad) = (0, texts.len());
        while bad - good > 1 {
            let middle = good.midpoint(bad);
            if mirror::packages(&texts[..middle]).is_ok() { good = middle } else { bad = middle }
        }
        let span = spans.get(bad - 1).unwrap_or(span);
        reader.wrong(span.clone(), error.to_string(), Some(error.help().to_owned()))
    })?;
    let mut first: BTreeMap<&str, &Range<usize>> = BTreeMap::new();
    for (text, span) in texts.iter().zip(&spans) {
        first.entry(text.split(['/', '@']).next().unwrap_or_default()).or_insert(span);
    }
    for package in &mut packages {
        let span = first.get(package.name.as_str()).copied().unwrap_or(span);
        let n_with_range = package.channels.iter().filter(|it| !it.range.is_empty()).count();
        if n_with_range > 0 && n_with_range < package.channels.len() {
            let message = format!("some channels of package `{}` have a range, and some have none", package.name);
            let help = Some("give each channel a range: `>=0.0.0-0` includes every version".to_owned());
            return Err(reader.wrong(span.clone(), message, help));
        }
        if let Some(channel) = defaults.remove(&package.name) {
            package.default_channel = channel;
        }
    }
    let places = first.into_iter().map(|(name, span)| (name.to_owned(), reader.at(span.clone()))).collect();
    Ok((packages, places))
}
