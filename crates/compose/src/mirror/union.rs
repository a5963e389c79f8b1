//! The union of mirrored states of a catalog: for each package one valid graph of all bundles that a mirror holds.
//!
//! Edges are those of the full catalog. Between two mirrored versions it may have only ways through versions that are
//! not mirrored. opm refuses a channel whose entries are not connected, so an edge is added there, and named.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::broken_edges::ranked_channels;
use super::catalog::{Catalog, ChannelFacts, Kind, PackageFacts};
use super::filter::{Filtered, PackageExtent, Part};
use super::graph::heads;
use olmdex_base::diag::Listed;
use olmdex_fbc::{Entry, Origin};
use olmdex_rules::check::graph::{GraphDefect, check_chain};
use olmdex_version::Version;
use olmdex_version::blang::Range;

/// The union of mirrored states.
#[derive(Debug, Default)]
pub struct Union {
    /// The documents that it is made of.
    pub catalog: Catalog,
    /// The parts of them that are kept.
    pub filtered: Filtered,
    /// All edges.
    pub edges: Vec<UnionEdge>,
    /// The differences from the full catalog, and between the states.
    pub remarks: Vec<String>,
}

/// An edge of a union of mirrored states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnionEdge {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The version that is upgraded: the name of its bundle, or a range of versions.
    pub from: String,
    /// The name of the bundle that it is upgraded to.
    pub to: String,
    /// The field of the entry: `replaces`, `skips` or `skipRange`.
    pub field: &'static str,
    /// Whether the entry of the full catalog lacks this edge.
    pub is_added: bool,
    /// Why the edge is there, or what is special about it; empty if it is an edge of the full catalog between mirrored
    /// versions.
    pub message: String,
}

/// Unites states of a mirror, the oldest first. A bundle is that of the newest state that has it, because the images of
/// that are mirrored. Channels and their edges are those of the full catalog as far as it has them. The documents of
/// all of these catalogs are in one [`Input`](olmdex_fbc::Input).
pub fn union(states: &[Catalog], full: &Catalog) -> Union {
    let mut union = Union::default();
    let names: BTreeSet<&String> = states.iter().flat_map(|state| state.packages.keys()).collect();
    for name in names {
        let newest_first: Vec<&PackageFacts> =
            states.iter().rev().filter_map(|state| state.packages.get(name)).collect();
        let (facts, kept) = if name.is_empty() {
            // Blobs of no package have no names by which they could be united.
            (documents_of_newest(&newest_first), PackageExtent::Whole)
        } else {
            let (facts, part) = union.package(name, &newest_first, full.packages.get(name));
            (facts, PackageExtent::Part(part))
        };
        union.catalog.names.insert(name.clone());
        union.catalog.packages.insert(name.clone(), facts);
        union.filtered.packages.insert(name.clone(), Ok(kept));
    }
    union
}

/// Other documents of the newest state.
fn documents_of_newest(newest_first: &[&PackageFacts]) -> PackageFacts {
    let newest = newest_first.first().into_iter().flat_map(|facts| &facts.documents);
    let documents = newest.filter(|document| document.1 == Kind::Other).cloned().collect();
    PackageFacts { documents, ..PackageFacts::default() }
}

/// The channels of a package, the first of each name, with all documents of that name.
fn channels_by_name(facts: &PackageFacts) -> BTreeMap<&str, (&ChannelFacts, Vec<Origin>)> {
    let mut channels: BTreeMap<&str, (&ChannelFacts, Vec<Origin>)> = BTreeMap::new();
    for (origin, kind) in &facts.documents {
        let Kind::Channel(at) = kind else { continue };
        if let Some(channel) = facts.channels.get(*at) {
            channels.entry(&channel.name).or_insert_with(|| (channel, Vec::new())).1.push(*origin);
        }
    }
    channels
}

impl Union {
    fn package(&mut self, name: &str, states: &[&PackageFacts], full: Option<&PackageFacts>) -> (PackageFacts, Part) {
        let full = full.filter(|facts| facts.is_there);
        if full.is_none() {
            self.remarks.push(format!("the full catalog has no package `{name}`: its edges are those of the states"));
        }
        let mut united = documents_of_newest(states);
        if let Some(stating) = states.iter().copied().find(|facts| facts.is_there) {
            united.is_there = true;
            united.default_channel.clone_from(&full.unwrap_or(stating).default_channel);
            let first = stating.documents.iter().find(|document| document.1 == Kind::Package);
            united.documents.extend(first.cloned());
        }
        self.add_bundles(name, states, &mut united);
        // Deprecations say what holds now, for all versions: those of the first catalog that has some count.
        let all = full.into_iter().chain(states.iter().copied());
        let has_deprecations = |facts: &&PackageFacts| facts.documents.iter().any(|it| it.1 == Kind::Deprecations);
        if let Some(facts) = all.clone().find(has_deprecations) {
            united.deprecated_channels.clone_from(&facts.deprecated_channels);
            let documents = facts.documents.iter().filter(|document| document.1 == Kind::Deprecations);
            united.documents.extend(documents.cloned());
        }
        let mut versions: HashMap<&str, &Version> = HashMap::new();
        for bundle in all.clone().flat_map(|facts| &facts.bundles) {
            if let Some(version) = bundle.version() {
                versions.entry(&bundle.name).or_insert(version);
            }
        }
        let mirrored: HashSet<&str> =
            states.iter().flat_map(|facts| &facts.bundles).map(|bundle| bundle.name.as_str()).collect();
        let mut part = Part::default();
        let of_full = full.map(channels_by_name).unwrap_or_default();
        let of_states: Vec<_> = states.iter().map(|facts| channels_by_name(facts)).collect();
        let names: BTreeSet<&str> = of_states.iter().flat_map(BTreeMap::keys).copied().collect();
        for channel in names {
            let of_full = of_full.get(channel);
            let found = of_full.into_iter().chain(of_states.iter().filter_map(|channels| channels.get(channel)));
            let found: Vec<&(&ChannelFacts, Vec<Origin>)> = found.collect();
            let Some((first, origins)) = found.first().copied() else { continue };
            let idx = united.channels.len();
            united.documents.extend(origins.iter().map(|origin| (*origin, Kind::Channel(idx))));
            let known: HashSet<&str> = of_full.iter().flat_map(|it| &it.0.entries).map(|it| it.name.as_str()).collect();
            let mut graph = ChannelGraph::new(found.iter().flat_map(|it| &it.0.entries), &versions, &mirrored);
            graph.connect();
            self.edges.extend(graph.edges(name, channel, &known, of_full.is_some()));
            self.remarks.extend(graph.new_upgrades.iter().map(|(from, to, why)| {
                format!("package `{name}`, channel `{channel}`: added `{from}` → `{to}`: {why}")
            }));
            let kept: BTreeSet<String> = graph.kept.iter().map(|name| (*name).to_owned()).collect();
            let old: HashMap<&str, &Entry> = first.entries.iter().map(|it| (it.name.as_str(), it)).collect();
            let relinked = graph.linked.into_values().filter(|entry| old.get(entry.name.as_str()) != Some(&entry));
            part.relinked.insert(channel.to_owned(), relinked.map(|entry| (entry.name.clone(), entry)).collect());
            part.channels.insert(channel.to_owned(), kept);
            united.channels.push((*first).clone());
        }
        part.channels.retain(|_, kept| !kept.is_empty());
        part.asked = part.channels.keys().cloned().collect();
        let listed: BTreeSet<&String> = part.channels.values().flatten().collect();
        part.bundles = united.bundles.iter().map(|it| &it.name).filter(|it| listed.contains(it)).cloned().collect();
        part.default_channel = self.default_channel(name, &united, &part, states);
        (united, part)
    }

    /// The default channel: that of the full catalog, or of the newest state that has one that is mirrored.
    fn default_channel(&mut self, name: &str, united: &PackageFacts, part: &Part, states: &[&PackageFacts]) -> String {
        let wanted = &united.default_channel;
        let of_states = states.iter().map(|facts| &facts.default_channel);
        let known = std::iter::once(wanted).chain(of_states).find(|it| part.channels.contains_key(*it));
        let chosen = known.cloned().or_else(|| ranked_channels(united, part).first().map(|it| (*it).to_owned()));
        let chosen = chosen.unwrap_or_default();
        if chosen != *wanted && !chosen.is_empty() {
            self.remarks.push(format!(
                "the default channel `{wanted}` of package `{name}` is not mirrored: `{chosen}` becomes the default"
            ));
        }
        chosen
    }

    /// Adds the bundles of each name from the newest state that has it.
    fn add_bundles(&mut self, name: &str, states: &[&PackageFacts], united: &mut PackageFacts) {
        let mut newer: HashMap<&str, BTreeSet<&String>> = HashMap::new();
        for facts in states {
            let mut own = HashMap::new();
            for (origin, kind) in &facts.documents {
                let Kind::Bundle(idx) = kind else { continue };
                let Some(bundle) = facts.bundles.get(*idx) else { continue };
                let images: BTreeSet<&String> = bundle.images.iter().collect();
                match newer.get(bundle.name.as_str()) {
                    Some(known) if *known != images => self.remarks.push(format!(
                        "bundle `{}` of package `{name}` has other images in an older state: those of the newest count",
                        bundle.name
                    )),
                    Some(_) => {}
                    None => {
                        united.documents.push((*origin, Kind::Bundle(united.bundles.len())));
                        united.bundles.push(bundle.clone());
                        own.insert(bundle.name.as_str(), images);
                    }
                }
            }
            newer.extend(own);
        }
    }
}

/// A channel of the full catalog and of the states, and its mirrored entries.
struct ChannelGraph<'c> {
    entries: HashMap<&'c str, &'c Entry>,
    versions: &'c HashMap<&'c str, &'c Version>,
    /// The entry that each name is upgraded to: the one that replaces it, or one that skips it.
    above: HashMap<&'c str, &'c str>,
    /// The nearest mirrored entry to which upgrades lead, and the one to which `replaces` leads.
    mirrored_above: HashMap<&'c str, Option<&'c str>>,
    mirrored_below: HashMap<&'c str, Option<&'c str>>,
    /// The mirrored entries, the newest first.
    kept: Vec<&'c str>,
    place: HashMap<&'c str, usize>,
    /// They as they will be, by name.
    linked: BTreeMap<&'c str, Entry>,
    /// The edges that were added, from one name to another, with the reason.
    added: HashMap<(String, &'c str), String>,
    /// Those of them that allow an upgrade which the full catalog does not allow, from the head down.
    new_upgrades: Vec<(&'c str, &'c str, String)>,
}

impl<'c> ChannelGraph<'c> {
    /// The first of several entries with one name counts.
    fn new(
        all: impl Iterator<Item = &'c Entry>,
        versions: &'c HashMap<&'c str, &'c Version>,
        mirrored: &HashSet<&str>,
    ) -> Self {
        let mut entries: HashMap<&str, &Entry> = HashMap::new();
        let mut list: Vec<&Entry> = Vec::new();
        for entry in all {
            entries.entry(&entry.name).or_insert_with(|| {
                list.push(entry);
                entry
            });
        }
        // The lowest version that skips a name is the nearest one.
        list.sort_by_key(|entry| Reverse(versions.get(entry.name.as_str())));
        let mut above: HashMap<&str, &str> = HashMap::new();
        let skips = list.iter().flat_map(|entry| entry.skips.iter().map(|it| (it.as_str(), entry.name.as_str())));
        let replaces = list.iter().map(|entry| (entry.replaces.as_str(), entry.name.as_str()));
        for (from, to) in skips.chain(replaces).filter(|(from, to)| !from.is_empty() && from != to) {
            above.insert(from, to);
        }
        let ranks = ranks(&list, &entries, &above);
        let mut kept: Vec<&str> =
            list.iter().map(|entry| entry.name.as_str()).filter(|name| mirrored.contains(name)).collect();
        kept.sort_by_key(|name| (ranks.get(name), Reverse(versions.get(name)), *name));
        let place: HashMap<&str, usize> = kept.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let mirrored_above = nearest(&kept, |name| above.get(name).copied(), |name| place.contains_key(name));
        let mirrored_below = nearest(&kept, |name| replaced(&entries, name), |name| place.contains_key(name));
        let linked = kept.iter().filter_map(|name| Some((*name, (*entries.get(name)?).clone()))).collect();
        let (added, new_upgrades) = (HashMap::new(), Vec::new());
        Self { entries, versions, above, mirrored_above, mirrored_below, kept, place, linked, added, new_upgrades }
    }

    /// Adds the edges that opm needs: one head, and each other entry on the chain below it or skipped.
    fn connect(&mut self) {
        let entries: Vec<Entry> = self.linked.values().cloned().collect();
        let mut open: Vec<&'c str> =
            heads(&entries).into_iter().filter_map(|head| self.linked.get_key_value(head)).map(|it| *it.0).collect();
        open.sort_by_key(|name| self.place.get(name));
        if open.is_empty() {
            return;
        }
        let mut current = open[0];
        let mut chain = vec![current];
        let mut visited = HashSet::from([current]);
        let has_way = |name: &&str| self.mirrored_above.get(*name).is_some_and(Option::is_some);
        let waiting: Vec<&'c str> = open.iter().copied().filter(|name| !has_way(name)).collect();
        let mut waiting = waiting.into_iter().peekable();
        loop {
            let below = self.mirrored_below.get(current).copied().flatten();
            let next = match below.filter(|name| !visited.contains(name)) {
                Some(next) => {
                    if replaced(&self.entries, current) != Some(next) {
                        let way_down = std::iter::successors(replaced(&self.entries, current), |name| {
                            replaced(&self.entries, name)
                        });
                        let mut through: Vec<&str> = way_down.take_while(|name| *name != next).collect();
                        through.reverse();
                        self.replace(current, next, way(next, current, &through));
                    }
                    next
                }
                // Only the end of the chain can be connected to an entry from which no way leads on.
                None => {
                    let is_done =
                        |name: &&str| visited.contains(name) || self.place.get(name) <= self.place.get(current);
                    while waiting.next_if(is_done).is_some() {}
                    let Some(next) = waiting.next() else { break };
                    self.replace(current, next, no_way(next, current));
                    next
                }
            };
            visited.insert(next);
            chain.push(next);
            current = next;
        }
        for name in open.into_iter().filter(|name| !visited.contains(name)) {
            self.skip(name, &chain);
        }
        let entries: Vec<Entry> = self.linked.values().cloned().collect();
        if let Err(GraphDefect::Stranded(names)) = check_chain(&entries) {
            let names: Vec<&str> =
                names.iter().filter_map(|name| self.linked.get_key_value(name.as_str())).map(|it| *it.0).collect();
            names.into_iter().for_each(|name| self.skip(name, &chain));
        }
    }

    /// The first names on a way, which are enough for a message.
    fn through(&self, from: &'c str, to: &str, next: impl Fn(&str) -> Option<&'c str>) -> Vec<&'c str> {
        let way = std::iter::successors(next(from), |name| next(name));
        way.take_while(|name| *name != to).take(MANY + 1).collect()
    }

    /// Has an entry replace another one; what it replaced until now is skipped.
    fn replace(&mut self, name: &'c str, target: &'c str, why: String) {
        let Some(entry) = self.linked.get_mut(name) else { return };
        let was_skipped = entry.skips.iter().any(|skipped| skipped == target);
        entry.skips.retain(|skipped| skipped != target);
        let old = std::mem::replace(&mut entry.replaces, target.to_owned());
        if !old.is_empty() && !entry.skips.contains(&old) {
            entry.skips.push(old);
        }
        if !was_skipped {
            self.add(target, name, why);
        }
    }

    /// Has the nearest mirrored version skip an entry.
    fn skip(&mut self, name: &'c str, chain: &[&'c str]) {
        let above = self.mirrored_above.get(name).copied().flatten().filter(|above| *above != name);
        let newer = || {
            let n_newer = chain.partition_point(|member| self.place.get(member) < self.place.get(name));
            chain.get(n_newer.saturating_sub(1)).copied().filter(|member| *member != name)
        };
        let Some(target) = above.or_else(newer) else { return };
        let is_there = self.above.get(name) == Some(&target);
        let why = match above {
            Some(above) => way(name, above, &self.through(name, above, |name| self.above.get(name).copied())),
            None => no_way(name, target),
        };
        let Some(entry) = self.linked.get_mut(target) else { return };
        // No entry skips it yet. opm does not follow `replaces` to an entry that another one skips.
        entry.skips.push(name.to_owned());
        if !is_there {
            self.add(name, target, why);
        }
    }

    /// Notes that an edge was added.
    fn add(&mut self, from: &'c str, to: &'c str, why: String) {
        let range = self.entries.get(to).map(|entry| entry.skip_range.as_str()).filter(|range| !range.is_empty());
        let is_in = |text: &str, version: &Version| {
            Range::parse(text).is_ok_and(|range| range.contains(version).unwrap_or_default())
        };
        let why = match (range, self.versions.get(from)) {
            (Some(text), Some(version)) if is_in(text, version) => {
                format!("its skipRange `{text}` allows this upgrade already")
            }
            _ => {
                self.new_upgrades.push((from, to, why.clone()));
                why
            }
        };
        self.added.insert((from.to_owned(), to), why);
    }

    /// All edges, from the head down.
    fn edges(&self, package: &str, channel: &str, of_full: &HashSet<&str>, has_channel: bool) -> Vec<UnionEdge> {
        let mut edges = Vec::new();
        for (to, entry) in self.kept.iter().filter_map(|name| Some((*name, self.linked.get(name)?))) {
            let mut add = |from: &str, field: &'static str| {
                let added = self.added.get(&(from.to_owned(), to));
                let message = match added {
                    Some(why) => why.clone(),
                    None if field != "skipRange" && !self.place.contains_key(from) => {
                        format!("`{from}` is not mirrored; a cluster may run it")
                    }
                    None if !has_channel => format!("the full catalog has no channel `{channel}`"),
                    None if !of_full.contains(to) => format!("the full catalog does not have `{to}`"),
                    None => String::new(),
                };
                let (package, channel) = (package.to_owned(), channel.to_owned());
                let (from, to, is_added) = (from.to_owned(), to.to_owned(), added.is_some());
                edges.push(UnionEdge { package, channel, from, to, field, is_added, message });
            };
            if !entry.replaces.is_empty() {
                add(&entry.replaces, "replaces");
            }
            entry.skips.iter().for_each(|skipped| add(skipped, "skips"));
            if !entry.skip_range.is_empty() {
                add(&entry.skip_range, "skipRange");
            }
        }
        edges
    }
}

/// The order of entries from the head down: chains of `replaces`, and after each member what it skips.
fn ranks<'c>(
    list: &[&'c Entry],
    entries: &HashMap<&'c str, &'c Entry>,
    above: &HashMap<&'c str, &'c str>,
) -> HashMap<&'c str, (usize, bool)> {
    let mut ranks: HashMap<&str, (usize, bool)> = HashMap::new();
    // The list begins with the highest version.
    for head in list.iter().map(|entry| entry.name.as_str()).filter(|name| !above.contains_key(name)) {
        let mut next = Some(head);
        while let Some(name) = next.filter(|name| !ranks.contains_key(name)) {
            ranks.insert(name, (ranks.len() + 1, false));
            next = entries.get(name).map(|entry| entry.replaces.as_str()).filter(|name| entries.contains_key(name));
        }
    }
    let is_ranked = |name: &str| ranks.contains_key(name);
    let names = list.iter().map(|entry| entry.name.as_str()).filter(|name| !is_ranked(name));
    let names: Vec<&str> = names.collect();
    // In a circle the version decides.
    let behind = nearest(&names, |name| above.get(name).copied(), is_ranked);
    let rank = |name: &str| behind.get(name).copied().flatten().and_then(|member| ranks.get(member));
    let others: Vec<_> =
        names.iter().map(|name| (*name, (rank(name).map_or(usize::MAX, |rank| rank.0), true))).collect();
    ranks.extend(others);
    ranks
}

/// For each name the first one on its way that is wanted; for the names on the way too.
fn nearest<'c>(
    names: &[&'c str],
    next: impl Fn(&str) -> Option<&'c str>,
    is_wanted: impl Fn(&str) -> bool,
) -> HashMap<&'c str, Option<&'c str>> {
    let mut found: HashMap<&str, Option<&str>> = HashMap::new();
    for name in names {
        let mut at = *name;
        let mut way = Vec::new();
        let target = loop {
            if let Some(known) = found.get(at) {
                break *known;
            }
            way.push(at);
            // Nothing is known beyond a circle.
            found.insert(at, None);
            match next(at) {
                Some(target) if is_wanted(target) => break Some(target),
                Some(other) => at = other,
                None => break None,
            }
        };
        found.extend(way.into_iter().map(|name| (name, target)));
    }
    found
}

fn replaced<'c>(entries: &HashMap<&'c str, &'c Entry>, name: &str) -> Option<&'c str> {
    entries.get(name).map(|entry| entry.replaces.as_str()).filter(|name| !name.is_empty())
}

/// The names of a way that a message lists.
const MANY: usize = 5;

/// The reason of an edge instead of a way.
fn way(from: &str, to: &str, through: &[&str]) -> String {
    let others = if through.len() > MANY { " and others" } else { "" };
    let through = Listed::quoted(through.iter().take(MANY));
    format!("the full catalog leads from `{from}` to `{to}` through {through}{others}, which the mirror lacks")
}

fn no_way(from: &str, to: &str) -> String {
    format!("the full catalog has no way from `{from}` to `{to}`")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use olmdex_fbc::{Format, Input};
    use olmdex_rules::check::judge;

    use super::*;
    use crate::mirror::write;

    /// A package `till` with a default channel: each line is `CHANNEL: NAME[<REPLACES][!SKIPPED…][@RANGE] …`.
    fn catalog(lines: &str) -> String {
        let mut text = String::new();
        let mut bundles = BTreeSet::new();
        for (at, line) in lines.lines().enumerate() {
            let (channel, entries) = line.trim().split_once(": ").unwrap();
            if at == 0 {
                writeln!(text, "---\nschema: olm.package\nname: till\ndefaultChannel: {channel}").unwrap();
            }
            writeln!(text, "---\nschema: olm.channel\npackage: till\nname: {channel}\nentries:").unwrap();
            for entry in entries.split(' ') {
                let (edges, range) = entry.split_once('@').unwrap_or((entry, ""));
                let (edges, skips) = edges.split_once('!').unwrap_or((edges, ""));
                let (name, replaces) = edges.split_once('<').unwrap_or((edges, ""));
                bundles.insert(name.to_owned());
                let skips: Vec<&str> = skips.split('!').filter(|it| !it.is_empty()).collect();
                let range = range.replace(',', " ");
                writeln!(text, "- {{name: {name}, replaces: '{replaces}', skips: {skips:?}, skipRange: '{range}'}}")
                    .unwrap();
            }
        }
        for name in bundles {
            let version = name.trim_start_matches('v');
            writeln!(
                text,
                "---\nschema: olm.bundle\npackage: till\nname: {name}\nimage: quay.io/example/till:{name}\nproperties:\n\
                 - {{type: olm.package, value: {{packageName: till, version: {version}.0.0}}}}"
            )
            .unwrap();
        }
        text
    }

    /// The union of states, its text, and the message of opm if it refuses it.
    fn united(states: &[&str], full: &str) -> (Union, String, Option<String>) {
        let (mut files, mut catalogs) = (Vec::new(), Vec::new());
        for lines in states.iter().chain([&full]) {
            let text = if lines.is_empty() { String::new() } else { catalog(lines) };
            let input = Input::bytes("catalog.yaml", Arc::from(text.as_bytes()));
            catalogs.push(Catalog::read(&input, None).behind(files.len()));
            files.extend(input.files);
        }
        let full = catalogs.pop().unwrap();
        let union = union(&catalogs, &full);
        let input = Input { files, ..Input::default() };
        let blobs = write(&input, &union.catalog, &union.filtered, Format::Yaml).unwrap();
        let text = String::from_utf8(blobs.to_vec()).unwrap();
        let again = Input::bytes("union.yaml", Arc::from(text.as_bytes()));
        let opm = judge(&again, None, None, &[], &mut |_| {}).opm;
        (union, text, opm)
    }

    fn edges(union: &Union, channel: &str) -> String {
        let edges = union.edges.iter().filter(|edge| edge.channel == channel);
        let words = edges.map(|edge| {
            let mark = match (edge.is_added, edge.field) {
                (true, _) => "+",
                (false, "replaces") => "<",
                (false, "skips") => "!",
                (false, _) => "@",
            };
            format!("{}{mark}{}", edge.to, edge.from)
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn edges_are_those_of_the_full_catalog_as_far_as_it_has_them() {
        let chain = "stable: v5<v4 v4<v3 v3<v2 v2<v1 v1";
        let cases: &[(&str, &[&str], &str, &str)] = &[
            ("neighbours", &["stable: v2<v1 v1", "stable: v3"], chain, "v3<v2 v2<v1"),
            ("a gap", &["stable: v2<v1 v1", "stable: v5<v4 v4"], chain, "v5<v4 v4+v2 v4!v3 v2<v1"),
            ("heads only", &["stable: v1", "stable: v3", "stable: v5"], chain, "v5+v3 v5!v4 v3+v1 v3!v2"),
            ("the newest first does not matter", &["stable: v5", "stable: v4"], chain, "v5<v4 v4<v3"),
            (
                "a range allows what is added",
                &["stable: v2<v1 v1", "stable: v5@>=1.0.0,<5.0.0"],
                "stable: v5@>=1.0.0,<5.0.0",
                "v5+v2 v5@>=1.0.0 <5.0.0 v2<v1",
            ),
            (
                "a version that the full catalog skips",
                &["stable: v2<v1 v1", "stable: v3<v1!v2"],
                "stable: v3<v1!v2 v2<v1 v1",
                "v3<v1 v3!v2 v2<v1",
            ),
            (
                "the version that skips it is not mirrored",
                &["stable: v2<v1 v1", "stable: v4<v3"],
                "stable: v4<v3 v3<v1!v2 v2<v1 v1",
                "v4+v1 v4!v3 v4+v2 v2<v1",
            ),
            ("a version that the full catalog lost", &["stable: v1", "stable: v3"], "stable: v3<v2 v2", "v3+v1 v3!v2"),
            ("no full catalog of the package", &["stable: v1", "stable: v3<v2 v2"], "", "v3<v2 v2+v1"),
            ("a state that is newer than the full catalog", &["stable: v5", "stable: v6<v5"], chain, "v6<v5 v5<v4"),
        ];
        for (what, states, full, expected) in cases {
            let (union, text, opm) = united(states, full);
            assert_eq!(edges(&union, "stable"), *expected, "{what}:\n{text}");
            assert_eq!(opm, None, "{what}:\n{text}");
        }
    }

    #[test]
    fn each_added_edge_says_why() {
        let chain = "stable: v5<v4 v4<v3 v3<v2 v2<v1 v1";
        let (union, ..) = united(&["stable: v1", "stable: v4"], chain);
        let added: Vec<&str> =
            union.edges.iter().filter(|edge| edge.is_added).map(|edge| edge.message.as_str()).collect();
        assert_eq!(added, ["the full catalog leads from `v1` to `v4` through `v2`, `v3`, which the mirror lacks"]);
        let (union, ..) = united(&["stable: v2", "stable: v5@>=1.0.0,<5.0.0"], "stable: v5@>=1.0.0,<5.0.0");
        assert_eq!(union.edges[0].message, "its skipRange `>=1.0.0 <5.0.0` allows this upgrade already");
        let (union, ..) = united(&["stable: v2", "stable: v5"], "stable: v5");
        assert_eq!(union.edges[0].message, "the full catalog has no way from `v2` to `v5`");
    }

    #[test]
    fn channels_and_bundles_of_all_states_stay() {
        let full = "stable: v3<v2 v2\nfast: v4<v3 v3<v2 v2";
        let (union, text, opm) = united(&["old: v1\nfast: v2", "stable: v3"], full);
        assert_eq!(opm, None, "{text}");
        // The cluster that follows `fast` sees what was mirrored for `stable`.
        assert_eq!(edges(&union, "fast"), "v3<v2");
        assert_eq!(edges(&union, "old"), "");
        for name in ["v1", "v2", "v3"] {
            assert!(text.contains(&format!("name: {name}\n")), "{name}: {text}");
        }
        assert!(text.contains("defaultChannel: stable"), "{text}");
        assert!(!text.contains("till:v4"), "{text}");
    }

    /// Any two subsets of any channel that opm accepts give a channel that opm accepts.
    #[test]
    fn a_union_of_parts_of_a_valid_channel_is_valid() {
        let mut seed = 7_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for round in 0..100 {
            let n = 2 + random(9);
            let mut words: Vec<String> = Vec::new();
            let mut last: Option<u64> = None;
            let mut skipped: Vec<u64> = Vec::new();
            for at in 1..=n {
                let replaces = last.map(|last| format!("<v{last}")).unwrap_or_default();
                let skips: String = skipped.iter().map(|it| format!("!v{it}")).collect();
                let range = if random(4) == 0 { format!("@>=0.0.1,<{at}.0.0") } else { String::new() };
                words.push(format!("v{at}{replaces}{skips}{range}"));
                // The next version replaces this one, or skips it.
                if at < n && random(3) == 0 {
                    skipped.push(at);
                } else {
                    (last, skipped) = (Some(at), Vec::new());
                }
            }
            let full = format!("stable: {}", words.join(" "));
            let mut parts = Vec::new();
            for _ in 0..2 {
                let mut part: Vec<&String> = words.iter().filter(|_| random(2) == 0).collect();
                if part.is_empty() {
                    part.push(&words[0]);
                }
                parts.push(format!("stable: {}", part.into_iter().cloned().collect::<Vec<_>>().join(" ")));
            }
            let states: Vec<&str> = parts.iter().map(String::as_str).collect();
            for full in [full.as_str(), "stable: v99<v98"] {
                let (_, text, opm) = united(&states, full);
                assert_eq!(opm, None, "round {round}: {states:?} of {full}\n{text}");
                let expected: BTreeSet<&str> = states
                    .iter()
                    .flat_map(|state| state.trim_start_matches("stable: ").split(' '))
                    .map(|word| word.split(['<', '!', '@']).next().unwrap())
                    .collect();
                let kept: BTreeSet<&str> = text
                    .lines()
                    .filter_map(|line| line.strip_prefix("name: "))
                    .filter(|it| it.starts_with('v'))
                    .collect();
                assert_eq!(kept, expected, "round {round}");
            }
        }
    }
}
