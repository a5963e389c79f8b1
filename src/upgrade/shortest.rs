//! The least number of steps, over channels and versions that a user can choose.
//!
//! A Subscription chooses by its channel: from an installed bundle, each channel leads to one entry. A ClusterExtension
//! chooses by its version: from an installed bundle, each edge can be taken.
//!
//! Which names lie on a way at all is a question of edges, which an index answers ([`Reach`]): a search that knows it
//! leaves out what leads astray, and ends before it begins if there is no way. That changes no answer, since a bundle from
//! which no edges lead to the goal is on no way there, and what is left is found in the same order.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use super::answer::{Asked, InstalledBundle, PackageView, Target};
use super::classic;
use super::path::{PathStep, Setting};
use super::updates::v1_targets;
use super::v1::Policy;
use crate::index::query::{PackageGraph, Reach};

/// Which ways are looked for.
pub struct Wish<'w> {
    /// Where a way may end.
    pub is_goal: &'w dyn Fn(&Target) -> bool,
    /// What a way may lead over; the goal too.
    pub is_allowed: &'w dyn Fn(&Target) -> bool,
    /// How many ways at most.
    pub at_most: usize,
    /// The names that lie between [`first_steps`] and the goals, over the channels that are asked or more of them.
    pub within: &'w Reach,
}

/// The names to which a first step of either generation may lead: from there on, edges lead from name to name. The first
/// step is different, since no catalog needs to hold what is installed.
#[must_use]
pub fn first_steps(view: &PackageView, channels: &[String], from: &InstalledBundle) -> BTreeSet<String> {
    let asked = Asked { installed: Some(from.clone()), channels: channels.to_vec(), ..Asked::default() };
    v1_targets(view, &asked).into_iter().map(|it| it.bundle).collect()
}

/// The shortest ways of OLM v1, along edges of the channels that are asked. Of equally short ways that over the highest
/// versions comes first.
#[must_use]
pub fn v1_shortest(view: &PackageView, asked: &Asked, from: &InstalledBundle, wish: &Wish<'_>) -> Vec<Vec<PathStep>> {
    // Where edges do not bind, they say nothing.
    let anywhere = Wish { within: &Reach::Unknown, ..*wish };
    let wish = if asked.policy == Policy::CatalogProvided { wish } else { &anywhere };
    search(from, None, wish, |at, _| {
        let open = Asked { installed: Some(at.clone()), version: String::new(), ..asked.clone() };
        let targets = v1_targets(view, &open).into_iter().filter(|it| it.refused_for.is_none());
        let steps = targets.map(|target| {
            let set = Setting { field: "spec.source.catalog.version".to_owned(), value: target.version.clone() };
            (None, PathStep { target, set: vec![set] })
        });
        steps.collect()
    })
}

/// The shortest ways of OLM Classic over the channels that are asked, of which the first is the Subscription's own. Of
/// equally short ways that with the fewest changes of channel comes first. Channels without an order are left out.
#[must_use]
pub fn classic_shortest(
    view: &PackageView,
    graph: &PackageGraph,
    asked: &Asked,
    from: &InstalledBundle,
    wish: &Wish<'_>,
) -> Vec<Vec<PathStep>> {
    let package = classic::Package::new(graph);
    let is_asked = |name: &str| asked.channels.is_empty() || asked.channels.iter().any(|it| it == name);
    let channels: Vec<(&str, classic::Walker<'_>)> = package
        .channels
        .iter()
        .filter(|it| is_asked(&it.name))
        .filter_map(|it| Some((it.name.as_str(), package.walker(Some(&it.name)).ok()?)))
        .collect();
    search(from, asked.channel().map(str::to_owned), wish, |at, current| {
        let steps = channels.iter().filter_map(|(channel, walker)| {
            let target = view.step_target(&graph.catalog, walker.next_step(&at.as_classic())?);
            let is_same = current == Some(*channel);
            let set = Setting { field: "spec.channel".to_owned(), value: (*channel).to_owned() };
            let set = if is_same { Vec::new() } else { vec![set] };
            Some((Some((*channel).to_owned()), PathStep { target, set }))
        });
        steps.collect()
    })
}

/// A way while it grows: the last step, and the place of the way before it.
struct Link {
    before: Option<usize>,
    step: Option<PathStep>,
    channel: Option<String>,
}

/// Looks for ways in the order of their length, then of the changes that they need, then of the steps' own order.
fn search(
    from: &InstalledBundle,
    channel: Option<String>,
    wish: &Wish<'_>,
    mut steps_from: impl FnMut(&InstalledBundle, Option<&str>) -> Vec<(Option<String>, PathStep)>,
) -> Vec<Vec<PathStep>> {
    if wish.within.is_empty() {
        return Vec::new();
    }
    let mut links = vec![Link { before: None, step: None, channel }];
    // Length, number of settings, place in `links`: that order is the order in which they were found.
    let mut open = BinaryHeap::from([Reverse((0_usize, 0_usize, 0_usize))]);
    let mut n_visits: HashMap<(String, Option<String>), usize> = HashMap::new();
    let mut found = Vec::new();
    while let Some(Reverse((length, n_set, at))) = open.pop() {
        let (installed, channel) = match &links[at] {
            Link { step: None, channel, .. } => (from.clone(), channel.clone()),
            Link { step: Some(step), channel, .. } => (after(&step.target), channel.clone()),
        };
        // No way needs to come through a place more often than there are ways wanted.
        let visits = n_visits.entry((installed.name.clone(), channel.clone())).or_default();
        *visits += 1;
        if *visits > wish.at_most {
            continue;
        }
        if links[at].step.as_ref().is_some_and(|it| (wish.is_goal)(&it.target)) {
            found.push(way_to(&links, at));
            if found.len() == wish.at_most {
                break;
            }
            continue;
        }
        for (channel, step) in steps_from(&installed, channel.as_deref()) {
            let key = (step.target.bundle.clone(), channel);
            let is_used_up = n_visits.get(&key).is_some_and(|it| *it >= wish.at_most);
            // The shortest way of all never goes in a circle.
            let is_circle = key.0 == from.name || (wish.at_most > 1 && comes_through(&links, at, &key.0));
            let is_astray = !wish.within.may_hold(&key.0);
            if is_astray || is_used_up || is_circle || !(wish.is_allowed)(&step.target) {
                continue;
            }
            open.push(Reverse((length + 1, n_set + step.set.len(), links.len())));
            links.push(Link { before: Some(at), step: Some(step), channel: key.1 });
        }
    }
    found
}

fn after(target: &Target) -> InstalledBundle {
    InstalledBundle { name: target.bundle.clone(), version: target.version.clone(), is_in_catalog: true }
}

/// Whether a step of a way has led to a bundle already.
fn comes_through(links: &[Link], at: usize, bundle: &str) -> bool {
    let mut at = Some(at);
    while let Some(Link { before, step, .. }) = at.map(|it| &links[it]) {
        if step.as_ref().is_some_and(|it| it.target.bundle == bundle) {
            return true;
        }
        at = *before;
    }
    false
}

fn way_to(links: &[Link], at: usize) -> Vec<PathStep> {
    let mut steps = Vec::new();
    let mut at = Some(at);
    while let Some(Link { before, step, .. }) = at.map(|it| &links[it]) {
        steps.extend(step.clone());
        at = *before;
    }
    steps.reverse();
    steps
}
