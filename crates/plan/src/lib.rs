//! Operators of a whole cluster over time.
//!
//! | module | what it does |
//! |---|---|
//! | [`mod@plan`] | the upgrade of a cluster to a later version of OpenShift: states of operators, blockers, steps in order |
//! | [`fleet`] | the state of many clusters, and which are upgraded together |
//! | [`lock`] | `operators.lock`: the bundles that operators are pinned to, and their changes since |
//!
//! This crate deliberately talks to no cluster; it reads the output of `kubectl`.

pub mod fleet;
pub mod lock;
pub mod plan;
