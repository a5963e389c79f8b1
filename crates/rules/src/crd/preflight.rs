//! OLM v1's preflight: whether a definition may replace the one on the cluster (`docs/behaviour/olm-v1.md` section 6).
//!
//! Every check is at its strictest, apart from additions to an `enum`, descriptions, and served versions that a webhook
//! converts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::definition::{Crd, CrdVersion};
use super::field;
use super::schema::flatten;
use super::version::compare;
use olmdex_text::json::Step;

/// A refusal of the preflight.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    /// The versions compared: `v1`, or `v1 -> v2` for two that are served side by side; empty if it is about all.
    pub versions: String,
    /// The property, from the root `^`; empty if it is about the definition.
    pub path: String,
    /// The check that refuses.
    pub check: String,
    /// The change.
    pub text: String,
    /// The version and the property that it is about, if they differ from `versions` and `path`.
    #[serde(skip)]
    pub about: Option<(String, String)>,
}

impl Refusal {
    /// The steps to its subject in the manifest of the new definition, as far as that has it.
    pub fn field(&self, new: &Crd) -> Vec<Step> {
        // If two versions are served side by side, the place is in the newer one.
        let newer = self.versions.rsplit(" -> ").next().unwrap_or_default();
        let (version, path) = match &self.about {
            Some((version, path)) => (version.as_str(), path),
            None => (newer, &self.path),
        };
        match (new.version(version), self.check.as_str()) {
            (Some(version), check) => field::of_property(version.placed_schema(), path, check),
            (None, "scope") => field::steps(&["spec", "scope"]),
            (None, _) => field::steps(&["spec", "versions"]),
        }
    }
}

impl fmt::Display for Refusal {
    /// The form that the preflight writes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in [&self.versions, &self.path].into_iter().filter(|it| !it.is_empty()) {
            write!(f, "{part}: ")?;
        }
        write!(f, "{}: {}", self.check, self.text)
    }
}

/// The refusals of OLM v1, in its order: about the definition, about each version, about versions served side by side.
pub fn preflight(old: &Crd, new: &Crd) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    let mut about_all = |check: &str, text: String, about: Option<(String, String)>| {
        refusals.push(Refusal { versions: String::new(), path: String::new(), check: check.to_owned(), text, about });
    };
    if old.scope != new.scope {
        about_all("scope", format!("scope changed : {:?} -> {:?}", old.scope, new.scope), None);
    }
    let removed: Vec<&str> =
        old.stored_versions.iter().filter(|it| new.version(it).is_none()).map(String::as_str).collect();
    if !removed.is_empty() {
        about_all("storedVersionRemoval", format!("stored versions removed : [{}]", removed.join(" ")), None);
    }
    let in_both = || old.versions.iter().filter_map(|it| Some((it, new.version(&it.name)?)));
    for (version, next) in in_both() {
        let (before, after) = (flat(version), flat(next));
        for path in before.keys().filter(|it| !after.contains_key(*it)) {
            let about = (version.name.clone(), path.clone());
            about_all("existingFieldRemoval", format!("removed field : {}.{path}", version.name), Some(about));
        }
    }
    for (version, next) in in_both() {
        refusals.extend(differences(&version.name, version, next));
    }
    if new.conversion != "Webhook" {
        let known: BTreeSet<Refusal> = served_pairs(old).into_iter().collect();
        refusals.extend(served_pairs(new).into_iter().filter(|it| !known.contains(it)));
    }
    refusals
}

fn flat(version: &CrdVersion) -> BTreeMap<String, Map<String, Value>> {
    version.schema.as_ref().map(flatten).unwrap_or_default()
}

/// The differences between the versions that one definition serves side by side, from each to the later ones.
fn served_pairs(crd: &Crd) -> Vec<Refusal> {
    let mut served: Vec<&CrdVersion> = crd.versions.iter().filter(|it| it.is_served).collect();
    served.sort_by(|a, b| compare(&a.name, &b.name));
    let mut refusals = Vec::new();
    for (at, older) in served.iter().enumerate() {
        for newer in &served[at + 1..] {
            refusals.extend(differences(&format!("{} -> {}", older.name, newer.name), older, newer));
        }
    }
    refusals
}

/// The refusals between two schemas: only properties of the older one are looked at, so new properties always pass.
fn differences(versions: &str, old: &CrdVersion, new: &CrdVersion) -> Vec<Refusal> {
    let after = flat(new);
    let mut refusals = Vec::new();
    for (path, mut before) in flat(old) {
        // A removed property is compared with an empty one.
        let mut after = after.get(&path).cloned().unwrap_or_default();
        let mut refuse = |check: &str, text: String| {
            let (versions, path, check) = (versions.to_owned(), path.clone(), check.to_owned());
            refusals.push(Refusal { versions, path, check, text, about: None });
        };
        for (check, compare) in CHECKS {
            if let Some(text) = compare(before.remove(*check), after.remove(*check)) {
                refuse(check, text);
            }
        }
        before.remove("description");
        after.remove("description");
        let unhandled = unhandled(&before, &after);
        if !unhandled.is_empty() {
            refuse("unhandled", format!("unhandled changes found ({})", unhandled.join(", ")));
        }
    }
    refusals
}

/// The objection of a check to the old and the new value of its key.
type Check = fn(Option<Value>, Option<Value>) -> Option<String>;

const CHECKS: &[(&str, Check)] = &[
    ("type", type_changed),
    ("required", required_added),
    ("enum", enum_narrowed),
    ("default", default_changed),
    ("minimum", minimum_raised),
    ("minLength", minimum_raised),
    ("minItems", minimum_raised),
    ("minProperties", minimum_raised),
    ("maximum", maximum_lowered),
    ("maxLength", maximum_lowered),
    ("maxItems", maximum_lowered),
    ("maxProperties", maximum_lowered),
    ("pattern", pattern_changed),
    ("nullable", nullable_changed),
    ("oneOf", one_of_changed),
];

fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

fn type_changed(old: Option<Value>, new: Option<Value>) -> Option<String> {
    let (old, new) = (text_of(old.as_ref()), text_of(new.as_ref()));
    (old != new).then(|| format!("type changed : {old:?} -> {new:?}"))
}

fn items(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

/// Values in their JSON form, in the order of their texts.
fn sorted(values: impl Iterator<Item = Value>) -> String {
    let all: BTreeSet<String> = values.map(|it| it.to_string()).collect();
    all.into_iter().collect::<Vec<_>>().join(" ")
}

fn required_added(old: Option<Value>, new: Option<Value>) -> Option<String> {
    let old = items(old);
    let added: BTreeSet<String> =
        items(new).into_iter().filter(|it| !old.contains(it)).map(|it| text_of(Some(&it)).to_owned()).collect();
    (!added.is_empty()).then(|| format!("new required fields: [{}]", Vec::from_iter(added).join(" ")))
}

fn enum_narrowed(old: Option<Value>, new: Option<Value>) -> Option<String> {
    let (old, new) = (items(old), items(new));
    if old.is_empty() {
        let added = sorted(new.into_iter());
        return (!added.is_empty())
            .then(|| format!("enum constraint added when there was none previously : [{added}]"));
    }
    let removed = sorted(old.into_iter().filter(|it| !new.contains(it)));
    (!removed.is_empty()).then(|| format!("allowed enum values removed : [{removed}]"))
}

fn default_changed(old: Option<Value>, new: Option<Value>) -> Option<String> {
    let shown = |value: &Value| format!("{:?}", value.to_string());
    match (old, new) {
        (None, Some(new)) => Some(format!("default added when there was none previously : {}", shown(&new))),
        (Some(old), None) => Some(format!("default value removed : {}", shown(&old))),
        (Some(old), Some(new)) if old != new => {
            Some(format!("default value changed : {} -> {}", shown(&old), shown(&new)))
        }
        _ => None,
    }
}

fn minimum_raised(old: Option<Value>, new: Option<Value>) -> Option<String> {
    match (old, new) {
        (None, Some(new)) => Some(format!("minimum constraint added when there was none previously : {new}")),
        (Some(old), Some(new)) if old.as_f64() < new.as_f64() => Some(format!("minimum increased : {old} -> {new}")),
        _ => None,
    }
}

fn maximum_lowered(old: Option<Value>, new: Option<Value>) -> Option<String> {
    match (old, new) {
        (None, Some(new)) => Some(format!("maximum constraint added when there was none previously : {new}")),
        (Some(old), Some(new)) if new.as_f64() < old.as_f64() => Some(format!("maximum decreased : {old} -> {new}")),
        _ => None,
    }
}

fn pattern_changed(old: Option<Value>, new: Option<Value>) -> Option<String> {
    let (old, new) = (text_of(old.as_ref()), text_of(new.as_ref()));
    let what = match (old, new) {
        (old, new) if old == new => return None,
        ("", _) => "added",
        (_, "") => "removed",
        _ => "changed",
    };
    Some(format!("pattern {what} : {old:?} -> {new:?}"))
}

fn nullable_changed(old: Option<Value>, new: Option<Value>) -> Option<String> {
    let is_true = |value: Option<Value>| value == Some(Value::Bool(true));
    match (is_true(old), is_true(new)) {
        (false, true) => Some("nullable added : false -> true".to_owned()),
        (true, false) => Some("nullable removed : true -> false".to_owned()),
        _ => None,
    }
}

fn one_of_changed(old: Option<Value>, new: Option<Value>) -> Option<String> {
    // Keys that only inform people do not count.
    let schemas = |value: Option<Value>| -> Vec<Value> {
        let mut all = items(value);
        for schema in all.iter_mut().filter_map(Value::as_object_mut) {
            for key in ["description", "title", "example"] {
                schema.remove(key);
            }
        }
        all
    };
    let (old, new) = (schemas(old), schemas(new));
    let added = sorted(new.iter().filter(|it| !old.contains(it)).cloned());
    let removed = sorted(old.iter().filter(|it| !new.contains(it)).cloned());
    match (old.is_empty(), removed.is_empty(), added.is_empty()) {
        (_, true, true) => None,
        (true, _, _) => Some(format!("oneOf constraint added when there was none previously: [{added}]")),
        (_, false, true) => Some(format!("allowed oneOf schemas removed: [{removed}]")),
        (_, true, false) => Some(format!("oneOf schemas added: [{added}]")),
        _ => Some(format!("oneOf schemas added: [{added}], removed: [{removed}]")),
    }
}

/// The differences that no check handles, key by key.
fn unhandled(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<String> {
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let differing = keys.into_iter().filter(|key| old.get(*key) != new.get(*key));
    differing
        .map(|key| format!("{} {} -> {}", name_in_go(key), shown(key, old.get(key)), shown(key, new.get(key))))
        .collect()
}

/// A key as the real tool names it.
fn name_in_go(key: &str) -> String {
    let (prefix, rest) = match key.strip_prefix("x-kubernetes-") {
        Some(rest) => ("X", rest),
        None => ("", key.trim_start_matches('$')),
    };
    let words = rest.split('-').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|it| it.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    });
    prefix.chars().chain(words.collect::<String>().chars()).collect()
}

/// A value as the real tool shows it: plain ones by themselves, pointers there with `&`, all others not at all.
fn shown(key: &str, value: Option<&Value>) -> String {
    let is_pointer = matches!(
        key,
        "multipleOf"
            | "$ref"
            | "x-kubernetes-preserve-unknown-fields"
            | "x-kubernetes-list-type"
            | "x-kubernetes-map-type"
    );
    match value {
        None if matches!(key, "format" | "title" | "id" | "$schema") => "\"\"".to_owned(),
        None if matches!(
            key,
            "exclusiveMinimum"
                | "exclusiveMaximum"
                | "uniqueItems"
                | "x-kubernetes-embedded-resource"
                | "x-kubernetes-int-or-string"
        ) =>
        {
            "false".to_owned()
        }
        None => "nil".to_owned(),
        Some(value @ (Value::String(_) | Value::Number(_) | Value::Bool(_))) => {
            if is_pointer {
                format!("&{value}")
            } else {
                value.to_string()
            }
        }
        Some(_) => "<complex value>".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// R1 and R2: the schemas of `oneOf`, `anyOf`, `allOf` and `not` are compared by their positions.
    #[test]
    fn branches_are_compared_by_position() {
        let crd = |spec: &Value| {
            let schema = json!({"type": "object", "properties": {"spec": spec}});
            let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
            let names = json!({"plural": "ts", "kind": "T"});
            let spec = json!({"group": "g.io", "scope": "Namespaced", "names": names, "versions": [version]});
            Crd::from_value(&json!({
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "metadata": {"name": "ts.g.io"},
                "spec": spec,
            }))
            .unwrap()
        };
        let (a, b) = (json!({"required": ["a"]}), json!({"required": ["b"]}));
        for (old, new, expected) in [
            (json!({"oneOf": [a, b]}), json!({"oneOf": [a, b]}), &[][..]),
            (
                json!({"oneOf": [a, b]}),
                json!({"oneOf": [b, a]}),
                &[
                    "v1: ^.spec.oneOf[0]: required: new required fields: [b]",
                    "v1: ^.spec.oneOf[1]: required: new required fields: [a]",
                ],
            ),
            (
                json!({"oneOf": [a, a, b]}),
                json!({"oneOf": [a, b]}),
                &[
                    "existingFieldRemoval: removed field : v1.^.spec.oneOf[2]",
                    "v1: ^.spec.oneOf[1]: required: new required fields: [b]",
                ],
            ),
            (
                json!({"anyOf": [{"properties": {"x": {"type": "string"}}}]}),
                json!({}),
                &[
                    "existingFieldRemoval: removed field : v1.^.spec.anyOf[0]",
                    "existingFieldRemoval: removed field : v1.^.spec.anyOf[0].x",
                    "v1: ^.spec: unhandled: unhandled changes found (AnyOf <complex value> -> nil)",
                    "v1: ^.spec.anyOf[0].x: type: type changed : \"string\" -> \"\"",
                ],
            ),
            (
                json!({"not": {"pattern": "x"}}),
                json!({"not": {"pattern": "y"}}),
                &[
                    "v1: ^.spec: unhandled: unhandled changes found (Not <complex value> -> <complex value>)",
                    "v1: ^.spec.not: pattern: pattern changed : \"x\" -> \"y\"",
                ],
            ),
        ] {
            let found: Vec<String> = preflight(&crd(&old), &crd(&new)).iter().map(ToString::to_string).collect();
            assert_eq!(found, expected, "{old} {new}");
        }
    }
}
