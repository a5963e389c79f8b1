//! Which clusters are upgraded together, and in which order.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::row::{FleetCluster, FleetReason, FleetVerdict};

/// Clusters that are upgraded together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Wave {
    /// Its number, from 1.
    pub wave: usize,
    /// The verdict on its clusters.
    pub verdict: FleetVerdict,
    /// The clusters, by name.
    pub clusters: Vec<String>,
    /// Their blockers, the most frequent first.
    pub blockers: Vec<WaveReason>,
    /// Their decisions, the most frequent first.
    pub decisions: Vec<WaveReason>,
    /// The unknown facts about them, the most frequent first.
    pub unknowns: Vec<WaveReason>,
}

/// A reason that clusters of a wave share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaveReason {
    /// The reason, in the words of the first cluster.
    #[serde(flatten)]
    pub reason: FleetReason,
    /// How many clusters of the wave have it.
    pub n_clusters: usize,
}

/// The common part of the clusters of a wave: the verdict, and the things to do, without the words, which name bundles.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Common {
    verdict: FleetVerdict,
    n_reasons: usize,
    reasons: Vec<(u8, String)>,
}

impl Common {
    fn of(cluster: &FleetCluster) -> Self {
        let of_kind = |kind: u8, reasons: &[FleetReason]| {
            reasons.iter().map(|it| (kind, it.short())).collect::<Vec<(u8, String)>>()
        };
        let mut reasons = match cluster.verdict {
            FleetVerdict::Attention => [of_kind(0, &cluster.blockers), of_kind(1, &cluster.decisions)].concat(),
            // Without anything to decide, there is one wave.
            _ => Vec::new(),
        };
        reasons.sort();
        reasons.dedup();
        Self { verdict: cluster.verdict, n_reasons: reasons.len(), reasons }
    }
}

/// Puts clusters into waves, and notes the number in each.
pub(super) fn waves(clusters: &mut [FleetCluster]) -> Vec<Wave> {
    clusters.sort_by(|a, b| a.cluster.cmp(&b.cluster));
    let mut groups: BTreeMap<Common, Vec<usize>> = BTreeMap::new();
    for (at, cluster) in clusters.iter().enumerate() {
        if !matches!(cluster.verdict, FleetVerdict::Arrived | FleetVerdict::NotJudged) {
            groups.entry(Common::of(cluster)).or_default().push(at);
        }
    }
    let mut groups: Vec<(Common, Vec<usize>)> = groups.into_iter().collect();
    groups.sort_by(|(a, of_a), (b, of_b)| {
        let key = |it: &Common| (it.verdict, it.n_reasons);
        key(a).cmp(&key(b)).then(of_b.len().cmp(&of_a.len())).then(of_a.cmp(of_b))
    });
    let mut waves = Vec::with_capacity(groups.len());
    for (number, (common, members)) in groups.into_iter().enumerate() {
        let shared = |reasons: fn(&FleetCluster) -> &Vec<FleetReason>| {
            counted_reasons(members.iter().map(|it| reasons(&clusters[*it]).as_slice()))
        };
        let (blockers, decisions) = (shared(|it| &it.blockers), shared(|it| &it.decisions));
        let unknowns = shared(|it| &it.unknowns);
        let names = members.iter().map(|it| clusters[*it].cluster.clone()).collect();
        waves.push(Wave { wave: number + 1, verdict: common.verdict, clusters: names, blockers, decisions, unknowns });
        for it in members {
            clusters[it].wave = Some(number + 1);
        }
    }
    waves
}

/// The reasons of clusters, each once, the most frequent first.
fn counted_reasons<'c>(clusters: impl Iterator<Item = &'c [FleetReason]>) -> Vec<WaveReason> {
    let mut found: BTreeMap<String, WaveReason> = BTreeMap::new();
    for reasons in clusters {
        let own: BTreeMap<String, &FleetReason> = reasons.iter().map(|it| (it.short(), it)).collect();
        for (short, reason) in own {
            let it = found.entry(short).or_insert_with(|| WaveReason { reason: reason.clone(), n_clusters: 0 });
            it.n_clusters += 1;
        }
    }
    let mut found: Vec<WaveReason> = found.into_values().collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.n_clusters));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(name: &str, verdict: FleetVerdict, blockers: &[&str], decisions: &[&str]) -> FleetCluster {
        let reason = |it: &&str| FleetReason {
            code: (*it).into(),
            subject: None,
            platform: None,
            // Words may differ from cluster to cluster.
            text: format!("{it} on {name}"),
        };
        FleetCluster {
            blockers: blockers.iter().map(reason).collect(),
            decisions: decisions.iter().map(reason).collect(),
            ..FleetCluster::new(name, verdict)
        }
    }

    #[test]
    fn who_is_ready_goes_first_and_who_shares_decisions_goes_together() {
        use FleetVerdict::{Arrived, Attention, Blocked, NotJudged, Ready};
        let mut clusters = vec![
            cluster("z", Ready, &[], &[]),
            cluster("b", Attention, &["x"], &["y"]),
            cluster("c", Attention, &[], &["y"]),
            cluster("d", Attention, &["x"], &["y"]),
            cluster("e", Attention, &[], &[]),
            cluster("f", Blocked, &["w"], &[]),
            cluster("k", Blocked, &["w", "u"], &[]),
            cluster("g", NotJudged, &[], &[]),
            cluster("a", Ready, &[], &[]),
            cluster("h", Arrived, &[], &[]),
            cluster("i", Attention, &[], &["v"]),
            cluster("j", Attention, &[], &["v"]),
        ];
        let waves = waves(&mut clusters);
        let found: Vec<(String, usize)> = waves.iter().map(|it| (it.clusters.join(" "), it.wave)).collect();
        let expected = [("a z", 1), ("e", 2), ("i j", 3), ("c", 4), ("b d", 5), ("f k", 6)];
        assert_eq!(found, expected.map(|(names, wave)| (names.to_owned(), wave)));
        assert_eq!(waves[4].blockers.len() + waves[4].decisions.len(), 2);
        let blockers = waves[5].blockers.iter().map(|it| (it.reason.code.as_str(), it.n_clusters));
        assert_eq!(blockers.collect::<Vec<_>>(), [("w", 2), ("u", 1)]);
        let without: Vec<&str> = clusters.iter().filter(|it| it.wave.is_none()).map(|it| &*it.cluster).collect();
        assert_eq!(without, ["g", "h"]);
    }
}
