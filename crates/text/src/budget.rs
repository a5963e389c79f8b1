//! The work and the memory that something made by a stranger may cost: a rule, an image, a file, a page.
//!
//! Clocks differ from machine to machine, so a budget counts steps and bytes. One budget may serve several threads.

use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

/// The steps and bytes of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Steps of work.
    pub steps: u64,
    /// Bytes that are kept at a time.
    pub bytes: u64,
}

/// A budget is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Exhausted {
    /// There are no more steps.
    #[error("more than {limit} steps")]
    Steps { limit: u64 },
    /// There are no more bytes.
    #[error("more than {limit} bytes")]
    Bytes { limit: u64 },
}

/// Steps and bytes that are left.
#[derive(Debug)]
pub struct Budget {
    allowance: Allowance,
    steps: AtomicU64,
    bytes: AtomicU64,
}

impl Budget {
    /// A budget of which nothing is spent.
    pub const fn new(allowance: Allowance) -> Self {
        Self { allowance, steps: AtomicU64::new(allowance.steps), bytes: AtomicU64::new(allowance.bytes) }
    }

    /// The most bytes that it allows at a time.
    pub const fn max_bytes(&self) -> u64 {
        self.allowance.bytes
    }

    /// Starts anew, with other steps.
    pub fn refill(&mut self, steps: u64) {
        *self = Self::new(Allowance { steps, ..self.allowance });
    }

    /// Starts anew.
    pub fn restart(&self) {
        self.steps.store(self.allowance.steps, Ordering::Relaxed);
        self.bytes.store(self.allowance.bytes, Ordering::Relaxed);
    }

    /// The number of steps that are left.
    pub fn steps_left(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Takes steps.
    ///
    /// # Errors
    /// [`Exhausted::Steps`] if fewer are left; then none is taken.
    pub fn spend(&self, n_steps: u64) -> Result<(), Exhausted> {
        take(&self.steps, n_steps).ok_or_else(|| self.out_of_steps())
    }

    /// The error of a caller that counts steps by itself and has none left.
    pub const fn out_of_steps(&self) -> Exhausted {
        Exhausted::Steps { limit: self.allowance.steps }
    }

    /// Takes bytes, until they are [released](Self::release).
    ///
    /// # Errors
    /// [`Exhausted::Bytes`] if fewer are left; then none is taken.
    pub fn keep(&self, n_bytes: u64) -> Result<(), Exhausted> {
        let limit = self.allowance.bytes;
        take(&self.bytes, n_bytes).ok_or(Exhausted::Bytes { limit })
    }

    /// Adds steps: the input that comes pays for the work on it.
    pub fn earn(&self, n_steps: u64) {
        add(&self.steps, n_steps);
    }

    /// Gives bytes back that were [kept](Self::keep). Input that pays for what it becomes is given as well.
    pub fn release(&self, n_bytes: u64) {
        add(&self.bytes, n_bytes);
    }
}

/// The budget of a statement on a database file of `size` bytes that a stranger may have made: its steps, and the
/// length of a value. A step of SQLite's virtual machine takes 10 to 50 ns; a question takes some thousands.
pub const fn database_budget(size: u64) -> Budget {
    const MIN_VALUE: u64 = 64 << 20;
    let steps = 200_000_000_u64.saturating_add(size.saturating_mul(100));
    Budget::new(Allowance { steps, bytes: if size < MIN_VALUE { MIN_VALUE } else { size } })
}

// A budget that wraps would be a new one, so neither end is passed.
fn take(left: &AtomicU64, n: u64) -> Option<()> {
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(n)).ok().map(drop)
}

fn add(left: &AtomicU64, n: u64) {
    let _ = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_add(n)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_not_taken() {
        let budget = Budget::new(Allowance { steps: 3, bytes: 10 });
        assert_eq!(budget.spend(4), Err(Exhausted::Steps { limit: 3 }));
        assert_eq!(budget.spend(3), Ok(()));
        assert_eq!(budget.spend(1), Err(Exhausted::Steps { limit: 3 }));
        assert_eq!(budget.keep(10), Ok(()));
        assert_eq!(budget.keep(1), Err(Exhausted::Bytes { limit: 10 }));
        budget.release(u64::MAX);
        assert_eq!(budget.keep(u64::MAX), Ok(()));
    }
}
