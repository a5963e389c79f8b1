//! The connections that are open. Every port and every peer has room of its own, and a new connection is always taken:
//! when there is no room for it, the one that has done nothing useful for the longest time is ended. So no set of
//! silent clients keeps another one out.
//!
//! This module reads and writes nothing. A connection's own task ends when [`Connection::ended`] says so.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// Connections of all ports at once, if the system allows as many open files.
const MAX_OPEN: usize = 768;
/// Connections of one port at once, however few ports there are.
const MAX_OF_PORT: usize = 384;
/// Connections that a port has at least, however many ports there are.
const MIN_OF_PORT: usize = 16;
/// The longest time in which a client of gRPC must have sent the preface of HTTP/2 and the head of its settings.
const OPENING: Duration = Duration::from_secs(5);
/// The longest time that a write may wait for a client that takes nothing.
const STALLED: Duration = Duration::from_secs(30);

/// The peer whose connections share their room: an address of IPv4, or a network of IPv6, because one client may have
/// all of its addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Peer(IpAddr);

impl From<IpAddr> for Peer {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(it) => IpAddr::V6(Ipv6Addr::from_bits(it.to_bits() & !u128::from(u64::MAX))),
            it => it,
        })
    }
}

/// The time since the server has started, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn now(self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The state of an open connection.
#[derive(Debug)]
pub(super) struct Connection {
    id: u64,
    port: usize,
    peer: Peer,
    clock: Clock,
    /// When it was taken.
    since: u64,
    /// When something useful last happened: a request came, or a part of an answer was taken.
    active: AtomicU64,
    /// Whether a request ever came.
    has_asked: AtomicBool,
    /// Whether the client has sent the bytes that must come first.
    has_begun: AtomicBool,
    /// Since when a write waits for the client; 0 if none does.
    stalled: AtomicU64,
    /// Bytes of answers from its own share, and of those that all connections share; the budget's lock guards both.
    n_own: AtomicUsize,
    n_shared: AtomicUsize,
    is_ended: AtomicBool,
    end: Notify,
}

impl Connection {
    /// A request has come.
    pub(super) fn asked(&self) {
        self.has_asked.store(true, Ordering::Relaxed);
        self.progressed();
    }

    /// A part of an answer was taken.
    pub(super) fn progressed(&self) {
        self.active.store(self.clock.now(), Ordering::Relaxed);
    }

    /// Notes that the client has sent the bytes that must come first.
    pub(super) fn begun(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    /// Whether a write waits for the client.
    pub(super) fn stalls(&self, is_stalled: bool) {
        match (is_stalled, self.stalled.load(Ordering::Relaxed)) {
            (true, 0) => self.stalled.store(self.clock.now().max(1), Ordering::Relaxed),
            (true, _) | (false, 0) => {}
            (false, _) => self.stalled.store(0, Ordering::Relaxed),
        }
    }

    /// Bytes of answers that it keeps: from its own share, or of those that all connections share.
    pub(super) fn n_kept(&self, is_own: bool) -> usize {
        if is_own { &self.n_own } else { &self.n_shared }.load(Ordering::Relaxed)
    }

    /// It keeps more bytes.
    pub(super) fn keeps(&self, is_own: bool, n_more: usize) {
        if is_own { &self.n_own } else { &self.n_shared }.fetch_add(n_more, Ordering::Relaxed);
    }

    /// It keeps fewer bytes.
    pub(super) fn gives(&self, is_own: bool, n_less: usize) {
        if is_own { &self.n_own } else { &self.n_shared }.fetch_sub(n_less, Ordering::Relaxed);
    }

    /// Ends the connection, whatever it is doing.
    pub(super) fn end(&self) {
        self.is_ended.store(true, Ordering::Relaxed);
        self.end.notify_one();
    }

    pub(super) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Relaxed)
    }

    /// Waits until [`end`](Self::end) is called.
    pub(super) async fn ended(&self) {
        self.end.notified().await;
    }

    /// The smaller, the sooner it is ended for the sake of another.
    fn worth(&self) -> (bool, u64, u64) {
        (self.has_asked.load(Ordering::Relaxed), self.active.load(Ordering::Relaxed), self.id)
    }

    fn is_overdue(&self, now: u64) -> bool {
        let stalled = self.stalled.load(Ordering::Relaxed);
        (!self.has_begun.load(Ordering::Relaxed) && now.saturating_sub(self.since) > millis(OPENING))
            || (stalled > 0 && now.saturating_sub(stalled) > millis(STALLED))
    }
}

/// The connections that are open.
#[derive(Debug)]
pub(super) struct Connections {
    clock: Clock,
    max_of_port: usize,
    open: Mutex<Open>,
    has_gone: Notify,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    /// By port and number.
    by_id: BTreeMap<(usize, u64), Arc<Connection>>,
    /// The number of connections whose task has not ended, including those that are being ended.
    n_tasks: usize,
}

impl Connections {
    /// Makes an empty list. `max_files` is the number of files that the system lets this process open.
    pub(super) fn new(n_ports: usize, max_files: usize) -> Self {
        // Some files are needed for the index and other open files.
        let all = MAX_OPEN.min(max_files.saturating_sub(64) * 3 / 4);
        let max_of_port = (all / n_ports.max(1)).clamp(MIN_OF_PORT, MAX_OF_PORT);
        Self { clock: Clock(Instant::now()), max_of_port, open: Mutex::default(), has_gone: Notify::new() }
    }

    pub(super) fn clock(&self) -> Clock {
        self.clock
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        // Each change of it is one call that does not panic.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection, and ends another one if there is no room. `has_begun` is false for a client that must send
    /// something first.
    pub(super) fn admit(self: &Arc<Self>, port: usize, peer: Peer, has_begun: bool) -> Admitted {
        let now = self.clock.now();
        let mut open = self.lock();
        if let Some(victim) = self.victim(&open, port, peer) {
            open.by_id.remove(&(victim.port, victim.id));
            victim.end();
        }
        let id = open.next;
        open.next += 1;
        open.n_tasks += 1;
        let connection = Arc::new(Connection {
            id,
            port,
            peer,
            clock: self.clock,
            since: now,
            active: AtomicU64::new(now),
            has_asked: AtomicBool::new(false),
            has_begun: AtomicBool::new(has_begun),
            stalled: AtomicU64::new(0),
            n_own: AtomicUsize::new(0),
            n_shared: AtomicUsize::new(0),
            is_ended: AtomicBool::new(false),
            end: Notify::new(),
        });
        open.by_id.insert((port, id), Arc::clone(&connection));
        Admitted { connections: Arc::clone(self), connection }
    }

    /// The connection that makes room for another one of a peer: one of the same peer if that has half of the port, or
    /// else one of the peer that has most of it.
    fn victim(&self, open: &Open, port: usize, peer: Peer) -> Option<Arc<Connection>> {
        let of_port = || open.by_id.range((port, 0)..=(port, u64::MAX)).map(|it| it.1);
        // Most connections come when there is room for all.
        if of_port().count() < self.max_of_port / 2 {
            return None;
        }
        let mut by_peer: HashMap<Peer, usize> = HashMap::new();
        for connection in of_port() {
            *by_peer.entry(connection.peer).or_default() += 1;
        }
        let of_peer = |peer: Peer| of_port().filter(move |it| it.peer == peer).min_by_key(|it| it.worth()).cloned();
        if by_peer.get(&peer).is_some_and(|it| *it >= self.max_of_port.div_ceil(2)) {
            return of_peer(peer);
        }
        if by_peer.values().sum::<usize>() < self.max_of_port {
            return None;
        }
        let largest = by_peer.values().max().copied();
        // If several peers have equally many, the connection that is worth least is ended.
        let crowded = of_port().filter(|it| by_peer.get(&it.peer).copied() == largest);
        crowded.min_by_key(|it| it.worth()).cloned()
    }

    /// Ends the connection of a port that is worth least, because the system gives no more files.
    pub(super) fn end_one(&self, port: usize) {
        let mut open = self.lock();
        let least = open.by_id.range((port, 0)..=(port, u64::MAX)).map(|it| it.1).min_by_key(|it| it.worth()).cloned();
        if let Some(connection) = least {
            open.by_id.remove(&(port, connection.id));
            connection.end();
        }
    }

    /// Ends the connections that take longer than they may.
    pub(super) fn end_overdue(&self) {
        let now = self.clock.now();
        self.lock().by_id.retain(|_, connection| {
            let is_overdue = connection.is_overdue(now);
            if is_overdue {
                connection.end();
            }
            !is_overdue
        });
    }

    /// Ends the connections on which nothing useful has happened for this long.
    pub(super) fn end_idle(&self, time: Duration) {
        let before = self.clock.now().saturating_sub(millis(time));
        self.lock().by_id.retain(|_, connection| {
            let is_idle = connection.active.load(Ordering::Relaxed) < before;
            if is_idle {
                connection.end();
            }
            !is_idle
        });
    }

    /// Waits until no connection is open.
    pub(super) async fn all_gone(&self) {
        loop {
            let gone = self.has_gone.notified();
            if self.lock().n_tasks == 0 {
                return;
            }
            gone.await;
        }
    }
}

/// A connection with its room, which it gives back when its task ends.
#[derive(Debug)]
pub(super) struct Admitted {
    connections: Arc<Connections>,
    pub(super) connection: Arc<Connection>,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        open.by_id.remove(&(self.connection.port, self.connection.id));
        open.n_tasks -= 1;
        if open.n_tasks == 0 {
            self.connections.has_gone.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn peer(n: u8) -> Peer {
        Peer::from(IpAddr::from(Ipv4Addr::new(10, 0, 0, n)))
    }

    #[test]
    fn a_new_connection_is_always_taken_and_a_silent_one_goes_for_it() {
        let connections = Arc::new(Connections::new(2, 1 << 20));
        let max = connections.max_of_port;
        let other = connections.admit(1, peer(1), true);
        let asking = connections.admit(0, peer(1), true);
        asking.connection.asked();
        let mut silent: Vec<Admitted> = Vec::new();
        // One peer has half of the port at most, and loses its own.
        for _ in 0..max {
            silent.push(connections.admit(0, peer(1), true));
        }
        let n_open = silent.iter().filter(|it| !it.connection.is_ended()).count();
        assert_eq!(n_open, max / 2 - 1);
        assert!(silent[0].connection.is_ended() && !silent[max - 1].connection.is_ended());
        // Many peers share the port; the one with most of it loses a connection.
        for n in 0..=u8::MAX {
            for _ in 0..4 {
                silent.push(connections.admit(0, peer(n), true));
            }
        }
        let n_open = silent.iter().filter(|it| !it.connection.is_ended()).count();
        assert_eq!(n_open, max - 1);
        assert!(!asking.connection.is_ended() && !other.connection.is_ended());
        drop((silent, asking, other));
        assert!(connections.lock().by_id.is_empty());
        assert_eq!(connections.lock().n_tasks, 0);
    }

    #[test]
    fn room_goes_by_the_ports_and_the_files_that_there_are() {
        for (n_ports, max_files, expected) in
            [(1, 1 << 20, 384), (2, 1 << 20, 384), (4, 1 << 20, 192), (2, 1024, 360), (1, 64, 16), (1000, 1 << 20, 16)]
        {
            assert_eq!(Connections::new(n_ports, max_files).max_of_port, expected, "{n_ports} {max_files}");
        }
    }

    #[test]
    fn addresses_of_a_network_of_ipv6_are_one_peer() {
        let of = |text: &str| Peer::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }

    #[test]
    fn what_takes_too_long_is_overdue() {
        let connections = Arc::new(Connections::new(1, 1 << 20));
        let admitted = connections.admit(0, peer(1), false);
        let opening = &admitted.connection;
        assert!(!opening.is_overdue(opening.since + millis(OPENING)));
        assert!(opening.is_overdue(opening.since + millis(OPENING) + 1));
        opening.begun();
        assert!(!opening.is_overdue(u64::MAX));
        opening.stalls(true);
        let since = opening.stalled.load(Ordering::Relaxed);
        assert!(!opening.is_overdue(since + millis(STALLED)));
        assert!(opening.is_overdue(since + millis(STALLED) + 1));
        opening.stalls(false);
        assert!(!opening.is_overdue(u64::MAX));
    }
}
