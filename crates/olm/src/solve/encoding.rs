//! Constraints as clauses.
//!
//! Two forms: the plain one, in which the search runs, and the guarded one, in which every constraint has a literal of
//! its own that switches it on, so that the engine can say which constraints it needs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::problem::{Constraint, Fact, Problem, Var};
use super::sat::{Lit, Sat};

/// Up to this number of variables "at most one" is a clause for every pair: more clauses than other encodings, but the
/// engine is fastest with them.
const PAIRWISE: usize = 40;

/// From this length on a list of candidates that several dependencies share has a literal of its own.
const SHARED: usize = 16;

/// Literals of a problem's variables.
pub(super) struct Encoding {
    literals: Vec<Lit>,
    /// The literals that demand one of the candidates of a list, by the address of the list.
    shared: HashMap<*const Var, Lit>,
}

/// A constraint with the literal that switches it on.
pub(super) struct Guard {
    pub(super) fact: Fact,
    pub(super) literal: Lit,
}

impl Encoding {
    /// Variables for the problem, without clauses.
    fn of_variables(problem: &Problem, sat: &mut Sat) -> Self {
        Self { literals: problem.variables().map(|_| sat.variable()).collect(), shared: HashMap::new() }
    }

    /// All constraints, always on.
    pub(super) fn plain(problem: &Problem, sat: &mut Sat) -> Self {
        let mut encoding = Self::of_variables(problem, sat);
        // Sets from which at most one may be chosen often come twice: all providers of an API are versions of one
        // package.
        let mut seen: HashSet<(usize, Vec<Var>)> = HashSet::new();
        for (fact, constraint) in problem.facts() {
            if let Constraint::AtMost(n, of) = constraint
                && !seen.insert((*n, sorted(of)))
            {
                continue;
            }
            encoding.encode(fact.var, constraint, None, sat);
        }
        encoding
    }

    /// The named constraints, each with its switch.
    pub(super) fn guarded(problem: &Problem, facts: &[Fact], sat: &mut Sat) -> (Self, Vec<Guard>) {
        let mut encoding = Self::of_variables(problem, sat);
        let guards = facts
            .iter()
            .map(|&fact| {
                let literal = sat.auxiliary();
                encoding.encode(fact.var, problem.constraint(fact), Some(literal), sat);
                Guard { fact, literal }
            })
            .collect();
        (encoding, guards)
    }

    pub(super) fn literal(&self, var: Var) -> Lit {
        self.literals[var.index()]
    }

    fn encode(&mut self, var: Var, constraint: &Constraint, guard: Option<Lit>, sat: &mut Sat) {
        let own = self.literal(var);
        let off = guard.map(|it| !it);
        match constraint {
            Constraint::Mandatory => sat.clause(off.into_iter().chain([own])),
            Constraint::Prohibited => sat.clause(off.into_iter().chain([!own])),
            Constraint::Dependency(candidates) if Arc::strong_count(candidates) > 1 && candidates.len() >= SHARED => {
                let one = self.one_of(candidates, sat);
                sat.clause(off.into_iter().chain([!own, one]));
            }
            Constraint::Dependency(candidates) => {
                let candidates = candidates.iter().map(|it| self.literal(*it));
                sat.clause(off.into_iter().chain([!own]).chain(candidates));
            }
            Constraint::Conflict(other) => sat.clause(off.into_iter().chain([!own, !self.literal(*other)])),
            Constraint::AtMost(n, of) => {
                let literals: Vec<Lit> = sorted(of).into_iter().map(|it| self.literal(it)).collect();
                at_most(*n, &literals, off, sat);
            }
        }
    }
}

impl Encoding {
    /// A literal that demands one of the candidates of a shared list.
    fn one_of(&mut self, candidates: &Arc<[Var]>, sat: &mut Sat) -> Lit {
        if let Some(known) = self.shared.get(&candidates.as_ptr()) {
            return *known;
        }
        let one = sat.auxiliary();
        sat.clause(std::iter::once(!one).chain(candidates.iter().map(|var| self.literal(*var))));
        self.shared.insert(candidates.as_ptr(), one);
        one
    }
}

fn sorted(of: &[Var]) -> Vec<Var> {
    let mut of = of.to_vec();
    of.sort_unstable();
    of
}

/// At most `n` of the literals; a literal that occurs twice counts twice.
fn at_most(n: usize, literals: &[Lit], off: Option<Lit>, sat: &mut Sat) {
    if literals.len() <= n {
        return;
    }
    if n == 0 {
        literals.iter().for_each(|it| sat.clause(off.into_iter().chain([!*it])));
    } else if n == 1 && literals.len() <= PAIRWISE {
        for (idx, first) in literals.iter().enumerate() {
            literals[idx + 1..].iter().for_each(|it| sat.clause(off.into_iter().chain([!*first, !*it])));
        }
    } else {
        count(n, literals, off, sat);
    }
}

/// A counter that runs along the literals: its `k`-th digit says that more than `k` of those so far are chosen. Digits
/// follow from the literals; a digit that does not follow may have any value.
fn count(n: usize, literals: &[Lit], off: Option<Lit>, sat: &mut Sat) {
    let mut before: Vec<Lit> = Vec::new();
    for literal in literals {
        if let Some(full) = before.get(n - 1) {
            sat.clause(off.into_iter().chain([!*literal, !*full]));
        }
        let digits: Vec<Lit> = (0..(before.len() + 1).min(n)).map(|_| sat.auxiliary()).collect();
        for (k, digit) in digits.iter().enumerate() {
            if let Some(same) = before.get(k) {
                sat.clause([!*same, *digit]);
            }
            match k.checked_sub(1) {
                None => sat.clause([!*literal, *digit]),
                Some(lower) => sat.clause([!*literal, !before[lower], *digit]),
            }
        }
        before = digits;
    }
}
