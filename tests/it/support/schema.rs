//! A checker of the part of JSON Schema that our files use. It refuses a file that uses more; a library for the whole
//! standard would be the largest dependency of the project.

use std::path::Path;

use serde_json::Value;

pub fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The reasons why a value does not fit the schema of a file, with the places in the value; empty if it fits.
pub fn misfits(file: &Path, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(file, &read(file), value, "", &mut found);
    found
}

fn fits(file: &Path, schema: &Value, value: &Value) -> bool {
    let mut found = Vec::new();
    check(file, schema, value, "", &mut found);
    found.is_empty()
}

fn check(file: &Path, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let schema = schema.as_object().unwrap();
    let mut refusals: Vec<String> = Vec::new();
    let mut refuse = |what: &str| refusals.push(format!("{at}: {what}"));
    let number = |it: &Value| usize::try_from(it.as_u64().unwrap()).unwrap();
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    for (keyword, rule) in schema {
        match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "contentEncoding" | "then" | "minContains"
            | "format" | "default" => {}
            "type" => {
                let types = rule.as_array().map_or(std::slice::from_ref(rule), Vec::as_slice);
                if !types.iter().any(|it| is_of_type(value, it.as_str().unwrap())) {
                    refuse(&format!("is no {rule}"));
                }
            }
            "const" if value != rule => refuse(&format!("is not {rule}")),
            "enum" if !rule.as_array().unwrap().contains(value) => refuse(&format!("is none of {rule}")),
            "const" | "enum" => {}
            "minLength" if value.as_str().is_some_and(|it| it.chars().count() < number(rule)) => refuse("is too short"),
            "maxLength" if value.as_str().is_some_and(|it| it.chars().count() > number(rule)) => refuse("is too long"),
            "minItems" if value.is_array() && items.len() < number(rule) => refuse("has too few items"),
            "minLength" | "maxLength" | "minItems" => {}
            "pattern" => {
                // There is no library of regular expressions here, so each pattern has its own check.
                let is_right = match (rule.as_str().unwrap(), value.as_str()) {
                    (_, None) => true,
                    (it, Some(text)) if it.starts_with("^(0|[1-9]") => olmdex::version::Version::parse(text).is_ok(),
                    ("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", Some(text)) => {
                        let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
                        is_edge(text.chars().next())
                            && is_edge(text.chars().last())
                            && text.chars().all(|c| is_edge(Some(c)) || c == '-')
                    }
                    (_, Some(text)) => text.split('.').count() >= 2,
                };
                if !is_right {
                    refuse(&format!("does not match {rule}"));
                }
            }
            "minimum" if value.as_f64().is_some_and(|it| it < rule.as_f64().unwrap()) => refuse("is too small"),
            "minimum" => {}
            "required" => {
                for key in rule.as_array().unwrap() {
                    if value.as_object().is_some_and(|it| !it.contains_key(key.as_str().unwrap())) {
                        refuse(&format!("lacks {key}"));
                    }
                }
            }
            "contains" if value.is_array() => {
                let n_found = items.iter().filter(|it| fits(file, rule, it)).count();
                let least = schema.get("minContains").map_or(1, number);
                let most = schema.get("maxContains").map_or(usize::MAX, number);
                if !(least..=most).contains(&n_found) {
                    refuse(&format!("has {n_found} of what it must contain"));
                }
            }
            "contains" | "maxContains" => {}
            "not" if fits(file, rule, value) => refuse("is what it must not be"),
            "not" => {}
            "oneOf" | "anyOf" => {
                let n_fitting = rule.as_array().unwrap().iter().filter(|it| fits(file, it, value)).count();
                if n_fitting == 0 || (keyword == "oneOf" && n_fitting > 1) {
                    refuse(&format!("fits {n_fitting} of {keyword}"));
                }
            }
            "allOf" => rule.as_array().unwrap().iter().for_each(|it| check(file, it, value, at, found)),
            "if" if fits(file, rule, value) => check(file, &schema["then"], value, at, found),
            "if" => {}
            "$ref" => {
                let (name, inside) = rule.as_str().unwrap().split_once('#').unwrap_or((rule.as_str().unwrap(), ""));
                let target = if name.is_empty() { file.to_owned() } else { file.parent().unwrap().join(name) };
                let document = read(&target);
                let part = document.pointer(inside).unwrap_or_else(|| panic!("{rule} leads nowhere"));
                check(&target, part, value, at, found);
            }
            "properties" => {
                for (key, inner) in rule.as_object().unwrap() {
                    if let Some(member) = value.get(key) {
                        check(file, inner, member, &format!("{at}/{key}"), found);
                    }
                }
            }
            "additionalProperties" => {
                let is_named = |key: &str| schema.get("properties").is_some_and(|it| it.get(key).is_some());
                for (key, member) in value.as_object().into_iter().flatten().filter(|it| !is_named(it.0)) {
                    match rule {
                        Value::Bool(true) => {}
                        Value::Bool(false) => refuse(&format!("has an unknown {key}")),
                        rule => check(file, rule, member, &format!("{at}/{key}"), found),
                    }
                }
            }
            "items" => {
                for (idx, item) in items.iter().enumerate() {
                    check(file, rule, item, &format!("{at}/{idx}"), found);
                }
            }
            other => panic!("{}: `{other}` is not known here", file.display()),
        }
    }
    found.append(&mut refusals);
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("type {other}"),
    }
}
