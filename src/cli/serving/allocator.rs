//! How the C library gives memory back.
//!
//! What it deliberately does not do: it replaces no allocator, which took more memory wherever it was tried.

use crate::cli::limits::start_anew;

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
/// keeps twice the memory that it uses. It returns if there is nothing to do, or if the program cannot be started, and then all works as
/// before, with more memory.
pub(super) fn give_back_large_blocks() {
    start_anew(&[THRESHOLD, KEPT, HEAPS]);
}
