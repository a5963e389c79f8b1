//! Semver mode: a new bundle goes between its neighbours by version, whatever edges it states
//! (`docs/behaviour/legacy-index.md` 2.3 and 4.4).
//!
//! The real tool writes all channels of the package anew, each as one chain of all its bundles, and refuses a channel
//! that is none. It follows a random one of several edges to bundles of the channel and drops the others; here the edge
//! to the highest version goes on, so a channel is refused only if no edge would do.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::chain::Chain;
use super::stored::{BundleColumns, Stored};
use crate::refusal::AddRefusal;
use olmdex_text::tally;
use olmdex_version::Version;

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

/// The bundles of a channel, each with the names that it leads to, so that neighbours by version and the head are
/// looked up.
#[derive(Debug, Clone, Default)]
struct Nodes {
    targets: BTreeMap<String, BTreeSet<String>>,
    /// The number of bundles that lead to each name.
    n_leading: HashMap<String, usize>,
    /// The nodes that nothing leads to.
    heads: BTreeSet<String>,
    by_version: BTreeMap<Version, BTreeSet<String>>,
    without_version: BTreeSet<String>,
    /// Skipped patches: they have rows, so they are nodes again when the file is read.
    skipped: BTreeSet<String>,
}

impl Nodes {
    /// Puts a bundle in, or lets it lead elsewhere.
    fn set(&mut self, name: &str, targets: BTreeSet<String>, version: Option<&Version>) {
        self.remove(name, version);
        for target in &targets {
            tally::step(1);
            *self.n_leading.entry(target.clone()).or_default() += 1;
            self.heads.remove(target);
        }
        if !self.n_leading.contains_key(name) {
            self.heads.insert(name.to_owned());
        }
        match version {
            Some(version) => drop(self.by_version.entry(version.clone()).or_default().insert(name.to_owned())),
            None => drop(self.without_version.insert(name.to_owned())),
        }
        self.targets.insert(name.to_owned(), targets);
    }

    /// Removes a bundle.
    fn remove(&mut self, name: &str, version: Option<&Version>) {
        let targets = self.targets.remove(name).unwrap_or_default();
        for target in &targets {
            tally::step(1);
            match self.n_leading.get_mut(target) {
                Some(n_leading) if *n_leading > 1 => *n_leading -= 1,
                _ => {
                    self.n_leading.remove(target);
                    if self.targets.contains_key(target) {
                        self.heads.insert(target.clone());
                    }
                }
            }
        }
        self.heads.remove(name);
        self.without_version.remove(name);
        if let Some(version) = version
            && let Some(names) = self.by_version.get_mut(version)
        {
            names.remove(name);
            if names.is_empty() {
                self.by_version.remove(version);
            }
        }
    }
}

/// The channels of a package: each bundle with the names that it leads to.
#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    package: String,
    pub(super) default_channel: String,
    channels: BTreeMap<String, Nodes>,
    versions: BTreeMap<String, Version>,
}

impl Graph {
    /// The nodes of a stored package, as far as the bundles exist.
    pub(super) fn of_stored(package: &str, stored: &Stored, known: &BTreeMap<String, BundleColumns>) -> Self {
        let mut graph = Self {
            package: package.to_owned(),
            default_channel: stored.default_channel.clone(),
            channels: stored.heads.keys().map(|it| (it.clone(), Nodes::default())).collect(),
            ..Self::default()
        };
        for (name, of) in known {
            if let Ok(version) = Version::parse(&of.version) {
                graph.versions.insert(name.clone(), version);
            }
        }
        let mut targets: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
        for row in stored.rows.iter().filter(|it| known.contains_key(&it.bundle)) {
            targets.entry((&row.channel, &row.bundle)).or_default().extend(row.replaces.clone());
        }
        for ((channel, bundle), targets) in targets {
            graph.channels.entry(channel.to_owned()).or_default().set(bundle, targets, graph.versions.get(bundle));
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
        // The real tool writes the file after each bundle, and reads it again.
        for nodes in self.channels.values_mut() {
            for patch in std::mem::take(&mut nodes.skipped) {
                let version = self.versions.get(&patch);
                nodes.set(&patch, BTreeSet::new(), version);
            }
        }
        for channel in new.channels {
            let mut nodes = self.channels.remove(channel).unwrap_or_default();
            self.insert(&mut nodes, channel, new, &version)?;
            self.channels.insert(channel.clone(), nodes);
        }
        Ok(())
    }

    /// The channels must have heads before anything is added, also those that get nothing.
    pub(super) fn check_heads(&self) -> Result<(), AddRefusal> {
        let mut filled = self.channels.iter().filter(|it| !it.1.targets.is_empty());
        filled.try_for_each(|(channel, nodes)| self.head(channel, nodes).map(drop))
    }

    fn insert(&self, nodes: &mut Nodes, channel: &str, new: Entrant<'_>, version: &Version) -> Result<(), AddRefusal> {
        let same = nodes.by_version.get(version).and_then(BTreeSet::first);
        match (nodes.without_version.first(), same) {
            (Some(without), same) if same.is_none_or(|it| without < it) => {
                return Err(AddRefusal::Version { bundle: without.clone(), version: String::new() });
            }
            (_, Some(other)) => {
                return Err(AddRefusal::SameVersion {
                    bundle: new.name.to_owned(),
                    package: self.package.clone(),
                    channel: channel.to_owned(),
                    version: new.version.to_owned(),
                    other: other.clone(),
                });
            }
            _ => {}
        }
        // Among equal versions the first name counts.
        let first = |it: (&Version, &BTreeSet<String>)| Some((it.1.first()?.clone(), it.0.clone()));
        let behind = nodes.by_version.range(..version).next_back().and_then(first);
        let ahead = nodes.by_version.range(version..).next().and_then(first);
        let is_patch = |it: &&Version| (it.major(), it.minor()) == (version.major(), version.minor());
        let mut patches = BTreeSet::new();
        if new.skips_patches {
            let below = nodes.by_version.range(..version).rev().take_while(|it| is_patch(&it.0));
            patches.extend(below.flat_map(|it| it.1).cloned());
        }
        let mut targets: BTreeSet<String> = behind.map(|it| it.0).into_iter().collect();
        for patch in patches {
            nodes.remove(&patch, self.versions.get(&patch));
            nodes.skipped.insert(patch.clone());
            targets.insert(patch);
        }
        if let Some((ahead, of_ahead)) = ahead {
            nodes.set(&ahead, BTreeSet::from([new.name.to_owned()]), Some(&of_ahead));
        }
        nodes.set(new.name, targets, Some(version));
        Ok(())
    }

    /// The only node that nothing leads to.
    fn head(&self, channel: &str, nodes: &Nodes) -> Result<String, AddRefusal> {
        let heads: Vec<&String> = nodes.heads.iter().take(2).collect();
        let what = match heads.as_slice() {
            [head] => return Ok((*head).clone()),
            [] => "no head".to_owned(),
            [first, second, ..] => format!("several heads: `{first}`, `{second}`"),
        };
        Err(AddRefusal::Heads { package: self.package.clone(), channel: channel.to_owned(), what })
    }

    /// The channels, as rows.
    pub(super) fn chains(&self) -> Result<Vec<Chain>, AddRefusal> {
        if !self.channels.contains_key(&self.default_channel) {
            return Err(AddRefusal::UnknownDefault {
                package: self.package.clone(),
                default: self.default_channel.clone(),
                channels: self.channels.keys().cloned().collect(),
            });
        }
        let filled = self.channels.iter().filter(|it| !it.1.targets.is_empty());
        filled.map(|(channel, nodes)| self.chain(channel, nodes)).collect()
    }

    fn chain(&self, channel: &str, nodes: &Nodes) -> Result<Chain, AddRefusal> {
        let head = self.head(channel, nodes)?;
        let nodes = &nodes.targets;
        let mut chain = Chain::begin(channel, &head);
        let mut seen = BTreeSet::from([head.clone()]);
        let (mut current, mut row, mut depth) = (head.clone(), 0, 0);
        loop {
            let targets = nodes.get(&current).cloned().unwrap_or_default();
            let can_follow = |it: &&String| nodes.contains_key(*it) && !seen.contains(*it);
            let next = targets.iter().filter(can_follow).max_by_key(|it| self.versions.get(*it)).cloned();
            // Highest first, and names that are no bundles last. Other bundles of the channel keep their own places.
            let mut skipped: Vec<&String> = targets.iter().filter(|it| !nodes.contains_key(*it)).collect();
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
        let lost = nodes.keys().inspect(|_| tally::step(1)).find(|it| !seen.contains(*it));
        match lost {
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
