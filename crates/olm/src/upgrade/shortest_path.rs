//! The least number of steps, over channels and versions that a user can choose.
//!
//! A Subscription chooses by its channel: from an installed bundle, each channel leads to one entry. A ClusterExtension
//! chooses by its version: from an installed bundle, each edge can be taken.
//!
//! An index knows from its edges which names lie on a way at all ([`Reach`]). A search that gets these names leaves out
//! all others, and ends before it begins if there is no way. This changes no answer, since a bundle from which no edges
//! lead to the goal is on no way there, and the remaining bundles are found in the same order.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};

use super::answer::{EngineQuestion, PackageView};
use super::classic;
use super::installed::InstalledBundle;
use super::ordered::Ordered;
use super::path::{PathStep, Setting};
use super::target::{Permit, Target};
use super::updates::{v1_target, v1_targets};
use super::v1::{Catalog, Cursor, Policy, Web};
use olmdex_index::query::{PackageGraph, Reach};
use olmdex_text::tally;

/// The wanted ways.
pub struct Wish<'w> {
    /// Whether a way may end at a bundle.
    pub is_goal: &'w dyn Fn(&Target) -> bool,
    /// Whether a way may lead over a bundle, or end at it.
    pub is_allowed: &'w dyn Fn(&Target) -> bool,
    /// How many ways at most.
    pub at_most: usize,
    /// The names that lie between [`first_steps`] and the goals, over the channels that are asked or more of them.
    pub within: &'w Reach,
    /// The budget of the search. When it is spent, no more ways are found.
    pub effort: &'w Effort,
}

/// The number of steps that a search may still look at. The default has no bound. A search for one way needs none; a
/// search for several ways without circles may have to tell so many apart that it would not end in time.
#[derive(Debug, Default)]
pub struct Effort(Option<Cell<u64>>);

impl Effort {
    /// So many steps.
    pub fn of(n_steps: u64) -> Self {
        Self(Some(Cell::new(n_steps)))
    }

    /// Whether a search stopped because its budget was spent.
    pub fn is_spent(&self) -> bool {
        self.0.as_ref().is_some_and(|it| it.get() == 0)
    }

    /// Takes one step off, if one is left.
    fn spend(&self) -> bool {
        let Some(left) = &self.0 else { return true };
        left.set(left.get().saturating_sub(1));
        left.get() > 0
    }
}

/// The names to which a first step of either generation may lead: from there on, edges lead from name to name. The
/// first step is different, since no catalog needs to hold the installed bundle.
pub fn first_steps(view: &PackageView, channels: &[String], from: &InstalledBundle) -> BTreeSet<String> {
    let asked =
        EngineQuestion { installed: Some(from.clone()), channels: channels.to_vec(), ..EngineQuestion::default() };
    v1_targets(view, &asked).into_iter().map(|it| it.bundle).collect()
}

/// The shortest ways of OLM v1, along edges of the channels that are asked. Among equally short ways the one over the
/// highest versions comes first.
pub fn v1_shortest(
    view: &PackageView,
    asked: &EngineQuestion,
    from: &InstalledBundle,
    wish: &Wish<'_>,
) -> Vec<Vec<PathStep>> {
    // If edges do not bind, they say nothing.
    let anywhere = Wish { within: &Reach::Unknown, ..*wish };
    let wish = if asked.policy == Policy::CatalogProvided { wish } else { &anywhere };
    if wish.within.is_empty() {
        return Vec::new();
    }
    let mut search = V1Search::new(view, asked, from, wish);
    let ends = search.ends(wish);
    ends.into_iter().map(|it| search.steps_to(it)).collect()
}

/// A search along edges of OLM v1. Bundles are ranks of the web.
struct V1Search<'s> {
    web: Web<'s>,
    asked: &'s EngineQuestion,
    from: &'s InstalledBundle,
    /// The number of its name for each rank, and whether it is a goal.
    names: Vec<(usize, bool)>,
    /// The ranks of each name: a way leads to names, whatever catalog they are from.
    ranks_of_name: Vec<Vec<u32>>,
    trails: Trails,
    /// The target of each step of the trails.
    rank_of: Vec<Option<u32>>,
}

impl<'s> V1Search<'s> {
    /// The edges that are asked about, without the bundles that no way may lead over.
    fn new(view: &'s PackageView, asked: &'s EngineQuestion, from: &'s InstalledBundle, wish: &Wish<'_>) -> Self {
        let is_asked = |it: &&Catalog| it.is_asked_with(asked.selector.as_ref());
        let web = Web::new(view.catalogs().iter().filter(is_asked), &asked.channels, asked.policy);
        let mut search = Self {
            web,
            asked,
            from,
            names: Vec::new(),
            ranks_of_name: Vec::new(),
            trails: Trails::new(),
            rank_of: vec![None],
        };
        let mut number_of: HashMap<&str, usize> = HashMap::new();
        for rank in (0_u32..).take(search.web.len()) {
            let name = search.web.target(rank).1.name.as_str();
            let n_names = number_of.len();
            let number = *number_of.entry(name).or_insert(n_names);
            let found = search.target(rank, Vec::new());
            let is_allowed = |it: &Target| {
                it.refused_for.is_none()
                    && it.refusal.is_none()
                    && name != from.name
                    && wish.within.may_hold(name)
                    && (wish.is_allowed)(it)
            };
            if !found.as_ref().is_some_and(is_allowed) {
                search.web.drop(rank);
            }
            search.names.push((number, found.is_some_and(|it| (wish.is_goal)(&it))));
            if number == n_names {
                search.ranks_of_name.push(Vec::new());
            }
            search.ranks_of_name[number].push(rank);
        }
        search
    }

    fn target(&self, rank: u32, permits: Vec<Permit>) -> Option<Target> {
        let (catalog, candidate) = self.web.target(rank);
        v1_target(catalog, candidate, permits, self.asked)
    }

    /// The bundle that is installed after a step to a rank; without a rank, the one before the first step.
    fn installed(&self, rank: Option<u32>) -> InstalledBundle {
        let Some(rank) = rank else { return self.from.clone() };
        let candidate = self.web.target(rank).1;
        InstalledBundle::held(candidate.name.clone(), candidate.version_text()).with_release(candidate.release_text())
    }

    /// The last steps of the ways that are wished for, the shortest first.
    fn ends(&mut self, wish: &Wish<'_>) -> Vec<usize> {
        let n_names = self.ranks_of_name.len();
        let mut n_visits = vec![0_usize; n_names];
        // The steps to each name, and the bundles that may follow each step, looked at as late as possible.
        let mut steps_to: Vec<Vec<usize>> = vec![Vec::new(); n_names];
        let mut cursors = vec![self.web.after(&self.from.as_v1())];
        // Length, then which way it goes on, then the rank: the order in which steps are found.
        let mut open = BinaryHeap::new();
        open.extend(self.web.next(&mut cursors[0]).map(|rank| Reverse((1_usize, 0_usize, rank))));
        let mut found = Vec::new();
        while let Some(Reverse((length, before, rank))) = open.pop() {
            if !wish.effort.spend() {
                break;
            }
            open.extend(self.web.next(&mut cursors[before]).map(|rank| Reverse((length, before, rank))));
            let (name, is_goal) = self.names[rank as usize];
            let is_circle = || steps_to[name].iter().any(|it| self.trails.is_on(*it, before));
            if n_visits[name] >= wish.at_most || is_circle() {
                continue;
            }
            // No way needs to come through a place more often than there are ways wanted.
            n_visits[name] += 1;
            if n_visits[name] == wish.at_most {
                self.ranks_of_name[name].iter().for_each(|it| self.web.drop(*it));
            }
            let at = self.trails.push(before);
            self.rank_of.push(Some(rank));
            steps_to[name].push(at);
            if is_goal {
                found.push(at);
                if found.len() == wish.at_most {
                    break;
                }
                // No way leads on from a goal.
                cursors.push(Cursor::default());
                continue;
            }
            let mut cursor = self.web.after(&self.installed(Some(rank)).as_v1());
            open.extend(self.web.next(&mut cursor).map(|rank| Reverse((length + 1, at, rank))));
            cursors.push(cursor);
        }
        found
    }

    /// The way to a step, with the settings before each of its steps.
    fn steps_to(&self, last: usize) -> Vec<PathStep> {
        let mut ranks: Vec<u32> = self.trails.back_from(last).filter_map(|it| self.rank_of[it]).collect();
        ranks.reverse();
        let befores = std::iter::once(None).chain(ranks.iter().copied().map(Some));
        let step = |(before, rank): (Option<u32>, &u32)| {
            let permits = self.web.permits(*rank, &self.installed(before).as_v1());
            let target = self.target(*rank, permits)?;
            let set = Setting { field: "spec.source.catalog.version".to_owned(), value: target.version.clone() };
            Some(PathStep { target, set: vec![set] })
        };
        befores.zip(&ranks).filter_map(step).collect()
    }
}

/// The shortest ways of OLM Classic over the channels that are asked; the first of these is the Subscription's own.
/// Among equally short ways the one with the fewest changes of channel comes first. Channels without an order are left
/// out.
pub fn classic_shortest(
    view: &PackageView,
    graph: &PackageGraph,
    asked: &EngineQuestion,
    from: &InstalledBundle,
    wish: &Wish<'_>,
) -> Vec<Vec<PathStep>> {
    let package = view.as_classic(graph);
    let ordered = Ordered::new(&package);
    let asked_names: HashSet<&str> = asked.channels.iter().map(String::as_str).collect();
    let is_asked = |name: &str| asked_names.is_empty() || asked_names.contains(name);
    let asked_channels = package.channels.iter().filter(|it| is_asked(&it.name));
    let channels: Vec<(&str, classic::Walker<'_>)> =
        asked_channels.filter_map(|it| Some((it.name.as_str(), ordered.walker(&it.name)?))).collect();
    let step = |channel: usize, at: &InstalledBundle| {
        let (_, walker) = channels.get(channel)?;
        Some(view.step_target(&graph.catalog, walker.next_step(&at.as_classic())?))
    };
    ClassicSearch { channels: &channels, step: &step }.ways(from, asked.channel(), wish)
}

/// A search over channels, each of which leads from a bundle to one entry.
struct ClassicSearch<'s> {
    channels: &'s [(&'s str, classic::Walker<'s>)],
    /// The step from a bundle in a channel, by its place.
    step: &'s dyn Fn(usize, &InstalledBundle) -> Option<Target>,
}

/// The last step of a way while it grows.
struct Link {
    step: Option<PathStep>,
    /// The number of the channel.
    channel: Option<usize>,
}

/// A bundle and the channel that is followed there.
type State<'s> = (&'s str, usize);

impl<'s> ClassicSearch<'s> {
    /// Looks for ways in the order of their length, then of the changes that they need, then of the steps' own order.
    fn ways(&self, from: &InstalledBundle, channel: Option<&str>, wish: &Wish<'_>) -> Vec<Vec<PathStep>> {
        if wish.within.is_empty() {
            return Vec::new();
        }
        // Channels of one name are one channel.
        let mut number_of: HashMap<&str, usize> = HashMap::with_capacity(self.channels.len());
        let numbers: Vec<usize> =
            self.channels.iter().enumerate().map(|(at, it)| *number_of.entry(it.0).or_insert(at)).collect();
        let mut links = vec![Link { step: None, channel: channel.and_then(|it| number_of.get(it).copied()) }];
        let mut trails = Trails::new();
        let mut steps_to: HashMap<&str, Vec<usize>> = HashMap::new();
        // Length, number of settings, place in `links`: that order is the order in which they were found.
        let mut open = BinaryHeap::from([Reverse((0_usize, 0_usize, 0_usize))]);
        let mut n_visits: HashMap<(String, Option<usize>), usize> = HashMap::new();
        let mut nearest = Nearest { n_kept: wish.at_most, of_state: HashMap::new() };
        let mut expanded: HashSet<String> = HashSet::new();
        let mut found = Vec::new();
        while let Some(Reverse((length, n_set, at))) = open.pop() {
            if !wish.effort.spend() {
                break;
            }
            let current = links[at].channel;
            let installed =
                links[at].step.as_ref().map_or_else(|| from.clone(), |it| InstalledBundle::after(&it.target));
            // No way needs to come through a place more often than there are ways wanted.
            let visits = n_visits.entry((installed.name.clone(), current)).or_default();
            *visits += 1;
            if *visits > wish.at_most {
                continue;
            }
            if links[at].step.as_ref().is_some_and(|it| (wish.is_goal)(&it.target)) {
                let mut steps: Vec<PathStep> = trails.back_from(at).filter_map(|it| links[it].step.clone()).collect();
                steps.reverse();
                found.push(steps);
                if found.len() == wish.at_most {
                    break;
                }
                continue;
            }
            // If one way is wanted, the first arrival at a bundle has gone on into all other channels already, with
            // fewer changes.
            let is_first = wish.at_most > 1 || expanded.insert(installed.name.clone());
            let places = match (is_first, current) {
                (true, _) => 0..self.channels.len(),
                (false, Some(own)) => own..own + 1,
                (false, None) => 0..0,
            };
            let as_classic = installed.as_classic();
            for (place, number) in places.clone().zip(&numbers[places]) {
                tally::step(1);
                let (name, walker) = &self.channels[place];
                let Some((_, entry)) = walker.next(&as_classic) else { continue };
                let bundle = entry.fields.name.as_str();
                let is_same = current == Some(*number);
                let n_set = n_set + usize::from(!is_same);
                // The shortest way of all never goes in a circle.
                let comes_through = || is_on_way(&steps_to, bundle, &trails, &links, at);
                let is_circle = bundle == from.name || (wish.at_most > 1 && comes_through());
                if !wish.within.may_hold(bundle)
                    || is_circle
                    || !nearest.is_near((bundle, *number), (length + 1, n_set))
                {
                    continue;
                }
                let Some(target) = (self.step)(place, &installed).filter(|it| (wish.is_allowed)(it)) else { continue };
                nearest.add((bundle, *number), (length + 1, n_set));
                let set = Setting { field: "spec.channel".to_owned(), value: (*name).to_owned() };
                let set = if is_same { Vec::new() } else { vec![set] };
                open.push(Reverse((length + 1, n_set, links.len())));
                // As many as there are links.
                steps_to.entry(bundle).or_default().push(trails.push(at));
                links.push(Link { step: Some(PathStep { target, set }), channel: Some(*number) });
            }
        }
        found
    }
}

/// The nearest steps to each state, as many as ways are wanted: a state is passed through no more often than that, the
/// nearest first.
struct Nearest<'s> {
    n_kept: usize,
    of_state: HashMap<State<'s>, BinaryHeap<(usize, usize)>>,
}

impl<'s> Nearest<'s> {
    fn is_near(&self, state: State<'s>, distance: (usize, usize)) -> bool {
        let known = self.of_state.get(&state).filter(|it| it.len() >= self.n_kept);
        known.and_then(BinaryHeap::peek).is_none_or(|it| distance < *it)
    }

    fn add(&mut self, state: State<'s>, distance: (usize, usize)) {
        let known = self.of_state.entry(state).or_default();
        known.push(distance);
        if known.len() > self.n_kept {
            known.pop();
        }
    }
}

/// Whether a way has come through a bundle: asked of the steps to the bundle or of those of the way, whichever are
/// fewer.
fn is_on_way(steps_to: &HashMap<&str, Vec<usize>>, bundle: &str, trails: &Trails, links: &[Link], at: usize) -> bool {
    let Some(steps) = steps_to.get(bundle) else { return false };
    if steps.len() <= trails.length(at) {
        tally::step(steps.len());
        return steps.iter().any(|it| trails.is_on(*it, at));
    }
    let is_it = |it: usize| links[it].step.as_ref().is_some_and(|it| it.target.bundle == bundle);
    trails.back_from(at).inspect(|_| tally::step(1)).any(is_it)
}

/// Ways under construction: each step with the one before it. A few jumps decide whether one step is on the way to
/// another, however long the way.
#[derive(Debug)]
struct Trails {
    /// The step before, one further back, and how many there are.
    steps: Vec<(usize, usize, usize)>,
}

impl Trails {
    /// One trail of no steps.
    fn new() -> Self {
        Self { steps: vec![(0, 0, 0)] }
    }

    fn push(&mut self, before: usize) -> usize {
        let (_, jump, length) = self.steps[before];
        let (_, further, of_jump) = self.steps[jump];
        let of_further = self.steps[further].2;
        // Two jumps of one length become one.
        let jump = if length - of_jump == of_jump - of_further { further } else { before };
        self.steps.push((before, jump, length + 1));
        self.steps.len() - 1
    }

    /// The number of steps that a way has.
    fn length(&self, at: usize) -> usize {
        self.steps[at].2
    }

    fn before(&self, at: usize) -> Option<usize> {
        (at > 0).then(|| self.steps[at].0)
    }

    /// Whether a step is on the way to another, or that one itself.
    fn is_on(&self, step: usize, way: usize) -> bool {
        let wanted = self.steps[step].2;
        let mut at = way;
        while self.steps[at].2 > wanted {
            let (before, jump, _) = self.steps[at];
            at = if self.steps[jump].2 >= wanted { jump } else { before };
        }
        at == step
    }

    /// The steps of a way, from the last back, without where it begins.
    fn back_from(&self, last: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(last), |&at| self.before(at)).take_while(|it| *it > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Trails;

    #[test]
    fn steps_are_found_on_their_ways_and_no_others() {
        // Step n follows n - 1, and every seventh begins a branch of its own.
        let mut trails = Trails::new();
        let mut befores = vec![0];
        for at in 1..400_usize {
            let before = if at % 7 == 0 { at / 2 } else { at - 1 };
            befores.push(before);
            assert_eq!(trails.push(before), at);
        }
        for way in 0..400 {
            let mut on_way = vec![false; 400];
            let mut at = way;
            while at > 0 {
                on_way[at] = true;
                at = befores[at];
            }
            for (step, is_on) in on_way.iter().enumerate().skip(1) {
                assert_eq!(trails.is_on(step, way), *is_on, "{step} on the way to {way}");
            }
            assert_eq!(trails.back_from(way).count(), on_way.iter().filter(|it| **it).count());
        }
    }
}
