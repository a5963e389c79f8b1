//! The order of preference among operators that meet a requirement, and among those that a Subscription may install
//! (`docs/behaviour/olm-classic.md` 2.4.4 to 2.4.7, 2.5).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::failure::Failure;
use super::preference::Standpoint;
use super::universe::{ChannelId, EntryId, Origin, Universe};
use crate::upgrade::classic::Channel as Chain;
use olmdex_constraint::property::Requirement;
use olmdex_rules::cluster::Subscription;

/// The entries that meet requirements, looked up once for each requirement and each catalog of a requiring bundle.
#[derive(Default)]
pub(super) struct Candidates {
    matches: HashMap<usize, Rc<[EntryId]>>,
    ordered: HashMap<(usize, Option<usize>), Rc<[EntryId]>>,
}

impl Candidates {
    /// The entries that meet a requirement of an entry, most preferred first.
    pub(super) fn of(
        &mut self,
        universe: &mut Universe<'_>,
        requirement: &Requirement,
        by: EntryId,
    ) -> Result<Rc<[EntryId]>, Failure> {
        // An installed operator has no catalog of its own.
        let own = universe.channel_of(by).map(|it| it.catalog);
        if let Some(known) = self.ordered.get(&(requirement.number, own)) {
            return Ok(Rc::clone(known));
        }
        let matches = match self.matches.get(&requirement.number) {
            Some(known) => Rc::clone(known),
            None => {
                let found: Rc<[EntryId]> = universe.matches(requirement, by)?.into();
                if found.is_empty() {
                    universe.note_unmet(requirement, by)?;
                }
                self.matches.insert(requirement.number, Rc::clone(&found));
                found
            }
        };
        let ordered: Rc<[EntryId]> = ordered(universe, &matches, own)?.into();
        self.ordered.insert((requirement.number, own), Rc::clone(&ordered));
        Ok(ordered)
    }
}

fn ordered(universe: &Universe<'_>, matches: &[EntryId], own: Option<usize>) -> Result<Vec<EntryId>, Failure> {
    let mut installed: BTreeMap<&str, Vec<EntryId>> = BTreeMap::new();
    let mut seen: HashSet<(&str, Option<usize>)> = HashSet::new();
    let mut channels: Vec<ChannelId> = Vec::new();
    let is_match: HashSet<EntryId> = matches.iter().copied().collect();
    for &id in matches {
        match universe.entry(id).origin {
            Origin::Channel(channel) => channels.push(channel),
            Origin::Installed(idx) => {
                // If installed operators share a package and a subscription, OLM looks at the first of them only.
                let it = &universe.installed[idx];
                if seen.insert((&it.package, it.subscription)) {
                    installed.entry(&it.package).or_default().push(id);
                }
            }
        }
    }
    let mut all = Vec::new();
    for (package, ids) in installed {
        if ids.len() > 1 {
            // They are ordered like a channel, although they are not one.
            let entries = ids.iter().map(|it| universe.link(*it)).collect();
            let (package, name) = (package.to_owned(), String::new());
            Chain { package, name, entries, places: Default::default() }.order()?;
        }
        all.extend(ids);
    }
    channels.sort_unstable();
    channels.dedup();
    channels.sort_by_cached_key(|it| Standpoint::of(universe, universe.channel(*it), own));
    for channel in channels {
        all.extend(universe.order(channel)?.iter().filter(|it| is_match.contains(it)));
    }
    Ok(all)
}

/// The entries that a Subscription may get.
pub(super) struct Subscribed {
    /// The entry that it has.
    pub(super) current: Option<EntryId>,
    /// The entries that it may get, most preferred first.
    pub(super) candidates: Vec<EntryId>,
    /// The reason why no entry is available for it, in OLM's words.
    pub(super) invalid: Option<String>,
}

/// Finds the entries that a Subscription may get.
pub(super) fn subscribed(universe: &mut Universe<'_>, subscription: &Subscription) -> Result<Subscribed, Failure> {
    let Subscription { name, package, channel, source, source_namespace, starting, .. } = subscription;
    let installed = &subscription.installed;
    let current =
        universe.installed_entries().find(|it| !installed.is_empty() && universe.entry(*it).fields.name == *installed);
    let none = |what: String| {
        let invalid = Some(format!("no operators found {what} referenced by subscription {name}"));
        Ok(Subscribed { current, candidates: Vec::new(), invalid })
    };
    let world = universe.world;
    let is_source =
        |it: &super::rows::Catalog| it.name == *source && it.namespace == *source_namespace && world.is_visible(it);
    let catalog = world.catalogs.iter().position(is_source);
    let catalog = match catalog {
        Some(catalog) if universe.has_entries(catalog)? => catalog,
        _ => return none(format!("from catalog {source} in namespace {source_namespace}")),
    };
    let mut channels = universe.package(package)?;
    channels.retain(|it| universe.channel(*it).catalog == catalog && !universe.channel(*it).entries.is_empty());
    if channels.is_empty() {
        return none(format!("in package {package} in the catalog"));
    }
    let all_channels = channels.clone();
    channels.retain(|it| channel.is_empty() || universe.channel(*it).name == *channel);
    if channels.is_empty() {
        return none(format!("in channel {channel} of package {package} in the catalog"));
    }
    channels.sort_by_cached_key(|it| (!universe.channel(*it).is_default, universe.channel(*it).name.clone()));
    let mut candidates: Vec<EntryId> = Vec::new();
    if current.is_none() && !starting.is_empty() {
        // It is alone in its order: entries that skip it do not count.
        let entries = channels.iter().flat_map(|it| universe.channel(*it).entries.iter());
        candidates.extend(entries.filter(|it| universe.entry(**it).fields.name == *starting));
        if candidates.is_empty() {
            return none(format!("with name {starting} in channel {channel} of package {package} in the catalog"));
        }
    } else {
        for id in &channels {
            let order = universe.order(*id)?;
            candidates.extend(order.iter().filter(|it| current.is_none_or(|from| universe.leads_on(**it, from))));
        }
    }
    if channel.is_empty() {
        candidates = with_copies(universe, &all_channels, &candidates);
    }
    Ok(Subscribed { current, candidates, invalid: None })
}

/// A Subscription without channel takes a name from any of its channels, whether or not the entry there leads on. OLM
/// tries the copies in random order; this one tries the entry itself first.
fn with_copies(universe: &Universe<'_>, channels: &[ChannelId], candidates: &[EntryId]) -> Vec<EntryId> {
    let mut copies: HashMap<&str, Vec<EntryId>> = HashMap::new();
    for id in channels.iter().flat_map(|it| &universe.channel(*it).entries) {
        copies.entry(&universe.entry(*id).fields.name).or_default().push(*id);
    }
    let mut seen = HashSet::new();
    let with = candidates.iter().flat_map(|id| {
        let name = universe.entry(*id).fields.name.as_str();
        std::iter::once(*id).chain(copies.get(name).into_iter().flatten().copied())
    });
    with.filter(|it| seen.insert(*it)).collect()
}
