//! The SAT engine: literals, clauses, runs under assumptions.
//!
//! The only file that imports the engine. It never guesses at random and prefers to leave variables out, so the same
//! clauses in the same order give the same model.

use std::cell::Cell;
use std::ops::Not;
use std::rc::Rc;

use batsat::{Callbacks, ClauseKind, Solver, SolverInterface as _, SolverOpts, lbool};

/// A variable of the engine, or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Lit(batsat::Lit);

impl Not for Lit {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// The result of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Run {
    /// There is a model: [`Sat::is_true`] reads it.
    Satisfiable,
    /// There is no answer.
    Unsatisfiable,
    /// The limit was reached.
    GaveUp,
}

/// Counts the clauses that the engine learns, which is one for each conflict, and stops it at the limit.
#[derive(Debug)]
struct Meter {
    spent: Rc<Cell<u64>>,
    limit: u64,
}

impl Callbacks for Meter {
    fn on_new_clause(&mut self, _: &[batsat::Lit], source: ClauseKind) {
        if source == ClauseKind::Learnt {
            self.spent.set(self.spent.get() + 1);
        }
    }

    fn stop(&self) -> bool {
        self.spent.get() > self.limit
    }
}

/// The engine with its clauses.
pub(super) struct Sat {
    solver: Solver<Meter>,
    clause: Vec<batsat::Lit>,
    assumed: Vec<batsat::Lit>,
    /// Whether the clauses alone contradict each other, as far as adding them showed.
    is_contradictory: bool,
}

impl Sat {
    /// An engine that may run into `limit` conflicts, those counted in `spent` already included.
    pub(super) fn new(spent: &Rc<Cell<u64>>, limit: u64) -> Self {
        let meter = Meter { spent: Rc::clone(spent), limit };
        Self {
            solver: Solver::new(SolverOpts::default(), meter),
            clause: Vec::new(),
            assumed: Vec::new(),
            is_contradictory: false,
        }
    }

    /// A new variable, which models leave out if they can.
    pub(super) fn variable(&mut self) -> Lit {
        Lit(batsat::Lit::new(self.solver.new_var(lbool::FALSE, true), true))
    }

    /// A new variable that is never decided about: it is assumed, or follows from others, or does not matter.
    pub(super) fn auxiliary(&mut self) -> Lit {
        Lit(batsat::Lit::new(self.solver.new_var(lbool::FALSE, false), true))
    }

    /// Adds a clause: one of these holds.
    pub(super) fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) {
        self.clause.clear();
        self.clause.extend(literals.into_iter().map(|it| it.0));
        self.is_contradictory |= !self.solver.add_clause_reuse(&mut self.clause);
    }

    /// Looks for a model in which all of `assumed` holds.
    pub(super) fn run(&mut self, assumed: impl IntoIterator<Item = Lit>) -> Run {
        if self.is_contradictory {
            return Run::Unsatisfiable;
        }
        self.assumed.clear();
        self.assumed.extend(assumed.into_iter().map(|it| it.0));
        match self.solver.solve_limited(&self.assumed) {
            it if it == lbool::TRUE => Run::Satisfiable,
            it if it == lbool::FALSE => Run::Unsatisfiable,
            _ => Run::GaveUp,
        }
    }

    /// Whether the model of the last run has the literal. Only after [`Run::Satisfiable`].
    pub(super) fn is_true(&self, literal: Lit) -> bool {
        self.solver.value_lit(literal.0) == lbool::TRUE
    }

    /// Whether no model at all has the literal, as far as the engine knows.
    pub(super) fn is_never_true(&self, literal: Lit) -> bool {
        self.is_contradictory || self.solver.value_lvl_0(literal.0) == lbool::FALSE
    }

    /// Whether the last run needed this assumption for its no. Only after [`Run::Unsatisfiable`].
    pub(super) fn is_to_blame(&self, assumption: Lit) -> bool {
        !self.is_contradictory && self.solver.unsat_core_contains_var(assumption.0.var())
    }
}
