//! Limits on one query. catalogd limits the query and the time of its execution; it limits neither the cost of the
//! rules of a valid document nor the length of an answer, so there are also limits of our own.

use std::cell::Cell;
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
/// The depth of structures that are followed with a stack, such as an answer or selection sets that are compared.
pub(crate) const MAX_NESTED: usize = 64;
/// Steps between two looks at the clock.
const STEPS_PER_LOOK: u64 = 1024;

/// The limits of one query.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The time for rules and execution; catalogd's limit.
    pub time: Duration,
    /// Steps of the rules and of the execution together: a comparison of two fields, for example, or a field of an
    /// object.
    pub steps: u64,
    /// Bytes of the answer.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(5), steps: 4_000_000, bytes: 32 << 20 }
    }
}

/// A limit that a query exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum Excess {
    #[error("query exceeds maximum depth of {MAX_DEPTH}")]
    Depth,
    #[error("query exceeds maximum alias count of {MAX_ALIASES}")]
    Aliases,
    #[error("query exceeds maximum field count of {MAX_FIELDS}")]
    Fields,
    /// In Go's words.
    #[error("context deadline exceeded")]
    Time,
    #[error("query exceeds maximum cost of {0}")]
    Steps(u64),
    #[error("query exceeds maximum answer size of {0} bytes")]
    Bytes(usize),
    #[error("query exceeds maximum nesting of {MAX_NESTED}")]
    Nested,
}

/// The budget that is left for a query.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    end: Instant,
    n_steps: Cell<u64>,
    next_look: Cell<u64>,
}

impl Budget {
    pub(crate) fn new(limits: Limits) -> Self {
        let now = Instant::now();
        let end = now.checked_add(limits.time).unwrap_or(now);
        Self { limits, end, n_steps: Cell::new(0), next_look: Cell::new(STEPS_PER_LOOK) }
    }

    /// Counts steps.
    pub(crate) fn spend(&self, steps: usize) -> Result<(), Excess> {
        let n = self.n_steps.get().saturating_add(u64::try_from(steps).unwrap_or(u64::MAX));
        self.n_steps.set(n);
        if n > self.limits.steps {
            return Err(Excess::Steps(self.limits.steps));
        }
        if n >= self.next_look.get() {
            self.next_look.set(n.saturating_add(STEPS_PER_LOOK));
            return self.look();
        }
        Ok(())
    }

    /// Looks at the clock.
    pub(crate) fn look(&self) -> Result<(), Excess> {
        if Instant::now() >= self.end { Err(Excess::Time) } else { Ok(()) }
    }

    /// Whether an answer may be that long.
    pub(crate) fn check_bytes(&self, bytes: usize) -> Result<(), Excess> {
        if bytes > self.limits.bytes { Err(Excess::Bytes(self.limits.bytes)) } else { Ok(()) }
    }
}

/// Whether something that is followed with a stack is too deep.
pub(crate) fn check_nested(depth: usize) -> Result<(), Excess> {
    if depth > MAX_NESTED { Err(Excess::Nested) } else { Ok(()) }
}
