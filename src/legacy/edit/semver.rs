//! Semver mode: a new bundle goes between its neighbours by version, whatever it says of edges
//! (`docs/behaviour/legacy-index.md` 2.3 and 4.4).
//!
//! The real tool follows one of several edges by chance, and stores channels that it then refuses. Here the edge to the
//! highest version goes on, the others are skips, and what a skipped patch replaced is replaced by the one that skips it.
//!
//! What it deliberately does not do: channels that get no bundle are not touched, and nothing is written.

use std::collections::{BTreeMap, BTreeSet};

use super::chain::Chain;
use super::stored::{Known, Stored};
use crate::legacy::refusal::AddRefusal;
use crate::version::Version;

/// A bundle to put into channels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entrant<'a> {
    pub(super) name: &'a str,
    pub(super) version: &'a str,
    pub(super) channels: &'a [String],
    pub(super) default_channel: &'a str,
    /// Whether it skips the lower patches of its minor version.
    pub(super) skips_patches: bool,
}

/// The channels of a package: each bundle with the names that it leads to.
#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    package: String,
    pub(super) default_channel: String,
    channels: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    versions: BTreeMap<String, Version>,
    /// Channels that got a bundle.
    touched: BTreeSet<String>,
}

impl Graph {
    /// That of a stored package, with the bundles that exist as its nodes.
    pub(super) fn of_stored(package: &str, stored: &Stored, known: &BTreeMap<String, Known>) -> Self {
        let mut graph = Self {
            package: package.to_owned(),
            default_channel: stored.default_channel.clone(),
            channels: stored.heads.keys().map(|it| (it.clone(), BTreeMap::new())).collect(),
            ..Self::default()
        };
        for row in stored.rows.iter().filter(|it| known.contains_key(&it.bundle)) {
            let nodes = graph.channels.entry(row.channel.clone()).or_default();
            nodes.entry(row.bundle.clone()).or_default().extend(row.replaces.clone());
        }
        for (name, of) in known {
            if let Ok(version) = Version::parse(&of.version) {
                graph.versions.insert(name.clone(), version);
            }
        }
        graph
    }

    /// Puts a bundle into its channels. The graph counts no more if it is refused.
    pub(super) fn add(&mut self, new: Entrant<'_>) -> Result<(), AddRefusal> {
        let bundle = || new.name.to_owned();
        if new.version.is_empty() {
            return Err(AddRefusal::NoVersion { bundle: bundle() });
        }
        let wrong = |_| AddRefusal::Version { bundle: bundle(), version: new.version.to_owned() };
        let version = Version::parse(new.version).map_err(wrong)?;
        if !new.default_channel.is_empty() {
            new.default_channel.clone_into(&mut self.default_channel);
        } else if self.default_channel.is_empty() {
            self.default_channel = new.channels.iter().min().cloned().unwrap_or_default();
        }
        self.versions.insert(bundle(), version.clone());
        for channel in new.channels {
            let mut nodes = self.channels.get(channel).cloned().unwrap_or_default();
            if !nodes.is_empty() {
                self.head(channel, &nodes)?;
            }
            self.insert(&mut nodes, channel, new, &version)?;
            self.channels.insert(channel.clone(), nodes);
            self.touched.insert(channel.clone());
        }
        Ok(())
    }

    fn insert(
        &self,
        nodes: &mut BTreeMap<String, BTreeSet<String>>,
        channel: &str,
        new: Entrant<'_>,
        version: &Version,
    ) -> Result<(), AddRefusal> {
        let mut behind: Option<(&str, &Version)> = None;
        let mut ahead: Option<(&str, &Version)> = None;
        let mut patches = BTreeSet::new();
        for name in nodes.keys() {
            let Some((name, of_node)) = self.versions.get_key_value(name) else {
                return Err(AddRefusal::Version { bundle: name.clone(), version: String::new() });
            };
            if of_node == version {
                return Err(AddRefusal::SameVersion {
                    bundle: new.name.to_owned(),
                    package: self.package.clone(),
                    channel: channel.to_owned(),
                    version: new.version.to_owned(),
                    other: name.clone(),
                });
            }
            if of_node < version {
                if behind.is_none_or(|it| it.1 < of_node) {
                    behind = Some((name, of_node));
                }
                if (of_node.major(), of_node.minor()) == (version.major(), version.minor()) {
                    patches.insert(name.clone());
                }
            } else if ahead.is_none_or(|it| of_node < it.1) {
                ahead = Some((name, of_node));
            }
        }
        let mut targets: BTreeSet<String> = behind.map(|it| it.0.to_owned()).into_iter().collect();
        if new.skips_patches {
            for patch in &patches {
                let of_patch = nodes.remove(patch).unwrap_or_default();
                targets.extend(of_patch.into_iter().filter(|it| nodes.contains_key(it)));
            }
            targets.extend(patches);
        }
        if let Some((ahead, _)) = ahead {
            nodes.insert(ahead.to_owned(), BTreeSet::from([new.name.to_owned()]));
        }
        nodes.insert(new.name.to_owned(), targets);
        Ok(())
    }

    /// The only node that nothing leads to.
    fn head(&self, channel: &str, nodes: &BTreeMap<String, BTreeSet<String>>) -> Result<String, AddRefusal> {
        let replaced: BTreeSet<&String> = nodes.values().flatten().collect();
        let heads: Vec<&String> = nodes.keys().filter(|it| !replaced.contains(it)).collect();
        let what = match heads.as_slice() {
            [head] => return Ok((*head).clone()),
            [] => "no head".to_owned(),
            [first, second, ..] => format!("several heads: `{first}`, `{second}`"),
        };
        Err(AddRefusal::Heads { package: self.package.clone(), channel: channel.to_owned(), what })
    }

    /// The channels that got a bundle, as rows.
    pub(super) fn chains(&self) -> Result<Vec<Chain>, AddRefusal> {
        if !self.channels.contains_key(&self.default_channel) {
            return Err(AddRefusal::UnknownDefault {
                package: self.package.clone(),
                default: self.default_channel.clone(),
                channels: self.channels.keys().cloned().collect(),
            });
        }
        let touched = self.channels.iter().filter(|it| self.touched.contains(it.0));
        touched.map(|(channel, nodes)| self.chain(channel, nodes)).collect()
    }

    fn chain(&self, channel: &str, nodes: &BTreeMap<String, BTreeSet<String>>) -> Result<Chain, AddRefusal> {
        let head = self.head(channel, nodes)?;
        let mut chain = Chain::begin(channel, &head);
        let mut seen = BTreeSet::from([head.clone()]);
        let (mut current, mut row, mut depth) = (head.clone(), 0, 0);
        loop {
            let targets = nodes.get(&current).cloned().unwrap_or_default();
            let can_follow = |it: &&String| nodes.contains_key(*it) && !seen.contains(*it);
            let next = targets.iter().filter(can_follow).max_by_key(|it| self.versions.get(*it)).cloned();
            // Highest first, and names that are no bundles last.
            let mut skipped: Vec<&String> = targets.iter().filter(|it| Some(*it) != next.as_ref()).collect();
            skipped.sort_by_key(|it| std::cmp::Reverse(self.versions.get(*it)));
            for (depth, name) in (depth + 1..).zip(skipped) {
                chain.skip(&current, name, depth);
            }
            let Some(next) = next else { break };
            depth += 1;
            row = chain.replace(row, &next, depth);
            seen.insert(next.clone());
            current = next;
        }
        match nodes.keys().find(|it| !chain.holds(it)) {
            None => Ok(chain),
            Some(lost) => Err(AddRefusal::Unreachable {
                package: self.package.clone(),
                channel: channel.to_owned(),
                bundle: lost.clone(),
                head,
            }),
        }
    }
}
