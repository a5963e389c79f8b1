//! Asks one question about many clusters: a row for each, and the order in which they are upgraded.
//!
//! # Waves
//!
//! The clusters of a wave are upgraded together. The first wave is the clusters that are ready. Then come the clusters
//! that can be upgraded with steps or decisions. Those with the same blockers and decisions, by their codes and
//! subjects, form one wave: a decision for one is a decision for all of them. Waves with fewer blockers and decisions
//! come first, and among equal ones the larger. Then comes one wave of all clusters with unknown facts, and last one of
//! all blocked clusters. A cluster that has arrived, or whose state cannot be read, is in no wave.
//!
//! This module reads no cluster and decides nothing about one. Plans, `compat` and `v1 check` judge the state of each.

mod markdown;
mod row;
mod waves;
mod whole;

pub use markdown::markdown;
pub use row::{FleetCluster, FleetReason, FleetVerdict};
pub use waves::{Wave, WaveReason};
pub use whole::{Fleet, FleetMetadata};
