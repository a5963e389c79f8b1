//! The search as OLM makes it (`docs/behaviour/olm-classic.md` 4.3): it takes guesses back, and forgets to begin anew
//! with the choices that it comes to a second time (4.4.3, 4.4.4).
//!
//! Its answer may therefore be worse than the one of [`solve`](super::solve()), and even violate constraints. olmdex
//! shows it, and never takes it for the right one.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use super::encoding::Encoding;
use super::problem::{Constraint, Problem, Var};
use super::propagation::Propagation;
use super::sat::{Run, Sat};
use super::{Limits, SolveError};

/// A list of candidates, and the one that is next.
type Offer = (Arc<[Var]>, usize);

/// A candidate that is taken for the time being, or none if the choice needs none.
struct Guess {
    taken: Option<Var>,
    /// The choices that it brought up.
    n_children: usize,
    offer: Offer,
}

/// The variables that OLM's search ends up with, in the order in which it takes them, if it looks at the mandatory ones
/// in the order `anchors`; `None` if it finds no answer.
///
/// # Errors
/// [`SolveError::Limit`] if that costs more than the limits allow.
pub fn solve_as_olm(
    problem: &Problem,
    anchors: &[Var],
    limits: &Limits,
    steps: &Cell<u64>,
) -> Result<Option<Vec<Var>>, SolveError> {
    let given_up = SolveError::Limit { conflicts: limits.conflicts };
    let spent = Rc::new(Cell::new(0));
    let mut sat = Sat::new(&spent, limits.conflicts);
    let encoding = Encoding::plain(problem, &mut sat);
    let mut known = Propagation::new(problem, steps);
    let mut queue: VecDeque<Offer> = anchors.iter().map(|it| (Arc::from([*it]), 0)).collect();
    let mut guesses: Vec<Guess> = Vec::new();
    // Whether what is taken contradicts the constraints, as far as is known.
    let mut is_contradiction = !known.propagate();
    loop {
        if known.is_exhausted() {
            return Err(given_up);
        }
        if queue.is_empty() && !is_contradiction {
            let assumed = guesses.iter().filter_map(|it| it.taken).map(|it| encoding.literal(it));
            is_contradiction = match sat.run(assumed) {
                Run::Satisfiable => return Ok(Some(guesses.iter().filter_map(|it| it.taken).collect())),
                Run::Unsatisfiable => true,
                Run::GaveUp => return Err(given_up),
            };
        }
        if is_contradiction {
            let Some(Guess { taken, n_children, offer: (candidates, next) }) = guesses.pop() else { return Ok(None) };
            if taken.is_some() {
                is_contradiction = !known.undo();
            }
            queue.truncate(queue.len() - n_children);
            queue.push_front((candidates, next + usize::from(taken.is_some())));
            continue;
        }
        let Some((candidates, next)) = queue.pop_front() else { continue };
        let is_met = candidates.iter().any(|it| guesses.iter().any(|guess| guess.taken == Some(*it)));
        let taken = candidates.get(next).copied().filter(|_| !is_met);
        let mut n_children = 0;
        if let Some(taken) = taken {
            for constraint in problem.constraints(taken) {
                if let Constraint::Dependency(of) = constraint
                    && !of.is_empty()
                {
                    queue.push_back((Arc::clone(of), 0));
                    n_children += 1;
                }
            }
            is_contradiction = !known.assume(taken);
        }
        guesses.push(Guess { taken, n_children, offer: (candidates, next) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C1: two operators need different versions of a third. OLM leaves the second choice where the first one left it.
    #[test]
    fn a_choice_goes_on_where_it_was_left() {
        let mut problem = Problem::default();
        let mut vars = |n: usize| (0..n).map(|_| problem.variable()).collect::<Vec<Var>>();
        let [ka, kc] = [vars(2), vars(3)];
        let kb = vars(4);
        for var in [ka[0], kc[0]] {
            problem.constrain(var, Constraint::Mandatory);
        }
        problem.constrain(ka[0], Constraint::Dependency([ka[1]].into()));
        problem.constrain(kc[0], Constraint::Dependency([kc[1], kc[2]].into()));
        problem.constrain(kc[1], Constraint::Dependency([kb[2], kb[3]].into()));
        problem.constrain(ka[1], Constraint::Dependency([kb[0], kb[1]].into()));
        problem.constrain(kc[0], Constraint::AtMost(1, vec![kc[1], kc[2]]));
        problem.constrain(kc[0], Constraint::AtMost(1, kb.clone()));
        for (anchors, expected) in
            [([ka[0], kc[0]], vec![ka[0], kc[0], ka[1], kc[2], kb[1]]), ([kc[0], ka[0]], vec![kc[0], ka[0], kc[2]])]
        {
            let steps = Cell::new(1_000_000);
            let found = solve_as_olm(&problem, &anchors, &Limits::default(), &steps).unwrap().unwrap();
            assert_eq!(found, expected);
        }
    }
}
