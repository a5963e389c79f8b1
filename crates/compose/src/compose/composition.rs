//! Composes a catalog from its components: sources are opened, templates rendered, packages chosen, and all put
//! together.
//!
//! A package comes from one component. If two components have it, that is an error that names both, since only the user
//! can choose.
//!
//! This module writes nothing, and does not judge the catalog that it composes.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalogs::{Component, NamedCatalog, Origin};
use super::compose_error::ComposeError;
use crate::mirror::{self, Catalog, FilterVersion, Filtered, Operator, Package, PackageExtent};
use olmdex_base::diag::Severity;
use olmdex_base::file::read_regular_of;
use olmdex_fbc::{Format, Input, Sight};
use olmdex_index::Index;
use olmdex_open::source::{Images, ImagesError, Opener, Source, SourceError};
use olmdex_open::template::{self, Template};
use olmdex_rules::check::failure_findings;

/// A catalog that has been composed.
#[derive(Debug)]
pub struct Composition {
    /// Its parts, in the order of the file.
    pub parts: Vec<Part>,
    /// Warnings about the choice for the user.
    pub warnings: Vec<String>,
}

/// The content that a component contributes.
#[derive(Debug)]
pub struct Part {
    /// Its directory below the destination, if it has one.
    pub path: Option<PathBuf>,
    /// Its documents.
    pub input: Input,
}

/// Opens a source; a command also shows the progress.
pub type Open<'o> = dyn Fn(&Path) -> Result<Source, SourceError> + 'o;

impl Composition {
    /// Composes a catalog. `file` is the file that names it.
    ///
    /// # Errors
    /// [`ComposeError`].
    pub fn compose(
        file: &Path,
        catalog: &NamedCatalog,
        opener: &Opener,
        open: &Open<'_>,
    ) -> Result<Self, ComposeError> {
        let mut composed = Self { parts: Vec::new(), warnings: Vec::new() };
        // The packages so far, with the places of their components.
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        for component in &catalog.components {
            let place = format!("{}:{}:{}", file.display(), component.at.line, component.at.column);
            let whole = match &component.origin {
                Origin::Source { path, catalog } => opened(&place, path, catalog.as_deref(), open)?,
                Origin::Template { .. } => rendered(&place, component, opener, open)?,
            };
            let names = if !component.packages.is_empty() {
                let input = chosen(file, component, &whole, &mut composed.warnings)?;
                composed.parts.push(Part { path: component.path.clone(), input });
                component.packages.iter().map(|it| it.name.clone()).collect()
            } else {
                // The packages of a single component cannot clash, so their names are not read.
                let is_only = catalog.components.len() == 1;
                let names = if is_only { BTreeSet::new() } else { Catalog::read(&whole, Some(&BTreeSet::new())).names };
                composed.parts.push(Part { path: component.path.clone(), input: whole });
                names
            };
            let shown = format!("`{}` ({place})", component.origin_path().display());
            for package in names {
                if let Some(first) = known.insert(package.clone(), shown.clone()) {
                    return Err(ComposeError::Twice { catalog: catalog.name.clone(), package, first, second: shown });
                }
            }
        }
        Ok(composed)
    }

    /// All of it as one catalog.
    pub fn input(&self) -> Input {
        let mut all = Input::default();
        for part in &self.parts {
            all.files.extend(part.input.files.iter().cloned());
            all.remarks.extend(part.input.remarks.iter().cloned());
        }
        all
    }

    /// Whether a part of it could not be read; its remarks have the details.
    pub fn is_whole(&self) -> bool {
        let mut remarks = self.parts.iter().flat_map(|it| &it.input.remarks);
        remarks.all(|it| it.rule.severity != Severity::Error)
    }
}

/// The catalog of a source.
fn opened(place: &str, path: &Path, catalog: Option<&str>, open: &Open<'_>) -> Result<Input, ComposeError> {
    let unopened = |source: SourceError| ComposeError::Unopened { place: place.to_owned(), source: Box::new(source) };
    match open(path).map_err(unopened)? {
        Source::Catalog(input) => match catalog {
            None => Ok(input),
            Some(name) => Err(ComposeError::NotAnIndex {
                place: place.to_owned(),
                origin: path.to_owned(),
                catalog: name.to_owned(),
            }),
        },
        Source::Index(path) => {
            let index = Index::open(&path)?;
            let names = index.catalog_names()?;
            let name = match (catalog, names.as_slice()) {
                (None, [only]) => only,
                (Some(name), names) if names.iter().any(|it| it == name) => name,
                _ => {
                    let (place, wanted) = (place.to_owned(), catalog.map(str::to_owned));
                    return Err(ComposeError::WhichCatalog { place, index: path, wanted, names });
                }
            };
            Ok(index.catalog_input(name)?)
        }
    }
}

/// The catalog of a template.
fn rendered(place: &str, component: &Component, opener: &Opener, open: &Open<'_>) -> Result<Input, ComposeError> {
    let Origin::Template { path, bundles, from, pulls, level } = &component.origin else {
        return Ok(Input::default());
    };
    let unopened = |source: SourceError| ComposeError::Unopened { place: place.to_owned(), source: Box::new(source) };
    let without = |error: ImagesError| match error {
        ImagesError::Source(source) => unopened(source),
        error => ComposeError::Images { place: place.to_owned(), error: Box::new(error) },
    };
    let shown = path.display().to_string();
    let failed = |findings| ComposeError::Template { template: shown.clone(), findings };
    let unreadable = |error| ComposeError::Unreadable { place: place.to_owned(), path: path.clone(), error };
    let text = read_regular_of(path, template::MAX_SIZE).map_err(unreadable)?;
    if Sight::Found.hides(&text) {
        return Err(unreadable(io::Error::other("it is not a template of OLM")));
    }
    let template = Template::read(&shown, Arc::from(text), None).map_err(failed)?;
    let mut images = Images::new(opener, *pulls);
    for directory in bundles {
        images.add_directory(directory).map_err(without)?;
    }
    for path in from {
        // Standard input has no name here.
        images.add(open(path).map_err(unopened)?);
    }
    let (rendered, remarks) = template.render(&images, *level).map_err(|mut findings| {
        for finding in findings.iter_mut().filter(|it| it.rule.id == template::rules::UNAVAILABLE.id) {
            // In a composition the file names the bundles, and not the command line.
            finding.help = Some("name its place with `bundles` or `from`, or fetch it with `pull = true`".to_owned());
        }
        failed(findings)
    })?;
    let mut input = rendered
        .input_at(&shown, *level)
        .map_err(|error| ComposeError::Unmigratable { place: place.to_owned(), words: error.to_string() })?;
    input.remarks = template.remarks.iter().cloned().chain(remarks).collect();
    Ok(input)
}

/// The chosen packages of a catalog.
fn chosen(
    file: &Path,
    component: &Component,
    input: &Input,
    warnings: &mut Vec<String>,
) -> Result<Input, ComposeError> {
    let place = |package: &str| {
        let at = component.places.get(package).unwrap_or(&component.at);
        format!("{}:{}:{}", file.display(), at.line, at.column)
    };
    let wanted: BTreeSet<&str> = component.packages.iter().map(|it| it.name.as_str()).collect();
    let catalog = Catalog::read(input, Some(&wanted));
    let broken = catalog.broken_packages();
    for package in &component.packages {
        let nothing = |channel: Option<&str>, known: Vec<String>| ComposeError::NotThere {
            place: place(&package.name),
            origin: component.origin_path().to_owned(),
            package: package.name.clone(),
            channel: channel.map(str::to_owned),
            known,
        };
        let Some(facts) = catalog.packages.get(&package.name) else {
            if broken.contains(package.name.as_str()) {
                continue;
            }
            return Err(nothing(None, catalog.names.iter().cloned().collect()));
        };
        let channels = package.channels.iter().map(|it| it.name.as_str());
        let channels = channels.chain(Some(package.default_channel.as_str()).filter(|it| !it.is_empty()));
        for channel in channels {
            if facts.channel(channel).is_none() {
                return Err(nothing(Some(channel), facts.channels.iter().map(|it| it.name.clone()).collect()));
            }
        }
    }
    let mut filtered = Filtered::default();
    for package in &component.packages {
        if is_whole(package) {
            if catalog.packages.contains_key(&package.name) {
                filtered.packages.insert(package.name.clone(), Ok(PackageExtent::Whole));
            }
            continue;
        }
        let full = package.range.is_empty() && package.channels.iter().all(|it| it.range.is_empty());
        let operator = Operator { full, packages: vec![package.clone()], ..Operator::default() };
        let of_one = mirror::filter(&catalog, &operator, FilterVersion::default())
            .map_err(|error| ComposeError::Filter { place: place(&package.name), words: error.to_string() })?;
        for (name, kept) in of_one.packages {
            if let (Err(error), Some(facts)) = (&kept, catalog.packages.get(&name)) {
                let words = format!("package `{name}`: {}", mirror::refused(&error.error, facts));
                return Err(ComposeError::Filter { place: place(&name), words });
            }
            filtered.packages.insert(name, kept);
        }
        warnings.extend(of_one.warnings.iter().map(mirror::Warning::in_words));
    }
    // Blobs without a package come along with the catalog.
    if catalog.packages.contains_key("") {
        filtered.packages.insert(String::new(), Ok(PackageExtent::Whole));
    }
    warnings.extend(mirror::mend(&catalog, &mut filtered).iter().map(ToString::to_string));
    if let Some(gone) = component
        .packages
        .iter()
        .find(|it| catalog.packages.contains_key(&it.name) && !filtered.packages.contains_key(&it.name))
    {
        let words = format!("package `{}`: the range includes none of its versions", gone.name);
        return Err(ComposeError::Filter { place: place(&gone.name), words });
    }
    let blobs = mirror::write(input, &catalog, &filtered, Format::Json)?;
    let mut remarks = input.remarks.clone();
    for (origin, failure) in &catalog.broken {
        remarks.extend(failure_findings(input, *origin, failure));
    }
    let input = blobs.into_input(input);
    Ok(Input { remarks, ..input })
}

/// Whether all of a package is taken unchanged.
fn is_whole(package: &Package) -> bool {
    package.channels.is_empty() && package.range.is_empty() && package.default_channel.is_empty()
}
