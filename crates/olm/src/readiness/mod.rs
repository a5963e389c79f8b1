//! Whether an operator can move from OLM Classic to OLM v1: each condition by itself, with its reason and its way out,
//! and the objects that replace a Subscription and a CatalogSource (`docs/behaviour/olm-v1.md` 7).
//!
//! | part | what it does |
//! |---|---|
//! | [`RULES`] | the conditions: which of them can be acknowledged, and how |
//! | [`of_bundle`] | the conditions that a bundle decides |
//! | [`of_subscription`] | the conditions that the objects of a cluster decide for a Subscription |
//! | [`State`] | the conclusion from the conditions |
//! | [`Conversion`] | the resulting ClusterCatalogs and ClusterExtensions, and their order |
//!
//! A condition that cannot be judged from the input is not known, which is neither yes nor no.

mod bundle;
mod condition;
mod conversion;
mod installed;
mod item;
mod state;
mod subscription;

pub use bundle::{BundleTraits, compare_scopes, of_bundle, watch_namespace};
pub use condition::{Acknowledgement, Condition, Met, RULES, Rule, catalog_condition};
pub use conversion::{CatalogConversion, Conversion, ExtensionConversion, Ready, convert};
pub use installed::InstalledOperators;
pub use item::Readiness;
pub use state::{Moving, State, state_of};
pub use subscription::of_subscription;
