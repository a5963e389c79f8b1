//! Steps of work, counted so that a test can say how work grows with its input without a clock.

/// Notes steps of work.
#[inline(always)]
pub fn step(n_steps: usize) {
    #[cfg(debug_assertions)]
    counted::STEPS.with(|it| it.set(it.get() + n_steps as u64));
    #[cfg(not(debug_assertions))]
    let _ = n_steps;
}

#[cfg(debug_assertions)]
pub use counted::{assert_grows_with_input, steps_of};

#[cfg(debug_assertions)]
mod counted {
    use std::cell::Cell;

    thread_local! {
        pub(super) static STEPS: Cell<u64> = const { Cell::new(0) };
    }

    /// The number of steps that some work takes on this thread.
    pub fn steps_of(work: impl FnOnce()) -> u64 {
        let before = STEPS.get();
        work();
        STEPS.get() - before
    }

    /// Asserts that twice the input takes at most about twice the steps, as work in n log n does; quadratic work would
    /// take four times. `work` prepares an input of a size, and returns the code to be counted.
    pub fn assert_grows_with_input<W: FnOnce()>(size: usize, work: impl Fn(usize) -> W) {
        let [small, large] = [size, 2 * size].map(|it| steps_of(work(it)));
        assert!(small >= size as u64 / 2, "only {small} steps were counted for {size}");
        assert!(large * 10 <= small * 23, "{size}: {small} steps, {}: {large}", 2 * size);
    }
}
