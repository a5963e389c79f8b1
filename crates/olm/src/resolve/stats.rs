//! How much a resolution had to look at.

use std::time::Duration;

/// The size of a problem, and the time that it took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Size {
    /// Entries that could matter.
    pub entries: usize,
    /// Reading rows and making the problem.
    pub universe: Duration,
    /// Solving it.
    pub solve: Duration,
}

impl PartialEq for Size {
    /// Times differ from run to run.
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for Size {}
