//! Basic templates: a catalog in which bundles are named by their images (`docs/behaviour/fbc.md` 5.6).

use super::document::Document;
use super::lists::{TemplateImage, bad_entry, check_reference, list};
use super::rules;
use olmdex_base::diag::Finding;
use olmdex_fbc::{self as fbc, Spot, Typed};
use olmdex_text::json::{Reader, Step};

/// An entry of a template.
#[derive(Debug)]
pub(super) enum Entry {
    /// A blob that is copied, as JSON.
    Blob(String),
    /// A bundle that is read from its image.
    Bundle(TemplateImage),
}

/// Reads the entries, and finds the errors in those of images, which do not matter to the others.
///
/// # Errors
/// All errors, if there is another one.
pub(super) fn entries(document: &Document) -> Result<(Vec<Entry>, Vec<Finding>), Vec<Finding>> {
    let (mut findings, mut of_images) = (Vec::new(), Vec::new());
    let mut entries = Vec::new();
    let mut reader = Reader::new();
    // The document has been read before.
    let Ok(value) = reader.read(&document.json) else { return Ok((entries, of_images)) };
    for (path, item) in list(document, value, &[], "entries", &mut findings) {
        let blob = match fbc::blob::decode(item, true) {
            Ok(blob) => blob,
            Err(failure) => {
                findings.extend(bad_entry(document, &failure, &path));
                continue;
            }
        };
        let Typed::Bundle(bundle) = &blob.typed else {
            entries.push(Entry::Blob(document.json[item.offset()..item.end()].to_owned()));
            continue;
        };
        let of_image = [
            ("package", !bundle.package.is_empty()),
            ("properties", !bundle.properties.is_empty()),
            ("relatedImages", !bundle.related_images.is_empty()),
        ];
        for (field, _) in of_image.into_iter().filter(|it| it.1) {
            let at = Spot::Key([path.clone(), vec![Step::Key(field.to_owned())]].concat());
            let message = format!("a bundle of a basic template has no `{field}`: the image provides it");
            let help = format!("leave out `{field}`; `olmdex template convert basic` does this for a whole catalog");
            of_images.push(rules::BUNDLE_FIELDS.finding(message).at(document.place(&at)).help(help));
        }
        let image = item.get_field_with_key("image").and_then(|it| it.0.as_str()).map(|it| Step::Key(it.into_owned()));
        let path = path.into_iter().chain(image).collect();
        let listed = TemplateImage { image: bundle.image.to_string(), path };
        of_images.extend(check_reference(document, &listed));
        entries.push(Entry::Bundle(listed));
    }
    if findings.is_empty() {
        return Ok((entries, of_images));
    }
    findings.append(&mut of_images);
    findings.sort_by_key(|finding| finding.place.as_ref().map(|place| (place.line, place.column)));
    Err(findings)
}
