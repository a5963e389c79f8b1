//! The search: choices in the order in which they come up, for each the first candidate that is still possible.
//!
//! The search never takes a choice back: it takes a candidate only if a complete answer with it exists.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use super::encoding::Encoding;
use super::problem::{Constraint, Fact, Problem, Var};
use super::sat::{Lit, Run, Sat};
use super::unsat::core;
use super::{Limits, SolveError};

/// The answer to a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The preferred solution.
    Satisfiable(Solution),
    /// Constraints that contradict each other, in order. Without any of them the rest would be satisfiable.
    Unsatisfiable(Vec<Fact>),
}

/// The chosen variables, and why.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Solution {
    /// The chosen variables, in the order in which they were chosen.
    pub chosen: Vec<Var>,
    /// The choices that came up, in order.
    pub choices: Vec<Choice>,
}

/// A choice that came up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The dependency that it is about; `None` for a mandatory variable.
    pub fact: Option<Fact>,
    /// The variable that was taken.
    pub taken: Var,
    /// Its place among the candidates, from 0.
    pub place: usize,
    /// Whether it was chosen here; `false` if an earlier choice had chosen it.
    pub is_new: bool,
    /// Whether only a search showed that the candidates before it are impossible.
    pub is_searched: bool,
}

/// Solves a problem.
///
/// # Errors
/// [`SolveError::Limit`] if that costs more than the limits allow.
pub fn solve(problem: &Problem, limits: &Limits) -> Result<Answer, SolveError> {
    let spent = Rc::new(Cell::new(0));
    let mut search = Search::new(problem, &spent, limits);
    match search.run(&[])? {
        true => Ok(Answer::Satisfiable(search.choose()?)),
        false => Ok(Answer::Unsatisfiable(core(problem, &spent, limits)?)),
    }
}

struct Search<'p> {
    problem: &'p Problem,
    sat: Sat,
    encoding: Encoding,
    limits: Limits,
    /// The literals of the chosen variables.
    assumed: Vec<Lit>,
    is_chosen: Vec<bool>,
}

impl<'p> Search<'p> {
    fn new(problem: &'p Problem, spent: &Rc<Cell<u64>>, limits: &Limits) -> Self {
        let mut sat = Sat::new(spent, limits.conflicts);
        let encoding = Encoding::plain(problem, &mut sat);
        let is_chosen = vec![false; problem.n_variables()];
        Self { problem, sat, encoding, limits: *limits, assumed: Vec::new(), is_chosen }
    }

    /// Whether everything chosen so far, and `more`, is possible together.
    fn run(&mut self, more: &[Lit]) -> Result<bool, SolveError> {
        match self.sat.run(self.assumed.iter().chain(more).copied()) {
            Run::Satisfiable => Ok(true),
            Run::Unsatisfiable => Ok(false),
            Run::GaveUp => Err(SolveError::Limit { conflicts: self.limits.conflicts }),
        }
    }

    /// Makes all choices. The last run must have been satisfiable: its model contains everything chosen so far.
    fn choose(&mut self) -> Result<Solution, SolveError> {
        let problem = self.problem;
        let is_mandatory = |var: &Var| problem.constraints(*var).contains(&Constraint::Mandatory);
        let mut queue: VecDeque<(Option<Fact>, Arc<[Var]>)> =
            problem.variables().filter(is_mandatory).map(|var| (None, Arc::from([var]))).collect();
        let mut solution = Solution::default();
        let mut model = self.model();
        let mut refused: Option<Var> = None;
        while let Some((fact, candidates)) = queue.pop_front() {
            if let Some(place) = candidates.iter().position(|it| self.is_chosen[it.index()]) {
                let taken = candidates[place];
                solution.choices.push(Choice { fact, taken, place, is_new: false, is_searched: false });
                continue;
            }
            let best = candidates.iter().find(|it| !self.sat.is_never_true(self.encoding.literal(**it)));
            if best.is_some_and(|it| !model[it.index()] && refused != Some(*it)) {
                refused = self.foresee(&candidates, &queue, &mut model)?;
            }
            let (place, is_searched) = self.first(&candidates, &mut model)?;
            let taken = candidates[place];
            self.is_chosen[taken.index()] = true;
            self.assumed.push(self.encoding.literal(taken));
            solution.chosen.push(taken);
            solution.choices.push(Choice { fact, taken, place, is_new: true, is_searched });
            for (constraint, it) in problem.constraints(taken).iter().enumerate() {
                if let Constraint::Dependency(candidates) = it
                    && !candidates.is_empty()
                {
                    queue.push_back((Some(Fact { var: taken, constraint }), Arc::clone(candidates)));
                }
            }
        }
        Ok(solution)
    }

    /// Looks for a model in which as many as possible of the choices to come get the first of their candidates: then
    /// they cost no run. Returns the candidate of the first choice that does not, if there is one.
    fn foresee(
        &mut self,
        candidates: &[Var],
        queue: &VecDeque<(Option<Fact>, Arc<[Var]>)>,
        model: &mut Vec<bool>,
    ) -> Result<Option<Var>, SolveError> {
        let problem = self.problem;
        let mut is_chosen = self.is_chosen.clone();
        let mut wanted: Vec<Var> = Vec::new();
        let mut open: VecDeque<&[Var]> = std::iter::once(candidates).chain(queue.iter().map(|it| &*it.1)).collect();
        while let Some(candidates) = open.pop_front() {
            if candidates.iter().any(|it| is_chosen[it.index()]) {
                continue;
            }
            let best = candidates.iter().find(|it| !self.sat.is_never_true(self.encoding.literal(**it)));
            let Some(best) = best.copied() else { break };
            is_chosen[best.index()] = true;
            wanted.push(best);
            open.extend(problem.constraints(best).iter().filter_map(|it| match it {
                Constraint::Dependency(candidates) if !candidates.is_empty() => Some(&**candidates),
                _ => None,
            }));
        }
        let literals: Vec<Lit> = wanted.iter().map(|it| self.encoding.literal(*it)).collect();
        // The number of candidates that are possible together: all of them, or else the most, found by halving.
        let (mut low, mut high) = (0, literals.len() + 1);
        let mut at = literals.len();
        while at > low {
            if self.run(&literals[..at])? {
                *model = self.model();
                low = at;
            } else {
                high = at;
            }
            at = (low + high) / 2;
        }
        Ok(wanted.get(low).copied())
    }

    /// The model of the last run.
    fn model(&self) -> Vec<bool> {
        self.problem.variables().map(|it| self.sat.is_true(self.encoding.literal(it))).collect()
    }

    /// The first candidate that is possible with everything chosen so far. `model` contains everything chosen so far,
    /// before and after, and afterwards the candidate too. And whether candidates before it were refused only after a
    /// search.
    fn first(&mut self, candidates: &[Var], model: &mut Vec<bool>) -> Result<(usize, bool), SolveError> {
        let held = |model: &[bool]| candidates.iter().position(|it| model[it.index()]);
        // The variable that brought up the choice is chosen, so one of its candidates is in every model.
        let mut last = held(model).expect("a model has a candidate of every dependency of what it has");
        let mut first = 0;
        let (mut is_first_try, mut is_searched) = (true, false);
        while first < last {
            let literal = self.encoding.literal(candidates[first]);
            if self.sat.is_never_true(literal) {
                first += 1;
                continue;
            }
            // The first candidate is possible in most cases. If it is not, halve the part before the one that is: there
            // may be thousands.
            let middle = if is_first_try { first } else { first + (last - first - 1) / 2 };
            is_first_try = false;
            let asked = if middle == first { literal } else { self.one_of(&candidates[first..=middle]) };
            if self.run(&[asked])? {
                *model = self.model();
                last = held(model).expect("the model has one of those that were asked for");
            } else {
                first = middle + 1;
                is_searched = true;
            }
        }
        Ok((last, is_searched))
    }

    /// A literal that demands one of these.
    fn one_of(&mut self, candidates: &[Var]) -> Lit {
        let switch = self.sat.auxiliary();
        let literals = candidates.iter().map(|it| self.encoding.literal(*it));
        self.sat.clause(std::iter::once(!switch).chain(literals));
        switch
    }
}
