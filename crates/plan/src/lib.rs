//! Operators of a whole cluster over time.
//!
//! | module | what it does |
//! |---|---|
//! | [`mod@plan`] | how a cluster gets to a later version of OpenShift: states of operators, blockers, steps in order |
//! | [`lock`] | `operators.lock`: which bundles operators are pinned to, and what has become of them since |
//!
//! What it deliberately does not do: it talks to no cluster; it reads what `kubectl` printed.

pub mod lock;
pub mod plan;
