//! Whether an `olm.csv.metadata` property agrees with the ClusterServiceVersion that it was made of.
//!
//! The property holds some fields of it (`docs/behaviour/fbc.md` 2.1). They are compared one by one: each value of the
//! property must be in the ClusterServiceVersion, and each of its values must be in the property. Absent, null and
//! empty are the same.

use std::collections::BTreeMap;

use olmdex_text::json::{Kind, Value};

/// The shape of a field.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// A value that goes through as it is.
    Whole,
    /// An object in which only these fields are kept.
    Fields(&'static [(&'static str, Shape)]),
    /// A list of such objects.
    List(&'static [(&'static str, Shape)]),
}

use Shape::{Fields, List, Whole};

/// A field of the property: its name, its place in the ClusterServiceVersion, its shape.
const FIELDS: &[(&str, &[&str], Shape)] = &[
    ("annotations", &["metadata", "annotations"], Whole),
    (
        "apiServiceDefinitions",
        &["spec", "apiservicedefinitions"],
        Fields(&[("owned", List(API)), ("required", List(API))]),
    ),
    (
        "crdDescriptions",
        &["spec", "customresourcedefinitions"],
        Fields(&[("owned", List(CRD)), ("required", List(CRD))]),
    ),
    ("description", &["spec", "description"], Whole),
    ("displayName", &["spec", "displayName"], Whole),
    ("installModes", &["spec", "installModes"], List(&[("type", Whole), ("supported", Whole)])),
    ("keywords", &["spec", "keywords"], Whole),
    ("labels", &["metadata", "labels"], Whole),
    ("links", &["spec", "links"], List(&[("name", Whole), ("url", Whole)])),
    ("maintainers", &["spec", "maintainers"], List(&[("name", Whole), ("email", Whole)])),
    ("maturity", &["spec", "maturity"], Whole),
    ("minKubeVersion", &["spec", "minKubeVersion"], Whole),
    ("nativeAPIs", &["spec", "nativeAPIs"], List(&[("group", Whole), ("version", Whole), ("kind", Whole)])),
    ("provider", &["spec", "provider"], Fields(&[("name", Whole), ("url", Whole)])),
];

const RESOURCES: Shape = List(&[("name", Whole), ("kind", Whole), ("version", Whole)]);

const DESCRIPTORS: Shape = List(&[
    ("path", Whole),
    ("displayName", Whole),
    ("description", Whole),
    ("x-descriptors", Whole),
    ("value", Whole),
]);

const CRD: &[(&str, Shape)] = &[
    ("name", Whole),
    ("version", Whole),
    ("kind", Whole),
    ("displayName", Whole),
    ("description", Whole),
    ("resources", RESOURCES),
    ("statusDescriptors", DESCRIPTORS),
    ("specDescriptors", DESCRIPTORS),
    ("actionDescriptors", DESCRIPTORS),
];

const API: &[(&str, Shape)] = &[
    ("name", Whole),
    ("group", Whole),
    ("version", Whole),
    ("kind", Whole),
    ("deploymentName", Whole),
    ("containerPort", Whole),
    ("displayName", Whole),
    ("description", Whole),
    ("resources", RESOURCES),
    ("statusDescriptors", DESCRIPTORS),
    ("specDescriptors", DESCRIPTORS),
    ("actionDescriptors", DESCRIPTORS),
];

/// The first field of the property that differs from the ClusterServiceVersion.
pub(super) fn misfit(property: Value<'_>, csv: Value<'_>) -> Option<String> {
    let unknown = property.members().find_map(|(key, _)| {
        let key = key.as_str().unwrap_or_default();
        FIELDS.iter().all(|it| it.0 != key).then(|| key.into_owned())
    });
    unknown.or_else(|| {
        let differs = |(name, path, shape): &&(&str, &[&str], Shape)| {
            let theirs = path.iter().try_fold(csv, |it, key| it.get_field(key));
            !is_same(property.get(name), theirs, *shape)
        };
        FIELDS.iter().find(differs).map(|it| it.0.to_owned())
    })
}

fn is_same(ours: Option<Value<'_>>, theirs: Option<Value<'_>>, shape: Shape) -> bool {
    match shape {
        Whole => whole(ours) == whole(theirs),
        Fields(fields) => {
            let is_known = |key: Value<'_>| fields.iter().any(|it| key.as_str().is_some_and(|key| key == it.0));
            ours.into_iter().flat_map(|it| it.members()).all(|(key, _)| is_known(key))
                && fields.iter().all(|(name, shape)| {
                    is_same(ours.and_then(|it| it.get(name)), theirs.and_then(|it| it.get_field(name)), *shape)
                })
        }
        List(fields) => {
            let (ours, theirs) = (items(ours), items(theirs));
            ours.len() == theirs.len()
                && ours.into_iter().zip(theirs).all(|(a, b)| is_same(Some(a), Some(b), Fields(fields)))
        }
    }
}

fn items(list: Option<Value<'_>>) -> Vec<Value<'_>> {
    list.map(|it| it.items().collect()).unwrap_or_default()
}

/// A value to compare; empty if there is none. Nulls among texts are empty texts.
fn whole(value: Option<Value<'_>>) -> String {
    let Some(value) = value else { return String::new() };
    let text = |it: Value<'_>| match it.as_str() {
        Some(text) => text.into_owned(),
        None if it.is_null() => String::new(),
        None => it.compact(),
    };
    match value.kind() {
        Kind::Array => value.items().map(|it| format!("{}\n", text(it))).collect(),
        Kind::Object => {
            let members: BTreeMap<String, String> = value.members().map(|(key, it)| (text(key), text(it))).collect();
            members.into_iter().map(|(key, text)| format!("{key}\n{text}\n")).collect()
        }
        Kind::False => String::new(),
        Kind::Number if value.as_f64() == Some(0.0) => String::new(),
        _ => text(value),
    }
}
