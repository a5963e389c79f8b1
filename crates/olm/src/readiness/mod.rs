//! Whether an operator can move from OLM Classic to OLM v1: each condition by itself, with its reason and its way out, and what takes the
//! place of a Subscription and a CatalogSource (`docs/behaviour/olm-v1.md` 7).
//!
//! | part | what it does |
//! |---|---|
//! | [`RULES`] | the conditions: which of them can be acknowledged, and how |
//! | [`of_bundle`] | what a bundle says of itself |
//! | [`of_subscription`] | what the objects of a cluster say of a Subscription |
//! | [`State`] | what follows from the conditions |
//! | [`Conversion`] | the ClusterCatalogs and ClusterExtensions that come of it, and in which order |
//!
//! A condition that cannot be judged from what is at hand is not known, which is neither yes nor no.
//!
//! What it deliberately does not do: it opens no catalog, so whoever asks says which catalogs serve a package; it writes no YAML, and changes
//! no cluster.

mod bundle;
mod condition;
mod conversion;
mod installed;
mod item;
mod poll;
mod state;
mod subscription;

pub use bundle::{BundleTraits, of_bundle};
pub use condition::{Acknowledgement, Condition, Met, RULES, Rule, catalog_condition};
pub use conversion::{CatalogConversion, Conversion, ExtensionConversion, Ready, convert};
pub use installed::InstalledOperators;
pub use item::Readiness;
pub use state::{Moving, State, state_of};
pub use subscription::of_subscription;
