//! Minimal cores: which constraints contradict each other.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::encoding::{Encoding, Guard};
use super::problem::{Constraint, Fact, Problem, Var};
use super::sat::{Run, Sat};
use super::{Limits, SolveError};

/// The number of constraints for which leaving them out is tried. A larger core is no explanation any more, and making
/// it minimal would take longer than everything else.
const MAX_TRIES: usize = 500;

/// Constraints of an unsatisfiable problem that contradict each other. None of them can be left out, unless there are
/// hundreds.
///
/// If several constraints make the same statement about a variable, the last counts (`docs/behaviour/olm-classic.md`
/// 4.7.3).
pub(super) fn core(problem: &Problem, spent: &Rc<Cell<u64>>, limits: &Limits) -> Result<Vec<Fact>, SolveError> {
    let mut candidates = shrink(problem, &distinct(problem), spent, limits)?;
    // Leave one out after the other, the first ones first, as long as the rest still contradicts itself.
    let mut sat = Sat::new(spent, limits.conflicts);
    let (_, mut guards) = Encoding::guarded(problem, &candidates, &mut sat);
    let mut n_kept = 0;
    let mut n_tries = 0;
    while n_kept < guards.len() && n_tries < MAX_TRIES {
        n_tries += 1;
        let left_out = guards.remove(n_kept);
        match sat.run(guards.iter().map(|it| it.literal)) {
            Run::Unsatisfiable => {
                let is_needed = |(place, it): (usize, &Guard)| place < n_kept || sat.is_to_blame(it.literal);
                let flags: Vec<bool> = guards.iter().enumerate().map(is_needed).collect();
                let mut flags = flags.into_iter();
                guards.retain(|_| flags.next().unwrap_or(true));
            }
            Run::Satisfiable => {
                guards.insert(n_kept, left_out);
                n_kept += 1;
            }
            Run::GaveUp => return Err(SolveError::Limit { conflicts: limits.conflicts }),
        }
    }
    candidates.clear();
    candidates.extend(guards.iter().map(|it| it.fact));
    Ok(candidates)
}

/// All constraints, but of those that forbid one variable by themselves only the last.
fn distinct(problem: &Problem) -> Vec<Fact> {
    let forbids = |it: &Constraint| match it {
        Constraint::Prohibited => true,
        Constraint::Dependency(candidates) => candidates.is_empty(),
        _ => false,
    };
    let last: BTreeMap<Var, Fact> =
        problem.facts().filter(|(_, it)| forbids(it)).map(|(fact, _)| (fact.var, fact)).collect();
    let counts = |(fact, it): &(Fact, &Constraint)| !forbids(it) || last.get(&fact.var) == Some(fact);
    problem.facts().filter(counts).map(|it| it.0).collect()
}

/// The constraints that the engine needs for its proof, asked again until they get no fewer.
fn shrink(problem: &Problem, facts: &[Fact], spent: &Rc<Cell<u64>>, limits: &Limits) -> Result<Vec<Fact>, SolveError> {
    let mut facts = facts.to_vec();
    loop {
        let mut sat = Sat::new(spent, limits.conflicts);
        let (_, guards) = Encoding::guarded(problem, &facts, &mut sat);
        if sat.run(guards.iter().map(|it| it.literal)) == Run::GaveUp {
            return Err(SolveError::Limit { conflicts: limits.conflicts });
        }
        let needed: Vec<Fact> = guards.iter().filter(|it| sat.is_to_blame(it.literal)).map(|it| it.fact).collect();
        if needed.len() == facts.len() || needed.is_empty() {
            return Ok(facts);
        }
        facts = needed;
    }
}
