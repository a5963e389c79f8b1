//! Commands about mirrors: filtering catalogs, and related tasks.

mod arguments;
mod deletion;
mod delta;
pub(in crate::cli) mod entries;
pub(in crate::cli) mod filter;
pub(in crate::cli) mod holdings;
pub(in crate::cli) mod lock;
pub(in crate::cli) mod outdated;
mod output;
pub(in crate::cli) mod renovate;
mod repair;
mod selections;
mod target;
mod union;
