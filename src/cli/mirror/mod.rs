//! Commands about mirrors: filtering catalogs, and what comes with that.
//!
//! What it deliberately does not do: no command uses another one.

mod arguments;
mod deps;
mod entries;
pub(in crate::cli) mod filter;
pub(in crate::cli) mod holdings;
pub(in crate::cli) mod lock;
pub(in crate::cli) mod outdated;
mod output;
pub(in crate::cli) mod renovate;
mod repair;
mod target;
