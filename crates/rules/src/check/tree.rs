//! The real tool's second pass: its findings about the catalog as a whole, as a tree of text (`docs/behaviour/fbc.md`
//! 3.3, 3.4). Siblings whose order is random there are sorted here.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::facts::ChannelFacts;
use super::graph::check_chain;
use super::model::PackageModel;
use olmdex_fbc::Entry;
use olmdex_text::tally;
use olmdex_version::Quoted;
use olmdex_version::blang::Range;

struct Node {
    text: String,
    children: Vec<Self>,
}

fn leaf(text: impl Into<String>) -> Node {
    Node { text: text.into(), children: Vec::new() }
}

/// The tree, if there is anything in it.
pub(super) fn tree(models: &BTreeMap<&str, PackageModel<'_>>) -> Option<String> {
    let packages: Vec<Node> = models.iter().filter_map(|(name, model)| package_node(name, model)).collect();
    if packages.is_empty() {
        return None;
    }
    let mut out = "invalid index:\n".to_owned();
    write(&packages, "", &mut out);
    Some(out.trim().to_owned())
}

fn write(nodes: &[Node], prefix: &str, out: &mut String) {
    for (idx, node) in nodes.iter().enumerate() {
        let is_last = idx + 1 == nodes.len();
        out.push_str(prefix);
        out.push_str(if is_last { "└── " } else { "├── " });
        out.push_str(&node.text);
        out.push_str(if node.children.is_empty() { "\n" } else { ":\n" });
        write(&node.children, &format!("{prefix}{}", if is_last { "    " } else { "│   " }), out);
    }
}

fn package_node(name: &str, model: &PackageModel<'_>) -> Option<Node> {
    model.document?;
    let mut children = Vec::new();
    let default = model.default_channel();
    if default.is_empty() {
        children.push(leaf("default channel must be set"));
    }
    let mut channels: Vec<&ChannelFacts> = model.channels.iter().map(|(_, it)| *it).collect();
    // A default channel without a document counts as an empty one.
    let phantom = ChannelFacts { package: name.to_owned(), name: default.to_owned(), entries: Arc::default() };
    if !default.is_empty() && !model.has_channel(default) {
        channels.push(&phantom);
    }
    if channels.is_empty() {
        children.push(leaf("package must contain at least one channel"));
    }
    channels.sort_by(|a, b| a.name.cmp(&b.name));
    let mute = mute(model);
    children.extend(channels.into_iter().filter_map(|it| channel_node(it, model, &mute)));
    let duplicates = model.duplicate_versions();
    if !duplicates.is_empty() {
        let lists: Vec<String> = duplicates
            .iter()
            .map(|(version, names)| {
                format!("{{{version}: [{}]}}", names.iter().copied().collect::<Vec<_>>().join(", "))
            })
            .collect();
        children.push(leaf(format!("duplicate versions found in bundles: [{}]", lists.join(" "))));
    }
    children.extend(deprecation_leaf(&mute, "olm.package", ""));
    (!children.is_empty()).then(|| Node { text: format!("invalid package {}", Quoted(name)), children })
}

/// The items that the deprecations of a package name without a message, by schema and name.
type Mute<'m> = HashSet<(&'m str, &'m str)>;

fn mute<'m>(model: &PackageModel<'m>) -> Mute<'m> {
    let entries = model.deprecations.iter().flat_map(|(_, it)| &it.entries);
    entries.inspect(|_| tally::step(1)).filter(|it| !it.has_message).map(|it| (&*it.schema, &*it.name)).collect()
}

fn deprecation_leaf(mute: &Mute<'_>, schema: &str, name: &str) -> Option<Node> {
    tally::step(1);
    mute.contains(&(schema, name)).then(|| leaf("invalid deprecation: message must be set"))
}

fn channel_node(channel: &ChannelFacts, model: &PackageModel<'_>, mute: &Mute<'_>) -> Option<Node> {
    let mut children = Vec::new();
    if channel.entries.is_empty() {
        children.push(leaf("channel must contain at least one bundle"));
    } else if let Err(defect) = check_chain(&channel.entries) {
        children.push(leaf(defect.opm_text()));
    }
    let mut entries: Vec<&Entry> = channel.entries.iter().collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    children.extend(entries.into_iter().filter_map(|it| bundle_node(it, model, mute)));
    children.extend(deprecation_leaf(mute, "olm.channel", &channel.name));
    (!children.is_empty()).then(|| Node { text: format!("invalid channel {}", Quoted(&channel.name)), children })
}

fn bundle_node(entry: &Entry, model: &PackageModel<'_>, mute: &Mute<'_>) -> Option<Node> {
    let bundle = model.bundles.get(entry.name.as_str()).map(|(_, it)| *it);
    // The rank is the rule's number; the complaints of the entry come between the rules on names and on images.
    let mut complaints: Vec<(u8, String)> = bundle.map(|it| it.complaints.clone()).unwrap_or_default();
    let empty_skips = entry.skips.iter().enumerate().filter(|(_, it)| it.is_empty());
    complaints.extend(empty_skips.map(|(idx, _)| (32, format!("skip[{idx}] is empty"))));
    if !entry.skip_range.is_empty()
        && let Err(error) = Range::parse(&entry.skip_range)
    {
        complaints.push((32, format!("invalid skipRange {}: {error}", Quoted(&entry.skip_range))));
    }
    if bundle.is_none() {
        if entry.name.is_empty() {
            complaints.push((31, "name must be set".to_owned()));
        }
        complaints.push((32, "must be exactly one property with type \"olm.package\"".to_owned()));
        complaints.push((33, "bundle image must be set".to_owned()));
    }
    if deprecation_leaf(mute, "olm.bundle", &entry.name).is_some() {
        complaints.push((34, "invalid deprecation: message must be set".to_owned()));
    }
    if complaints.is_empty() {
        return None;
    }
    complaints.sort_by_key(|(rank, _)| *rank);
    let children = complaints.into_iter().map(|(_, text)| leaf(text)).collect();
    Some(Node { text: format!("invalid bundle {}", Quoted(&entry.name)), children })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::facts::{DeprecationFacts, DeprecationsFacts, PackageFacts};

    #[test]
    fn deprecations_are_looked_up_and_not_searched() {
        let name = |it: usize| format!("p.v1.0.{it}");
        tally::assert_grows_with_input(1000, |size| {
            move || {
                let entry = |it| Entry { name: name(it), ..Entry::default() };
                let entries = (0..size).map(entry).collect();
                let channel = ChannelFacts { package: "p".to_owned(), name: "c".to_owned(), entries };
                let deprecated =
                    |it| DeprecationFacts { schema: "olm.bundle".to_owned(), name: name(it), has_message: it > 0 };
                let entries = (0..size).map(deprecated).collect();
                let deprecations = DeprecationsFacts { package: "p".to_owned(), entries };
                let facts = PackageFacts { name: "p".to_owned(), default_channel: "c".to_owned() };
                let model = PackageModel {
                    document: Some(0),
                    facts: Some(&facts),
                    channels: vec![(1, &channel)],
                    deprecations: Some((2, &deprecations)),
                    ..PackageModel::default()
                };
                let text = tree(&BTreeMap::from([("p", model)])).unwrap();
                assert_eq!(text.matches("invalid deprecation: message must be set").count(), 1);
            }
        });
    }
}
