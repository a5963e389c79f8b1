//! The upgrade graph that the pipelines see: that of the ClusterServiceVersions, not of a catalog
//! (`docs/behaviour/authoring.md` F.2).

use std::collections::{BTreeMap, BTreeSet};

use super::npm::NpmRange;
use super::operator::{Operator, VersionDirectory};
use olmdex_version::Version;

/// The reasons why there is no graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoGraph {
    /// `updateGraph` has an unknown value.
    Mode(String),
    /// The name of a bundle that a version replaces or skips has no dot.
    Name(usize, String),
    /// A version of a channel with ranges is not one.
    Version(String),
}

/// A channel of an operator. Numbers are those of its versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UpgradeGraph {
    /// Its versions, in their order.
    pub(super) members: Vec<usize>,
    /// The versions that can follow each.
    pub(super) edges: BTreeMap<usize, BTreeSet<usize>>,
}

impl Operator {
    /// All channels: those of versions, and the default channels that versions name.
    pub(super) fn all_channels(&self) -> BTreeSet<&str> {
        self.versions.iter().flat_map(VersionDirectory::all_channels).collect()
    }

    /// The versions of a channel, in their order; the last is its head.
    pub(super) fn members(&self, channel: &str) -> Vec<usize> {
        let is_in = |it: &usize| self.versions[*it].facts.channels.iter().any(|it| it == channel);
        let mut members: Vec<usize> = (0..self.versions.len()).filter(is_in).collect();
        members.sort_by(|a, b| self.versions[*a].facts.order(&self.versions[*b].facts));
        members
    }

    /// The graph of a channel.
    pub(super) fn graph(&self, channel: &str) -> Result<UpgradeGraph, NoGraph> {
        let members = self.members(channel);
        let mut edges: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mode = self.settings.update_graph.as_deref().unwrap_or("replaces-mode");
        match mode {
            "semver-mode" => {
                for pair in members.windows(2) {
                    edges.entry(pair[0]).or_default().insert(pair[1]);
                }
            }
            "replaces-mode" => {
                self.edges_of_ranges(&members, &mut edges)?;
                self.edges_of_names(&members, &mut edges)?;
            }
            other => return Err(NoGraph::Mode(other.to_owned())),
        }
        Ok(UpgradeGraph { members, edges })
    }

    fn version_of(&self, number: usize) -> &str {
        self.versions[number].facts.split_name.as_ref().map_or("", |it| &it.1)
    }

    fn edges_of_ranges(&self, members: &[usize], edges: &mut BTreeMap<usize, BTreeSet<usize>>) -> Result<(), NoGraph> {
        for newer in members {
            let range = self.versions[*newer].facts.skip_range.as_deref().filter(|it| !it.is_empty());
            let Some(range) = range.and_then(NpmRange::parse) else { continue };
            for older in members {
                let text = self.version_of(*older);
                let version = Version::parse(text).map_err(|_| NoGraph::Version(text.to_owned()))?;
                if range.contains(&version) {
                    edges.entry(*older).or_default().insert(*newer);
                }
            }
        }
        Ok(())
    }

    fn edges_of_names(&self, members: &[usize], edges: &mut BTreeMap<usize, BTreeSet<usize>>) -> Result<(), NoGraph> {
        let by_version: BTreeMap<&str, usize> = members.iter().map(|it| (self.version_of(*it), *it)).collect();
        for newer in members {
            let facts = &self.versions[*newer].facts;
            for name in facts.skips.iter().chain(&facts.replaces) {
                let Some((_, version)) = name.split_once('.') else { return Err(NoGraph::Name(*newer, name.clone())) };
                if let Some(older) = by_version.get(version.trim_start_matches('v')) {
                    edges.entry(*older).or_default().insert(*newer);
                }
            }
        }
        Ok(())
    }
}

impl VersionDirectory {
    pub(super) fn all_channels(&self) -> BTreeSet<&str> {
        self.facts.channels.iter().chain(&self.facts.default_channel).map(String::as_str).collect()
    }
}

impl UpgradeGraph {
    /// An edge that closes a loop, if there is one.
    pub(super) fn back_edge(&self) -> Option<(usize, usize)> {
        let (mut done, mut on_path) = (BTreeSet::new(), BTreeSet::new());
        for start in self.edges.keys() {
            if done.contains(start) {
                continue;
            }
            // Each version on the way, with its edges that are still to be followed.
            let next = |it: usize| self.edges.get(&it).into_iter().flatten().copied().collect::<Vec<_>>();
            let mut open = vec![(*start, next(*start))];
            on_path.insert(*start);
            while let Some((at, rest)) = open.last_mut() {
                match rest.pop() {
                    Some(to) if on_path.contains(&to) => return Some((*at, to)),
                    Some(to) if done.contains(&to) => {}
                    Some(to) => {
                        on_path.insert(to);
                        open.push((to, next(to)));
                    }
                    None => {
                        on_path.remove(at);
                        done.insert(*at);
                        open.pop();
                    }
                }
            }
        }
        None
    }
}
