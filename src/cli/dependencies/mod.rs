//! Commands about dependencies: resolution, providers, images, definitions, messages.

pub(in crate::cli) mod crd_check;
mod crd_check_all;
pub(in crate::cli) mod deps;
pub(in crate::cli) mod explain;
pub(in crate::cli) mod explain_message;
mod image_asks;
pub(in crate::cli) mod images;
pub(in crate::cli) mod provides;
pub(in crate::cli) mod requires;
pub(in crate::cli) mod resolve;
pub(in crate::cli) mod why;
