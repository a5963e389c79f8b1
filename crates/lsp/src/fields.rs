//! The fields of blobs and of the values of properties, as the published schemas in `schema/` have them.

use std::sync::OnceLock;

use serde_json::Value;

/// A field that is possible at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    /// Its description.
    pub(super) about: String,
    /// The type of its value: `string`, `array`, `object` …, or empty.
    pub(super) kind: String,
}

/// The schemas of blobs.
const BLOBS: &[(&str, &str)] = &[
    ("olm.package", include_str!("../schema/blob/olm.package.json")),
    ("olm.channel", include_str!("../schema/blob/olm.channel.json")),
    ("olm.bundle", include_str!("../schema/blob/olm.bundle.json")),
    ("olm.deprecations", include_str!("../schema/blob/olm.deprecations.json")),
];

/// The schema of the fields that every document may have.
const ANY: &str = include_str!("../schema/blob/meta.json");

/// The schema of a property.
const PROPERTY: &str = include_str!("../schema/blob/property.json");

/// The schemas of the values of properties.
const VALUES: &[(&str, &str)] = &[
    ("olm.package", include_str!("../schema/property/olm.package.json")),
    ("olm.package.required", include_str!("../schema/property/olm.package.required.json")),
    ("olm.gvk", include_str!("../schema/property/olm.gvk.json")),
    ("olm.gvk.required", include_str!("../schema/property/olm.gvk.required.json")),
    ("olm.constraint", include_str!("../schema/property/olm.constraint.json")),
    ("olm.maxOpenShiftVersion", include_str!("../schema/property/olm.maxOpenShiftVersion.json")),
    ("olm.csv.metadata", include_str!("../schema/property/olm.csv.metadata.json")),
    ("olm.bundle.object", include_str!("../schema/property/olm.bundle.object.json")),
    ("olm.channel", include_str!("../schema/property/olm.channel.json")),
    ("olm.deprecated", include_str!("../schema/property/olm.deprecated.json")),
];

/// The schemas of templates, with their descriptions.
const TEMPLATES: &[(&str, &str)] = &[
    ("olm.template.basic", "A basic template: blobs, and bundles named by their images."),
    ("olm.semver", "A semver template: opm derives channels from the versions of the bundles."),
    ("olm.template.substitutes", "A substitutes template: bundles that substitute for others."),
];

/// A field with its description and the type of its value.
type FieldRow = (&'static str, &'static str, &'static str);

/// The fields of templates and of the files of a bundle's `metadata/`, by the path to them; `-` stands for the items of
/// a list.
const OTHERS: &[(&str, &str, &[FieldRow])] = &[
    (
        "olm.template.basic",
        "",
        &[("schema", "The kind of document.", "string"), ("entries", "Blobs, and images of bundles.", "array")],
    ),
    (
        "olm.semver",
        "",
        &[
            ("schema", "The kind of document.", "string"),
            ("generateMajorChannels", "Whether each major version gets a channel.", "boolean"),
            ("generateMinorChannels", "Whether each minor version gets a channel.", "boolean"),
            ("defaultChannelTypePreference", "`major` or `minor`: the kind of the default channel.", "string"),
            ("candidate", "The bundles of the candidate channels.", "object"),
            ("fast", "The bundles of the fast channels.", "object"),
            ("stable", "The bundles of the stable channels.", "object"),
        ],
    ),
    ("olm.semver", "candidate", &[("bundles", "Images of bundles.", "array")]),
    ("olm.semver", "fast", &[("bundles", "Images of bundles.", "array")]),
    ("olm.semver", "stable", &[("bundles", "Images of bundles.", "array")]),
    ("olm.semver", "candidate.bundles.-", &[("image", "The reference of the image.", "string")]),
    ("olm.semver", "fast.bundles.-", &[("image", "The reference of the image.", "string")]),
    ("olm.semver", "stable.bundles.-", &[("image", "The reference of the image.", "string")]),
    (
        "olm.template.substitutes",
        "",
        &[
            ("schema", "The kind of document.", "string"),
            ("entries", "Blobs of the catalog.", "array"),
            ("substitutions", "The bundles that substitute for other bundles.", "array"),
        ],
    ),
    (
        "olm.template.substitutes",
        "substitutions.-",
        &[
            ("name", "The image of the substitute.", "string"),
            ("base", "The bundle that it substitutes for.", "string"),
        ],
    ),
];

fn parsed(text: &str) -> Value {
    // The files are ours; a test reads each.
    serde_json::from_str(text).unwrap_or_default()
}

fn table(rows: &[(&'static str, &str)]) -> Vec<(&'static str, Value)> {
    rows.iter().map(|it| (it.0, parsed(it.1))).collect()
}

fn blobs() -> &'static [(&'static str, Value)] {
    static READ: OnceLock<Vec<(&str, Value)>> = OnceLock::new();
    READ.get_or_init(|| table(BLOBS))
}

fn values() -> &'static [(&'static str, Value)] {
    static READ: OnceLock<Vec<(&str, Value)>> = OnceLock::new();
    READ.get_or_init(|| table(VALUES))
}

fn any() -> &'static Value {
    static READ: OnceLock<Value> = OnceLock::new();
    READ.get_or_init(|| parsed(ANY))
}

fn property() -> &'static Value {
    static READ: OnceLock<Value> = OnceLock::new();
    READ.get_or_init(|| parsed(PROPERTY))
}

fn about(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().to_owned()
}

/// The schemas of blobs with their descriptions; with templates, if a whole document can be one.
pub(super) fn schemas(with_templates: bool) -> Vec<(String, String)> {
    let templates = TEMPLATES.iter().filter(|_| with_templates).map(|it| (it.0.to_owned(), it.1.to_owned()));
    blobs().iter().map(|it| (it.0.to_owned(), about(&it.1))).chain(templates).collect()
}

/// The types of properties with their descriptions.
pub(super) fn property_types() -> Vec<(String, String)> {
    values().iter().map(|it| (it.0.to_owned(), about(&it.1))).collect()
}

/// The description of a type of properties, if OLM knows it.
pub(super) fn about_type(name: &str) -> Option<String> {
    values().iter().find(|it| it.0 == name).map(|it| about(&it.1))
}

/// The fields at a path of a document. A step is a key, or `-` for an item; `type_of_property` is the type of the
/// property that the path leads through.
pub(super) fn fields(schema: &str, path: &[String], type_of_property: &str) -> Vec<Field> {
    let is_own = |it: &&(&str, &str, &[FieldRow])| it.0 == schema && it.1 == path.join(".");
    if let Some((_, _, rows)) = OTHERS.iter().find(is_own) {
        let field = |it: &FieldRow| Field { name: it.0.to_owned(), about: it.1.to_owned(), kind: it.2.to_owned() };
        return rows.iter().map(field).collect();
    }
    let mut at = match blobs().iter().find(|it| it.0 == schema) {
        Some((_, it)) => it,
        None => any(),
    };
    let mut steps = path.iter().map(String::as_str);
    let mut behind = Vec::new();
    while let Some(step) = steps.next() {
        let next = if step == "-" { item(at) } else { member(at, step) };
        let Some(next) = next else { return Vec::new() };
        at = next;
        behind.push(step);
        // The value of a property has a schema of its own.
        if behind == ["properties", "-"] {
            at = property();
            let rest: Vec<&str> = steps.collect();
            let ["value", rest @ ..] = rest.as_slice() else {
                return if rest.is_empty() { members(at) } else { Vec::new() };
            };
            let Some((_, value)) = values().iter().find(|it| it.0 == type_of_property) else { return Vec::new() };
            at = value;
            for step in rest {
                let next = if *step == "-" { item(at) } else { member(at, step) };
                let Some(next) = next else { return Vec::new() };
                at = next;
            }
            return members(at);
        }
    }
    members(at)
}

/// The alternatives of a schema, or the schema.
fn alternatives(schema: &Value) -> Vec<&Value> {
    match schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
        Some(all) => all.iter().collect(),
        None => vec![schema],
    }
}

fn member<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    // The first alternative that has it; they differ in the values that they allow.
    alternatives(schema).into_iter().find_map(|it| it["properties"].get(name))
}

fn item(schema: &Value) -> Option<&Value> {
    alternatives(schema).into_iter().find_map(|it| it.get("items"))
}

fn members(schema: &Value) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for it in alternatives(schema) {
        for (name, member) in it["properties"].as_object().into_iter().flatten() {
            if !fields.iter().any(|it| it.name == *name) {
                let kind = member["type"].as_str().or(member.get("const").map(|_| "string")).unwrap_or_default();
                fields.push(Field { name: name.clone(), about: about(member), kind: kind.to_owned() });
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(schema: &str, path: &str, kind: &str) -> String {
        let path: Vec<String> = path.split_whitespace().map(str::to_owned).collect();
        let mut names: Vec<String> = fields(schema, &path, kind).into_iter().map(|it| it.name).collect();
        names.sort();
        names.join(" ")
    }

    #[test]
    fn fields_are_those_of_the_schemas() {
        for (schema, path, kind, expected) in [
            ("olm.channel", "", "", "entries name package properties schema"),
            ("olm.channel", "entries -", "", "name replaces skipRange skips"),
            ("olm.channel", "entries - name", "", ""),
            ("olm.bundle", "properties -", "", "type value"),
            ("olm.bundle", "properties - value", "olm.package", "packageName release version"),
            ("olm.bundle", "properties - value", "olm.gvk", "group kind version"),
            ("olm.bundle", "properties - value", "mine", ""),
            ("olm.bundle", "relatedImages -", "", "image name"),
            ("olm.deprecations", "entries -", "", "message reference"),
            ("olm.deprecations", "entries - reference", "", "name schema"),
            ("olm.semver", "stable bundles -", "", "image"),
            ("my.blob", "", "", "name package properties schema"),
            ("", "", "", "name package properties schema"),
        ] {
            assert_eq!(names(schema, path, kind), expected, "{schema} {path}");
        }
    }

    #[test]
    fn every_schema_can_be_read() {
        let all = BLOBS.iter().chain(VALUES).map(|it| it.1).chain([ANY, PROPERTY]);
        for text in all {
            assert!(serde_json::from_str::<Value>(text).is_ok_and(|it| it["description"].is_string()), "{text}");
        }
    }
}
