//! The arguments of `olmdex filter`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::output::FORMATS;
use crate::ask::{MirrorCatalog, State, WorkOptions, no_package, usual_image};
use crate::cli::args::catalog_references::CatalogReferences;
use crate::cli::args::formats::OutputFormat;
use crate::cli::args::images::{note_unlisted, note_usual};
use crate::cli::args::sources::{NamedSource, default_source};
use crate::cli::args::text::configuration_of;
use crate::cli::args::upgrade::parse_minor;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::constraint::openshift::Minor;
use crate::index::Index;
use crate::index::query::{BundleSelector, Filter};
use crate::mirror::{self, ChosenDefault, Configuration, Dialect, FilterVersion, Operator};
use crate::source::is_index;

/// Filter catalogs as oc-mirror does, by an ImageSetConfiguration
///
/// Prints the filtered catalog, or writes it with `--into`, or prints with `-o` what else a mirror needs. Where
/// oc-mirror would leave the catalog invalid, this command repairs it and reports that. A package that cannot be
/// filtered is named and left out; the exit code is 1 then.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex filter -c imageset.yaml -i my-catalog/ > filtered.json
  olmdex filter --package keda/stable@2.9.0 -i my-catalog/ -o images
  olmdex filter --package keda -i quay.io/org/catalog:v1=my-catalog/ -o isc
  olmdex filter -c imageset.yaml -i my-catalog/ --explain
  olmdex filter --package keda --previous 2 -i my-catalog/ --explain
  olmdex filter -c imageset.yaml -i my-catalog/ --repair --dry-run
  olmdex filter -c imageset.yaml -i my-catalog/ -o idms --registry mirror.example.com:5000")]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(super) asked: AskedFor,
    /// Form of the output. Default: the catalog as JSON
    #[arg(short, long, value_parser = FORMATS)]
    pub(super) output: Option<OutputFormat>,
    /// Write the catalog: to a new directory, to FILE.db, an index, or as image to `oci:DIR[:TAG]` or
    /// `docker://HOST/NAME:TAG`
    #[arg(long, value_name = "TARGET", conflicts_with_all = ["explain", "repair"])]
    pub(super) into: Option<String>,
    /// Base image of `--into IMAGE`, with opm or olmdex: its program serves the catalog, and its own catalog and cache
    /// are hidden. Default: an image with nothing else in it, which OLM extracts
    #[arg(long, value_name = "IMAGE", requires = "into")]
    pub(super) base: Option<String>,
    /// Registry to mirror to, with an optional path, for manifests and mappings
    #[arg(long, value_name = "REGISTRY", alias = "to")]
    pub(super) registry: Option<String>,
    /// OpenShift version for `-o cluster-extension`: up to 4.22, and without a version, a ClusterExtension gets a
    /// service account
    #[arg(long, value_name = "VERSION", value_parser = parse_minor)]
    pub(super) openshift: Option<Minor>,
    /// Highest number of components of a path at the registry to mirror to; surplus ones are joined with `-`
    #[arg(long, value_name = "N", requires = "registry")]
    pub(super) max_nested_paths: Option<usize>,
    /// Explain what each channel keeps and why, the problems, and their repairs; `-o json` and `-o yaml` print it as
    /// data
    #[arg(long, conflicts_with = "compat")]
    pub(super) explain: bool,
    /// Change the parts of the configuration that do not work to the nearest that do, with comments kept, and list the
    /// alternatives
    #[arg(long, requires = "imageset", conflicts_with_all = ["compat", "explain", "previous"])]
    pub(super) repair: bool,
    /// With `--repair`: show the difference, and write nothing
    #[arg(long, requires = "repair")]
    pub(super) dry_run: bool,
    /// Also take the bundles that OLM installs with the heads of the kept channels
    #[arg(long, conflicts_with_all = ["compat", "repair"])]
    pub(super) with_deps: bool,
    /// Keep, refuse and write the same as another tool: `oc-mirror`, `oc-mirror=0.0.4` for its filter library up to
    /// that release
    #[arg(long, value_name = "TOOL", conflicts_with_all = ["into", "previous"])]
    pub(super) compat: Option<Tool>,
    #[command(flatten)]
    pub(super) work: WorkOptions,
}

/// The wanted packages, and the catalogs to take them from.
#[derive(Debug, Default, Args)]
pub(super) struct AskedFor {
    /// ImageSetConfiguration, v2alpha1 or v1alpha2, or `-` for standard input; may be repeated for one mirror
    #[arg(short = 'c', long = "imageset", value_name = "FILE|-")]
    pub(super) imageset: Vec<PathBuf>,
    /// Take this package: PKG[/CHANNEL][@RANGE], where a range is a version, `>=A`, `<=B` or `>=A <=B`; may be repeated
    #[arg(
        short,
        long,
        value_name = "PKG[/CHANNEL][@RANGE]",
        required_unless_present = "imageset",
        conflicts_with = "imageset"
    )]
    pub(super) package: Vec<String>,
    /// All versions of the packages of `--package`, not only the heads of their channels
    #[arg(long, conflicts_with = "imageset")]
    pub(super) full: bool,
    /// With each head, also this many versions before it in the order of upgrades, in channels without a range
    #[arg(long, value_name = "N", conflicts_with = "full", default_value_t = 0, hide_default_value = true)]
    pub(super) previous: usize,
    /// Catalog of the configuration: REFERENCE=SOURCE, or SOURCE for all that are not named. Default: the source that
    /// olmdex.toml names with `image`, else the reference is pulled. May be repeated
    #[arg(short, long, value_name = "[REFERENCE=]SOURCE")]
    pub(super) input: Vec<String>,
    /// The catalog of an index
    #[arg(long, value_name = "NAME")]
    pub(super) catalog: Option<String>,
    /// Reference of the image of a catalog of an index, with `--package`; may be repeated. Default: as olmdex.toml
    /// names it, its label `image`, or the image that it was built from
    #[arg(long, value_name = "REFERENCE=CATALOG", conflicts_with = "imageset")]
    pub(super) source_map: Vec<String>,
}

impl AskedFor {
    /// The catalogs of an index with several that have one of the requested packages: each is answered by itself. Empty
    /// for any other source.
    fn catalogs_of_index(&self, operator: &Operator) -> Result<Vec<String>, CommandError> {
        let source = match self.input.as_slice() {
            [] => default_source().ok().map(|it| it.path),
            [only] => Some(NamedSource::parse(only).path),
            _ => None,
        };
        let Some(path) = source.filter(|it| self.catalog.is_none() && operator.catalog.is_empty() && is_index(it))
        else {
            return Ok(Vec::new());
        };
        let index = Index::open(&path)?;
        let names = index.catalog_names()?;
        if names.len() < 2 {
            return Ok(Vec::new());
        }
        let mut having: BTreeSet<String> = BTreeSet::new();
        for package in &operator.packages {
            let filter = Filter::of_package(&package.name);
            having.extend(index.packages(&filter)?.into_iter().map(|it| it.catalog));
            let selector = BundleSelector { name: Some(package.name.clone()), ..BundleSelector::default() };
            having.extend(index.show_bundle(&selector)?.into_iter().map(|it| it.row.catalog));
        }
        match operator.packages.first() {
            Some(package) if having.is_empty() => Err(no_package(&index, &package.name)?.into()),
            _ => Ok(names.into_iter().filter(|it| having.contains(it)).collect()),
        }
    }

    /// Takes names of bundles in `--package` apart into package and version, and gives catalogs of an index the
    /// references of their images.
    pub(super) fn complete(
        &self,
        context: &Context,
        catalogs: Vec<MirrorCatalog>,
    ) -> Result<Vec<MirrorCatalog>, CommandError> {
        if !self.imageset.is_empty() {
            return Ok(catalogs);
        }
        let taken = catalogs.into_iter().map(MirrorCatalog::with_bundles_taken_apart).collect::<Result<Vec<_>, _>>();
        let mut catalogs = taken?;
        let is_unnamed = |catalog: &MirrorCatalog| {
            let reference = &catalog.operator.catalog;
            catalog.index.as_ref().is_some_and(|(_, name)| reference.is_empty() || reference == name)
        };
        let first = catalogs.iter().filter(|catalog| is_unnamed(catalog)).find_map(|catalog| catalog.index.clone());
        if let Some((index, _)) = &first {
            let state = State { source_map: &self.source_map, ..State::of(&**index) };
            let references = CatalogReferences::found(context)?.named_in(&state)?;
            for catalog in catalogs.iter_mut().filter(|catalog| is_unnamed(catalog)) {
                let Some((index, name)) = &catalog.index else { continue };
                if let Some(reference) = references.of(index, name)? {
                    catalog.operator.catalog = reference;
                }
            }
        }
        if !self.source_map.is_empty() && first.is_none() {
            let error = CommandError::usage("`--source-map` gives catalogs of an index their references");
            return Err(error.help("name the reference of another source before it: `-i REFERENCE=SOURCE`"));
        }
        Ok(catalogs)
    }

    /// Gives catalogs that nothing names the references that their own names tell, and says so.
    ///
    /// # Errors
    /// If a name tells none: then the form cannot be printed.
    pub(super) fn complete_by_name(
        &self,
        context: &Context,
        entries: &mut [MirrorCatalog],
    ) -> Result<(), CommandError> {
        let source = match self.input.as_slice() {
            [only] => NamedSource::parse(only),
            _ => default_source()?,
        };
        for entry in entries.iter_mut().filter(|entry| !entry.operator.catalog.contains('/')) {
            let in_index = entry.index.as_ref().map(|it| it.1.clone());
            match entry.take_usual_reference(&source.name) {
                Some(reference) => note_usual(context, "the catalog", reference),
                None => {
                    // The image of one of OpenShift's own catalogs, but for the version.
                    let usual = usual_image(&format!("{}-v4.20", in_index.as_ref().unwrap_or(&source.name)));
                    let image = usual.unwrap_or_else(|| "quay.io/my-org/my-catalog:latest".to_owned());
                    let example = match in_index {
                        Some(name) => format!("--source-map {image}={name}"),
                        None => format!("-i {image}={}", source.path.display()),
                    };
                    let error = CommandError::usage("this form needs the catalog's image, which is not known");
                    return Err(error.help(format!("name it: `-i REFERENCE=SOURCE`, as in `{example}`")));
                }
            }
        }
        Ok(())
    }

    /// Makes another channel the default of packages whose default channel `--package` does not name, since no other
    /// option can.
    pub(super) fn choose_defaults(&self, context: &Context, entries: &mut [MirrorCatalog]) {
        if !self.imageset.is_empty() {
            return;
        }
        for entry in entries {
            for it in mirror::choose_defaults(&entry.catalog, &mut entry.operator) {
                let ChosenDefault { package, old, new } = it;
                context.reporter.note(&format!(
                    "`{new}` becomes the default channel of package `{package}`: the configuration leaves out its own \
                    default, `{old}`"
                ));
            }
        }
    }

    /// The configurations: files, or one made from the options. At least one of them asks for something that is listed,
    /// unless oc-mirror would read them.
    pub(super) fn configurations(
        &self,
        context: &Context,
        dialect: Dialect,
    ) -> Result<Vec<Configuration>, CommandError> {
        if self.imageset.is_empty() {
            let packages = mirror::packages(&self.package)
                .map_err(|error| CommandError::usage(error.to_string()).help(error.help()))?;
            let reference = match self.input.as_slice() {
                [only] if !Path::new(only).exists() => match only.split_once('=') {
                    Some((reference, _)) if reference.contains('/') => reference.to_owned(),
                    _ => only.strip_prefix("docker://").unwrap_or_default().to_owned(),
                },
                _ => String::new(),
            };
            let (full, previous) = (self.full, self.previous);
            let operator = Operator { catalog: reference, full, previous, packages, ..Operator::default() };
            let catalogs = self.catalogs_of_index(&operator)?;
            let each = |catalog: String| Operator { catalog, ..operator.clone() };
            let operators = if catalogs.is_empty() { vec![operator] } else { catalogs.into_iter().map(each).collect() };
            return Ok(vec![Configuration { operators, ..Configuration::default() }]);
        }
        let mut all = Vec::new();
        for path in &self.imageset {
            let mut configuration = configuration_of(path, dialect)?;
            configuration.operators.iter_mut().for_each(|it| it.previous = self.previous);
            all.push(configuration);
        }
        if dialect == Dialect::Named {
            if all.iter().all(|it| it.check_listed().is_err()) {
                all.iter().try_for_each(Configuration::check_listed)?;
            }
            for configuration in &all {
                mirror::differences(configuration).iter().for_each(|it| context.reporter.warning(it));
                note_unlisted(context, &configuration.unlisted);
            }
        }
        Ok(all)
    }
}

/// A release of another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Tool {
    /// oc-mirror with the filter library 0.0.5: equal bounds are one version
    OcMirror,
    /// oc-mirror with the filter library 0.0.4 or before: equal bounds are a range like any other
    #[value(name = "oc-mirror=0.0.4")]
    OcMirror0_0_4,
    /// As `oc-mirror`
    #[value(name = "oc-mirror=0.0.5", hide = true)]
    OcMirror0_0_5,
}

impl FilterArgs {
    /// The release of the filter whose behaviour is used.
    pub(super) fn release(&self) -> FilterVersion {
        match self.compat {
            Some(Tool::OcMirror0_0_4) => FilterVersion::V0_0_4,
            _ => FilterVersion::V0_0_5,
        }
    }

    pub(super) fn to(&self) -> Result<Option<mirror::Destination>, CommandError> {
        let Some(text) = &self.registry else { return Ok(None) };
        let found = mirror::Destination::parse(text, self.max_nested_paths);
        let wrong = || {
            let error = CommandError::usage(format!("`{text}` does not name a registry"));
            error.help("name a host with a dot or a port: `mirror.example.com:5000/operators`")
        };
        found.map(Some).ok_or_else(wrong)
    }
}
