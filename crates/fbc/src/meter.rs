//! The progress of reading an input, for a caller that waits for the rest.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use olmdex_text::json::Expansion;

/// Counts what has been read; shared by all copies of an input. A second reading counts from zero.
#[derive(Debug, Default)]
pub struct Meter {
    files: AtomicUsize,
    bytes: AtomicU64,
    /// The bytes that aliases have added.
    pub(super) expansion: Expansion,
}

impl Meter {
    /// Files that have been read whole.
    pub fn files(&self) -> usize {
        self.files.load(Ordering::Relaxed)
    }

    /// Bytes that have been read.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn reset(&self) {
        self.files.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
        self.expansion.reset();
    }

    pub(super) fn add_file(&self) {
        self.files.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_bytes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}
