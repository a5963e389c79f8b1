//! The bundles whose images a question is about: those on the way to a version, and those that a cluster has installed.

use std::collections::BTreeSet;

use super::bundle::Target;
use super::catalog::Catalogs;
use super::error::AskError;
use super::sources::documents_of;
use super::upgrade::installed;
use olmdex_compose::mirror::{self, Catalog, Configuration, FilterVersion, Operator};
use olmdex_index::query::{BundlePlace, Filter, ImageUse};
use olmdex_index::{Index, LightIndex};
use olmdex_olm::catalog_source::CatalogSources;
use olmdex_olm::resolve::{Options, closure, partial_closure};
use olmdex_olm::upgrade::{EngineQuestion, PackageView, classic_path};
use olmdex_rules::cluster::Cluster;

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

/// The bundles that OLM Classic installs one after another on the way from the installed bundle to a bundle of a
/// catalog.
///
/// # Errors
/// [`AskError::NotReached`] if the way does not lead to it; [`AskError::NoBundle`] if nothing has the name of the
/// installed bundle.
pub fn bundles_between(
    index: &LightIndex,
    catalog: &str,
    target: &Target,
    from: &str,
    channel: Option<&String>,
) -> Result<Vec<String>, AskError> {
    let filter = Filter { catalogs: vec![catalog.to_owned()], ..Filter::default() };
    let view = PackageView::read(index, &filter, &target.package)?;
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

/// The bundles of a name or a range of versions, each with its catalog; with an installed bundle also those that OLM
/// Classic installs in between.
///
/// # Errors
/// If nothing has the name, and the errors of [`bundles_between`].
pub fn bundles_named(
    index: &LightIndex,
    catalogs: &[String],
    name: &str,
    installed: Option<&str>,
    channel: Option<&String>,
) -> Result<Vec<BundlePlace>, AskError> {
    let mut bundles = Vec::new();
    for target in Target::find_all(index, catalogs, name)? {
        let catalog = target.catalog(index, catalogs)?.unwrap_or_default();
        if let Some(from) = installed {
            for bundle in bundles_between(index, &catalog, &target, from, channel)? {
                bundles.push((catalog.clone(), target.package.clone(), bundle));
            }
        }
        bundles.push((catalog, target.package, target.bundle));
    }
    Ok(bundles)
}

/// The bundles that a cluster has installed, each with its catalog, or the reason why that is not known.
///
/// # Errors
/// [`AskError::NothingInstalledThere`] if the cluster has nothing installed; if a tie of `source_map` leads nowhere.
pub fn bundles_of_cluster(
    index: &LightIndex,
    cluster: &Cluster,
    catalogs: &[String],
    source_map: &[String],
    are_named: bool,
) -> Result<Vec<Result<BundlePlace, String>>, AskError> {
    let ranks = index.catalog_ranks(&Filter { catalogs: catalogs.to_vec(), ..Filter::default() })?;
    let sources = CatalogSources::new(&ranks, source_map, cluster, None, are_named)?;
    let names = installed_bundles(cluster, catalogs.is_empty());
    if names.is_empty() {
        return Err(AskError::NothingInstalledThere);
    }
    let place =
        |(bundle, source): (String, Option<(String, String)>)| -> Result<Result<BundlePlace, String>, AskError> {
            let own = match &source {
                None => catalogs.to_vec(),
                Some((namespace, name)) => match sources.catalog(namespace, name) {
                    Some(catalog) => vec![catalog],
                    None => return Ok(Err(format!("`{bundle}` {}", sources.unknown_words(namespace, name)))),
                },
            };
            let Some(package) = index.packages_of_bundle(&bundle)?.into_iter().next() else {
                return Ok(Err(format!("no catalog has the installed `{bundle}`")));
            };
            let target = Target { package, bundle };
            Ok(match target.catalog(index, &own)? {
                Some(catalog) => Ok((catalog, target.package, target.bundle)),
                None => Err(format!(
                    "`{}` does not have `{}`, although it is installed from that catalog",
                    own.join(", "),
                    target.bundle
                )),
            })
        };
    names.into_iter().map(place).collect()
}

/// A bundle that cannot be installed with everything that it requires.
#[derive(Debug)]
pub struct Uninstallable {
    /// The bundle.
    pub target: Target,
    /// Demands that nothing meets, in words; none where something provides each by itself.
    pub missing: Vec<String>,
}

impl Uninstallable {
    /// It in words.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = format!("OLM cannot install {} with all its requirements", self.target.bundle);
        for missing in &self.missing {
            words.push_str(&format!("; {missing}"));
        }
        if self.missing.is_empty() {
            words.push_str(", although some operator provides each of them");
        }
        words
    }
}

/// The warning about an image: its reference is empty, or its tag can move.
#[must_use]
pub fn image_warning(image: &ImageUse) -> Option<String> {
    if image.has_digest {
        return None;
    }
    let bundles = image.bundles.join(", ");
    Some(match image.image.as_str() {
        "" => format!("an image of {bundles} has an empty reference"),
        reference => format!("`{reference}` of {bundles} has no digest: its tag can move"),
    })
}

/// Adds the bundles that OLM installs with each bundle. For a bundle that cannot be installed with all its
/// requirements, it adds the existing ones, and returns that bundle.
///
/// # Errors
/// If the requirements of a bundle cannot be read, or a limit ends the work.
pub fn add_dependencies(
    index: &LightIndex,
    bundles: &mut Vec<BundlePlace>,
    options: &Options,
) -> Result<Vec<Uninstallable>, AskError> {
    let mut uninstallable = Vec::new();
    for (catalog, package, bundle) in bundles.clone() {
        let target = Target { package, bundle };
        if let Some(found) = closure(index, target.in_catalog(&catalog), options)? {
            bundles.extend(found.into_iter().map(|it| (it.catalog, it.package, it.bundle)));
            continue;
        }
        let found = partial_closure(index, target.in_catalog(&catalog), options)?;
        bundles.extend(found.bundles);
        uninstallable.push(Uninstallable { target, missing: found.missing });
    }
    Ok(uninstallable)
}

/// The bundles that a cluster has installed, each with the namespace and name of its source, if an object of the
/// cluster names it and that counts.
fn installed_bundles(cluster: &Cluster, have_sources: bool) -> BTreeSet<(String, Option<(String, String)>)> {
    let mut names = BTreeSet::new();
    for csv in cluster.csvs.iter().filter(|it| !it.is_copied) {
        let subscription = cluster.subscription_of(csv).filter(|_| have_sources);
        let source = subscription.map(|it| (it.source_namespace.clone(), it.source.clone()));
        names.insert((csv.name.clone(), source));
    }
    for extension in &cluster.extensions {
        let named = extension.named_catalog().filter(|_| have_sources);
        let source = named.map(|it| (String::new(), it.to_owned()));
        names.extend(extension.installed.as_ref().map(|it| (it.name.clone(), source)));
    }
    names
}
