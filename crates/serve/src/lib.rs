//! The servers: the interfaces through which clusters and people ask a catalog over a network
//! (`docs/behaviour/serving.md`).
//!
//! | part | what it does |
//! |---|---|
//! | [`answers`] | answers that were given before |
//! | [`catalogd`] | the answers of catalogd's HTTP API, as plain functions of an index |
//! | [`memory`] | how much memory kept answers may take |
//! | [`network`] | connections, frames, shutting down, reloading |
//! | [`pages`] | pages for people, which the program hands to the server |
//! | [`registry`] | the answers of the gRPC registry, as plain functions of an index |
//! | [`snapshot`] | the catalogs at one moment, asked by several threads |
//!
//! This crate deliberately decides nothing about catalogs; the crates below it do.
//!
//! # How a call is answered
//!
//! A call of gRPC is a function of an index (`serve::registry`), which makes messages (`Encoded`: pieces, so that a
//! manifest that occurs twice in a message is in memory once). The answer to a question is kept when the question comes
//! the second time (`serve::answers`): compressed, side by side with others in blocks, so that additions and removals
//! leave no gaps.
//!
//! `network::body` puts the pieces behind their lengths without copying the large ones. To wake a thread or a
//! connection costs more than to make a message of a list (30 µs where two cores are virtual), so a list is made 32 KiB
//! at a time while there is room for more, 256 KiB before somebody else may ask, and nothing while its client does not
//! read. tonic reads requests and gives the status; its encoder, which takes one message at a time and copies it, is
//! not used.
//!
//! HTTP/2 writes each frame by itself: a bundle is four writes, a list of bundles thousands, and each wakes the client.
//! `network::gather` stands between: a connection writes into memory, at most 64 KiB, and the bytes of one turn are
//! sent when the turn ends. It holds nothing back for a later turn, and a client that reads slowly stops the connection
//! as before.
//!
//! Work that no answer needs (the warning about bundles that OLM cannot install, the facets of the first page) is done
//! after the ports are open (`Server::settle`).

pub mod answers;
pub mod catalogd;
pub mod memory;
pub mod network;
pub mod pages;
pub mod registry;
pub mod snapshot;
