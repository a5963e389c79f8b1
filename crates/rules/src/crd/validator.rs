//! Custom resources against the schema of a version, by the `jsonschema` crate.

use jsonschema::Draft;
use serde_json::{Map, Value, json};

use super::objects::Resource;
use super::work::{self, Fuel, Patterns};

/// An error in an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The path in the object.
    pub path: String,
    /// The error.
    pub reason: String,
    /// The keyword of the schema that it breaks.
    pub keyword: String,
}

/// The reasons why a schema cannot be used, or an object cannot be validated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValidatorError {
    /// The schema is not a valid one.
    #[error("{0}")]
    Schema(String),
    /// It takes too much work or memory.
    #[error("the check takes too much work: the patterns, lists of values or alternatives of the schema are too large")]
    Work,
}

/// Validates objects against one schema.
#[derive(Debug)]
pub struct Validator {
    validator: jsonschema::Validator,
    schema: Value,
    patterns: Patterns,
    fuel: Fuel,
}

/// Bytes that an automaton may have.
const MAX_AUTOMATON: usize = 10 << 20;

/// Bytes that it may keep of the states that it has been in.
const MAX_CACHE: usize = 128 << 10;

/// Bytes of a value that a reason quotes.
const MAX_REASON: usize = 500;

impl Validator {
    /// A validator of an OpenAPI schema, as Kubernetes has it.
    ///
    /// # Errors
    /// [`ValidatorError`]
    pub fn new(schema: &Value) -> Result<Self, ValidatorError> {
        let schema = as_draft_4(schema, 0);
        let states = Patterns::of(&schema).map_err(|_| ValidatorError::Work)?;
        let mut options = jsonschema::options().with_draft(Draft::Draft4).should_validate_formats(true);
        // Patterns are matched in linear time, so that no schema can hang us.
        let patterns = jsonschema::PatternOptions::regex();
        options = options.with_pattern_options(patterns.size_limit(MAX_AUTOMATON).dfa_size_limit(MAX_CACHE));
        let validator = options.build(&schema).map_err(|error| ValidatorError::Schema(shown(&error)))?;
        Ok(Self { validator, schema, patterns: states, fuel: Fuel::new() })
    }

    /// The errors in an object; empty if it is valid. Work that objects cause by the schema that they share adds up.
    ///
    /// # Errors
    /// [`ValidatorError::Work`]
    pub fn check(&mut self, resource: &Resource) -> Result<Vec<Invalid>, ValidatorError> {
        work::validate(&self.schema, &resource.value, &self.patterns, &mut self.fuel)
            .map_err(|_| ValidatorError::Work)?;
        let mut found: Vec<Invalid> = self
            .validator
            .iter_errors(&resource.value)
            .map(|error| {
                let schema = error.schema_path().to_string();
                Invalid {
                    path: error.instance_path().to_string(),
                    reason: shown(&error),
                    keyword: schema.rsplit('/').next().unwrap_or_default().to_owned(),
                }
            })
            .collect();
        found.sort_by(|a, b| (&a.path, &a.reason).cmp(&(&b.path, &b.reason)));
        Ok(found)
    }
}

/// The text of an error. If it quotes a large value, the middle is cut out.
fn shown(error: &jsonschema::ValidationError<'_>) -> String {
    let text = error.to_string();
    if text.len() <= MAX_REASON {
        return text;
    }
    // The words behind the value describe the error.
    let (start, end) = (text.floor_char_boundary(MAX_REASON / 2), text.ceil_char_boundary(text.len() - MAX_REASON / 2));
    format!("{}…{}", &text[..start], &text[end..])
}

/// The depth to which schemas are followed; a deeper schema accepts everything.
const MAX_DEPTH: usize = 100;

/// The schema in JSON Schema's words: `nullable` and integers-or-strings have none of their own there.
fn as_draft_4(schema: &Value, depth: usize) -> Value {
    let Some(schema) = schema.as_object().filter(|_| depth < MAX_DEPTH) else {
        return if schema.is_boolean() { schema.clone() } else { json!({}) };
    };
    let mut out = Map::new();
    for (key, value) in schema {
        let value = match key.as_str() {
            "items" | "not" | "additionalItems" | "additionalProperties" => as_draft_4(value, depth + 1),
            "allOf" | "anyOf" | "oneOf" => {
                value.as_array().into_iter().flatten().map(|it| as_draft_4(it, depth + 1)).collect()
            }
            "properties" | "patternProperties" => Value::Object(
                value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, it)| (name.clone(), as_draft_4(it, depth + 1)))
                    .collect(),
            ),
            "type" | "format" | "pattern" | "enum" | "required" | "minimum" | "maximum" | "exclusiveMinimum"
            | "exclusiveMaximum" | "multipleOf" | "minLength" | "maxLength" | "minItems" | "maxItems"
            | "minProperties" | "maxProperties" | "uniqueItems" => value.clone(),
            // All other keywords validate nothing.
            _ => continue,
        };
        // An empty list, which JSON Schema forbids, is as good as none.
        let is_empty_list = value.as_array().is_some_and(Vec::is_empty);
        if !(is_empty_list || value.is_null() || value == "") {
            out.insert(key.clone(), value);
        }
    }
    if schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true)) {
        out.remove("type");
        let either = json!({"anyOf": [{"type": "integer"}, {"type": "string"}]});
        let all = out.entry("allOf").or_insert_with(|| json!([]));
        if let Value::Array(all) = all {
            all.push(either);
        }
    }
    if schema.get("x-kubernetes-embedded-resource") == Some(&Value::Bool(true)) {
        out.entry("type").or_insert_with(|| json!("object"));
    }
    if schema.get("nullable") == Some(&Value::Bool(true)) {
        return json!({"anyOf": [{"type": "null"}, Value::Object(out)]});
    }
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_checked_as_kubernetes_checks_them() {
        for (schema, value, is_valid) in [
            (json!({"type": "integer", "maximum": 9}), json!(10), false),
            (json!({"type": "integer", "maximum": 9}), json!(9), true),
            (json!({"type": "integer", "maximum": 9, "exclusiveMaximum": true}), json!(9), false),
            (json!({"type": "string", "nullable": true}), json!(null), true),
            (json!({"type": "string"}), json!(null), false),
            (json!({"x-kubernetes-int-or-string": true}), json!("25%"), true),
            (json!({"x-kubernetes-int-or-string": true}), json!(1.5), false),
            (json!({"type": "string", "enum": ["a"]}), json!("b"), false),
            (json!({"type": "string", "required": []}), json!("b"), true),
            (json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}), json!({"a": 1}), true),
            (json!({"type": "string", "format": "date-time"}), json!("yesterday"), false),
        ] {
            let schema = json!({"type": "object", "properties": {"spec": schema}});
            let object = json!({"apiVersion": "g/v1", "kind": "K", "metadata": {"name": "n"}, "spec": value});
            let resource = Resource::from_json(&object.to_string()).unwrap().unwrap();
            let found = Validator::new(&schema).unwrap().check(&resource).unwrap();
            assert_eq!(found.is_empty(), is_valid, "{schema} {object} {found:?}");
        }
    }

    #[test]
    fn a_schema_that_is_none_is_refused() {
        assert!(Validator::new(&json!({"type": "object", "properties": {"a": {"pattern": "("}}})).is_err());
    }

    /// A schema of the one field of an object, and the object.
    fn of_field(schema: Value, value: Value) -> (Value, Resource) {
        let object = json!({"apiVersion": "g/v1", "kind": "K", "metadata": {"name": "n"}, "spec": value});
        let resource = Resource::from_json(&object.to_string()).unwrap().unwrap();
        (json!({"type": "object", "properties": {"spec": schema}}), resource)
    }

    fn verdict(schema: Value, value: Value) -> Result<usize, ValidatorError> {
        let (schema, resource) = of_field(schema, value);
        Validator::new(&schema)?.check(&resource).map(|it| it.len())
    }

    #[test]
    fn no_pattern_backtracks() {
        let text = format!("{}!", "a".repeat(1 << 20));
        for pattern in ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
            assert_eq!(verdict(json!({"pattern": pattern}), json!(text)), Ok(1), "{pattern}");
        }
        // A pattern that needs to backtrack, or repeats too much, is no pattern in Kubernetes either.
        for pattern in ["(?=a)b", "(?!a)b", "(?<=a)b", r"(a+)\1$", "(a{1000}){1000}", "((a{1000}){1000}){1000}"] {
            let found = verdict(json!({"pattern": pattern}), json!("a"));
            assert!(matches!(found, Err(ValidatorError::Schema(_) | ValidatorError::Work)), "{pattern} {found:?}");
        }
    }

    #[test]
    fn what_takes_too_much_work_is_not_begun() {
        let many = |n: usize, of: &dyn Fn(usize) -> Value| -> Value { (0..n).map(of).collect() };
        let named = |n: usize, of: &dyn Fn(usize) -> (String, Value)| Value::Object((0..n).map(of).collect());
        let long = "abcd".repeat(1 << 18);
        let both = |schema: &Value, n: usize| (0..n).fold(schema.clone(), |it, _| json!({"allOf": [it.clone(), it]}));
        for (what, schema, value) in [
            ("a large pattern on a long text", json!({"pattern": "(?:a?b?c?d?){500}$"}), json!(long)),
            (
                "many large patterns",
                named(2_000, &|it| (format!("k{it}"), json!({"pattern": format!("^[a-z]{{{it}}}$")}))),
                json!({}),
            ),
            ("large classes", json!({"pattern": r"^(\p{L}\p{N}){800}$"}), json!("a")),
            (
                "values times items",
                json!({"items": {"enum": many(20_000, &|it| json!(it))}}),
                many(20_000, &|_| json!("x")),
            ),
            (
                "schemas times members",
                json!({"allOf": many(2_000, &|_| json!({"maxProperties": 0}))}),
                named(3_000, &|it| (format!("k{it}"), json!("y".repeat(1_000)))),
            ),
            (
                "patterns times names",
                json!({"patternProperties": named(900, &|it| (format!("^k{it}$"), json!({"type": "integer"})))}),
                named(20_000, &|it| (format!("k{it}"), json!("x"))),
            ),
            ("schemas in schemas", both(&json!({"maxLength": 3}), 16), json!("y".repeat(100_000))),
        ] {
            // Patterns count at every place.
            let schema = if schema.get("k1").is_some() { json!({"properties": schema}) } else { schema };
            assert_eq!(verdict(schema, value), Err(ValidatorError::Work), "{what}");
        }
    }

    #[test]
    fn what_definitions_have_takes_little() {
        let name = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
        let one = json!({"type": "object", "properties": {
            "name": {"type": "string", "pattern": name, "maxLength": 253},
            "size": {"x-kubernetes-int-or-string": true, "pattern": "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"},
            "mode": {"type": "string", "enum": ["a", "b", "c", "d", "e", "f", "g", "h"]},
            "host": {"oneOf": [{"type": "string"}, {"type": "object", "nullable": true}]},
        }});
        let nested = (0..12).fold(one, |it, at| match at % 3 {
            0 => json!({"type": "array", "items": it}),
            1 => json!({"type": "object", "nullable": true, "additionalProperties": it}),
            _ => json!({"type": "object", "properties": {"inner": it}}),
        });
        let leaf = json!({"name": "till.example.com", "size": "10Gi", "mode": "h", "host": "x"});
        let object = (0..12).fold(leaf, |it, at| match at % 3 {
            0 => Value::Array(vec![it; 9]),
            1 => json!({"a": it, "b": it.clone()}),
            _ => json!({"inner": it}),
        });
        assert!(object.to_string().len() > 5_000_000);
        assert_eq!(verdict(nested, object), Ok(0));
    }

    #[test]
    fn references_lead_nowhere_and_reasons_are_short() {
        let schema = json!({"$ref": "#", "properties": {
            "a": {"$ref": "file:///etc/passwd"},
            "b": {"$ref": "http://127.0.0.1:1/schema"},
            "c": {"$ref": "#/definitions/c"},
        }, "definitions": {"c": {"$ref": "#/definitions/c"}}});
        assert_eq!(verdict(schema, json!({"a": 1, "b": 2, "c": {"a": 1}})), Ok(0));
        let (schema, resource) = of_field(json!({"type": "integer"}), json!("é".repeat(1 << 20)));
        let found = Validator::new(&schema).unwrap().check(&resource).unwrap();
        assert!(found[0].reason.len() < 600 && found[0].reason.ends_with("is not of type \"integer\""), "{found:?}");
    }
}
