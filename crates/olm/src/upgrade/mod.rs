//! Upgrades: the bundles that can follow an installed one, the one that OLM takes, and why.
//!
//! | part | what it does |
//! |---|---|
//! | [`classic`] | OLM Classic: the order of a channel, the next step from an installed version, the way to the head |
//! | [`v1`] | OLM v1: which bundle a ClusterExtension resolves to, or which error |
//! | [`compat`] | whether a bundle may stay when the cluster goes on, by all claims of the bundle |
//!
//! The questions that people ask build on both: what happens now ([`Updates`]), on which way ([`UpgradePath`]), and why
//! not ([`WhyNot`]).
//!
//! [`check_graph()`] finds the versions that have no way on, by [`rules`]; [`UpgradeRoutes`] says where every version
//! leads, and [`extra_edge()`] which edge would leave nobody stranded. The checks of a catalog also give that advice
//! about a chain that is cut: [`check_catalog()`].
//!
//! The engines are separate, since the two generations of OLM share words but not rules; both work on the same rows
//! ([`olmdex_index::query::PackageGraph`]).
//!
//! Searches and checks get from their caller the names that edges lead to ([`olmdex_index::query::Reach`]), as an index
//! has computed them by its own means, and look at no others. A caller without that knowledge passes
//! [`olmdex_index::query::Reach::Unknown`], and gets the same answers.
//!
//! # How an upgrade is found
//!
//! SQL says where edges lead, code says which of them OLM takes. `index::query::reach` walks the edges of a package by
//! recursive queries: the part between two ends, and the names of a channel without a way to its head. A name stands
//! for itself in every channel and catalog that is asked. Edges by `skipRange` are rows only within a channel, so for
//! several graphs, the queries ask the ranges themselves about entries of other channels. The engines in `upgrade` get
//! the results as plain data (`Reach`, `NamesWithoutWay`) and know nothing of SQL.
//!
//! | question | what SQL gives | what code decides |
//! |---|---|---|
//! | `path --shortest`, the way in `why-not`, the way out in `compat` | the names between the first steps and the goals | the first steps, by the installed name and version; then each step within these names |
//! | `check-graph` | the names without a way to the head, over entries that count | whether ranges lead down, else nobody else is followed; which finding a name is |
//! | `updates`, `path` | the rows | all: they look at the edges of one bundle at a time |
//!
//! The names from SQL include every name that an engine could take. Where that is not certain, the answer is
//! `Reach::Unknown` and nothing is narrowed: for a package that is not valid (the engines choose differently between
//! documents of one name), for a graph without its edges by `skipRange`, and for more than 250,000 of these edges or of
//! pairs to ask, because the query would take longer than the search. The first step never comes from SQL, since no
//! catalog needs to hold the installed bundle. Ranges are never paired with versions: `version::Holding` cuts the order
//! of versions at the ranges' bounds and keeps each range in the few tree nodes that cover it, and a search takes its
//! next step from there as late as it can. Tests compare narrowed answers with unnarrowed ones, on random catalogs.

mod answer;
mod channel;
mod check_graph;
mod check_packages;
pub mod classic;
pub mod compat;
mod compat_rows;
mod cut_advice;
mod definition_upgrades;
mod documented;
mod goal;
mod installed;
mod lookup;
mod loss;
mod missing_edge;
mod naming;
mod ordered;
mod package_view;
mod path;
mod reachable;
pub mod rules;
mod shortest_answers;
mod shortest_path;
mod stranded;
mod target;
mod uninstall_advice;
mod updates;
pub mod v1;
mod why_not;
mod zstream;

pub use answer::{EngineQuestion, PackageView};
pub use check_graph::check_graph;
pub use check_packages::{MANY_ENTRIES, check_packages};
pub use compat_rows::{Move, Stay, Stop, bundles_that_stay, installed_that_stays};
pub use cut_advice::{check_catalog, check_catalog_noting, cut_advice};
pub use definition_upgrades::{BundleObjects, DefinitionUpgrades, definition_upgrades, unsafe_definitions};
pub use documented::classic_updates_as_documented;
pub use goal::{ChannelChange, Goal, LeftOutRange, Outlook, OutlookVerdict, Standing};
pub use installed::{InstalledBundle, InstalledError};
pub use loss::diff;
pub use missing_edge::{
    ExtraEdge, above_head, either_range, extra_edge, leads_all_to_its_head, set_edges_command, with_edge,
};

pub use olmdex_base::olm::Olm;
pub use path::{PathStep, Setting, UpgradePath, classic_path, classic_path_over, v1_path};
pub use reachable::{LostEdge, UpgradeRoute, UpgradeRoutes, lost_edge};
pub use shortest_answers::{FewestSteps, fewest_steps};
pub use shortest_path::{Effort, Wish, classic_shortest, first_steps, v1_shortest};
pub use stranded::{Installable, StrandedBecause, StrandedBundle};
pub use target::{Field, NamedVersion, Permit, Target};
pub use uninstall_advice::Jump;
pub use updates::{
    Updates, Verdict, classic_updates, nothing_leads_on, refused_words, v1_refusal, v1_targets, v1_updates,
};
pub use why_not::{Condition, WhyNot, classic_why_not, v1_why_not};
pub use zstream::{Stream, ZStream, ZStreamError, z_stream};

#[cfg(test)]
mod tests;
