//! Satisfiability with preferences: variables, constraints between them, and the one answer that the order of
//! preferences singles out.
//!
//! A [`Problem`] has variables; each carries constraints, and those of kind [`Constraint::Dependency`] list candidates in
//! order of preference. [`solve()`] takes, choice by choice in the order in which choices come up, the first candidate
//! that some complete answer still contains, so that it never has to go back (`docs/behaviour/olm-classic.md` 4.4.1).
//! What cannot be satisfied gets a minimal core: constraints that contradict each other, none of which can be left
//! out.
//!
//! The SAT engine is imported by one file here and by nobody else.
//!
//! What it deliberately does not do: it knows nothing of catalogs, gives nothing a name, and does not look for the
//! smallest answer: preferences come before size.

mod encoding;
mod problem;
mod sat;
mod search;
mod unsat;

pub use problem::{Constraint, Fact, Problem, Var};
pub use search::{Answer, Choice, Solution, solve};

use thiserror::Error;

/// How much work a question may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Conflicts that the SAT engine may run into, all of its runs taken together.
    pub conflicts: u64,
}

impl Default for Limits {
    /// Far more than any catalog known needs, and still no more than some seconds.
    fn default() -> Self {
        Self { conflicts: 200_000 }
    }
}

/// Why there is no answer, neither yes nor no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The limit of conflicts was reached.
    #[error("the search was given up after {conflicts} conflicts")]
    Limit {
        /// The limit.
        conflicts: u64,
    },
}
