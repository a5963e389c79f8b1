//! Upgrades: what can follow an installed version, what OLM takes, and why.
//!
//! | part | what it does |
//! |---|---|
//! | [`classic`] | OLM Classic: the order of a channel, the next step from an installed version, the way to the head |
//! | [`v1`] | OLM v1: which bundle a ClusterExtension resolves to, or which error |
//! | [`compat`] | whether a bundle may stay when the cluster goes on, by all that the bundle says |
//!
//! On both stand the questions that people ask: what happens now ([`Updates`]), on which way ([`UpgradePath`]), and why not
//! ([`WhyNot`]).
//!
//! [`check_graph()`] finds the versions that have no way on, by [`rules`]; [`Ways`] says where every version leads, and [`extra_edge()`] which
//! edge would leave nobody stranded. The checks of a catalog say so too of a chain that is cut: [`check_catalog()`].
//!
//! The engines are separate, since the two generations of OLM share words but not rules; both work on the same rows
//! ([`crate::index::query::PackageGraph`]).
//!
//! Searches and checks take from outside which names edges lead to ([`crate::index::query::Reach`]), as an index has found
//! it out by its own means, and look at no others. Who knows nothing says so, and gets the same answers.
//!
//! What it deliberately does not do: no SQL, no resolution of dependencies, no drawing. An answer about an upgrade is an
//! answer about the graph; whether what the target depends on can be installed is another question.

mod advice;
mod answer;
mod channel;
mod check_graph;
mod check_packages;
pub mod classic;
mod compare;
pub mod compat;
mod definitions;
mod documented;
mod fewest;
mod installed;
mod jump;
mod lookup;
mod loss;
mod naming;
mod ordered;
mod path;
mod permit;
mod read;
pub mod rules;
mod shortest;
mod stay;
mod trails;
mod updates;
pub mod v1;
mod ways;
mod why_not;
mod words;
mod zstream;

pub use advice::{ExtraEdge, either_range, extra_edge, is_above_head, leads_all_to_its_head, with_edge};
pub use answer::{Asked, Generation, PackageView, Target};
pub use check_graph::check_graph;
pub use check_packages::check_packages;
pub use compare::diff;
pub use definitions::unsafe_definitions;
pub use documented::classic_updates_as_documented;
pub use fewest::{FewestSteps, fewest_steps};
pub use installed::{InstalledBundle, InstalledError};
pub use jump::Jump;
pub use path::{PathStep, Setting, UpgradePath, classic_path, classic_paths, v1_path};
pub use permit::{Field, Permit};
pub use shortest::{Effort, Wish, classic_shortest, first_steps, v1_shortest};
pub use stay::{Move, Stay, Stop, bundles_that_stay, installed_that_stays};
pub use updates::{
    Updates, Verdict, classic_updates, nothing_leads_on, refused_words, v1_refusal, v1_targets, v1_updates,
};
pub use ways::{LostEdge, Way, Ways, lost_edge};
pub use why_not::{Condition, WhyNot, classic_why_not, v1_why_not};
pub use words::{check_catalog, check_catalog_noting, cut_advice};
pub use zstream::{Stream, ZStream, ZStreamError, z_stream};

#[cfg(test)]
mod tests;
