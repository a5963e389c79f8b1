//! Bundles of operators outside of catalogs: as directories, and in repositories of many operators.
//!
//! | module | what it does |
//! |---|---|
//! | [`bundle`] | reads a bundle directory, checks it, and makes the blob that a catalog has of it |
//! | [`community`] | reads repositories as the community keeps them, their release configurations, and checks both as the pipelines do |
//!
//! This crate deliberately does not pull images, and it knows no catalog.

pub mod bundle;
pub mod community;
