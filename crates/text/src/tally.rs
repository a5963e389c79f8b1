//! Steps of work, counted so that a test can say how work grows with its input without a clock.
//!
//! What it deliberately does not do: it counts nothing outside of this crate's own tests, where a step costs nothing.

/// Notes steps of work.
#[inline(always)]
pub(crate) fn step(n_steps: usize) {
    #[cfg(test)]
    counted::STEPS.with(|it| it.set(it.get() + n_steps as u64));
    #[cfg(not(test))]
    let _ = n_steps;
}

#[cfg(test)]
pub(crate) use counted::{assert_grows_with_input, steps_of};

#[cfg(test)]
mod counted {
    use std::cell::Cell;

    thread_local! {
        pub(super) static STEPS: Cell<u64> = const { Cell::new(0) };
    }

    /// How many steps some work takes on this thread.
    pub(crate) fn steps_of(work: impl FnOnce()) -> u64 {
        let before = STEPS.get();
        work();
        STEPS.get() - before
    }

    /// Asserts that twice the input takes at most about twice the steps, as work in n log n does; quadratic work would take four times.
    /// `work` prepares an input of a size, and gives what is to be counted.
    pub(crate) fn assert_grows_with_input<W: FnOnce()>(size: usize, work: impl Fn(usize) -> W) {
        let [small, large] = [size, 2 * size].map(|it| steps_of(work(it)));
        assert!(small >= size as u64 / 2, "only {small} steps were counted for {size}");
        assert!(large * 10 <= small * 23, "{size}: {small} steps, {}: {large}", 2 * size);
    }
}
