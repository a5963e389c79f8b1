//! What OLM decides: the engines for upgrades and dependencies, exact for OLM Classic and OLM v1.
//!
//! | module | what it does |
//! |---|---|
//! | [`upgrade`] | what may follow an installed version, what OLM takes, why not, and the rules of a good upgrade graph |
//! | [`mod@resolve`] | what OLM Classic installs and upgrades together in a namespace, with reasons |
//! | [`solve`] | the satisfiability solver below it: preferences, minimal conflicts |
//! | [`permissions`] | what an operator's installation grants, and what a version adds |
//! | [`readiness`] | whether an operator can move from OLM Classic to OLM v1, and what takes its place there |
//! | [`catalog_source`] | which catalog of an index a CatalogSource or ClusterCatalog means |
//!
//! `upgrade::check_graph` decides that an entry of a channel is stranded.
//!
//! What it deliberately does not do: it reads no cluster by itself and words no answer for people; `olmdex-ask` does.

pub mod catalog_source;
pub mod permissions;
pub mod readiness;
pub mod resolve;
pub mod solve;
pub mod upgrade;
