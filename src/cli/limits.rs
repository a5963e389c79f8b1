//! Limits that a shell or a service manager sets for the process (`ulimit`).

use std::num::NonZero;
use std::thread;

use nix::sys::signal::{SigSet, Signal};
use rustix::process::{Resource, getrlimit};

/// The addresses that a thread should have: glibc reserves 64 MiB for the heap of each, and four times as much leaves
/// room for the work itself.
const ADDRESSES_OF_A_THREAD: u64 = 256 << 20;

/// Under `ulimit -f` the system sends SIGXFSZ, which would end the program at once, without a message and with its
/// workspace left behind. While the signal is blocked, the write fails with EFBIG instead. Threads and started programs
/// inherit the block, so this must run first, while there is only one thread.
pub(super) fn fail_to_write_instead_of_dying() {
    // It cannot fail for a signal that exists.
    let _ = SigSet::from(Signal::SIGXFSZ).thread_block();
}

/// The number of threads for which the addresses suffice; `None` if they are not limited (`ulimit -v`), if no thread
/// has a heap of its own, or if the user has decided.
///
/// A thread without a heap of its own tries to get one at each allocation (six system calls), and takes a page from the
/// system for each, so a program with too many threads comes to a standstill.
pub(super) fn threads_for_addresses() -> Option<usize> {
    let has_decided = ["MALLOC_ARENA_MAX", "RAYON_NUM_THREADS"].iter().any(|it| std::env::var_os(it).is_some());
    if !cfg!(target_env = "gnu") || has_decided {
        return None;
    }
    let n_cores = thread::available_parallelism().map_or(1, NonZero::get);
    getrlimit(Resource::As).current.map(|limit| threads_for(limit, n_cores))
}

fn threads_for(addresses: u64, n_cores: usize) -> usize {
    usize::try_from(addresses / ADDRESSES_OF_A_THREAD).map_or(n_cores, |it| it.clamp(1, n_cores))
}

#[cfg(test)]
mod tests {
    use super::threads_for;

    #[test]
    fn few_addresses_are_for_few_threads() {
        for (addresses, n_cores, expected) in
            [(0, 8, 1), (150 << 20, 8, 1), (1 << 30, 8, 4), (4 << 30, 8, 8), (u64::MAX, 2, 2)]
        {
            assert_eq!(threads_for(addresses, n_cores), expected, "{addresses} for {n_cores} cores");
        }
    }
}
