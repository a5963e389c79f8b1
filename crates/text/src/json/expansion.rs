//! How much larger than its text an input may become when it is decoded, over all its documents.
//!
//! What it deliberately does not do: it reads nothing. What stays linear in the input costs nothing: an alias that makes a document no
//! larger than twice its size, values of 16 bytes of text and more.

use std::sync::atomic::{AtomicU64, Ordering};

use super::value::Value;
use crate::ceiling::Ceiling;

/// How many bytes decoding may add to an input. go-yaml has no such limit, but its rule counts nodes: without a limit one long string
/// could be copied without end, and three bytes of text be an object.
static MAX_EXPANSION: Ceiling = Ceiling::new(256 << 20);

/// What a document that reaches the limit says.
pub const EXPANDS_TOO_FAR: &str = "aliases, merge keys and tiny values expand to more than 256 MiB";

/// How many bytes a key or a value counts; less than Go takes for one.
const VALUE: u64 = 64;

/// How many bytes an item of a list of a document counts, and one of a list in that: an entry, its `skips`, a property.
const ITEM: u64 = 256;

/// How many bytes a document counts, or what is wrong with it.
const DOCUMENT: u64 = 2048;

/// How many bytes each byte of text has free.
const FREE: u64 = 2;

/// From now on documents may expand to any size: the user trusts what is read.
pub fn lift_expansion_limit() {
    MAX_EXPANSION.lift();
}

/// Whether this process has left a document unread because of the limit.
#[must_use]
pub fn is_expansion_limit_reached() -> bool {
    MAX_EXPANSION.is_reached()
}

/// What decoding has added to the documents of one input; shared by the threads that read it.
#[derive(Debug, Default)]
pub struct Expansion {
    used: AtomicU64,
}

impl Expansion {
    /// What is read again counts from nothing.
    pub fn reset(&self) {
        self.used.store(0, Ordering::Relaxed);
    }

    /// Takes note of so many bytes more.
    ///
    /// # Errors
    ///
    /// The limit is reached: no document gets any more.
    pub fn charge(&self, bytes: usize) -> Result<(), &'static str> {
        self.charge_bytes(bytes as u64)
    }

    /// How many keys and values a text of `len` bytes may have at most. The limit is for those who read it, as they go;
    /// [`Self::charge_document`] takes note of the document.
    pub(crate) fn max_values(&self, len: usize) -> u64 {
        let free = FREE.saturating_mul(len as u64);
        MAX_EXPANSION.left(self.used.load(Ordering::Relaxed)).saturating_add(free) / VALUE
    }

    /// Takes note of a document that was read from `len` bytes of text.
    ///
    /// # Errors
    ///
    /// As [`Self::charge`].
    pub fn charge_document(&self, document: Value<'_>, len: usize) -> Result<(), &'static str> {
        let lists = |of: Value<'_>| of.members().map(|(_, it)| it.items().count() as u64).sum::<u64>();
        let items: u64 = document.members().flat_map(|(_, it)| it.items()).map(|it| 1 + lists(it)).sum();
        self.charge_above(DOCUMENT + ITEM * items + VALUE * document.n_values(), len)
    }

    /// Takes note of `len` bytes of text that are no document.
    pub fn charge_broken(&self, len: usize) {
        // There is a finding about it anyway.
        let _ = self.charge_above(DOCUMENT, len);
    }

    /// Whether the limit is reached, so that nothing more of the input need be read.
    pub fn is_spent(&self) -> bool {
        MAX_EXPANSION.is_below(self.used.load(Ordering::Relaxed))
    }

    /// Charges what something costs above the text that it is.
    fn charge_above(&self, cost: u64, len: usize) -> Result<(), &'static str> {
        match cost.saturating_sub(FREE.saturating_mul(len as u64)) {
            0 => Ok(()),
            paid => self.charge_bytes(paid),
        }
    }

    fn charge_bytes(&self, bytes: u64) -> Result<(), &'static str> {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if MAX_EXPANSION.allows(used) { Ok(()) } else { Err(EXPANDS_TOO_FAR) }
    }
}

/// Remembers that a document was left unread because it has too many values.
pub(crate) fn has_too_many_values() -> &'static str {
    MAX_EXPANSION.reach();
    EXPANDS_TOO_FAR
}
