//! The way from a release to another one: fewest updates, then no risk for all, then fewest risks, then the newest
//! patch.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::edges::Risk;
use super::graph::{Edge, Graph};
use olmdex_constraint::openshift::Minor;
use olmdex_version::Version;

/// The goal of a way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// A release.
    Release(String),
    /// Any release of a minor version.
    Minor(Minor),
}

/// A step of a way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlatformHop {
    /// Its start.
    pub from: String,
    /// Its target.
    pub to: String,
    /// The objections to it.
    pub risks: Vec<Risk>,
    /// Whether it is only likely that this update exists.
    pub is_estimated: bool,
    /// The errata of the release that it leads to, or empty.
    pub url: String,
}

/// A way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlatformPath {
    /// Its start.
    pub from: String,
    /// The release that it leads to.
    pub to: String,
    /// Its steps.
    pub hops: Vec<PlatformHop>,
}

/// The answer to a question about a way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlatformRoute {
    /// Its start.
    pub from: String,
    /// The requested target: a release or a minor version.
    pub to: String,
    /// Whether there is a way.
    pub is_reached: bool,
    /// Its steps. Without known updates these are the minor versions, and none is skipped.
    pub hops: Vec<PlatformHop>,
    /// The sources of the updates.
    pub sources: Vec<String>,
    /// The explanation.
    pub reason: String,
}

/// The cost of a way: updates, updates with a risk for all, other risks.
type Cost = (usize, usize, usize);

/// The best way; `None` if there is none. Early releases are left out unless one is asked for or the way begins at one.
/// A way over several minor versions takes each of them.
pub fn platform_path(graph: &Graph, from: &str, goal: &Goal) -> Option<PlatformPath> {
    let early = |text: &str| Version::parse(text).map_or(true, |it| it.is_prerelease());
    let is_goal = |text: &str| match goal {
        Goal::Release(release) => text == release,
        Goal::Minor(minor) => Version::parse(text).is_ok_and(|it| Minor::of(&it).is_same(*minor)),
    };
    let takes_early = early(from) || matches!(goal, Goal::Release(release) if early(release));
    let mut edges_from: BTreeMap<&str, Vec<&Edge>> = BTreeMap::new();
    for edge in graph.edges.iter().filter(|it| takes_early || !early(&it.to)) {
        edges_from.entry(&edge.from).or_default().push(edge);
    }
    let found = |hops: Vec<&Edge>| PlatformPath {
        from: from.to_owned(),
        to: hops.last().map_or(from, |it| &it.to).to_owned(),
        hops: hops
            .into_iter()
            .map(|it| PlatformHop {
                from: it.from.clone(),
                to: it.to.clone(),
                risks: it.risks.clone(),
                is_estimated: it.is_estimated,
                url: graph.releases.get(&it.to).map(|it| it.url.clone()).unwrap_or_default(),
            })
            .collect(),
    };
    if is_goal(from) {
        return Some(found(Vec::new()));
    }
    // The search goes layer by layer: a layer holds all releases after the same number of updates, each with its
    // cheapest way there.
    let mut seen: BTreeSet<&str> = BTreeSet::from([from]);
    let mut layer: BTreeMap<&str, (Cost, Vec<&Edge>)> = BTreeMap::from([(from, ((0, 0, 0), Vec::new()))]);
    while !layer.is_empty() {
        let mut next: BTreeMap<&str, (Cost, Vec<&Edge>)> = BTreeMap::new();
        for (at, ((n_hops, n_always, n_risks), way)) in &layer {
            for edge in edges_from.get(at).into_iter().flatten().filter(|it| !seen.contains(it.to.as_str())) {
                let is_always = edge.risks.iter().any(Risk::is_always);
                let n_others = edge.risks.iter().filter(|it| !it.is_always()).count();
                let cost = (n_hops + 1, n_always + usize::from(is_always), n_risks + n_others);
                let is_better = match next.get(edge.to.as_str()) {
                    None => true,
                    Some((known, before)) => {
                        let newest = |way: &[&Edge]| Reverse(way.last().and_then(|it| Version::parse(&it.from).ok()));
                        (cost, Reverse(Version::parse(at).ok())) < (*known, newest(before))
                    }
                };
                if is_better {
                    let way = way.iter().copied().chain([*edge]).collect();
                    next.insert(&edge.to, (cost, way));
                }
            }
        }
        let goals = next.iter().filter(|it| is_goal(it.0));
        if let Some((_, (_, way))) = goals.min_by_key(|(to, (cost, _))| (*cost, Reverse(Version::parse(to).ok()))) {
            return Some(found(way.clone()));
        }
        seen.extend(next.keys());
        layer = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::answer::read_answer;
    use super::*;

    const ANSWER: &str = r#"{"version": 1, "nodes": [
        {"version": "4.16.30"}, {"version": "4.17.10", "metadata": {"url": "https://errata.example.com/10"}},
        {"version": "4.17.11"}, {"version": "4.18.1"}, {"version": "4.18.2"}, {"version": "4.18.3-rc.1"}],
        "edges": [[0, 1], [1, 3], [2, 4], [1, 5], [9, 1], [0]],
        "conditionalEdges": [{"edges": [{"from": "4.16.30", "to": "4.17.11"}],
                              "risks": [{"name": "Loud", "url": "u", "message": "m", "matchingRules": [{"type": "Always"}]}]}]}"#;

    fn way(from: &str, goal: &Goal) -> Option<Vec<String>> {
        let graph = read_answer(ANSWER.as_bytes()).unwrap();
        Some(platform_path(&graph, from, goal)?.hops.into_iter().map(|it| it.to).collect())
    }

    #[test]
    fn risks_for_all_count_before_the_newest_patch() {
        let minor = |minor| Goal::Minor(Minor { major: 4, minor });
        assert_eq!(way("4.16.30", &minor(18)), Some(vec!["4.17.10".to_owned(), "4.18.1".to_owned()]));
        assert_eq!(way("4.16.30", &Goal::Release("4.18.2".to_owned())).unwrap(), ["4.17.11", "4.18.2"]);
        assert_eq!(way("4.16.30", &Goal::Release("4.18.3-rc.1".to_owned())).unwrap(), ["4.17.10", "4.18.3-rc.1"]);
        assert_eq!(way("4.16.30", &minor(16)), Some(Vec::new()));
        assert_eq!(way("4.16.30", &minor(19)), None);
        assert_eq!(way("4.16.31", &minor(18)), None);
    }

    #[test]
    fn what_is_not_an_answer_is_refused() {
        for text in ["", "{}", "[]", "nodes: [", "{\"nodes\": []}"] {
            assert!(read_answer(text.as_bytes()).is_err(), "{text}");
        }
    }
}
