//! Releases of OpenShift and the updates between them, from any source.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::edges::Risk;
use olmdex_constraint::openshift::Minor;
use olmdex_version::Version;

/// A release.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Release {
    /// Its version.
    pub version: String,
    /// The channels that hold it, as far as they are known.
    pub channels: BTreeSet<String>,
    /// Its errata, or empty.
    pub url: String,
}

/// An update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Its start.
    pub from: String,
    /// Its target.
    pub to: String,
    /// The objections to it; empty if it is recommended to all.
    pub risks: Vec<Risk>,
    /// Whether it is only likely.
    pub is_estimated: bool,
}

/// Releases and updates.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// The releases by version.
    pub releases: BTreeMap<String, Release>,
    /// The updates.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// Whether it holds no updates.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.releases.is_empty()
    }

    /// Keeps the releases of some minor versions, and the updates between them.
    pub fn keep(&mut self, is_meant: impl Fn(Minor) -> bool) {
        let is_kept = |it: &str| Version::parse(it).is_ok_and(|it| is_meant(Minor::of(&it)));
        self.releases.retain(|version, _| is_kept(version));
        self.edges.retain(|it| is_kept(&it.from) && is_kept(&it.to));
    }

    /// Removes risks from an update, by their names: a user has ruled them out.
    pub fn rule_out(&mut self, from: &str, to: &str, names: &[String]) {
        for edge in self.edges.iter_mut().filter(|it| it.from == from && it.to == to) {
            edge.risks.retain(|it| !names.contains(&it.name));
        }
    }

    /// Adds another graph. If an update comes in two forms, the exact one counts; if both are exact, all risks count.
    pub fn add(&mut self, other: Self) {
        for (version, release) in other.releases {
            let mine = self
                .releases
                .entry(version)
                .or_insert_with(|| Release { channels: BTreeSet::new(), ..release.clone() });
            mine.channels.extend(release.channels);
            if mine.url.is_empty() {
                mine.url = release.url;
            }
        }
        let mut known: BTreeMap<(String, String), usize> =
            self.edges.iter().enumerate().map(|(idx, it)| ((it.from.clone(), it.to.clone()), idx)).collect();
        for edge in other.edges {
            match known.get(&(edge.from.clone(), edge.to.clone())) {
                Some(&idx) => {
                    let mine = &mut self.edges[idx];
                    if mine.is_estimated && !edge.is_estimated {
                        *mine = edge;
                    } else if mine.is_estimated == edge.is_estimated {
                        mine.risks.extend(edge.risks);
                        mine.risks.sort();
                        mine.risks.dedup();
                    }
                }
                None => {
                    known.insert((edge.from.clone(), edge.to.clone()), self.edges.len());
                    self.edges.push(edge);
                }
            }
        }
    }
}
