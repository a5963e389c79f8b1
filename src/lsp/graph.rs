//! The packages of a catalog as upgrade graphs, for the engines that know what edges do.
//!
//! What it deliberately does not do: it has no rules of upgrades.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::catalog::Catalog;
use super::mention::Deprecated;
use crate::check::Facts;
use crate::fbc::ChannelPlaces;
use crate::index::query::{GraphBundle, GraphChannel, GraphDeprecation, PackageGraph};
use crate::json;

/// The packages by name, as far as the catalog can be read. Only `wanted`, if one is.
pub(super) fn graphs(catalog: &Catalog, wanted: Option<&str>) -> BTreeMap<String, PackageGraph> {
    let mut graphs: BTreeMap<String, PackageGraph> = BTreeMap::new();
    for (key, _, placed) in catalog.placed() {
        let facts = &placed.analysis.inspected.facts;
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
                let places = ChannelPlaces::new(key.shown(), placed.start(), &placed.analysis.layout);
                graph.channels.push(GraphChannel {
                    name: it.name.clone(),
                    entries: it.entries.iter().cloned().collect(),
                    places: Arc::new(places),
                });
            }
            Facts::Bundle(it) => {
                let version = placed.analysis.mentions.versions.iter().find(|version| version.name == it.name);
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
                graph.deprecations.push(placed.analysis.mentions.deprecated.iter().map(deprecation).collect());
            }
            _ => {}
        }
    }
    graphs
}

/// The value of a property `olm.package`.
fn property(package: &str, version: &str, release: &str) -> String {
    let mut out = b"{\"packageName\":".to_vec();
    json::write_string(package, &mut out);
    out.extend_from_slice(b",\"version\":");
    json::write_string(version, &mut out);
    if !release.is_empty() {
        out.extend_from_slice(b",\"release\":");
        json::write_string(release, &mut out);
    }
    out.push(b'}');
    String::from_utf8_lossy(&out).into_owned()
}
