//! The work of validating an object, estimated beforehand: the validator itself cannot be stopped.
//!
//! A schema and an object are walked side by side, as in validating, and each step takes some fuel: a pattern its size
//! for each character, an enum its values, a keyword a share of the text that a message about the value would quote.
//! Patterns are matched by automata, so none takes more; the memory of these is limited separately.

use std::collections::HashMap;

use serde_json::{Map, Value};

use olmdex_text::re2::Pattern;
use olmdex_text::tally;

/// The fuel for all checks together: about a second.
const FUEL: u64 = 300_000_000;
/// The fuel that each byte of an object adds.
const FUEL_OF_BYTE: u64 = 50;
/// States that the patterns of a schema may have together.
const MAX_STATES: u64 = 1_000_000;
/// The least number of states that a pattern counts for, because every automaton needs some.
const MIN_STATES: u64 = 1_000;
/// The number of states of a class that has many characters, as bytes of UTF-8.
const STATES_OF_CLASS: u64 = 700;
/// The same for a class that only leaves some characters out.
const STATES_OF_COMPLEMENT: u64 = 12;
/// The number of bytes of a message that are made in the time of a step.
const QUOTED: u64 = 8;

/// The fuel that is left for the checks of objects.
#[derive(Debug)]
pub(super) struct Fuel(u64);

/// The fuel is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OutOfFuel;

impl Fuel {
    pub(super) fn new() -> Self {
        Self(FUEL)
    }

    fn spend(&mut self, n_steps: u64) -> Result<(), OutOfFuel> {
        tally::step(1);
        self.0 = self.0.checked_sub(n_steps).ok_or(OutOfFuel)?;
        Ok(())
    }
}

/// The patterns of a schema, and how many states each of them has.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    sizes: HashMap<String, u64>,
}

impl Patterns {
    /// Those of a schema, unless they are too many or too large.
    pub(super) fn of(schema: &Value) -> Result<Self, OutOfFuel> {
        let mut patterns = Self::default();
        let mut n_states: u64 = 0;
        let mut open = vec![schema];
        while let Some(schema) = open.pop() {
            let Some(members) = schema.as_object() else { continue };
            let own = members.get("pattern").and_then(Value::as_str);
            for pattern in own.into_iter().chain(names(members, "patternProperties")) {
                if !patterns.sizes.contains_key(pattern) {
                    let size = n_states_of(pattern);
                    n_states = n_states.saturating_add(size.saturating_mul(n_states_of_class(pattern)).max(MIN_STATES));
                    if n_states > MAX_STATES {
                        return Err(OutOfFuel);
                    }
                    patterns.sizes.insert(pattern.to_owned(), size);
                }
            }
            for name in ["properties", "patternProperties"] {
                open.extend(members.get(name).and_then(Value::as_object).into_iter().flat_map(Map::values));
            }
            open.extend(branches(members).chain(
                ["items", "additionalItems", "additionalProperties"].into_iter().flat_map(|it| {
                    let value = members.get(it);
                    value
                        .into_iter()
                        .filter(|it| it.is_object())
                        .chain(value.and_then(Value::as_array).into_iter().flatten())
                }),
            ));
        }
        Ok(patterns)
    }

    fn cost(&self, pattern: &str, text: &str) -> u64 {
        let size = self.sizes.get(pattern).copied().unwrap_or(1);
        size.saturating_mul(text.len() as u64 + 1)
    }
}

/// The names of a member that is an object.
fn names<'s>(members: &'s Map<String, Value>, of: &str) -> impl Iterator<Item = &'s str> {
    members.get(of).and_then(Value::as_object).into_iter().flat_map(|it| it.keys().map(String::as_str))
}

/// The schemas that look at the same value.
fn branches(members: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let several = ["allOf", "anyOf", "oneOf"].into_iter();
    let several = several.flat_map(|it| members.get(it).and_then(Value::as_array).into_iter().flatten());
    several.chain(members.get("not"))
}

/// The approximate number of states of a pattern, from the possible states of each character. A pattern that Go does
/// not read may repeat its parts a thousand times.
fn n_states_of(pattern: &str) -> u64 {
    match Pattern::parse(pattern) {
        Ok(it) => it.size() as u64,
        Err(_) => pattern.len() as u64 * 1_000,
    }
}

/// The number of states that each of them may need because texts are bytes: a class of many characters needs several.
/// Few of them are such classes, but all may be.
fn n_states_of_class(pattern: &str) -> u64 {
    if pattern.contains(r"\p") || pattern.contains(r"\P") {
        STATES_OF_CLASS
    } else if ["[^", ".", r"\W", r"\D", r"\S"].iter().any(|it| pattern.contains(it)) {
        STATES_OF_COMPLEMENT
    } else {
        1
    }
}

/// Takes from the fuel the cost of validating an object of `len` bytes against a schema.
pub(super) fn validate(schema: &Value, object: &Value, patterns: &Patterns, fuel: &mut Fuel) -> Result<(), OutOfFuel> {
    let mut sizes = Sizes::default();
    let len = sizes.measure(object);
    fuel.0 = fuel.0.saturating_add(len.saturating_mul(FUEL_OF_BYTE));
    // Alternatives are tried, and then asked for their errors: that is one more visit at each of them.
    let mut open = vec![(schema, object, 1_u64)];
    while let Some((schema, value, weight)) = open.pop() {
        let Some(members) = schema.as_object() else {
            fuel.spend(weight)?;
            continue;
        };
        let mut steps = 1 + members.len() as u64 * (1 + sizes.of(value) / QUOTED);
        let listed = |name: &str| members.get(name).and_then(Value::as_array).map_or(0, |it| it.len() as u64);
        steps = steps.saturating_add(listed("enum")).saturating_add(listed("required"));
        let pattern = members.get("pattern").and_then(Value::as_str);
        if let (Some(pattern), Some(text)) = (pattern, value.as_str()) {
            steps = steps.saturating_add(patterns.cost(pattern, text));
        }
        fuel.spend(steps.saturating_mul(weight))?;
        match value {
            Value::Object(object) => {
                of_object(members, object, patterns, weight, &mut open, fuel)?;
            }
            Value::Array(items) => {
                let of_all = members.get("items").filter(|it| it.is_object());
                let rest = members.get("additionalItems").filter(|it| it.is_object());
                let listed = members.get("items").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                for (at, item) in items.iter().enumerate() {
                    open.extend(of_all.or(listed.get(at)).or(rest).map(|it| (it, item, weight)));
                }
            }
            _ => {}
        }
        let is_all = |name: &str| members.get(name).and_then(Value::as_array).into_iter().flatten();
        open.extend(is_all("allOf").map(|it| (it, value, weight)));
        let others = ["anyOf", "oneOf"].into_iter().flat_map(is_all).chain(members.get("not"));
        open.extend(others.map(|it| (it, value, weight + 1)));
    }
    Ok(())
}

fn of_object<'v>(
    members: &'v Map<String, Value>,
    object: &'v Map<String, Value>,
    patterns: &Patterns,
    weight: u64,
    open: &mut Vec<(&'v Value, &'v Value, u64)>,
    fuel: &mut Fuel,
) -> Result<(), OutOfFuel> {
    let properties = members.get("properties").and_then(Value::as_object);
    let by_pattern = members.get("patternProperties").and_then(Value::as_object);
    let others = members.get("additionalProperties").filter(|it| it.is_object());
    fuel.spend(weight.saturating_mul(properties.map_or(0, |it| it.len() as u64)))?;
    for (name, value) in object {
        let own = properties.and_then(|it| it.get(name));
        open.extend(own.or(others).map(|it| (it, value, weight)));
        for (pattern, schema) in by_pattern.into_iter().flatten() {
            fuel.spend(patterns.cost(pattern, name).saturating_mul(weight))?;
            // Whether it matches, the validator says.
            open.push((schema, value, weight));
        }
    }
    Ok(())
}

/// The number of bytes that values have as JSON, about.
#[derive(Debug, Default)]
struct Sizes {
    of: HashMap<*const Value, u64>,
}

impl Sizes {
    /// Measures a value and all of its parts.
    fn measure(&mut self, value: &Value) -> u64 {
        // Inner values are measured first.
        let mut order = Vec::new();
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            order.push(value);
            match value {
                Value::Array(items) => open.extend(items),
                Value::Object(members) => open.extend(members.values()),
                _ => {}
            }
        }
        for value in order.into_iter().rev() {
            let size = match value {
                Value::String(text) => text.len() as u64 + 2,
                Value::Array(items) => 2 + items.iter().map(|it| self.of(it) + 1).sum::<u64>(),
                Value::Object(members) => {
                    2 + members.iter().map(|(name, it)| name.len() as u64 + 4 + self.of(it)).sum::<u64>()
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => 5,
            };
            self.of.insert(std::ptr::from_ref(value), size);
        }
        self.of(value)
    }

    fn of(&self, value: &Value) -> u64 {
        self.of.get(&std::ptr::from_ref(value)).copied().unwrap_or(1)
    }
}
