//! The demands of bundles on other bundles and on the cluster, in properties whose values are languages of their own.
//!
//! All callers get one verdict on such a value: whether it can be used, and why not.
//!
//! | part | what it does |
//! |---|---|
//! | [`cel`] | compiles and runs the rules in CEL that constraints may hold, with the errors of cel-go |
//! | [`openshift`] | minor versions of OpenShift, and `olm.maxOpenShiftVersion` as Classic and v1 read it |
//! | [`property`], [`tree`] | the meaning of properties for a resolver, and the conditions in them |
//! | [`leaves`], [`plain`] | a condition taken apart, and in plain words |
//! | [`advise`] | values that are accepted and do not do what they seem to do |
//!
//! ```
//! use olmdex_constraint::cel::{Rule, Value, budget};
//!
//! let rule = Rule::compile(r#"properties.exists(p, p.type == "olm.package" && p.value.packageName == "etcd")"#)?;
//! let properties = Value::properties([("olm.package", r#"{"packageName": "etcd", "version": "0.9.4"}"#)].into_iter());
//! assert!(rule.holds(&properties, &budget(10_000))??);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate deliberately does not know which operators there are.

pub mod cel;
pub mod openshift;

mod advice;
pub mod fields;
mod leaf;
pub(crate) mod parse;
pub mod property;
pub mod tree;

pub use advice::{Advice, Topic, advise};
pub use leaf::{Leaf, leaves, may_be_met_by_any, plain};
pub use tree::{ConstraintError, MAX_CONSTRAINT};
