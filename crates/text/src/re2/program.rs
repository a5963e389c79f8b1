//! A pattern as states, and running them side by side over a text.

use super::tree::{Assertion, Expr, Tree};

#[derive(Debug, Clone, Copy)]
enum State {
    Char(char, u32),
    Class(u32, u32),
    Assertion(Assertion, u32),
    Split(u32, u32),
    Match,
}

#[derive(Debug, Clone)]
pub(super) struct Program {
    states: Vec<State>,
    classes: Vec<Vec<(char, char)>>,
    start: u32,
    /// No match can start after the start of the text.
    is_anchored: bool,
}

/// A step of writing: states are made from the end, so that each knows its successor.
enum Task {
    /// A node, before the states that were made last.
    Expr(usize),
    /// The next part of an alternation: the parts before this one are still to be made.
    Alternative { node: usize, part: usize, next: u32, made: Option<u32> },
    /// More optional copies, `left` of them, each of which may also go to `next`.
    Optional { part: usize, left: u32, next: u32, required: u32, is_made: bool },
    /// So many more copies.
    Required { part: usize, left: u32 },
    /// Closes the loop of this split; a loop of at least one starts with its body.
    Loop { split: u32, starts_with_body: bool },
}

fn add(states: &mut Vec<State>, state: State) -> u32 {
    states.push(state);
    // The parser's limit on size is far below.
    (states.len() - 1) as u32
}

impl Program {
    pub(super) fn new(tree: &Tree) -> Self {
        let mut states = vec![State::Match];
        // The successor of the node to be made, then its own start.
        let mut at: u32 = 0;
        let mut open = vec![Task::Expr(tree.root)];
        while let Some(task) = open.pop() {
            match task {
                Task::Expr(number) => at = Self::node(&tree.nodes[number], number, at, &mut states, &mut open),
                Task::Alternative { node, part, next, made } => {
                    let Expr::Alternate(parts) = &tree.nodes[node] else { continue };
                    // `at` is where the alternative starts that was made last.
                    let made = match made {
                        Some(others) => Some(add(&mut states, State::Split(at, others))),
                        None if part < parts.len() => Some(at),
                        None => None,
                    };
                    match (part, made) {
                        (0, made) => at = made.unwrap_or(next),
                        (_, made) => {
                            open.push(Task::Alternative { node, part: part - 1, next, made });
                            open.push(Task::Expr(parts[part - 1]));
                            at = next;
                        }
                    }
                }
                Task::Optional { part, left, next, required, is_made } => {
                    if is_made {
                        at = add(&mut states, State::Split(at, next));
                    }
                    if left > 0 {
                        open.push(Task::Optional { part, left: left - 1, next, required, is_made: true });
                        open.push(Task::Expr(part));
                    } else if required > 0 {
                        open.push(Task::Required { part, left: required });
                    }
                }
                Task::Required { part, left } => {
                    if left > 1 {
                        open.push(Task::Required { part, left: left - 1 });
                    }
                    open.push(Task::Expr(part));
                }
                Task::Loop { split, starts_with_body } => {
                    let body = at;
                    if let State::Split(first, _) = &mut states[split as usize] {
                        *first = body;
                    }
                    at = if starts_with_body { body } else { split };
                }
            }
        }
        let is_anchored = matches!(states[at as usize], State::Assertion(Assertion::TextStart, _));
        Self { states, classes: tree.classes.clone(), start: at, is_anchored }
    }

    /// Makes a node, or leaves parts of it to be made, and returns the state at which it starts. `next` is the state
    /// that follows it.
    fn node(node: &Expr, number: usize, next: u32, states: &mut Vec<State>, open: &mut Vec<Task>) -> u32 {
        match node {
            Expr::Empty => {}
            Expr::Char(c) => return add(states, State::Char(*c, next)),
            Expr::Class(class) => return add(states, State::Class(*class as u32, next)),
            Expr::Assertion(assertion) => return add(states, State::Assertion(*assertion, next)),
            Expr::Group(part) => open.push(Task::Expr(*part)),
            Expr::Concat(parts) => open.extend(parts.iter().map(|it| Task::Expr(*it))),
            Expr::Alternate(parts) => {
                open.push(Task::Alternative { node: number, part: parts.len(), next, made: None });
            }
            Expr::Repeat(part, min, None) => {
                let split = add(states, State::Split(next, next));
                if *min > 1 {
                    open.push(Task::Required { part: *part, left: min - 1 });
                }
                open.push(Task::Loop { split, starts_with_body: *min > 0 });
                open.push(Task::Expr(*part));
                return split;
            }
            Expr::Repeat(part, min, Some(max)) => {
                open.push(Task::Optional { part: *part, left: max - min, next, required: *min, is_made: false });
            }
        }
        next
    }

    pub(super) fn size(&self) -> usize {
        self.states.len()
    }

    /// Whether some part of the text matches; `None` if the budget was used up.
    pub(super) fn run(&self, text: &str, budget: &mut u64) -> Option<bool> {
        let mut now = Set::new(self.states.len());
        let mut next = Set::new(self.states.len());
        let mut open = Vec::new();
        let mut before: Option<char> = None;
        let mut chars = text.chars();
        loop {
            let c = chars.next();
            if !self.is_anchored || before.is_none() {
                open.push(self.start);
            }
            open.append(&mut now.members);
            now.clear();
            // Everything that can be reached without a character, between `before` and `c`.
            while let Some(state) = open.pop() {
                if !now.insert(state) {
                    continue;
                }
                *budget = budget.checked_sub(1)?;
                match self.states[state as usize] {
                    State::Match => return Some(true),
                    State::Split(a, b) => open.extend([b, a]),
                    State::Assertion(assertion, to) if assertion.holds(before, c) => open.push(to),
                    _ => {}
                }
            }
            let Some(c) = c else { return Some(false) };
            for state in &now.members {
                match self.states[*state as usize] {
                    State::Char(wanted, to) if wanted == c => next.add(to),
                    State::Class(class, to) if self.has(class, c) => next.add(to),
                    _ => {}
                }
            }
            std::mem::swap(&mut now, &mut next);
            next.members.clear();
            if self.is_anchored && now.members.is_empty() {
                return Some(false);
            }
            before = Some(c);
        }
    }

    fn has(&self, class: u32, c: char) -> bool {
        let ranges = &self.classes[class as usize];
        let after = ranges.partition_point(|(start, _)| *start <= c);
        after.checked_sub(1).is_some_and(|it| c <= ranges[it].1)
    }
}

impl Assertion {
    fn holds(self, before: Option<char>, after: Option<char>) -> bool {
        let is_word = |it: Option<char>| it.is_some_and(|it| it == '_' || it.is_ascii_alphanumeric());
        match self {
            Self::TextStart => before.is_none(),
            Self::TextEnd => after.is_none(),
            Self::LineStart => before.is_none_or(|it| it == '\n'),
            Self::LineEnd => after.is_none_or(|it| it == '\n'),
            Self::WordBoundary => is_word(before) != is_word(after),
            Self::NotWordBoundary => is_word(before) == is_word(after),
        }
    }
}

/// A set of states, in the order in which they came.
struct Set {
    members: Vec<u32>,
    /// The turn in which a state was last a member.
    turns: Vec<u32>,
    turn: u32,
}

impl Set {
    fn new(n_states: usize) -> Self {
        Self { members: Vec::new(), turns: vec![0; n_states], turn: 1 }
    }

    fn clear(&mut self) {
        self.members.clear();
        self.turn = self.turn.checked_add(1).unwrap_or_else(|| {
            self.turns.fill(0);
            1
        });
    }

    fn insert(&mut self, state: u32) -> bool {
        let turn = &mut self.turns[state as usize];
        let is_new = *turn != self.turn;
        if is_new {
            *turn = self.turn;
            self.members.push(state);
        }
        is_new
    }

    /// Adds a state that may be there already.
    fn add(&mut self, state: u32) {
        self.members.push(state);
    }
}
