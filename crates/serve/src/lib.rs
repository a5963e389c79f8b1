//! The servers: what clusters and people ask a catalog over a network (`docs/behaviour/serving.md`).
//!
//! | part | what it does |
//! |---|---|
//! | [`answers`] | answers that were given before |
//! | [`catalogd`] | what catalogd's HTTP API answers, as plain functions of an index |
//! | [`memory`] | how much memory kept answers may take |
//! | [`network`] | connections, frames, shutting down, reloading |
//! | [`pages`] | pages for people, which the program hands to the server |
//! | [`registry`] | what the gRPC registry answers, as plain functions of an index |
//! | [`snapshot`] | the catalogs at one moment, asked by several threads |
//!
//! What it deliberately does not do: it decides nothing about catalogs; that is in the rooms below.

pub mod answers;
pub mod catalogd;
pub mod memory;
pub mod network;
pub mod pages;
pub mod registry;
pub mod snapshot;
