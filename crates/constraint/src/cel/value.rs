//! Values: their kinds, their equality, their order.

use std::cmp::Ordering;
use std::sync::Arc;

use super::error::EvalError;
use olmdex_text::json::{self, Kind};

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
    /// A moment: nanoseconds since 1970, and the seconds east of Greenwich with which it is shown.
    Timestamp(i128, i32),
    /// A span of nanoseconds.
    Duration(i64),
    /// A type, by its name.
    Type(&'static str),
    /// A list.
    List(Arc<List>),
    /// A map.
    Map(Arc<Map>),
}

/// The items of a list.
#[derive(Debug, Default)]
pub struct List(Vec<Value>);

impl List {
    pub(super) fn items(&self) -> &[Value] {
        &self.0
    }
}

/// The entries of a map, in an order of their keys.
#[derive(Debug, Default)]
pub struct Map(Vec<(Value, Value)>);

impl Map {
    pub(super) fn entries(&self) -> &[(Value, Value)] {
        &self.0
    }

    /// Whether all keys are texts, as in JSON.
    pub(super) fn has_text_keys(&self) -> bool {
        self.0.iter().all(|(key, _)| matches!(key, Value::String(_)))
    }

    fn exact(&self, key: &Value) -> Option<&Value> {
        if !is_findable(key) {
            return None;
        }
        self.0.binary_search_by(|it| key_order(&it.0, key)).ok().map(|at| &self.0[at].1)
    }

    /// The value of a key. A number finds itself, or otherwise the same number of another type; but a key that is a
    /// double is found only by a double.
    pub(super) fn get(&self, key: &Value) -> Option<&Value> {
        self.exact(key).or_else(|| match key {
            Value::Double(it) => {
                let as_int = to_i64(*it).and_then(|it| self.exact(&Value::Int(it)));
                as_int.or_else(|| to_u64(*it).and_then(|it| self.exact(&Value::Uint(it))))
            }
            Value::Int(it) => u64::try_from(*it).ok().and_then(|it| self.exact(&Value::Uint(it))),
            Value::Uint(it) => i64::try_from(*it).ok().and_then(|it| self.exact(&Value::Int(it))),
            _ => None,
        })
    }
}

impl Drop for List {
    fn drop(&mut self) {
        drop_flat(std::mem::take(&mut self.0));
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        let entries = std::mem::take(&mut self.0);
        drop_flat(entries.into_iter().flat_map(|(key, value)| [key, value]).collect());
    }
}

/// Drops values that may be deep, without going deep.
fn drop_flat(mut open: Vec<Value>) {
    while let Some(value) = open.pop() {
        match value {
            Value::List(list) => {
                if let Some(mut list) = Arc::into_inner(list) {
                    open.append(&mut list.0);
                }
            }
            Value::Map(map) => {
                if let Some(mut map) = Arc::into_inner(map) {
                    open.extend(std::mem::take(&mut map.0).into_iter().flat_map(|(key, value)| [key, value]));
                }
            }
            _ => {}
        }
    }
}

/// The whole number that a double is, if it is one.
pub(super) fn to_i64(it: f64) -> Option<i64> {
    let is_within = it > i64::MIN as f64 && it < i64::MAX as f64;
    (is_within && it.fract() == 0.0).then_some(it as i64)
}

fn to_u64(it: f64) -> Option<u64> {
    let is_within = it >= 0.0 && it < u64::MAX as f64;
    (is_within && it.fract() == 0.0).then_some(it as u64)
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
            Self::Timestamp(..) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Type(_) => "type",
            Self::List(_) => "list",
            Self::Map(_) => "map",
        }
    }

    /// The list that rules see: type and value of each property. A value that is not JSON makes the whole element an
    /// empty map.
    pub fn properties<'p>(properties: impl Iterator<Item = (&'p str, &'p str)>) -> Self {
        let mut reader = json::Reader::new();
        let property = |(kind, value): (&str, &str)| {
            let Ok(value) = reader.read(value) else { return Self::sorted(Vec::new()) };
            Self::sorted(vec![(Self::text("type"), Self::text(kind)), (Self::text("value"), from_json(value))])
        };
        Self::list(properties.map(property).collect())
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::List(Arc::new(List(items)))
    }

    /// A map of entries with distinct keys.
    fn sorted(mut entries: Vec<(Self, Self)>) -> Self {
        entries.sort_by(|a, b| key_order(&a.0, &b.0));
        Self::Map(Arc::new(Map(entries)))
    }

    /// A map of keys and values in turn. If keys are equal, the last counts.
    pub(super) fn map(keys_and_values: Vec<Self>) -> Result<Self, EvalError> {
        let mut entries: Vec<(Self, Self)> = Vec::with_capacity(keys_and_values.len() / 2);
        let mut rest = keys_and_values.into_iter();
        while let (Some(key), Some(value)) = (rest.next(), rest.next()) {
            if matches!(key, Self::Bytes(_)) {
                return Err(EvalError::Key(key.type_name()));
            }
            entries.push((key, value));
        }
        entries.reverse();
        entries.sort_by(|a, b| key_order(&a.0, &b.0));
        entries.dedup_by(|a, b| is_findable(&a.0) && key_order(&a.0, &b.0).is_eq());
        Ok(Self::Map(Arc::new(Map(entries))))
    }
}

/// Whether a key can be found again: cel-go finds lists and maps only by their place in memory, and no number equals
/// NaN.
fn is_findable(key: &Value) -> bool {
    match key {
        Value::Double(it) => !it.is_nan(),
        Value::List(_) | Value::Map(_) | Value::Bytes(_) => false,
        _ => true,
    }
}

/// An order of all values that may be keys: by type, then by value.
fn key_order(a: &Value, b: &Value) -> Ordering {
    let rank = |it: &Value| match it {
        Value::Bool(_) => 0,
        Value::Int(_) => 1,
        Value::Uint(_) => 2,
        Value::Double(_) => 3,
        Value::String(_) => 4,
        Value::Timestamp(..) => 5,
        Value::Duration(_) => 6,
        Value::Type(_) => 7,
        Value::Null => 8,
        _ => 9,
    };
    let within = || match (a, b) {
        (Value::Type(a), Value::Type(b)) => a.cmp(b),
        (Value::Timestamp(a, a_offset), Value::Timestamp(b, b_offset)) => a.cmp(b).then(a_offset.cmp(b_offset)),
        // Zero has two signs and is one key.
        (Value::Double(a), Value::Double(b)) => (a + 0.0).total_cmp(&(b + 0.0)),
        (a, b) => order(a, b).unwrap_or(Ordering::Equal),
    };
    rank(a).cmp(&rank(b)).then_with(within)
}

/// The order of two values of one kind; `None` if they have none. Numbers of different types order as numbers.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a, _), Value::Timestamp(b, _)) => Some(a.cmp(b)),
        (Value::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Uint(a), Value::Uint(b)) => Some(a.cmp(b)),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Int(a), Value::Uint(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Uint(a), Value::Int(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        // cel-go does the same: whole numbers are rounded to doubles.
        (Value::Int(a), Value::Double(b)) => (*a as f64).partial_cmp(b),
        (Value::Double(a), Value::Int(b)) => a.partial_cmp(&(*b as f64)),
        (Value::Uint(a), Value::Double(b)) => (*a as f64).partial_cmp(b),
        (Value::Double(a), Value::Uint(b)) => a.partial_cmp(&(*b as f64)),
        _ => None,
    }
}

/// Whether both are equal; values of different kinds are not. Each pair that is compared takes one of the steps that
/// are left; `None` if there are not enough.
pub(super) fn equal(a: &Value, b: &Value, left: &mut u64) -> Option<bool> {
    let mut open: Vec<(Value, Value)> = vec![(a.clone(), b.clone())];
    while let Some((a, b)) = open.pop() {
        *left = left.checked_sub(1)?;
        let is_equal = match (&a, &b) {
            (Value::Null, Value::Null) => true,
            (Value::Type(a), Value::Type(b)) => a == b,
            (Value::List(a), Value::List(b)) => {
                let (a, b) = (a.items(), b.items());
                // The texts kept for comparison are bounded as well.
                if a.len() as u64 > *left {
                    return None;
                }
                if a.len() == b.len() {
                    open.extend(a.iter().cloned().zip(b.iter().cloned()));
                }
                a.len() == b.len()
            }
            (Value::Map(a), Value::Map(b)) => {
                let is_as_long = a.entries().len() == b.entries().len();
                let mut pairs = a.entries().iter().map(|(key, value)| Some((value.clone(), b.get(key)?.clone())));
                let pairs: Option<Vec<_>> = if is_as_long { pairs.by_ref().collect() } else { None };
                let has_all = pairs.is_some();
                open.extend(pairs.into_iter().flatten());
                has_all
            }
            (a, b) => order(a, b) == Some(Ordering::Equal),
        };
        if !is_equal {
            return Some(false);
        }
    }
    Some(true)
}

/// A value of JSON. The reader of JSON decides its depth, so this keeps a stack of its own.
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
                    // The last of duplicate keys counts.
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
                        done = Some(Value::list(std::mem::take(items)));
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
                        done = Some(Value::sorted(std::mem::take(entries)));
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

pub(super) type Evaluated = Result<Value, EvalError>;
