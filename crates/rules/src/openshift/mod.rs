//! The platform below the operators: how long versions are supported, and which updates OpenShift offers.
//!
//! | part | what it does |
//! |---|---|
//! | [`Lifecycle`] | a lifecycle blob: the support phases of a version on a day, and the OpenShift versions that it is made for |
//! | [`lifecycle_defects`] | the defects of a lifecycle blob, by [`rules`] |
//! | [`GraphData`] | a copy of the update graph's repository: releases of channels, blocked edges, windows of updates |
//! | [`Graph`] | releases and the updates between them, exact or estimated, with their risks |
//! | [`UpdateSource`] | one source of known updates: an answer of the update service, or a copy of the graph data |
//! | [`ClusterChannels`] | the channel that a cluster takes each update from, and the known updates in it |
//! | [`platform_path`] | the shortest way from a release to another or to a minor version |
//!
//! `docs/behaviour/platform.md` describes the data and their meaning.
//!
//! No data are bundled, because they age, and no release is made up.

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
pub use lifecycle_check::lifecycle_defects;
pub use path::{Goal, PlatformHop, PlatformPath, PlatformRoute, platform_path};
pub use row::{LifecyclePhases, LifecycleRow, PhaseRow};
pub use support::{PlatformFit, Support, SupportLevel, SupportStatus};
pub use text::{TextError, each_document};
pub use update_source::{SavedFiles, SavedUpdates, UpdateFacts, UpdateSource, UpdateSourceError};
