//! The bytes of answers that clients have not taken yet. Each connection has a few of its own, so that it always makes
//! progress, and all share a fixed number of others; when none are left, a connection that has kept its bytes for long
//! is ended. So slow clients cost neither memory nor the answers of others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::Notify;

use super::connections::{Clock, Connection};

/// Bytes of messages that are sent at once, if none of them is longer.
pub(super) const MAX_BATCH: usize = 32 << 10;
/// Bytes that all connections share.
const MAX_BYTES: usize = 12 << 20;
/// Bytes of its own that each connection has: a batch of messages, and two calls.
const OWN: usize = MAX_BATCH + 2 * CALL;
/// Bytes of the shared ones that a connection may have, unless one answer needs more: so it takes several that sit on
/// theirs to press others.
const MAX_SHARED: usize = MAX_BYTES / 4;
/// The cost of a call without its answer.
pub(super) const CALL: usize = 2 << 10;
/// The time that a connection may keep its bytes, in milliseconds, when others need them.
const PRESSED: u64 = 1_000;
/// The time that a connection may keep its bytes in any case, in milliseconds: this, and the time at the least speed.
const PATIENCE: u64 = 30_000;
/// The least speed of a client, in bytes a millisecond.
const LEAST_SPEED: u64 = 2;
/// The time that an answer waits for bytes.
const WAIT: Duration = Duration::from_secs(5);
/// The interval at which a waiting answer looks again, since connections become slow without telling anybody.
const LOOK: Duration = Duration::from_millis(250);

/// There are no bytes for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

/// The reasons why there are no bytes.
#[derive(Debug, PartialEq, Eq)]
enum Lack {
    /// The connection itself keeps many.
    Own,
    /// Others keep them.
    Others,
}

/// The bytes of answers that clients have not taken yet.
#[derive(Debug)]
pub(super) struct Budget {
    clock: Clock,
    holds: Mutex<Holds>,
    has_freed: Notify,
}

#[derive(Debug, Default)]
struct Holds {
    n_bytes: usize,
    next: u64,
    /// The first is the oldest.
    by_id: BTreeMap<u64, Hold>,
}

#[derive(Debug)]
struct Hold {
    connection: Arc<Connection>,
    since: u64,
    n_bytes: usize,
    /// Whether the bytes are the connection's own.
    is_own: bool,
}

impl Budget {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, holds: Mutex::default(), has_freed: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Holds> {
        // Each change of it is one call that does not panic.
        self.holds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes bytes for a connection if there are any. An answer that is larger than all there are is alone.
    pub(super) fn try_hold(self: &Arc<Self>, connection: &Arc<Connection>, n_bytes: usize) -> Result<Lease, Full> {
        self.attempt(connection, n_bytes).map_err(|_| Full)
    }

    fn attempt(self: &Arc<Self>, connection: &Arc<Connection>, n_bytes: usize) -> Result<Lease, Lack> {
        let now = self.clock.now();
        let mut holds = self.lock();
        let n_bytes = n_bytes.min(MAX_BYTES);
        let is_own = connection.n_kept(true) + n_bytes <= OWN;
        if !is_own {
            let n_shared = connection.n_kept(false);
            if n_shared > 0 && n_shared + n_bytes > MAX_SHARED {
                return Err(Lack::Own);
            }
            if holds.n_bytes + n_bytes > MAX_BYTES {
                holds.press(n_bytes, now);
                return Err(Lack::Others);
            }
            holds.n_bytes += n_bytes;
        }
        connection.keeps(is_own, n_bytes);
        let id = holds.next;
        holds.next += 1;
        holds.by_id.insert(id, Hold { connection: Arc::clone(connection), since: now, n_bytes, is_own });
        Ok(Lease { budget: Arc::clone(self), id })
    }

    /// Whether `n_bytes` for a connection leave half of all bytes to others.
    pub(super) fn has_plenty(&self, connection: &Connection, n_bytes: u64) -> bool {
        let n_bytes = usize::try_from(n_bytes).unwrap_or(usize::MAX);
        let is_plenty = |n_used: usize, n_all: usize| n_used.saturating_add(n_bytes) <= n_all / 2;
        is_plenty(connection.n_kept(false), MAX_SHARED) && is_plenty(self.lock().n_bytes, MAX_BYTES)
    }

    /// Takes bytes for a connection, and waits for them if there are none. It does not wait for long if other
    /// connections keep them, and otherwise for as long as the connection may keep its own.
    pub(super) async fn hold(self: &Arc<Self>, connection: &Arc<Connection>, n_bytes: usize) -> Result<Lease, Full> {
        let mut start = Instant::now();
        loop {
            let freed = self.has_freed.notified();
            match self.attempt(connection, n_bytes) {
                Ok(held) => return Ok(held),
                Err(Lack::Own) => start = Instant::now(),
                Err(Lack::Others) => {}
            }
            if start.elapsed() > WAIT || connection.is_ended() {
                return Err(Full);
            }
            let _ = tokio::time::timeout(LOOK, freed).await;
        }
    }

    /// Ends the connections that keep bytes for longer than any client needs.
    pub(super) fn end_overdue(&self) {
        let now = self.clock.now();
        let holds = self.lock();
        for hold in holds.by_id.values().take_while(|it| now.saturating_sub(it.since) > PATIENCE) {
            let needed = hold.n_bytes as u64 / LEAST_SPEED;
            if now.saturating_sub(hold.since) > PATIENCE + needed {
                hold.connection.end();
            }
        }
    }
}

impl Holds {
    /// Ends connections that have kept bytes for some time, the oldest first, until there will be enough.
    fn press(&self, n_wanted: usize, now: u64) {
        let mut n_left = (self.n_bytes + n_wanted).saturating_sub(MAX_BYTES);
        let old = self.by_id.values().take_while(|it| now.saturating_sub(it.since) >= PRESSED);
        for hold in old.filter(|it| !it.is_own) {
            if n_left == 0 {
                return;
            }
            hold.connection.end();
            n_left = n_left.saturating_sub(hold.n_bytes);
        }
    }
}

/// Bytes of an answer, given back when this is dropped.
#[derive(Debug)]
pub(super) struct Lease {
    budget: Arc<Budget>,
    id: u64,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut holds = self.budget.lock();
        if let Some(hold) = holds.by_id.remove(&self.id) {
            hold.connection.gives(hold.is_own, hold.n_bytes);
            holds.n_bytes -= if hold.is_own { 0 } else { hold.n_bytes };
            drop(holds);
            hold.connection.progressed();
            self.budget.has_freed.notify_waiters();
        }
    }
}

/// Bytes that keep their place in the budget until they are dropped.
pub(super) fn leased_bytes(bytes: Vec<u8>, held: Lease) -> Bytes {
    struct Owner(Vec<u8>, #[expect(dead_code, reason = "it is dropped with the bytes")] Lease);
    impl AsRef<[u8]> for Owner {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    Bytes::from_owner(Owner(bytes, held))
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::super::connections::{Connections, Peer};
    use super::*;

    #[test]
    fn bytes_are_given_back_and_those_who_keep_them_are_ended() {
        let connections = Arc::new(Connections::new(1, 1 << 20));
        let budget = Arc::new(Budget::new(connections.clock()));
        let peer = Peer::from(IpAddr::from(Ipv4Addr::LOCALHOST));
        let admit = || Arc::clone(&connections.admit(0, peer, true).connection);
        let (slow, quick) = (admit(), admit());
        // A connection's own share does not count as shared.
        let own = [&slow, &quick].map(|it| budget.try_hold(it, OWN).unwrap());
        assert_eq!(budget.lock().n_bytes, 0);
        let first = budget.try_hold(&slow, MAX_BYTES - 100).unwrap();
        let second = budget.try_hold(&quick, 100).unwrap();
        assert_eq!(budget.attempt(&quick, 200).unwrap_err(), Lack::Others);
        assert_eq!(budget.attempt(&slow, 200).unwrap_err(), Lack::Own);
        assert!(!budget.has_plenty(&quick, 1));
        // No connection is ended at once.
        assert!(!slow.is_ended() && !quick.is_ended());
        drop(second);
        let second = budget.try_hold(&quick, 60).unwrap();
        let since = budget.lock().by_id.values().next_back().unwrap().since;
        budget.lock().press(100, since + PRESSED);
        // The older gives enough.
        assert!(slow.is_ended() && !quick.is_ended());
        drop((first, second, own));
        for is_own in [true, false] {
            assert_eq!((slow.n_kept(is_own), quick.n_kept(is_own)), (0, 0));
        }
        assert_eq!(budget.lock().n_bytes, 0);
        assert!(budget.lock().by_id.is_empty());
        assert!(budget.has_plenty(&quick, MAX_SHARED as u64 / 2) && !budget.has_plenty(&quick, MAX_SHARED as u64));
        // More than there is counts as all there is.
        let all = budget.try_hold(&quick, usize::MAX).unwrap();
        assert_eq!(budget.lock().n_bytes, MAX_BYTES);
        let bytes = leased_bytes(vec![1, 2, 3], all);
        let part = bytes.slice(1..2);
        drop(bytes);
        assert_eq!(budget.lock().n_bytes, MAX_BYTES);
        drop(part);
        assert_eq!(budget.lock().n_bytes, 0);
    }
}
