//! Problems: variables and the constraints that they carry.

use std::sync::Arc;

/// A variable of one problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);

impl Var {
    /// Its number, from 0, in the order in which variables were made.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A constraint that a variable carries. It holds whether or not the variable is chosen, except that a dependency and a
/// conflict apply only to a chosen variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constraint {
    /// It is chosen.
    Mandatory,
    /// It is not chosen.
    Prohibited,
    /// If it is chosen, then one of these; the first are preferred. Without candidates it cannot be chosen.
    ///
    /// Dependencies may share a list: then it costs its length once.
    Dependency(Arc<[Var]>),
    /// It and the other are not both chosen.
    Conflict(Var),
    /// At most this number of these are chosen. A variable that is listed twice counts twice.
    AtMost(usize, Vec<Var>),
}

/// One constraint of a problem: that of the variable with this number in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fact {
    /// The variable that carries it.
    pub var: Var,
    /// Its place among the constraints of the variable, from 0.
    pub constraint: usize,
}

/// Variables with their constraints. The order of both counts: it is the order of preferences.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    constraints: Vec<Vec<Constraint>>,
}

impl Problem {
    /// Makes a variable. One without constraints is chosen only if another needs it.
    pub fn variable(&mut self) -> Var {
        self.constraints.push(Vec::new());
        Var((self.constraints.len() - 1) as u32)
    }

    /// Adds a constraint to those of a variable, and says which it is.
    pub fn constrain(&mut self, var: Var, constraint: Constraint) -> Fact {
        let list = &mut self.constraints[var.index()];
        list.push(constraint);
        Fact { var, constraint: list.len() - 1 }
    }

    /// The number of variables.
    pub fn n_variables(&self) -> usize {
        self.constraints.len()
    }

    /// All variables, in order.
    pub fn variables(&self) -> impl Iterator<Item = Var> + use<> {
        (0..self.constraints.len() as u32).map(Var)
    }

    /// The constraints of a variable.
    pub fn constraints(&self, var: Var) -> &[Constraint] {
        &self.constraints[var.index()]
    }

    /// A constraint.
    pub fn constraint(&self, fact: Fact) -> &Constraint {
        &self.constraints[fact.var.index()][fact.constraint]
    }

    /// All constraints with the facts that they are, in order.
    pub fn facts(&self) -> impl Iterator<Item = (Fact, &Constraint)> {
        self.variables().flat_map(|var| {
            self.constraints(var).iter().enumerate().map(move |(constraint, it)| (Fact { var, constraint }, it))
        })
    }
}
