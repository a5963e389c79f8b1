//! The new side: blobs, read as those of any catalog are.

use std::collections::{BTreeMap, BTreeSet};

use super::forms::{BundleFacts, Graph, Link, digest, digest_manifest};
use olmdex_fbc::{BUNDLE_OBJECT, Blob, Bundle, Channel, Document, Input, Package, Typed, for_each_object, load_each};
use olmdex_text::json::Reader;

/// The whole content of the blobs.
#[derive(Debug, Default)]
pub(super) struct NewSide {
    pub(super) graph: Graph,
    /// By package and name.
    pub(super) bundles: BTreeMap<(String, String), BundleFacts>,
    /// Facts that no legacy catalog yields, in words, with the package.
    pub(super) strange: Vec<(String, String)>,
}

/// The content of one document.
#[derive(Debug)]
enum Fact {
    Graph(Graph),
    Bundle(String, String, BundleFacts),
    Strange(String, String),
}

fn facts_of(document: Document<'_>) -> Vec<Fact> {
    match document.blob {
        Ok(blob) => facts(&blob),
        Err(failure) => {
            let why = failure.defects.first().map(|it| it.kind.to_string()).unwrap_or_default();
            vec![Fact::Strange(failure.package, format!("a blob is unreadable: {why}"))]
        }
    }
}

/// Reads all blobs.
pub(super) fn read(blobs: &Input) -> NewSide {
    let mut side = NewSide::default();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    load_each(blobs, &facts_of, |facts| {
        for fact in facts {
            match fact {
                Fact::Graph(it) => {
                    let names = it.packages.keys().map(|name| (name.clone(), String::new()));
                    let again: Vec<_> =
                        names.chain(it.channels.iter().cloned()).filter(|it| !seen.insert(it.clone())).collect();
                    for (package, channel) in again {
                        let what = if channel.is_empty() { String::new() } else { format!("channel `{channel}` of ") };
                        side.strange.push((package.clone(), format!("{what}package `{package}` occurs twice")));
                    }
                    side.graph.packages.extend(it.packages);
                    side.graph.icons.extend(it.icons);
                    side.graph.channels.extend(it.channels);
                    side.graph.members.extend(it.members);
                    side.graph.edges.extend(it.edges);
                }
                Fact::Bundle(package, name, facts) => {
                    let message = format!("bundle `{name}` of package `{package}` occurs twice");
                    if side.bundles.insert((package.clone(), name), facts).is_some() {
                        side.strange.push((package, message));
                    }
                }
                Fact::Strange(package, message) => side.strange.push((package, message)),
            }
        }
    });
    side
}

fn facts(blob: &Blob<'_>) -> Vec<Fact> {
    match &blob.typed {
        Typed::Package(it) => package_facts(it),
        Typed::Channel(it) => channel_facts(it),
        Typed::Bundle(it) => {
            vec![Fact::Bundle(it.package.to_string(), it.name.to_string(), bundle_facts(it))]
        }
        Typed::Deprecations(_) | Typed::Other => {
            let message = format!("a blob of schema `{}` is not in the old file", blob.schema);
            vec![Fact::Strange(blob.package.to_string(), message)]
        }
    }
}

fn package_facts(package: &Package<'_>) -> Vec<Fact> {
    let name = package.name.to_string();
    let mut graph = Graph::default();
    if let Some(icon) = &package.icon {
        let data = icon.data.as_deref().unwrap_or_default();
        graph.icons.insert(name.clone(), (digest(data), icon.mediatype.to_string()));
    }
    graph.packages.insert(name.clone(), package.default_channel.to_string());
    let mut facts = vec![Fact::Graph(graph)];
    if !package.description.is_empty() {
        facts.push(Fact::Strange(name.clone(), format!("the description of package `{name}` is not in the old file")));
    }
    if !package.properties.is_empty() {
        facts.push(Fact::Strange(name.clone(), format!("the properties of package `{name}` are not in the old file")));
    }
    facts
}

fn channel_facts(channel: &Channel<'_>) -> Vec<Fact> {
    let (package, name) = (channel.package.to_string(), channel.name.to_string());
    let mut strange = Vec::new();
    let mut graph = Graph::default();
    graph.channels.insert((package.clone(), name.clone()));
    for entry in channel.entries.iter().flatten() {
        let bundle = entry.name.to_string();
        let replaces = std::iter::once((Link::Replaces, &entry.replaces));
        let links = replaces.chain(entry.skips.iter().map(|it| (Link::Skips, it)));
        for (link, from) in links.filter(|(_, from)| !from.is_empty()) {
            graph.edges.insert((package.clone(), name.clone(), bundle.clone(), link, from.to_string()));
        }
        let member = (package.clone(), name.clone(), bundle.clone());
        if graph.members.insert(member, entry.skip_range.to_string()).is_some() {
            let message = format!("channel `{name}` of package `{package}` has two entries for `{bundle}`");
            strange.push(Fact::Strange(package.clone(), message));
        }
    }
    if !channel.properties.is_empty() {
        let message = format!("the properties of channel `{name}` of package `{package}` are not in the old file");
        strange.push(Fact::Strange(package, message));
    }
    strange.insert(0, Fact::Graph(graph));
    strange
}

fn bundle_facts(bundle: &Bundle<'_>) -> BundleFacts {
    let mut facts = BundleFacts { image: bundle.image.to_string(), ..BundleFacts::default() };
    for property in bundle.properties.iter().filter(|it| it.kind != BUNDLE_OBJECT) {
        let value = property.value.map(|value| value.compact()).unwrap_or_default();
        facts.properties.insert((property.kind.to_string(), value));
    }
    facts.images = bundle.related_images.iter().map(|it| (it.name.to_string(), it.image.to_string())).collect();
    let mut reader = Reader::new();
    // An object that cannot be read shows as missing.
    let _ = for_each_object(bundle, |object| {
        facts.manifests.insert(digest_manifest(object, &mut reader));
    });
    facts
}
