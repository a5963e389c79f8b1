//! Limits that a shell or a service manager sets for the process (`ulimit`).

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use nix::sys::signal::{SigSet, Signal};
use rustix::process::{Resource, getrlimit};

/// The number of heaps that glibc makes; without this setting each thread has its own.
const HEAPS: &str = "MALLOC_ARENA_MAX";

/// Makes the program end in order when it hits a limit. It must run first, while there is only one thread.
pub(super) fn obey() {
    fail_to_write_instead_of_dying();
    share_one_heap_if_memory_is_limited();
}

/// Under `ulimit -f` the system sends SIGXFSZ, which would end the program at once, without a message and with its
/// workspace left behind. While the signal is blocked, the write fails with EFBIG instead. Threads and started programs
/// inherit the block.
fn fail_to_write_instead_of_dying() {
    // It cannot fail for a signal that exists.
    let _ = SigSet::from(Signal::SIGXFSZ).thread_block();
}

/// Under `ulimit -v` a program with threads can come to a standstill: glibc reserves 64 MiB of addresses for the heap
/// of each thread. If it gets none, it tries again at each allocation (six system calls), and takes a page from the
/// system for each. One heap for all threads needs no such reservation.
///
/// Without unsafe code only the environment can tell glibc this, and only before `main`, so the program starts anew in
/// this process. Settings of the user stay as they are.
fn share_one_heap_if_memory_is_limited() {
    let is_limited = getrlimit(Resource::As).current.is_some();
    if !cfg!(target_env = "gnu") || !is_limited || std::env::var_os(HEAPS).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut args = std::env::args_os();
    let name = args.next().unwrap_or_else(|| OsString::from("olmdex"));
    // If the restart fails, the program goes on: a slow program is better than none.
    let _ = Command::new(program).arg0(name).args(args).env(HEAPS, "1").exec();
}
