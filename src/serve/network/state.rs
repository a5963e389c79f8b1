//! What all connections share: the catalogs of now, counts, and whether the end has come.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use tokio::sync::Semaphore;

use super::counters::Counters;
use super::event::Event;
use super::tls::Acceptors;
use crate::diag::printable;
use crate::serve::snapshot::Snapshot;

/// What all connections share.
pub(super) struct Shared {
    current: RwLock<Arc<Snapshot>>,
    /// What encrypts connections, if they are.
    acceptors: RwLock<Option<Acceptors>>,
    is_stopping: AtomicBool,
    pub(super) has_metas: bool,
    hosts: Vec<String>,
    pub(super) counters: Counters,
    /// Who is told of each answer.
    tell: OnceLock<Arc<dyn Fn(Event) + Send + Sync>>,
    /// Some pages read a whole catalog; clusters are not kept waiting for more than these.
    pub(super) pages: Semaphore,
}

/// Pages that are made at once.
const MAX_PAGES: usize = 2;

impl Shared {
    pub(super) fn new(snapshot: Snapshot, has_metas: bool, hosts: Vec<String>, acceptors: Option<Acceptors>) -> Self {
        Self {
            current: RwLock::new(Arc::new(snapshot)),
            acceptors: RwLock::new(acceptors),
            is_stopping: AtomicBool::new(false),
            has_metas,
            hosts,
            counters: Counters::default(),
            tell: OnceLock::new(),
            pages: Semaphore::new(MAX_PAGES),
        }
    }

    /// From now on each answer is an event.
    pub(super) fn tell_calls(&self, tell: Arc<dyn Fn(Event) + Send + Sync>) {
        // There is one server, which says this once.
        let _ = self.tell.set(tell);
    }

    /// Says that an answer was made.
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

    /// Whether a request names this server by an address, as `localhost`, or by a name that it was given. Else a page of somebody who
    /// makes a name of theirs point here could read the answer.
    pub(super) fn is_host_allowed(&self, request: &Request<Incoming>) -> bool {
        let header = request.headers().get("host").and_then(|it| it.to_str().ok());
        let Some(host) = request.uri().host().or(header) else { return true };
        let name = match host.parse::<SocketAddr>() {
            Ok(_) => return true,
            Err(_) => host.rsplit_once(':').map_or(host, |(name, _)| name),
        };
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        bare.parse::<IpAddr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || self.hosts.iter().any(|it| it.eq_ignore_ascii_case(name))
    }
}
