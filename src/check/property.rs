//! The form of the property values that OLM knows (`docs/behaviour/fbc.md` 2.1).

use super::facts::Draft;
use crate::fbc::{BUNDLE_OBJECT, Expected, go_type_error};
use crate::json::{Kind, Step, Value};

/// The form of a value. `null` fits every form, unknown fields are ignored.
enum Shape {
    String,
    Bool,
    Int,
    Any,
    /// Items of a form, with the Go name of their type.
    List(&'static Self, &'static str),
    /// A map of strings to strings.
    Strings,
    /// Fields in byte order, with the Go name of the type.
    Object(&'static [(&'static str, Self)], &'static str),
}

const STRINGS: Shape = Shape::List(&Shape::String, "string");

const PACKAGE: Shape = Shape::Object(
    &[("packageName", Shape::String), ("release", Shape::String), ("version", Shape::String)],
    "property.Package",
);
const PACKAGE_REQUIRED: Shape =
    Shape::Object(&[("packageName", Shape::String), ("versionRange", Shape::String)], "property.PackageRequired");
const GVK_FIELDS: &[(&str, Shape)] = &[("group", Shape::String), ("kind", Shape::String), ("version", Shape::String)];
const GVK: Shape = Shape::Object(GVK_FIELDS, "property.GVK");
const GVK_REQUIRED: Shape = Shape::Object(GVK_FIELDS, "property.GVKRequired");
const CHANNEL: Shape = Shape::Object(&[("channelName", Shape::String), ("priority", Shape::Int)], "property.Channel");

const DESCRIPTORS: Shape = Shape::List(
    &Shape::Object(
        &[
            ("description", Shape::String),
            ("displayName", Shape::String),
            ("path", Shape::String),
            ("value", Shape::Any),
            ("x-descriptors", STRINGS),
        ],
        "v1alpha1.SpecDescriptor",
    ),
    "v1alpha1.SpecDescriptor",
);
const RESOURCES: Shape = Shape::List(
    &Shape::Object(
        &[("kind", Shape::String), ("name", Shape::String), ("version", Shape::String)],
        "v1alpha1.APIResourceReference",
    ),
    "v1alpha1.APIResourceReference",
);
const CRD_DESCRIPTIONS: Shape = Shape::List(
    &Shape::Object(
        &[
            ("actionDescriptors", DESCRIPTORS),
            ("description", Shape::String),
            ("displayName", Shape::String),
            ("kind", Shape::String),
            ("name", Shape::String),
            ("resources", RESOURCES),
            ("specDescriptors", DESCRIPTORS),
            ("statusDescriptors", DESCRIPTORS),
            ("version", Shape::String),
        ],
        "v1alpha1.CRDDescription",
    ),
    "v1alpha1.CRDDescription",
);
const API_SERVICE_DESCRIPTIONS: Shape = Shape::List(
    &Shape::Object(
        &[
            ("actionDescriptors", DESCRIPTORS),
            ("containerPort", Shape::Int),
            ("deploymentName", Shape::String),
            ("description", Shape::String),
            ("displayName", Shape::String),
            ("group", Shape::String),
            ("kind", Shape::String),
            ("name", Shape::String),
            ("resources", RESOURCES),
            ("specDescriptors", DESCRIPTORS),
            ("statusDescriptors", DESCRIPTORS),
            ("version", Shape::String),
        ],
        "v1alpha1.APIServiceDescription",
    ),
    "v1alpha1.APIServiceDescription",
);
const LINK: Shape = Shape::Object(&[("name", Shape::String), ("url", Shape::String)], "v1alpha1.AppLink");
const CSV_METADATA: Shape = Shape::Object(
    &[
        ("annotations", Shape::Strings),
        (
            "apiServiceDefinitions",
            Shape::Object(
                &[("owned", API_SERVICE_DESCRIPTIONS), ("required", API_SERVICE_DESCRIPTIONS)],
                "v1alpha1.APIServiceDefinitions",
            ),
        ),
        (
            "crdDescriptions",
            Shape::Object(
                &[("owned", CRD_DESCRIPTIONS), ("required", CRD_DESCRIPTIONS)],
                "v1alpha1.CustomResourceDefinitions",
            ),
        ),
        ("description", Shape::String),
        ("displayName", Shape::String),
        (
            "installModes",
            Shape::List(
                &Shape::Object(&[("supported", Shape::Bool), ("type", Shape::String)], "v1alpha1.InstallMode"),
                "v1alpha1.InstallMode",
            ),
        ),
        ("keywords", STRINGS),
        ("labels", Shape::Strings),
        ("links", Shape::List(&LINK, "v1alpha1.AppLink")),
        (
            "maintainers",
            Shape::List(
                &Shape::Object(&[("email", Shape::String), ("name", Shape::String)], "v1alpha1.Maintainer"),
                "v1alpha1.Maintainer",
            ),
        ),
        ("maturity", Shape::String),
        ("minKubeVersion", Shape::String),
        ("nativeAPIs", Shape::List(&Shape::Object(GVK_FIELDS, "v1.GroupVersionKind"), "v1.GroupVersionKind")),
        ("provider", LINK),
    ],
    "property.CSVMetadata",
);

fn shape_of(property_type: &str) -> Option<&'static Shape> {
    Some(match property_type {
        "olm.package" => &PACKAGE,
        "olm.package.required" => &PACKAGE_REQUIRED,
        "olm.gvk" => &GVK,
        "olm.gvk.required" => &GVK_REQUIRED,
        "olm.channel" => &CHANNEL,
        "olm.csv.metadata" => &CSV_METADATA,
        _ => return None,
    })
}

/// Why a property's value does not have its form.
pub(super) struct Misfit {
    /// What is wrong, in our words.
    pub(super) message: String,
    /// Where below the value.
    pub(super) path: Vec<Step>,
    /// The words of Go's decoder.
    pub(super) opm: String,
    /// Whether it is a string that YAML takes for something else.
    pub(super) wants_quotes: bool,
}

/// Checks a property's value against the form of its type. Types that OLM does not know need a value only. Bundle
/// objects are read elsewhere.
pub(super) fn check(property_type: &str, value: Option<Value<'_>>) -> Option<Misfit> {
    let Some(value) = value else {
        return Some(Misfit {
            message: "the property has no value".to_owned(),
            path: Vec::new(),
            opm: "unexpected end of JSON input".to_owned(),
            wants_quotes: false,
        });
    };
    if property_type == BUNDLE_OBJECT {
        return None;
    }
    let shape = shape_of(property_type)?;
    let mut path = Vec::new();
    let (found, expected) = first_misfit(value, shape, &mut path)?;
    let root = match shape {
        Shape::Object(_, name) => name.strip_prefix("property.").unwrap_or(name),
        _ => "",
    };
    let opm = go_type_error(found, expected.go, root, &path);
    let wants_quotes = expected.go == Expected::String && matches!(found, Kind::Number | Kind::True | Kind::False);
    Some(Misfit { message: format!("expected {}, found {}", expected.words, found.words()), path, opm, wants_quotes })
}

struct Wanted {
    words: &'static str,
    go: Expected,
}

/// The first value, in the order of sorted keys, that does not fit. `path` leads to it.
fn first_misfit(value: Value<'_>, shape: &Shape, path: &mut Vec<Step>) -> Option<(Kind, Wanted)> {
    let kind = value.kind();
    let fits = |is_fit: bool, words: &'static str, go: Expected| (!is_fit).then_some((kind, Wanted { words, go }));
    let is_string = matches!(kind, Kind::PlainString | Kind::EscapedString);
    match (shape, kind) {
        (_, Kind::Null) | (Shape::Any, _) => None,
        (Shape::String, _) => fits(is_string, "a string", Expected::String),
        (Shape::Bool, _) => fits(matches!(kind, Kind::True | Kind::False), "a boolean", Expected::Object("bool")),
        (Shape::Int, _) => {
            let is_int = value.as_f64().is_some_and(|number| number.fract() == 0.0 && number.abs() < 2_147_483_648.0);
            fits(is_int, "a whole number", Expected::Object("int"))
        }
        (Shape::List(inner, _), Kind::Array) => value.items().enumerate().find_map(|(idx, item)| {
            path.push(idx.into());
            let found = first_misfit(item, inner, path);
            if found.is_none() {
                path.pop();
            }
            found
        }),
        (Shape::List(_, name), _) => fits(false, "a list", Expected::ListOf(name)),
        (Shape::Strings, Kind::Object) => value.members().find_map(|(key, member)| {
            let is_string = matches!(member.kind(), Kind::PlainString | Kind::EscapedString | Kind::Null);
            (!is_string).then(|| {
                path.push(Step::Key(key.as_str().unwrap_or_default().into_owned()));
                (member.kind(), Wanted { words: "a string", go: Expected::String })
            })
        }),
        (Shape::Strings, _) => fits(false, "an object", Expected::Object("map[string]string")),
        (Shape::Object(fields, _), Kind::Object) => fields.iter().find_map(|(name, inner)| {
            let member = value.get_field(name)?;
            path.push((*name).into());
            let found = first_misfit(member, inner, path);
            if found.is_none() {
                path.pop();
            }
            found
        }),
        (Shape::Object(_, name), _) => fits(false, "an object", Expected::Object(name)),
    }
}

/// A draft about the property at `idx`, at `path` below its value.
pub(super) fn draft_at(mut draft: Draft, idx: usize, below_value: Vec<Step>) -> Draft {
    let mut path: Vec<Step> = vec!["properties".into(), idx.into(), "value".into()];
    path.extend(below_value);
    draft.spot = crate::fbc::Spot::Path(path);
    draft
}
