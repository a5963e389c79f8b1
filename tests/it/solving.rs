//! The solver compared with brute force, on problems that are small enough to try everything.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::VecDeque;

use olmdex::solve::{Answer, Constraint, Fact, Limits, Problem, SolveError, Var, solve};
use proptest::prelude::*;

/// A generated constraint, with numbers for variables.
#[derive(Debug, Clone)]
enum Drawn {
    Mandatory(usize),
    Prohibited(usize),
    Dependency(usize, Vec<usize>),
    Conflict(usize, usize),
    AtMost(usize, usize, Vec<usize>),
}

const N_VARIABLES: usize = 9;

fn drawn() -> impl Strategy<Value = Drawn> {
    let var = 0..N_VARIABLES;
    let vars = prop::collection::vec(0..N_VARIABLES, 0..5);
    prop_oneof![
        3 => var.clone().prop_map(Drawn::Mandatory),
        1 => var.clone().prop_map(Drawn::Prohibited),
        8 => (var.clone(), vars.clone()).prop_map(|(var, of)| Drawn::Dependency(var, of)),
        3 => (var.clone(), var.clone()).prop_map(|(var, other)| Drawn::Conflict(var, other)),
        3 => (var, 0..3_usize, vars).prop_map(|(var, n, of)| Drawn::AtMost(var, n, of)),
    ]
}

fn problem(drawn: &[Drawn]) -> Problem {
    let mut problem = Problem::default();
    let vars: Vec<Var> = (0..N_VARIABLES).map(|_| problem.variable()).collect();
    let all = |of: &[usize]| of.iter().map(|it| vars[*it]).collect::<Vec<_>>();
    for it in drawn {
        match it {
            Drawn::Mandatory(var) => problem.constrain(vars[*var], Constraint::Mandatory),
            Drawn::Prohibited(var) => problem.constrain(vars[*var], Constraint::Prohibited),
            Drawn::Dependency(var, of) => problem.constrain(vars[*var], Constraint::Dependency(all(of).into())),
            Drawn::Conflict(var, other) => problem.constrain(vars[*var], Constraint::Conflict(vars[*other])),
            Drawn::AtMost(var, n, of) => problem.constrain(vars[*var], Constraint::AtMost(*n, all(of))),
        };
    }
    problem
}

fn holds(set: u32, fact: Fact, constraint: &Constraint) -> bool {
    let has = |var: &Var| set >> var.index() & 1 == 1;
    match constraint {
        Constraint::Mandatory => has(&fact.var),
        Constraint::Prohibited => !has(&fact.var),
        Constraint::Dependency(of) => !has(&fact.var) || of.iter().any(has),
        Constraint::Conflict(other) => !has(&fact.var) || !has(other),
        Constraint::AtMost(n, of) => of.iter().filter(|it| has(it)).count() <= *n,
    }
}

/// Every set that satisfies the constraints that `counts`.
fn models(problem: &Problem, counts: impl Fn(Fact) -> bool) -> Vec<u32> {
    let facts: Vec<(Fact, &Constraint)> = problem.facts().filter(|(fact, _)| counts(*fact)).collect();
    (0..1 << problem.n_variables()).filter(|set| facts.iter().all(|(fact, it)| holds(*set, *fact, it))).collect()
}

/// The same variables with these constraints alone.
fn only(problem: &Problem, facts: &[Fact]) -> Problem {
    let mut part = Problem::default();
    for _ in problem.variables() {
        part.variable();
    }
    for fact in facts {
        part.constrain(fact.var, problem.constraint(*fact).clone());
    }
    part
}

/// The definition of the preferred answer, word for word, over all models.
fn preferred(problem: &Problem, models: &[u32]) -> u32 {
    let bit = |var: &Var| 1_u32 << var.index();
    let is_mandatory = |var: &Var| problem.constraints(*var).contains(&Constraint::Mandatory);
    let mut queue: VecDeque<Vec<Var>> = problem.variables().filter(is_mandatory).map(|it| vec![it]).collect();
    let mut chosen = 0;
    while let Some(candidates) = queue.pop_front() {
        if candidates.iter().any(|it| chosen & bit(it) != 0) {
            continue;
        }
        let can_be_had = |it: &&Var| models.iter().any(|model| model & (chosen | bit(it)) == chosen | bit(it));
        let taken = candidates.iter().find(can_be_had).unwrap();
        chosen |= bit(taken);
        for it in problem.constraints(*taken) {
            if let Constraint::Dependency(of) = it
                && !of.is_empty()
            {
                queue.push_back(of.to_vec());
            }
        }
    }
    chosen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn answers_are_the_preferred_ones_and_cores_are_minimal(drawn in prop::collection::vec(drawn(), 1..22)) {
        let problem = problem(&drawn);
        let all = models(&problem, |_| true);
        match solve(&problem, &Limits::default()).unwrap() {
            Answer::Satisfiable(solution) => {
                prop_assert!(!all.is_empty());
                let set = solution.chosen.iter().fold(0, |set, it| set | 1 << it.index());
                prop_assert!(all.contains(&set), "what was chosen breaks a constraint");
                prop_assert_eq!(set, preferred(&problem, &all));
            }
            Answer::Unsatisfiable(core) => {
                prop_assert!(all.is_empty());
                prop_assert!(models(&problem, |it| core.contains(&it)).is_empty(), "the core can be satisfied");
                let answer = solve(&only(&problem, &core), &Limits::default()).unwrap();
                prop_assert!(matches!(answer, Answer::Unsatisfiable(_)), "the engine can satisfy the core");
                for left_out in &core {
                    let rest = models(&problem, |it| it != *left_out && core.contains(&it));
                    prop_assert!(!rest.is_empty(), "the core does not need {:?}", problem.constraint(*left_out));
                }
            }
        }
    }

    #[test]
    fn large_sets_are_counted_as_small_ones_are(n in 0..4_usize, size in 41..60_usize, chosen in 0..6_usize) {
        let mut problem = Problem::default();
        let vars: Vec<Var> = (0..size).map(|_| problem.variable()).collect();
        problem.constrain(vars[0], Constraint::AtMost(n, vars.clone()));
        for var in vars.iter().rev().take(chosen) {
            problem.constrain(*var, Constraint::Mandatory);
        }
        let answer = solve(&problem, &Limits::default()).unwrap();
        prop_assert_eq!(matches!(answer, Answer::Satisfiable(_)), chosen <= n);
    }
}

#[test]
fn ten_thousand_alternatives_of_which_the_last_fits() {
    let mut problem = Problem::default();
    let (root, blocker) = (problem.variable(), problem.variable());
    let candidates: Vec<Var> = (0..10_000).map(|_| problem.variable()).collect();
    problem.constrain(root, Constraint::Mandatory);
    problem.constrain(root, Constraint::Dependency(candidates.clone().into()));
    problem.constrain(blocker, Constraint::Mandatory);
    for candidate in &candidates[..9_999] {
        problem.constrain(*candidate, Constraint::Dependency([*candidate, blocker].into()));
        problem.constrain(*candidate, Constraint::Conflict(blocker));
    }
    problem.constrain(root, Constraint::AtMost(1, candidates.clone()));
    let Answer::Satisfiable(solution) = solve(&problem, &Limits::default()).unwrap() else { panic!("satisfiable") };
    assert_eq!(solution.chosen, [root, blocker, candidates[9_999]]);
}

#[test]
fn what_costs_too_much_is_given_up() {
    // Eight pigeons and seven holes.
    let mut problem = Problem::default();
    let holes: Vec<Vec<Var>> = (0..8).map(|_| (0..7).map(|_| problem.variable()).collect()).collect();
    for pigeon in &holes {
        let var = problem.variable();
        problem.constrain(var, Constraint::Mandatory);
        problem.constrain(var, Constraint::Dependency(pigeon.clone().into()));
    }
    for hole in 0..7 {
        let of = holes.iter().map(|it| it[hole]).collect();
        problem.constrain(holes[0][hole], Constraint::AtMost(1, of));
    }
    assert_eq!(solve(&problem, &Limits { conflicts: 50 }), Err(SolveError::Limit { conflicts: 50 }));
    assert!(matches!(solve(&problem, &Limits::default()), Ok(Answer::Unsatisfiable(core)) if core.len() == 8 * 2 + 7));
}
