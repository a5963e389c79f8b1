//! Clusters together: the number for each verdict, and their waves.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::row::{FleetCluster, FleetVerdict};
use super::waves::{Wave, waves};

/// About a fleet as a whole.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetMetadata {
    /// How many clusters there are.
    pub count: usize,
    /// The question for each cluster, in words.
    pub question: String,
    /// How many clusters there are of each verdict.
    pub verdicts: BTreeMap<String, usize>,
    /// The waves in their order.
    pub waves: Vec<Wave>,
}

/// Clusters that were asked the same.
#[derive(Debug, Clone, Default)]
pub struct Fleet {
    /// About all of them.
    pub metadata: FleetMetadata,
    /// The clusters, by name.
    pub clusters: Vec<FleetCluster>,
}

impl Fleet {
    /// Clusters that were asked something, with their waves.
    pub fn new(question: String, mut clusters: Vec<FleetCluster>) -> Self {
        let waves = waves(&mut clusters);
        let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
        for it in &clusters {
            *verdicts.entry(it.verdict.as_str().to_owned()).or_default() += 1;
        }
        Self { metadata: FleetMetadata { count: clusters.len(), question, verdicts, waves }, clusters }
    }

    /// Whether a cluster cannot be judged.
    pub fn has_not_judged(&self) -> bool {
        self.clusters.iter().any(|it| it.verdict == FleetVerdict::NotJudged)
    }

    /// Whether nothing is in the way of any cluster.
    pub fn is_ready(&self) -> bool {
        self.clusters.iter().all(|it| it.verdict <= FleetVerdict::Ready)
    }

    /// How many clusters there are of each verdict, in words.
    pub fn summary(&self) -> String {
        let count = |it: &FleetVerdict| self.metadata.verdicts.get(it.as_str()).copied().unwrap_or_default();
        let parts = FleetVerdict::ALL.iter().filter(|it| count(it) > 0);
        let parts: Vec<String> = parts.map(|it| format!("{} {}", count(it), it.as_str())).collect();
        let noun = if self.clusters.len() == 1 { "cluster" } else { "clusters" };
        format!("{} {noun}: {}", self.clusters.len(), parts.join(", "))
    }
}
