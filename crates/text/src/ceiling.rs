//! A limit of this process on what it takes of its input, which its user may lift.
//!
//! What it deliberately does not do: it counts nothing, and says nothing to the user.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A limit, and whether something was left out because of it.
#[derive(Debug)]
pub struct Ceiling {
    most: AtomicU64,
    is_reached: AtomicBool,
}

impl Ceiling {
    /// A limit of so many, which nothing has reached yet.
    pub const fn new(most: u64) -> Self {
        Self { most: AtomicU64::new(most), is_reached: AtomicBool::new(false) }
    }

    /// From now on there may be any number.
    pub fn lift(&self) {
        self.most.store(u64::MAX, Ordering::Relaxed);
    }

    /// Whether there may be so many. That there may not be is remembered.
    pub fn allows(&self, n: u64) -> bool {
        let may = n <= self.most.load(Ordering::Relaxed);
        if !may {
            self.is_reached.store(true, Ordering::Relaxed);
        }
        may
    }

    /// How many more there may be after so many.
    pub(crate) fn left(&self, n: u64) -> u64 {
        self.most.load(Ordering::Relaxed).saturating_sub(n)
    }

    /// Whether it is less than so many.
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
