//! The effects of a change on everybody who has a version installed: where upgrades lead, before and after.
//!
//! Users may have more bundles than the catalog lists: names that it only skips or replaces, and bundles that the
//! caller knows of. [`olmdex_olm::resolve::dependants()`] answers the question about operators that depend on the
//! package.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use olmdex_fbc::Entry;
use olmdex_index::query::{CatalogRank, GraphBundle, GraphChannel, GraphDeprecation, PackageGraph};
use olmdex_olm::resolve::{Dependant, RefusedByV1};
use olmdex_olm::upgrade::classic::{self, Channel, End, Installed, Package};
use olmdex_olm::upgrade::{
    ExtraEdge, InstalledBundle, LostEdge, Olm, PackageView, UpgradeRoutes, above_head, extra_edge,
    leads_all_to_its_head, lost_edge, with_edge,
};
use olmdex_version::Version;

/// The effects of a change on the users of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    /// The package.
    pub package: String,
    /// The effects for each version in each channel, with each generation of OLM in the question.
    pub users: Vec<Simulated>,
    /// How many versions have no way to the head of their channel, and had none before, with any generation of OLM in
    /// the question.
    pub stranded_before: usize,
    /// The smallest edge that strands nobody, for each channel with stranded users, if there is one.
    pub edges: Vec<Advice>,
    /// The bundles that would have to stay so that nobody is stranded, since an upgrade never leads down.
    pub keep: Vec<KeptBundle>,
    /// The effects on operators that depend on the package.
    pub dependants: Vec<Dependant>,
    /// The bundles that require something of it and that OLM v1, if the question includes it, refuses for that before
    /// and after the change: it resolves no dependencies.
    pub refused_by_v1: Vec<RefusedByV1>,
}

impl Simulation {
    /// Whether a user is newly stranded, or an operator cannot be installed any more.
    pub fn is_negative(&self) -> bool {
        self.users.iter().any(|it| it.effect == Effect::Stranded) || self.dependants.iter().any(Dependant::is_lost)
    }
}

/// An edge that strands nobody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Advice {
    /// The edge.
    #[serde(flatten)]
    pub edge: ExtraEdge,
    /// The generations of OLM with which it strands nobody; the others have no way, whatever the edges.
    pub olm: Vec<Olm>,
}

/// A bundle that would have to stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeptBundle {
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub bundle: String,
}

/// The effects of a change on one version in one channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Simulated {
    /// The generation of OLM.
    pub olm: Olm,
    /// The package.
    pub package: String,
    /// The channel that users follow.
    pub channel: String,
    /// The installed bundle.
    pub installed: String,
    /// Its version, or empty.
    pub version: String,
    /// The present end of upgrades.
    pub before: Way,
    /// Their end after the change.
    pub after: Way,
    /// The effect.
    pub effect: Effect,
    /// For stranded users, the lost edge on their way to the head; `null` if the head itself, or the order of the
    /// channel, is lost.
    pub lost: Option<LostEdge>,
    /// For stranded users, another obstacle, in words; empty if the obstacle is the lost edge.
    pub reason: String,
}

/// The end of upgrades.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Way {
    /// The last bundle, which may be the installed one; empty if there is no such channel, or it has no order.
    pub target: String,
    /// How many upgrades that takes.
    pub steps: usize,
    /// Whether that is the head of the channel. With OLM v1: the bundle of a new installation, or a higher version in
    /// the channel.
    pub is_head: bool,
    /// Whether the target is deprecated.
    pub is_deprecated: bool,
}

/// The effect of a change on users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// They had a way to the head, and have none any more.
    Stranded,
    /// The way to the same target takes more steps.
    Longer,
    /// They end at another version.
    OtherTarget,
    /// The way to the same target takes fewer steps.
    Shorter,
    /// They had no way to the head, and have one.
    Freed,
    /// Nothing changes.
    Same,
    /// They had no way to the head, and still have none.
    StrandedBefore,
}

impl Effect {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stranded => "stranded",
            Self::Longer => "longer way",
            Self::OtherTarget => "other target",
            Self::Shorter => "shorter way",
            Self::Freed => "freed",
            Self::StrandedBefore => "stranded before",
            Self::Same => "same",
        }
    }

    fn of(before: &Way, after: &Way) -> Self {
        match (before.is_head, after.is_head) {
            (true, false) => Self::Stranded,
            (false, true) => Self::Freed,
            (false, false) => Self::StrandedBefore,
            (true, true) if before.target != after.target => Self::OtherTarget,
            (true, true) => match after.steps.cmp(&before.steps) {
                std::cmp::Ordering::Greater => Self::Longer,
                std::cmp::Ordering::Less => Self::Shorter,
                std::cmp::Ordering::Equal => Self::Same,
            },
        }
    }
}

/// The users that a question is about.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// The generations of OLM.
    pub generations: &'q [Olm],
    /// Other bundles that may be installed, whatever the channel.
    pub installed: &'q [InstalledBundle],
    /// Other bundles that followers of a channel may have installed, with the channel.
    pub seen: &'q [(String, InstalledBundle)],
}

/// The effects of the difference between two catalogs on the users of a package, channel by channel in the order of the
/// entries, with the edges that would leave nobody stranded.
pub fn simulate(before: &PackageView, after: &PackageView, question: &Question<'_>) -> Simulation {
    let (old, new) = (State::new(before), State::new(after));
    let mut simulation = Simulation { package: before.package.clone(), ..Simulation::default() };
    let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
    for channel in old.package.channels.iter().filter(|it| seen.insert(it.name.clone())) {
        let users = users(&old, &new, &channel.name, question);
        let first = all.len();
        for &olm in question.generations {
            in_channel(&old, &new, olm, &channel.name, &users, &mut all);
        }
        advise(&old, &new, &channel.name, &all[first..], &mut simulation);
    }
    simulation.users = all;
    let mut best: BTreeMap<(&str, &str, &str), bool> = BTreeMap::new();
    for it in &simulation.users {
        let is_hopeless = best.entry((&it.channel, &it.installed, &it.version)).or_insert(true);
        *is_hopeless &= it.effect == Effect::StrandedBefore;
    }
    simulation.stranded_before = best.into_values().filter(|it| *it).count();
    simulation
}

/// A package in one of the catalogs.
pub(super) struct State<'v> {
    view: &'v PackageView,
    pub(super) graph: Option<&'v PackageGraph>,
    pub(super) package: Package,
    deprecated: BTreeSet<&'v str>,
    /// The versions of its bundles, by their names.
    versions: HashMap<&'v str, &'v str>,
    /// The places of its channels and bundles, by their names.
    channels: HashMap<&'v str, Vec<usize>>,
    bundles: HashMap<&'v str, Vec<usize>>,
    /// The deprecations of bundles that OLM v1 reads: those of the last document.
    of_v1: HashMap<&'v str, &'v GraphDeprecation>,
}

impl<'v> State<'v> {
    pub(super) fn new(view: &'v PackageView) -> Self {
        let graph = view.graphs.first();
        let is_bundle = |it: &&GraphDeprecation| it.schema == "olm.bundle";
        let deprecations = graph.map_or(&[][..], |it| &it.deprecations);
        let deprecated = deprecations.iter().flatten().filter(is_bundle).map(|it| it.name.as_str()).collect();
        let of_v1 = deprecations.iter().next_back().into_iter().flatten().filter(is_bundle);
        let of_v1 = of_v1.map(|it| (it.name.as_str(), it)).collect();
        let versions = view.bundles().iter().map(|bundle| (bundle.name.as_str(), bundle.version.as_str())).collect();
        let channels = places(graph.iter().flat_map(|it| &it.channels).map(|it| it.name.as_str()));
        let bundles = places(graph.iter().flat_map(|it| &it.bundles).map(|it| it.name.as_str()));
        let package = graph.map(Package::new).unwrap_or_default();
        Self { view, graph, package, deprecated, versions, channels, bundles, of_v1 }
    }

    /// The bundles of some names, in the order of the catalog.
    fn named<'n>(&self, names: impl Iterator<Item = &'n str>) -> impl Iterator<Item = &'v GraphBundle> {
        let mut places: Vec<usize> = names.filter_map(|name| self.bundles.get(name)).flatten().copied().collect();
        places.sort_unstable();
        let all = self.graph.map_or(&[][..], |graph| graph.bundles.as_slice());
        places.into_iter().map(|place| &all[place])
    }

    /// The channels of a name, in the order of the catalog.
    pub(super) fn channels_named(&self, name: &str) -> impl Iterator<Item = &'v GraphChannel> {
        let all = self.graph.map_or(&[][..], |graph| graph.channels.as_slice());
        self.channels.get(name).into_iter().flatten().map(|place| &all[*place])
    }

    /// A package with some channels and their bundles alone: nothing else decides about the ways in them, and a package
    /// may have tens of thousands of channels.
    pub(super) fn alone(&self, graph: &PackageGraph, channels: Vec<GraphChannel>) -> PackageGraph {
        let members: BTreeSet<&str> = channels.iter().flat_map(|it| it.entries.iter()).map(|it| &*it.name).collect();
        let deprecations = members.iter().filter_map(|name| self.of_v1.get(name).copied().cloned()).collect();
        PackageGraph {
            catalog: graph.catalog.clone(),
            package: graph.package.clone(),
            default_channel: graph.default_channel.clone(),
            is_valid: graph.is_valid,
            bundles: self.named(members.into_iter()).cloned().collect(),
            deprecations: vec![deprecations],
            channels,
        }
    }

    /// The ways in a channel; `None` if there is no such channel, or OLM Classic finds no order in it.
    pub(super) fn routes<'s>(&'s self, olm: Olm, channel: &'s str) -> Option<UpgradeRoutes<'s>> {
        if self.package.channels_named(channel).is_empty() {
            return None;
        }
        match olm {
            Olm::Classic => UpgradeRoutes::classic(&self.package, channel).ok(),
            Olm::V1 => Some(UpgradeRoutes::v1(self.view, channel)),
        }
    }

    fn way(&self, routes: Option<&mut UpgradeRoutes<'_>>, user: &InstalledBundle) -> Way {
        let Some(routes) = routes else { return Way::default() };
        let found = routes.route(user);
        Way {
            is_deprecated: self.deprecated.contains(found.target.name.as_str()),
            target: found.target.name,
            steps: found.steps,
            is_head: found.end == End::Head,
        }
    }

    /// The only channel of a name.
    pub(super) fn channel(&self, name: &str) -> Option<&Channel> {
        match self.package.channels_named(name) {
            [channel] => Some(channel),
            _ => None,
        }
    }
}

/// The places of names.
fn places<'n>(names: impl Iterator<Item = &'n str>) -> HashMap<&'n str, Vec<usize>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, name) in names.enumerate() {
        places.entry(name).or_default().push(place);
    }
    places
}

/// Every user who may follow a channel: one for each name in it, and those of the question.
pub(super) fn users(old: &State<'_>, new: &State<'_>, channel: &str, question: &Question<'_>) -> Vec<InstalledBundle> {
    let mut users: Vec<InstalledBundle> = Vec::new();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    for it in old.package.channels_named(channel) {
        let names = it
            .entries
            .iter()
            .flat_map(|it| [&it.fields.name].into_iter().chain(&it.fields.skips).chain([&it.fields.replaces]));
        for name in names.filter(|it| !it.is_empty()) {
            let version = old.versions.get(name.as_str()).or_else(|| new.versions.get(name.as_str()));
            let version = version.copied().unwrap_or_default().to_owned();
            if seen.insert((name.clone(), version.clone())) {
                users.push(InstalledBundle::held(name.clone(), version));
            }
        }
    }
    let besides = question.seen.iter().filter(|it| it.0 == channel).map(|it| &it.1).chain(question.installed);
    for it in besides {
        // A bundle that the catalog only names has no version there; its version comes from elsewhere.
        if let Some(known) = users.iter_mut().find(|user| user.name == it.name && user.version.is_empty()) {
            known.version.clone_from(&it.version);
            seen.insert((it.name.clone(), it.version.clone()));
        }
        if seen.insert((it.name.clone(), it.version.clone())) {
            users.push(it.clone());
        }
    }
    users
}

/// Adds the effects on the users of a channel.
fn in_channel(
    old: &State<'_>,
    new: &State<'_>,
    olm: Olm,
    channel: &str,
    users: &[InstalledBundle],
    found: &mut Vec<Simulated>,
) {
    let (mut before, mut after) = (old.routes(olm, channel), new.routes(olm, channel));
    // A ClusterExtension knows the version of its installed bundle; a bundle that the catalog only names has none.
    let is_known = |it: &&InstalledBundle| olm == Olm::Classic || !it.version.is_empty();
    let no_way = if new.package.channels.is_empty() {
        "the package is removed"
    } else if new.package.channels_named(channel).is_empty() {
        "the channel is removed"
    } else {
        "the channel has no order"
    };
    for user in users.iter().filter(is_known) {
        let way = old.way(before.as_mut(), user);
        let now = new.way(after.as_mut(), user);
        let effect = Effect::of(&way, &now);
        let lost = match (effect, &before, &mut after) {
            (Effect::Stranded, Some(before), Some(after)) => lost_edge(before, after, user),
            _ => None,
        };
        let reason = match (effect, &mut after) {
            (Effect::Stranded, None) => no_way.to_owned(),
            (Effect::Stranded, Some(after)) => {
                let end = after.route(user).target;
                let was_head = || lost.is_none().then(|| format!("{} was the head", way.target));
                after.refusal(&end).or_else(was_head).unwrap_or_default()
            }
            _ => String::new(),
        };
        found.push(Simulated {
            olm,
            package: old.view.package.clone(),
            channel: channel.to_owned(),
            installed: user.name.clone(),
            version: user.version.clone(),
            before: way,
            after: now,
            effect,
            lost,
            reason,
        });
    }
}

impl Simulated {
    fn installed(&self) -> InstalledBundle {
        InstalledBundle::held(self.installed.clone(), self.version.clone())
    }
}

/// Adds the edge that would leave nobody in a channel stranded. If no edge helps with all generations of OLM, one that
/// helps with OLM Classic is still worth it.
fn advise(old: &State<'_>, new: &State<'_>, name: &str, all: &[Simulated], simulation: &mut Simulation) {
    let (Some(graph), Some(channel)) = (new.graph, new.channel(name)) else { return };
    let mut olm: Vec<Olm> = all.iter().map(|it| it.olm).collect();
    olm.sort();
    olm.dedup();
    let asked: [&[Olm]; 2] = [&olm, &[Olm::Classic]];
    let n_tries = if olm.len() > 1 { 2 } else { 1 };
    for olm in asked.into_iter().take(n_tries) {
        let of_it: Vec<&Simulated> = all.iter().filter(|it| olm.contains(&it.olm)).collect();
        if of_it.iter().all(|it| it.effect != Effect::Stranded) {
            return;
        }
        let advised = Advised { old, new, graph, channel, name, users: of_it };
        if let Some((edge, kept)) = advised.found() {
            simulation.edges.extend(edge.map(|edge| Advice { edge, olm: olm.to_vec() }));
            simulation.keep.extend(kept.into_iter().map(|bundle| KeptBundle { channel: name.to_owned(), bundle }));
            return;
        }
    }
}

/// A channel in which somebody is stranded.
struct Advised<'a> {
    old: &'a State<'a>,
    new: &'a State<'a>,
    graph: &'a PackageGraph,
    channel: &'a Channel,
    name: &'a str,
    users: Vec<&'a Simulated>,
}

impl Advised<'_> {
    /// An edge of the head, and bundles that must stay if a user has a newer version than the new head.
    fn found(&self) -> Option<(Option<ExtraEdge>, Vec<String>)> {
        // A user who had no way before needs none now.
        let users: Vec<&&Simulated> = self.users.iter().filter(|it| it.before.is_head).collect();
        let as_classic: Vec<Installed> = users.iter().map(|it| it.installed().as_classic()).collect();
        let (base, kept) = self.with_kept(&as_classic)?;
        let everybody: Vec<&Installed> = as_classic.iter().collect();
        if !kept.is_empty() && leads_all_to_its_head(&base, &everybody) && self.holds(&base, &kept) {
            return Some((None, kept));
        }
        let edge =
            extra_edge(&base, &as_classic, &self.ends_of_v1(), |edge| self.holds(&with_edge(&base, edge), &kept));
        edge.map(|edge| (Some(edge), kept))
    }

    /// The channel with the bundles of the old one that would have to stay. `None` if a user has a newer version than
    /// the head all the same.
    fn with_kept(&self, users: &[Installed]) -> Option<(Channel, Vec<String>)> {
        let is_above = above_head(self.channel);
        let above: BTreeSet<&str> = users.iter().filter(|it| is_above(it)).map(|it| it.name.as_str()).collect();
        let (mut base, mut kept) = (self.channel.clone(), Vec::new());
        if above.is_empty() {
            return Some((base, kept));
        }
        let gone = |it: &&classic::Entry| {
            above.contains(it.fields.name.as_str()) && self.channel.entry(&it.fields.name).is_none()
        };
        for entry in self.old.channel(self.name)?.entries.iter().filter(gone) {
            base.entries.push(entry.clone());
            kept.push(entry.fields.name.clone());
        }
        let is_whole = kept.len() == above.len() && !users.iter().any(above_head(&base));
        is_whole.then_some((base, kept))
    }

    /// The ends of the ways of OLM v1 that do not lead to the head.
    fn ends_of_v1(&self) -> Vec<Installed> {
        let is_dead =
            |it: &&&Simulated| it.olm == Olm::V1 && it.effect == Effect::Stranded && !it.after.target.is_empty();
        let end = |it: &&Simulated| {
            let target = &it.after.target;
            let known = self.new.versions.get(target.as_str()).copied().unwrap_or_default();
            let version = if *target == it.installed { it.version.as_str() } else { known };
            Installed { name: target.clone(), version: Version::parse(version).ok() }
        };
        self.users.iter().filter(is_dead).map(end).collect()
    }

    /// Whether OLM v1, which sees other ways, also finds them in the changed channel.
    fn holds(&self, changed: &Channel, kept: &[String]) -> bool {
        let follows = |it: &&&Simulated| it.olm == Olm::V1 && it.before.is_head;
        let users: Vec<InstalledBundle> = self.users.iter().filter(follows).map(|it| it.installed()).collect();
        if users.is_empty() {
            return true;
        }
        let graph = self.alone(changed, kept);
        let rank = CatalogRank { catalog: graph.catalog.clone(), ..CatalogRank::default() };
        let view = PackageView::new(&graph.package.clone(), vec![graph], &[rank]);
        let mut routes = UpgradeRoutes::v1(&view, self.name);
        users.iter().all(|it| routes.route(it).end == End::Head)
    }

    /// The package with only the changed channel, in which some bundles stay.
    fn alone(&self, changed: &Channel, kept: &[String]) -> PackageGraph {
        let entries: Arc<[_]> = changed.entries.iter().map(|entry| Entry::clone(&entry.fields)).collect();
        let channel = self.new.channels_named(self.name).next();
        let channel = channel.map(|channel| GraphChannel { entries, ..channel.clone() });
        let mut graph = self.new.alone(self.graph, channel.into_iter().collect());
        graph.bundles.extend(self.old.named(kept.iter().map(String::as_str)).cloned());
        graph
    }
}
