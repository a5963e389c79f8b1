//! The events while a server serves.

use std::net::SocketAddr;
use std::time::Duration;

use super::tls::TlsError;

/// The events while it serves, for the caller that prints them.
#[derive(Debug)]
pub enum Event {
    /// A port is open: its offer and its address.
    Listening {
        /// `gRPC` or `HTTP`.
        protocol: &'static str,
        address: SocketAddr,
        /// The catalog of a gRPC port, if it has a certain one.
        catalog: Option<String>,
    },
    /// The catalogs were read again.
    Reloaded,
    /// They could not be; the old ones stay.
    NotReloaded(String),
    /// The certificate was replaced.
    Renewed,
    /// It cannot be used; the old one stays.
    NotRenewed(TlsError),
    /// Clients refuse the certificate now, for this reason: its time has not come, or is over.
    OutOfDate(String),
    /// An answer was made, and the server was asked to tell ([`tells_calls`](super::server::Server::tells_calls)).
    Answered {
        /// `gRPC` or `HTTP`.
        protocol: &'static str,
        /// The question: the path of a method, or method and address of a request, with invisible characters made
        /// visible.
        what: String,
        /// The time that it took; of a streamed one until its first messages were made.
        took: Duration,
    },
    /// The server received the signal to end.
    Stopping,
}
