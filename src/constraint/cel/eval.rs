//! Evaluation, step by step, with a bound on the steps.
//!
//! Errors are values, because `||`, `&&` and the macros absorb them as cel-go does: a yes wins over an error.
//!
//! What it deliberately does not do: no types; what the checker let through and does not fit is an error here.

use std::cell::Cell;
use std::sync::Arc;

use thiserror::Error;

use super::apply::apply;
use super::expr::{Expr, Fold, Literal};
use super::functions::Function;
use super::value::{Value, equal, key_order, lookup};

/// Why a rule has no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A map has no such key.
    #[error("no such key: {0}")]
    NoSuchKey(Arc<str>),
    /// A list has no such item.
    #[error("index out of bounds: {0}")]
    Bounds(i64),
    /// An operator or function does not take such values.
    #[error("no such overload")]
    NoSuchOverload,
    /// A number is too large, or is divided by zero, or cannot be converted.
    #[error("{0}")]
    Number(&'static str),
    /// A text cannot be converted.
    #[error("cannot convert '{0}' to {1}")]
    Conversion(Arc<str>, &'static str),
    /// A text is no version.
    #[error("unable to parse '{0}' to semver format")]
    Semver(Arc<str>),
    /// A text is no regular expression.
    #[error("error parsing regexp: {0}")]
    Regexp(Arc<str>),
    /// A map has a key twice.
    #[error("Failed with repeated key")]
    RepeatedKey,
}

/// The steps are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the rules of `olm.constraint` take more than {limit} steps")]
pub struct OutOfFuel {
    /// How many there were.
    pub limit: u64,
}

/// Steps that evaluation may take, of all rules together.
#[derive(Debug)]
pub struct Fuel {
    left: Cell<u64>,
    limit: u64,
}

impl Fuel {
    /// So many steps: a step is a value looked at, or sixteen bytes copied.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self { left: Cell::new(limit), limit }
    }

    pub(crate) fn left(&self) -> u64 {
        self.left.get()
    }

    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Starts anew, with so many steps.
    pub(crate) fn refill(&mut self, limit: u64) {
        self.limit = limit;
        self.left.set(limit);
    }

    pub(crate) fn spend(&self, steps: u64) -> Result<(), OutOfFuel> {
        match self.left.get().checked_sub(steps) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(OutOfFuel { limit: self.limit }),
        }
    }
}

pub(super) type Evaluated = Result<Value, EvalError>;

/// Whether a checked rule holds.
pub(super) fn evaluate(expr: &Expr, properties: &Value, fuel: &Fuel) -> Result<Result<bool, EvalError>, OutOfFuel> {
    let mut evaluator = Evaluator { properties, fuel, locals: Vec::new() };
    Ok(evaluator.value(expr)?.and_then(|it| match it {
        Value::Bool(holds) => Ok(holds),
        _ => Err(EvalError::NoSuchOverload),
    }))
}

struct Evaluator<'e> {
    properties: &'e Value,
    fuel: &'e Fuel,
    locals: Vec<Evaluated>,
}

impl Evaluator<'_> {
    fn value(&mut self, expr: &Expr) -> Result<Evaluated, OutOfFuel> {
        self.fuel.spend(1)?;
        Ok(match expr {
            Expr::Literal(literal) => Ok(match literal {
                Literal::Null => Value::Null,
                Literal::Bool(it) => Value::Bool(*it),
                Literal::Int(it) => Value::Int(*it),
                Literal::Uint(it) => Value::Uint(*it),
                Literal::Double(it) => Value::Double(*it),
                Literal::String(it) => Value::String(Arc::clone(it)),
                Literal::Bytes(it) => Value::Bytes(Arc::clone(it)),
            }),
            Expr::Properties => Ok(self.properties.clone()),
            Expr::Local(at) => self.locals.get(*at).cloned().unwrap_or(Err(EvalError::NoSuchOverload)),
            Expr::TypeName(name) => Ok(Value::Type(name)),
            Expr::Select { operand, field, is_test } => match self.value(operand)? {
                Ok(Value::Map(map)) => {
                    let found = lookup(&map, &Value::String(Arc::clone(field)));
                    match (found, is_test) {
                        (found, true) => Ok(Value::Bool(found.is_some())),
                        (Some(value), false) => Ok(value.clone()),
                        (None, false) => Err(EvalError::NoSuchKey(Arc::clone(field))),
                    }
                }
                Ok(_) => Err(EvalError::NoSuchOverload),
                Err(error) => Err(error),
            },
            Expr::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    match self.value(item)? {
                        Ok(value) => values.push(value),
                        Err(error) => return Ok(Err(error)),
                    }
                }
                Ok(Value::List(Arc::new(values)))
            }
            Expr::Map(entries) => self.map(entries)?,
            Expr::Fold(fold) => self.fold(fold)?,
            Expr::Call { function, operands, .. } => self.call(*function, operands)?,
        })
    }

    fn map(&mut self, entries: &[(Expr, Expr)]) -> Result<Evaluated, OutOfFuel> {
        let mut values: Vec<(Value, Value)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            match (self.value(key)?, self.value(value)?) {
                (Ok(key), Ok(value)) => values.push((key, value)),
                (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
            }
        }
        values.sort_by(|a, b| key_order(&a.0, &b.0));
        if values.windows(2).any(|it| key_order(&it[0].0, &it[1].0).is_eq()) {
            return Ok(Err(EvalError::RepeatedKey));
        }
        Ok(Ok(Value::Map(Arc::new(values))))
    }

    fn fold(&mut self, fold: &Fold) -> Result<Evaluated, OutOfFuel> {
        let range = match self.value(&fold.range)? {
            Ok(range) => range,
            Err(error) => return Ok(Err(error)),
        };
        let n_items = match &range {
            Value::List(items) => items.len(),
            Value::Map(entries) => entries.len(),
            _ => return Ok(Err(EvalError::NoSuchOverload)),
        };
        let mut result = self.value(&fold.start)?;
        for idx in 0..n_items {
            let item = match &range {
                Value::List(items) => items[idx].clone(),
                Value::Map(entries) => entries[idx].0.clone(),
                _ => Value::Null,
            };
            self.locals.truncate(fold.result_at);
            self.locals.push(result);
            self.locals.push(Ok(item));
            if matches!(self.value(&fold.condition)?, Ok(Value::Bool(false))) {
                self.locals.pop();
                result = self.locals.pop().unwrap_or(Err(EvalError::NoSuchOverload));
                break;
            }
            result = self.value(&fold.step)?;
        }
        self.locals.truncate(fold.result_at);
        self.locals.push(result);
        let end = self.value(&fold.end)?;
        self.locals.truncate(fold.result_at);
        Ok(end)
    }

    fn call(&mut self, function: Function, operands: &[Expr]) -> Result<Evaluated, OutOfFuel> {
        match (function, operands) {
            (Function::And, [a, b]) => self.either(a, b, false),
            (Function::Or, [a, b]) => self.either(a, b, true),
            (Function::NotStrictlyFalse, [a]) => Ok(Ok(Value::Bool(!matches!(self.value(a)?, Ok(Value::Bool(false)))))),
            (Function::Conditional, [condition, a, b]) => match self.value(condition)? {
                Ok(Value::Bool(true)) => self.value(a),
                Ok(Value::Bool(false)) => self.value(b),
                Ok(_) => Ok(Err(EvalError::NoSuchOverload)),
                Err(error) => Ok(Err(error)),
            },
            _ => {
                let mut values = Vec::with_capacity(operands.len());
                for operand in operands {
                    match self.value(operand)? {
                        Ok(value) => values.push(value),
                        Err(error) => return Ok(Err(error)),
                    }
                }
                self.apply(function, &values)
            }
        }
    }

    /// `||` if `wins` is true, `&&` if it is false: the winning value wins over an error on the other side.
    fn either(&mut self, a: &Expr, b: &Expr, wins: bool) -> Result<Evaluated, OutOfFuel> {
        let is_winner = |it: &Evaluated| matches!(it, Ok(Value::Bool(value)) if *value == wins);
        let a = self.value(a)?;
        if is_winner(&a) {
            return Ok(a);
        }
        let b = self.value(b)?;
        if is_winner(&b) {
            return Ok(b);
        }
        Ok(match (a, b) {
            (Err(error), _) | (Ok(Value::Bool(_)), Err(error)) => Err(error),
            (Ok(Value::Bool(_)), Ok(Value::Bool(_))) => Ok(Value::Bool(!wins)),
            _ => Err(EvalError::NoSuchOverload),
        })
    }

    /// Functions that look at all of their operands.
    fn apply(&mut self, function: Function, operands: &[Value]) -> Result<Evaluated, OutOfFuel> {
        let size = |it: &Value| match it {
            Value::String(text) => text.len() as u64 / 16,
            Value::Bytes(bytes) => bytes.len() as u64 / 16,
            Value::List(items) => items.len() as u64,
            Value::Map(entries) => entries.len() as u64,
            _ => 0,
        };
        match (function, operands) {
            (Function::Equals | Function::NotEquals, [a, b]) => {
                let mut steps = size(a).min(size(b));
                let is_equal = equal(a, b, &mut steps);
                self.fuel.spend(steps)?;
                Ok(Ok(Value::Bool(is_equal == (function == Function::Equals))))
            }
            (Function::In, [item, Value::List(items)]) => {
                let mut steps = 0;
                let is_in = items.iter().any(|it| equal(item, it, &mut steps));
                self.fuel.spend(steps)?;
                Ok(Ok(Value::Bool(is_in)))
            }
            _ => {
                // Whatever a function does, it is no more than to go over its operands; matching goes over them often.
                let factor = if function == Function::Matches { 64 } else { 1 };
                self.fuel.spend(factor * operands.iter().map(size).sum::<u64>())?;
                Ok(apply(function, operands))
            }
        }
    }
}
