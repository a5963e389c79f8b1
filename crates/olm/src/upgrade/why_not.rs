//! Why OLM does not take a bundle, and the nearest way that works.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{EngineQuestion, PackageView, channel_words};
use super::installed::InstalledBundle;
use super::path::{PathStep, classic_path};
use super::shortest_path::{Effort, Wish, classic_shortest, v1_shortest};
use super::target::{NamedVersion, Target};
use super::uninstall_advice::{Jump, jump};
use super::updates::{classic_updates, v1_refusal, v1_targets, v1_updates};
use super::{classic, v1};
use crate::obstacle::Obstacle;
use olmdex_base::olm::Olm;
use olmdex_index::query::{PackageGraph, Reach};
use olmdex_index::{Index, IndexError};
use olmdex_version::first_of;
use olmdex_version::masterminds::api_server_refusal;

/// Why not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhyNot {
    /// The generation of OLM.
    pub olm: Olm,
    /// The package.
    pub package: String,
    /// The catalog that the answer is about, if there is one for each of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catalog: Option<String>,
    /// The Subscription or ClusterExtension that the answer is about, if it was read from a cluster:
    /// `Subscription NAMESPACE/NAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<String>,
    /// The bundle that was asked for.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// The installed bundle, if there is one.
    pub installed: Option<InstalledBundle>,
    /// Whether OLM takes it after all.
    pub is_taken: bool,
    /// The bundle that OLM takes instead, if there is one.
    pub instead: Option<String>,
    /// The reason why OLM v1 refuses to install the bundle although it resolves to it, in its words.
    pub refusal: Option<String>,
    /// The conditions, in the order in which they are checked.
    pub conditions: Vec<Condition>,
    /// Ways that work, the nearest first.
    pub ways: Vec<String>,
    /// OLM Classic: the remaining option if no upgrade leads there. It is also the last of the ways.
    pub jump: Option<Jump>,
    /// The first obstacle between the operator and its next version, if the question was about one of a cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<Obstacle>,
}

/// A condition that a bundle must meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// The condition that must hold.
    pub condition: String,
    /// Whether it is.
    pub is_met: bool,
    /// The fact that decides.
    pub fact: String,
    /// OLM v1: how many bundles of the catalog are left behind this condition.
    pub left: Option<usize>,
}

impl WhyNot {
    fn new(olm: Olm, view: &PackageView, asked: &EngineQuestion, target: &NamedVersion) -> Self {
        Self {
            olm,
            package: view.package.clone(),
            catalog: asked.catalog.clone(),
            managed_by: asked.managed_by.clone(),
            bundle: target.name.clone(),
            version: target.version.clone(),
            installed: asked.installed.clone(),
            ..Self::default()
        }
    }

    /// The same answer in a namespace that may keep the operator from any version, or that OLM resolves to another one.
    pub fn put_in(&mut self, obstacle: Option<&Obstacle>, next: Option<&str>) {
        self.obstacle = obstacle.cloned();
        let is_free = obstacle.is_none_or(Obstacle::permits);
        if let (true, Some(next)) = (is_free, next) {
            self.resolved_to(next);
        }
        let Some(obstacle) = obstacle else { return };
        if self.is_taken && !is_free {
            self.is_taken = false;
            self.ways = obstacle.remedies.iter().map(|it| it.change.clone()).collect();
        }
        let fact = format!("{} ({})", obstacle.text, obstacle.object);
        self.condition("the namespace lets OLM upgrade", is_free, fact, None);
    }

    /// The resolution of the namespace decides: what others in it demand may rule the nearest bundle out.
    fn resolved_to(&mut self, next: &str) {
        let nearest = if self.is_taken { Some(self.bundle.clone()) } else { self.instead.take() };
        let Some(nearest) = nearest.filter(|nearest| nearest != next) else {
            self.instead = (!self.is_taken).then(|| next.to_owned());
            return;
        };
        self.is_taken = next == self.bundle;
        let fact = format!("OLM resolves the whole namespace to {next}");
        if self.is_taken {
            // It was refused for the nearest one alone.
            self.conditions.retain(|it| it.is_met);
            (self.ways, self.jump) = (Vec::new(), None);
            self.condition("the namespace permits no nearer one", true, format!("{fact}, not to {nearest}"), None);
        } else {
            self.instead = Some(next.to_owned());
            if nearest == self.bundle {
                self.ways.push("change what rules it out, which `olmdex resolve` names".to_owned());
                self.condition("the namespace permits it", false, fact, None);
            }
        }
    }

    fn condition(&mut self, condition: &str, is_met: bool, fact: String, left: Option<usize>) {
        self.conditions.push(Condition { condition: condition.to_owned(), is_met, fact, left });
    }
}

/// The reason of OLM Classic: in the graph.
pub fn classic_why_not(
    view: &PackageView,
    graph: &PackageGraph,
    asked: &EngineQuestion,
    target: &NamedVersion,
) -> WhyNot {
    let mut answer = WhyNot::new(Olm::Classic, view, asked, target);
    let package = view.as_classic(graph);
    let name = &target.name;
    let now = classic_updates(view, graph, asked);
    answer.instead = now.target.as_ref().map(|it| it.bundle.clone());
    answer.is_taken = answer.instead.as_ref() == Some(name);
    if answer.is_taken {
        answer.instead = None;
    }
    let installed = asked.installed.as_ref().map(InstalledBundle::as_classic);
    if installed.as_ref().is_some_and(|it| &it.name == name) {
        answer.condition("is not installed yet", false, format!("{name} is installed"), None);
        return answer;
    }
    let is_asked = |it: &&classic::Channel| asked.channel().is_none_or(|name| it.name == name);
    let listing: Vec<&classic::Channel> =
        package.channels.iter().filter(is_asked).filter(|it| it.entry(name).is_some()).collect();
    if listing.is_empty() {
        answer.condition("is in the channel", false, not_listed(&package, asked, &view.package, name), None);
    }
    for channel in listing {
        answer.in_channel(channel, installed.as_ref());
    }
    if !answer.is_taken && answer.conditions.iter().all(|it| it.is_met) {
        let fact = match &answer.instead {
            Some(instead) => format!("{instead} is nearer to the head, so it goes first"),
            None => now.reason.clone(),
        };
        answer.condition("is the nearest to the head", false, fact, None);
    }
    if !answer.is_taken {
        answer.ways = classic_ways(view, graph, &package, asked, name);
        let lists = |it: &&classic::Channel| it.entry(name).is_some();
        // An upgrade that there is is never given up for less.
        if let (true, Some(installed)) = (answer.ways.is_empty(), &asked.installed) {
            let is_own = |it: &&classic::Channel| Some(it.name.as_str()) == asked.channel();
            let channel = package.channels.iter().filter(lists).find(is_own);
            let channel = channel.or_else(|| package.channels.iter().find(lists));
            answer.jump = channel.map(|it| jump(view, graph, asked, installed, target, &it.name));
        }
        answer.ways.extend(answer.jump.as_ref().map(Jump::words));
    }
    answer
}

/// The sentence that the asked channels do not list a bundle, and which channels do.
fn not_listed(package: &classic::Package, asked: &EngineQuestion, package_name: &str, name: &str) -> String {
    let elsewhere: Vec<&str> =
        package.channels.iter().filter(|it| it.entry(name).is_some()).map(|it| it.name.as_str()).collect();
    if elsewhere.is_empty() {
        format!("no channel of {package_name} lists {name}")
    } else {
        format!("{} does not list it; {} does", channel_words(package_name, &asked.channels), elsewhere.join(", "))
    }
}

impl WhyNot {
    /// Adds the catalog's knowledge about the losses of the jump.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn look_up(mut self, index: &Index) -> Result<Self, IndexError> {
        if let Some(jump) = &mut self.jump {
            jump.look_up(index)?;
            self.ways.pop();
            self.ways.push(jump.words());
        }
        Ok(self)
    }

    /// The conditions of OLM Classic in a channel that lists the bundle, up to the first that makes the others idle.
    fn in_channel(&mut self, channel: &classic::Channel, installed: Option<&classic::Installed>) {
        let id = format!("{}/{}", channel.package, channel.name);
        let place = channel.entry(&self.bundle).map_or(channel.places.start(), |it| channel.places.entry(it.number()));
        self.condition("is in the channel", true, format!("{id} ({place})"), None);
        let order = match channel.order() {
            Ok(order) => order,
            Err(error) => return self.condition("the channel has one chain", false, error.to_string(), None),
        };
        if let Some(by) = order.skipped.get(self.bundle.as_str()) {
            let fact = format!("{} skips it, so OLM never takes it in {id}", by.fields.name);
            return self.condition("is not skipped", false, fact, None);
        }
        self.condition("is not skipped", true, format!("no entry of {id} skips it"), None);
        let is_live = order.live.iter().any(|it| it.fields.name == self.bundle);
        let head = order.live.first().map_or("", |it| it.fields.name.as_str());
        let verb = if is_live { "reaches" } else { "does not reach" };
        self.condition("is below the head", is_live, format!("the chain of replaces from {head} {verb} it"), None);
        if let (Some(installed), Some(entry)) = (installed, channel.entry(&self.bundle)) {
            let leads = classic::leads_to(channel, entry, installed);
            let wording = fields_of(entry);
            let fact = if leads {
                format!("{wording} leads from {} to it", installed.name)
            } else if wording.is_empty() {
                format!("its entry in {id} neither replaces nor skips anything")
            } else {
                format!("its entry in {id} has {wording}, which does not lead from {}", installed.name)
            };
            self.condition("has an edge from the installed version", leads, fact, None);
        }
    }
}

fn fields_of(entry: &classic::Entry) -> String {
    let mut wording = Vec::new();
    if !entry.fields.replaces.is_empty() {
        wording.push(format!("`replaces: {}`", entry.fields.replaces));
    }
    if !entry.fields.skips.is_empty() {
        wording.push(format!("`skips: {}`", first_of(entry.fields.skips.iter(), entry.fields.skips.len())));
    }
    if !entry.fields.skip_range.is_empty() {
        wording.push(format!("`skipRange: {}`", entry.fields.skip_range));
    }
    wording.join(", ")
}

fn classic_ways(
    view: &PackageView,
    graph: &PackageGraph,
    package: &classic::Package,
    asked: &EngineQuestion,
    name: &str,
) -> Vec<String> {
    let mut ways = Vec::new();
    let Some(installed) = &asked.installed else {
        for channel in package.channels.iter().filter(|it| it.entry(name).is_some()) {
            ways.push(format!("subscribe to channel {} with startingCSV: {name}", channel.name));
        }
        return ways;
    };
    let path = classic_path(view, graph, asked, installed, Some(name));
    let n_steps = if path.is_reached { path.steps.len() } else { usize::MAX };
    if path.is_reached {
        // A Subscription without a channel follows all of them; the console of OpenShift always writes one.
        let assumed = if asked.channel().is_none() && package.channels.len() > 1 {
            ", if the Subscription names no channel"
        } else {
            ""
        };
        ways.push(format!("wait{assumed}: OLM {}", through(&path.steps)));
    }
    // Another channel is worth a word if it is nearer.
    let mut others: Vec<(usize, String)> = Vec::new();
    let is_other = |it: &&classic::Channel| Some(it.name.as_str()) != asked.channel() && it.entry(name).is_some();
    for channel in package.channels.iter().filter(is_other) {
        let other = EngineQuestion { channels: vec![channel.name.clone()], ..asked.clone() };
        let path = classic_path(view, graph, &other, installed, Some(name));
        if path.is_reached && path.steps.len() < n_steps {
            let way = format!("change the channel to {}: OLM {}", channel.name, through(&path.steps));
            others.push((path.steps.len(), way));
        }
    }
    others.sort_by_key(|it| it.0);
    ways.extend(others.into_iter().take(MAX_CHANNELS).map(|it| it.1));
    if ways.is_empty() {
        ways.extend(over_channels(view, graph, asked, installed, name));
    }
    ways
}

/// The way that changes the channel more than once, if that leads there.
fn over_channels(
    view: &PackageView,
    graph: &PackageGraph,
    asked: &EngineQuestion,
    installed: &InstalledBundle,
    name: &str,
) -> Option<String> {
    let wish = Wish {
        is_goal: &|it| it.bundle == name,
        is_allowed: &|_| true,
        at_most: 1,
        within: &Reach::Unknown,
        effort: &Effort::default(),
    };
    let all = EngineQuestion { channels: Vec::new(), ..asked.clone() };
    let steps = classic_shortest(view, graph, &all, installed, &wish).pop()?;
    let words = steps.iter().map(|step| {
        let set: Vec<String> = step.set.iter().map(|it| format!("{}: {}", it.field, it.value)).collect();
        if set.is_empty() {
            step.target.bundle.clone()
        } else {
            format!("set {} for {}", set.join(", "), step.target.bundle)
        }
    });
    let words: Vec<String> = words.collect();
    Some(format!("change the channel between the steps, with installPlanApproval: Manual: {}", words.join(", then ")))
}

/// The number of other channels that are suggested at most.
const MAX_CHANNELS: usize = 3;

/// The steps of a way in words.
fn through(steps: &[PathStep]) -> String {
    match steps {
        [.., _, _] => {
            let before: Vec<&str> = steps[..steps.len() - 1].iter().map(|it| it.target.bundle.as_str()).collect();
            format!("reaches it in {} steps, through {}", steps.len(), before.join(", "))
        }
        _ => "upgrades to it next".to_owned(),
    }
}

/// The reason of OLM v1: which predicate leaves the bundle out, and how many candidates each left. `within` are the
/// names between the first steps and the bundle, over all channels: the nearest way that works is among them.
pub fn v1_why_not(view: &PackageView, asked: &EngineQuestion, target: &NamedVersion, within: &Reach) -> WhyNot {
    let mut answer = WhyNot::new(Olm::V1, view, asked, target);
    let name = &target.name;
    let found = v1::resolve(&asked.question(&view.package), view.catalogs());
    let mut refusal = None;
    let refused_range = api_server_refusal(&asked.version);
    if let (Ok(chosen), None) = (&found.outcome, &refused_range) {
        refusal = v1_refusal(view, asked, chosen).filter(|_| &chosen.bundle == name);
        answer.is_taken = &chosen.bundle == name && refusal.is_none();
        answer.instead = Some(chosen.bundle.clone()).filter(|it| it != name);
    }
    for walk in &found.walk {
        if let Some(catalog) = view.catalogs().iter().find(|it| it.name == walk.catalog) {
            answer.in_catalog(view, asked, catalog, walk);
        }
    }
    if let Some(refusal) = refused_range {
        answer.condition("the API server accepts the ClusterExtension", false, refusal, None);
    }
    if let Err(error) = &found.outcome
        // The bundle's own dependencies have been reported.
        && !matches!(error, v1::ResolveError::Dependency { bundle, .. } if bundle == name)
    {
        answer.condition("the ClusterExtension resolves", false, error.to_string(), None);
    }
    answer.refusal = refusal;
    if !answer.is_taken {
        answer.ways = v1_ways(view, asked, target, within);
    }
    answer
}

impl WhyNot {
    /// The conditions of OLM v1 in a catalog, in the order of its predicates.
    fn in_catalog(
        &mut self,
        view: &PackageView,
        asked: &EngineQuestion,
        catalog: &v1::Catalog,
        walk: &v1::CatalogWalk,
    ) {
        let Some(candidate) = catalog.candidates.iter().find(|it| it.name == self.bundle) else {
            let fact = format!("{} does not have it", catalog.name);
            return self.condition("is in the catalog", false, fact, Some(walk.bundles));
        };
        self.condition("is in the catalog", true, catalog.name.clone(), Some(walk.bundles));
        let only = |asked: EngineQuestion| {
            v1_targets(view, &asked).iter().any(|it| it.bundle == candidate.name && it.catalog == catalog.name)
        };
        if !asked.channels.is_empty() {
            let is_met = only(EngineQuestion { installed: None, version: String::new(), ..asked.clone() });
            let listed: Vec<&str> = catalog.channels_of(&candidate.name).collect();
            let fact = if listed.is_empty() {
                "no channel lists it".to_owned()
            } else {
                format!("it is in {}", listed.join(", "))
            };
            self.condition("is in the channels", is_met, fact, Some(walk.in_channels));
        }
        if !asked.version.is_empty() {
            let is_met = only(EngineQuestion { installed: None, channels: Vec::new(), ..asked.clone() });
            let fact = format!("{} against {}", self.version, asked.version);
            self.condition("is in the version range", is_met, fact, Some(walk.in_range));
        }
        if let Some(installed) = &asked.installed {
            let (is_met, fact) = follows(view, asked, catalog, candidate, installed);
            self.condition("can follow the installed version", is_met, fact, Some(walk.successors));
        }
        if let Some(property) = &candidate.dependency {
            let fact = format!("it has a property {property}, which OLM v1 does not support");
            self.condition("declares no dependency", false, fact, None);
        }
        let best = walk.best.as_deref().unwrap_or_default();
        if !best.is_empty() && best != self.bundle && self.conditions.iter().all(|it| it.is_met) {
            let why = if candidate.is_deprecated {
                "deprecated bundles come last"
            } else {
                "OLM v1 takes the highest version"
            };
            self.condition("comes first", false, format!("{best} does: {why}"), Some(1));
        }
        // The resolver does not ask for this; the installation does.
        if let Some(refusal) = asked.installation.refusal(candidate.install_modes, &candidate.obstacles) {
            self.condition("is one that OLM v1 installs", false, refusal, None);
        }
    }
}

/// Whether a bundle can follow the installed one, and the field that permits it.
fn follows(
    view: &PackageView,
    asked: &EngineQuestion,
    catalog: &v1::Catalog,
    candidate: &v1::Candidate,
    installed: &InstalledBundle,
) -> (bool, String) {
    let edges = v1::permits(catalog, &installed.as_v1(), &asked.channels);
    match edges.get(candidate.name.as_str()).and_then(|it| it.first()) {
        Some(it) => {
            let (field, channel) = (it.field.as_str(), &it.channel);
            (true, format!("{field} {} in channel {channel} ({})", it.value, it.place()))
        }
        None if v1::installed_version(&installed.as_v1()).ok().as_ref() == candidate.version_release() => {
            (true, "it has the installed version".to_owned())
        }
        None => {
            let place = channel_words(&view.package, &asked.channels);
            (false, format!("no edge of {place} leads from {} to it", installed.name))
        }
    }
}

fn v1_ways(
    view: &PackageView,
    asked: &EngineQuestion,
    NamedVersion { name, version, .. }: &NamedVersion,
    within: &Reach,
) -> Vec<String> {
    let mut ways = Vec::new();
    let refusal_of = |installation: &v1::Installation| {
        view.catalogs()
            .iter()
            .find_map(|it| it.candidate(name))
            .and_then(|it| installation.refusal(it.install_modes, &it.obstacles))
    };
    if refusal_of(&asked.installation).is_some() && refusal_of(&asked.installation.with_own_namespace()).is_none() {
        ways.push(format!(
            "turn on the feature gate {} (alpha), and set spec.config.inline.watchNamespace",
            v1::Gates::SINGLE_OWN_NAMESPACE
        ));
    }
    let takes = |asked: &EngineQuestion| {
        v1_updates(view, asked).target.is_some_and(|it: Target| &it.bundle == name && it.refusal.is_none())
    };
    if version.is_empty() {
        return ways;
    }
    let pinned = EngineQuestion { version: version.clone(), ..asked.clone() };
    if takes(&pinned) {
        ways.push(format!("set spec.source.catalog.version: {version:?}"));
        return ways;
    }
    if !asked.channels.is_empty() {
        let open = EngineQuestion { channels: Vec::new(), ..pinned.clone() };
        if takes(&open) {
            ways.push(format!("leave the channels out, with spec.source.catalog.version: {version:?}"));
        }
    }
    let Some(installed) = &asked.installed else { return ways };
    let open = EngineQuestion { channels: Vec::new(), version: String::new(), ..asked.clone() };
    for (asked, words) in [(asked, "in the same channels"), (&open, "over all channels")] {
        let effort = &Effort::default();
        let wish = Wish { is_goal: &|it| &it.bundle == name, is_allowed: &|_| true, at_most: 1, within, effort };
        if let Some(steps) = v1_shortest(view, asked, installed, &wish).pop().filter(|it| it.len() > 1) {
            let versions: Vec<&str> = steps.iter().map(|it| it.target.version.as_str()).collect();
            ways.push(format!(
                "go step by step {words}, with spec.source.catalog.version: {}",
                versions.join(", then ")
            ));
            break;
        }
    }
    let is_installed = |it: v1::Resolution| &it.bundle == name && v1_refusal(view, asked, &it).is_none();
    let open = EngineQuestion { channels: Vec::new(), ..pinned.clone() };
    for (asked, first) in [(&pinned, ""), (&open, "leave the channels out, and ")] {
        let mut question = asked.question(&view.package);
        question.policy = v1::Policy::SelfCertified;
        if v1::resolve(&question, view.catalogs()).outcome.is_ok_and(is_installed) {
            let words = "the catalog does not vouch for that";
            ways.push(format!("{first}set upgradeConstraintPolicy: SelfCertified and version: {version:?}; {words}"));
            break;
        }
    }
    ways
}
