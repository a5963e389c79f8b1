//! The kind of a document: part of a catalog, a template, a file of a bundle, or none of ours.
//!
//! Editors send every YAML and JSON file of a workspace. A file without the `schema` of a catalog belongs to somebody
//! else, and gets no findings.

use std::path::{Path, PathBuf};

use olmdex_bundle::bundle;

/// The kinds of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Catalog,
    Template,
    /// In the bundle of this directory.
    Bundle(PathBuf),
    Foreign,
}

/// The kind of a text, in a file at a path.
pub(super) fn kind_of(path: Option<&Path>, text: &str) -> Kind {
    if let Some(directory) = path.and_then(bundle_of) {
        return Kind::Bundle(directory);
    }
    match first_schema(text) {
        Some("olm.semver") => Kind::Template,
        Some(schema) if schema.starts_with("olm.template.") || schema.starts_with("olm.composite") => Kind::Template,
        // Foreign schemas are part of catalogs, too; but a word without a dot is as likely something else.
        Some(schema) if schema.contains('.') && !schema.contains('/') => Kind::Catalog,
        _ => Kind::Foreign,
    }
}

/// The bundle whose `manifests/` or `metadata/` holds the file.
fn bundle_of(path: &Path) -> Option<PathBuf> {
    let inner = path.parent()?;
    let is_part = inner.file_name().is_some_and(|it| it == "manifests" || it == "metadata");
    let directory = inner.parent()?;
    (is_part && bundle::is_bundle(directory)).then(|| directory.to_owned())
}

/// The first `schema` at the top level of a document.
fn first_schema(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') {
        let (_, rest) = text.split_once("\"schema\"")?;
        let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        return rest.split(['"', '\n']).next();
    }
    let line = text.lines().find_map(|it| it.strip_prefix("schema:"))?;
    let value = line.split(" #").next().unwrap_or(line);
    Some(value.trim().trim_matches(['"', '\'']))
}

/// Whether the name of a file is one of those that catalogs are written in.
pub(super) fn is_text_name(name: &Path) -> bool {
    let extension = name.extension().and_then(|it| it.to_str()).unwrap_or_default();
    ["yaml", "yml", "json"].iter().any(|it| extension.eq_ignore_ascii_case(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart() {
        for (text, kind) in [
            ("# c\n---\nschema: olm.package\n", Kind::Catalog),
            ("name: a\nschema: \"olm.channel\" # c\nentries: [", Kind::Catalog),
            ("{\n  \"schema\": \"olm.bundle\",", Kind::Catalog),
            ("{\"a\": 1}\n{\"schema\": \"my.blob\"}", Kind::Catalog),
            ("schema: olm.semver\n", Kind::Template),
            ("schema: olm.template.basic\nentries:\n- schema: olm.package\n", Kind::Template),
            ("apiVersion: v1\nkind: A\nspec:\n  schema: olm.package\n", Kind::Foreign),
            ("schema: https://json-schema.org/x.y\n", Kind::Foreign),
            ("schema: public\n", Kind::Foreign),
            ("", Kind::Foreign),
            ("{", Kind::Foreign),
        ] {
            assert_eq!(kind_of(None, text), kind, "{text}");
        }
    }
}
