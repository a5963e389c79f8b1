//! A checked rule as steps for a machine with a stack of values.

use std::sync::Arc;

use super::error::{Fault, RuleErrorKind};
use super::functions::Function;
use super::literal::Literal;
use super::tree::{Callee, Expr, FoldKind, NodeId, Tree};
use super::value::Value;

/// A step. Places are numbers of steps.
#[derive(Debug)]
pub(super) enum Step {
    Value(Value),
    Properties,
    Local(usize),
    Select(Arc<str>),
    Has(Arc<str>),
    Call(Function, usize),
    List(usize),
    Map(usize),
    /// The value is the next part of a chain, which ends there as soon as a part `wins`.
    Chain {
        wins: bool,
        is_first: bool,
        end: usize,
    },
    /// Goes on if the value is true.
    Branch {
        otherwise: usize,
        end: usize,
    },
    Jump(usize),
    /// The value is the one that a macro iterates over.
    FoldStart {
        kind: FoldKind,
        local: usize,
        end: usize,
    },
    /// Puts the next item into the variable, or ends with the result.
    FoldNext {
        local: usize,
        end: usize,
    },
    /// The value says whether the item counts.
    FoldFilter {
        next: usize,
        end: usize,
    },
    /// The value is the result of the macro's expression for the item.
    FoldItem {
        local: usize,
        next: usize,
        end: usize,
    },
}

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
}

/// A step of writing a plan: a node becomes steps, or a place that was not known is filled in.
enum Task {
    Expr(NodeId),
    Step(Step),
    /// A part of a chain has been written.
    Part {
        node: NodeId,
        at: usize,
    },
    /// The condition of a conditional has been written.
    Then(NodeId),
    /// The step that leads to the alternative.
    Else {
        node: NodeId,
        branch: usize,
    },
    EndOfConditional {
        branch: usize,
        jump: usize,
    },
    /// The range of a macro has been written.
    Range(NodeId),
    Filtered {
        node: NodeId,
        start: usize,
    },
    Body {
        start: usize,
        filter: Option<usize>,
    },
}

impl Plan {
    pub(super) fn new(tree: &Tree) -> Result<Self, Fault> {
        let mut planner = Planner { tree, steps: Vec::new(), open: vec![Task::Expr(tree.root)], n_locals: 0 };
        while let Some(task) = planner.open.pop() {
            planner.task(task)?;
        }
        Ok(Self { steps: planner.steps })
    }
}

struct Planner<'t> {
    tree: &'t Tree,
    steps: Vec<Step>,
    open: Vec<Task>,
    /// The number of macros that are open.
    n_locals: usize,
}

impl Planner<'_> {
    fn task(&mut self, task: Task) -> Result<(), Fault> {
        match task {
            Task::Expr(node) => self.node(node)?,
            Task::Step(step) => self.steps.push(step),
            Task::Part { node, at } => {
                let (Expr::And(parts) | Expr::Or(parts)) = &self.tree.nodes[node] else { return Ok(()) };
                let wins = matches!(self.tree.nodes[node], Expr::Or(_));
                // Each part ends the chain at the next one's step: from there it is handed on to the end.
                self.steps.push(Step::Chain { wins, is_first: at == 0, end: usize::MAX });
                if let Some(next) = parts.get(at + 1) {
                    self.open.push(Task::Part { node, at: at + 1 });
                    self.open.push(Task::Expr(*next));
                } else {
                    self.close_chain();
                }
            }
            Task::Then(node) => {
                let Expr::Call { operands, .. } = &self.tree.nodes[node] else { return Ok(()) };
                let branch = self.steps.len();
                self.steps.push(Step::Branch { otherwise: 0, end: 0 });
                self.open.push(Task::Else { node, branch });
                self.open.extend(operands.get(1).map(|it| Task::Expr(*it)));
            }
            Task::Else { node, branch } => {
                let Expr::Call { operands, .. } = &self.tree.nodes[node] else { return Ok(()) };
                let jump = self.steps.len();
                self.steps.push(Step::Jump(0));
                self.open.push(Task::EndOfConditional { branch, jump });
                self.open.extend(operands.get(2).map(|it| Task::Expr(*it)));
            }
            Task::EndOfConditional { branch, jump } => {
                let here = self.steps.len();
                self.steps[branch] = Step::Branch { otherwise: jump + 1, end: here };
                self.steps[jump] = Step::Jump(here);
            }
            Task::Range(node) => {
                let Expr::Fold(fold) = &self.tree.nodes[node] else { return Ok(()) };
                let local = self.n_locals;
                self.n_locals += 1;
                let start = self.steps.len();
                self.steps.push(Step::FoldStart { kind: fold.kind, local, end: 0 });
                self.steps.push(Step::FoldNext { local, end: 0 });
                match fold.filter {
                    Some(filter) => {
                        self.open.push(Task::Filtered { node, start });
                        self.open.push(Task::Expr(filter));
                    }
                    None => {
                        self.open.push(Task::Body { start, filter: None });
                        self.open.push(Task::Expr(fold.body));
                    }
                }
            }
            Task::Filtered { node, start } => {
                let Expr::Fold(fold) = &self.tree.nodes[node] else { return Ok(()) };
                let filter = self.steps.len();
                self.steps.push(Step::FoldFilter { next: start + 1, end: 0 });
                self.open.push(Task::Body { start, filter: Some(filter) });
                self.open.push(Task::Expr(fold.body));
            }
            Task::Body { start, filter } => {
                self.n_locals -= 1;
                let local = self.n_locals;
                let here = self.steps.len() + 1;
                self.steps.push(Step::FoldItem { local, next: start + 1, end: here });
                if let Step::FoldStart { end, .. } = &mut self.steps[start] {
                    *end = here;
                }
                self.steps[start + 1] = Step::FoldNext { local, end: here };
                if let Some(filter) = filter {
                    self.steps[filter] = Step::FoldFilter { next: start + 1, end: here };
                }
            }
        }
        Ok(())
    }

    /// Tells the steps of the chain that has just been written where it ends.
    fn close_chain(&mut self) {
        let here = self.steps.len();
        // Inner chains are closed already; the outer ones begin before the first step of this one.
        for step in self.steps.iter_mut().rev() {
            if let Step::Chain { is_first, end, .. } = step
                && *end == usize::MAX
            {
                *end = here;
                if *is_first {
                    break;
                }
            }
        }
    }

    fn node(&mut self, node: NodeId) -> Result<(), Fault> {
        match &self.tree.nodes[node] {
            Expr::Literal(literal) => self.steps.push(Step::Value(match literal {
                Literal::Null => Value::Null,
                Literal::Bool(it) => Value::Bool(*it),
                Literal::Int(it) => Value::Int(*it),
                Literal::Uint(it) => Value::Uint(*it),
                Literal::Double(it) => Value::Double(*it),
                Literal::String(it) => Value::String(Arc::clone(it)),
                Literal::Bytes(it) => Value::Bytes(Arc::clone(it)),
            })),
            Expr::Properties => self.steps.push(Step::Properties),
            Expr::Local(at) => self.steps.push(Step::Local(*at)),
            Expr::TypeName(name) => self.steps.push(Step::Value(Value::Type(name))),
            // The checker leaves none of these.
            Expr::Name { name, .. } => {
                return Err(Fault::at(self.tree.offsets[node], RuleErrorKind::Undeclared(name.to_string())));
            }
            Expr::Select { operand, field, is_test } => {
                let field = Arc::clone(field);
                self.open.push(Task::Step(if *is_test { Step::Has(field) } else { Step::Select(field) }));
                self.open.push(Task::Expr(*operand));
            }
            Expr::Call { function: Callee::Known(Function::Conditional), operands, .. } => {
                self.open.push(Task::Then(node));
                self.open.extend(operands.first().map(|it| Task::Expr(*it)));
            }
            Expr::Call { function, target, operands } => {
                let Callee::Known(function) = function else { return Ok(()) };
                if let (Function::Index, [_, key]) = (function, operands.as_slice()) {
                    self.refuse_key(*key)?;
                }
                let n_operands = operands.len() + usize::from(target.is_some());
                self.open.push(Task::Step(Step::Call(*function, n_operands)));
                self.open.extend(operands.iter().rev().map(|it| Task::Expr(*it)));
                self.open.extend(target.map(Task::Expr));
            }
            Expr::And(parts) | Expr::Or(parts) => {
                self.open.push(Task::Part { node, at: 0 });
                self.open.extend(parts.first().map(|it| Task::Expr(*it)));
            }
            Expr::List(items) => {
                self.open.push(Task::Step(Step::List(items.len())));
                self.open.extend(items.iter().rev().map(|it| Task::Expr(*it)));
            }
            Expr::Map(entries) => {
                self.open.push(Task::Step(Step::Map(entries.len())));
                let nodes = entries.iter().rev().flat_map(|(key, value)| [Task::Expr(*value), Task::Expr(*key)]);
                self.open.extend(nodes);
            }
            Expr::Fold(fold) => {
                self.open.push(Task::Range(node));
                self.open.push(Task::Expr(fold.range));
            }
        }
        Ok(())
    }

    /// cel-go makes no program of a rule that asks for a constant key that can be none.
    fn refuse_key(&self, key: NodeId) -> Result<(), Fault> {
        let what = match &self.tree.nodes[key] {
            Expr::Literal(Literal::Null) => "types.Null",
            Expr::Literal(Literal::Bytes(_)) => "types.Bytes",
            Expr::TypeName(_) => "*types.Type",
            _ => return Ok(()),
        };
        let what = format!("invalid qualifier type: {what}");
        Err(Fault::at(self.tree.offsets[key], RuleErrorKind::Invalid(what)))
    }
}
