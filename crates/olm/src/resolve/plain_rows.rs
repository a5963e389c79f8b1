//! Rows in memory, above all those of whole catalogs in files, read at once: a question about all packages needs no
//! index.
//!
//! This module does not judge catalogs, and it skips what it cannot read. The checks do both.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::registry::of_file_based;
use super::rows::{LastPlaces, PackageRows, Rows};
use olmdex_base::diag::Place;
use olmdex_constraint::fields::{api_of, label_of, package_of};
use olmdex_fbc::{
    Api, ChannelPlaces, Document, Entry, Input, Origin, Property, PropertyView, Spot, Typed, load_each, locate_all,
};
use olmdex_index::IndexError;
use olmdex_index::query::{DependencyBundle, GraphChannel, PackageDependencies};

/// Rows that are held in memory, with the data for finding a place in the files that they come from.
#[derive(Default)]
pub struct PlainRows<'i> {
    packages: BTreeMap<String, Vec<PackageRows>>,
    providers: HashMap<Api, BTreeSet<String>>,
    labelled: HashMap<String, BTreeSet<String>>,
    claimants: HashMap<String, BTreeSet<String>>,
    /// For each catalog the entries of a name in channels of a name.
    copies: HashMap<usize, HashMap<(String, String), usize>>,
    inputs: Vec<&'i Input>,
    /// The catalog and the document of each bundle, and the properties of the document that are kept, by the number of
    /// the bundle less one.
    documents: Vec<(usize, Origin, Vec<usize>)>,
    last: LastPlaces,
}

impl<'i> PlainRows<'i> {
    /// Rows of packages.
    pub fn new(packages: Vec<PackageRows>) -> Self {
        let mut rows = Self::default();
        for package in packages {
            for property in package.graph.bundles.iter().flat_map(|it| &it.properties) {
                let names = match &*property.kind {
                    "olm.gvk" => api_of(&property.value).map(|it| rows.providers.entry(it).or_default()),
                    "olm.label" => label_of(&property.value).map(|it| rows.labelled.entry(it).or_default()),
                    "olm.package" => package_of(&property.value).map(|it| rows.claimants.entry(it.0).or_default()),
                    _ => None,
                };
                if let Some(names) = names.filter(|it| !it.contains(&package.graph.package)) {
                    names.insert(package.graph.package.clone());
                }
            }
            let copies = rows.copies.entry(package.catalog).or_default();
            for channel in &package.graph.channels {
                for entry in channel.entries.iter() {
                    *copies.entry((channel.name.clone(), entry.name.clone())).or_default() += 1;
                }
            }
            rows.packages.entry(package.graph.package.clone()).or_default().push(package);
        }
        rows
    }

    /// Reads catalogs; the places of their rows are those in the list.
    pub fn read(inputs: &[&'i Input]) -> Self {
        let mut documents = Vec::new();
        let mut packages = Vec::new();
        for (catalog, input) in inputs.iter().enumerate() {
            let mut graphs: BTreeMap<String, PackageDependencies> = BTreeMap::new();
            load_each(input, &row_of, |row| {
                let Some((package, row)) = row else { return };
                let graph = graphs.entry(package).or_default();
                match row {
                    Row::Package { default_channel } => graph.default_channel = default_channel,
                    Row::Channel { name, entries, origin } => {
                        let places = Arc::new(ChannelPlaces::at_line(shown(input, origin), origin.line));
                        graph.channels.push(GraphChannel { name, entries, places });
                    }
                    Row::Bundle { mut bundle, origin, kept } => {
                        documents.push((catalog, origin, kept));
                        bundle.document = documents.len() as i64;
                        bundle.place = Place::at(shown(input, origin), origin.line, origin.column);
                        graph.bundles.push(bundle);
                    }
                }
            });
            let rows = |(package, graph)| PackageRows { catalog, graph: PackageDependencies { package, ..graph } };
            packages.extend(graphs.into_iter().map(rows));
        }
        Self { inputs: inputs.to_vec(), documents, ..Self::new(packages) }
    }

    /// The places of the properties of a bundle.
    fn places_of_properties(&self, bundle: &DependencyBundle) -> Option<Vec<(Property, Place)>> {
        let number = usize::try_from(bundle.document).ok()?.checked_sub(1)?;
        let (catalog, origin, kept) = self.documents.get(number)?;
        let file = self.inputs.get(*catalog)?.files.get(origin.file as usize)?;
        let spots: Vec<Spot> = kept.iter().map(|item| Spot::Path(vec!["properties".into(), (*item).into()])).collect();
        let places: Vec<Place> = match file.made_of() {
            Some(made_of) => spots.iter().map(|spot| made_of.spot(spot).clone()).collect(),
            None => {
                let spots: Vec<&Spot> = spots.iter().collect();
                let raw = file.read_again(origin.offset, origin.len);
                let is_hidden = file.hides(&raw);
                let found = locate_all(&raw, *origin, &spots).into_iter().map(|located| located.in_file(&file.shown));
                found.map(|place| if is_hidden { Place { source: None, ..place } } else { place }).collect()
            }
        };
        Some(bundle.properties.iter().cloned().zip(places).collect())
    }
}

fn shown(input: &Input, origin: Origin) -> &str {
    input.files.get(origin.file as usize).map_or("", |it| it.shown.as_str())
}

/// The information that a document holds about its package.
enum Row {
    Package { default_channel: String },
    Channel { name: String, entries: Arc<[Entry]>, origin: Origin },
    Bundle { bundle: DependencyBundle, origin: Origin, kept: Vec<usize> },
}

/// The package of a document, and its row.
fn row_of(document: Document<'_>) -> Option<(String, Row)> {
    let blob = document.blob.ok()?;
    let (package, origin) = (blob.package.into_owned(), document.origin);
    let row = match blob.typed {
        Typed::Package(it) => Row::Package { default_channel: it.default_channel.into_owned() },
        Typed::Channel(it) => {
            let entries = it.entries.iter().flatten().map(Entry::from).collect();
            Row::Channel { name: it.name.into_owned(), entries, origin }
        }
        Typed::Bundle(it) => {
            let is_kept = |it: &PropertyView<'_>| !matches!(&*it.kind, "olm.bundle.object" | "olm.csv.metadata");
            let kept: Vec<usize> = (0..it.properties.len()).filter(|at| is_kept(&it.properties[*at])).collect();
            let properties: Vec<Property> = kept.iter().map(|at| property(&it.properties[*at])).collect();
            let of_package = properties.iter().find(|it| &*it.kind == "olm.package");
            let version = of_package.and_then(|it| package_of(&it.value)).map(|it| it.1).unwrap_or_default();
            let bundle = DependencyBundle {
                properties: of_file_based(properties, &package, &version),
                name: it.name.into_owned(),
                image: it.image.into_owned(),
                version,
                ..DependencyBundle::default()
            };
            Row::Bundle { bundle, origin, kept }
        }
        Typed::Deprecations(_) | Typed::Other => return None,
    };
    Some((package, row))
}

fn property(view: &PropertyView<'_>) -> Property {
    let value = view.value.map_or_else(|| "null".to_owned(), |value| value.compact());
    Property::new(&*view.kind, value)
}

fn all_of(names: Option<&BTreeSet<String>>) -> Vec<String> {
    names.into_iter().flatten().cloned().collect()
}

impl Rows for PlainRows<'_> {
    fn package(&self, name: &str) -> Result<Vec<PackageRows>, IndexError> {
        Ok(self.packages.get(name).cloned().unwrap_or_default())
    }

    fn place_of(&self, bundle: &DependencyBundle, property: &Property) -> Place {
        self.last.of(bundle, property, || self.places_of_properties(bundle).unwrap_or_default())
    }

    fn providers(&self, api: &Api) -> Result<Vec<String>, IndexError> {
        Ok(all_of(self.providers.get(api)))
    }

    fn labelled(&self, label: &str) -> Result<Vec<String>, IndexError> {
        Ok(all_of(self.labelled.get(label)))
    }

    fn named(&self, package: &str) -> Result<Vec<String>, IndexError> {
        let mut names = all_of(self.claimants.get(package));
        names.push(package.to_owned());
        Ok(names)
    }

    fn has_entries(&self, catalog: usize) -> Result<bool, IndexError> {
        Ok(self.copies.get(&catalog).is_some_and(|it| !it.is_empty()))
    }

    fn copies(&self, catalog: usize, channel: &str, bundle: &str) -> Result<usize, IndexError> {
        let key = (channel.to_owned(), bundle.to_owned());
        Ok(self.copies.get(&catalog).and_then(|it| it.get(&key)).copied().unwrap_or_default())
    }

    fn all(&self) -> Result<Vec<String>, IndexError> {
        Ok(self.packages.keys().cloned().collect())
    }
}
