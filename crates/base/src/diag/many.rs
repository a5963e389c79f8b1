//! The number of findings of a catalog that are kept. More of them are of no use, and a few bytes of rubbish make a
//! finding of a kilobyte.

use olmdex_text::ceiling::Ceiling;

/// The number of findings that are kept of a catalog.
static MAX_FINDINGS: Ceiling = Ceiling::new(50_000);

/// The message about an input that reaches the limit: a catalog, or a configuration.
pub const TOO_MANY_FINDINGS: &str = "one input has more than 50,000 findings";

/// From now on a catalog may have any number of findings.
pub fn lift_finding_limit() {
    MAX_FINDINGS.lift();
}

/// Whether this process has left a part of a catalog without judgement because of the limit.
pub fn is_finding_limit_reached() -> bool {
    MAX_FINDINGS.is_reached()
}

/// Whether this many findings of one catalog are kept.
pub fn may_have(findings: usize) -> bool {
    MAX_FINDINGS.allows(findings as u64)
}
