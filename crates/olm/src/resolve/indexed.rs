//! Rows from an index: a package is read by a few queries when resolution reaches it, and the content of its bundles
//! when it is asked for.

use std::collections::HashMap;
use std::sync::Arc;

use super::registry::of_file_based;
use super::rows::{LastPlaces, PackageRows, Rows, World};
use olmdex_base::diag::Place;
use olmdex_constraint::fields::label_of;
use olmdex_fbc::{Api, Property};
use olmdex_index::query::{DependencyBundle, Filter, GraphChannel, PackageDependencies, PackageGraph};
use olmdex_index::{IndexError, LightIndex};

/// The catalogs of an index, as those of a world that have the same names.
pub struct IndexRows<'i> {
    index: &'i LightIndex,
    filter: Filter,
    /// The places in the world of the catalogs of each name.
    places: HashMap<String, Vec<usize>>,
    names: Vec<String>,
    last: LastPlaces,
}

impl<'i> IndexRows<'i> {
    /// The catalogs of an index that a world knows.
    pub fn new(index: &'i LightIndex, world: &World) -> Self {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, catalog) in world.catalogs.iter().enumerate() {
            places.entry(catalog.name.clone()).or_default().push(place);
        }
        let mut catalogs: Vec<String> = places.keys().cloned().collect();
        catalogs.sort();
        let names = world.catalogs.iter().map(|it| it.name.clone()).collect();
        Self { index, filter: Filter { catalogs, ..Filter::default() }, places, names, last: LastPlaces::default() }
    }
}

impl Rows for IndexRows<'_> {
    fn package(&self, name: &str) -> Result<Vec<PackageRows>, IndexError> {
        if self.names.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for package in self.index.package_dependencies(&self.filter, name)? {
            let graph = without_dangling(package);
            for place in self.places.get(&graph.catalog).into_iter().flatten() {
                found.push(PackageRows { catalog: *place, graph: graph.clone() });
            }
        }
        Ok(found)
    }

    fn properties(&self, package: &str, bundles: &[&DependencyBundle]) -> Result<Vec<Vec<Property>>, IndexError> {
        let documents: Vec<i64> = bundles.iter().map(|it| it.document).collect();
        let found = self.index.properties_of_bundles(&documents)?;
        let of = |it: &&DependencyBundle| {
            // Catalogs may share a document.
            let properties = found.get(&it.document).cloned().unwrap_or_default();
            of_file_based(properties, package, &it.version)
        };
        Ok(bundles.iter().map(of).collect())
    }

    fn place_of(&self, bundle: &DependencyBundle, property: &Property) -> Place {
        // An answer is worth more than its exact line. The questions about the damaged part report the damage
        // themselves.
        self.last.of(bundle, property, || {
            self.index.places_of_properties(bundle.document, &bundle.place).unwrap_or_default()
        })
    }

    fn providers(&self, api: &Api) -> Result<Vec<String>, IndexError> {
        self.index.packages_providing(&api.group, &api.version, &api.kind)
    }

    fn labelled(&self, label: &str) -> Result<Vec<String>, IndexError> {
        let found = self.index.packages_with_property("olm.label")?;
        let has = |it: &(String, String)| label_of(&it.1).as_deref() == Some(label);
        Ok(found.into_iter().filter(has).map(|it| it.0).collect())
    }

    fn has_entries(&self, catalog: usize) -> Result<bool, IndexError> {
        self.names.get(catalog).map_or(Ok(false), |it| self.index.has_entries(it))
    }

    fn copies(&self, catalog: usize, channel: &str, bundle: &str) -> Result<usize, IndexError> {
        self.names.get(catalog).map_or(Ok(0), |it| self.index.entries_named(it, channel, bundle))
    }

    fn all(&self) -> Result<Vec<String>, IndexError> {
        self.index.package_names()
    }
}

/// Leaves out entries without bundles: a server does not start with such a catalog.
fn without_dangling(package: PackageDependencies) -> PackageDependencies {
    let bundles = package.bundles_by_name();
    let with_bundles = |channel: &GraphChannel| {
        let has_bundle = |it: &usize| bundles.contains_key(channel.entries[*it].name.as_str());
        let kept: Vec<usize> = (0..channel.entries.len()).filter(has_bundle).collect();
        if kept.len() == channel.entries.len() {
            return channel.clone();
        }
        GraphChannel {
            name: channel.name.clone(),
            entries: kept.iter().map(|&it| channel.entries[it].clone()).collect(),
            places: Arc::new(channel.places.of_entries(&kept)),
        }
    };
    let channels = package.channels.iter().map(with_bundles).collect();
    PackageGraph { channels, ..package }
}
