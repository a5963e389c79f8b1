//! Values: what they are, when they are equal, how they order.
//!
//! What it deliberately does not do: no operators.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::json::{self, Kind};

/// A value. Cheap to copy.
#[derive(Debug, Clone)]
pub enum Value {
    /// `null`
    Null,
    /// A truth value.
    Bool(bool),
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Uint(u64),
    /// A number with a fraction; every number of JSON is one.
    Double(f64),
    /// A text.
    String(Arc<str>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A moment: nanoseconds since 1970.
    Timestamp(i128),
    /// A span of nanoseconds.
    Duration(i64),
    /// A type, by its name.
    Type(&'static str),
    /// A list.
    List(Arc<Vec<Value>>),
    /// A map: keys with values, keys in order.
    Map(Arc<Vec<(Value, Value)>>),
}

impl Value {
    pub(super) fn text(text: &str) -> Self {
        Self::String(Arc::from(text))
    }

    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Type(_) => "type",
            Self::List(_) => "list",
            Self::Map(_) => "map",
        }
    }

    /// The list that rules see: type and value of each property. A value that is not JSON makes the whole element an empty
    /// map (`spec/olm-classic.md` 3.3.2).
    #[must_use]
    pub fn properties<'p>(properties: impl Iterator<Item = (&'p str, &'p str)>) -> Self {
        let mut reader = json::Reader::new();
        let property = |(kind, value): (&str, &str)| {
            let Ok(value) = reader.read(value) else { return Self::map(Vec::new()) };
            Self::map(vec![(Self::text("type"), Self::text(kind)), (Self::text("value"), from_json(value))])
        };
        Self::List(Arc::new(properties.map(property).collect()))
    }

    /// A map of entries whose keys are distinct.
    pub(super) fn map(mut entries: Vec<(Self, Self)>) -> Self {
        entries.sort_by(|a, b| key_order(&a.0, &b.0));
        Self::Map(Arc::new(entries))
    }
}

/// The value of a key.
pub(super) fn lookup<'m>(map: &'m [(Value, Value)], key: &Value) -> Option<&'m Value> {
    map.binary_search_by(|it| key_order(&it.0, key)).ok().map(|at| &map[at].1)
}

/// An order of all values that may be keys: truth values, numbers, texts, the rest.
pub(super) fn key_order(a: &Value, b: &Value) -> Ordering {
    let rank = |it: &Value| match it {
        Value::Bool(_) => 0,
        Value::Int(_) | Value::Uint(_) | Value::Double(_) => 1,
        Value::String(_) => 2,
        _ => 3,
    };
    rank(a).cmp(&rank(b)).then_with(|| order(a, b).unwrap_or(Ordering::Equal))
}

/// The order of two values of one kind; `None` if they have none. Numbers of different types order as numbers.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.cmp(b)),
        (Value::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Uint(a), Value::Uint(b)) => Some(a.cmp(b)),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Int(a), Value::Uint(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Uint(a), Value::Int(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        // As cel-go: whole numbers are rounded to doubles.
        (Value::Int(a), Value::Double(b)) => (*a as f64).partial_cmp(b),
        (Value::Double(a), Value::Int(b)) => a.partial_cmp(&(*b as f64)),
        (Value::Uint(a), Value::Double(b)) => (*a as f64).partial_cmp(b),
        (Value::Double(a), Value::Uint(b)) => a.partial_cmp(&(*b as f64)),
        _ => None,
    }
}

/// Whether both are equal; values of different kinds are not. `steps` counts what was compared.
pub(super) fn equal(a: &Value, b: &Value, steps: &mut u64) -> bool {
    let mut open: Vec<(Value, Value)> = vec![(a.clone(), b.clone())];
    while let Some((a, b)) = open.pop() {
        *steps += 1;
        let is_equal = match (&a, &b) {
            (Value::Null, Value::Null) => true,
            (Value::Type(a), Value::Type(b)) => a == b,
            (Value::List(a), Value::List(b)) => {
                if a.len() == b.len() {
                    open.extend(a.iter().cloned().zip(b.iter().cloned()));
                }
                a.len() == b.len()
            }
            (Value::Map(a), Value::Map(b)) => {
                let mut pairs = a.iter().map(|(key, value)| Some((value.clone(), lookup(b, key)?.clone())));
                let pairs: Option<Vec<_>> = if a.len() == b.len() { pairs.by_ref().collect() } else { None };
                let has_all = pairs.is_some();
                open.extend(pairs.into_iter().flatten());
                has_all
            }
            (a, b) => order(a, b) == Some(Ordering::Equal),
        };
        if !is_equal {
            return false;
        }
    }
    true
}

/// A value of JSON. Its depth is what the reader of JSON lets through, so this keeps a stack of its own.
fn from_json(value: json::Value<'_>) -> Value {
    enum Open<'d> {
        List(Vec<json::Value<'d>>, Vec<Value>),
        Map(Vec<(Value, json::Value<'d>)>, Vec<(Value, Value)>, Option<Value>),
    }
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut next = Some(value);
    let mut done: Option<Value> = None;
    loop {
        if let Some(value) = next.take() {
            done = match value.kind() {
                Kind::Null => Some(Value::Null),
                Kind::True => Some(Value::Bool(true)),
                Kind::False => Some(Value::Bool(false)),
                Kind::Number => Some(Value::Double(value.as_f64().unwrap_or_default())),
                Kind::PlainString | Kind::EscapedString => Some(Value::text(&value.as_str().unwrap_or_default())),
                Kind::Array => {
                    let mut items: Vec<_> = value.items().collect();
                    items.reverse();
                    open.push(Open::List(items, Vec::new()));
                    None
                }
                Kind::Object => {
                    // Of duplicate keys the last counts.
                    let mut members: Vec<(Value, json::Value<'_>)> = value
                        .members()
                        .map(|(key, value)| (Value::text(&key.as_str().unwrap_or_default()), value))
                        .collect();
                    members.reverse();
                    members.sort_by(|a, b| key_order(&a.0, &b.0));
                    members.dedup_by(|a, b| key_order(&a.0, &b.0).is_eq());
                    members.reverse();
                    open.push(Open::Map(members, Vec::new(), None));
                    None
                }
            };
        }
        let Some(top) = open.last_mut() else { return done.unwrap_or(Value::Null) };
        match top {
            Open::List(rest, items) => {
                items.extend(done.take());
                match rest.pop() {
                    Some(value) => next = Some(value),
                    None => {
                        done = Some(Value::List(Arc::new(std::mem::take(items))));
                        open.pop();
                    }
                }
            }
            Open::Map(rest, entries, key) => {
                if let (Some(key), Some(value)) = (key.take(), done.take()) {
                    entries.push((key, value));
                }
                match rest.pop() {
                    Some((name, value)) => {
                        *key = Some(name);
                        next = Some(value);
                    }
                    None => {
                        done = Some(Value::map(std::mem::take(entries)));
                        open.pop();
                    }
                }
            }
        }
        if next.is_none() && open.is_empty() {
            return done.unwrap_or(Value::Null);
        }
    }
}
