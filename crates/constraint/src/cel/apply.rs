//! Functions and operators that need all of their operands, on values.

use std::cmp::Ordering;
use std::sync::Arc;

use super::error::EvalError;
use super::functions::Function;
use super::number::{parse_double, write_double};
use super::time;
use super::value::{Evaluated, Value, order, to_i64};
use olmdex_version::Version;

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
        (Function::Negate, [V::Duration(it)]) => V::Duration(it.checked_neg().ok_or(OVERFLOW)?),
        (Function::Index, [of, at]) => item(of, at)?,
        // Bytes cannot be looked for among keys of all kinds.
        (Function::In, [V::Bytes(_), V::Map(map)]) if !map.has_text_keys() => {
            return Err(EvalError::Key("bytes"));
        }
        (Function::In, [key, V::Map(map)]) => V::Bool(map.get(key).is_some()),
        (Function::Size, [V::String(it)]) => V::Int(it.chars().count() as i64),
        (Function::Size, [V::Bytes(it)]) => V::Int(it.len() as i64),
        (Function::Size, [V::List(it)]) => V::Int(it.items().len() as i64),
        (Function::Size, [V::Map(it)]) => V::Int(it.entries().len() as i64),
        (Function::Contains, [V::String(a), V::String(b)]) => V::Bool(a.contains(&**b)),
        (Function::StartsWith, [V::String(a), V::String(b)]) => V::Bool(a.starts_with(&**b)),
        (Function::EndsWith, [V::String(a), V::String(b)]) => V::Bool(a.ends_with(&**b)),
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
        (_, [V::Timestamp(at, _)]) => of_moment(function, *at, 0)?,
        (_, [V::Timestamp(at, _), V::String(zone)]) => {
            let offset = time::zone(zone).ok_or_else(|| EvalError::Conversion(Arc::clone(zone), "time zone"))?;
            of_moment(function, *at, offset)?
        }
        (Function::Hours, [V::Duration(it)]) => V::Int(time::whole(*it, 3600)),
        (Function::Minutes, [V::Duration(it)]) => V::Int(time::whole(*it, 60)),
        (Function::Seconds, [V::Duration(it)]) => V::Int(time::whole(*it, 1)),
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
    let moment =
        |at: i128, offset: &i32| if time::is_moment(at) { Ok(V::Timestamp(at, *offset)) } else { Err(OVERFLOW) };
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
        (Function::Add, V::List(a), V::List(b)) => Ok(V::list([a.items(), b.items()].concat())),
        (Function::Add, V::Timestamp(at, offset), V::Duration(by))
        | (Function::Add, V::Duration(by), V::Timestamp(at, offset)) => moment(at + i128::from(*by), offset),
        (Function::Add, V::Duration(a), V::Duration(b)) => span(a.checked_add(*b)),
        (Function::Subtract, V::Timestamp(a, _), V::Timestamp(b, _)) => span(i64::try_from(a - b).ok()),
        (Function::Subtract, V::Timestamp(at, offset), V::Duration(by)) => {
            // The span is negated first, and the shortest has no opposite.
            by.checked_neg().ok_or(OVERFLOW)?;
            moment(at - i128::from(*by), offset)
        }
        (Function::Subtract, V::Duration(a), V::Duration(b)) => span(a.checked_sub(*b)),
        _ => Err(EvalError::NoSuchOverload),
    }
}

/// `of[at]`. Only plain values can be keys.
fn item(of: &Value, at: &Value) -> Evaluated {
    if !matches!(at, Value::String(_) | Value::Int(_) | Value::Uint(_) | Value::Bool(_) | Value::Double(_)) {
        return Err(EvalError::Key(at.type_name()));
    }
    let Value::List(list) = of else {
        let found = if let Value::Map(map) = of { map.get(at) } else { None };
        return found.cloned().ok_or_else(|| EvalError::NoSuchKey(Arc::from(shown(at))));
    };
    let number = match at {
        Value::Int(at) => Some(*at),
        Value::Uint(at) => i64::try_from(*at).ok(),
        Value::Double(at) => to_i64(*at),
        _ => None,
    };
    let number = number.ok_or(EvalError::Key(at.type_name()))?;
    let found = usize::try_from(number).ok().and_then(|it| list.items().get(it));
    found.cloned().ok_or(EvalError::Bounds(number))
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
        Value::Double(it) => write_double(*it),
        Value::String(it) => it.to_string(),
        // A value with parts is never a version.
        Value::List(_) => "[…]".to_owned(),
        Value::Map(_) => "map[…]".to_owned(),
        Value::Null => "NULL_VALUE".to_owned(),
        Value::Bytes(_) | Value::Timestamp(..) | Value::Duration(_) | Value::Type(_) => value.type_name().to_owned(),
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
        Value::Timestamp(at, _) => at.div_euclid(i128::from(time::SECOND)) as i64,
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
        // Go takes no sign here.
        Value::String(it) => it.parse().ok().filter(|_| !it.starts_with('+')).ok_or_else(|| cannot(it, "uint"))?,
        _ => return Err(EvalError::NoSuchOverload),
    }))
}

fn to_double(value: &Value) -> Evaluated {
    Ok(Value::Double(match value {
        Value::Double(it) => *it,
        Value::Int(it) => *it as f64,
        Value::Uint(it) => *it as f64,
        Value::String(it) => parse_double(it).ok_or_else(|| cannot(it, "double"))?,
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
        (Function::Timestamp, V::Timestamp(..)) | (Function::Duration, V::Duration(_)) => value.clone(),
        (Function::String, V::Bool(_) | V::Int(_) | V::Uint(_) | V::Double(_)) => V::text(&shown(value)),
        (Function::String, V::Bytes(it)) => {
            V::text(std::str::from_utf8(it).map_err(|_| EvalError::Number("invalid UTF-8 in bytes"))?)
        }
        (Function::String, V::Timestamp(at, offset)) => V::text(&time::write_timestamp(*at, *offset)),
        (Function::String, V::Duration(it)) => V::text(&time::write_duration(*it)),
        (Function::Bytes, V::String(it)) => V::Bytes(Arc::from(it.as_bytes())),
        (Function::Timestamp, V::String(it)) => {
            let (at, offset) = time::parse_timestamp(it).ok_or_else(|| cannot(it, "timestamp"))?;
            V::Timestamp(at, offset)
        }
        (Function::Timestamp, V::Int(it)) => {
            let moment = i128::from(*it) * i128::from(time::SECOND);
            if time::is_moment(moment) { V::Timestamp(moment, 0) } else { return Err(OVERFLOW) }
        }
        (Function::Duration, V::String(it)) => {
            V::Duration(time::parse_duration(it).ok_or_else(|| cannot(it, "duration"))?)
        }
        _ => return Err(EvalError::NoSuchOverload),
    })
}
