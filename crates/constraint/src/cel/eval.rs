//! Evaluation, with a bound on the steps. It recurses: a rule is at most as deep as [`super::nodes::MAX_DEPTH`] allows.
//!
//! Errors are values, because `||`, `&&` and the macros absorb them as cel-go does: a yes wins over an error.

use std::collections::HashMap;
use std::sync::Arc;

use super::apply::apply;
use super::error::EvalError;
use super::functions::Function;
use super::tree::{Callee, Expr, Fold, FoldKind, NodeId, Tree};
use super::value::{Evaluated, Value, equal};
use olmdex_text::budget::{Budget, Exhausted};
use olmdex_text::re2::Pattern;

/// Whether a checked rule holds.
pub(super) fn evaluate(tree: &Tree, properties: &Value, budget: &Budget) -> Result<Result<bool, EvalError>, Exhausted> {
    let mut machine =
        Machine { tree, properties, budget, kept: 0, pattern_bytes: 0, locals: Vec::new(), patterns: HashMap::new() };
    let result = machine.value(tree.root).map(|it| it.and_then(|it| truth(&it)));
    // All values and patterns go with the machine.
    budget.release(machine.kept + machine.pattern_bytes);
    result
}

/// Bytes of a value in a list, and of a list without its items.
const VALUE: usize = size_of::<Value>();

/// Bytes of a copy of a value; its parts are shared.
fn bytes_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(list) => VALUE * list.items().len(),
        _ => 0,
    }
}

/// The number of parsed patterns that are kept.
const MAX_PATTERNS: usize = 16;
/// The number of states of a pattern that make one step.
const STATES_A_STEP: u64 = 4;

struct Machine<'e> {
    tree: &'e Tree,
    properties: &'e Value,
    budget: &'e Budget,
    /// Bytes of the values that were made. Values that are dropped count until the macro takes the next item: counting
    /// each of them out would need a count for each value.
    kept: u64,
    /// Bytes of the texts of the parsed patterns. They outlive the values of an item.
    pattern_bytes: u64,
    /// The items that the macros around are at.
    locals: Vec<Value>,
    patterns: HashMap<Arc<str>, Result<Pattern, EvalError>>,
}

/// The truth that a value is.
fn truth(value: &Value) -> Result<bool, EvalError> {
    match value {
        Value::Bool(it) => Ok(*it),
        _ => Err(EvalError::NoSuchOverload),
    }
}

impl Machine<'_> {
    fn keep(&mut self, n_bytes: usize) -> Result<(), Exhausted> {
        self.budget.keep(n_bytes as u64)?;
        self.kept += n_bytes as u64;
        Ok(())
    }

    /// The value of a node.
    fn value(&mut self, node: NodeId) -> Result<Evaluated, Exhausted> {
        self.budget.spend(1)?;
        let tree = self.tree;
        match &tree.nodes[node] {
            Expr::Select { operand, field, is_test } => self.selected(*operand, field, *is_test),
            Expr::Call { function: Callee::Known(Function::Conditional), operands, .. } => self.branch(operands),
            Expr::Call { function: Callee::Known(function), target, operands } => {
                self.called(*function, target.iter().chain(operands))
            }
            Expr::And(parts) => self.chain(parts, false),
            Expr::Or(parts) => self.chain(parts, true),
            Expr::List(items) => self.made(items.iter(), items.len(), |items| Ok(Value::list(items))),
            Expr::Map(entries) => {
                self.made(entries.iter().flat_map(|(key, value)| [key, value]), 2 * entries.len(), Value::map)
            }
            Expr::Fold(fold) => {
                let n_locals = self.locals.len();
                let value = self.fold(fold);
                self.locals.truncate(n_locals);
                value
            }
            leaf => Ok(self.leaf(leaf)),
        }
    }

    fn leaf(&self, leaf: &Expr) -> Evaluated {
        match leaf {
            Expr::Literal(value) => Ok(value.clone()),
            Expr::TypeName(name) => Ok(Value::Type(name)),
            Expr::Properties => Ok(self.properties.clone()),
            Expr::Local(at) => self.locals.get(*at).cloned().ok_or(EvalError::NoSuchOverload),
            // The checker leaves no others.
            _ => Err(EvalError::NoSuchOverload),
        }
    }

    fn selected(&mut self, operand: NodeId, field: &Arc<str>, is_test: bool) -> Result<Evaluated, Exhausted> {
        let operand = self.value(operand)?;
        Ok(operand.and_then(|it| if is_test { has(&it, field) } else { select(&it, field) }))
    }

    fn called<'n>(
        &mut self,
        function: Function,
        operands: impl Iterator<Item = &'n NodeId>,
    ) -> Result<Evaluated, Exhausted> {
        match self.values(operands)? {
            Ok(operands) => self.call(function, &operands),
            Err(error) => Ok(Err(error)),
        }
    }

    /// A list or map that is made of `n` values.
    fn made<'n>(
        &mut self,
        nodes: impl Iterator<Item = &'n NodeId>,
        n: usize,
        make: fn(Vec<Value>) -> Evaluated,
    ) -> Result<Evaluated, Exhausted> {
        let values = self.values(nodes)?;
        self.keep(VALUE * (n + 1))?;
        Ok(values.and_then(make))
    }

    /// The values of nodes, all of which are asked; else the first error.
    fn values<'n>(
        &mut self,
        nodes: impl Iterator<Item = &'n NodeId>,
    ) -> Result<Result<Vec<Value>, EvalError>, Exhausted> {
        let mut values: Vec<Evaluated> = Vec::new();
        for node in nodes {
            values.push(self.value(*node)?);
        }
        Ok(values.into_iter().collect())
    }

    /// The operand that a conditional chooses.
    fn branch(&mut self, operands: &[NodeId]) -> Result<Evaluated, Exhausted> {
        let [condition, then, otherwise] = operands else { return Ok(Err(EvalError::NoSuchOverload)) };
        match self.value(*condition)?.and_then(|it| truth(&it)) {
            Ok(true) => {
                self.budget.spend(1)?;
                self.value(*then)
            }
            Ok(false) => self.value(*otherwise),
            Err(error) => Ok(Err(error)),
        }
    }

    /// `||` or `&&`: the first part that is `wins` decides, whatever is wrong with those before it.
    fn chain(&mut self, parts: &[NodeId], wins: bool) -> Result<Evaluated, Exhausted> {
        let mut answer = Ok(Value::Bool(!wins));
        for (number, part) in parts.iter().enumerate() {
            let part = self.value(*part)?.and_then(|it| truth(&it));
            self.budget.spend(u64::from(number > 0))?;
            match part {
                Ok(it) if it == wins => return Ok(Ok(Value::Bool(wins))),
                Ok(_) => {}
                Err(error) => answer = answer.and(Err(error)),
            }
        }
        Ok(answer)
    }

    /// A macro that goes over something.
    fn fold(&mut self, fold: &Fold) -> Result<Evaluated, Exhausted> {
        let over = self.value(fold.range)?;
        if !matches!(over, Ok(Value::List(_) | Value::Map(_))) {
            return Ok(over.and(Err(EvalError::NoSuchOverload)));
        }
        let item = |at: usize| match &over {
            Ok(Value::List(list)) => list.items().get(at).cloned(),
            Ok(Value::Map(map)) => map.entries().get(at).map(|(key, _)| key.clone()),
            _ => None,
        };
        let (mut n_true, mut items, mut failure) = (0, Vec::new(), None);
        let makes_list = matches!(fold.kind, FoldKind::Map | FoldKind::Filter);
        // Bytes of the values that there were before, and of the item whose error is kept.
        let mut kept_before = self.kept;
        let mut at = 0;
        loop {
            self.budget.spend(1)?;
            if !makes_list {
                // The values of the last item are dropped.
                self.budget.release(self.kept - kept_before);
                self.kept = kept_before;
            }
            let Some(item) = item(at) else { break };
            at += 1;
            self.locals.push(item.clone());
            let is_meant = match fold.filter {
                Some(filter) => {
                    let is_meant = self.value(filter)?.and_then(|it| truth(&it));
                    self.budget.spend(1)?;
                    is_meant
                }
                None => Ok(true),
            };
            match is_meant {
                Ok(true) => {
                    let value = self.value(fold.body)?;
                    self.budget.spend(1)?;
                    if makes_list {
                        // A list doubles as it grows.
                        self.keep(2 * VALUE)?;
                    }
                    let answer = value.clone().and_then(|it| truth(&it));
                    match (fold.kind, answer) {
                        (FoldKind::Map, _) => match value {
                            Ok(value) => items.push(value),
                            Err(error) => return Ok(Err(error)),
                        },
                        (FoldKind::All | FoldKind::Exists, Ok(it)) if it == (fold.kind == FoldKind::Exists) => {
                            return Ok(Ok(Value::Bool(it)));
                        }
                        (FoldKind::All | FoldKind::Exists, Err(error)) if failure.is_none() => {
                            // The error may hold a text that the item made.
                            kept_before = self.kept;
                            failure = Some(error);
                        }
                        (FoldKind::All | FoldKind::Exists, _) => {}
                        (FoldKind::ExistsOne, Ok(it)) => n_true += u64::from(it),
                        (FoldKind::Filter, Ok(it)) => items.extend(it.then_some(item)),
                        (FoldKind::ExistsOne | FoldKind::Filter, Err(error)) => return Ok(Err(error)),
                    }
                }
                Ok(false) => {}
                Err(error) => return Ok(Err(error)),
            }
            self.locals.pop();
        }
        Ok(match (fold.kind, failure) {
            (_, Some(error)) => Err(error),
            (FoldKind::All | FoldKind::Exists, None) => Ok(Value::Bool(fold.kind == FoldKind::All)),
            (FoldKind::ExistsOne, None) => Ok(Value::Bool(n_true == 1)),
            (FoldKind::Map | FoldKind::Filter, None) => Ok(Value::list(items)),
        })
    }

    fn call(&mut self, function: Function, operands: &[Value]) -> Result<Evaluated, Exhausted> {
        let size = |it: &Value| match it {
            Value::String(text) => text.len() as u64 / 16,
            Value::Bytes(bytes) => bytes.len() as u64 / 16,
            Value::List(list) => list.items().len() as u64,
            Value::Map(map) => map.entries().len() as u64,
            _ => 0,
        };
        match (function, operands) {
            (Function::Equals | Function::NotEquals, [a, b]) => {
                self.budget.spend(size(a).min(size(b)))?;
                let mut left = self.budget.steps_left();
                let is_equal = equal(a, b, &mut left);
                let is_equal = self.spent(left, is_equal)?;
                Ok(Ok(Value::Bool(is_equal == (function == Function::Equals))))
            }
            (Function::In, [item, Value::List(list)]) => {
                let mut left = self.budget.steps_left();
                let mut is_in = Some(false);
                for it in list.items() {
                    is_in = equal(item, it, &mut left);
                    if is_in != Some(false) {
                        break;
                    }
                }
                let is_in = self.spent(left, is_in)?;
                Ok(Ok(Value::Bool(is_in)))
            }
            (Function::Matches, [Value::String(text), Value::String(pattern)]) => self.matches(text, pattern),
            _ => {
                // No function does more than go over its operands.
                self.budget.spend(operands.iter().map(size).sum::<u64>())?;
                if matches!(function, Function::Add | Function::String | Function::Bytes) {
                    self.keep(VALUE + operands.iter().map(bytes_of).sum::<usize>())?;
                }
                Ok(apply(function, operands))
            }
        }
    }

    /// Takes the steps that an answer took; without an answer there were too few.
    fn spent(&self, left: u64, answer: Option<bool>) -> Result<bool, Exhausted> {
        self.budget.spend(self.budget.steps_left() - left)?;
        answer.ok_or_else(|| self.budget.out_of_steps())
    }

    fn matches(&mut self, text: &str, pattern: &Arc<str>) -> Result<Evaluated, Exhausted> {
        if !self.patterns.contains_key(pattern) {
            self.budget.spend(pattern.len() as u64)?;
            let parsed = Pattern::parse(pattern).map_err(|error| EvalError::Regexp(Arc::from(error.to_string())));
            self.budget.spend(parsed.as_ref().map_or(0, |it| it.size() as u64))?;
            if self.patterns.len() == MAX_PATTERNS {
                self.patterns.clear();
                self.budget.release(std::mem::take(&mut self.pattern_bytes));
            }
            self.budget.keep(pattern.len() as u64)?;
            self.pattern_bytes += pattern.len() as u64;
            self.patterns.insert(Arc::clone(pattern), parsed);
        }
        let parsed = match self.patterns.get(pattern) {
            Some(Ok(parsed)) => parsed,
            Some(Err(error)) => return Ok(Err(error.clone())),
            None => return Ok(Err(EvalError::NoSuchOverload)),
        };
        let limit = self.budget.steps_left().saturating_mul(STATES_A_STEP);
        let mut budget = limit;
        let is_match = parsed.is_match_within(text, &mut budget);
        self.budget.spend((limit - budget).div_ceil(STATES_A_STEP))?;
        is_match.map(|it| Ok(Value::Bool(it))).ok_or_else(|| self.budget.out_of_steps())
    }
}

fn select(value: &Value, field: &Arc<str>) -> Evaluated {
    match value {
        Value::Map(map) => map.get(&Value::String(Arc::clone(field))).cloned(),
        Value::List(_) => return Err(EvalError::Key("string")),
        _ => None,
    }
    .ok_or_else(|| EvalError::NoSuchKey(Arc::clone(field)))
}

/// Whether there is a field. Something that can have none has it not; a list can have items, but not by name.
fn has(value: &Value, field: &Arc<str>) -> Evaluated {
    match value {
        Value::Map(map) => Ok(Value::Bool(map.get(&Value::String(Arc::clone(field))).is_some())),
        Value::List(_) => Err(EvalError::Key("string")),
        _ => Ok(Value::Bool(false)),
    }
}
