//! OpenAPI schemas as Kubernetes decodes them: which keys there are, which values mean the same as none, and the flat
//! form in which they are compared.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The depth to which schemas are followed. Kubernetes refuses deeper ones long before.
const MAX_DEPTH: usize = 100;

/// The keys of a schema, and for each the value that means the same as none.
enum Empty {
    Text,
    False,
    List,
    Map,
    Nothing,
}

const KEYS: &[(&str, Empty)] = &[
    ("id", Empty::Text),
    ("$schema", Empty::Text),
    ("$ref", Empty::Nothing),
    ("description", Empty::Text),
    ("type", Empty::Text),
    ("format", Empty::Text),
    ("title", Empty::Text),
    ("default", Empty::Nothing),
    ("maximum", Empty::Nothing),
    ("exclusiveMaximum", Empty::False),
    ("minimum", Empty::Nothing),
    ("exclusiveMinimum", Empty::False),
    ("maxLength", Empty::Nothing),
    ("minLength", Empty::Nothing),
    ("pattern", Empty::Text),
    ("maxItems", Empty::Nothing),
    ("minItems", Empty::Nothing),
    ("uniqueItems", Empty::False),
    ("multipleOf", Empty::Nothing),
    ("enum", Empty::List),
    ("maxProperties", Empty::Nothing),
    ("minProperties", Empty::Nothing),
    ("required", Empty::List),
    ("items", Empty::Nothing),
    ("allOf", Empty::List),
    ("oneOf", Empty::List),
    ("anyOf", Empty::List),
    ("not", Empty::Nothing),
    ("properties", Empty::Map),
    ("additionalProperties", Empty::Nothing),
    ("patternProperties", Empty::Map),
    ("dependencies", Empty::Map),
    ("additionalItems", Empty::Nothing),
    ("definitions", Empty::Map),
    ("externalDocs", Empty::Nothing),
    ("example", Empty::Nothing),
    ("nullable", Empty::False),
    ("x-kubernetes-preserve-unknown-fields", Empty::Nothing),
    ("x-kubernetes-embedded-resource", Empty::False),
    ("x-kubernetes-int-or-string", Empty::False),
    ("x-kubernetes-list-map-keys", Empty::List),
    ("x-kubernetes-list-type", Empty::Nothing),
    ("x-kubernetes-map-type", Empty::Nothing),
    ("x-kubernetes-validations", Empty::List),
];

/// A schema without the parts that have no effect, at every level.
fn normal(schema: &Value, depth: usize) -> Value {
    let Some(schema) = schema.as_object().filter(|_| depth < MAX_DEPTH) else { return schema.clone() };
    let mut out = Map::new();
    for (key, empty) in KEYS {
        let Some(value) = schema.get(*key).filter(|it| !it.is_null()) else { continue };
        let is_empty = match empty {
            Empty::Text => value == "",
            Empty::False => value == false,
            Empty::List => value.as_array().is_some_and(Vec::is_empty),
            Empty::Map => value.as_object().is_some_and(Map::is_empty),
            Empty::Nothing => false,
        };
        if is_empty {
            continue;
        }
        let value = match *key {
            "items" | "not" | "additionalProperties" | "additionalItems" => normal(value, depth + 1),
            branch if BRANCHES.contains(&branch) => {
                value.as_array().into_iter().flatten().map(|it| normal(it, depth + 1)).collect()
            }
            "properties" | "patternProperties" | "definitions" => Value::Object(
                value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, it)| (name.clone(), normal(it, depth + 1)))
                    .collect(),
            ),
            _ => value.clone(),
        };
        out.insert((*key).to_owned(), value);
    }
    Value::Object(out)
}

/// The keys of lists of schemas that look at the same value.
pub(super) const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Every property by its path from the root, `^`, without the properties and items below it. The schemas in `allOf`,
/// `anyOf`, `oneOf` and `not` have paths too, by their positions: `^.spec.oneOf[0]`.
pub(super) fn flatten(schema: &Value) -> BTreeMap<String, Map<String, Value>> {
    let mut flat = BTreeMap::new();
    let mut open = vec![("^".to_owned(), normal(schema, 0), 0)];
    while let Some((path, schema, depth)) = open.pop() {
        let Value::Object(mut schema) = schema else { continue };
        if depth < MAX_DEPTH {
            if let Some(Value::Object(properties)) = schema.remove("properties") {
                open.extend(properties.into_iter().map(|(name, it)| (format!("{path}.{name}"), it, depth + 1)));
            }
            if let Some(items) = schema.remove("items") {
                open.push((format!("{path}.items"), items, depth + 1));
            }
            // The parent keeps these too: whether there is any at all is a difference of the parent.
            for key in ["additionalProperties", "not"] {
                let inner = schema.get(key).filter(|it| it.is_object());
                open.extend(inner.map(|it| (format!("{path}.{key}"), it.clone(), depth + 1)));
            }
            for key in BRANCHES {
                let branches = schema.get(key).and_then(Value::as_array).into_iter().flatten().enumerate();
                open.extend(branches.map(|(number, it)| (format!("{path}.{key}[{number}]"), it.clone(), depth + 1)));
            }
        }
        flat.insert(path, schema);
    }
    flat
}
