//! The answers that OLM's own search comes to where it has to take a guess back (`docs/behaviour/olm-classic.md` 4.4.3,
//! 4.4.4).

use std::cell::Cell;
use std::collections::BTreeSet;

use super::universe::Universe;
use super::variables::{Stands, Variables};
use crate::solve::{Constraint, Limits, Solution, Var, solve_as_olm};

/// The number of orders of Subscriptions that are tried: all orders of four.
const MAX_ORDERS: usize = 24;
/// The steps that all of them together may take.
const MAX_STEPS: u64 = 20_000_000;

/// The candidates that all dependencies together may have; a namespace with ten operators has some thousands.
const MAX_CANDIDATES: usize = 500_000;

/// The operators that OLM installs: each by its name, its channel and its catalog.
pub(super) type Chosen = BTreeSet<(String, String, usize)>;

/// The other answers that OLM's search may come to, by the random order of Subscriptions. There are none if every
/// choice gets its first candidate: nothing is taken back then.
pub(super) fn otherwise(
    universe: &Universe<'_>,
    variables: &Variables,
    solution: &Solution,
    limits: &Limits,
) -> Vec<Chosen> {
    if solution.choices.iter().all(|it| it.place == 0) {
        return Vec::new();
    }
    let problem = &variables.problem;
    // OLM's engine has a clause for each dependency, and this search has one too.
    let n_candidates: usize = problem.facts().map(|(_, constraint)| candidates(constraint).len()).sum();
    if n_candidates > MAX_CANDIDATES {
        return Vec::new();
    }
    let is_mandatory = |var: &Var| problem.constraints(*var).contains(&Constraint::Mandatory);
    let anchors: Vec<Var> = problem.variables().filter(is_mandatory).collect();
    let ours = chosen(universe, variables, &solution.chosen);
    let steps = Cell::new(MAX_STEPS);
    let mut found: Vec<Chosen> = Vec::new();
    for order in orders(&anchors) {
        // Without an answer in time there is none to show.
        let Ok(Some(other)) = solve_as_olm(problem, &order, limits, &steps) else { continue };
        let other = chosen(universe, variables, &other);
        if other != ours && !found.contains(&other) {
            found.push(other);
        }
    }
    found
}

fn candidates(constraint: &Constraint) -> &[Var] {
    match constraint {
        Constraint::Dependency(candidates) => candidates,
        _ => &[],
    }
}

fn chosen(universe: &Universe<'_>, variables: &Variables, vars: &[Var]) -> Chosen {
    let entries = vars.iter().filter_map(|var| match variables.stands(*var) {
        Stands::Entry(ids) => ids.first().copied(),
        _ => None,
    });
    // An installed operator has no channel.
    let of =
        |id| universe.channel_of(id).map(|it| (universe.entry(id).fields.name.clone(), it.name.clone(), it.catalog));
    entries.filter_map(of).collect()
}

/// All orders of up to four, and of more those with each one first.
fn orders(anchors: &[Var]) -> Vec<Vec<Var>> {
    if anchors.len() > 4 {
        let first = |at: usize| {
            let rest = anchors.iter().enumerate().filter(|it| it.0 != at).map(|it| *it.1);
            std::iter::once(anchors[at]).chain(rest).collect()
        };
        return (0..anchors.len()).take(MAX_ORDERS).map(first).collect();
    }
    let mut orders: Vec<Vec<Var>> = vec![Vec::new()];
    for next in anchors {
        let with = |order: &Vec<Var>, at: usize| {
            let mut order = order.clone();
            order.insert(at, *next);
            order
        };
        orders = orders.iter().flat_map(|it| (0..=it.len()).rev().map(|at| with(it, at)).collect::<Vec<_>>()).collect();
    }
    orders
}
