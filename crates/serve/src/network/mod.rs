//! The only asynchronous part: connections, frames, shutting down, reloading.
//!
//! This module decides no answer; [`super::registry`] and [`super::catalogd`] do.

mod body;
mod budget;
mod connections;
mod counters;
mod event;
mod gather;
mod grpc;
mod http;
mod observed;
mod own_port;
mod request_line;
mod server;
mod state;
#[cfg(feature = "graphql")]
mod taken;
mod tls;
mod validity;
mod work;

pub use event::Event;
pub use own_port::{Answering, Body, OwnPort, body};
pub use server::{Grpc, ServeError, Server};
pub use tls::{TlsError, TlsFiles};
