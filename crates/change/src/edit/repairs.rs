//! The fewest edits of a package's channels that strand nobody.
//!
//! A Subscription follows one channel, so each channel is repaired by itself. A channel with a stranded user needs at
//! least one changed entry; if one is enough, no smaller answer exists. If it is not, other edits of single entries are
//! tried first, a bounded number of them, and the answer states that fewer edits may be enough. An edit must prove
//! itself: the ways of everybody are followed again with it.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::simulate::{Question, State, users};
use olmdex_fbc::Entry;
use olmdex_index::query::{CatalogRank, GraphChannel, PackageGraph};
use olmdex_olm::upgrade::classic::{self, Channel, End, Installed};
use olmdex_olm::upgrade::{
    InstalledBundle, Olm, PackageView, UpgradeRoutes, above_head, extra_edge, leads_all_to_its_head, set_edges_command,
    with_edge,
};
use olmdex_rules::check::graph::check_chain;
use olmdex_version::Version;
use olmdex_version::blang::Range;

/// How many sets of edits are tried in a channel in which one edit is not enough.
const MAX_TRIES: usize = 400;

/// How many entries, bundles and users all tries may look at, in all packages that strand somebody; each of them gets
/// the same part.
const MAX_WORK: usize = 2_000_000;

/// The most edits, in addition to that of the head, in a set that is found by trying all; larger sets are cut down from
/// all edits that may help.
const MAX_EDITS_BEFORE: usize = 2;

/// The edits that strand nobody in a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackageRepair {
    /// The catalog.
    pub catalog: String,
    /// The package.
    pub package: String,
    /// How many versions in channels have no way to the head of their channel, with any generation of OLM in the
    /// question.
    pub stranded_before: usize,
    /// How many of them have none with all edits made.
    pub stranded_after: usize,
    /// The entries to change, by channel.
    pub edits: Vec<RepairEdit>,
    /// Whether fewer edits are known to be too few: each channel that needs one has one.
    pub is_fewest: bool,
    /// The versions that stay stranded, and why.
    pub left: Vec<LeftUser>,
}

/// A changed entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RepairEdit {
    /// The channel.
    pub channel: String,
    /// The entry.
    pub entry: String,
    /// The name that its `replaces` loses; `null` if that stays.
    pub replaces_no_more: Option<String>,
    /// The names that its `skips` additionally get.
    pub skips: Vec<String>,
    /// Its new `skipRange`; `null` if that stays.
    pub skip_range: Option<String>,
    /// How many versions without a way get one to the head of the channel with the edits of the channel.
    pub freed: usize,
    /// The generations of OLM with which the edits of the channel strand nobody.
    pub olm: Vec<Olm>,
    /// The command that makes the edit.
    pub command: String,
}

/// A user whom no edit frees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftUser {
    /// The generation of OLM.
    pub olm: Olm,
    /// The channel.
    pub channel: String,
    /// The installed bundle.
    pub installed: String,
    /// Its version, or empty.
    pub version: String,
    /// Why no edit of the channel helps, or that none was found.
    pub reason: String,
}

/// The edits that strand nobody in packages, each in one catalog: those in which somebody is stranded, by catalog and
/// name.
pub fn repairs(views: Vec<PackageView>, generations: &[Olm]) -> Vec<PackageRepair> {
    let stranding: Vec<PackageView> = views.into_par_iter().filter(|view| strands(view, generations)).collect();
    let work = MAX_WORK / stranding.len().max(1);
    let found: Vec<Option<PackageRepair>> =
        stranding.into_par_iter().map(|view| repair(&view, generations, work)).collect();
    let mut found: Vec<PackageRepair> = found.into_iter().flatten().collect();
    found.sort_by(|a, b| (&a.catalog, &a.package).cmp(&(&b.catalog, &b.package)));
    found
}

/// Whether a channel of a package strands somebody.
fn strands(view: &PackageView, generations: &[Olm]) -> bool {
    let state = State::new(view);
    let asked = Question { generations, installed: &[], seen: &[] };
    names(&state).any(|name| !stranded(&state, name, &users(&state, &state, name, &asked), generations).is_empty())
}

/// The names of the channels.
fn names<'s>(state: &'s State<'_>) -> impl Iterator<Item = &'s str> {
    let mut seen = BTreeSet::new();
    state.package.channels.iter().map(|channel| channel.name.as_str()).filter(move |name| seen.insert(*name))
}

/// The edits that strand nobody in a package of one catalog; `None` if nobody is stranded. `work` is what may be spent.
fn repair(view: &PackageView, generations: &[Olm], work: usize) -> Option<PackageRepair> {
    let state = State::new(view);
    let graph = state.graph?;
    let mut repair = PackageRepair {
        catalog: graph.catalog.clone(),
        package: view.package.clone(),
        stranded_before: 0,
        stranded_after: 0,
        edits: Vec::new(),
        is_fewest: true,
        left: Vec::new(),
    };
    let work = Cell::new(work);
    for name in names(&state) {
        let everybody = users(&state, &state, name, &Question { generations, installed: &[], seen: &[] });
        let before = stranded(&state, name, &everybody, generations);
        if !before.is_empty() {
            let as_classic = everybody.iter().map(InstalledBundle::as_classic).collect();
            let graph = state.alone(graph, state.channels_named(name).cloned().collect());
            let broken =
                Broken { state: &state, graph, name, everybody: &everybody, as_classic, generations, work: &work };
            broken.mend(&before, &mut repair);
        }
    }
    (repair.stranded_before > 0).then_some(repair)
}

/// The users of a channel without a way to its head.
fn stranded(state: &State<'_>, name: &str, everybody: &[InstalledBundle], generations: &[Olm]) -> Stranded {
    let mut found = Stranded::new();
    for &olm in generations {
        let mut routes = state.routes(olm, name);
        for (at, user) in everybody.iter().enumerate() {
            // A ClusterExtension knows the version of its installed bundle.
            if olm == Olm::V1 && user.version.is_empty() {
                continue;
            }
            if routes.as_mut().is_none_or(|it| it.route(user).end != End::Head) {
                found.insert((olm, at));
            }
        }
    }
    found
}

/// A user with a generation of OLM, by the place in the list of all users.
type Stranded = BTreeSet<(Olm, usize)>;

/// The number of stranded users; a user counts once for both generations.
fn n_users<'s>(stranded: impl IntoIterator<Item = &'s (Olm, usize)>) -> usize {
    stranded.into_iter().map(|it| it.1).collect::<BTreeSet<usize>>().len()
}

/// A channel in which somebody may be stranded.
struct Broken<'a> {
    state: &'a State<'a>,
    /// The package with this channel alone.
    graph: PackageGraph,
    name: &'a str,
    everybody: &'a [InstalledBundle],
    /// Everybody as OLM Classic sees them.
    as_classic: Vec<Installed>,
    generations: &'a [Olm],
    /// The rest of the work.
    work: &'a Cell<usize>,
}

/// A channel with edits made, and whether these are known to be the fewest.
struct Mended {
    channel: Channel,
    olm: Vec<Olm>,
    is_fewest: bool,
}

impl Broken<'_> {
    fn mend(&self, before: &Stranded, repair: &mut PackageRepair) {
        repair.stranded_before += n_users(before);
        let Some(channel) = self.state.channel(self.name) else {
            return self.leave(repair, before, |_, _| "several channels of the package have this name".to_owned());
        };
        let Some(mended) = self.search(channel, before) else {
            let view = view_of(self.graph.clone());
            let mut reasons = Reasons::new(channel, &view, self.name);
            return self.leave(repair, before, |olm, user| reasons.of(olm, user));
        };
        let graph = self.graph_with(&mended.channel);
        let after = self.stranded(graph.clone(), self.generations);
        let freed = n_users(before.difference(&after));
        repair.edits.extend(self.edits(channel, &mended, freed));
        repair.is_fewest &= mended.is_fewest;
        let view = view_of(graph);
        let mut reasons = Reasons::new(&mended.channel, &view, self.name);
        self.leave(repair, &after, |olm, user| reasons.of(olm, user));
    }

    /// Notes the users who stay stranded.
    fn leave(
        &self,
        repair: &mut PackageRepair,
        stranded: &Stranded,
        mut why: impl FnMut(Olm, &InstalledBundle) -> String,
    ) {
        repair.stranded_after += n_users(stranded);
        repair.left.extend(stranded.iter().map(|(olm, at)| LeftUser {
            olm: *olm,
            channel: self.name.to_owned(),
            installed: self.everybody[*at].name.clone(),
            version: self.everybody[*at].version.clone(),
            reason: why(*olm, &self.everybody[*at]),
        }));
    }

    /// The users without a way to the head, with another graph.
    fn stranded(&self, graph: PackageGraph, generations: &[Olm]) -> Stranded {
        stranded(&State::new(&view_of(graph)), self.name, self.everybody, generations)
    }

    /// How much one try looks at.
    fn size(&self) -> usize {
        let entries: usize = self.graph.channels.iter().map(|channel| channel.entries.len()).sum();
        entries + self.graph.bundles.len() + self.everybody.len()
    }

    /// Takes some work from what is left; whether there was that much.
    fn spends(&self, work: usize) -> bool {
        let left = self.work.get().checked_sub(work);
        self.work.set(left.unwrap_or_default());
        left.is_some()
    }

    fn graph_with(&self, changed: &Channel) -> PackageGraph {
        let mut graph = self.graph.clone();
        for it in graph.channels.iter_mut().filter(|it| it.name == self.name) {
            let entries: Arc<[_]> = changed.entries.iter().map(|it| Entry::clone(&it.fields)).collect();
            *it = GraphChannel { entries, ..it.clone() };
        }
        graph
    }

    /// Searches for the fewest edits: one that helps with all generations, one for OLM Classic alone, then several.
    fn search(&self, channel: &Channel, stranded: &Stranded) -> Option<Mended> {
        let classic: &[Olm] = &[Olm::Classic];
        // If nobody is stranded with OLM Classic, no edit is for it alone.
        let has_other = self.generations.len() > 1 && stranded.iter().any(|it| it.0 == Olm::Classic);
        let asked = [self.generations].into_iter().chain(has_other.then_some(classic)).collect::<Vec<_>>();
        for olm in &asked {
            if let Some(channel) = self.with_one_edit(channel, olm) {
                // Another edit, which the search has missed, may free users that are stranded with OLM v1 alone.
                return Some(Mended { channel, olm: olm.to_vec(), is_fewest: true });
            }
        }
        for olm in &asked {
            if let Some(channel) = self.with_several_edits(channel, olm) {
                return Some(Mended { channel, olm: olm.to_vec(), is_fewest: false });
            }
        }
        None
    }

    /// The channel with one changed entry that strands only users above the head.
    fn with_one_edit(&self, channel: &Channel, olm: &[Olm]) -> Option<Channel> {
        if let Some(changed) = self.with_edge_of_head(channel, olm) {
            return Some(changed);
        }
        self.small_edits(channel).take(MAX_TRIES).find(|it| self.holds(it, olm))
    }

    /// The channel with one changed entry, for each change that may help.
    fn small_edits<'c>(&'c self, channel: &'c Channel) -> impl Iterator<Item = Channel> + 'c {
        let above = Above::new(channel);
        let edits = channel.entries.iter().flat_map(move |entry| {
            [self.without_loop(entry, &above), above.without_replaces(entry)].into_iter().flatten()
        });
        edits.map(|fields| with_fields(channel, fields))
    }

    /// An entry without the part of its range that leads up to newer versions; `None` if there is none, or no work is
    /// left.
    fn without_loop(&self, entry: &classic::Entry, above: &Above<'_>) -> Option<Entry> {
        let own = entry.version.as_ref()?;
        let range = Range::parse(&entry.fields.skip_range).ok().filter(|_| !entry.fields.skip_range.is_empty())?;
        let newer = above.sorted.partition_point(|version| *version >= own);
        let leads_up = |version: &&Version| range.contains(version).unwrap_or(false);
        if !self.spends(newer / 8) || !above.sorted.get(..newer)?.iter().any(leads_up) {
            return None;
        }
        let parts = entry.fields.skip_range.split("||").filter_map(|part| ending_below(part.trim(), own));
        let skip_range = parts.collect::<Vec<String>>().join(" || ");
        Some(Entry { skip_range, ..Entry::clone(&entry.fields) })
    }

    fn with_edge_of_head(&self, channel: &Channel, olm: &[Olm]) -> Option<Channel> {
        if !self.spends(self.size()) {
            return None;
        }
        let besides = if olm.contains(&Olm::V1) { self.ends_of_v1(channel) } else { Vec::new() };
        let edge = extra_edge(channel, &self.as_classic, &besides, |edge| self.holds(&with_edge(channel, edge), olm))?;
        Some(with_edge(channel, &edge))
    }

    /// The channel with a few small edits, and one of the head if that is also needed.
    fn with_several_edits(&self, channel: &Channel, olm: &[Olm]) -> Option<Channel> {
        let helps = |changed: &Channel| {
            let is_enough = self.holds(changed, olm).then(|| changed.clone());
            is_enough.or_else(|| self.with_edge_of_head(changed, olm))
        };
        let mut level = vec![channel.clone()];
        let mut n_tries = 0;
        for _ in 0..MAX_EDITS_BEFORE {
            let mut next: Vec<Channel> = Vec::new();
            for changed in level.iter().flat_map(|channel| self.small_edits(channel)) {
                n_tries += 1;
                if n_tries > MAX_TRIES || self.work.get() == 0 {
                    return self.with_all_small_edits(channel, helps);
                }
                if let Some(found) = helps(&changed) {
                    return Some(found);
                }
                next.push(changed);
            }
            level = next;
        }
        self.with_all_small_edits(channel, helps)
    }

    /// Makes all small edits at once, and then drops each one that the others can do without.
    fn with_all_small_edits(&self, channel: &Channel, helps: impl Fn(&Channel) -> Option<Channel>) -> Option<Channel> {
        let above = Above::new(channel);
        let edited = channel.entries.iter().map(|entry| {
            let range = self.without_loop(entry, &above);
            let replaces = above.without_replaces(entry);
            match (range, replaces) {
                (Some(range), Some(_)) => with_version(Entry { replaces: String::new(), ..range }, entry),
                (Some(fields), None) | (None, Some(fields)) => with_version(fields, entry),
                (None, None) => entry.clone(),
            }
        });
        let mut all = Channel { entries: edited.collect(), ..channel.clone() };
        helps(&all)?;
        let is_changed = |(old, new): &(&classic::Entry, &classic::Entry)| old.fields != new.fields;
        let changed: Vec<Entry> = channel
            .entries
            .iter()
            .zip(all.entries.iter())
            .filter(is_changed)
            .map(|(old, _)| Entry::clone(&old.fields))
            .take(MAX_TRIES)
            .collect();
        for old in changed {
            let without = with_fields(&all, old);
            if helps(&without).is_some() {
                all = without;
            }
        }
        helps(&all)
    }

    /// The ends of the ways of OLM v1 that do not lead to the head.
    fn ends_of_v1(&self, channel: &Channel) -> Vec<Installed> {
        let view = view_of(self.graph_with(channel));
        let versions: BTreeMap<&str, &str> =
            view.bundles().iter().map(|it| (it.name.as_str(), it.version.as_str())).collect();
        let mut routes = UpgradeRoutes::v1(&view, self.name);
        let mut ends = Vec::new();
        for user in self.everybody.iter().filter(|it| !it.version.is_empty()) {
            let route = routes.route(user);
            if route.end == End::Head || route.target.name.is_empty() {
                continue;
            }
            let known = versions.get(route.target.name.as_str()).copied().unwrap_or_default();
            let version = if route.target.name == user.name { user.version.as_str() } else { known };
            ends.push(Installed { name: route.target.name, version: Version::parse(version).ok() });
        }
        ends
    }

    /// Whether every user who is not above the head of a channel has a way there.
    fn holds(&self, changed: &Channel, olm: &[Olm]) -> bool {
        if !self.spends(self.size()) {
            return false;
        }
        let is_above = above_head(changed);
        let below: Vec<&Installed> = self.as_classic.iter().filter(|it| !is_above(it)).collect();
        if !leads_all_to_its_head(changed, &below) {
            return false;
        }
        let stranded = self.stranded(self.graph_with(changed), olm);
        stranded.iter().all(|(_, at)| is_above(&self.as_classic[*at]))
    }

    /// The differences between the entries.
    fn edits(&self, before: &Channel, mended: &Mended, freed: usize) -> Vec<RepairEdit> {
        let mut edits = Vec::new();
        for (old, new) in before.entries.iter().zip(mended.channel.entries.iter()) {
            let (old, new) = (&old.fields, &new.fields);
            if **old == **new {
                continue;
            }
            let skips: Vec<String> = new.skips.iter().filter(|it| !old.skips.contains(it)).cloned().collect();
            edits.push(RepairEdit {
                channel: self.name.to_owned(),
                entry: new.name.clone(),
                replaces_no_more: (old.replaces != new.replaces).then(|| old.replaces.clone()),
                skip_range: (old.skip_range != new.skip_range).then(|| new.skip_range.clone()),
                freed,
                olm: mended.olm.clone(),
                command: set_edges_command(&self.graph.package, self.name, new, old),
                skips,
            });
        }
        edits
    }
}

/// A package as the engines see it.
fn view_of(graph: PackageGraph) -> PackageView {
    let rank = CatalogRank { catalog: graph.catalog.clone(), ..CatalogRank::default() };
    PackageView::new(&graph.package.clone(), vec![graph], &[rank])
}

/// Why people stay stranded in a channel.
struct Reasons<'a> {
    is_above_head: Box<dyn Fn(&Installed) -> bool + 'a>,
    routes: UpgradeRoutes<'a>,
    is_valid: bool,
}

impl<'a> Reasons<'a> {
    fn new(channel: &'a Channel, view: &'a PackageView, name: &'a str) -> Self {
        let fields: Vec<Entry> = channel.entries.iter().map(|it| Entry::clone(&it.fields)).collect();
        let (is_above_head, routes) = (Box::new(above_head(channel)), UpgradeRoutes::v1(view, name));
        Self { is_above_head, routes, is_valid: check_chain(&fields).is_ok() }
    }

    fn of(&mut self, olm: Olm, user: &InstalledBundle) -> String {
        if (self.is_above_head)(&user.as_classic()) {
            return "its version is not below that of the head, and upgrades never lead to a lower version".to_owned();
        }
        if olm == Olm::V1 {
            let end = self.routes.route(user).target;
            if let Some(refusal) = self.routes.refusal(&end) {
                return refusal;
            }
        }
        match self.is_valid {
            true => "no edit that olmdex tried gives it an upgrade".to_owned(),
            false => "the channel has no valid chain, and no edit that olmdex tried makes one".to_owned(),
        }
    }
}

/// The versions of a channel, for the edits that may help in addition to an edge of the head: a range that leads up to
/// newer versions ends below the entry, or a `replaces` that leads to a newer version goes.
struct Above<'c> {
    versions: BTreeMap<&'c str, &'c Version>,
    /// From the highest to the lowest.
    sorted: Vec<&'c Version>,
}

impl<'c> Above<'c> {
    fn new(channel: &'c Channel) -> Self {
        let versions: BTreeMap<&str, &Version> =
            channel.entries.iter().filter_map(|it| Some((it.fields.name.as_str(), it.version.as_ref()?))).collect();
        let mut sorted: Vec<&Version> = versions.values().copied().collect();
        sorted.sort_by(|a, b| b.cmp(a));
        Self { versions, sorted }
    }

    /// An entry without a `replaces` that leads to a newer version; `None` if it has none.
    fn without_replaces(&self, entry: &classic::Entry) -> Option<Entry> {
        let own = entry.version.as_ref()?;
        let is_newer = self.versions.get(entry.fields.replaces.as_str()).is_some_and(|it| *it >= own);
        is_newer.then(|| Entry { replaces: String::new(), ..Entry::clone(&entry.fields) })
    }
}

/// The part of a range below a version; `None` if nothing is left.
fn ending_below(part: &str, own: &Version) -> Option<String> {
    let span = part.split_once(' ').and_then(|(low, end)| {
        let low = Version::parse(low.strip_prefix(">=")?).ok()?;
        Some((low, Version::parse(end.trim().strip_prefix('<')?).ok()?))
    });
    let low = part.strip_prefix(">=").or_else(|| part.strip_prefix('>')).and_then(|it| Version::parse(it.trim()).ok());
    match span {
        _ if low.is_some_and(|it| it >= *own) => None,
        Some((low, _)) if low >= *own => None,
        Some((low, end)) => Some(format!(">={low} <{}", end.min(own.clone()))),
        None => Some(format!("{part} <{own}")),
    }
}

fn with_fields(channel: &Channel, fields: Entry) -> Channel {
    let mut changed = channel.clone();
    let name = fields.name.clone();
    changed.entries.change(&name, |entry| with_version(fields, entry));
    changed
}

fn with_version(fields: Entry, old: &classic::Entry) -> classic::Entry {
    classic::Entry::new(fields, old.version.clone())
}

#[cfg(test)]
mod tests {
    use olmdex_index::query::GraphBundle;
    use olmdex_text::tally::{assert_grows_with_input, steps_of};

    use super::*;

    /// A package with one channel of entries `NAME REPLACES SKIPS RANGE`, where `-` is an empty field; names are
    /// versions.
    fn view(entries: &[&str]) -> PackageView {
        view_of_channels(&[entries])
    }

    fn view_of_channels<T: AsRef<str>>(channels: &[&[T]]) -> PackageView {
        let entry = |text: &T| {
            let parts: Vec<&str> = text.as_ref().splitn(4, ' ').collect();
            let part = |at: usize| parts.get(at).copied().filter(|it| *it != "-").unwrap_or_default().to_owned();
            let skips = part(2).split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect();
            Entry { name: part(0), replaces: part(1), skips, skip_range: part(3) }
        };
        let bundle = |it: &Entry| GraphBundle {
            name: it.name.clone(),
            package_property: Some(format!(r#"{{"packageName":"p","version":"{}"}}"#, it.name)),
            ..GraphBundle::default()
        };
        let entries: Vec<Vec<Entry>> = channels.iter().map(|entries| entries.iter().map(entry).collect()).collect();
        let channel = |(at, entries): (usize, &Vec<Entry>)| GraphChannel {
            name: format!("s{at}"),
            entries: entries.clone().into(),
            places: Arc::default(),
        };
        let graph = PackageGraph {
            catalog: "c".to_owned(),
            package: "p".to_owned(),
            default_channel: "s0".to_owned(),
            is_valid: true,
            bundles: entries.iter().flatten().map(bundle).collect(),
            channels: entries.iter().enumerate().map(channel).collect(),
            deprecations: Vec::new(),
        };
        let rank = CatalogRank { catalog: "c".to_owned(), ..CatalogRank::default() };
        PackageView::new("p", vec![graph], &[rank])
    }

    #[test]
    fn channels_are_looked_at_one_by_one() {
        assert_grows_with_input(100, |n| {
            // Each second channel has no entries, and each other one strands somebody.
            let entries = |at: usize| (0..at % 2 * 5).map(move |minor| format!("{at}.{minor}.0"));
            let channels: Vec<Vec<String>> = (0..n).map(|at| entries(at).collect()).collect();
            let channels: Vec<&[String]> = channels.iter().map(Vec::as_slice).collect();
            let view = view_of_channels(&channels);
            move || drop(repair(&view, &[Olm::Classic, Olm::V1], 0))
        });
    }

    #[test]
    fn tries_end_when_the_work_is_spent() {
        // Versions that differ in their build metadata alone: each `replaces` seems to lead up.
        let entry = |at: usize| match at {
            0 => "1.0.0+b0".to_owned(),
            _ => format!("1.0.0+b{at} 1.0.0+b{}", at - 1),
        };
        let entries: Vec<String> = (0..100).map(entry).collect();
        let view = view_of_channels(&[&entries]);
        let steps = |work| steps_of(|| drop(repair(&view, &[Olm::Classic, Olm::V1], work)));
        assert!(steps(20_000) * 5 < steps(1_000_000), "{} of {}", steps(20_000), steps(1_000_000));
    }

    #[test]
    fn each_answer_strands_nobody_and_says_whether_fewer_would_do() {
        // Entries; edits as `ENTRY skips/range/replaces`; whether they are the fewest; the number of users left.
        let cases: &[(&[&str], &[&str], bool, usize)] = &[
            // A user of a bundle that is only named has a way.
            (&["2.0.0 1.0.0", "1.0.0"], &[], true, 0),
            // A skipped entry has a way on, and the entry below it is cut off.
            (&["3.0.0 - 2.0.0", "2.0.0 1.0.0", "1.0.0"], &["3.0.0 +1.0.0"], true, 0),
            // A range that leads back is a loop: one edit of another entry than the head.
            (&["3.0.0 2.0.0", "2.0.0 1.0.0", "1.0.0 - - >=1.5.0"], &["1.0.0 range "], true, 0),
            // The repair keeps the rest of a range that leads back.
            (&["3.0.0 2.0.0", "2.0.0 1.0.0 - >=0.1.0 <3.5.0", "1.0.0"], &["2.0.0 range >=0.1.0 <2.0.0"], true, 0),
            (&["3.0.0 2.0.0", "2.0.0 1.0.0", "1.0.0 - - >=1.5.0 <4.0.0"], &["1.0.0 range "], true, 0),
            // Two loops take two edits, which are not proven to be the fewest.
            (
                &["4.0.0 3.0.0", "3.0.0 2.0.0", "2.0.0 1.0.0 - >=2.5.0", "1.0.0 - - >=1.5.0"],
                &["2.0.0 range ", "1.0.0 range "],
                false,
                0,
            ),
        ];
        for (entries, expected, is_fewest, n_left) in cases {
            let found = repair(&view(entries), &[Olm::Classic], MAX_WORK);
            let Some(found) = found else {
                assert!(expected.is_empty(), "{entries:?}");
                continue;
            };
            let edit = |it: &RepairEdit| {
                let skips = (!it.skips.is_empty()).then(|| format!(" +{}", it.skips.join(",")));
                let range = it.skip_range.as_ref().map(|it| format!(" range {it}"));
                let replaces = it.replaces_no_more.as_ref().map(|it| format!(" -{it}"));
                let parts: String = skips.into_iter().chain(range).chain(replaces).collect();
                format!("{}{parts}", it.entry)
            };
            let edits: Vec<String> = found.edits.iter().map(edit).collect();
            assert_eq!(edits, *expected, "{entries:?}");
            assert_eq!(
                (found.is_fewest, found.left.len(), found.stranded_after),
                (*is_fewest, *n_left, *n_left),
                "{entries:?}"
            );
        }
    }
}
