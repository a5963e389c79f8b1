//! How far aliases and merge keys may multiply what is read, over all documents of one input.
//!
//! What it deliberately does not do: it reads nothing. A document that an alias makes no larger than twice its size costs nothing: what
//! is linear in the input needs no limit.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::ceiling::Ceiling;

/// How many bytes aliases and merge keys may add to an input. go-yaml has no such limit, but its rule counts nodes: without a limit one
/// long string could be copied without end.
static MAX_EXPANSION: Ceiling = Ceiling::new(256 << 20);

/// What a document that reaches the limit says.
pub const EXPANDS_TOO_FAR: &str = "aliases and merge keys expand to more than 256 MiB";

/// From now on aliases may expand to any size: the user trusts what is read.
pub fn lift_expansion_limit() {
    MAX_EXPANSION.lift();
}

/// Whether this process has left a document unread because of the limit.
#[must_use]
pub fn is_expansion_limit_reached() -> bool {
    MAX_EXPANSION.is_reached()
}

/// What aliases and merge keys have added to the documents of one input; shared by the threads that read it.
#[derive(Debug, Default)]
pub struct Expansion {
    used: AtomicU64,
}

impl Expansion {
    /// What is read again counts from nothing.
    pub(crate) fn reset(&self) {
        self.used.store(0, Ordering::Relaxed);
    }

    /// Takes note of so many bytes more.
    ///
    /// # Errors
    ///
    /// The limit is reached: no document gets any more.
    pub(crate) fn charge(&self, bytes: usize) -> Result<(), &'static str> {
        let bytes = bytes as u64;
        let used = self.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if MAX_EXPANSION.allows(used) { Ok(()) } else { Err(EXPANDS_TOO_FAR) }
    }
}
