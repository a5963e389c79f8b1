//! The information about the item at a place: the effect of an edge, the bundles in a range, the meaning of a property.
//!
//! Answers are those of `ask`, about this one catalog. Texts of a catalog are shown as code, so that none is taken for
//! Markdown.

use std::ops::Range;

use super::catalog::{Catalog, Key};
use super::fields;
use super::graph::{graph_of_names, graphs};
use super::symbols::{Mention, RangeText, Role, Thing};
use olmdex_ask::{Entries, EntryStanding, UpdateVerdict, Updates};
use olmdex_base::diag::{Listed, counted, grouped, printable, shortened};
use olmdex_index::query::PackageGraph;
use olmdex_version::blang;

/// The number of names that are listed before the rest is counted.
const MAX_LISTED: usize = 12;

/// The hover text for a place, in Markdown, and the bytes that it is about.
pub(super) fn hover(catalog: &Catalog, key: &Key, offset: usize) -> Option<(String, Range<usize>)> {
    if let Some(at) = catalog.name_at(key, offset) {
        return Some((of_name(catalog, key, at.mention), at.start..at.end));
    }
    if let Some((range, bytes)) = catalog.range_at(key, offset) {
        return Some((of_range(catalog, range), bytes));
    }
    let (kind, bytes) = catalog.type_at(key, offset)?;
    let about = fields::about_type(&kind.name);
    let about = about.unwrap_or_else(|| {
        "OLM does not interpret properties of this type, but constraints can require them.".to_owned()
    });
    Some((format!("{}\n\n{about}", code(&kind.name)), bytes))
}

/// A text of a catalog, as code.
pub(super) fn code(text: &str) -> String {
    let text = printable(&shortened(text, 200)).replace('`', "ʼ");
    format!("`{text}`")
}

fn of_name(catalog: &Catalog, key: &Key, mention: &Mention) -> String {
    let graph = graphs(catalog, Some(&mention.package)).remove(&mention.package);
    let graph = graph.unwrap_or_else(|| graph_of_names(catalog, key, &mention.package));
    let text = match (mention.thing, mention.role) {
        (Thing::Bundle, Role::Entry) => of_entry(&graph, mention),
        (Thing::Bundle, Role::Replaces | Role::Skips) => of_edge(&graph, mention),
        (Thing::Bundle, _) => of_bundle(&graph, mention),
        (Thing::Channel, _) => of_channel(&graph, &mention.name),
        (Thing::Package, _) => of_package(catalog, &mention.name),
    };
    let schema = format!("olm.{}", mention.thing.word());
    match catalog.deprecated(&mention.package, &schema, &mention.name) {
        Some(it) => format!("{text}\n\nDeprecated: {}", code(&it.message)),
        None => text,
    }
}

/// The version of a bundle, in words.
fn version_words(graph: &PackageGraph, name: &str) -> String {
    match Entries::of(graph).version(name) {
        Some(version) => format!(", version {version}"),
        // A template names bundles only by image, so their names are unknown here.
        None if graph.bundles.is_empty() || graph.bundles.iter().any(|it| it.name == name) => String::new(),
        None => ", which the catalog does not hold".to_owned(),
    }
}

fn of_entry(graph: &PackageGraph, mention: &Mention) -> String {
    let Mention { name, channel, package, .. } = mention;
    let mut lines = vec![format!(
        "{}{}\n\nEntry of channel {} of package {}",
        code(name),
        version_words(graph, name),
        code(channel),
        code(package)
    )];
    lines.extend([standing(graph, channel, name), reached(graph, channel, name)]);
    lines.retain(|it| !it.is_empty());
    lines.extend(next(graph, channel, name));
    lines.join("\n\n")
}

/// The position of an entry in its channel.
fn standing(graph: &PackageGraph, channel: &str, name: &str) -> String {
    match Entries::of(graph).standing(channel, name) {
        None => String::new(),
        Some(EntryStanding::Unordered(why)) => format!("The channel has no order: {}", code(&why)),
        Some(EntryStanding::Head) => "Head of the channel".to_owned(),
        Some(EntryStanding::Below { n_steps, head }) => {
            format!("{} below the head {}", counted(n_steps as u64, "step"), code(&head))
        }
        Some(EntryStanding::SkippedBy(by)) => format!("Skipped by {}: OLM Classic never installs it", code(&by)),
        Some(EntryStanding::BelowTheEnd) => {
            "Below the end of the chain: OLM Classic installs it only for a Subscription that names it as startingCSV"
                .to_owned()
        }
    }
}

/// The bundles that can be upgraded to an entry.
fn reached(graph: &PackageGraph, channel: &str, name: &str) -> String {
    let entries = Entries::of(graph);
    let Some(entry) = entries.edges(channel, name) else { return String::new() };
    let mut lines = Vec::new();
    if !entry.replaces.is_empty() {
        lines.push(format!("- {} (`replaces`)", code(&entry.replaces)));
    }
    if !entry.skips.is_empty() {
        lines.push(format!("- {} (`skips`)", listed(entry.skips.iter().map(String::as_str))));
    }
    if !entry.skip_range.is_empty() {
        lines.push(format!(
            "- versions in {} (`skipRange`): {}",
            code(&entry.skip_range),
            in_range(graph, &entry.skip_range)
        ));
    }
    if lines.is_empty() {
        return "No version upgrades to it: it has no `replaces`, `skips` or `skipRange`".to_owned();
    }
    format!("Versions that upgrade to it:\n{}", lines.join("\n"))
}

/// The next steps of both generations of OLM if the bundle is installed.
fn next(graph: &PackageGraph, channel: &str, name: &str) -> Vec<String> {
    let Some(found) = Entries::of(graph).updates(channel, name) else { return Vec::new() };
    let words = |olm: &str, it: &Updates| match (&it.verdict, &it.target) {
        (UpdateVerdict::Update | UpdateVerdict::Install, Some(target)) => {
            format!("- {olm} upgrades it to {}", code(&target.bundle))
        }
        (UpdateVerdict::Current, _) => format!("- {olm} stays at it"),
        (UpdateVerdict::Refused, Some(target)) => {
            format!("- {olm} resolves to {} and refuses it: {}", code(&target.bundle), code(&it.reason))
        }
        (UpdateVerdict::Stuck, _) => format!("- {olm} is stuck at it: {}", code(&it.reason)),
        _ => format!("- {olm} cannot decide: {}", code(&it.reason)),
    };
    let classic = words("OLM Classic", &found.classic);
    // OLM v1 looks at versions, which no template says.
    let v1 = found.v1.map(|it| format!("\n{}", words("OLM v1", &it))).unwrap_or_default();
    vec![format!("Where it is installed:\n{classic}{v1}")]
}

pub(super) fn of_edge(graph: &PackageGraph, mention: &Mention) -> String {
    let Mention { name, channel, entry, .. } = mention;
    let does = if mention.role == Role::Replaces {
        "replaces it in the chain, and clusters that have it installed get the upgrade"
    } else {
        "hides it: OLM Classic never installs it from this channel, and clusters that have it installed get the upgrade"
    };
    let mut lines =
        vec![format!("{}{}", code(name), version_words(graph, name)), format!("Entry {} {does}", code(entry))];
    let is_entry = graph.channels.iter().filter(|it| it.name == *channel).flat_map(|it| it.entries.iter());
    if is_entry.into_iter().any(|it| it.name == *name) {
        lines.extend(next(graph, channel, name));
    } else {
        lines.push(format!(
            "Channel {} has no such entry: the edge serves clusters that already have it installed",
            code(channel)
        ));
    }
    lines.join("\n\n")
}

pub(super) fn of_bundle(graph: &PackageGraph, mention: &Mention) -> String {
    let name = &mention.name;
    let channels = graph.channels.iter().filter(|it| it.entries.iter().any(|it| it.name == *name));
    let channels: Vec<&str> = channels.map(|it| it.name.as_str()).collect();
    let mut lines = vec![format!("{}{}", code(name), version_words(graph, name))];
    match channels.as_slice() {
        [] => lines.push("No channel lists it".to_owned()),
        all => {
            lines.push(format!("In channels {}", listed(all.iter().copied())));
            for channel in all.iter().take(3) {
                let standing = standing(graph, channel, name);
                lines.push(format!("{}: {standing}", code(channel)));
            }
        }
    }
    lines.join("\n\n")
}

pub(super) fn of_channel(graph: &PackageGraph, name: &str) -> String {
    let is_default = if graph.default_channel == name { ", the default" } else { "" };
    let title = format!("Channel {}{is_default}", code(name));
    let Some((n_entries, head)) = Entries::of(graph).channel(name) else {
        return format!("{title}\n\nThe package does not have this channel");
    };
    let n = match n_entries as u64 {
        1 => "1 entry".to_owned(),
        n => format!("{} entries", grouped(n)),
    };
    match head {
        Ok(head) => format!("{title}\n\n{n}, head {}", head.map(|it| code(&it)).unwrap_or_default()),
        Err(why) => format!("{title}\n\n{n}. It has no order: {}", code(&why)),
    }
}

fn of_package(catalog: &Catalog, name: &str) -> String {
    let Some(graph) = graphs(catalog, Some(name)).remove(name) else {
        return format!("Package {}\n\nNot in this directory", code(name));
    };
    let channels = listed(graph.channels.iter().map(|it| it.name.as_str()));
    let bundles = counted(graph.bundles.len() as u64, "bundle");
    format!("Package {}\n\n{bundles}; channels {channels}; default {}", code(name), code(&graph.default_channel))
}

fn of_range(catalog: &Catalog, range: &RangeText) -> String {
    let graph = graphs(catalog, Some(&range.package)).remove(&range.package);
    let title = code(&range.text);
    let Some(graph) = graph else {
        return match blang::Range::parse(&range.text) {
            // A template names bundles only by image, so their versions are unknown here.
            Ok(_) if !range.entry.is_empty() => {
                format!("{title}\n\nOLM upgrades versions in it directly to {}", code(&range.entry))
            }
            Ok(_) => format!("{title}\n\nPackage {} is not in this directory", code(&range.package)),
            Err(error) => format!("{title}\n\nNot a version range: {}", error.plain()),
        };
    };
    let holds = in_range(&graph, &range.text);
    if range.entry.is_empty() {
        return format!("{title}\n\nIn package {}, it includes {holds}", code(&range.package));
    }
    format!(
        "{title}\n\nOLM upgrades versions in it directly to {}. It includes these versions of the catalog: {holds}",
        code(&range.entry)
    )
}

/// The bundles of a package whose versions a range holds, in words.
pub(super) fn in_range(graph: &PackageGraph, range: &str) -> String {
    let range = match blang::Range::parse(range) {
        Ok(range) => range,
        Err(error) => return format!("not a version range: {}", error.plain()),
    };
    let names = Entries::of(graph).in_range(&range);
    if names.is_empty() { "no bundle".to_owned() } else { listed(names.iter().map(String::as_str)) }
}

/// Names as code, the first few of many.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    Listed::of(names.map(code)).at_most(MAX_LISTED).to_string()
}
