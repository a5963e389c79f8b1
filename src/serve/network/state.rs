//! What all connections share: the catalogs of now, counts, and whether the end has come.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use hyper::Request;
use hyper::body::Incoming;
use tokio::sync::Semaphore;

use super::counters::Counters;
use crate::serve::snapshot::Snapshot;

/// What all connections share.
pub(super) struct Shared {
    current: RwLock<Arc<Snapshot>>,
    is_stopping: AtomicBool,
    pub(super) has_metas: bool,
    hosts: Vec<String>,
    pub(super) counters: Counters,
    /// Some pages read a whole catalog; clusters are not kept waiting for more than these.
    pub(super) pages: Semaphore,
}

/// Pages that are made at once.
const MAX_PAGES: usize = 2;

impl Shared {
    pub(super) fn new(snapshot: Snapshot, has_metas: bool, hosts: Vec<String>) -> Self {
        let (current, is_stopping) = (RwLock::new(Arc::new(snapshot)), AtomicBool::new(false));
        Self { current, is_stopping, has_metas, hosts, counters: Counters::default(), pages: Semaphore::new(MAX_PAGES) }
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
