//! Functions and operators that need all of their operands, on values.
//!
//! What it deliberately does not do: no counting of steps, which the caller does by the sizes of the operands.

use std::cmp::Ordering;
use std::sync::Arc;

use regex::RegexBuilder;

use super::eval::{EvalError, Evaluated};
use super::functions::Function;
use super::time;
use super::value::{Value, lookup, order};
use crate::version::Version;

/// The value of a call. Operands that do not fit are an error.
pub(super) fn apply(function: Function, operands: &[Value]) -> Evaluated {
    use Value as V;
    Ok(match (function, operands) {
        (Function::Not, [V::Bool(it)]) => V::Bool(!it),
        (Function::Less, [a, b]) => V::Bool(ordered(a, b)?.is_lt()),
        (Function::LessEquals, [a, b]) => V::Bool(ordered(a, b)?.is_le()),
        (Function::Greater, [a, b]) => V::Bool(ordered(a, b)?.is_gt()),
        (Function::GreaterEquals, [a, b]) => V::Bool(ordered(a, b)?.is_ge()),
        (Function::Add | Function::Subtract | Function::Multiply | Function::Divide | Function::Modulo, [a, b]) => {
            arithmetic(function, a, b)?
        }
        (Function::Negate, [V::Int(it)]) => V::Int(it.checked_neg().ok_or(OVERFLOW)?),
        (Function::Negate, [V::Double(it)]) => V::Double(-it),
        (Function::Index, [list @ V::List(_), at]) => item(list, at)?,
        (Function::Index, [V::Map(map), key]) => match lookup(map, key) {
            Some(value) => value.clone(),
            None => return Err(EvalError::NoSuchKey(Arc::from(shown(key)))),
        },
        (Function::In, [key, V::Map(map)]) => V::Bool(lookup(map, key).is_some()),
        (Function::Size, [V::String(it)]) => V::Int(it.chars().count() as i64),
        (Function::Size, [V::Bytes(it)]) => V::Int(it.len() as i64),
        (Function::Size, [V::List(it)]) => V::Int(it.len() as i64),
        (Function::Size, [V::Map(it)]) => V::Int(it.len() as i64),
        (Function::Contains, [V::String(a), V::String(b)]) => V::Bool(a.contains(&**b)),
        (Function::StartsWith, [V::String(a), V::String(b)]) => V::Bool(a.starts_with(&**b)),
        (Function::EndsWith, [V::String(a), V::String(b)]) => V::Bool(a.ends_with(&**b)),
        (Function::Matches, [V::String(text), V::String(pattern)]) => {
            let pattern = RegexBuilder::new(pattern).size_limit(1 << 20).nest_limit(200).build();
            V::Bool(pattern.map_err(|it| EvalError::Regexp(Arc::from(it.to_string())))?.is_match(text))
        }
        (Function::TypeOf, [it]) => V::Type(it.type_name()),
        (Function::Dyn, [it]) => it.clone(),
        (Function::SemverCompare, [a, b]) => V::Int(match version(a)?.cmp(&version(b)?) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }),
        (Function::Int, [it]) => to_int(it)?,
        (Function::Uint, [it]) => to_uint(it)?,
        (Function::Double, [it]) => to_double(it)?,
        (Function::Bool | Function::String | Function::Bytes | Function::Timestamp | Function::Duration, [it]) => {
            convert(function, it)?
        }
        (_, [V::Timestamp(at)]) => of_moment(function, *at, 0)?,
        (_, [V::Timestamp(at), V::String(zone)]) => {
            let offset = time::zone(zone).ok_or_else(|| EvalError::Conversion(Arc::clone(zone), "time zone"))?;
            of_moment(function, *at, offset)?
        }
        (Function::Hours, [V::Duration(it)]) => V::Int(it / (3600 * time::SECOND)),
        (Function::Minutes, [V::Duration(it)]) => V::Int(it / (60 * time::SECOND)),
        (Function::Seconds, [V::Duration(it)]) => V::Int(it / time::SECOND),
        (Function::Milliseconds, [V::Duration(it)]) => V::Int(it / 1_000_000),
        _ => return Err(EvalError::NoSuchOverload),
    })
}

const OVERFLOW: EvalError = EvalError::Number("integer overflow");

fn ordered(a: &Value, b: &Value) -> Result<Ordering, EvalError> {
    order(a, b).ok_or(EvalError::NoSuchOverload)
}

fn arithmetic(function: Function, a: &Value, b: &Value) -> Evaluated {
    use Value as V;
    let by_zero = || match function {
        Function::Modulo => EvalError::Number("modulus by zero"),
        _ => EvalError::Number("division by zero"),
    };
    macro_rules! integers {
        ($a:expr, $b:expr) => {
            match function {
                Function::Add => $a.checked_add($b),
                Function::Subtract => $a.checked_sub($b),
                Function::Multiply => $a.checked_mul($b),
                _ if $b == 0 => return Err(by_zero()),
                Function::Divide => $a.checked_div($b),
                _ => $a.checked_rem($b),
            }
            .ok_or(OVERFLOW)?
        };
    }
    let moment = |at: i128| if time::is_moment(at) { Ok(V::Timestamp(at)) } else { Err(OVERFLOW) };
    let span = |it: Option<i64>| it.map(V::Duration).ok_or(OVERFLOW);
    match (function, a, b) {
        (_, V::Int(a), V::Int(b)) => Ok(V::Int(integers!(*a, *b))),
        (_, V::Uint(a), V::Uint(b)) => Ok(V::Uint(integers!(*a, *b))),
        (Function::Add, V::Double(a), V::Double(b)) => Ok(V::Double(a + b)),
        (Function::Subtract, V::Double(a), V::Double(b)) => Ok(V::Double(a - b)),
        (Function::Multiply, V::Double(a), V::Double(b)) => Ok(V::Double(a * b)),
        (Function::Divide, V::Double(a), V::Double(b)) => Ok(V::Double(a / b)),
        (Function::Add, V::String(a), V::String(b)) => Ok(V::String(Arc::from([&**a, &**b].concat()))),
        (Function::Add, V::Bytes(a), V::Bytes(b)) => Ok(V::Bytes(Arc::from([&**a, &**b].concat()))),
        (Function::Add, V::List(a), V::List(b)) => Ok(V::List(Arc::new([a.as_slice(), b.as_slice()].concat()))),
        (Function::Add, V::Timestamp(at), V::Duration(by)) | (Function::Add, V::Duration(by), V::Timestamp(at)) => {
            moment(at + i128::from(*by))
        }
        (Function::Add, V::Duration(a), V::Duration(b)) => span(a.checked_add(*b)),
        (Function::Subtract, V::Timestamp(a), V::Timestamp(b)) => span(i64::try_from(a - b).ok()),
        (Function::Subtract, V::Timestamp(at), V::Duration(by)) => moment(at - i128::from(*by)),
        (Function::Subtract, V::Duration(a), V::Duration(b)) => span(a.checked_sub(*b)),
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn item(list: &Value, at: &Value) -> Evaluated {
    let Value::List(items) = list else { return Err(EvalError::NoSuchOverload) };
    let at = match at {
        Value::Int(at) => *at,
        Value::Uint(at) => i64::try_from(*at).unwrap_or(i64::MAX),
        Value::Double(at) if at.fract() == 0.0 && at.abs() < 1e15 => *at as i64,
        _ => return Err(EvalError::NoSuchOverload),
    };
    let found = usize::try_from(at).ok().and_then(|it| items.get(it));
    found.cloned().ok_or(EvalError::Bounds(at))
}

fn of_moment(function: Function, at: i128, offset: i64) -> Evaluated {
    let parts = time::Parts::new(at, offset);
    Ok(Value::Int(match function {
        Function::FullYear => parts.year,
        Function::Month => parts.month - 1,
        Function::DayOfYear => parts.day_of_year,
        Function::DayOfMonth => parts.day - 1,
        Function::Date => parts.day,
        Function::DayOfWeek => parts.day_of_week,
        Function::Hours => parts.hour,
        Function::Minutes => parts.minute,
        Function::Seconds => parts.second,
        Function::Milliseconds => parts.millisecond,
        _ => return Err(EvalError::NoSuchOverload),
    }))
}

/// A value as Go prints it.
fn shown(value: &Value) -> String {
    match value {
        Value::Bool(it) => it.to_string(),
        Value::Int(it) => it.to_string(),
        Value::Uint(it) => it.to_string(),
        Value::Double(it) if *it != 0.0 && (it.abs() < 1e-4 || it.abs() >= 1e21) => format!("{it:e}"),
        Value::Double(it) => it.to_string(),
        Value::String(it) => it.to_string(),
        Value::List(items) => format!("[{}]", items.iter().map(flat).collect::<Vec<_>>().join(" ")),
        other => flat(other),
    }
}

/// As [`shown`], without what is inside.
fn flat(value: &Value) -> String {
    match value {
        Value::List(_) => "[…]".to_owned(),
        Value::Map(_) => "map[…]".to_owned(),
        Value::Null => "NULL_VALUE".to_owned(),
        Value::Bytes(_) | Value::Timestamp(_) | Value::Duration(_) | Value::Type(_) => value.type_name().to_owned(),
        plain => shown(plain),
    }
}

fn version(value: &Value) -> Result<Version, EvalError> {
    let text = shown(value);
    Version::parse_tolerant(&text).map_err(|_| EvalError::Semver(Arc::from(text)))
}

fn cannot(text: &str, into: &'static str) -> EvalError {
    EvalError::Conversion(Arc::from(text), into)
}

fn to_int(value: &Value) -> Evaluated {
    const RANGE: EvalError = EvalError::Number("range error converting to int");
    Ok(Value::Int(match value {
        Value::Int(it) => *it,
        Value::Uint(it) => i64::try_from(*it).map_err(|_| RANGE)?,
        Value::Double(it) if *it > i64::MIN as f64 && *it < i64::MAX as f64 => *it as i64,
        Value::Double(_) => return Err(RANGE),
        Value::String(it) => it.parse().map_err(|_| cannot(it, "int"))?,
        Value::Timestamp(at) => at.div_euclid(i128::from(time::SECOND)) as i64,
        Value::Duration(it) => *it,
        _ => return Err(EvalError::NoSuchOverload),
    }))
}

fn to_uint(value: &Value) -> Evaluated {
    const RANGE: EvalError = EvalError::Number("range error converting to uint");
    Ok(Value::Uint(match value {
        Value::Uint(it) => *it,
        Value::Int(it) => u64::try_from(*it).map_err(|_| RANGE)?,
        Value::Double(it) if *it >= 0.0 && *it < u64::MAX as f64 => *it as u64,
        Value::Double(_) => return Err(RANGE),
        Value::String(it) => it.parse().map_err(|_| cannot(it, "uint"))?,
        _ => return Err(EvalError::NoSuchOverload),
    }))
}

fn to_double(value: &Value) -> Evaluated {
    Ok(Value::Double(match value {
        Value::Double(it) => *it,
        Value::Int(it) => *it as f64,
        Value::Uint(it) => *it as f64,
        Value::String(it) => it.parse().map_err(|_| cannot(it, "double"))?,
        _ => return Err(EvalError::NoSuchOverload),
    }))
}

fn convert(function: Function, value: &Value) -> Evaluated {
    use Value as V;
    Ok(match (function, value) {
        (Function::Bool, V::Bool(_)) => value.clone(),
        (Function::Bool, V::String(it)) => match &**it {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => V::Bool(true),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => V::Bool(false),
            _ => return Err(cannot(it, "bool")),
        },
        (Function::String, V::String(_)) | (Function::Bytes, V::Bytes(_)) => value.clone(),
        (Function::Timestamp, V::Timestamp(_)) | (Function::Duration, V::Duration(_)) => value.clone(),
        (Function::String, V::Bool(_) | V::Int(_) | V::Uint(_) | V::Double(_)) => V::text(&shown(value)),
        (Function::String, V::Bytes(it)) => {
            V::text(std::str::from_utf8(it).map_err(|_| EvalError::Number("invalid UTF-8 in bytes"))?)
        }
        (Function::String, V::Timestamp(at)) => V::text(&time::write_timestamp(*at)),
        (Function::String, V::Duration(it)) => V::text(&time::write_duration(*it)),
        (Function::Bytes, V::String(it)) => V::Bytes(Arc::from(it.as_bytes())),
        (Function::Timestamp, V::String(it)) => {
            V::Timestamp(time::parse_timestamp(it).ok_or_else(|| cannot(it, "timestamp"))?)
        }
        (Function::Timestamp, V::Int(it)) => {
            let moment = i128::from(*it) * i128::from(time::SECOND);
            if time::is_moment(moment) { V::Timestamp(moment) } else { return Err(OVERFLOW) }
        }
        (Function::Duration, V::String(it)) => {
            V::Duration(time::parse_duration(it).ok_or_else(|| cannot(it, "duration"))?)
        }
        (Function::Duration, V::Int(it)) => V::Duration(*it),
        _ => return Err(EvalError::NoSuchOverload),
    })
}
