//! What bundles demand of other bundles and of the cluster, in properties whose values are languages of their own.
//!
//! One verdict on such a value, for all that ask: whether it can be used, and why not.
//!
//! What it deliberately does not do: it does not know which operators there are.

pub mod cel;
pub mod openshift;

mod advice;
pub(crate) mod fields;
mod leaf;
pub(crate) mod parse;
pub(crate) mod property;
pub(crate) mod tree;

pub use advice::{Advice, Topic, advise};
pub use leaf::{Leaf, leaves, plain};
pub use tree::{ConstraintError, MAX_CONSTRAINT};
