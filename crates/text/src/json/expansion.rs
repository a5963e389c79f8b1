//! How much larger than its text an input may become when it is decoded, over all its documents.

use std::sync::atomic::{AtomicU64, Ordering};

use super::text::fold_eq;
use super::value::{FREE_BLANKS, Kind, Value};
use crate::ceiling::Ceiling;

/// The number of bytes that decoding may add to an input. go-yaml has no such limit, but its rule counts nodes: without
/// a limit one long string could be copied without end, and three bytes of text be an object.
static MAX_EXPANSION: Ceiling = Ceiling::new(256 << 20);

/// The error of a document that reaches the limit.
pub const EXPANDS_TOO_FAR: &str =
    "aliases, merge keys, tiny values, nesting, indentation and long tokens expand to more than 256 MiB";

/// The number of bytes that a key or a value counts; less than Go takes for one.
const VALUE: u64 = 64;

/// The number of bytes that an item of a list of a document counts: an entry, a property.
const ITEM: u64 = 256;

/// The number of bytes that an item of a list in such an item counts. Questions keep each name of an entry's `skips` in
/// several lists that are sorted by it.
const NESTED_ITEM: u64 = 896;

/// So long may a range of versions be without counting, and the number of bytes that each further one counts: engines
/// keep the versions that it names several times.
const LONG_RANGE: u64 = 1000;
const RANGE: u64 = 32;

/// The bytes that a document, or the error in it, counts for.
const DOCUMENT: u64 = 2048;

/// The number of bytes that each byte of text has free.
const FREE: u64 = 2;

/// The bytes that are counted for a blank: written text is kept until all of it is sorted, in buffers that double.
const BLANK: u64 = 4;

/// From now on documents may expand to any size: the user trusts the input.
pub fn lift_expansion_limit() {
    MAX_EXPANSION.lift();
}

/// Whether this process has left a document unread because of the limit.
pub fn is_expansion_limit_reached() -> bool {
    MAX_EXPANSION.is_reached()
}

/// The bytes that decoding has added to the documents of one input; shared by the threads that read it.
#[derive(Debug, Default)]
pub struct Expansion {
    used: AtomicU64,
}

impl Expansion {
    /// A second reading counts from zero.
    pub fn reset(&self) {
        self.used.store(0, Ordering::Relaxed);
    }

    /// Counts `bytes` more.
    ///
    /// # Errors
    /// The limit is reached: no further document is read.
    pub fn charge(&self, bytes: usize) -> Result<(), &'static str> {
        self.charge_bytes(bytes as u64)
    }

    /// The largest number of keys and values that a text of `len` bytes may have. The limit is for readers, while they
    /// read; [`Self::charge_document`] counts the document.
    pub(crate) fn max_values(&self, len: usize) -> u64 {
        let free = FREE.saturating_mul(len as u64);
        MAX_EXPANSION.left(self.used.load(Ordering::Relaxed)).saturating_add(free) / VALUE
    }

    /// Counts a document that was read from `len` bytes of text.
    ///
    /// # Errors
    /// The errors of [`Self::charge`].
    pub fn charge_document(&self, document: Value<'_>, len: usize) -> Result<(), &'static str> {
        let of_member = |(key, value): (Value<'_>, Value<'_>)| match value.kind() {
            // The decoder takes keys of any case, escaped ones too.
            Kind::PlainString | Kind::EscapedString
                if value.raw().len() as u64 > LONG_RANGE
                    && key.as_str().is_some_and(|it| fold_eq(&it, "skipRange")) =>
            {
                RANGE * (value.raw().len() as u64 - LONG_RANGE)
            }
            _ => NESTED_ITEM * value.items().count() as u64,
        };
        let items = document.members().flat_map(|(_, list)| list.items());
        let items: u64 = items.map(|item| ITEM + item.members().map(of_member).sum::<u64>()).sum();
        self.charge_above(DOCUMENT + items + VALUE * document.n_values(), len)
    }

    /// Counts the [blanks](Value::indentation) that are written for a value of `len` bytes of text. Text that is
    /// indented by its nesting grows with the square of it.
    ///
    /// # Errors
    /// The errors of [`Self::charge`].
    pub fn charge_indentation(&self, n_blanks: u64, len: usize) -> Result<(), &'static str> {
        match n_blanks.saturating_sub(FREE_BLANKS.saturating_mul(len as u64)) {
            0 => Ok(()),
            paid => self.charge_bytes(paid.saturating_mul(BLANK)),
        }
    }

    /// The largest number of blanks that a value of `len` bytes of text may have by itself, for writers that count
    /// while they write; [`Self::charge_indentation`] gives the error.
    pub(super) fn max_blanks(len: usize) -> u64 {
        (MAX_EXPANSION.left(0) / BLANK).saturating_add(FREE_BLANKS.saturating_mul(len as u64))
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

    /// Charges the cost of a value above the length of its text.
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

/// Whether so many digits may be one number beyond the range of a double, which opm reads as YAML then. A refusal is
/// remembered.
pub(crate) fn may_be_number(n_digits: usize) -> bool {
    const DIGIT: u64 = 256;
    MAX_EXPANSION.allows(DIGIT.saturating_mul(n_digits as u64))
}

/// Whether so many bytes may be one token of YAML. The scanner keeps that many for each of its bytes. A refusal is
/// remembered.
pub(crate) fn may_be_token(n_bytes: usize) -> bool {
    const BYTE: u64 = 8;
    MAX_EXPANSION.allows(BYTE.saturating_mul(n_bytes as u64))
}

/// Remembers that a document was left unread because it has too many values.
pub(crate) fn has_too_many_values() -> &'static str {
    MAX_EXPANSION.reach();
    EXPANDS_TOO_FAR
}
