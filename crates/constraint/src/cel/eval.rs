//! Evaluation, step by step, with a bound on the steps.
//!
//! Errors are values, because `||`, `&&` and the macros absorb them as cel-go does: a yes wins over an error.

use std::collections::HashMap;
use std::sync::Arc;

use super::apply::apply;
use super::error::EvalError;
use super::functions::Function;
use super::plan::{Plan, Step};
use super::tree::FoldKind;
use super::value::{Evaluated, List, Map, Value, equal};
use olmdex_text::budget::{Budget, Exhausted};
use olmdex_text::re2::Pattern;

/// Whether a checked rule holds.
pub(super) fn evaluate(plan: &Plan, properties: &Value, budget: &Budget) -> Result<Result<bool, EvalError>, Exhausted> {
    let mut machine = Machine {
        properties,
        budget,
        kept: 0,
        pattern_bytes: 0,
        values: Vec::new(),
        locals: Vec::new(),
        folds: Vec::new(),
        patterns: HashMap::new(),
    };
    let result = machine.run(plan);
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
    properties: &'e Value,
    budget: &'e Budget,
    /// Bytes of the values that were made. Values that are dropped count until the macro takes the next item: counting
    /// each of them out would need a count for each value.
    kept: u64,
    /// Bytes of the texts of the parsed patterns. They outlive the values of an item.
    pattern_bytes: u64,
    values: Vec<Evaluated>,
    locals: Vec<Value>,
    folds: Vec<Fold>,
    patterns: HashMap<Arc<str>, Result<Pattern, EvalError>>,
}

/// A macro that goes over something.
struct Fold {
    kind: FoldKind,
    over: Over,
    at: usize,
    result: FoldResult,
    /// Bytes of the values that there were before, and of the item whose error is kept.
    kept_before: u64,
}

enum Over {
    List(Arc<List>),
    Map(Arc<Map>),
}

impl Over {
    fn get(&self, at: usize) -> Option<Value> {
        match self {
            Self::List(list) => list.items().get(at).cloned(),
            Self::Map(map) => map.entries().get(at).map(|(key, _)| key.clone()),
        }
    }
}

enum FoldResult {
    /// `all` and `exists`: no item has decided yet, but there may have been an error.
    Undecided(Option<EvalError>),
    Count(i64),
    Items(Vec<Value>),
}

impl Machine<'_> {
    fn run(&mut self, plan: &Plan) -> Result<Result<bool, EvalError>, Exhausted> {
        let mut at = 0;
        while let Some(step) = plan.steps.get(at) {
            self.budget.spend(1)?;
            at = self.step(step, at)?;
        }
        Ok(self.pop().and_then(|value| match value {
            Value::Bool(holds) => Ok(holds),
            _ => Err(EvalError::NoSuchOverload),
        }))
    }

    /// Notes the bytes of a new value.
    fn keep(&mut self, n_bytes: usize) -> Result<(), Exhausted> {
        self.budget.keep(n_bytes as u64)?;
        self.kept += n_bytes as u64;
        Ok(())
    }

    /// Counts the bytes of an item in the list of a macro that makes one.
    fn keep_item(&mut self) -> Result<(), Exhausted> {
        match self.folds.last() {
            // A list doubles as it grows.
            Some(Fold { result: FoldResult::Items(_), .. }) => self.keep(2 * VALUE),
            _ => Ok(()),
        }
    }

    /// Gives back the bytes of the values that a macro's item made, unless the macro makes a list of them.
    fn release_item(&mut self) {
        if let Some(Fold { result: FoldResult::Undecided(_) | FoldResult::Count(_), kept_before, .. }) =
            self.folds.last()
        {
            self.budget.release(self.kept - kept_before);
            self.kept = *kept_before;
        }
    }

    fn pop(&mut self) -> Evaluated {
        // Every step takes values that earlier ones have put there.
        self.values.pop().unwrap_or(Err(EvalError::NoSuchOverload))
    }

    /// Takes the last values; the first error among them counts.
    fn take(&mut self, n: usize) -> Result<Vec<Value>, EvalError> {
        let first = self.values.len().saturating_sub(n);
        self.values.drain(first..).collect()
    }

    /// Does a step, and says which is next.
    fn step(&mut self, step: &Step, at: usize) -> Result<usize, Exhausted> {
        let value = match step {
            Step::Value(value) => Ok(value.clone()),
            Step::Properties => Ok(self.properties.clone()),
            Step::Local(at) => self.locals.get(*at).cloned().ok_or(EvalError::NoSuchOverload),
            Step::Select(field) => self.pop().and_then(|it| select(&it, field)),
            Step::Has(field) => self.pop().and_then(|it| has(&it, field)),
            Step::List(n) => {
                self.keep(VALUE * (n + 1))?;
                self.take(*n).map(Value::list)
            }
            Step::Map(n) => {
                self.keep(VALUE * (2 * n + 1))?;
                self.take(2 * n).and_then(Value::map)
            }
            Step::Call(function, n) => match self.take(*n) {
                Ok(operands) => self.call(*function, &operands)?,
                Err(error) => Err(error),
            },
            Step::Chain { wins, is_first, end } => {
                return Ok(if self.chain(*wins, *is_first) { *end } else { at + 1 });
            }
            Step::Branch { otherwise, end } => match self.pop() {
                Ok(Value::Bool(true)) => return Ok(at + 1),
                Ok(Value::Bool(false)) => return Ok(*otherwise),
                wrong => {
                    self.values.push(wrong.and(Err(EvalError::NoSuchOverload)));
                    return Ok(*end);
                }
            },
            Step::Jump(to) => return Ok(*to),
            Step::FoldStart { kind, local, end } => {
                return Ok(if self.start_fold(*kind, *local) { at + 1 } else { *end });
            }
            Step::FoldNext { local, end } => {
                self.locals.truncate(*local);
                self.release_item();
                let Some(fold) = self.folds.last_mut() else { return Ok(*end) };
                match fold.over.get(fold.at) {
                    Some(item) => {
                        fold.at += 1;
                        self.locals.push(item);
                        return Ok(at + 1);
                    }
                    None => {
                        let result = self.end_of_fold();
                        self.values.push(result);
                        return Ok(*end);
                    }
                }
            }
            Step::FoldFilter { next, end } => match self.pop() {
                Ok(Value::Bool(true)) => return Ok(at + 1),
                Ok(Value::Bool(false)) => return Ok(*next),
                wrong => {
                    self.folds.pop();
                    self.values.push(wrong.and(Err(EvalError::NoSuchOverload)));
                    return Ok(*end);
                }
            },
            Step::FoldItem { local, next, end } => {
                let value = self.pop();
                self.keep_item()?;
                return Ok(match self.fold_step(value, *local) {
                    None => *next,
                    Some(result) => {
                        self.folds.pop();
                        self.locals.truncate(*local);
                        self.values.push(result);
                        *end
                    }
                });
            }
        };
        self.values.push(value);
        Ok(at + 1)
    }

    /// Takes an operand of `&&` or `||`. Returns whether it decides: then the operator's value is on the stack.
    fn chain(&mut self, wins: bool, is_first: bool) -> bool {
        let part = match self.pop() {
            Ok(Value::Bool(it)) => Ok(it),
            Ok(_) => Err(EvalError::NoSuchOverload),
            Err(error) => Err(error),
        };
        if part == Ok(wins) {
            if !is_first {
                self.values.pop();
            }
            self.values.push(Ok(Value::Bool(wins)));
            return true;
        }
        let before = if is_first { Ok(Value::Bool(!wins)) } else { self.pop() };
        self.values.push(before.and_then(|_| part.map(Value::Bool)));
        false
    }

    /// Begins a macro over the value on the stack. Returns whether it can: otherwise an error replaces the value.
    fn start_fold(&mut self, kind: FoldKind, local: usize) -> bool {
        let over = match self.pop() {
            Ok(Value::List(list)) => Over::List(list),
            Ok(Value::Map(map)) => Over::Map(map),
            wrong => {
                self.values.push(wrong.and(Err(EvalError::NoSuchOverload)));
                return false;
            }
        };
        let result = match kind {
            FoldKind::All | FoldKind::Exists => FoldResult::Undecided(None),
            FoldKind::ExistsOne => FoldResult::Count(0),
            FoldKind::Map | FoldKind::Filter => FoldResult::Items(Vec::new()),
        };
        self.folds.push(Fold { kind, over, at: 0, result, kept_before: self.kept });
        self.locals.truncate(local);
        true
    }

    /// Applies a macro to an item; `Some` if that decides.
    fn fold_step(&mut self, value: Evaluated, local: usize) -> Option<Evaluated> {
        let item = self.locals.get(local).cloned();
        let fold = self.folds.last_mut()?;
        let answer = match &value {
            Ok(Value::Bool(it)) => Ok(*it),
            Ok(_) => Err(EvalError::NoSuchOverload),
            Err(error) => Err(error.clone()),
        };
        match (&mut fold.result, fold.kind) {
            (FoldResult::Undecided(error), kind) => {
                let deciding = kind == FoldKind::Exists;
                match answer {
                    Ok(it) if it == deciding => return Some(Ok(Value::Bool(it))),
                    Ok(_) => {}
                    Err(found) => {
                        if error.is_none() {
                            // The error may hold a text that the item made.
                            fold.kept_before = self.kept;
                            *error = Some(found);
                        }
                    }
                }
                None
            }
            (FoldResult::Count(n), _) => match answer {
                Ok(counts) => {
                    *n += i64::from(counts);
                    None
                }
                Err(error) => Some(Err(error)),
            },
            (FoldResult::Items(items), FoldKind::Filter) => match answer {
                Ok(counts) => {
                    items.extend(item.filter(|_| counts));
                    None
                }
                Err(error) => Some(Err(error)),
            },
            (FoldResult::Items(items), _) => match value {
                Ok(value) => {
                    items.push(value);
                    None
                }
                Err(error) => Some(Err(error)),
            },
        }
    }

    fn end_of_fold(&mut self) -> Evaluated {
        let Some(fold) = self.folds.pop() else { return Err(EvalError::NoSuchOverload) };
        match fold.result {
            FoldResult::Undecided(Some(error)) => Err(error),
            FoldResult::Undecided(None) => Ok(Value::Bool(fold.kind == FoldKind::All)),
            FoldResult::Count(n) => Ok(Value::Bool(n == 1)),
            FoldResult::Items(items) => Ok(Value::list(items)),
        }
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
