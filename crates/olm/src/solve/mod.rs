//! Satisfiability with preferences: variables, constraints between them, and the one answer that the order of
//! preferences singles out.
//!
//! A [`Problem`] has variables; each carries constraints, and those of kind [`Constraint::Dependency`] list candidates
//! in order of preference. For choice after choice, in the order in which choices come up, [`solve()`] takes the first
//! candidate that some complete answer still contains, so it never has to go back (`docs/behaviour/olm-classic.md`
//! 4.4.1). A problem that cannot be satisfied gets a minimal core: constraints that contradict each other, none of
//! which can be left out.
//!
//! Only one file imports the SAT engine.

mod as_olm;
mod encoding;
mod problem;
mod propagation;
mod sat;
mod search;
mod unsat;

pub use as_olm::solve_as_olm;
pub use problem::{Constraint, Fact, Problem, Var};
pub use search::{Answer, Choice, Solution, solve};

use thiserror::Error;

/// The limits on the work for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The limit of conflicts in the SAT engine, for all of its runs together.
    pub conflicts: u64,
}

impl Default for Limits {
    /// Far more than any catalog known needs, and still no more than some seconds.
    fn default() -> Self {
        Self { conflicts: 200_000 }
    }
}

/// The reasons why there is no answer, neither yes nor no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The limit of conflicts was reached.
    #[error("the search stopped after {conflicts} conflicts")]
    Limit { conflicts: u64 },
}
