//! The packages of a catalog as upgrade graphs, for the engines that know the effect of edges.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::catalog::{Catalog, Key};
use super::symbols::{Deprecated, Role, Thing};
use olmdex_fbc::{ChannelPlaces, Entry};
use olmdex_index::query::{GraphBundle, GraphChannel, GraphDeprecation, PackageGraph};
use olmdex_rules::check::Facts;
use olmdex_text::json::Tree;

/// The packages by name, as far as the catalog can be read. Only `wanted`, if one is.
pub(super) fn graphs(catalog: &Catalog, wanted: Option<&str>) -> BTreeMap<String, PackageGraph> {
    let mut graphs: BTreeMap<String, PackageGraph> = BTreeMap::new();
    for (key, _, document) in catalog.file_documents() {
        let facts = &document.analysis.inspected.facts;
        let package = facts.package();
        if package.is_empty() || wanted.is_some_and(|it| it != package) {
            continue;
        }
        let graph = graphs.entry(package.to_owned()).or_insert_with(|| PackageGraph {
            package: package.to_owned(),
            is_valid: true,
            ..PackageGraph::default()
        });
        match facts {
            Facts::Package(it) => graph.default_channel.clone_from(&it.default_channel),
            Facts::Channel(it) => {
                let places = ChannelPlaces::new(key.shown(), document.start(), &document.analysis.layout);
                let (entries, places) = (Arc::clone(&it.entries), Arc::new(places));
                graph.channels.push(GraphChannel { name: it.name.clone(), entries, places });
            }
            Facts::Bundle(it) => {
                let version = document.analysis.mentions.versions.iter().find(|version| version.name == it.name);
                graph.bundles.push(GraphBundle {
                    name: it.name.clone(),
                    package_property: version.map(|it| property(&it.package, &it.version, &it.release)),
                    ..GraphBundle::default()
                });
            }
            Facts::Deprecations(_) => {
                let deprecation = |it: &Deprecated| GraphDeprecation {
                    schema: it.schema.clone(),
                    name: it.name.clone(),
                    message: it.message.clone(),
                };
                graph.deprecations.push(document.analysis.mentions.deprecated.iter().map(deprecation).collect());
            }
            _ => {}
        }
    }
    graphs
}

/// A package made from the names in one document. For a template there is nothing more: its bundles are in images.
pub(super) fn graph_of_names(catalog: &Catalog, key: &Key, package: &str) -> PackageGraph {
    let mut graph = PackageGraph { package: package.to_owned(), is_valid: true, ..PackageGraph::default() };
    let mut channels: Vec<(String, Vec<Entry>)> = Vec::new();
    let mentions = catalog.file_documents().filter(|it| it.0 == key).map(|it| &it.2.analysis.mentions);
    for mentions in mentions {
        for it in mentions.names.iter().filter(|it| it.package == package) {
            let entries = channels.iter_mut().rfind(|channel| channel.0 == it.channel).map(|it| &mut it.1);
            match (it.thing, it.role, entries) {
                (Thing::Channel, Role::Default, _) => graph.default_channel.clone_from(&it.name),
                (Thing::Channel, Role::Own, _) => channels.push((it.name.clone(), Vec::new())),
                (Thing::Bundle, Role::Entry, Some(entries)) => {
                    entries.push(Entry { name: it.name.clone(), ..Entry::default() });
                }
                (Thing::Bundle, role @ (Role::Replaces | Role::Skips), Some(entries)) => {
                    let Some(entry) = entries.iter_mut().rfind(|entry| entry.name == it.entry) else { continue };
                    match role {
                        Role::Replaces => entry.replaces.clone_from(&it.name),
                        _ => entry.skips.push(it.name.clone()),
                    }
                }
                _ => {}
            }
        }
        for it in mentions.ranges.iter().filter(|it| it.package == package && !it.entry.is_empty()) {
            let entries = channels.iter_mut().filter(|channel| channel.0 == it.channel).flat_map(|it| &mut it.1);
            entries.filter(|entry| entry.name == it.entry).for_each(|entry| entry.skip_range.clone_from(&it.text));
        }
    }
    let channel = |(name, entries): (String, Vec<Entry>)| GraphChannel {
        name,
        entries: entries.into_iter().collect(),
        places: Arc::new(ChannelPlaces::at_line("", 1)),
    };
    graph.channels = channels.into_iter().map(channel).collect();
    graph
}

/// The value of a property `olm.package`.
fn property(package: &str, version: &str, release: &str) -> String {
    let property = Tree::of_texts([("packageName", package), ("version", version)]);
    property.with_text("release", release).compact()
}
