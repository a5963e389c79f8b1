//! The bundles whose images a question is about: those on the way to a version, and those that a cluster has installed.

use std::collections::{BTreeSet, HashSet};

use super::bundle::Target;
use super::catalog::Catalogs;
use super::dependencies::WorkOptions;
use super::diagnosis::words_about_installed;
use super::error::AskError;
use super::installed::PlacedOperators;
use super::question::{Answer, Question, State, Verdict};
use super::sources::documents_of;
use super::upgrade::installed;
use olmdex_base::diag::Listed;
use olmdex_compose::mirror::{self, Catalog, Configuration, FilterVersion, Image, Operator};
use olmdex_index::query::{BundlePlace, Filter, ImageUse};
use olmdex_index::{Index, LightIndex};
use olmdex_olm::resolve::{Options, closure, partial_closure};
use olmdex_olm::upgrade::{EngineQuestion, PackageView, classic_path};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of a catalog that an ImageSetConfiguration keeps.
#[derive(Debug)]
pub struct ConfiguredBundles {
    /// The catalog.
    pub catalog: String,
    /// The kept bundles.
    pub bundles: Vec<BundlePlace>,
    /// Requested packages that the catalog does not have.
    pub missing: Vec<String>,
    /// Packages of which nothing is kept, each with the reason.
    pub refused: Vec<(String, String)>,
}

/// The bundles that an ImageSetConfiguration keeps, catalog by catalog. `catalogs` are those to choose from; all of the
/// index, if there are none.
///
/// # Errors
/// [`AskError::WhichCatalogIs`], [`AskError::Nameless`], or if the index is damaged.
pub fn bundles_of_configuration(
    index: &Index,
    catalogs: &[String],
    configuration: &Configuration,
) -> Result<Vec<ConfiguredBundles>, AskError> {
    let names = if catalogs.is_empty() { index.catalog_names()? } else { catalogs.to_vec() };
    let of_catalog = |operator: &Operator| {
        let name = Catalogs::of_image(&names, &operator.catalog)?.to_owned();
        let wanted = mirror::wanted(operator);
        let catalog = Catalog::read(&documents_of(index, &name, wanted.as_ref())?, wanted.as_ref());
        let filtered = mirror::filter(&catalog, operator, FilterVersion::default())?;
        let asked = operator.packages.iter().map(|package| &package.name);
        let missing = asked.filter(|package| !catalog.packages.contains_key(*package)).cloned().collect();
        let refused = filtered.packages.iter().filter_map(|(package, kept)| {
            let (error, facts) = (kept.as_ref().err()?, catalog.packages.get(package)?);
            Some((package.clone(), mirror::refused(&error.error, facts)))
        });
        let kept = mirror::bundles(&catalog, &filtered);
        let bundles = kept.map(|(package, bundle)| (name.clone(), package.to_owned(), bundle.name.clone())).collect();
        let refused = refused.collect();
        Ok(ConfiguredBundles { catalog: name, bundles, missing, refused })
    };
    configuration.operators.iter().map(of_catalog).collect()
}

/// The images of operators: bundle images and related images
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default)]
pub struct ImagesQuestion {
    /// PKG (the head of its default channel), PKG@VERSION, PKG/CHANNEL (its head), the name of a bundle, or a range of
    /// versions: PKG@RANGE, PKG/CHANNEL@RANGE. If several are given, those that exist are listed, the others are
    /// errors. Default: the installed bundles of the cluster
    #[cfg_attr(feature = "clap", arg(value_name = "PKG[@VERSION|/CHANNEL]", required_unless_present_any = ["imageset", "cluster", "old"]))]
    pub names: Vec<String>,
    /// Also list the images that OLM installs with it. If that is impossible, the resolvable part is listed, and
    /// missing parts are warnings
    #[cfg_attr(feature = "clap", arg(long))]
    pub with_deps: bool,
    /// Installed bundle: also list the bundles that OLM Classic installs in between
    #[cfg_attr(feature = "clap", arg(long, value_name = "BUNDLE", alias = "path-from"))]
    pub installed: Option<String>,
    /// The Subscription's channel. Default: as a Subscription without one
    #[cfg_attr(feature = "clap", arg(long, value_name = "CHANNEL", requires = "installed"))]
    pub channel: Option<String>,
    /// How much the answer may cost.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub work: WorkOptions,
    /// Only this catalog; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub catalog: Vec<String>,
    /// Other bundles that are known already.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub others: Option<Vec<BundlePlace>>,
    /// References of images that belong to no bundle.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub additional: Vec<String>,
    /// The images that are left out.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub known: KnownImages,
}

/// Images that a place has already.
#[derive(Debug, Clone, Default)]
pub struct KnownImages {
    /// Their references, as [`Image::copyable_name`] writes them.
    pub references: HashSet<String>,
    /// Their digests.
    pub digests: HashSet<String>,
}

impl KnownImages {
    fn has(&self, image: &str) -> bool {
        self.references.contains(&*Image::copyable_name(image))
            || image.split_once('@').is_some_and(|it| self.digests.contains(it.1))
    }
}

impl Question for ImagesQuestion {
    const NAME: &'static str = "images";
    const KIND: &'static str = "Image";
    type Index = LightIndex;
    type Item = ImageUse;

    fn is_of_cluster(&self) -> bool {
        self.names.is_empty()
    }

    fn names(&self) -> Vec<&String> {
        self.names.iter().collect()
    }

    /// Each image once. A name or an installed bundle that no catalog has makes the answer a part; the verdict is
    /// negative if a bundle cannot be installed with all that it requires.
    fn ask(&self, state: &State<'_, LightIndex>) -> Result<Answer<ImageUse>, AskError> {
        let index = state.index;
        let (mut bundles, mut faults) = (self.others.clone().unwrap_or_default(), Vec::new());
        for name in &self.names {
            match self.bundles_named(index, name) {
                Ok(found) => bundles.extend(found),
                Err(error) if self.names.len() > 1 && error.is_not_found() => faults.push(error),
                Err(error) => return Err(error),
            }
        }
        match state.cluster {
            None if self.names.is_empty() && self.others.is_none() => return Err(AskError::NothingAsked),
            None => {}
            Some((cluster, _)) => {
                let placed = PlacedOperators::find(state, cluster, &self.catalog)?;
                bundles.extend(placed.operators.into_iter().map(|(_, place)| place));
                faults.extend(placed.faults);
            }
        }
        let mut answer = Answer::of(Vec::new());
        answer.warnings = words_about_installed(state, &self.catalog)?;
        answer.notes = self.chosen(index, &bundles)?;
        if self.with_deps {
            add_dependencies(index, &mut bundles, &self.work.options(), &mut answer)?;
        }
        bundles.sort();
        bundles.dedup();
        answer.items = index.image_uses(&bundles)?;
        for image in &self.additional {
            if answer.items.iter().all(|it| it.image != *image) {
                let (image, has_digest) = (image.clone(), image.contains('@'));
                answer.items.push(ImageUse { image, has_digest, bundles: Vec::new(), names: Vec::new() });
            }
        }
        answer.items.sort_by(|a, b| a.image.cmp(&b.image));
        answer.items.retain(|image| !self.known.has(&image.image));
        answer.warnings.extend(answer.items.iter().filter_map(image_warning));
        if !faults.is_empty() {
            answer.verdict = Verdict::Part(faults);
        }
        Ok(answer)
    }
}

impl ImagesQuestion {
    /// Which catalog the bundles of each package come from, if others have the package, too.
    fn chosen(&self, index: &LightIndex, bundles: &[BundlePlace]) -> Result<Vec<String>, AskError> {
        let is_open = self.catalog.is_empty() && !self.names.is_empty();
        let taken: BTreeSet<(&String, &String)> =
            bundles.iter().filter(|_| is_open).map(|(catalog, package, _)| (package, catalog)).collect();
        let mut notes = Vec::new();
        for (package, catalog) in taken {
            let having = index.packages(&Filter::of_package(package))?.into_iter().map(|row| row.catalog);
            let others: Vec<String> = having.filter(|it| it != catalog).collect();
            if !others.is_empty() {
                let others = Listed::quoted(others.iter());
                notes.push(format!("{package} is that of `{catalog}`; `--catalog` chooses another one: {others}"));
            }
        }
        Ok(notes)
    }

    /// The bundles of a name or a range of versions, each with its catalog; with an installed bundle also those that
    /// OLM Classic installs in between.
    fn bundles_named(&self, index: &LightIndex, name: &str) -> Result<Vec<BundlePlace>, AskError> {
        let mut bundles = Vec::new();
        for target in Target::find_all(index, &self.catalog, name)? {
            let catalog = target.catalog(index, &self.catalog)?.unwrap_or_default();
            if let Some(from) = &self.installed {
                for bundle in bundles_between(index, &catalog, &target, from, self.channel.as_ref())? {
                    bundles.push((catalog.clone(), target.package.clone(), bundle));
                }
            }
            bundles.push((catalog, target.package, target.bundle));
        }
        Ok(bundles)
    }
}

/// The bundles that OLM Classic installs one after another on the way from the installed bundle to a bundle of a
/// catalog.
fn bundles_between(
    index: &LightIndex,
    catalog: &str,
    target: &Target,
    from: &str,
    channel: Option<&String>,
) -> Result<Vec<String>, AskError> {
    let view = PackageView::read(index, &Filter::of_catalog(catalog), &target.package)?;
    let from = installed(index, &view, from)?;
    let channels = channel.cloned().into_iter().collect();
    let asked = EngineQuestion { installed: Some(from.clone()), channels, ..EngineQuestion::default() };
    let Some(graph) = view.graphs.first() else { return Ok(Vec::new()) };
    let path = classic_path(&view, graph, &asked, &from, Some(&target.bundle));
    if !path.is_reached {
        return Err(AskError::NotReached { from: from.name, to: target.bundle.clone(), reason: path.reason });
    }
    Ok(path.steps.into_iter().map(|it| it.target.bundle).collect())
}

/// The warning about an image: its reference is empty, or its tag can move.
fn image_warning(image: &ImageUse) -> Option<String> {
    if image.has_digest {
        return None;
    }
    let bundles = match image.bundles.as_slice() {
        [] => "`additionalImages`".to_owned(),
        bundles => bundles.join(", "),
    };
    Some(match image.image.as_str() {
        "" => format!("an image of {bundles} has an empty reference"),
        reference => format!("`{reference}` of {bundles} has no digest: its tag can move"),
    })
}

/// Adds the bundles that OLM installs with each bundle. For a bundle that cannot be installed with all its
/// requirements, it adds the existing ones, and the answer says so.
fn add_dependencies(
    index: &LightIndex,
    bundles: &mut Vec<BundlePlace>,
    options: &Options,
    answer: &mut Answer<ImageUse>,
) -> Result<(), AskError> {
    for (catalog, package, bundle) in bundles.clone() {
        let target = Target { package, bundle };
        if let Some(found) = closure(index, target.in_catalog(&catalog), options)? {
            bundles.extend(found.into_iter().map(|it| (it.catalog, it.package, it.bundle)));
            continue;
        }
        let found = partial_closure(index, target.in_catalog(&catalog), options)?;
        bundles.extend(found.bundles);
        let Target { package, bundle } = target;
        let mut words = format!("OLM cannot install {bundle} with all its requirements");
        for missing in &found.missing {
            words.push_str(&format!("; {missing}"));
        }
        if found.missing.is_empty() {
            words.push_str(", although some operator provides each of them");
        }
        answer.warnings.push(words);
        // The same version, or another would be resolved.
        answer.notes.push(format!("`olmdex resolve --install {package}@{bundle}` shows why"));
        answer.verdict = Verdict::No;
    }
    Ok(())
}
