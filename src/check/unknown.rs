//! Names that nobody reads: fields that a schema does not have, and schemas and types of properties that look like slips.
//!
//! opm drops what it does not know without a word, so that only the consequence shows, elsewhere.
//!
//! What it deliberately does not do: it says nothing of schemas and properties that are nobody's slip, and looks into no values.

use super::inspect::{Inspector, draft, path_text};
use super::rules;
use crate::diag::closest;
use crate::fbc::{Blob, Spot, Typed};
use crate::json::{Kind, Step, Value, fold_eq};

/// The fields of an object, each with the shape of the objects in it, if those have one.
struct Shape(&'static [(&'static str, Option<&'static Shape>)]);

static PROPERTY: Shape = Shape(&[("type", None), ("value", None)]);

static PACKAGE: Shape = Shape(&[
    ("schema", None),
    ("package", None),
    ("name", None),
    ("defaultChannel", None),
    ("icon", Some(&Shape(&[("base64data", None), ("mediatype", None)]))),
    ("description", None),
    ("properties", Some(&PROPERTY)),
]);

static CHANNEL: Shape = Shape(&[
    ("schema", None),
    ("package", None),
    ("name", None),
    ("entries", Some(&Shape(&[("name", None), ("replaces", None), ("skips", None), ("skipRange", None)]))),
    ("properties", Some(&PROPERTY)),
]);

static BUNDLE: Shape = Shape(&[
    ("schema", None),
    ("package", None),
    ("name", None),
    ("image", None),
    ("properties", Some(&PROPERTY)),
    ("relatedImages", Some(&Shape(&[("name", None), ("image", None)]))),
]);

static DEPRECATIONS: Shape = Shape(&[
    ("schema", None),
    ("package", None),
    ("name", None),
    ("entries", Some(&Shape(&[("reference", Some(&Shape(&[("schema", None), ("name", None)]))), ("message", None)]))),
]);

/// The schemas that somebody reads.
const SCHEMAS: [&str; 5] =
    ["olm.package", "olm.channel", "olm.bundle", "olm.deprecations", "io.openshift.operators.lifecycles.v1alpha1"];

/// The types of properties that somebody reads.
const PROPERTY_TYPES: [&str; 8] = [
    "olm.package",
    "olm.gvk",
    "olm.package.required",
    "olm.gvk.required",
    "olm.constraint",
    "olm.bundle.object",
    "olm.csv.metadata",
    "olm.maxOpenShiftVersion",
];

impl Inspector {
    /// What of a blob nobody reads.
    pub(super) fn unknown(&mut self, blob: &Blob<'_>) {
        let (shape, properties) = match &blob.typed {
            Typed::Package(it) => (&PACKAGE, it.properties.as_slice()),
            Typed::Channel(it) => (&CHANNEL, it.properties.as_slice()),
            Typed::Bundle(it) => (&BUNDLE, it.properties.as_slice()),
            Typed::Deprecations(_) => (&DEPRECATIONS, &[][..]),
            Typed::Other => return self.unknown_schema(&blob.schema),
        };
        self.unknown_fields(&blob.schema, blob.value, shape, &mut Vec::new());
        for (idx, property) in properties.iter().enumerate() {
            let kind = &*property.kind;
            if kind.starts_with("olm.")
                && !PROPERTY_TYPES.contains(&kind)
                && let Some(meant) = closest(kind, PROPERTY_TYPES)
            {
                let message = format!("nobody reads properties of type `{kind}`");
                let path = vec!["properties".into(), idx.into(), "type".into()];
                let it = draft(rules::MISSPELT_PROPERTY_TYPE, message).at(path);
                self.push(it.help(format!("did you mean `{meant}`?")));
            }
        }
    }

    fn unknown_schema(&mut self, schema: &str) {
        if let Some(meant) = closest(schema, SCHEMAS).filter(|it| *it != schema) {
            let message = format!("nobody reads blobs of schema `{schema}`");
            let it = draft(rules::MISSPELT_SCHEMA, message).at(vec!["schema".into()]);
            self.push(it.help(format!("did you mean `{meant}`?")));
        }
    }

    /// The fields of an object, or of the objects of a list, that its shape does not have. Shapes are three levels deep.
    fn unknown_fields(&mut self, schema: &str, value: Value<'_>, shape: &Shape, path: &mut Vec<Step>) {
        if value.kind() == Kind::Array {
            for (idx, item) in value.items().enumerate() {
                path.push(idx.into());
                self.unknown_fields(schema, item, shape, path);
                path.pop();
            }
            return;
        }
        for (key, member) in value.members() {
            let name = key.as_str().unwrap_or_default();
            path.push(Step::Key(name.to_string()));
            match shape.0.iter().find(|it| fold_eq(&name, it.0)) {
                Some((_, Some(inner))) => self.unknown_fields(schema, member, inner, path),
                Some((_, None)) => {}
                None => {
                    let known: Vec<&str> = shape.0.iter().map(|it| it.0).collect();
                    let help = match closest(&name, known.iter().copied()) {
                        Some(meant) => format!("did you mean `{meant}`?"),
                        None => format!("opm drops it; the fields are {}", known.join(", ")),
                    };
                    let message = format!("{} is not a field of `{schema}`", path_text(path));
                    let mut it = draft(rules::UNKNOWN_FIELD, message).help(help);
                    it.spot = Spot::Key(path.clone());
                    self.push(it);
                }
            }
            path.pop();
        }
    }
}
