//! The catalogs of a configuration, opened: named with `-i`, by `olmdex.toml`, or pulled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::ask::{CatalogNames, MirrorCatalog, only_catalog};
use crate::cli::args::catalog_references::CatalogReferences;
use crate::cli::args::sources::{NamedSource, bare, default_source, source_of_reference};
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cli::terminal::progress::Progress;
use crate::compose::Config;
use crate::diag::printable;
use crate::mirror::{self, Operator};
use crate::source::is_index;

/// Opens the catalogs of a configuration.
pub(super) fn open(
    context: &Context,
    operators: Vec<Operator>,
    inputs: &[String],
    catalog: Option<&str>,
) -> Result<Vec<MirrorCatalog>, CommandError> {
    let names = mirror::catalog_names(&operators);
    let sources = Sources::new(context, &operators, inputs)?;
    let mut entries = Vec::new();
    if let Some((path, references)) = sources.shared(&operators)
        && references.len() > 1
        && !is_index(path)
    {
        // Check all of them together: a package that is missing only in one of them would look like a mistake of the
        // configuration.
        let list = references.iter().map(|it| format!("`{}`", printable(it))).collect::<Vec<_>>().join(", ");
        let message =
            format!("`{}` matches {} catalogs of the configuration: {list}", path.display(), references.len());
        context.reporter.warning(&format!("{message}; choose one with `-i REFERENCE=SOURCE`"));
    }
    for (operator, name) in operators.into_iter().zip(names) {
        let (path, from) = sources.of(&operator)?;
        if from == From::Reference {
            let reference = printable(&operator.catalog).into_owned();
            context.reporter.note(&format!("pulling `{reference}`: no `-i {reference}=SOURCE` names a local copy"));
        }
        let of_config = sources.config.as_ref().filter(|_| from == From::Config).map(|it| context.for_config(it));
        let opened = open_one(of_config.as_ref().unwrap_or(context), operator, name, &path, catalog);
        entries.push(match (opened, from) {
            (Err(error), From::Reference) if error.exit != Exit::Usage => {
                let reference = path.to_string_lossy().into_owned();
                let reference = reference.strip_prefix("docker://").unwrap_or(&reference);
                let instead = format!("give the catalog as a directory, a file or an index: `-i {reference}=SOURCE`");
                let help = match &error.help {
                    Some(help) => format!("{help}; or {instead}"),
                    None => instead,
                };
                return Err(error.help(help));
            }
            (opened, _) => opened?,
        });
    }
    Ok(entries)
}

/// The source of the place of a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// The command line.
    Name,
    /// `olmdex.toml`.
    Config,
    /// Only its reference, so it is pulled.
    Reference,
}

/// Opens the copy at `path` of the catalog that an entry of a configuration names.
pub(in crate::cli) fn open_one(
    context: &Context,
    operator: Operator,
    name: String,
    path: &Path,
    chosen: Option<&str>,
) -> Result<MirrorCatalog, CommandError> {
    let source = context.open(path)?;
    let found = only_catalog(path, &source, chosen, Some(&name))?;
    let input = found.packages(mirror::wanted(&operator).as_ref())?.into_owned();
    input.remarks.iter().for_each(|it| context.reporter.finding(it));
    let _progress = Progress::reading(context, format!("reading {}", path.display()), &input);
    Ok(MirrorCatalog::read(operator, name, &found, input)?)
}

/// The places of catalogs.
struct Sources {
    /// The catalogs with a reference.
    named: BTreeMap<String, PathBuf>,
    /// The source for all others.
    default: Option<PathBuf>,
    /// Those of `olmdex.toml`.
    config: Option<Config>,
}

impl Sources {
    fn new(context: &Context, operators: &[Operator], inputs: &[String]) -> Result<Self, CommandError> {
        let mut names = CatalogNames::default();
        let mut sources = Self { named: BTreeMap::new(), default: None, config: None };
        for text in inputs {
            match source_of_reference(text, operators)? {
                Some((reference, source)) => {
                    let twice = |error| CommandError::from(error).help("name one source for each catalog");
                    names.add(reference, source).map_err(twice)?;
                    sources.named.insert(reference.to_owned(), PathBuf::from(source));
                }
                // A name before the source has no meaning here.
                None => {
                    if sources.default.replace(NamedSource::parse(text).path).is_some() {
                        let error = CommandError::usage("two sources match the same catalogs");
                        return Err(error.help("name the catalog of each: `-i REFERENCE=SOURCE`"));
                    }
                }
            }
        }
        if sources.default.is_none() && operators.iter().any(|it| !sources.named.contains_key(bare(&it.catalog))) {
            sources.config = CatalogReferences::found(context)?.config;
        }
        Ok(sources)
    }

    /// The source without a name, and the catalogs that it stands for.
    fn shared<'o>(&self, operators: &'o [Operator]) -> Option<(&Path, BTreeSet<&'o str>)> {
        let references = operators.iter().map(|it| bare(&it.catalog)).filter(|it| !self.named.contains_key(*it));
        Some((self.default.as_deref()?, references.collect()))
    }

    fn of(&self, operator: &Operator) -> Result<(PathBuf, From), CommandError> {
        let reference = bare(&operator.catalog);
        if let Some(path) = self.named.get(reference).or(self.default.as_ref()) {
            return Ok((path.clone(), From::Name));
        }
        if reference.is_empty() {
            return Ok((default_source()?.path, From::Name));
        }
        let of_file = self.config.iter().flat_map(|config| config.catalogs.iter().map(move |it| (config, it)));
        let mut of_file = of_file.filter(|it| it.1.image.as_deref().is_some_and(|it| bare(it) == reference));
        if let Some((config, catalog)) = of_file.next() {
            // A composed catalog is where it was rendered.
            let rendered = catalog.destination.as_ref().map(|it| it.path.as_path()).filter(|it| it.exists());
            return match catalog.source().or(rendered) {
                Some(path) => {
                    config.check_path(path, catalog.at)?;
                    Ok((path.to_owned(), From::Config))
                }
                None => {
                    let message =
                        format!("catalog `{}` of olmdex.toml is composed, but not rendered yet", catalog.name);
                    let help = "give it a `destination`, and run `olmdex render`";
                    Err(CommandError::new(Exit::Input, message).help(help))
                }
            };
        }
        // A catalog is pulled only if its name is clearly that of an image elsewhere.
        Ok(match operator.catalog.strip_prefix("oci://") {
            Some(path) => (PathBuf::from(format!("oci:{path}")), From::Name),
            None => (PathBuf::from(format!("docker://{reference}")), From::Reference),
        })
    }
}
