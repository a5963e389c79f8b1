//! How many findings a catalog may have before nobody reads them: a few bytes of rubbish make a finding of a kilobyte.
//!
//! What it deliberately does not do: it chooses none. What has more is not judged further, and the command says so.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many findings are kept of a catalog.
const MAX_FINDINGS: usize = 200_000;

/// The limit of this process.
static LIMIT: AtomicUsize = AtomicUsize::new(MAX_FINDINGS);

/// Whether something was not judged because of it.
static IS_REACHED: AtomicBool = AtomicBool::new(false);

/// What a catalog that reaches the limit is told.
pub const TOO_MANY_FINDINGS: &str = "the catalog has more than 200,000 findings";

/// From now on a catalog may have any number of findings.
pub fn lift_finding_limit() {
    LIMIT.store(usize::MAX, Ordering::Relaxed);
}

/// Whether this process has left a part of a catalog without judgement because of the limit.
#[must_use]
pub fn is_finding_limit_reached() -> bool {
    IS_REACHED.load(Ordering::Relaxed)
}

/// Whether so many findings of one catalog are kept.
pub(crate) fn may_have(findings: usize) -> bool {
    let may = findings <= LIMIT.load(Ordering::Relaxed);
    if !may {
        IS_REACHED.store(true, Ordering::Relaxed);
    }
    may
}
