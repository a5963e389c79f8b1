//! Names that nothing reads: fields that a schema does not have, and schemas and types of properties that look like
//! slips.
//!
//! opm silently drops everything that it does not know, so that only the consequence shows, elsewhere.

use super::inspect::{Inspector, draft, path_text};
use super::rules;
use olmdex_base::diag::closest;
use olmdex_fbc::{Blob, Spot, Typed};
use olmdex_text::json::{Kind, Step, Value, fold_eq};

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

/// The schemas that are read.
const SCHEMAS: [&str; 8] = [
    "olm.package",
    "olm.channel",
    "olm.bundle",
    "olm.deprecations",
    "io.openshift.operators.lifecycles.v1alpha1",
    "olm.semver",
    "olm.template.basic",
    "olm.template.substitutes",
];

/// The types of properties that are read.
const PROPERTY_TYPES: [&str; 12] = [
    "olm.package",
    "olm.gvk",
    "olm.package.required",
    "olm.gvk.required",
    "olm.constraint",
    "olm.bundle.object",
    "olm.csv.metadata",
    "olm.maxOpenShiftVersion",
    "olm.label",
    "olm.label.required",
    "olm.deprecated",
    "olm.channel",
];

impl Inspector {
    /// Reports the parts of a blob that nothing reads.
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
                let message = format!("no tool reads properties of type `{kind}`");
                let path = vec!["properties".into(), idx.into(), "type".into()];
                let it = draft(rules::MISSPELT_PROPERTY_TYPE, message).at(path);
                self.push(it.help(format!("did you mean `{meant}`?")));
            }
        }
    }

    fn unknown_schema(&mut self, schema: &str) {
        if schema.starts_with("olm.template.") || schema == "olm.semver" {
            let message = format!("`{schema}` is the schema of a template, which is no part of a catalog");
            let it = draft(rules::TEMPLATE_AMONG_BLOBS, message).at(vec!["schema".into()]);
            return self.push(it.help("name its file to check it by itself, and keep it outside of the catalog"));
        }
        let is_other = |it: &&str| *it != schema && without_version(it) != without_version(schema);
        if let Some(meant) = closest(schema, SCHEMAS).filter(is_other) {
            let message = format!("no tool reads blobs of schema `{schema}`");
            let it = draft(rules::MISSPELT_SCHEMA, message).at(vec!["schema".into()]);
            self.push(it.help(format!("did you mean `{meant}`?")));
        }
    }

    /// The fields of an object that its shape does not have, and those of the objects in it. It goes as deep as the
    /// shape, however deep the document is.
    fn unknown_fields(&mut self, schema: &str, object: Value<'_>, shape: &Shape, path: &mut Vec<Step>) {
        for (key, _) in object.members() {
            let name = key.as_str().unwrap_or_default();
            // Names that many formats leave to their users.
            let is_own = name.starts_with("x-") || name.starts_with('.');
            if is_own || shape.0.iter().any(|it| fold_eq(&name, it.0)) {
                continue;
            }
            path.push(Step::Key(name.to_string()));
            let known: Vec<&str> = shape.0.iter().map(|it| it.0).collect();
            let help = match closest(&name, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("opm drops it; the fields are {}", known.join(", ")),
            };
            let message = format!("{} is not a field of `{schema}`", path_text(path));
            let mut it = draft(rules::UNKNOWN_FIELD, message).help(help);
            it.spot = Spot::Key(path.clone());
            self.push(it);
            path.pop();
        }
        for (name, inner) in shape.0 {
            // If several members share a name, this is the one that counts.
            let Some(inner) = inner else { continue };
            let Some((key, member)) = object.get_field_with_key(name) else { continue };
            path.push(Step::Key(key.as_str().unwrap_or_default().into_owned()));
            if member.kind() == Kind::Object {
                self.unknown_fields(schema, member, inner, path);
            }
            for (idx, item) in member.items().enumerate().filter(|(_, it)| it.kind() == Kind::Object) {
                path.push(idx.into());
                self.unknown_fields(schema, item, inner, path);
                path.pop();
            }
            path.pop();
        }
    }
}

/// A schema without its version: `io.example.things.v1beta1` without the last part.
fn without_version(schema: &str) -> &str {
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|it| {
            it.starts_with(|c: char| c.is_ascii_digit()) && it.chars().all(|c| c.is_ascii_alphanumeric())
        })
    };
    schema.rsplit_once('.').filter(|(_, last)| is_version(last)).map_or(schema, |(base, _)| base)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::check::judge;
    use olmdex_fbc::Input;

    fn found(text: &str) -> Vec<String> {
        let report = judge(&Input::bytes("catalog.json", Arc::from(text.as_bytes())), None, None, &[], &mut |_| {});
        let unknown = report.findings.iter().filter(|it| it.rule.id.starts_with("W052") && it.rule.id >= "W0527");
        unknown.map(|it| format!("{} {}", it.rule.id, it.message)).collect()
    }

    /// Deep values are not followed, whichever of two members they are in.
    #[test]
    fn depth_and_duplicates_do_no_harm() {
        let deep = |open: &str, close: &str| format!("{}{}", open.repeat(9_980), close.repeat(9_980));
        for value in [deep("[", "]"), format!("{}1{}", "{\"a\":".repeat(9_980), "}".repeat(9_980))] {
            for text in [
                format!(r#"{{"schema":"olm.channel","package":"p","name":"c","entries":{value},"entries":[]}}"#),
                format!(r#"{{"schema":"olm.channel","package":"p","name":"c","entries":[],"entrie":{value}}}"#),
                format!(r#"{{"schema":"olm.channel","package":"p","name":"c","entries":{value}}}"#),
            ] {
                assert!(found(&text).len() < 2, "{:?}", found(&text));
            }
        }
        let twice =
            r#"{"schema":"olm.channel","package":"p","name":"c","entries":[{"nam":"x"}],"entries":[{"name":"x"}]}"#;
        assert_eq!(found(twice), [""; 0]);
    }

    #[test]
    fn versions_of_schemas_are_no_slips() {
        for (schema, is_slip) in [
            ("io.openshift.operators.lifecycles.v1alpha2", false),
            ("io.openshift.operators.lifecycles.v1", false),
            ("io.openshift.operators.lifecycle.v1alpha1", true),
            ("olm.package.v2", false),
            ("olm.bundel", true),
            ("OLM.bundle", true),
            ("custom.example.com", false),
        ] {
            let found = found(&format!(r#"{{"schema":"{schema}"}}"#));
            assert_eq!(!found.is_empty(), is_slip, "{schema} {found:?}");
        }
    }
}
