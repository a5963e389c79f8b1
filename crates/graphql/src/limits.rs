//! Limits on one query. catalogd limits the query and the time of its execution; it limits neither the cost of a
//! document's fragments nor the length of an answer, so there are also limits of our own.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

/// Bytes of a query; catalogd's limit.
pub const MAX_QUERY: usize = 100_000;
/// Selection sets inside each other; catalogd's limit.
pub(crate) const MAX_DEPTH: usize = 10;
/// Aliases of all operations; catalogd's limit.
pub(crate) const MAX_ALIASES: usize = 50;
/// Fields of all operations; catalogd's limit.
pub(crate) const MAX_FIELDS: usize = 500;
/// Brackets inside each other. They are read with a stack.
pub(crate) const MAX_NESTED: usize = 64;
/// Names, numbers, strings and signs of a query.
pub(crate) const MAX_TOKENS: usize = 15_000;
/// Bytes of a name or a number. Messages repeat them.
pub(crate) const MAX_NAME: usize = 256;
/// Arguments and directives at one place. No field has more than two.
pub(crate) const MAX_AT_ONE_PLACE: usize = 16;
/// Selections of all definitions, with fragments followed wherever they are spread: rules and execution do so.
pub(crate) const MAX_SELECTIONS: usize = 5_000;

/// The limits of one query.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The time for execution; catalogd's limit.
    pub time: Duration,
    /// Steps of the execution: an object or a field of one, for example. The memory of each is about a kilobyte.
    pub steps: usize,
    /// Bytes of the answer.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(5), steps: 500_000, bytes: 32 << 20 }
    }
}

/// A limit that a query exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum Excess {
    #[error("query exceeds maximum {0} of {1}")]
    Most(&'static str, usize),
    #[error("query has {0}")]
    Has(&'static str),
    /// In Go's words.
    #[error("context deadline exceeded")]
    Time,
    /// A number that JSON has no word for: catalogd answers such a query with an error of the server.
    #[error("json: unsupported value")]
    NotEncodable,
}

/// Whether there are too many of something.
pub(crate) fn at_most(n: usize, most: usize, what: &'static str) -> Result<(), Excess> {
    if n > most { Err(Excess::Most(what, most)) } else { Ok(()) }
}

/// The budget that is left for a query.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    end: Instant,
    n_steps: AtomicUsize,
    n_bytes: AtomicUsize,
    /// The first limit that was exceeded. The answer is lost then.
    excess: OnceLock<Excess>,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Self {
        let now = Instant::now();
        let end = now.checked_add(limits.time).unwrap_or(now);
        Self { limits, end, n_steps: AtomicUsize::new(0), n_bytes: AtomicUsize::new(0), excess: OnceLock::new() }
    }

    /// Whether no limit was exceeded so far, that of time included.
    pub(crate) fn look(&self) -> Result<(), Excess> {
        let is_late = Instant::now() >= self.end;
        self.note(self.excess.get().map_or(if is_late { Err(Excess::Time) } else { Ok(()) }, |excess| Err(*excess)))
    }

    fn note(&self, checked: Result<(), Excess>) -> Result<(), Excess> {
        checked.map_err(|excess| *self.excess.get_or_init(|| excess))
    }

    /// Counts steps, and looks at the clock.
    pub(crate) fn spend(&self, steps: usize) -> Result<(), Excess> {
        self.has_room(steps)?;
        self.n_steps.fetch_add(steps, Ordering::Relaxed);
        self.look()
    }

    /// Whether so many steps are left.
    pub(crate) fn has_room(&self, steps: usize) -> Result<(), Excess> {
        let n = self.n_steps.load(Ordering::Relaxed).saturating_add(steps);
        self.note(at_most(n, self.limits.steps, "cost"))
    }

    /// Counts bytes of the answer.
    pub(crate) fn keep(&self, bytes: usize) -> Result<(), Excess> {
        let n = self.n_bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        self.check_bytes(n)
    }

    /// Whether something may be that long.
    pub(crate) fn check_bytes(&self, bytes: usize) -> Result<(), Excess> {
        self.note(at_most(bytes, self.limits.bytes, "answer size"))
    }
}
