//! The decisions of OLM: the engines for upgrades and dependencies, exact for OLM Classic and OLM v1.
//!
//! | module | what it does |
//! |---|---|
//! | [`upgrade`] | the bundles that may follow an installed one, the one that OLM takes, why not another, and the rules of a good upgrade graph |
//! | [`mod@resolve`] | what OLM Classic installs and upgrades together in a namespace, with reasons |
//! | [`namespace`] | what keeps the operators of a namespace from their next version, and the changes that help |
//! | [`solve`] | the satisfiability solver below it: preferences, minimal conflicts |
//! | [`permissions`] | what an operator's installation grants, and what a version adds |
//! | [`readiness`] | whether an operator can move from OLM Classic to OLM v1, and which objects replace its own there |
//! | [`catalog_source`] | which catalog of an index a CatalogSource or ClusterCatalog means |
//!
//! `upgrade::check_graph` decides that an entry of a channel is stranded.
//!
//! This crate deliberately does not read clusters by itself, and it does not word answers for people; `olmdex-ask` does
//! both.

pub mod catalog_source;
pub mod namespace;
mod obstacle;
pub mod permissions;
pub mod readiness;
pub mod resolve;
pub mod solve;
pub mod upgrade;
