//! Catalogs made from others: filtered for a mirror, composed from parts; and the first files of a new one.
//!
//! | module | what it does |
//! |---|---|
//! | [`mirror`] | reads ImageSetConfigurations, filters catalogs as oc-mirror does, and adds what else a mirror needs |
//! | [`compose`] | reads `olmdex.toml`: which findings are chosen, what catalogs are composed of, where they go |
//! | [`scaffold`] | writes the first files of a catalog: the blob of a package, a Dockerfile |
//!
//! This crate deliberately pushes no image, and decides no upgrade.

pub mod compose;
pub mod mirror;
pub mod scaffold;
