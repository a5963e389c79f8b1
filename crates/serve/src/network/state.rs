//! The state that all connections share: the present catalogs, counts, and whether the server is ending.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;

use super::budget::Budget;
use super::connections::Clock;
use super::counters::Counters;
use super::event::Event;
use super::tls::Acceptors;
use super::work::Queues;
use crate::snapshot::Snapshot;
use olmdex_base::diag::printable;

/// The state that all connections share.
pub(super) struct Shared {
    current: RwLock<Arc<Snapshot>>,
    /// The encryption of connections, if they are encrypted.
    acceptors: RwLock<Option<Acceptors>>,
    is_stopping: AtomicBool,
    pub(super) has_metas: bool,
    #[cfg(feature = "graphql")]
    pub(super) has_graphql: bool,
    hosts: Vec<String>,
    /// The origin whose scripts may read answers, or `*`.
    pub(super) cors: Option<String>,
    pub(super) counters: Counters,
    /// The receiver of an event for each answer.
    tell: OnceLock<Arc<dyn Fn(Event) + Send + Sync>>,
    /// The turns of those that ask the index.
    pub(super) queues: Queues,
    /// The bytes of answers that clients have not taken yet.
    pub(super) budget: Arc<Budget>,
}

impl Shared {
    /// Makes the state.
    ///
    /// # Errors
    /// If the system refuses something that the queues need.
    pub(super) fn new(
        snapshot: Snapshot,
        has_metas: bool,
        hosts: Vec<String>,
        cors: Option<String>,
        acceptors: Option<Acceptors>,
        clock: Clock,
    ) -> std::io::Result<Self> {
        Ok(Self {
            current: RwLock::new(Arc::new(snapshot)),
            acceptors: RwLock::new(acceptors),
            is_stopping: AtomicBool::new(false),
            has_metas,
            #[cfg(feature = "graphql")]
            has_graphql: false,
            hosts,
            cors,
            counters: Counters::default(),
            tell: OnceLock::new(),
            queues: Queues::new()?,
            budget: Arc::new(Budget::new(clock)),
        })
    }

    /// The same state with GraphQL, or without.
    #[cfg(feature = "graphql")]
    pub(super) fn with_graphql(self, has_graphql: bool) -> Self {
        Self { has_graphql, ..self }
    }

    /// From now on each answer is an event.
    pub(super) fn tell_calls(&self, tell: Arc<dyn Fn(Event) + Send + Sync>) {
        // There is one server, which says this once.
        let _ = self.tell.set(tell);
    }

    /// Reports that an answer was made.
    pub(super) fn answered(&self, protocol: &'static str, what: impl FnOnce() -> String, took: Duration) {
        if let Some(tell) = self.tell.get() {
            tell(Event::Answered { protocol, what: printable(&what()).into_owned(), took });
        }
    }

    /// From now on connections have another certificate.
    pub(super) fn renew(&self, acceptors: Acceptors) {
        *self.acceptors.write().unwrap_or_else(PoisonError::into_inner) = Some(acceptors);
    }

    pub(super) fn acceptors(&self) -> Option<Acceptors> {
        self.acceptors.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on questions go to other catalogs.
    pub(super) fn replace(&self, snapshot: Snapshot) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
    }

    /// From now on the server says that it ends.
    pub(super) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Whether a request names this server by an address, as `localhost`, or by a name that it was given. Otherwise a
    /// page of a stranger whose name points here could read the answer.
    pub(super) fn is_host_allowed(&self, request: &Request<Incoming>) -> bool {
        let mut headers = request.headers().get_all("host").iter();
        let header = match headers.next().map(hyper::header::HeaderValue::to_str) {
            Some(Ok(text)) => Some(text),
            Some(Err(_)) => return false,
            None => None,
        };
        // The address of a request that has a host counts more than the header does.
        let authority = request.uri().authority().map(hyper::http::uri::Authority::as_str);
        headers.next().is_none() && authority.or(header).is_none_or(|it| is_own(it, &self.hosts))
    }
}

/// Whether a host, with a port or without, is an address, `localhost` or one of these names.
fn is_own(host: &str, names: &[String]) -> bool {
    let (name, rest) = match host.strip_prefix('[') {
        Some(inner) => match inner.split_once(']') {
            Some((address, rest)) => return address.parse::<Ipv6Addr>().is_ok() && is_port(rest),
            None => return false,
        },
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_known = name.parse::<Ipv4Addr>().is_ok()
        || name.eq_ignore_ascii_case("localhost")
        || names.iter().any(|it| it.eq_ignore_ascii_case(name));
    is_known && is_port(rest)
}

/// Whether this is empty, or a colon and a port.
fn is_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|it| it.bytes().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_localhost_and_given_names_are_own() {
        let names = ["catalogs.example".to_owned()];
        for host in [
            "127.0.0.1",
            "127.0.0.1:80",
            "10.1.2.3:8080",
            "localhost",
            "LOCALHOST:1",
            "[::1]",
            "[::1]:80",
            "[2001:db8::1]:8080",
            "catalogs.example",
            "Catalogs.Example:443",
            "localhost:",
        ] {
            assert!(is_own(host, &names), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:80",
            "127.0.0.1:80@evil",
            "127.0.0.1@evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil",
            "[::1",
            "[::1]evil",
            "[::1]:80@evil",
            "[evil]",
            "::1",
            "localhost:80:80",
            "xcatalogs.example",
            "",
            ":80",
            "localhost:http",
        ] {
            assert!(!is_own(host, &names), "{host}");
        }
    }
}
