//! The types of a rule, as cel-go infers them: what it refuses is refused here.
//!
//! What it deliberately does not do: type parameters are not inferred across a whole expression, only where an operator
//! joins two types. Some rules that cel-go refuses may pass for that; they do not hold when they are evaluated.

use std::fmt;

use super::RuleError;
use super::expr::{Expr, Fold, Literal};
use super::functions::Function;

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Type {
    /// Not known before evaluation.
    Dyn,
    /// Whatever is wanted: the items of an empty list.
    Free,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    /// That of types.
    Meta,
    List(Box<Type>),
    Map(Box<Type>, Box<Type>),
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn | Self::Free => f.write_str("dyn"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Uint => f.write_str("uint"),
            Self::Double => f.write_str("double"),
            Self::String => f.write_str("string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Duration => f.write_str("duration"),
            Self::Meta => f.write_str("type"),
            Self::List(item) => write!(f, "list({item})"),
            Self::Map(key, value) => write!(f, "map({key}, {value})"),
        }
    }
}

/// Checks a whole rule: it must be a yes or no.
pub(super) fn check(expr: &Expr) -> Result<(), RuleError> {
    match (Checker { locals: Vec::new() }).expr(expr)? {
        Type::Bool => Ok(()),
        _ => Err(RuleError::NotBool),
    }
}

/// What both can be; `None` if they have nothing in common.
fn join(a: &Type, b: &Type) -> Option<Type> {
    match (a, b) {
        (Type::Free, other) | (other, Type::Free) => Some(other.clone()),
        (Type::Dyn, _) | (_, Type::Dyn) => Some(Type::Dyn),
        (Type::List(a), Type::List(b)) => join(a, b).map(|it| Type::List(Box::new(it))),
        (Type::Map(a_key, a), Type::Map(b_key, b)) => {
            Some(Type::Map(Box::new(join(a_key, b_key)?), Box::new(join(a, b)?)))
        }
        (Type::Null, Type::Timestamp | Type::Duration) => Some(b.clone()),
        (Type::Timestamp | Type::Duration, Type::Null) => Some(a.clone()),
        _ => (a == b).then(|| a.clone()),
    }
}

/// The type of items that stand in one list: `dyn` if they differ.
fn common(types: Vec<Type>) -> Type {
    types.into_iter().fold(Type::Free, |a, b| join(&a, &b).unwrap_or(Type::Dyn))
}

struct Checker {
    locals: Vec<Type>,
}

impl Checker {
    fn expr(&mut self, expr: &Expr) -> Result<Type, RuleError> {
        match expr {
            Expr::Literal(literal) => Ok(match literal {
                Literal::Null => Type::Null,
                Literal::Bool(_) => Type::Bool,
                Literal::Int(_) => Type::Int,
                Literal::Uint(_) => Type::Uint,
                Literal::Double(_) => Type::Double,
                Literal::String(_) => Type::String,
                Literal::Bytes(_) => Type::Bytes,
            }),
            Expr::Properties => Ok(Type::List(Box::new(Type::Map(Box::new(Type::String), Box::new(Type::Dyn))))),
            Expr::Local(at) => Ok(self.locals.get(*at).cloned().unwrap_or(Type::Dyn)),
            Expr::TypeName(_) => Ok(Type::Meta),
            Expr::Select { operand, is_test, .. } => {
                let value = match self.expr(operand)? {
                    Type::Map(_, value) => *value,
                    Type::Dyn | Type::Free => Type::Dyn,
                    other => return Err(RuleError::Type(format!("type '{other}' does not support field selection"))),
                };
                Ok(if *is_test { Type::Bool } else { value })
            }
            Expr::Call { function, is_method, operands } => {
                let types = operands.iter().map(|it| self.expr(it)).collect::<Result<Vec<Type>, _>>()?;
                call(*function, *is_method, &types)
            }
            Expr::List(items) => {
                let types = items.iter().map(|it| self.expr(it)).collect::<Result<Vec<Type>, _>>()?;
                Ok(Type::List(Box::new(common(types))))
            }
            Expr::Map(entries) => {
                let (mut keys, mut values) = (Vec::new(), Vec::new());
                for (key, value) in entries {
                    keys.push(self.expr(key)?);
                    values.push(self.expr(value)?);
                }
                Ok(Type::Map(Box::new(common(keys)), Box::new(common(values))))
            }
            Expr::Fold(fold) => self.fold(fold),
        }
    }

    fn fold(&mut self, fold: &Fold) -> Result<Type, RuleError> {
        let item = match self.expr(&fold.range)? {
            Type::List(item) => *item,
            Type::Map(key, _) => *key,
            Type::Dyn | Type::Free => Type::Dyn,
            other => {
                let what = format!("expression of type '{other}' cannot be range of a comprehension");
                return Err(RuleError::Type(format!("{what} (must be list, map, or dynamic)")));
            }
        };
        let start = self.expr(&fold.start)?;
        self.locals.truncate(fold.result_at);
        self.locals.push(start.clone());
        self.locals.push(item);
        self.must_be_bool(&fold.condition)?;
        let step = self.expr(&fold.step)?;
        let Some(result) = join(&start, &step) else {
            return Err(RuleError::Type(format!("expected type '{start}' but found '{step}'")));
        };
        self.locals.truncate(fold.result_at);
        self.locals.push(result);
        let end = self.expr(&fold.end)?;
        self.locals.truncate(fold.result_at);
        Ok(end)
    }

    fn must_be_bool(&mut self, expr: &Expr) -> Result<(), RuleError> {
        match self.expr(expr)? {
            Type::Bool | Type::Dyn | Type::Free => Ok(()),
            other => Err(RuleError::Type(format!("expected type 'bool' but found '{other}'"))),
        }
    }
}

/// The type of a call.
fn call(function: Function, is_method: bool, types: &[Type]) -> Result<Type, RuleError> {
    let (as_method, as_function) = function.styles();
    let is_style = if is_method { as_method } else { as_function };
    let result = if is_style { generic(function, types).or_else(|| plain(function, types)) } else { None };
    result.ok_or_else(|| {
        let texts: Vec<String> = types.iter().map(ToString::to_string).collect();
        let operands = match texts.split_first() {
            Some((receiver, rest)) if is_method => format!("{receiver}.({})", rest.join(", ")),
            _ => format!("({})", texts.join(", ")),
        };
        RuleError::NoOverload { function: function.name().to_owned(), operands }
    })
}

/// The overloads with type parameters.
fn generic(function: Function, types: &[Type]) -> Option<Type> {
    match (function, types) {
        (Function::Conditional, [condition, a, b]) => {
            join(condition, &Type::Bool)?;
            join(a, b)
        }
        (Function::Equals | Function::NotEquals, [a, b]) => join(a, b).map(|_| Type::Bool),
        (Function::Index, [Type::List(item), at]) => join(at, &Type::Int).map(|_| (**item).clone()),
        (Function::Index, [Type::Map(key, value), at]) => join(at, key).map(|_| (**value).clone()),
        (Function::Index, [Type::Dyn | Type::Free, _]) => Some(Type::Dyn),
        (Function::In, [item, Type::List(of) | Type::Map(of, _)]) => join(item, of).map(|_| Type::Bool),
        (Function::In, [_, Type::Dyn | Type::Free]) => Some(Type::Bool),
        (Function::Size, [Type::List(_) | Type::Map(..)]) => Some(Type::Int),
        (Function::Add, [a @ Type::List(_), b @ Type::List(_)]) => join(a, b),
        (Function::Add, [a @ Type::List(_), Type::Dyn | Type::Free] | [Type::Dyn | Type::Free, a @ Type::List(_)]) => {
            Some(a.clone())
        }
        (Function::TypeOf, [_]) => Some(Type::Meta),
        (Function::Dyn, [_]) => Some(Type::Dyn),
        _ => None,
    }
}

/// The overloads without: the type that all fitting ones give, or none in particular.
fn plain(function: Function, types: &[Type]) -> Option<Type> {
    let fits = |wanted: &&[Type]| {
        wanted.len() == types.len() && wanted.iter().zip(types).all(|(wanted, it)| join(wanted, it).is_some())
    };
    let mut results = function.overloads().iter().filter(|(wanted, _)| fits(wanted)).map(|(_, result)| result);
    let first = results.next()?;
    Some(if results.all(|it| it == first) { first.clone() } else { Type::Dyn })
}
