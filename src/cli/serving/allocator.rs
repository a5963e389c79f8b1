//! How the C library gives memory back.
//!
//! What it deliberately does not do: it replaces no allocator, which took more memory wherever it was tried.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// From how many bytes on glibc asks the system for a block of its own, which it gives back when the block is free. It begins with so
/// many, too.
const THRESHOLD: (&str, &str) = ("MALLOC_MMAP_THRESHOLD_", "131072");

/// How many free bytes glibc keeps behind the last block in use: a thread that makes answers needs them again and again.
const KEPT: (&str, &str) = ("MALLOC_TRIM_THRESHOLD_", "524288");

/// How many heaps there are; else each thread has one of its own.
const HEAPS: (&str, &str) = ("MALLOC_ARENA_MAX", "2");

/// Starts the program anew in this process, with large blocks given back to the system for as long as it runs.
///
/// Whenever glibc frees a block of its own, up to 32 MiB, it no longer makes such blocks of that size: after some long lists a server
/// keeps twice the memory that it uses. Without unsafe code only the environment can fix the threshold, and only before `main`. It
/// returns if there is nothing to do, or if the program cannot be started, and then all works as before, with more memory.
pub(super) fn give_back_large_blocks() {
    if !cfg!(target_env = "gnu") || std::env::var_os(THRESHOLD.0).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_else(|| OsString::from("olmdex"));
    let unset = [THRESHOLD, KEPT, HEAPS].into_iter().filter(|it| std::env::var_os(it.0).is_none());
    // Whatever kept it from starting: a server that takes more memory is better than none.
    let _ = Command::new(program).arg0(name).args(words).envs(unset).exec();
}
