//! The rules of a valid bundle, as opm and operator-sdk have them (`docs/behaviour/authoring.md` B).
//!
//! [`Contents`] reads a directory, [`Validation`] is asked by one [`Validator`] after the other. Each answer is
//! [`Problem`]: the finding in our words, with a place and the name that the real validator has for its type.
//!
//! | file | rules of |
//! |---|---|
//! | `format` | the two directories, annotations, dependencies |
//! | `loader` | which files make a bundle |
//! | `content` | what opm refuses beyond that |
//! | `operator_sdk_csv`, `examples` | the ClusterServiceVersion |
//! | `crd` | CustomResourceDefinitions |
//! | `whole` | what they make together |
//! | `hub`, `good_practices`, `removed_apis`, `community`, `objects`, `multiarch` | what only some ask for |
//! | `table` | all of them, with their explanations |
//!
//! This module deliberately knows no catalog and asks no network. It never ends early: where a real validator crashes
//! or stops, the rest is checked all the same.

mod address;
mod blob;
mod catalog_claims;
mod community;
mod content;
mod contents;
mod crd;
mod examples;
mod format;
mod good_practices;
mod hub;
mod loader;
mod multiarch;
mod names;
mod node;
mod objects;
mod operator_sdk_csv;
mod options;
mod problem;
mod removed_apis;
pub mod sdk;
pub mod selector;
mod service_version;
pub mod table;
mod validator;
mod whole;

pub use catalog_claims::{CatalogClaims, Claim};
pub use contents::Contents;
pub use options::Options;
pub use problem::{At, Problem};
pub use validator::{Validation, Validator};
