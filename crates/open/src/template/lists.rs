//! The lists in templates of all kinds: images and entries, each with its place.

use super::document::Document;
use super::rules;
use olmdex_base::diag::Finding;
use olmdex_fbc::{self as fbc, Failure, Spot, check_image};
use olmdex_text::json::{Kind, Step, Value};

/// An image that a template names.
#[derive(Debug, Clone)]
pub(super) struct TemplateImage {
    pub(super) image: String,
    /// Its path in the document.
    pub(super) path: Vec<Step>,
}

/// A list with its items' paths; empty if it is absent or null. A value that is not a list is a finding.
pub(super) fn list<'d>(
    document: &Document,
    of: Value<'d>,
    above: &[Step],
    field: &str,
    findings: &mut Vec<Finding>,
) -> Vec<(Vec<Step>, Value<'d>)> {
    let Some((key, value)) = of.get_field_with_key(field).filter(|it| !it.1.is_null()) else { return Vec::new() };
    let mut path = above.to_vec();
    path.push(Step::Key(key.as_str().unwrap_or_default().into_owned()));
    if value.kind() != Kind::Array {
        findings.push(wrong_kind(document, field, "a list", value, path));
        return Vec::new();
    }
    let with_path = |(number, item): (usize, Value<'d>)| {
        let mut path = path.clone();
        path.push(number.into());
        (path, item)
    };
    value.items().enumerate().map(with_path).collect()
}

/// The text of a field, with its path; empty if it is absent or null. A value that is not a text is a finding.
pub(super) fn text(
    document: &Document,
    of: Value<'_>,
    above: &[Step],
    field: &str,
    findings: &mut Vec<Finding>,
) -> (String, Vec<Step>) {
    let mut path = above.to_vec();
    let Some((key, value)) = of.get_field_with_key(field) else { return (String::new(), path) };
    path.push(Step::Key(key.as_str().unwrap_or_default().into_owned()));
    if value.is_null() {
        return (String::new(), path);
    }
    let Some(text) = value.as_str() else {
        findings.push(wrong_kind(document, field, "a text", value, path.clone()));
        return (String::new(), path);
    };
    (text.into_owned(), path)
}

/// The finding about a value of the wrong kind.
pub(super) fn wrong_kind(document: &Document, field: &str, wanted: &str, found: Value<'_>, path: Vec<Step>) -> Finding {
    let message = format!("`{field}` must be {wanted}, found {}", found.kind().words());
    rules::WRONG_KIND.finding(message).at(document.place(&Spot::Path(path)))
}

/// The reason why an image's reference cannot be pulled.
pub(super) fn check_reference(document: &Document, listed: &TemplateImage) -> Option<Finding> {
    let at = Spot::Path(listed.path.clone());
    if listed.image.is_empty() {
        let help = "write `image: HOST/NAME:TAG`, or leave the bundle out";
        return Some(rules::BAD_IMAGE.finding("the bundle has no image").at(document.place(&at)).help(help));
    }
    let has_host =
        listed.image.split_once('/').is_some_and(|(host, _)| host.contains(['.', ':']) || host == "localhost");
    let (message, help) = match check_image(&listed.image) {
        Err(error) => (format!("`{}` is not an image reference: {error}", listed.image), "write `HOST/NAME:TAG`"),
        Ok(()) if !has_host => {
            (format!("the image `{}` has no registry", listed.image), "put the registry in front: `HOST/NAME:TAG`")
        }
        Ok(()) => return None,
    };
    Some(rules::BAD_IMAGE.finding(message).at(document.place(&at)).help(help))
}

/// The findings about an entry that is not a blob.
pub(super) fn bad_entry(document: &Document, failure: &Failure, path: &[Step]) -> Vec<Finding> {
    let finding = |defect: &fbc::Defect| {
        let below = |it: &[Step]| [path, it].concat();
        let at = match &defect.at {
            Spot::Path(it) => Spot::Path(below(it)),
            Spot::Key(it) => Spot::Key(below(it)),
            _ => Spot::Path(path.to_vec()),
        };
        let mut message = defect.kind.to_string();
        if matches!(defect.kind, fbc::DefectKind::MissingSchema(_)) {
            message = "the entry has no `schema`".to_owned();
        }
        rules::BAD_ENTRY.finding(message).at(document.place(&at))
    };
    failure.defects.iter().map(finding).collect()
}
