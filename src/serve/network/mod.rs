//! The only asynchronous part: connections, frames, shutting down, reloading.
//!
//! What it deliberately does not do: it decides no answer; those are made by [`super::registry`] and [`super::catalogd`].

mod counters;
mod grpc;
mod http;
mod server;
mod state;

pub use server::{Event, Grpc, ServeError, Server};
