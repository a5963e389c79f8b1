//! The consequences of some variables, clause by clause, and the clause that a contradiction teaches: as much as OLM's
//! engine knows before it searches.

use std::cell::Cell;

use super::problem::{Constraint, Problem, Var};

/// A variable, or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Literal {
    var: usize,
    is_true: bool,
}

impl Literal {
    fn negated(self) -> Self {
        Self { is_true: !self.is_true, ..self }
    }

    fn index(self) -> usize {
        2 * self.var + usize::from(self.is_true)
    }
}

/// Why a literal holds.
#[derive(Debug, Clone, Copy)]
enum Reason {
    /// It was assumed, or it is a fact.
    None,
    /// The other literals of this clause do not hold.
    Clause(usize),
    /// This variable holds, and excludes it.
    Other(usize),
}

/// A contradiction: a clause without a literal that can hold, or a variable that must not hold beside another.
#[derive(Debug, Clone, Copy)]
enum Clash {
    Clause(usize),
    Pair(usize, usize),
}

/// The literals that hold, level by level.
pub(super) struct Propagation<'s> {
    clauses: Vec<Vec<Literal>>,
    /// The clauses that have a literal.
    having: Vec<Vec<usize>>,
    /// Sets of which at most one may hold, and those that each variable is in.
    sets: Vec<Vec<usize>>,
    sets_of: Vec<Vec<usize>>,
    values: Vec<Option<bool>>,
    levels: Vec<usize>,
    reasons: Vec<Reason>,
    trail: Vec<Literal>,
    /// The length of the trail at the start of each level.
    starts: Vec<usize>,
    /// The literal of the trail whose consequences are next.
    next: usize,
    /// The steps that are left.
    steps: &'s Cell<u64>,
}

impl<'s> Propagation<'s> {
    pub(super) fn new(problem: &Problem, steps: &'s Cell<u64>) -> Self {
        let n = problem.n_variables();
        let mut all = Self {
            clauses: Vec::new(),
            having: vec![Vec::new(); 2 * n],
            sets: Vec::new(),
            sets_of: vec![Vec::new(); n],
            values: vec![None; n],
            levels: vec![0; n],
            reasons: vec![Reason::None; n],
            trail: Vec::new(),
            starts: Vec::new(),
            next: 0,
            steps,
        };
        for (fact, constraint) in problem.facts() {
            let literal = |var: Var, is_true| Literal { var: var.index(), is_true };
            match constraint {
                Constraint::Mandatory => all.add(vec![literal(fact.var, true)]),
                Constraint::Prohibited => all.add(vec![literal(fact.var, false)]),
                Constraint::Dependency(of) => {
                    let of = of.iter().map(|it| literal(*it, true));
                    all.add(std::iter::once(literal(fact.var, false)).chain(of).collect());
                }
                Constraint::Conflict(other) => all.add(vec![literal(fact.var, false), literal(*other, false)]),
                Constraint::AtMost(1, of) => all.add_set(of),
                // OLM makes no others.
                Constraint::AtMost(..) => {}
            }
        }
        all
    }

    /// Whether too many steps were made.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    fn add(&mut self, clause: Vec<Literal>) {
        let number = self.clauses.len();
        for literal in &clause {
            self.having[literal.index()].push(number);
        }
        if let [only] = clause.as_slice()
            && self.values[only.var].is_none()
            && self.starts.is_empty()
        {
            self.hold(*only, Reason::Clause(number));
        }
        self.clauses.push(clause);
    }

    fn add_set(&mut self, of: &[Var]) {
        let mut of: Vec<usize> = of.iter().map(|it| it.index()).collect();
        of.sort_unstable();
        // A variable that is listed twice counts twice.
        let twice: Vec<usize> = of.windows(2).filter(|it| it[0] == it[1]).map(|it| it[0]).collect();
        twice.into_iter().for_each(|var| self.add(vec![Literal { var, is_true: false }]));
        of.dedup();
        if self.sets_of[of.first().copied().unwrap_or_default()].iter().any(|it| self.sets[*it] == of) {
            return;
        }
        for var in &of {
            self.sets_of[*var].push(self.sets.len());
        }
        self.sets.push(of);
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        self.values[literal.var].map(|it| it == literal.is_true)
    }

    fn hold(&mut self, literal: Literal, reason: Reason) {
        self.values[literal.var] = Some(literal.is_true);
        self.levels[literal.var] = self.starts.len();
        self.reasons[literal.var] = reason;
        self.trail.push(literal);
    }

    /// Assumes a variable on a level of its own; returns whether no contradiction follows. One that does is learned.
    pub(super) fn assume(&mut self, var: Var) -> bool {
        let literal = Literal { var: var.index(), is_true: true };
        self.starts.push(self.trail.len());
        match self.value(literal) {
            Some(is_true) => is_true,
            None => {
                self.hold(literal, Reason::None);
                match self.run() {
                    Some(clash) => {
                        self.learn(clash);
                        false
                    }
                    None => true,
                }
            }
        }
    }

    /// Drops the last level; returns whether the others contradict nothing that is known by now.
    pub(super) fn undo(&mut self) -> bool {
        let start = self.starts.pop().unwrap_or_default();
        for literal in self.trail.drain(start..) {
            self.values[literal.var] = None;
        }
        // A clause that was learned may have a consequence on any level.
        self.next = 0;
        self.run().is_none()
    }

    /// Finds what follows from the facts.
    pub(super) fn propagate(&mut self) -> bool {
        self.run().is_none()
    }

    /// Finds all that follows, up to a contradiction.
    fn run(&mut self) -> Option<Clash> {
        while let Some(literal) = self.trail.get(self.next).copied() {
            self.next += 1;
            if literal.is_true {
                for number in 0..self.sets_of[literal.var].len() {
                    let set = self.sets_of[literal.var][number];
                    for at in 0..self.sets[set].len() {
                        let other = self.sets[set][at];
                        self.count();
                        match self.values[other] {
                            _ if other == literal.var => {}
                            Some(true) => return Some(Clash::Pair(literal.var, other)),
                            Some(false) => {}
                            None => self.hold(Literal { var: other, is_true: false }, Reason::Other(literal.var)),
                        }
                    }
                }
            }
            for number in 0..self.having[literal.negated().index()].len() {
                let clause = self.having[literal.negated().index()][number];
                if let Some(clash) = self.look(clause) {
                    return Some(clash);
                }
            }
            if self.is_exhausted() {
                return None;
            }
        }
        None
    }

    /// Holds the last literal of a clause that can, if there is one only.
    fn look(&mut self, clause: usize) -> Option<Clash> {
        let mut last = None;
        for at in 0..self.clauses[clause].len() {
            let literal = self.clauses[clause][at];
            self.count();
            match self.value(literal) {
                Some(true) => return None,
                Some(false) => {}
                None if last.is_some() => return None,
                None => last = Some(literal),
            }
        }
        match last {
            Some(literal) => self.hold(literal, Reason::Clause(clause)),
            None => return Some(Clash::Clause(clause)),
        }
        None
    }

    fn count(&self) {
        self.steps.set(self.steps.get().saturating_sub(1));
    }

    /// Learns the clause of the first literal of the last level through which all of a contradiction goes.
    fn learn(&mut self, clash: Clash) {
        let level = self.starts.len();
        let mut is_seen = vec![false; self.values.len()];
        let mut learned = Vec::new();
        let mut n_open = 0_usize;
        let mut causes = self.causes_of(clash);
        let mut at = self.trail.len();
        loop {
            for cause in causes {
                if std::mem::replace(&mut is_seen[cause.var], true) || self.levels[cause.var] == 0 {
                    continue;
                }
                if self.levels[cause.var] == level { n_open += 1 } else { learned.push(cause.negated()) }
            }
            // The latest literal of the level that takes part.
            let Some(found) = self.trail[..at].iter().rposition(|it| is_seen[it.var]) else { return };
            at = found;
            let literal = self.trail[at];
            if self.levels[literal.var] != level {
                return;
            }
            if n_open <= 1 {
                learned.push(literal.negated());
                return self.add(learned);
            }
            n_open -= 1;
            causes = self.causes(literal);
        }
    }

    /// The literals that hold and together contradict the constraints.
    fn causes_of(&self, clash: Clash) -> Vec<Literal> {
        match clash {
            Clash::Clause(clause) => self.clauses[clause].iter().map(|it| it.negated()).collect(),
            Clash::Pair(a, b) => [a, b].map(|var| Literal { var, is_true: true }).to_vec(),
        }
    }

    /// The literals that a literal follows from.
    fn causes(&self, literal: Literal) -> Vec<Literal> {
        match self.reasons[literal.var] {
            Reason::None => Vec::new(),
            Reason::Clause(clause) => {
                self.clauses[clause].iter().filter(|it| **it != literal).map(|it| it.negated()).collect()
            }
            Reason::Other(var) => vec![Literal { var, is_true: true }],
        }
    }
}
