//! The platform below the operators: how long versions are supported, and which updates OpenShift offers.
//!
//! | part | what it does |
//! |---|---|
//! | [`Lifecycle`] | a lifecycle blob: the support phases of a version on a day, and the OpenShift versions that it is made for |
//! | [`lifecycle_defects`] | what is wrong with a lifecycle blob, by [`rules`] |
//! | [`GraphData`] | a copy of the update graph's repository: releases of channels, blocked edges, windows of updates |
//! | [`Graph`] | releases and the updates between them, exact or estimated, with their risks |
//! | [`UpdateSource`] | one place where updates are known from: an answer of the update service, or a copy of the graph data |
//! | [`ClusterChannels`] | the channel that a cluster takes each update from, and what is known of it |
//! | [`platform_path`] | the shortest way from a release to another or to a minor version |
//!
//! How the data look and what they mean is in `docs/behaviour/platform.md`.
//!
//! What it deliberately does not do: no index, no clock, no network. Nothing is bundled, because such data age; and no release is made up.

mod answer;
mod channel;
mod edges;
mod graph;
mod graph_data;
mod lifecycle;
mod lifecycle_check;
mod path;
mod row;
pub mod rules;
mod support;
mod text;
mod update_source;

pub use answer::{GraphError, read_answer};
pub use channel::{ClusterChannels, known_channels, known_minors, may_have_extended_support};
pub use edges::{BlockedEdge, EdgeJudgement, EdgeStatus, MatchingRule, Risk};
pub use graph::{Edge, Graph, Release};
pub use graph_data::{GraphData, Suggestion, Window};
pub use lifecycle::{Lifecycle, LifecycleVersion, OPENSHIFT, Phase, PlatformVersions, SCHEMA, coerce};
pub use lifecycle_check::{LifecycleDefect, lifecycle_defects};
pub use path::{Goal, PlatformHop, PlatformPath, PlatformRoute, platform_path};
pub use row::{LifecyclePhases, LifecycleRow, PhaseRow};
pub use support::{PlatformFit, Support, SupportLevel, SupportStatus};
pub use text::{TextError, each_document};
pub use update_source::{SavedFiles, SavedUpdates, UpdateFacts, UpdateSource, UpdateSourceError};
