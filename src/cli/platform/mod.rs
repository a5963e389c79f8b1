//! Commands about a cluster as a whole and the platform below it.

pub(in crate::cli) mod diagnose;
pub(in crate::cli) mod installed;
pub(in crate::cli) mod lifecycle;
pub(in crate::cli) mod plan;
pub(in crate::cli) mod platform_path;
pub(in crate::cli) mod v1;
mod v1_manifests;
pub(in crate::cli) mod whereis;
