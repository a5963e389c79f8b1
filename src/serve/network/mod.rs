//! The only asynchronous part: connections, frames, shutting down, reloading.
//!
//! What it deliberately does not do: it decides no answer; those are made by [`super::registry`] and [`super::catalogd`].

mod body;
mod counters;
mod event;
mod gather;
mod grpc;
mod http;
mod request_line;
mod server;
mod state;
mod tls;

pub use event::Event;
pub use server::{Grpc, ServeError, Server};
pub use tls::{TlsError, TlsFiles};
