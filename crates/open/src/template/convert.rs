//! A catalog as a template (`docs/behaviour/fbc.md` 5.7).

use thiserror::Error;

use super::kind::Kind;
use olmdex_base::diag::Finding;
use olmdex_fbc::{
    self as fbc, Consumer, Defect, DefectKind, Failure, Format, Input, Origin, Spot, Syntax, Typed, write_raw_blob,
};
use olmdex_rules::check::failure_findings;
use olmdex_text::json::{self, Reader, Step, Tree, Value, fold_eq};
use olmdex_text::yaml;

/// The reasons why a catalog cannot be made a template.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// Documents that cannot be read.
    #[error("cannot read the catalog")]
    Broken(Vec<Finding>),
    /// A catalog cannot be converted to a template of this kind.
    #[error("a catalog cannot be converted to a semver template")]
    Semver,
    /// Something cannot be written as YAML.
    #[error("{0}")]
    Unwritable(String),
}

/// The entry of each document.
struct Entries {
    is_basic: bool,
}

impl Consumer for Entries {
    type Output = Result<Option<Tree>, (Origin, Failure)>;

    fn document(&self, document: fbc::Document<'_>) -> Self::Output {
        let blob = match document.blob {
            Ok(blob) => blob,
            Err(failure) if self.is_read_by_head(&failure) => {
                return Ok(self.of_raw(document.raw, document.origin.syntax));
            }
            Err(failure) => return without_schema(failure).map_err(|failure| (document.origin, failure)),
        };
        Ok(Some(match &blob.typed {
            Typed::Bundle(bundle) if self.is_basic => bundle_entry(&bundle.image),
            _ => unstructured(blob.value),
        }))
    }
}

impl Entries {
    /// Whether opm converts a document nevertheless: it reads only the head of most documents, and of a bundle, whose
    /// image a basic template takes, all but the values of properties.
    fn is_read_by_head(&self, failure: &Failure) -> bool {
        let takes_image = self.is_basic && failure.schema == "olm.bundle";
        let is_in_property = |it: &Defect| {
            let (Spot::Path(path) | Spot::Key(path)) = &it.at else { return false };
            match path.as_slice() {
                [Step::Key(list), Step::Index(_), Step::Key(value), ..] => {
                    fold_eq(list, "properties") && fold_eq(value, "value")
                }
                _ => false,
            }
        };
        failure.defects.iter().all(|it| it.kind.is_typed() && (!takes_image || is_in_property(it)))
    }

    /// The entry of a document that only its head is read of.
    fn of_raw(&self, raw: &[u8], syntax: Syntax) -> Option<Tree> {
        let mut converted = Vec::new();
        let text = match syntax {
            Syntax::Json => json::decode_utf8(raw),
            Syntax::Yaml => {
                let chunk = yaml::split(raw, 1).next()?.ok()?;
                yaml::to_json(&chunk.text, &mut converted).ok()?;
                json::decode_utf8(&converted)
            }
        };
        let mut reader = Reader::new();
        let value = reader.read(&text).ok()?;
        let is_bundle = self.is_basic && value.text_of_field("schema") == "olm.bundle";
        Some(if is_bundle { bundle_entry(&value.text_of_field("image")) } else { unstructured(value) })
    }
}

/// The entry of a bundle in a basic template.
fn bundle_entry(image: &str) -> Tree {
    Tree::object().with("schema", "olm.bundle").with("image", Tree::html(image))
}

/// The entry of another document, as it is.
fn unstructured(value: Value<'_>) -> Tree {
    let mut out = Vec::new();
    json::write_unstructured(value, &mut out);
    Tree::Raw(String::from_utf8_lossy(&out).into_owned())
}

/// A document without a schema is converted like others, and one without content is skipped.
fn without_schema(failure: Failure) -> Result<Option<Tree>, Failure> {
    if let [defect] = failure.defects.as_slice()
        && let DefectKind::MissingSchema(text) = &defect.kind
    {
        let mut reader = Reader::new();
        return Ok(match reader.read(text) {
            Ok(value) if !value.is_null() => Some(unstructured(value)),
            _ => None,
        });
    }
    Err(failure)
}

/// Writes a catalog as a template, in the order of its documents.
///
/// # Errors
/// [`ConvertError`].
pub fn convert(input: &Input, kind: Kind, format: Format, out: &mut Vec<u8>) -> Result<(), ConvertError> {
    if kind == Kind::Semver {
        return Err(ConvertError::Semver);
    }
    let mut findings = Vec::new();
    let mut entries: Vec<Tree> = Vec::new();
    fbc::load_each(input, &Entries { is_basic: kind == Kind::Basic }, |entry| match entry {
        Ok(entry) => entries.extend(entry),
        Err((origin, failure)) => findings.extend(failure_findings(input, origin, &failure)),
    });
    if !findings.is_empty() {
        return Err(ConvertError::Broken(findings));
    }
    let entries = if entries.is_empty() { Tree::Raw("null".to_owned()) } else { Tree::List(entries) };
    let template = Tree::object().with("schema", kind.schema()).with("entries", entries);
    let template = match kind {
        Kind::Substitutes => template.with("substitutions", Vec::new()),
        _ => template,
    };
    write_raw_blob(&template, format, out).map_err(ConvertError::Unwritable)?;
    if format == Format::Yaml {
        // opm does the same.
        out.push(b'\n');
    }
    Ok(())
}
