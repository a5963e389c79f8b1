//! The edges of a package in several catalogs, ready to be walked from many bundles.
//!
//! Ten thousand entries with ranges that hold each other have a hundred million edges. They are never made: the bundles
//! that may follow another come out of a [`Cursor`] one after another, and all cursors skip a dropped bundle at once,
//! so that the cost of a search is that of its result.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::catalog::{Candidate, Catalog, EntryPlace};
use super::resolve::Policy;
use super::successors::permits_of;
use crate::upgrade::target::{NamedVersion, Permit};
use olmdex_version::{Holding, Version};

/// The bundles of some catalogs that can be upgraded to, ranked: the highest version first.
#[derive(Debug)]
pub(in crate::upgrade) struct Web<'c> {
    targets: Vec<Target<'c>>,
    /// Lists of ranks, each ascending: for each node of `ranges` those of its ranges, then those that replace or skip a
    /// name, then all, if every bundle may follow every other one.
    lists: Vec<Vec<u32>>,
    /// The list of a name.
    named: HashMap<&'c str, usize>,
    ranges: Holding,
    /// The list of all.
    all: Option<usize>,
    /// For each place of each list the place from which to go on, so that dropped ranks are skipped.
    skips: Vec<Vec<u32>>,
    is_dropped: Vec<bool>,
}

#[derive(Debug)]
struct Target<'c> {
    catalog: &'c Catalog,
    candidate: &'c Candidate,
    /// The entries that lead to it.
    entries: Vec<EntryPlace>,
}

/// The bundles that may follow another, the highest version first: lists, each with the place of its next bundle.
#[derive(Debug, Default)]
pub(in crate::upgrade) struct Cursor(Vec<(usize, usize)>);

impl<'c> Web<'c> {
    /// The edges in some channels (none given: all) of some catalogs.
    pub(in crate::upgrade) fn new(
        catalogs: impl Iterator<Item = &'c Catalog>,
        channels: &[String],
        policy: Policy,
    ) -> Self {
        let targets = targets(catalogs, channels);
        let is_bound = policy == Policy::CatalogProvided;
        let mut ranks_of: HashMap<&str, Vec<u32>> = HashMap::new();
        let (mut ranges, mut rank_of) = (Vec::new(), Vec::new());
        for (rank, target) in (0_u32..).zip(&targets).filter(|_| is_bound) {
            for &place in &target.entries {
                let entry = target.catalog.entry(place);
                for name in entry.fields.skips.iter().chain([&entry.fields.replaces]) {
                    let ranks = ranks_of.entry(name).or_default();
                    if ranks.last() != Some(&rank) {
                        ranks.push(rank);
                    }
                }
                if let Some(range) = &entry.range {
                    ranges.push(range);
                    rank_of.push(rank);
                }
            }
        }
        let ranges = Holding::new((0_u32..).zip(ranges.iter().copied()));
        let mut lists: Vec<Vec<u32>> = (0..ranges.n_nodes())
            .map(|node| {
                let mut ranks: Vec<u32> = ranges.list(node).iter().map(|&it| rank_of[it as usize]).collect();
                ranks.dedup();
                ranks
            })
            .collect();
        let mut named = HashMap::new();
        for (name, ranks) in ranks_of {
            named.insert(name, lists.len());
            lists.push(ranks);
        }
        let all = (!is_bound).then(|| {
            lists.push((0_u32..).take(targets.len()).collect());
            lists.len() - 1
        });
        let skips = lists.iter().map(|it| (0_u32..).take(it.len()).collect()).collect();
        let is_dropped = vec![false; targets.len()];
        Self { targets, lists, named, ranges, all, skips, is_dropped }
    }

    /// The number of bundles that can be upgraded to.
    pub(in crate::upgrade) fn len(&self) -> usize {
        self.targets.len()
    }

    /// The catalog and the bundle of a rank.
    pub(in crate::upgrade) fn target(&self, rank: u32) -> (&'c Catalog, &'c Candidate) {
        let Target { catalog, candidate, .. } = &self.targets[rank as usize];
        (catalog, candidate)
    }

    /// The fields that lead to a rank from an installed bundle.
    pub(in crate::upgrade) fn permits(&self, rank: u32, installed: &NamedVersion) -> Vec<Permit> {
        let Target { catalog, entries, .. } = &self.targets[rank as usize];
        if self.all.is_some() { Vec::new() } else { permits_of(catalog, installed, entries) }
    }

    /// Makes all cursors skip a rank from now on.
    pub(in crate::upgrade) fn drop(&mut self, rank: u32) {
        self.is_dropped[rank as usize] = true;
    }

    /// The bundles that may follow an installed one, including itself if an edge says so.
    pub(in crate::upgrade) fn after(&self, installed: &NamedVersion) -> Cursor {
        let version = Version::parse(&installed.version).ok();
        let nodes = version.iter().flat_map(|it| self.ranges.nodes_of(it));
        let named = self.named.get(installed.name.as_str()).copied();
        let lists = nodes.chain(named).chain(self.all).filter(|it| !self.lists[*it].is_empty());
        Cursor(lists.map(|it| (it, 0)).collect())
    }

    /// The next rank of a cursor, each once.
    pub(in crate::upgrade) fn next(&mut self, cursor: &mut Cursor) -> Option<u32> {
        for (list, place) in &mut cursor.0 {
            *place = self.place_from(*list, *place);
        }
        cursor.0.retain(|(list, place)| *place < self.lists[*list].len());
        let rank = cursor.0.iter().map(|&(list, place)| self.lists[list][place]).min()?;
        for (list, place) in &mut cursor.0 {
            *place += usize::from(self.lists[*list][*place] == rank);
        }
        Some(rank)
    }

    /// The first place of a list, from one on, whose rank is not dropped; its length if there is none.
    fn place_from(&mut self, list: usize, from: usize) -> usize {
        let (ranks, skips) = (&self.lists[list], &mut self.skips[list]);
        let mut place = from;
        while let Some(&rank) = ranks.get(place) {
            if self.is_dropped[rank as usize] && skips[place] as usize == place {
                skips[place] += 1;
            }
            let next = skips[place] as usize;
            if next == place {
                break;
            }
            // Halves the way for the next search.
            if let Some(&further) = skips.get(next) {
                skips[place] = further;
            }
            place = next;
        }
        place
    }
}

/// The bundles that are in some channels (none given: all) of some catalogs, ranked, with their entries there.
fn targets<'c>(catalogs: impl Iterator<Item = &'c Catalog>, channels: &[String]) -> Vec<Target<'c>> {
    let mut targets = Vec::new();
    for catalog in catalogs {
        let counting = catalog.counting(channels);
        let counts = |number: &usize| counting.as_ref().is_none_or(|numbers| numbers.binary_search(number).is_ok());
        let first = targets.len();
        let mut place_of: HashMap<&str, usize> = HashMap::new();
        for candidate in &catalog.candidates {
            if catalog.is_listed(&candidate.name, counting.as_deref()) {
                place_of.insert(&candidate.name, targets.len() - first);
                targets.push(Target { catalog, candidate, entries: Vec::new() });
            }
        }
        for (number, channel) in catalog.channels.iter().enumerate().filter(|it| counts(&it.0)) {
            for (at, entry) in channel.entries.iter().enumerate() {
                if let Some(place) = place_of.get(entry.fields.name.as_str()) {
                    targets[first + place].entries.push(EntryPlace { channel: number, entry: at });
                }
            }
        }
    }
    targets.sort_by_cached_key(|it| {
        let version = it.candidate.version_release().cloned();
        (Reverse(version), it.catalog.name.clone(), it.candidate.name.clone())
    });
    targets
}
