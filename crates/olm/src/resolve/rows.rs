//! The input of a resolution: catalogs as plain rows, package by package, and the content of the namespace.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use olmdex_base::diag::Place;
use olmdex_fbc::{Api, Property};
use olmdex_index::IndexError;
use olmdex_index::query::{DependencyBundle, PackageDependencies};
use olmdex_rules::cluster::{Cluster, ClusterServiceVersion, Subscription};
use olmdex_text::tally;

/// A package in one catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackageRows {
    /// The catalog: its place in [`World::catalogs`].
    pub catalog: usize,
    /// Its channels and bundles. If the rows come from an index, the properties of the bundles are not here:
    /// [`Rows::properties`] has them.
    pub graph: PackageDependencies,
}

/// The places of the properties of the bundle that was asked about last: an answer names all its demands in turn.
#[derive(Default)]
pub(super) struct LastPlaces(RefCell<Option<(BundleKey, HashMap<Property, Place>)>>);

/// The document of a bundle and its place: several catalogs may have the document.
type BundleKey = (i64, Place);

impl LastPlaces {
    /// The place of a property, from `read` if the bundle is another one; the place of the bundle, if it has none.
    pub(super) fn of(
        &self,
        bundle: &DependencyBundle,
        property: &Property,
        read: impl FnOnce() -> Vec<(Property, Place)>,
    ) -> Place {
        let mut last = self.0.borrow_mut();
        let is_it = |known: &BundleKey| known.0 == bundle.document && known.1 == bundle.place;
        let (_, places) = match last.take().filter(|(of, _)| is_it(of)) {
            Some(known) => last.insert(known),
            None => {
                let mut places = HashMap::new();
                for (property, place) in read() {
                    tally::step(1);
                    places.entry(property).or_insert(place);
                }
                last.insert(((bundle.document, bundle.place.clone()), places))
            }
        };
        places.get(property).unwrap_or(&bundle.place).clone()
    }
}

/// Catalogs that can be asked for packages.
pub trait Rows {
    /// A package in every catalog that has it.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    fn package(&self, name: &str) -> Result<Vec<PackageRows>, IndexError>;

    /// The properties of bundles of a package, as [`DependencyBundle::properties`]. They are asked for apart, because
    /// resolution looks at few of the bundles that it sees.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    fn properties(&self, package: &str, bundles: &[&DependencyBundle]) -> Result<Vec<Vec<Property>>, IndexError> {
        let _ = package;
        Ok(bundles.iter().map(|it| it.properties.clone()).collect())
    }

    /// The place where a bundle states one of its properties; the place of the bundle, if that is not known.
    fn place_of(&self, bundle: &DependencyBundle, property: &Property) -> Place {
        let _ = property;
        bundle.place.clone()
    }

    /// The packages that have a bundle that provides an API.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    fn providers(&self, api: &Api) -> Result<Vec<String>, IndexError>;

    /// The packages that have a bundle with a label.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    fn labelled(&self, label: &str) -> Result<Vec<String>, IndexError>;

    /// The packages that have a bundle that says it is of this package; its own name is always one of them.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    fn named(&self, package: &str) -> Result<Vec<String>, IndexError> {
        Ok(vec![package.to_owned()])
    }

    /// Whether a catalog has any bundle in a channel.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    fn has_entries(&self, catalog: usize) -> Result<bool, IndexError>;

    /// The number of entries of a catalog that have this name in channels of this name, whatever their packages.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    fn copies(&self, catalog: usize, channel: &str, bundle: &str) -> Result<usize, IndexError>;

    /// All packages.
    ///
    /// # Errors
    /// If the catalogs cannot be read.
    fn all(&self) -> Result<Vec<String>, IndexError>;
}

/// A CatalogSource.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalog {
    /// The catalog that it serves.
    pub name: String,
    /// Its own name; empty if only the catalog is known.
    pub source: String,
    /// Its namespace.
    pub namespace: String,
    /// `spec.priority`; higher is preferred.
    pub priority: i64,
    /// The reason why it cannot be asked, if there is one.
    pub failure: Option<String>,
}

impl Catalog {
    /// The name of the CatalogSource; that of its catalog if only this is known.
    pub fn own_name(&self) -> &str {
        if self.source.is_empty() { &self.name } else { &self.source }
    }
}

/// The upgrade strategy of the namespace after a failed upgrade, and the catalogs that it sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorGroups {
    /// The number of OperatorGroups. OLM wants one.
    pub count: usize,
    /// Whether the catalogs of the global namespace are not to be used.
    pub excludes_global: bool,
    /// Whether `spec.upgradeStrategy` is `TechPreviewUnsafeFailForward`.
    pub fails_forward: bool,
}

impl Default for OperatorGroups {
    fn default() -> Self {
        Self { count: 1, excludes_global: false, fails_forward: false }
    }
}

/// A namespace with everything that resolution looks at, except the content of the catalogs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct World {
    /// The namespace.
    pub namespace: String,
    /// The namespace whose catalogs all namespaces see.
    pub global_namespace: String,
    /// The CatalogSources of all namespaces.
    pub catalogs: Vec<Catalog>,
    /// The Subscriptions, in order of preference where they compete.
    pub subscriptions: Vec<Subscription>,
    /// The ClusterServiceVersions.
    pub installed: Vec<ClusterServiceVersion>,
    /// The OperatorGroups.
    pub groups: OperatorGroups,
    /// The objects of all namespaces.
    pub cluster: Arc<Cluster>,
}

impl World {
    /// Whether it has all Subscriptions of its namespace: those whose catalogs are not given may be left out. Otherwise
    /// nothing is known about the resolution: one Subscription decides about all.
    pub fn is_whole(&self) -> bool {
        let own = self.cluster.subscriptions.iter().filter(|it| it.namespace == self.namespace);
        self.has_all(own)
    }

    /// Whether it has Subscriptions of these names.
    pub fn has_all<'s>(&self, mut wanted: impl Iterator<Item = &'s Subscription>) -> bool {
        wanted.all(|wanted| self.subscriptions.iter().any(|own| own.name == wanted.name))
    }

    /// The ClusterServiceVersions of other namespaces, without copies. OLM does not look at them.
    pub(super) fn elsewhere(&self) -> impl Iterator<Item = &ClusterServiceVersion> {
        let is_elsewhere = |it: &&ClusterServiceVersion| !it.namespace.is_empty() && it.namespace != self.namespace;
        self.cluster.own_csvs().filter(is_elsewhere)
    }

    /// The catalogs that resolution sees.
    pub(super) fn is_visible(&self, catalog: &Catalog) -> bool {
        self.sees(&catalog.namespace)
    }

    /// Whether resolution sees the catalogs of a namespace.
    pub(crate) fn sees(&self, of_catalogs: &str) -> bool {
        of_catalogs == self.namespace || (!self.groups.excludes_global && of_catalogs == self.global_namespace)
    }

    /// A catalog by its place, as OLM writes it.
    pub(super) fn catalog_key(&self, catalog: usize) -> String {
        self.catalogs.get(catalog).map(|it| format!("{}/{}", it.name, it.namespace)).unwrap_or_default()
    }

    /// The errors that OLM would report about the world before it looks at any Subscription
    /// (`docs/behaviour/olm-classic.md` 1.4.3, 1.4.4).
    pub(super) fn failures(&self) -> Vec<String> {
        let mut failures: Vec<String> = self
            .catalogs
            .iter()
            .filter(|it| self.is_visible(it))
            .filter_map(|it| {
                Some(format!("error using catalogsource {}/{}: {}", it.namespace, it.name, it.failure.as_ref()?))
            })
            .collect();
        failures.sort();
        failures
    }
}
