//! A limit of this process on its input, which its user may lift.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A limit, and whether something was left out because of it.
#[derive(Debug)]
pub struct Ceiling {
    most: AtomicU64,
    is_reached: AtomicBool,
}

impl Ceiling {
    /// A limit of `most`, which nothing has reached yet.
    pub const fn new(most: u64) -> Self {
        Self { most: AtomicU64::new(most), is_reached: AtomicBool::new(false) }
    }

    /// From now on there may be any number.
    pub fn lift(&self) {
        self.most.store(u64::MAX, Ordering::Relaxed);
    }

    /// Whether there may be `n`. A refusal is remembered.
    pub fn allows(&self, n: u64) -> bool {
        let may = n <= self.most.load(Ordering::Relaxed);
        if !may {
            self.is_reached.store(true, Ordering::Relaxed);
        }
        may
    }

    /// The number that may follow after `n`.
    pub(crate) fn left(&self, n: u64) -> u64 {
        self.most.load(Ordering::Relaxed).saturating_sub(n)
    }

    /// Whether the limit is below `n`.
    pub(crate) fn is_below(&self, n: u64) -> bool {
        n > self.most.load(Ordering::Relaxed)
    }

    /// Remembers that there were more than there may be.
    pub(crate) fn reach(&self) {
        self.is_reached.store(true, Ordering::Relaxed);
    }

    /// Whether there were more than there may be.
    pub fn is_reached(&self) -> bool {
        self.is_reached.load(Ordering::Relaxed)
    }
}
