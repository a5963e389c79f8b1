//! Commands about catalogs: building, checking, rendering, asking, comparing.

pub(in crate::cli) mod blame;
pub(in crate::cli) mod build;
#[cfg(feature = "oci")]
pub(in crate::cli) mod cache;
pub(in crate::cli) mod check;
mod check_counts;
mod check_parts;
mod check_sources;
mod closure;
pub(in crate::cli) mod diff;
mod dockerfile;
mod fixing;
pub(in crate::cli) mod generate;
pub(in crate::cli) mod history;
pub(in crate::cli) mod image;
mod image_sets;
pub(in crate::cli) mod info;
pub(in crate::cli) mod list;
mod parts;
mod pins;
pub(in crate::cli) mod pipelines;
#[cfg(feature = "oci")]
pub(in crate::cli) mod pull;
#[cfg(feature = "oci")]
pub(in crate::cli) mod push;
pub(in crate::cli) mod render;
mod render_bundles;
mod render_composed;
pub(in crate::cli) mod search;
pub(in crate::cli) mod show;
pub(in crate::cli) mod sql;
pub(in crate::cli) mod validate;
