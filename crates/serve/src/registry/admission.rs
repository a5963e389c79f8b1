//! The reasons for which opm's `serve` refuses a catalog, in its words: it is stricter than its `validate`
//! (`docs/behaviour/fbc.md` 6.1).

use std::collections::BTreeMap;

use super::custom::is_name;
use olmdex_fbc::{CSV_METADATA, DefectKind, Document, Format, Input, Typed, load_all, write_blob};
use olmdex_rules::check::refusal_of_opm;
use olmdex_text::json::Expansion;

/// The reason why a catalog cannot be served as opm serves it; `None` if it can. `opm` is the message of its validation
/// about the catalog.
pub fn refusal(input: &Input, opm: Option<&str>) -> Option<String> {
    // A catalog that is valid as a whole is valid in its parts, so their texts are not needed then.
    let (keeps_texts, expansion) = (opm.is_some(), Expansion::default());
    let facts = load_all(input, &|document: Document<'_>| facts_of(document, keeps_texts, &expansion));
    for document in &facts {
        match document {
            DocumentFacts::Custom { schema, package } => {
                for (what, name, is_good) in [
                    ("schema", schema, is_name(schema)),
                    ("packageName", package, package.is_empty() || is_name(package)),
                ] {
                    if !is_good {
                        let why = "must match ^[a-zA-Z0-9][a-zA-Z0-9._-]*$";
                        return Some(format!("invalid custom schema meta: invalid {what} {name:?}: {why}"));
                    }
                }
            }
            DocumentFacts::NoSchema => {
                return Some("invalid custom schema meta: invalid schema: must not be empty".to_owned());
            }
            // A document that cannot be read at all stops it there.
            DocumentFacts::Broken { package } if package.is_empty() => return opm.map(str::to_owned),
            DocumentFacts::Broken { .. } | DocumentFacts::Part { .. } => {}
        }
    }
    let mut packages: BTreeMap<String, Bucket> = BTreeMap::new();
    for document in facts {
        match document {
            DocumentFacts::Part { package, text, n_csv_metadata } => {
                let bucket = packages.entry(package).or_default();
                bucket.text.extend(text);
                bucket.n_csv_metadata = bucket.n_csv_metadata.max(n_csv_metadata);
            }
            DocumentFacts::Broken { package } => packages.entry(package).or_default().is_broken = true,
            DocumentFacts::Custom { .. } | DocumentFacts::NoSchema => {}
        }
    }
    // If several packages are broken, opm names the one at which one of its threads fails first.
    packages.into_iter().rev().find_map(|(package, bucket)| {
        let why = match bucket {
            Bucket { is_broken: true, .. } => opm.map(str::to_owned),
            Bucket { text, .. } if opm.is_some() => refusal_of_opm(&Input::bytes(&package, text.into())),
            _ => None,
        };
        let several =
            |n: usize| format!("parse properties: expected at most 1 property of type {CSV_METADATA:?}, found {n}");
        let why = why.or_else(|| Some(bucket.n_csv_metadata).filter(|it| *it > 1).map(several))?;
        Some(format!("build package index: process package {package:?}: {why}"))
    })
}

/// The documents of a package.
#[derive(Default)]
struct Bucket {
    text: Vec<u8>,
    n_csv_metadata: usize,
    is_broken: bool,
}

/// The facts that are kept of a document.
enum DocumentFacts {
    /// It belongs to a package.
    Part {
        package: String,
        text: Vec<u8>,
        n_csv_metadata: usize,
    },
    /// It has another schema.
    Custom {
        schema: String,
        package: String,
    },
    NoSchema,
    Broken {
        package: String,
    },
}

fn facts_of(document: Document<'_>, keeps_texts: bool, expansion: &Expansion) -> DocumentFacts {
    let blob = match document.blob {
        Ok(blob) => blob,
        Err(failure) => {
            let has_no_schema = failure.defects.iter().any(|it| matches!(it.kind, DefectKind::MissingSchema(_)));
            return if has_no_schema {
                DocumentFacts::NoSchema
            } else {
                DocumentFacts::Broken { package: failure.package }
            };
        }
    };
    let n_csv_metadata = match &blob.typed {
        Typed::Other => {
            return DocumentFacts::Custom { schema: blob.schema.into_owned(), package: blob.package.into_owned() };
        }
        Typed::Bundle(bundle) => bundle.properties.iter().filter(|it| it.kind == CSV_METADATA).count(),
        _ => 0,
    };
    let mut text = Vec::new();
    if keeps_texts && write_blob(&blob, Format::Json, expansion, &mut text).is_err() {
        return DocumentFacts::Broken { package: blob.package.into_owned() };
    }
    DocumentFacts::Part { package: blob.package.into_owned(), text, n_csv_metadata }
}
