//! Custom resources against the schema of a version, by the `jsonschema` crate.

use jsonschema::Draft;
use serde_json::{Map, Value, json};

use super::objects::Resource;

/// What is wrong with an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Where in the object.
    pub path: String,
    /// What is wrong there.
    pub reason: String,
    /// The keyword of the schema that it breaks.
    pub keyword: String,
}

/// Validates objects against one schema.
#[derive(Debug)]
pub struct Validator {
    validator: jsonschema::Validator,
}

impl Validator {
    /// A validator of an OpenAPI schema, as Kubernetes has it.
    ///
    /// # Errors
    /// If the schema itself is none.
    pub fn new(schema: &Value) -> Result<Self, String> {
        let mut options = jsonschema::options().with_draft(Draft::Draft4).should_validate_formats(true);
        // Patterns are matched in linear time, so that no schema can hang us.
        options = options.with_pattern_options(jsonschema::PatternOptions::regex());
        let validator = options.build(&as_draft_4(schema, 0)).map_err(|error| error.to_string())?;
        Ok(Self { validator })
    }

    /// What is wrong with an object; nothing if it fits.
    #[must_use]
    pub fn check(&self, resource: &Resource) -> Vec<Invalid> {
        let mut found: Vec<Invalid> = self
            .validator
            .iter_errors(&resource.value)
            .map(|error| {
                let schema = error.schema_path().to_string();
                Invalid {
                    path: error.instance_path().to_string(),
                    reason: error.to_string(),
                    keyword: schema.rsplit('/').next().unwrap_or_default().to_owned(),
                }
            })
            .collect();
        found.sort_by(|a, b| (&a.path, &a.reason).cmp(&(&b.path, &b.reason)));
        found
    }
}

/// How deep schemas are followed; what is deeper accepts everything.
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
            // What else there is validates nothing.
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
            let found = Validator::new(&schema).unwrap().check(&resource);
            assert_eq!(found.is_empty(), is_valid, "{schema} {object} {found:?}");
        }
    }

    #[test]
    fn a_schema_that_is_none_is_refused() {
        assert!(Validator::new(&json!({"type": "object", "properties": {"a": {"pattern": "("}}})).is_err());
    }
}
