//! What a change means for everybody who has a version installed: where upgrades lead, before and after.
//!
//! Who may have what is more than what the catalog lists: names that it only skips or replaces, and what whoever asks knows of.
//! Operators that depend on the package are a question of [`olmdex_olm::resolve::dependants()`].
//!
//! What it deliberately does not do: it changes no catalog.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use olmdex_fbc::Entry;
use olmdex_index::query::{CatalogRank, GraphChannel, PackageGraph};
use olmdex_olm::resolve::{Dependant, RefusedByV1};
use olmdex_olm::upgrade::classic::{self, Channel, End, Installed, Package};
use olmdex_olm::upgrade::{
    ExtraEdge, Generation, InstalledBundle, LostEdge, PackageView, Ways, extra_edge, is_above_head,
    leads_all_to_its_head, lost_edge, with_edge,
};
use olmdex_version::Version;

/// What a change means for the users of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    /// The package.
    pub package: String,
    /// What it means for each version in each channel, with each generation of OLM that was asked.
    pub users: Vec<Simulated>,
    /// How many versions have no way to the head of their channel, and had none before, with any generation of OLM that was asked.
    pub stranded_before: usize,
    /// For each channel in which somebody is stranded the smallest edge that strands nobody, where there is one.
    pub edges: Vec<Advice>,
    /// The bundles that would have to stay so that nobody is stranded, since an upgrade never leads down.
    pub keep: Vec<KeptBundle>,
    /// What it means for operators that depend on the package.
    pub dependants: Vec<Dependant>,
    /// The bundles that require something of it and that OLM v1, if it was asked, refuses for that, before as after: it resolves no dependencies.
    pub refused_by_v1: Vec<RefusedByV1>,
}

impl Simulation {
    /// Whether somebody is stranded who was not, or an operator cannot be installed any more.
    #[must_use]
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
    /// The generations of OLM with which it strands nobody; the others find no way, whatever the edges.
    pub olm: Vec<Generation>,
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

/// What a change means for one version in one channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Simulated {
    /// The generation of OLM.
    pub olm: Generation,
    /// The package.
    pub package: String,
    /// The channel that users follow.
    pub channel: String,
    /// What they have installed.
    pub installed: String,
    /// Its version, or empty.
    pub version: String,
    /// Where upgrades lead now.
    pub before: Way,
    /// Where they would lead.
    pub after: Way,
    /// What that means.
    pub effect: Effect,
    /// Of who is stranded: the edge on the way to the head that is there no longer; `null` if the head itself, or the order of the
    /// channel, is not.
    pub lost: Option<LostEdge>,
    /// Of who is stranded: what else is in the way, in words; empty if that is the edge.
    pub reason: String,
}

/// Where upgrades lead.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Way {
    /// The last bundle, which may be the one that is installed; empty if there is no such channel, or it has no order.
    pub target: String,
    /// How many upgrades that takes.
    pub steps: usize,
    /// Whether that is the head of the channel. With OLM v1: what a new installation would get, or a higher version that is in the
    /// channel.
    pub is_head: bool,
    /// Whether the target is deprecated.
    pub is_deprecated: bool,
}

/// What a change means for users.
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
    #[must_use]
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

/// Who is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// The generations of OLM.
    pub generations: &'q [Generation],
    /// What may be installed besides, whatever the channel.
    pub installed: &'q [InstalledBundle],
    /// What may be installed besides by those who follow a channel.
    pub seen: &'q [(String, InstalledBundle)],
}

/// What the difference between two catalogs means for the users of a package, channel by channel in the order of the entries, and
/// what would leave nobody stranded.
#[must_use]
pub fn simulate(before: &PackageView, after: &PackageView, question: &Question<'_>) -> Simulation {
    let (old, new) = (State::new(before), State::new(after));
    let mut simulation = Simulation { package: before.package.clone(), ..Simulation::default() };
    let mut seen = BTreeSet::new();
    for channel in old.package.channels.iter().filter(|it| seen.insert(it.name.clone())) {
        let users = users(&old, &new, &channel.name, question);
        let mut of_channel = Vec::new();
        for &olm in question.generations {
            of_channel.extend(in_channel(&old, &new, olm, &channel.name, &users));
        }
        advise(&old, &new, &channel.name, &of_channel, &mut simulation);
        simulation.users.extend(of_channel);
    }
    let mut best: BTreeMap<(&str, &str, &str), bool> = BTreeMap::new();
    for it in &simulation.users {
        let is_hopeless = best.entry((&it.channel, &it.installed, &it.version)).or_insert(true);
        *is_hopeless &= it.effect == Effect::StrandedBefore;
    }
    simulation.stranded_before = best.into_values().filter(|it| *it).count();
    simulation
}

/// A package in one of the catalogs.
struct State<'v> {
    view: &'v PackageView,
    graph: Option<&'v PackageGraph>,
    package: Package,
    deprecated: BTreeSet<&'v str>,
}

impl<'v> State<'v> {
    fn new(view: &'v PackageView) -> Self {
        let graph = view.graphs.first();
        let is_bundle = |it: &&olmdex_index::query::GraphDeprecation| it.schema == "olm.bundle";
        let deprecations = graph.into_iter().flat_map(|it| it.deprecations.iter().flatten());
        let deprecated = deprecations.filter(is_bundle).map(|it| it.name.as_str()).collect();
        Self { view, graph, package: graph.map(Package::new).unwrap_or_default(), deprecated }
    }

    /// The ways in a channel; `None` if there is no such channel, or OLM Classic finds no order in it.
    fn ways<'s>(&'s self, olm: Generation, channel: &'s str) -> Option<Ways<'s>> {
        if self.package.channels.iter().all(|it| it.name != channel) {
            return None;
        }
        match olm {
            Generation::Classic => Ways::classic(&self.package, channel).ok(),
            Generation::V1 => Some(Ways::v1(self.view, channel)),
        }
    }

    fn way(&self, ways: Option<&mut Ways<'_>>, user: &InstalledBundle) -> Way {
        let Some(ways) = ways else { return Way::default() };
        let found = ways.way(user);
        Way {
            is_deprecated: self.deprecated.contains(found.target.name.as_str()),
            target: found.target.name,
            steps: found.steps,
            is_head: found.end == End::Head,
        }
    }

    /// The only channel of a name.
    fn channel(&self, name: &str) -> Option<&Channel> {
        let mut of_name = self.package.channels.iter().filter(|it| it.name == name);
        of_name.next().filter(|_| of_name.next().is_none())
    }
}

/// Everybody who may follow a channel: each name that it knows, and what the question knows of.
fn users(old: &State<'_>, new: &State<'_>, channel: &str, question: &Question<'_>) -> Vec<InstalledBundle> {
    let versions: BTreeMap<&str, &str> = [new, old]
        .iter()
        .flat_map(|it| it.view.bundles())
        .map(|(name, version)| (name.as_str(), version.as_str()))
        .collect();
    let mut users: Vec<InstalledBundle> = Vec::new();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    for it in old.package.channels.iter().filter(|it| it.name == channel) {
        let names = it
            .entries
            .iter()
            .flat_map(|it| [&it.fields.name].into_iter().chain(&it.fields.skips).chain([&it.fields.replaces]));
        for name in names.filter(|it| !it.is_empty()) {
            let version = versions.get(name.as_str()).copied().unwrap_or_default().to_owned();
            if seen.insert((name.clone(), version.clone())) {
                users.push(InstalledBundle::held(name.clone(), version));
            }
        }
    }
    let besides = question.seen.iter().filter(|it| it.0 == channel).map(|it| &it.1).chain(question.installed);
    for it in besides {
        // What the catalog only names has no version there, and one elsewhere.
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

fn in_channel(
    old: &State<'_>,
    new: &State<'_>,
    olm: Generation,
    channel: &str,
    users: &[InstalledBundle],
) -> Vec<Simulated> {
    let (mut before, mut after) = (old.ways(olm, channel), new.ways(olm, channel));
    let mut found = Vec::with_capacity(users.len());
    // A ClusterExtension knows the version of what it has installed; what the catalog only names has none.
    let is_known = |it: &&InstalledBundle| olm == Generation::Classic || !it.version.is_empty();
    let no_way = if new.package.channels.is_empty() {
        "the package is gone"
    } else if new.package.channels.iter().all(|it| it.name != channel) {
        "the channel is gone"
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
                let end = after.way(user).target;
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
    found
}

impl Simulated {
    fn installed(&self) -> InstalledBundle {
        InstalledBundle::held(self.installed.clone(), self.version.clone())
    }
}

/// Adds what would leave nobody in a channel stranded. Where no edge helps with all generations of OLM, one that helps with OLM Classic
/// is still something.
fn advise(old: &State<'_>, new: &State<'_>, name: &str, all: &[Simulated], simulation: &mut Simulation) {
    let (Some(graph), Some(channel)) = (new.graph, new.channel(name)) else { return };
    let mut olm: Vec<Generation> = all.iter().map(|it| it.olm).collect();
    olm.sort();
    olm.dedup();
    let asked: [&[Generation]; 2] = [&olm, &[Generation::Classic]];
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
    /// An edge of the head, and bundles that stay if somebody has more than the new head.
    fn found(&self) -> Option<(Option<ExtraEdge>, Vec<String>)> {
        // Who had no way before needs none now.
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

    /// The channel with the bundles of the old one that would have to stay. `None` if somebody has more than the head all the same.
    fn with_kept(&self, users: &[Installed]) -> Option<(Channel, Vec<String>)> {
        let above = users.iter().filter(|it| is_above_head(self.channel, it)).map(|it| it.name.as_str());
        let above: BTreeSet<&str> = above.collect();
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
        let is_whole = kept.len() == above.len() && !users.iter().any(|it| is_above_head(&base, it));
        is_whole.then_some((base, kept))
    }

    /// Where the ways of OLM v1 end that do not end well.
    fn ends_of_v1(&self) -> Vec<Installed> {
        let versions = self.new.view.bundles().iter().map(|(name, version)| (name.as_str(), version.as_str()));
        let versions: BTreeMap<&str, &str> = versions.collect();
        let is_dead =
            |it: &&&Simulated| it.olm == Generation::V1 && it.effect == Effect::Stranded && !it.after.target.is_empty();
        let end = |it: &&Simulated| {
            let target = &it.after.target;
            let known = versions.get(target.as_str()).copied().unwrap_or_default();
            let version = if *target == it.installed { it.version.as_str() } else { known };
            Installed { name: target.clone(), version: Version::parse(version).ok() }
        };
        self.users.iter().filter(is_dead).map(end).collect()
    }

    /// Whether OLM v1, which sees other ways, finds them with the channel changed, too.
    fn holds(&self, changed: &Channel, kept: &[String]) -> bool {
        let follows = |it: &&&Simulated| it.olm == Generation::V1 && it.before.is_head;
        let users: Vec<InstalledBundle> = self.users.iter().filter(follows).map(|it| it.installed()).collect();
        if users.is_empty() {
            return true;
        }
        let mut graph = self.graph.clone();
        let bundles = self.old.graph.into_iter().flat_map(|it| &it.bundles).filter(|it| kept.contains(&it.name));
        graph.bundles.extend(bundles.cloned());
        for it in graph.channels.iter_mut().filter(|it| it.name == self.name) {
            let entries: Arc<[_]> = changed.entries.iter().map(|it| Entry::clone(&it.fields)).collect();
            *it = GraphChannel { entries, ..it.clone() };
        }
        let rank = CatalogRank { catalog: graph.catalog.clone(), ..CatalogRank::default() };
        let view = PackageView::new(&graph.package.clone(), vec![graph], &[rank]);
        let mut ways = Ways::v1(&view, self.name);
        users.iter().all(|it| ways.way(it).end == End::Head)
    }
}
