//! The place of a finding in the manifest of a definition: the steps to the field.

use serde_json::Value;

use super::schema::BRANCHES;
use olmdex_text::json::Step;

/// The schema of a version, if it has one, and the steps to it.
pub(super) type PlacedSchema<'s> = (Option<&'s Value>, &'s [Step]);

/// The steps to a field of a manifest.
pub(super) fn steps(path: &[&str]) -> Vec<Step> {
    path.iter().map(|it| Step::from(*it)).collect()
}

/// The steps to the property that the preflight names by a path such as `^.spec.size`, and on to the keyword of a
/// check; as far as the definition has it.
pub(super) fn of_property((schema, schema_path): PlacedSchema<'_>, path: &str, check: &str) -> Vec<Step> {
    let mut found = schema_path.to_vec();
    let Some(schema) = schema else { return found };
    // Look for the deepest schema whose path is the beginning of the wanted one. Names may have dots.
    let (mut best, mut open) = ((0, schema, Vec::new()), vec![("^".to_owned(), schema, Vec::new())]);
    while let Some((at, schema, steps)) = open.pop() {
        if at.len() > best.0 {
            best = (at.len(), schema, steps.clone());
        }
        let mut push = |name: &str, next, more: [Option<Step>; 2]| {
            let at = format!("{at}.{name}");
            if path == at || path.strip_prefix(&at).is_some_and(|it| it.starts_with('.')) {
                open.push((at, next, steps.iter().cloned().chain(more.into_iter().flatten()).collect()));
            }
        };
        for (name, next) in schema["properties"].as_object().into_iter().flatten() {
            push(name, next, [Some("properties".into()), Some(Step::from(name.as_str()))]);
        }
        for name in ["items", "additionalProperties", "not"] {
            if schema[name].is_object() {
                push(name, &schema[name], [Some(name.into()), None]);
            }
        }
        for name in BRANCHES {
            for (number, next) in schema[name].as_array().into_iter().flatten().enumerate() {
                push(&format!("{name}[{number}]"), next, [Some(name.into()), Some(Step::Index(number))]);
            }
        }
    }
    let (length, schema, steps) = best;
    found.extend(steps);
    if length == path.len() && schema.get(check).is_some() {
        found.push(check.into());
    }
    found
}

/// The steps to the schema of the value that a JSON pointer names in an object, and on to a keyword; as far as the
/// definition has it.
#[cfg(feature = "jsonschema")]
pub(super) fn of_instance((schema, schema_path): PlacedSchema<'_>, pointer: &str, keyword: &str) -> Vec<Step> {
    let mut found = schema_path.to_vec();
    let Some(mut schema) = schema else { return found };
    let parts = pointer.split('/').skip(1).map(|it| it.replace("~1", "/").replace("~0", "~"));
    for part in parts {
        if let Some(next) = schema["properties"].get(&part) {
            found.extend(["properties".into(), Step::from(part.as_str())]);
            schema = next;
        } else if let Some(name) = ["items", "additionalProperties"].into_iter().find(|it| schema[*it].is_object()) {
            found.push(name.into());
            schema = &schema[name];
        } else {
            return found;
        }
    }
    if schema.get(keyword).is_some() {
        found.push(keyword.into());
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn properties_are_found_as_far_as_they_exist() {
        let schema = json!({"properties": {
            "spec": {"type": "object", "properties": {
                "a.b": {"type": "integer", "maximum": 9},
                "a": {"type": "object"},
                "list": {"items": {"properties": {"items": {"enum": ["x"]}}}},
                "map": {"additionalProperties": {"pattern": "x"}},
                "one": {"oneOf": [{}, {"not": {"required": ["x"]}}]},
            }},
        }});
        let version: PlacedSchema<'_> = (Some(&schema), &["s".into()]);
        let words = |it: Vec<Step>| it.iter().map(|it| format!("/{it:?}")).collect::<String>();
        let words = |it| words(it).replace("Key(\"", "").replace("\")", "");
        for (path, check, expected) in [
            ("^", "type", "/s"),
            ("^.spec", "type", "/s/properties/spec/type"),
            ("^.spec.a.b", "maximum", "/s/properties/spec/properties/a.b/maximum"),
            ("^.spec.a.c", "type", "/s/properties/spec/properties/a"),
            ("^.spec.ab", "type", "/s/properties/spec"),
            ("^.spec.list.items.items", "enum", "/s/properties/spec/properties/list/items/properties/items/enum"),
            ("^.spec.map.additionalProperties", "default", "/s/properties/spec/properties/map/additionalProperties"),
            ("^.spec.one.oneOf[1].not", "required", "/s/properties/spec/properties/one/oneOf/Index(1)/not/required"),
            ("^.spec.one.oneOf[2]", "type", "/s/properties/spec/properties/one"),
        ] {
            assert_eq!(words(of_property(version, path, check)), expected, "{path} {check}");
        }
        #[cfg(feature = "jsonschema")]
        for (pointer, keyword, expected) in [
            ("", "required", "/s"),
            ("/spec/a.b", "maximum", "/s/properties/spec/properties/a.b/maximum"),
            ("/spec/list/7/items", "enum", "/s/properties/spec/properties/list/items/properties/items/enum"),
            ("/spec/map/x~1y", "pattern", "/s/properties/spec/properties/map/additionalProperties/pattern"),
            ("/spec/unknown/x", "type", "/s/properties/spec"),
        ] {
            assert_eq!(words(of_instance(version, pointer, keyword)), expected, "{pointer} {keyword}");
        }
    }
}
