//! `solver/`: variables with constraints, and the results of the bare solver.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use olmdex::solve::{Answer, Constraint, Limits, Problem, Var, solve};
use serde_json::Value;

use crate::outcome::{Case, Folder, Outcome, entries};

pub(crate) const FOLDER: Folder = Folder { name: "solver", run };

fn run(root: &Path) -> Vec<Case> {
    let read = |path: &Path| -> Option<Value> { serde_json::from_slice(&fs::read(path).ok()?).ok() };
    let mut cases = Vec::new();
    for (name, path) in entries(&root.join("solver/in"), "", ".json") {
        let id = format!("solver/{name}");
        let (Some(world), Some(expected)) = (read(&path), read(&root.join("solver/out").join(&name))) else {
            cases.push(Case::run(id, || Outcome::NotRunnable("no input or no answer".to_owned())));
            continue;
        };
        cases.push(Case::run(id, || check(&world, &expected)));
    }
    cases
}

/// The variables of a problem by name.
#[derive(Default)]
struct Names(Vec<(String, Var)>);

impl Names {
    fn var(&self, name: &str) -> Option<Var> {
        self.0.iter().find(|it| it.0 == name).map(|it| it.1)
    }

    fn name(&self, var: Var) -> &str {
        &self.0[var.index()].0
    }
}

/// The problem, or the message about a duplicate name.
fn problem(world: &Value) -> Result<(Problem, Names), String> {
    let (mut problem, mut names) = (Problem::default(), Names::default());
    let variables = world["variables"].as_array().cloned().unwrap_or_default();
    for variable in &variables {
        let name = text(&variable["id"]);
        if names.var(name).is_some() {
            return Err(format!("duplicate identifier \"{name}\" in input"));
        }
        names.0.push((name.to_owned(), problem.variable()));
    }
    let var = |id: &Value| names.var(text(id)).expect("a declared name");
    let vars = |ids: &Value| -> Vec<Var> { ids.as_array().into_iter().flatten().map(var).collect() };
    for variable in &variables {
        for it in variable["constraints"].as_array().into_iter().flatten() {
            let constraint = if it["mandatory"] == true {
                Constraint::Mandatory
            } else if it["prohibited"] == true {
                Constraint::Prohibited
            } else if let Some(ids) = it.get("dependency") {
                Constraint::Dependency(vars(ids).into())
            } else if let Some(id) = it.get("conflict") {
                Constraint::Conflict(var(id))
            } else {
                let limit = &it["atMost"];
                Constraint::AtMost(limit["n"].as_u64().expect("a number") as usize, vars(&limit["ids"]))
            };
            problem.constrain(var(&variable["id"]), constraint);
        }
    }
    Ok((problem, names))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn check(world: &Value, expected: &Value) -> Outcome {
    let outcomes: BTreeMap<String, u64> =
        serde_json::from_value(expected["outcomes"].clone()).expect("outcomes with their counts");
    let (problem, names) = match problem(world) {
        Ok(built) => built,
        Err(error) => return one_of(&format!("ERROR: {error}"), outcomes.keys()),
    };
    match solve(&problem, &Limits::default()).expect("no limit is reached") {
        Answer::Satisfiable(solution) => {
            let chosen: BTreeSet<Var> = solution.chosen.into_iter().collect();
            let mut ours: Vec<&str> = chosen.iter().map(|it| names.name(*it)).collect();
            ours.sort_unstable();
            if let Some(broken) = broken(&problem, &chosen) {
                return Outcome::Failed(format!("{ours:?} breaks {broken:?}"));
            }
            // The real solver has a defect that lets it give answers that break constraints: those do not count.
            let is_sound = |outcome: &&String| {
                let chosen = outcome.split(' ').filter(|it| !it.is_empty()).map(|it| names.var(it));
                chosen.collect::<Option<BTreeSet<Var>>>().is_some_and(|it| broken_by(&problem, &it))
            };
            let mut sound = outcomes.keys().filter(|it| it.starts_with("UNSAT") || is_sound(it)).peekable();
            if sound.peek().is_none() { Outcome::Passed } else { one_of(&ours.join(" "), sound) }
        }
        Answer::Unsatisfiable(core) => {
            let id = |var: &Var| names.name(*var).to_owned();
            let ids = |of: &[Var]| of.iter().map(id).collect::<Vec<_>>().join(", ");
            let said: BTreeSet<String> = core
                .iter()
                .map(|fact| match problem.constraint(*fact) {
                    Constraint::Mandatory => format!("{} is mandatory", id(&fact.var)),
                    Constraint::Prohibited => format!("{} is prohibited", id(&fact.var)),
                    Constraint::Dependency(of) if of.is_empty() => {
                        format!("{} has a dependency without any candidates to satisfy it", id(&fact.var))
                    }
                    Constraint::Dependency(of) => format!("{} requires at least one of {}", id(&fact.var), ids(of)),
                    Constraint::Conflict(other) => format!("{} conflicts with {}", id(&fact.var), id(other)),
                    Constraint::AtMost(n, of) => format!("{} permits at most {n} of {}", id(&fact.var), ids(of)),
                })
                .collect();
            // The recorded set is a contradiction, too, but may hold more than it needs.
            let holds_ours =
                |outcome: &&String| outcome.starts_with("UNSAT") && said.iter().all(|it| outcome.contains(it.as_str()));
            match outcomes.keys().find(holds_ours) {
                Some(_) => Outcome::Passed,
                None => Outcome::Failed(format!("expected {:?}\n     got {said:?}", outcomes.keys())),
            }
        }
    }
}

fn one_of<'a>(ours: &str, mut outcomes: impl Iterator<Item = &'a String>) -> Outcome {
    if outcomes.any(|it| it == ours) { Outcome::Passed } else { Outcome::Failed(format!("got {ours:?}")) }
}

fn broken_by(problem: &Problem, chosen: &BTreeSet<Var>) -> bool {
    broken(problem, chosen).is_none()
}

/// A constraint that a choice breaks.
fn broken(problem: &Problem, chosen: &BTreeSet<Var>) -> Option<String> {
    let has = |var: &Var| chosen.contains(var);
    let holds = |var: &Var, constraint: &Constraint| match constraint {
        Constraint::Mandatory => has(var),
        Constraint::Prohibited => !has(var),
        Constraint::Dependency(of) => !has(var) || of.iter().any(has),
        Constraint::Conflict(other) => !has(var) || !has(other),
        Constraint::AtMost(n, of) => of.iter().filter(|it| has(it)).count() <= *n,
    };
    problem.facts().find(|(fact, it)| !holds(&fact.var, it)).map(|(_, it)| format!("{it:?}"))
}
